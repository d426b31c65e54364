// Curves: runs a load network once, from reset until all has come, and writes what happens as records; see records.py.

#include "driver.h"
#include "design.h"
#include "facts.h"
#include "members.h"

static const unsigned NODES = 1u << DIM;

struct Options {
    uint64_t cycles = 1000, limit = 100000;
    std::string settings, trace, out;
    Reductions reductions;
};

// A message of a trace, and the settings that it is drawn by, those of OWN.
struct Message {
    uint64_t cycle, node, drawn[sizeof OWN / sizeof *OWN];
};

struct Record {
    uint32_t cycle, what;
    uint64_t value;
};

struct Curves {
    const Options options;
    Simulation network;
    Members members;
    FILE *file = nullptr;
    uint64_t sent[NODES] = {}, came[NODES] = {}, moved = 0;
    std::vector<Message> trace;
    std::vector<const Message *> queues[NODES];
    size_t arrived = 0, next[NODES] = {};

    explicit Curves(const Options &given) : options(given), members(options.reductions) {}

    void record(uint64_t cycle, unsigned kind, unsigned node, uint64_t value)
    {
        const Record made = {(uint32_t)cycle, kind << 16 | node, value};
        fwrite(&made, sizeof made, 1, file);
    }

    template <class Action> static void each(uint64_t nodes, Action action)
    {
        for (; nodes; nodes &= nodes - 1) action((unsigned)__builtin_ctzll(nodes));
    }

    // What has happened in this cycle, in the order of the kinds.
    void observe(uint64_t cycle)
    {
        const uint64_t arrived = network.all(ports::arrived), taken = network.all(ports::sent_valid);
        const uint64_t coming = network.all(ports::came_valid), refused = network.all(ports::refused);
        each(arrived, [&](unsigned node) { record(cycle, ARRIVED, node, 0); });
        each(network.all(ports::sent_begins) | refused, [&](unsigned node) {
            const bool none = refused >> node & 1;
            const uint64_t kind = none ? NOBODY : network.item(ports::sent_whom, node);
            const uint64_t closes = none || network.item(ports::sent_closes, node);
            const uint64_t ways = network.item(ports::sent_r1, node) | network.item(ports::sent_r2, node) << 10;
            const uint64_t left = network.item(ports::sent_left, node), all = network.item(ports::sent_everyone, node);
            record(cycle, HEAD, node, ways | kind << 20 | closes << 22 | left << 55 | all << 63);
            if (kind == LIST) record(cycle, BLOCK, node, network.item(ports::sent_block, node));
        });
        each(network.all(ports::came_done), [&](unsigned node) {
            const uint64_t bad = network.item(ports::came_bad, node), words = network.item(ports::came_words, node);
            const uint64_t number = network.item(ports::came_number, node);
            record(cycle, CAME, node, network.item(ports::came_source, node) | number << 10 | words << 32 | bad << 40);
        });
        each(network.all(ports::report_valid), [&](unsigned node) {
            record(cycle, REPORT, node, network.item(ports::report_reason, node));
        });
        if (cycle % STEP == 0)
            for (unsigned node = 0; node < NODES; node++) record(cycle, WORDS, node, sent[node] | came[node] << 32);
        // Of the register that was asked for in the cycle before.
        const unsigned j = (unsigned)(cycle % STEP) - 1;
        if (j < DIM)
            for (unsigned node = 0; node < NODES; node++)
                record(cycle, LINK, node | j << 10, network.item(ports::control_read_data, node));
        each(taken, [&](unsigned node) { sent[node]++; });
        each(coming, [&](unsigned node) { came[node]++; });
        const auto over = [&](unsigned node, uint64_t value) { record(cycle, JOINED, node, value); };
        const bool reduces = members.observe(network, over);
        if (arrived | taken | coming || reduces) moved = cycle;
    }

