// The network inside a simulation that was built for a testbench, as a Simulation: this is loaded in its place, and
// reaches the ports through VPI. The program's main runs beside the simulator; each evaluation is a turn of the latter.

#pragma once
#include <ucontext.h>
#include <unistd.h>
#include "driver.h"
#include "vpi_user.h"

// The simulator and the program, of which one stands while the other one goes.
struct Turns {
    ucontext_t simulator, program;
    std::vector<char> stack = std::vector<char>(1 << 22);

    static Turns &of()
    {
        static Turns turns;
        return turns;
    }

    // Once more after the next evaluation.
    static int call(p_cb_data)
    {
        Turns &turns = of();
        swapcontext(&turns.simulator, &turns.program);
        turns.wait();
        return 0;
    }

    void wait()
    {
        s_vpi_time step = {};
        step.type = vpiSimTime, step.low = 1;
        s_cb_data asked = {};
        asked.reason = cbAfterDelay, asked.cb_rtn = call, asked.time = &step;
        vpi_register_cb(&asked);
    }

    // Let the simulator evaluate the design.
    void evaluate() { swapcontext(&program, &simulator); }
};

// A port of the design, as words of 32 bits.
struct Wire {
    vpiHandle handle;
    std::vector<uint32_t> words;
    unsigned bits;
    bool changed = false, seen = false;

    explicit Wire(const char *name) : handle(vpi_handle_by_name((PLI_BYTE8 *)(std::string("top.") + name).c_str(), nullptr))
    {
        if (!handle) fprintf(stderr, "there is no port %s\n", name), _exit(2);
        bits = vpi_get(vpiSize, handle), words.resize(bits / 32 + 3);
        all().push_back(this);
    }

    static std::vector<Wire *> &all()
    {
        static std::vector<Wire *> wires;
        return wires;
    }

    size_t count() const { return words.size() - 2; }

    uint64_t get(unsigned bit, unsigned width)
    {
        if (!seen) {
            s_vpi_value value = {};
            value.format = vpiVectorVal;
            vpi_get_value(handle, &value);
            for (size_t i = 0; 32 * i < bits; i++) words[i] = value.value.vector[i].aval;
            seen = true;
        }
        return window(bit) >> bit % 32 & ones(width);
    }

    void put(unsigned bit, unsigned width, uint64_t given)
    {
        const unsigned __int128 mask = (unsigned __int128)ones(width) << bit % 32;
        const unsigned __int128 old = window(bit), next = (old & ~mask) | (((unsigned __int128)given << bit % 32) & mask);
        if (old == next) return;
        for (unsigned i = 0; i < 3; i++) words[bit / 32 + i] = (uint32_t)(next >> 32 * i);
        changed = true;
    }

    // Hand on what has changed.
    void write()
    {
        if (!changed) return;
        std::vector<s_vpi_vecval> vector(count());
        for (size_t i = 0; i < vector.size(); i++) vector[i] = {words[i], 0};
        s_vpi_value value = {};
        value.format = vpiVectorVal, value.value.vector = vector.data();
        vpi_put_value(handle, &value, nullptr, vpiNoDelay);
        changed = false;
    }

private:
    unsigned __int128 window(unsigned bit) const
    {
        const size_t i = bit / 32;
        return words[i] | (unsigned __int128)words[i + 1] << 32 | (unsigned __int128)words[i + 2] << 64;
    }
};

// A port, and its bits per node.
#define PORT(NAME, BITS)                                                                                              \
    constexpr struct NAME##_port {                                                                                    \
        static constexpr unsigned bits = BITS;                                                                        \
        static Wire &wire()                                                                                           \
        {                                                                                                             \
            static Wire found(#NAME);                                                                                 \
            return found;                                                                                             \
        }                                                                                                             \
    } NAME{};

// A port that is no vector, but one input of all nodes.
#define SHARED(NAME) PORT(NAME, 0)

struct Simulation {
    Wire clk{"clk"}, rst{"rst"};

    Simulation()
    {
        rst.put(0, 1, 1);
        for (int i = 0; i < 3; i++) settle(), edge();
        rst.put(0, 1, 0);
    }

    void settle() { turn(0); }
    void edge() { turn(1); }

    template <class Port> void set(Port, unsigned node, uint64_t value)
    {
        Port::wire().put(node * Port::bits, Port::bits, value);
    }

    template <class Port> void drive(Port port, uint64_t value)
    {
        if constexpr (!Port::bits) Port::wire().put(0, 64, value);
        else for (unsigned node = 0; node < 1u << DIM; node++) set(port, node, value);
    }

    template <class Port> void assign(Port, uint64_t nodes) { Port::wire().put(0, 1u << DIM, nodes); }

    template <class Port> uint64_t item(Port, unsigned node) { return Port::wire().get(node * Port::bits, Port::bits); }

    template <class Port> uint64_t all(Port) { return Port::wire().get(0, 1u << DIM); }

private:
    void turn(uint64_t level)
    {
        clk.put(0, 1, level);
        for (Wire *wire : Wire::all()) wire->write();
        Turns::of().evaluate();
        for (Wire *wire : Wire::all()) wire->seen = false;
    }
};

// The program's main has another name here: the simulation has a main of its own.
int program(int argc, char **argv);
#define main program

static void begin()
{
    s_vpi_vlog_info told = {};
    vpi_get_vlog_info(&told);
    const int status = program(told.argc, told.argv);
    fflush(stdout);
    _exit(status);
}

extern "C" void vlog_startup_routines_bootstrap()
{
    Turns &turns = Turns::of();
    getcontext(&turns.program);
    turns.program.uc_stack.ss_sp = turns.stack.data(), turns.program.uc_stack.ss_size = turns.stack.size();
    makecontext(&turns.program, begin, 0);
    turns.wait();
}
