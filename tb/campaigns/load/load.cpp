// Load: runs a load network, one point after the other, and prints what its counters say, a line of JSON per point.
//
// limits.h gives the dimension; the ports are those of load_network.

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string>
#include "Vtop.h"
#include "chance.h"
#include "limits.h"
#include "verilated.h"

double sc_time_stamp() { return 0; }

static const unsigned NODES = 1u << DIM, MESSAGES_OUT = 0x30, WORDS_OUT = 0x40, WAITED = 0x50;

struct Options {
    uint64_t warm = 4000, clocks = 16000, drain = 400000;
    unsigned seed = 1, rate = 100, burst = 1, packets = 1, words = 15;
};

struct Sums {
    uint64_t generated = 0, lost = 0, collisions = 0, accepted = 0, first_count = 0, first_sum = 0;
    uint64_t message_count = 0, message_sum = 0, message_max = 0, link_words = 0, link_packets = 0, waited = 0;
};

struct Load {
    Options options;
    Vtop top;
    uint64_t clocks = 0;

    void settle() { top.clk = 0, top.eval(); }
    void edge() { top.clk = 1, top.eval(), clocks++; }
    void clock() { settle(), edge(); }

    // Counters of all nodes; those of the routers take a clock for each link, the same at both ends of the window.
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
            top.control_address = (kind == 0 ? WORDS_OUT : kind == 1 ? MESSAGES_OUT : WAITED) + j;
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
            // One clock to begin a burst, and one for each message; a node that draws itself has no pair.
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
        printf("{\"pairs\": %" PRIu64 ", \"collisions\": %" PRIu64 "}\n", pairs, collisions);
        fflush(stdout);
    }

    void begin()
    {
        top.enable = top.measure = top.choose = top.control_address = 0;
        top.seed = options.seed, top.rate = options.rate, top.burst = options.burst;
        top.packets = options.packets, top.words = options.words;
        top.rst = 1;
        for (int i = 0; i < 3; i++) clock();
        top.rst = 0;
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
        const struct {
            const char *name;
            uint64_t value;
        } figures[] = {
            {"clocks", options.clocks},
            {"generated", last.generated - first.generated},
            {"lost", last.lost - first.lost},
            {"collisions", last.collisions - first.collisions},
            {"accepted_words", end.accepted},
            {"link_words", last.link_words - first.link_words},
            {"link_packets", last.link_packets - first.link_packets},
            {"busiest_link_words", busiest},
            {"waited", last.waited - first.waited},
            {"first_count", end.first_count},
            {"first_sum", end.first_sum},
            {"message_count", end.message_count},
            {"message_sum", end.message_sum},
            {"message_max", end.message_max},
            {"drain_clocks", clocks - stopped},
        };
        printf("{\"drained\": %s", still == 2 ? "true" : "false");
        for (const auto &figure : figures) printf(", \"%s\": %" PRIu64, figure.name, figure.value);
        printf("}\n");
        fflush(stdout);
    }
};

// Arguments: name=value, the names being the members of Options; each rate= runs a point, pairs= a number of pairs.
int main(int argc, char **argv)
{
    Load *load = new Load;
    Options &options = load->options;
    for (int i = 1; i < argc; i++) {
        const std::string argument = argv[i], name = argument.substr(0, argument.find('='));
        const char *text = name.size() < argument.size() ? argv[i] + name.size() + 1 : "";
        const uint64_t value = strtoull(text, nullptr, 0);
        if (name == "warm") options.warm = value;
        else if (name == "clocks") options.clocks = value;
        else if (name == "drain") options.drain = value;
        else if (name == "seed") options.seed = value;
        else if (name == "burst") options.burst = value;
        else if (name == "packets") options.packets = value;
        else if (name == "words") options.words = value;
        else if (name == "rate") options.rate = value, load->run();
        else if (name == "pairs") load->pairs(value);
        else return fprintf(stderr, "there is no argument %s\n", argv[i]), 2;
    }
    return 0;
}
