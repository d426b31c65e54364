// Load: runs a load network, one point after the other, and prints what its counters say, a line of JSON per point.

#include "driver.h"
#include "design.h"
#include "registers.h"

static const unsigned NODES = 1u << DIM;

struct Options {
    uint64_t warm = 4000, clocks = 16000, drain = 400000;
    unsigned seed = 1, rate = 100, burst = 1, packets = 1, words = 15;
};

struct Sums {
    uint64_t generated = 0, lost = 0, collisions = 0, accepted = 0, first_count = 0, first_sum = 0;
    uint64_t message_count = 0, message_sum = 0, message_max = 0, link_words = 0, link_packets = 0, waited = 0;
};

struct Load : Translated {
    Options options;
    uint64_t clocks = 0;

    void clock() { settle(), edge(), clocks++; }

    // Counters of all nodes; those of the routers take a cycle for each link, the same at both ends of the window.
    Sums read(uint64_t (&links)[NODES][DIM])
    {
        Sums sums;
        for (unsigned node = 0; node < NODES; node++) {
            top.choose = node;
            settle();
            sums.generated += top.generated, sums.lost += top.lost, sums.collisions += top.collisions;
            sums.accepted += top.accepted;
            sums.first_count += top.first_count, sums.first_sum += top.first_sum;
            sums.message_count += top.message_count, sums.message_sum += top.message_sum;
            if (top.message_max > sums.message_max) sums.message_max = top.message_max;
        }
        for (unsigned counter = 0; counter < 3 * DIM; counter++) {
            const unsigned j = counter % DIM, kind = counter / DIM;
            const unsigned first = kind == 0 ? router::WORDS_OUT : kind == 1 ? router::MESSAGES_OUT : router::WAITED;
            top.control_address = first + j;
            clock();
            for (unsigned node = 0; node < NODES; node++) {
                top.choose = node;
                settle();
                const uint64_t value = top.control_read_data;
                if (kind == 0) links[node][j] = value;
                (kind == 0 ? sums.link_words : kind == 1 ? sums.link_packets : sums.waited) += value;
            }
        }
        return sums;
    }

    // All nodes generate two messages at once, which are sent before the next two.
    void pairs(uint64_t wanted)
    {
        Random random(options.seed);
        uint64_t pairs = 0, collisions = 0, generated[NODES] = {}, collided[NODES] = {};
        begin();
        top.rate = 65535, top.burst = 2;
        while (pairs < wanted) {
            top.seed = (uint32_t)random.next();
            clock();
            // One cycle to begin a burst, and one for each message; a node that draws itself has no pair.
            top.enable = 1;
            for (int i = 0; i < 3; i++) clock();
            top.enable = 0;
            settle();
            for (unsigned node = 0; node < NODES; node++) {
                top.choose = node;
                settle();
                if (top.generated - generated[node] == 2) pairs++, collisions += top.collisions - collided[node];
                generated[node] = top.generated, collided[node] = top.collisions;
            }
            for (unsigned i = 0; i < 100 || !top.idle; i++) clock();
        }
        Json().add("pairs", pairs).add("collisions", collisions).print();
    }

    void begin()
    {
        top.enable = top.measure = top.choose = top.control_address = 0;
        top.seed = options.seed, top.rate = options.rate, top.burst = options.burst;
        top.packets = options.packets, top.words = options.words;
        reset();
        clock();
        clock();
    }

    void run()
    {
        static uint64_t before[NODES][DIM], after[NODES][DIM];
        begin();
        top.enable = 1;
        for (uint64_t i = 0; i < options.warm; i++) clock();
        const uint64_t begun = clocks;
        top.measure = 1;
        const Sums first = read(before);
        while (clocks < begun + options.clocks) clock();
        top.measure = 0;
        const Sums last = read(after);
        uint64_t busiest = 0;
        for (unsigned node = 0; node < NODES; node++)
            for (unsigned j = 0; j < DIM; j++) {
                const uint64_t moved = after[node][j] - before[node][j];
                busiest = moved > busiest ? moved : busiest;
            }
        // Until every message generated while measuring has arrived.
        top.enable = 0;
        Sums end;
        uint64_t arrived = 0, still = 0;
        const uint64_t stopped = clocks;
        while (still < 2 && clocks < stopped + options.drain) {
            for (unsigned i = 0; i < 250; i++) clock();
            if (!top.idle) continue;
            end = read(after);
            const uint64_t now = end.link_words + end.message_count;
            still = now == arrived ? still + 1 : 0;
            arrived = now;
        }
        end = read(after);
        Json line;
        line.truth("drained", still == 2).add("clocks", options.clocks);
        line.add("generated", last.generated - first.generated).add("lost", last.lost - first.lost);
        line.add("collisions", last.collisions - first.collisions).add("accepted_words", end.accepted);
        line.add("link_words", last.link_words - first.link_words);
        line.add("link_packets", last.link_packets - first.link_packets).add("busiest_link_words", busiest);
        line.add("waited", last.waited - first.waited);
        line.add("first_count", end.first_count).add("first_sum", end.first_sum);
        line.add("message_count", end.message_count).add("message_sum", end.message_sum);
        line.add("message_max", end.message_max).add("drain_clocks", clocks - stopped);
        line.print();
    }
};

// Arguments: the members of Options; each rate= runs a point, pairs= a number of pairs. Status: 0, or 2 if there is no
// such argument.
int main(int argc, char **argv)
{
    Load *load = new Load;
    Options &options = load->options;
    Arguments arguments;
    arguments.add("warm", options.warm).add("cycles", options.clocks).add("drain", options.drain);
    arguments.add("seed", options.seed).add("burst", options.burst);
    arguments.add("packets", options.packets).add("words", options.words);
    arguments.add("rate", [load](const char *text) { load->options.rate = strtoull(text, nullptr, 0), load->run(); });
    arguments.add("pairs", [load](const char *text) { load->pairs(strtoull(text, nullptr, 0)); });
    return arguments.take(argc, argv) ? 0 : 2;
}
