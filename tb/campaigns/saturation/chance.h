// How a campaign fails, and its random numbers.

#pragma once
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <string>

struct Failure {
    std::string outcome, text;
};

__attribute__((format(printf, 2, 3), noreturn)) static void fail(const char *outcome, const char *format, ...)
{
    char text[2000];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    throw Failure{outcome, text};
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
