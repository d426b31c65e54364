// Main file of the network that Verilator translated; ports.h gives NODES and the ports that are traced.

#include "Vtop.h"
#include "verilated.h"
#include "traffic.h"
#include "ports.h"

double sc_time_stamp() { return 0; }

template <class T> static uint64_t bits(const T &port, unsigned low, unsigned width)
{
    const uint64_t mask = width < 64 ? ((uint64_t)1 << width) - 1 : ~(uint64_t)0;
    if constexpr (sizeof(T) <= 8 && std::is_integral<T>::value) {
        return (uint64_t)port >> low & mask;
    } else {
        uint64_t value = 0;
        for (unsigned bit = 0; bit < width; bit++)
            value |= (uint64_t)(port[(low + bit) / 32] >> (low + bit) % 32 & 1) << bit;
        return value;
    }
}

template <class T> static void set(T &port, unsigned width, uint32_t value)
{
    for (unsigned node = 0; node < NODES; node++)
        for (unsigned bit = 0; bit < width; bit++) {
            const unsigned place = node * width + bit, on = value >> bit & 1;
            if constexpr (std::is_integral<T>::value) {
                port = (T)((port & ~((T)1 << place)) | (T)on << place);
            } else {
                port[place / 32] = (port[place / 32] & ~(1u << place % 32)) | on << place % 32;
            }
        }
}

struct Model {
    Vtop top;
    bool start_now = false, test_new = true, write_now = false;
    unsigned control_now = 0, control_set = 1, address_now = 0;
    uint32_t data_now = 0;

    Model()
    {
        top.rst = 1;
        for (int i = 0; i < 3; i++) clock();
        top.rst = 0;
        // In the first clock out of reset nothing is driven.
        clock();
    }

    void start(bool value) { start_now = value; }
    void control(unsigned address) { control_now = address; }

    void test(unsigned address, bool write, uint32_t data)
    {
        address_now = address, write_now = write, data_now = data, test_new = true;
    }

    // The edge that ends the last clock; then the inputs of this one.
    void clock()
    {
        top.clk = 1;
        top.eval();
        top.clk = 0;
        top.start = start_now;
        if (control_set != control_now) set(top.control_address, 7, control_set = control_now);
        if (test_new) {
            set(top.test_address, 6, address_now);
            set(top.test_write, 1, write_now);
            set(top.test_write_data, 32, data_now);
            test_new = false;
        }
        top.eval();
    }

    uint32_t read(unsigned node) { return bits(top.test_read_data, 32 * node, 32); }

    void trace(Hash &hash)
    {
#define ADD(port, width)                                                                                              \
    for (unsigned node = 0; node < NODES; node++)                                                                     \
        for (unsigned low = 0; low < width; low += 64)                                                                \
            hash.add(bits(top.port, node * width + low, width - low < 64 ? width - low : 64));
        TRACED(ADD)
    }
};

int main(int argc, char **argv) { return traffic<Model>(NODES, argc, argv); }
