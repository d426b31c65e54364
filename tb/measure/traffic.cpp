// One run of a self-test network: set the registers, start, run, drain, add up the counters, print them as JSON.

#include "driver.h"
#include "design.h"
#include "registers.h"

static const unsigned NODES = 1u << DIM;

static const std::map<std::string, unsigned> COUNTERS = {
    {"messages", self_test::MESSAGES},
    {"words", self_test::WORDS},
    {"expected", self_test::EXPECTED},
    {"expected_words", self_test::EXPECTED_WORDS},
    {"expected_signature", self_test::SIGNATURE},
    {"pending", self_test::PENDING},
    {"delivered", self_test::DELIVERED},
    {"delivered_words", self_test::DELIVERED_WORDS},
    {"delivered_signature", self_test::DELIVERED_SIGNATURE},
    {"payload_errors", self_test::PAYLOAD_ERRORS},
    {"errors", self_test::ERRORS},
};

struct Options {
    uint64_t clocks = 0, warm = 0, drain = 0;
    uint32_t seed = 0, load = 0, mix = 0, multicast = 0, listed = 0, length = 0, limit = 0, stall = 0;
    std::string trace;
};

struct Traffic {
    const Options &options;
    Simulation network;
    FILE *file = nullptr;
    uint64_t clocks = 0;

    explicit Traffic(const Options &options) : options(options) { network.settle(), network.edge(); }

    // The outputs of the cycle are there; what it shows goes into the trace.
    void begin()
    {
        // While a trace is written, the registers are read one after the other too.
        if (file) network.drive(ports::control_address, clocks & 127);
        network.settle();
        if (file) {
            Digest digest;
            network.trace(digest);
            fwrite(&digest.value, sizeof digest.value, 1, file);
        }
        clocks++;
    }

    void clock() { begin(), network.edge(); }

    void test(unsigned address, bool write, uint32_t data)
    {
        network.drive(ports::test_address, address);
        network.drive(ports::test_write, write);
        network.drive(ports::test_write_data, data);
    }

    void write(unsigned address, uint32_t data)
    {
        test(address, true, data);
        clock();
        test(0, false, 0);
    }

    uint64_t sum(unsigned address)
    {
        test(address, false, 0);
        clock();
        begin();
        uint64_t total = 0;
        for (unsigned node = 0; node < NODES; node++) total += network.item(ports::test_read_data, node);
        network.edge();
        return total;
    }

    void run()
    {
        write(self_test::SEED, options.seed);
        write(self_test::LOAD, options.load);
        write(self_test::MIX, options.mix);
        write(self_test::MULTICAST, options.multicast);
        write(self_test::LISTED, options.listed);
        write(self_test::LENGTH, options.length);
        write(self_test::LIMIT, options.limit);
        write(self_test::CHECKER_SEED, options.seed);
        write(self_test::STALL, options.stall);
        for (uint64_t begun = 0; begun <= options.warm; begun++) {
            network.drive(ports::start, begun == 0);
            clock();
            network.drive(ports::start, false);
        }
        const uint64_t before = sum(self_test::WORDS);
        const double begin = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
        for (uint64_t i = 0; i < options.clocks; i++) clock();
        const double seconds = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - begin;
        const uint64_t after = sum(self_test::WORDS), waiting = sum(self_test::PENDING);
        write(self_test::CONTROL, STOP);
        for (const uint64_t limit = clocks + options.drain; clocks < limit;)
            if (sum(self_test::EXPECTED) == sum(self_test::DELIVERED)) break;
            else for (int i = 0; i < 200; i++) clock();
        for (int i = 0; i < 4; i++) clock();
        Json line;
        line.add("clocks", options.clocks).add("all_clocks", clocks).add("seconds", seconds, 6);
        line.add("words_injected", after - before).add("waiting", waiting);
        for (const auto &[name, address] : COUNTERS) {
            const bool signature = name.find("signature") != std::string::npos;
            line.add(name, signature ? sum(address) & ones(32) : sum(address));
        }
        line.print();
    }
};

// Arguments: the members of Options. Status: 0, 2 an unknown argument or a trace that cannot be written.
int main(int argc, char **argv)
{
    Options options;
    Arguments arguments;
    arguments.add("clocks", options.clocks).add("warm", options.warm).add("drain", options.drain);
    arguments.add("seed", options.seed).add("load", options.load).add("mix", options.mix);
    arguments.add("multicast", options.multicast).add("listed", options.listed).add("length", options.length);
    arguments.add("limit", options.limit).add("stall", options.stall).add("trace", options.trace);
    if (!arguments.take(argc, argv)) return 2;
    Traffic *traffic = new Traffic(options);
    if (!options.trace.empty() && !(traffic->file = fopen(options.trace.c_str(), "wb")))
        return perror(options.trace.c_str()), 2;
    traffic->run();
    if (traffic->file) fclose(traffic->file);
    return 0;
}
