// Main file of the parallel simulation; network.h is what parallel.py wrote.

#ifdef __AVX512F__
#include <immintrin.h>
#endif
#include "traffic.h"
#include "network.h"

static const unsigned NODES = 1u << DIM;

struct Model {
    Context c;

    Model()
    {
        memset((void *)&c, 0, sizeof c);
        for (unsigned bit = 0; bit < DIM; bit++)
            for (unsigned node = 0; node < NODES; node++)
                c.x.i[IN_ADDRESS.place + bit] |= (Word)(node >> bit & 1) << node;
        setup(c);
        ::clock(c);
    }

    void drive(Port port, uint32_t value)
    {
        for (unsigned bit = 0; bit < port.width; bit++) c.x.i[port.place + bit] = value >> bit & 1 ? ~(Word)0 : 0;
    }

    void start(bool value) { drive(IN_START, value); }
    void control(unsigned address) { drive(IN_CONTROL__ADDRESS, address); }
    void clock() { ::clock(c); }

    void test(unsigned address, bool write, uint32_t data)
    {
        drive(IN_TEST__ADDRESS, address);
        drive(IN_TEST__WRITE, write);
        drive(IN_TEST__WRITE_DATA, data);
    }

    static Word item(const Word *bits, unsigned node, unsigned width)
    {
        Word value = 0;
        for (unsigned bit = 0; bit < width; bit++) value |= (bits[bit] >> node & 1) << bit;
        return value;
    }

    uint32_t read(unsigned node) { return item(c.x.o + OUT_TEST__READ_DATA.place, node, 32); }

    void trace(Hash &hash)
    {
        for (const Traced &t : TRACED) {
            const Word *bits = t.output ? c.x.o : c.x.i;
            for (unsigned node = 0; node < NODES; node++) {
                const unsigned place = node ^ t.flip;
                const bool shown = t.gate < 0 || bits[t.gate] >> place & 1;
                for (unsigned low = 0; low < t.width; low += 64) {
                    const unsigned width = t.width - low < 64 ? t.width - low : 64;
                    hash.add(shown ? item(bits + t.place + low, place, width) : 0);
                }
            }
        }
    }
};

int main(int argc, char **argv) { return traffic<Model>(NODES, argc, argv); }
