// The network that Verilator translated, as the campaign's Model. Every port is a packed vector over all nodes.

#include "Vtop.h"
#include "packed.h"
#include "verilated.h"

double sc_time_stamp() { return 0; }

struct Model {
    Vtop top;

    Model()
    {
        top.rst = 1;
        for (int i = 0; i < 3; i++) settle(), edge();
        top.rst = 0;
        settle();
        edge();
    }

    void inject(unsigned node, bool valid, uint64_t data, bool last, bool error)
    {
        set<1>(top.inject_valid, node, valid);
        set<WIDTH>(top.inject_data, node, data);
        set<1>(top.inject_last, node, last);
        set<1>(top.inject_error, node, error);
    }

    void eject_ready(uint64_t nodes) { top.eject_ready = nodes; }

    void control(unsigned node, unsigned address, bool write, uint32_t data)
    {
        set<7>(top.control_address, node, address);
        set<1>(top.control_write, node, write);
        set<32>(top.control_write_data, node, data);
    }

    void settle()
    {
        top.clk = 0;
        top.eval();
    }

    void edge()
    {
        top.clk = 1;
        top.eval();
    }

    // Read between settle() and edge().
    uint64_t inject_ready() const { return top.inject_ready; }
    uint64_t eject_valid() const { return top.eject_valid; }
    uint64_t eject_last() const { return top.eject_last; }
    uint64_t eject_error() const { return top.eject_error; }
    uint64_t report_valid() const { return top.report_valid; }
    uint64_t eject_data(unsigned node) const { return item<WIDTH>(top.eject_data, node); }
    uint64_t report_reason(unsigned node) const { return item<4>(top.report_reason, node); }
    uint64_t report_destination(unsigned node) const { return item<DIM>(top.report_destination, node); }
    uint64_t read_data(unsigned node) const { return item<32>(top.control_read_data, node); }
};
