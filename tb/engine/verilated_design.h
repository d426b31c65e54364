// The network that Verilator translated, as a Simulation: every port of it is a packed vector over all nodes.

#pragma once
#include "Vtop.h"
#include "driver.h"
#include "verilated.h"

double sc_time_stamp() { return 0; }

// A port, and its bits per node; a type of its own, so that widths are constants where items are taken.
#define PORT(NAME, BITS)                                                                                              \
    constexpr struct NAME##_port {                                                                                    \
        static constexpr unsigned bits = BITS;                                                                        \
        static auto &of(Vtop &top) { return top.NAME; }                                                               \
    } NAME{};

// A port that is no vector, but one input of all nodes.
#define SHARED(NAME) PORT(NAME, 0)

// Clock and reset of a translated design; the inputs are members of top.
struct Translated {
    Vtop top;

    void settle() { top.clk = 0, top.eval(); }
    void edge() { top.clk = 1, top.eval(); }

    void reset()
    {
        top.rst = 1;
        for (int i = 0; i < 3; i++) settle(), edge();
        top.rst = 0;
    }
};

// Bits of item `node` of a packed port of `bits` per node, at most 64 from bit `low` on; the lowest bit comes first.
template <class T> uint64_t packed(const T &port, unsigned bits, unsigned node, unsigned low, unsigned width)
{
    unsigned __int128 window = 0;
    const size_t bit = (size_t)node * bits + low, byte = bit / 8, rest = sizeof port - byte;
    memcpy(&window, (const char *)&port + byte, rest < 16 ? rest : 16);
    return (uint64_t)(window >> bit % 8) & ones(width);
}

struct Simulation : Translated {
    Simulation() { reset(); }

    template <class Port> void set(Port, unsigned node, uint64_t value)
    {
        auto &port = Port::of(top);
        unsigned __int128 window = 0;
        const size_t bit = (size_t)node * Port::bits, byte = bit / 8, rest = sizeof port - byte;
        const size_t size = rest < 16 ? rest : 16;
        const unsigned __int128 mask = (unsigned __int128)ones(Port::bits) << bit % 8;
        memcpy(&window, (const char *)&port + byte, size);
        window = (window & ~mask) | (unsigned __int128)value << bit % 8;
        memcpy((char *)&port + byte, &window, size);
    }

    template <class Port> void drive(Port port, uint64_t value)
    {
        if constexpr (!Port::bits) Port::of(top) = value;
        else for (unsigned node = 0; node < 1u << DIM; node++) set(port, node, value);
    }

    template <class Port> void assign(Port, uint64_t nodes) { Port::of(top) = nodes; }

    template <class Port> uint64_t item(Port, unsigned node)
    {
        return packed(Port::of(top), Port::bits, node, 0, Port::bits);
    }

    template <class Port> uint64_t all(Port) { return Port::of(top); }

    template <class Port> void trace(Digest &digest, Port)
    {
        for (unsigned node = 0; node < 1u << DIM; node++)
            for (unsigned low = 0; low < Port::bits; low += 64)
                digest.add(packed(Port::of(top), Port::bits, node, low, std::min(Port::bits - low, 64u)));
    }

    void trace(Digest &digest);
};
