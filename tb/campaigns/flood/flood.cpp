// Flood: every node sends messages and broadcasts as fast as they are taken, and a scoreboard keeps the books.

#include <deque>
#include "driver.h"
#include "design.h"

static const unsigned NODES = 1u << DIM, ALL_SLOTS = (1u << DIM) - 1;
static const unsigned MOOD = 300;  // cycles between changes of the receivers' moods, on average
static const unsigned QUIET = 200; // cycles in which nothing comes any more, at the end

struct Options {
    uint64_t clocks = 50000, seed = 1, patience = 10000;
    unsigned most = 5;  // packets of a message
    double broadcast = 0.05;
    bool stalls = true, fixed = false;
};

// Words as injected: destination, data. As delivered: destination, source word, data.
struct Packet {
    std::vector<uint64_t> words;
    uint64_t begun = 0;
};

struct Node {
    std::deque<Packet> queue[DIM];
    std::deque<Packet> broadcasts;
    Packet sending;
    unsigned slots = 0;  // of the packet being sent, 0: none
    unsigned open = 0;   // slots that were ready in the last cycle, but for those that its packet was for
    size_t word = 0;
    uint64_t ready = 1;
    double mood = 1;
    std::vector<uint64_t> coming;
    std::deque<Packet> owed[NODES][DIM][2];  // by source, slot, broadcast
};

struct Flood {
    Options options;
    Random random;
    Simulation network;
    Movement movement;
    Node nodes[NODES];
    uint64_t clocks = 0, injected = 0, delivered = 0, words = 0, outstanding = 0;
    uint64_t messages = 0, broadcasts = 0, contrary = 0, longest = 0;
    double latencies = 0;

    explicit Flood(const Options &given) : options(given), random(given.seed) {}

    Packet packet(uint64_t destination)
    {
        Packet made;
        made.words.push_back(destination);
        const unsigned data = random.chance(0.5) ? MAX_WORDS - 1 : random.range(0, MAX_WORDS - 1);
        for (unsigned i = 0; i < data; i++) made.words.push_back(random.next() & ones(WIDTH));
        made.begun = clocks;
        return made;
    }

    unsigned choose(const Node &node, unsigned relative)
    {
        const unsigned fixed = __builtin_ctz(relative);
        unsigned best = fixed;
        if (!FIXED && !options.fixed)
            for (unsigned j = 0; j < DIM; j++)
                if (relative >> j & 1 && node.queue[j].size() < node.queue[best].size()) best = j;
        contrary += best != fixed;
        return best;
    }

    // Keep more waiting than the network takes.
    void fill(unsigned address)
    {
        Node &node = nodes[address];
        size_t waiting = node.broadcasts.size();
        for (const auto &queue : node.queue) waiting += queue.size();
        while (waiting < 4 * DIM) {
            const unsigned count = random.range(1, options.most);
            const bool all = random.chance(options.broadcast);
            const unsigned relative = random.range(1, NODES - 1);
            const unsigned slot = all ? 0 : choose(node, relative);
            for (unsigned i = 0; i < count; i++)
                (all ? node.broadcasts : node.queue[slot]).push_back(packet(all ? address : address ^ relative));
            waiting += count, messages += !all, broadcasts += all;
        }
    }

    // A node that got a copy over dimension i got it from the slot of the lowest dimension on its way.
    void owe(unsigned address, const Packet &sent, unsigned slots)
    {
        const bool all = sent.words[0] == address;
        for (unsigned relative = 1; relative < NODES; relative++) {
            if (!all && (address ^ relative) != sent.words[0]) continue;
            const unsigned slot = all ? __builtin_ctz(relative) : __builtin_ctz(slots);
            Packet owed = sent;
            owed.words.insert(owed.words.begin() + 1, (uint64_t)slot << (WIDTH - 4) | address);
            nodes[address ^ relative].owed[address][slot][all].push_back(owed);
            outstanding++;
        }
    }

    void begin(Node &node)
    {
        if (!node.broadcasts.empty() && random.chance(0.5)) {
            node.slots = ALL_SLOTS, node.sending = node.broadcasts.front(), node.broadcasts.pop_front();
        } else {
            const unsigned first = random.below(DIM);
            for (unsigned i = 0; i < DIM && !node.slots; i++) {
                const unsigned j = (first + i) % DIM;
                if (node.open >> j & 1 && !node.queue[j].empty())
                    node.slots = 1u << j, node.sending = node.queue[j].front(), node.queue[j].pop_front();
            }
        }
        node.word = 0;
    }

