// Driver: what every program around a simulated network has. Arguments, JSON, random numbers, failures, time, the items
// of packed ports, and whether anything moves.
//
// design.h, which is generated, has the constants of the network, its ports in the namespace ports, and
//   Simulation();                                        out of reset, nothing driven
//   void set(port, node, value);  void drive(port, value);    inputs of one node, and of all nodes alike
//   void assign(port, nodes);                            an input of one bit: a bit for each node
//   void settle();  void edge();                         outputs of this cycle are there; the cycle ends
//   uint64_t item(port, node), all(port);                outputs of one node; a bit for each node, of a port of one bit
//   void trace(Digest &);                                everything that can be seen in this cycle
// Outputs are read between settle() and edge().

#pragma once
#include <algorithm>
#include <cinttypes>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <map>
#include <string>
#include <vector>

// As many ones as a word of this width has, 1 to 64.
constexpr uint64_t ones(unsigned width) { return ~(uint64_t)0 >> (64 - width); }

struct Failure {
    std::string outcome, text;
};

__attribute__((format(printf, 2, 3), noreturn)) inline void fail(const char *outcome, const char *format, ...)
{
    char text[2000];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    throw Failure{outcome, text};
}

// Run a campaign to its end, good or bad; the text of a failure begins with the cycle.
template <class Campaign> Failure outcome_of(Campaign &campaign)
{
    try {
        campaign.run();
    } catch (const Failure &found) {
        return {found.outcome, "cycle " + std::to_string(campaign.clocks) + ": " + found.text};
    }
    return {"drained", ""};
}

// xoshiro256** (Blackman and Vigna), seeded by splitmix64.
struct Random {
    uint64_t s[4];

    static uint64_t mix(uint64_t z)
    {
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
        z = (z ^ z >> 27) * 0x94D049BB133111EBu;
        return z ^ z >> 31;
    }

    explicit Random(uint64_t seed)
    {
        for (auto &word : s) word = mix(seed += 0x9E3779B97F4A7C15u);
    }

    uint64_t next()
    {
        const uint64_t five = s[1] * 5, result = (five << 7 | five >> 57) * 9, t = s[1] << 17;
        s[2] ^= s[0], s[3] ^= s[1], s[1] ^= s[2], s[0] ^= s[3], s[2] ^= t;
        s[3] = s[3] << 45 | s[3] >> 19;
        return result;
    }

    uint64_t below(uint64_t count) { return (uint64_t)((unsigned __int128)next() * count >> 64); }
    uint64_t range(uint64_t low, uint64_t high) { return low + below(high - low + 1); }
    bool chance(double probability) { return (next() >> 11) * 0x1p-53 < probability; }
};

// FNV-1a over words, with the high bits folded in.
struct Digest {
    uint64_t value = 0xcbf29ce484222325u;
    void add(uint64_t item) { value = (value ^ item) * 0x100000001b3u; value ^= value >> 29; }
};

// Seconds of a cycle: CLOCK_MONOTONIC, or CLOCK_PROCESS_CPUTIME_ID for which other load on the machine does not count.
inline double seconds_of(clockid_t clock)
{
    timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

// The last cycle in which anything moved, and for how many cycles nothing may.
struct Movement {
    uint64_t last = 0;
    bool ended(uint64_t clocks, uint64_t patience) const { return clocks - last > patience; }
};

// Arguments of a program: name=value. Of what has been added a value is stored, or given to a function at once.
class Arguments {
    std::map<std::string, std::function<void(const char *)>> takers;

public:
    Arguments &add(const std::string &name, std::function<void(const char *)> take)
    {
        takers[name] = std::move(take);
        return *this;
    }

    Arguments &add(const std::string &name, std::string &place)
    {
        return add(name, [&place](const char *text) { place = text; });
    }

    Arguments &add(const std::string &name, double &place)
    {
        return add(name, [&place](const char *text) { place = strtod(text, nullptr); });
    }

    template <class Number> Arguments &add(const std::string &name, Number &place)
    {
        return add(name, [&place](const char *text) { place = (Number)strtoull(text, nullptr, 0); });
    }

    // Take all arguments, in their order; false, and a line on standard error, if there is no such argument.
    bool take(int argc, char **argv) const
    {
        for (int i = 1; i < argc; i++) {
            const std::string argument = argv[i], name = argument.substr(0, argument.find('='));
            const auto taker = takers.find(name);
            if (taker == takers.end()) return fprintf(stderr, "there is no argument %s\n", argv[i]), false;
            taker->second(name.size() < argument.size() ? argv[i] + name.size() + 1 : "");
        }
        return true;
    }
};

// One line of JSON, an object with the members in the order in which they are added.
class Json {
    std::string line = "{";

    std::string &key(const std::string &name)
    {
        if (line.back() != '{') line += ", ";
        return line += "\"" + name + "\": ";
    }

public:
    Json &add(const std::string &name, uint64_t value)
    {
        key(name) += std::to_string(value);
        return *this;
    }

    Json &add(const std::string &name, double value, int digits)
    {
        char text[400];
        snprintf(text, sizeof text, "%.*f", digits, value);
        key(name) += text;
        return *this;
    }

    Json &add(const std::string &name, const std::string &value)
    {
        std::string &text = key(name) += '"';
        for (const char letter : value) {
            if (letter == '"' || letter == '\\') text += '\\';
            text += letter;
        }
        text += '"';
        return *this;
    }

    Json &truth(const std::string &name, bool value)
    {
        key(name) += value ? "true" : "false";
        return *this;
    }

    Json &open(const std::string &name)
    {
        key(name) += '{';
        return *this;
    }

    Json &close()
    {
        line += '}';
        return *this;
    }

    void print()
    {
        printf("%s}\n", line.c_str());
        fflush(stdout);
    }
};