    bool over(uint64_t cycle)
    {
        const bool idle = network.all(ports::idle) == ones(NODES) && !members.waiting();
        return cycle >= options.limit || (cycle >= options.cycles && idle && cycle - moved > PATIENCE);
    }

    // Messages of the trace arrive in the cycle after theirs.
    uint64_t arrivals(uint64_t cycle)
    {
        uint64_t nodes = 0;
        for (; arrived < trace.size() && trace[arrived].cycle < cycle; arrived++) nodes |= 1ull << trace[arrived].node;
        return nodes;
    }

    // What a node draws next is its next message.
    void offer(unsigned node)
    {
        if (next[node] >= queues[node].size()) return;
        const Message &message = *queues[node][next[node]++];
        for (unsigned i = 0; i < sizeof OWN / sizeof *OWN; i++) adjust(network, OWN[i], node, message.drawn[i]);
    }

    void run(const std::vector<uint64_t> &settings)
    {
        for (const Message &message : trace) queues[message.node].push_back(&message);
        for (unsigned which = 0; which < SETTINGS; which++)
            for (unsigned node = 0; node < NODES; node++) adjust(network, which, node, settings[which * NODES + node]);
        for (unsigned node = 0; node < NODES; node++) {
            network.set(ports::control_write_data, node, settings[SETTINGS * NODES + node]);
            offer(node);
        }
        const double begin = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
        uint64_t cycle = 0;
        for (bool ended = false; !ended; cycle++) {
            network.drive(ports::load, cycle == 0 ? 1 : 0);
            const bool open = cycle > 0 && cycle < options.cycles;
            network.assign(ports::enable, !open ? 0 : trace.empty() ? ones(NODES) : arrivals(cycle));
            const unsigned j = cycle % STEP;
            network.drive(ports::control_write, cycle == 0);
            network.drive(ports::control_address, cycle > 0 && j < DIM ? router::WORDS_OUT + j : router::FAULT);
            members.drive(network, cycle);
            network.settle();
            observe(cycle);
            ended = over(cycle);
            const uint64_t draws = trace.empty() ? 0 : network.all(ports::draws);
            network.edge();
            each(draws, [&](unsigned node) { offer(node); });
        }
        const double seconds = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - begin;
        Json().add("cycles", cycle).add("seconds", seconds, 6).print();
    }
};

// Arguments: the members of Options; settings is a file of numbers, by setting and node, the routers' fault vectors
// being the last; trace, if it is given, one of messages, in the order of their cycles; tables, where nodes reduce, what
// is written into the registers of their join units, by register and node. Status: 0; 2 an unknown argument, or a file
// that cannot be read or written.
int main(int argc, char **argv)
{
    Options options;
    Reductions &reductions = options.reductions;
    Arguments arguments;
    arguments.add("cycles", options.cycles).add("limit", options.limit);
    arguments.add("settings", options.settings).add("trace", options.trace).add("out", options.out);
    arguments.add("words", reductions.words).add("period", reductions.period).add("late", reductions.late);
    arguments.add("count", reductions.count).add("tables", reductions.tables);
    if (!arguments.take(argc, argv)) return 2;
    Curves *curves = new Curves(options);
    std::vector<uint64_t> settings((SETTINGS + 1) * NODES);
    FILE *given = fopen(options.settings.c_str(), "rb");
    if (!given || fread(settings.data(), sizeof settings[0], settings.size(), given) != settings.size())
        return perror(options.settings.c_str()), 2;
    fclose(given);
    if (!options.trace.empty()) {
        if (!(given = fopen(options.trace.c_str(), "rb"))) return perror(options.trace.c_str()), 2;
        for (Message message; fread(&message, sizeof message, 1, given) == 1;) curves->trace.push_back(message);
        fclose(given);
    }
    if (!(curves->file = fopen(options.out.c_str(), "wb"))) return perror(options.out.c_str()), 2;
    curves->run(settings);
    return fclose(curves->file) ? perror(options.out.c_str()), 2 : 0;
}
