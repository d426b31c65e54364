// Members: what nodes that reduce drive in each cycle, and what comes; as members.py says. Without join units: nothing.

#pragma once

struct Reductions {
    uint64_t words = 1, period = 1, late = 0, count = 0;
    std::string tables;
};

#ifdef REDUCES
class Members {
    const Reductions &given;
    std::vector<uint64_t> tables;
    uint64_t sum = 0, offered[1u << DIM] = {}, came[1u << DIM] = {}, valid = 0;
    unsigned latest = 0;
    bool member[1u << DIM] = {}, bad[1u << DIM] = {};

    static uint64_t word(uint64_t place, uint64_t factor) { return (place + 1) * FACTOR * factor & ones(WIDTH); }

public:
    explicit Members(const Reductions &reductions) : given(reductions), tables(WRITTEN_COUNT << DIM)
    {
        FILE *file = fopen(given.tables.c_str(), "rb");
        if (!file || fread(tables.data(), sizeof tables[0], tables.size(), file) != tables.size())
            perror(given.tables.c_str()), exit(2);
        fclose(file);
        for (unsigned node = 0; node < 1u << DIM; node++)
            if ((member[node] = tables[(CTRL_PLACE << DIM) + node] & MEMBER_MASK)) sum += 2 * node + 1, latest = node;
    }

    bool waiting() const
    {
        for (unsigned node = 0; node < 1u << DIM; node++)
            if (member[node] && came[node] < given.count * given.words) return true;
        return false;
    }

    void drive(Simulation &network, uint64_t cycle)
    {
        const bool writes = cycle < WRITTEN_COUNT;
        network.drive(ports::reduction_write, writes);
        valid = 0;
        uint64_t last = 0;
        for (unsigned node = 0; node < 1u << DIM; node++) {
            if (writes) {
                network.set(ports::reduction_address, node, WRITTEN[cycle]);
                network.set(ports::reduction_write_data, node, tables[(cycle << DIM) + node]);
            }
            const uint64_t place = offered[node], number = place / given.words;
            const uint64_t late = number == 0 && node == latest ? given.late : 0;
            if (!member[node] || number >= given.count || cycle < BEGIN + number * given.period + late) continue;
            valid |= 1ull << node;
            last |= (uint64_t)(place % given.words == given.words - 1) << node;
            network.set(ports::own_data, node, word(place, 2 * node + 1));
        }
        network.assign(ports::own_valid, valid);
        network.assign(ports::own_last, last);
        network.drive(ports::result_ready, 1);
    }

    // Give what an all-reduce that is over at a node is recorded with to a function; return whether anything moved.
    template <class Record> bool observe(Simulation &network, Record record)
    {
        const uint64_t taken = valid & network.all(ports::own_ready), coming = network.all(ports::result_valid);
        const uint64_t lasts = network.all(ports::result_last), errors = network.all(ports::result_error);
        for (unsigned node = 0; node < 1u << DIM; node++) {
            offered[node] += taken >> node & 1;
            if (!(coming >> node & 1)) continue;
            const uint64_t place = came[node]++;
            const bool last = place % given.words == given.words - 1;
            bad[node] |= network.item(ports::result_data, node) != word(place, sum);
            bad[node] |= (lasts >> node & 1) != last || errors >> node & 1;
            if (!last) continue;
            record(node, place / given.words | (uint64_t)bad[node] << 32);
            bad[node] = false;
        }
        return taken | coming;
    }
};
#else
struct Members {
    explicit Members(const Reductions &) {}
    bool waiting() const { return false; }
    void drive(Simulation &, uint64_t) {}
    template <class Record> bool observe(Simulation &, Record) { return false; }
};
#endif
