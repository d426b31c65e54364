// One run of a self-test network: set the registers, start, run, drain, add up the counters, print them as JSON.
//
// Model is what simulates the network:
//   Model();                                                  in reset, done with it
//   void start(bool);  void test(address, write, data);  void control(address);    inputs, the same for all nodes
//   void clock();                                             one clock
//   uint32_t read(node);                                      test_read_data of this clock
//   void trace(Hash &);                                       all that can be seen in this clock

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <string>

struct Hash {
    uint64_t value = 0xcbf29ce484222325u;
    void add(uint64_t item) { value = (value ^ item) * 0x100000001b3u; value ^= value >> 29; }
};

enum { CONTROL, SEED, LOAD, MIX, MULTICAST, LISTED, LENGTH, LIMIT, CHECKER = 0x20, CHECKER_SEED, STALL };

static const std::map<std::string, unsigned> COUNTERS = {
    {"messages", 0x08}, {"words", 0x09}, {"expected", 0x0A}, {"expected_words", 0x0B}, {"expected_signature", 0x0C},
    {"pending", 0x0E}, {"delivered", 0x2A}, {"delivered_words", 0x2B}, {"delivered_signature", 0x2C},
    {"payload_errors", 0x2D}, {"errors", 0x2E}};

// Seconds of processor time: other load on the machine does not count.
inline double processor_time()
{
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

template <class Model> struct Run {
    Model model;
    unsigned nodes;
    FILE *file = nullptr;
    uint64_t clocks = 0;

    void clock()
    {
        // While a trace is written, the registers are read one after the other too.
        if (file) model.control(clocks & 127);
        model.clock();
        if (file) {
            Hash hash;
            model.trace(hash);
            fwrite(&hash.value, sizeof hash.value, 1, file);
        }
        clocks++;
    }

    void write(unsigned address, uint32_t data)
    {
        model.test(address, true, data);
        clock();
        model.test(0, false, 0);
    }

    uint64_t sum(unsigned address)
    {
        model.test(address, false, 0);
        clock();
        clock();
        uint64_t total = 0;
        for (unsigned node = 0; node < nodes; node++) total += model.read(node);
        return total;
    }
};

// Arguments: name=value with the names of the registers in small letters, and clocks, drain, trace=<file>.
template <class Model> int traffic(unsigned nodes, int argc, char **argv)
{
    std::map<std::string, std::string> given;
    for (int i = 1; i < argc; i++) {
        const char *equals = strchr(argv[i], '=');
        if (!equals) return fprintf(stderr, "argument must be name=value, not %s\n", argv[i]), 2;
        given[std::string(argv[i], equals - argv[i])] = equals + 1;
    }
    auto number = [&](const char *name) { return strtoull(given[name].c_str(), nullptr, 0); };
    static Run<Model> run;
    run.nodes = nodes;
    if (given.count("trace")) {
        run.file = fopen(given["trace"].c_str(), "wb");
        if (!run.file) return perror(given["trace"].c_str()), 2;
    }
    run.write(SEED, number("seed"));
    run.write(LOAD, number("load"));
    run.write(MIX, number("mix"));
    run.write(MULTICAST, number("multicast"));
    run.write(LISTED, number("listed"));
    run.write(LENGTH, number("length"));
    run.write(LIMIT, number("limit"));
    run.write(CHECKER_SEED, number("seed"));
    run.write(STALL, number("stall"));
    for (uint64_t warm = number("warm"), begun = 0; begun <= warm; begun++) {
        run.model.start(begun == 0);
        run.clock();
        run.model.start(false);
    }
    const uint64_t clocks = number("clocks"), before = run.sum(0x09);
    const double begin = processor_time();
    for (uint64_t i = 0; i < clocks; i++) run.clock();
    const double seconds = processor_time() - begin;
    const uint64_t after = run.sum(0x09), waiting = run.sum(0x0E);
    run.write(CONTROL, 2);
    for (uint64_t limit = run.clocks + number("drain"); run.clocks < limit; )
        if (run.sum(0x0A) == run.sum(0x2A)) break;
        else for (int i = 0; i < 200; i++) run.clock();
    for (int i = 0; i < 4; i++) run.clock();
    printf("{\"clocks\": %llu, \"all_clocks\": %llu, \"seconds\": %.6f, \"words_injected\": %llu, \"waiting\": %llu",
        (unsigned long long)clocks, (unsigned long long)run.clocks, seconds,
        (unsigned long long)(after - before), (unsigned long long)waiting);
    for (auto &counter : COUNTERS) {
        uint64_t total = run.sum(counter.second);
        if (counter.first.find("signature") != std::string::npos) total &= 0xFFFFFFFF;
        printf(", \"%s\": %llu", counter.first.c_str(), (unsigned long long)total);
    }
    printf("}\n");
    if (run.file) fclose(run.file);
    return 0;
}
