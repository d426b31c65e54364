"""Adapter registers: the policy, random bits, and the list of faulty links and nodes."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.adapter.contract.registers import (
    ADDRESS_BITS,
    SEED_BITS,
    SEED_STRIDE,
    SEED_TAPS,
    Register,
    register_map,
)
from cubecast.golden.adapter.contract.word import only_policy
from cubecast.rtl.adapter.stream import POLICY_BITS, faults
from cubecast.rtl.common.register_port import RegisterPort, packed, read

__all__ = ["AdapterRegisters"]


class AdapterRegisters(wiring.Component):
    """Hold what the node tells its adapter; a write counts from the next cycle on.

    ``control__read_data`` is a register: what the address selects in cycle t is there in cycle t + 1.

    Parameters
    ----------
    config : AdapterConfig
        Gives the dimension, the number of entries, and which policies there are.

    Ports
    -----
    address : in, n
        Strap: the node's address.
    control__address, control__write, control__write_data, control__read_data : 5, 1, 32, 32
        Access by the node.
    policy, draw : out, 2 and n
        Policy, and random bits of this cycle, 0 with e-cube alone.
    fault__i__valid, fault__i__link, fault__i__node, fault__i__dimension : out, 1, 1, n, 4
        The list; registers.
    """

    def __init__(self, config: AdapterConfig):
        self.config = config
        super().__init__(
            {
                "address": In(config.dim),
                "control": In(RegisterPort(ADDRESS_BITS)),
                "policy": Out(POLICY_BITS),
                "draw": Out(config.dim),
                **faults(config),
            }
        )

    def elaborate(self, platform):
        """Build the registers and the read multiplexer."""
        m = Module()
        entries = {entry.name: entry for entry in register_map(self.config)}
        registers = {}
        if "POLICY" in entries:
            with self._written(m, Register.POLICY):
                m.d.sync += self.policy.eq(self.control.write_data)
            registers[Register.POLICY] = packed(entries["POLICY"], policy=self.policy)
        else:
            m.d.comb += self.policy.eq(only_policy(self.config))
        if "SEED" in entries:
            registers[Register.SEED] = packed(entries["SEED"], state=self._random(m))
        if "FAULT" in entries:
            places = {field.name.lower(): field for field in entries["FAULT"].fields}
            for i, fault in enumerate(self.fault):
                values = {name: getattr(fault, name) for name in places}
                with self._written(m, Register.FAULT + i):
                    for name, place in places.items():
                        m.d.sync += values[name].eq(self.control.write_data[place.low :])
                registers[Register.FAULT + i] = packed(entries["FAULT"], **values)
        read(m, self.control, registers)
        return m

    def _written(self, m, address):
        """Return the context in which a register is written."""
        return m.If(self.control.write & (self.control.address == address))

    def _random(self, m):
        """Build the shift register that random bits come from."""
        state = Signal(SEED_BITS, init=1)
        given = self.control.write_data[:SEED_BITS]
        top = Cat(state[tap] for tap in SEED_TAPS).xor()
        m.d.sync += state.eq(Cat(state[1:], top))
        with self._written(m, Register.SEED):
            m.d.sync += state.eq(Mux(given.any(), given, 1))
        m.d.comb += self.draw.eq(Cat(state[SEED_STRIDE * k % SEED_BITS] for k in range(self.config.dim)) ^ self.address)
        return state
