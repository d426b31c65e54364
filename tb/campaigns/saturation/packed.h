// Items of Verilator's packed ports.

#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

// Item `node` of a packed port; the ports lie in memory with the lowest bit first.
template <unsigned BITS, class T> static uint64_t item(const T &port, unsigned node)
{
    unsigned __int128 window = 0;
    const size_t bit = (size_t)node * BITS, byte = bit / 8, rest = sizeof port - byte;
    memcpy(&window, (const char *)&port + byte, rest < 16 ? rest : 16);
    return (uint64_t)(window >> bit % 8) & ~(uint64_t)0 >> (64 - BITS);
}

template <unsigned BITS, class T> static void set(T &port, unsigned node, uint64_t value)
{
    unsigned __int128 window = 0;
    const size_t bit = (size_t)node * BITS, byte = bit / 8, rest = sizeof port - byte, size = rest < 16 ? rest : 16;
    const unsigned __int128 mask = (unsigned __int128)(~(uint64_t)0 >> (64 - BITS)) << bit % 8;
    memcpy(&window, (const char *)&port + byte, size);
    window = (window & ~mask) | (unsigned __int128)value << bit % 8;
    memcpy((char *)&port + byte, &window, size);
}
