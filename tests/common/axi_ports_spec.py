"""What AXI ports have to promise about the wires between them and the unit behind them, whatever that does."""

from amaranth.hdl import Assert, Cat, Cover, Module, Mux, Signal
from amaranth.lib import wiring

from cubecast.golden.common.contract.axi import lite_pins
from cubecast.rtl.common import axi_ports
from tests.harness.inside import emptying, freed, opened, unit

__all__ = ["AxiPortsSpec"]

ANSWER = ("bresp", "rdata", "rresp")
"""Payload of answers, which a network shows as 0 while their valid bit is 0."""


class AxiPortsSpec(wiring.Component):
    """Every bit of every AXI port is that of the node's stream, slave or register; all other ports are the unit's own.

    Unit and slaves are emptied.

    Parameters
    ----------
    dut : AxiPorts
        The unit with AXI ports.
    axi : Axi
        What they stand for.
    called : str
        What the unit inside is called.
    other : int
        XOR of the place of the node whose registers are expected at a slave with that of the slave's own; but for 0 it
        must be refuted.
    """

    def __init__(self, dut, axi, called, other=0):
        self.dut, self.axi, self.called, self.other = dut, axi, called, other
        super().__init__({})

    def elaborate(self, platform):
        """Compare each port with what it stands for."""
        m = Module()
        with emptying(axi_ports):
            m.submodules.dut = self.fragment = opened(self.dut)
        freed(m, self.dut)
        self.inside = unit(self.fragment, self.called)
        for v in range(self.axi.items):
            for stream in self.axi.streams:
                self._stream(m, stream, v)
            for slave in self.axi.slaves:
                self._slave(m, slave, v)
        self._others(m)
        seen = [self._outer(f"{each.prefix}_{name}", 0) for each in self.axi.slaves for name in ("rvalid", "awvalid")]
        m.d.comb += Cover(Cat(seen).all())
        return m

    def _outer(self, name, v):
        """Return what belongs to node v of an AXI port."""
        vector = getattr(self.dut, name)
        return vector.word_select(v, len(vector) // self.axi.items)

    def _inner(self, port, field, v):
        """Return a field of a stream or a register port of node v."""
        if not self.axi.nodes:
            return getattr(getattr(self.inside, port), field)
        vector = getattr(self.inside, f"{port}_{field}")
        return vector.word_select(v, len(vector) // self.axi.nodes)

    def _stream(self, m, stream, v):
        """Compare a stream of node v."""
        outer = {
            name: self._outer(f"{stream.prefix}_t{name}", v) for name in ("valid", "ready", "data", "last", "user")
        }
        fields = ("valid", "ready", "data", "last", *stream.user)
        inner = {name: self._inner(stream.port, name, v) for name in fields}
        if stream.into and stream.slots:
            self._held(m, outer, inner, f"{stream.port}_{v}")
            return
        if stream.into:
            parts = {name: outer["user"][part.low : part.low + part.bits] for name, part in stream.user.items()}
            given = {"valid": outer["valid"], "data": outer["data"][: stream.width], "last": outer["last"], **parts}
            m.d.comb += [Assert(inner[name] == value) for name, value in given.items()]
            m.d.comb += Assert(outer["ready"] == inner["ready"])
            return
        marks = [inner["error"] & inner["last"], *(inner[name] for name, _ in stream.beside)]
        offered = Signal(2 + len(inner["data"]) + stream.user_bits, name=f"offered_{stream.port}_{v}")
        m.d.comb += offered.eq(Cat(inner["valid"], inner["last"], *marks, inner["data"]))
        shown = Cat(outer["valid"], outer["last"], outer["user"], outer["data"])
        if stream.kept:
            kept = Signal(len(offered), name=f"kept_{stream.port}_{v}")
            taken = ~kept[0] | outer["ready"]
            with m.If(taken):
                m.d.sync += kept.eq(offered)
            m.d.comb += [Assert(shown == kept), Assert(inner["ready"] == taken)]
        else:
            m.d.comb += [Assert(shown == offered), Assert(inner["ready"] == outer["ready"])]
        if stream.ident:
            m.d.comb += Assert(self._outer(f"{stream.prefix}_tid", v) == self._inner(stream.port, stream.ident[0], v))

    def _held(self, m, outer, inner, name):
        """Compare a stream whose words wait for their slots."""
        word = Cat(inner["last"], inner["slots"], inner["data"])
        full, held = Signal(name=f"full_{name}"), Signal(len(word), name=f"held_{name}")
        slots = Mux(inner["slots"] == 0, 1, inner["slots"])
        ready = ~full | ((slots & inner["ready"]) == slots)
        with m.If(ready):
            m.d.sync += full.eq(outer["valid"])
            with m.If(outer["valid"]):
                m.d.sync += held.eq(Cat(outer["last"], outer["user"], outer["data"][: len(inner["data"])]))
        m.d.comb += [Assert(inner["valid"] == full), Assert(word == held), Assert(outer["ready"] == ready)]

    def _slave(self, m, slave, v):
        """Compare a slave and the register port behind it."""
        axi = self.axi
        registers = unit(self.fragment, f"axi_{slave.port}_{v}" if axi.nodes else f"axi_{slave.port}")
        for name in lite_pins(slave.config):
            value = getattr(registers, f"s_axi_{name}")
            if axi.nodes and name in ANSWER:
                value = Mux(getattr(registers, f"s_axi_{name[0]}valid"), value, 0)
            m.d.comb += Assert(self._outer(f"{slave.prefix}_{name}", v) == value)
        for name in ("address", "write", "write_data", "read_data"):
            m.d.comb += Assert(self._inner(slave.port, name, v ^ self.other) == getattr(registers.control, name))

    def _others(self, m):
        """Compare the ports that AXI does not stand for."""
        ports = [(path, value) for path, _, value in self.inside.signature.flatten(self.inside)]
        ours = [each.port for each in (*self.axi.streams, *self.axi.slaves)]
        for path, value in ports:
            if path[0] in ours or any(path[0].startswith(f"{port}_") for port in ours if self.axi.nodes):
                continue
            outer = self.dut
            for name in path:
                outer = getattr(outer, name) if isinstance(name, str) else outer[name]
            m.d.comb += Assert(outer == value)
