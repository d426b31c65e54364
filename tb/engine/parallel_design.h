// The bit-parallel simulation of a network, as a Simulation; network.h is what parallel.py wrote.

#pragma once
#ifdef __AVX512F__
#include <immintrin.h>
#endif
#include "driver.h"

// Where a port of the nodes' circuit begins, and its width; whether it is an output.
struct Port {
    bool output;
    unsigned place, width;
};

// What is traced: a port of the neighbour in the dimension of `flip`, all 0 while the bit at `gate` is 0.
struct Traced {
    Port port;
    unsigned flip;
    int gate;
};

#include "network.h"

struct Simulation {
    Context c;

    Simulation()
    {
        memset((void *)&c, 0, sizeof c);
        for (unsigned node = 0; node < 1u << DIM; node++) set(ports::address, node, node);
        setup(c);
    }

    void set(Port port, unsigned node, uint64_t value)
    {
        for (unsigned bit = 0; bit < port.width; bit++) {
            Word &word = c.x.i[port.place + bit];
            word = (word & ~((Word)1 << node)) | (value >> bit & 1) << node;
        }
    }

    void drive(Port port, uint64_t value)
    {
        for (unsigned bit = 0; bit < port.width; bit++) c.x.i[port.place + bit] = value >> bit & 1 ? ~(Word)0 : 0;
    }

    void assign(Port port, uint64_t nodes) { c.x.i[port.place] = nodes; }

    // One function computes a cycle and takes the edge; the outputs stay.
    void settle() { cycle(c); }
    void edge() {}

    uint64_t all(Port port) const { return c.x.o[port.place] & ones(1u << DIM); }
    uint64_t item(Port port, unsigned node) const { return bits(c.x.o + port.place, node, port.width); }

    static Word bits(const Word *words, unsigned node, unsigned width)
    {
        Word value = 0;
        for (unsigned bit = 0; bit < width; bit++) value |= (words[bit] >> node & 1) << bit;
        return value;
    }

    void trace(Digest &digest)
    {
        for (const Traced &t : TRACED) {
            const Word *words = t.port.output ? c.x.o : c.x.i;
            for (unsigned node = 0; node < 1u << DIM; node++) {
                const unsigned place = node ^ t.flip;
                const bool shown = t.gate < 0 || words[t.gate] >> place & 1;
                for (unsigned low = 0; low < t.port.width; low += 64) {
                    const unsigned width = std::min(t.port.width - low, 64u);
                    digest.add(shown ? bits(words + t.port.place + low, place, width) : 0);
                }
            }
        }
    }
};
