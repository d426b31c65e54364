// The parallel simulation of the network, as the campaign's Model; network.h is what parallel.py wrote.

#ifdef __AVX512F__
#include <immintrin.h>
#endif
#include "network.h"

struct Model {
    Context c;

    Model()
    {
        memset((void *)&c, 0, sizeof c);
        for (unsigned node = 0; node < 1u << DIM; node++) set(IN_ADDRESS, node, node);
        setup(c);
        clock(c);
    }

    void set(Port port, unsigned node, uint64_t value)
    {
        for (unsigned bit = 0; bit < port.width; bit++) {
            Word &word = c.x.i[port.place + bit];
            word = (word & ~((Word)1 << node)) | (value >> bit & 1) << node;
        }
    }

    uint64_t all(Port port) const { return c.x.o[port.place] & ~(uint64_t)0 >> (64 - (1u << DIM)); }

    uint64_t item(Port port, unsigned node) const
    {
        uint64_t value = 0;
        for (unsigned bit = 0; bit < port.width; bit++) value |= (c.x.o[port.place + bit] >> node & 1) << bit;
        return value;
    }

    void inject(unsigned node, bool valid, uint64_t data, bool last, bool error)
    {
        set(IN_INJECT__VALID, node, valid);
        set(IN_INJECT__DATA, node, data);
        set(IN_INJECT__LAST, node, last);
        set(IN_INJECT__ERROR, node, error);
    }

    void eject_ready(uint64_t nodes) { c.x.i[IN_EJECT__READY.place] = nodes; }

    void control(unsigned node, unsigned address, bool write, uint32_t data)
    {
        set(IN_CONTROL__ADDRESS, node, address);
        set(IN_CONTROL__WRITE, node, write);
        set(IN_CONTROL__WRITE_DATA, node, data);
    }

    // One function computes a clock and takes the edge; the outputs stay.
    void settle() { clock(c); }
    void edge() {}

    uint64_t inject_ready() const { return all(OUT_INJECT__READY); }
    uint64_t eject_valid() const { return all(OUT_EJECT__VALID); }
    uint64_t eject_last() const { return all(OUT_EJECT__LAST); }
    uint64_t eject_error() const { return all(OUT_EJECT__ERROR); }
    uint64_t report_valid() const { return all(OUT_REPORT__VALID); }
    uint64_t eject_data(unsigned node) const { return item(OUT_EJECT__DATA, node); }
    uint64_t report_reason(unsigned node) const { return item(OUT_REPORT__REASON, node); }
    uint64_t report_destination(unsigned node) const { return item(OUT_REPORT__DESTINATION, node); }
    uint64_t read_data(unsigned node) const { return item(OUT_CONTROL__READ_DATA, node); }
};