    void check(unsigned address, uint64_t data, bool last, bool error)
    {
        Node &node = nodes[address];
        node.coming.push_back(data);
        words++;
        if (!last) return;
        if (error) fail("wrong", "node %u: a packet ended early", address);
        if (node.coming.size() < 2) fail("wrong", "node %u: a packet of one word", address);
        const uint64_t source = node.coming[1] & (NODES - 1), slot = node.coming[1] >> (WIDTH - 4);
        const bool all = node.coming[0] == source;
        if (slot >= DIM) fail("wrong", "node %u: a packet from slot %" PRIu64, address, slot);
        auto &owed = node.owed[source][slot][all];
        if (owed.empty()) fail("wrong", "node %u: a packet from %" PRIu64 " that is not owed", address, source);
        if (owed.front().words != node.coming)
            fail("wrong", "node %u: not the next packet of slot %" PRIu64 " of node %" PRIu64, address, slot, source);
        const uint64_t latency = clocks - owed.front().begun;
        latencies += latency, longest = latency > longest ? latency : longest;
        owed.pop_front(), outstanding--, delivered++;
        node.coming.clear();
    }

    void clock(bool sending)
    {
        for (unsigned address = 0; address < NODES; address++) {
            Node &node = nodes[address];
            if (sending) fill(address);
            if (!node.slots) begin(node);
            network.set(ports::inject_valid, address, node.slots != 0);
            network.set(ports::inject_slots, address, node.slots);
            network.set(ports::inject_data, address, node.slots ? node.sending.words[node.word] : 0);
            network.set(ports::inject_last, address, node.slots && node.word + 1 == node.sending.words.size());
            if (options.stalls && random.chance(1.0 / MOOD)) node.mood = random.chance(0.3) ? 0.1 : 1;
            node.ready = random.chance(node.mood);
            network.set(ports::eject_ready, address, node.ready);
        }
        network.settle();
        for (unsigned address = 0; address < NODES; address++) {
            Node &node = nodes[address];
            if (network.item(ports::report_valid, address))
                fail("wrong", "node %u: report with reason %u", address,
                     (unsigned)network.item(ports::report_reason, address));
            node.open = network.item(ports::inject_ready, address);
            if (node.slots && !(node.slots & ~node.open)) {
                movement.last = clocks;
                if (++node.word == node.sending.words.size())
                    owe(address, node.sending, node.slots), node.open &= ~node.slots, node.slots = 0, injected++;
            }
            if (node.ready && network.item(ports::eject_valid, address)) {
                movement.last = clocks;
                check(address, network.item(ports::eject_data, address), network.item(ports::eject_last, address),
                      network.item(ports::eject_error, address));
            }
        }
        network.edge();
        clocks++;
        if (movement.ended(clocks, options.patience))
            fail("standstill", "no word has moved for %" PRIu64 " cycles, %" PRIu64 " packets are owed",
                 options.patience, outstanding);
    }

    bool busy() const
    {
        for (const auto &node : nodes) {
            if (node.slots || !node.broadcasts.empty()) return true;
            for (const auto &queue : node.queue)
                if (!queue.empty()) return true;
        }
        return outstanding;
    }

    void run()
    {
        while (clocks < options.clocks) clock(true);
        while (busy()) clock(false);
        for (unsigned i = 0; i < QUIET; i++) clock(false);
    }
};

// Arguments: the members of Options. Status: 0 drained, 1 not, 2 an unknown argument.
int main(int argc, char **argv)
{
    Options options;
    Arguments arguments;
    arguments.add("cycles", options.clocks).add("seed", options.seed).add("patience", options.patience);
    arguments.add("most", options.most).add("broadcast", options.broadcast);
    arguments.add("stalls", options.stalls).add("fixed", options.fixed);
    if (!arguments.take(argc, argv)) return 2;
    Flood *flood = new Flood(options);
    const double begun = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    const Failure failure = outcome_of(*flood);
    Json line;
    line.add("outcome", failure.outcome).add("text", failure.text).add("clocks", flood->clocks);
    line.add("messages", flood->messages).add("broadcasts", flood->broadcasts).add("contrary", flood->contrary);
    line.add("packets", flood->injected).add("deliveries", flood->delivered).add("words", flood->words);
    line.add("mean_latency", flood->delivered ? flood->latencies / flood->delivered : 0, 1);
    line.add("largest_latency", flood->longest).add("seconds", seconds_of(CLOCK_PROCESS_CPUTIME_ID) - begun, 1);
    line.print();
    return failure.outcome != "drained";
}
