"""Surroundings of units of the packet router."""

from amaranth.hdl import Cat, Signal

from tests.harness.surroundings import Surroundings

__all__ = [
    "CrossbarOutputSurroundings",
    "NextPortSurroundings",
    "NodeInputPortSurroundings",
    "OutputControllerSurroundings",
    "OutputSlotSurroundings",
]

FLIT = ("head", "last", "bad", "data")


class NextPortSurroundings(Surroundings):
    """What is found is looked at for a port that the node has."""

    proven = ("tests/packet/test_formal_buffer_unit.py::test_packet_buffer_unit_is_proven",)

    def say(self, m, unit, counts):
        """Compare the port with the last one."""
        m.d.comb += counts.next.eq(unit.port <= self.of.config.local)


class NodeInputPortSurroundings(Surroundings):
    """A head is never the last flit of its packet; the node looks at words that are there."""

    proven = ("tests/packet/test_formal_node_input_port.py::test_the_fifo_never_overflows",)

    def say(self, m, unit, counts):
        """Look at both marks."""
        m.d.comb += [getattr(counts.eject, name).eq(unit.eject.valid) for name in ("data", "last", "error")]
        m.d.comb += self.allowed.eq(~(unit.i.valid & unit.i.head & unit.i.last))


class OutputControllerSurroundings(Surroundings):
    """A packet is started when none is being sent, or when the last flit of the one before goes."""

    proven = (
        "tests/packet/test_formal_buffer_unit.py::test_packet_buffer_unit_is_proven",
        "tests/packet/test_formal_output_slot.py::test_output_slot_is_proven",
    )

    def say(self, m, unit, counts):
        """Look at what the controller says of the one before."""
        m.d.comb += [getattr(counts.o, name).eq(unit.o.valid) for name in FLIT]
        m.d.comb += self.allowed.eq(~unit.start | ~unit.busy | unit.done)


class OutputSlotSurroundings(Surroundings):
    """Words come when the slot is ready, and a detour is started when one is wanted."""

    proven = ("tests/packet/test_formal_node_output_port.py::test_node_output_port_is_proven",)

    def say(self, m, unit, counts):
        """Compare what comes with what the slot says."""
        config = self.of.config
        m.d.comb += [getattr(counts.o, name).eq(unit.o.valid) for name in FLIT]
        m.d.comb += [getattr(counts.report, name).eq(unit.report.valid) for name in ("reason", "destination")]
        m.d.comb += self.allowed.eq(~unit.load | unit.ready)
        if config.fault_tolerant:
            m.d.comb += counts.away.eq(unit.detour_want)
            m.d.comb += self.allowed.eq((~unit.load | unit.ready) & (~unit.detour_start | unit.detour_want))


class CrossbarOutputSurroundings(Surroundings):
    """Of the output to the node: each packet begins with a head and has no other, and the link is never cut."""

    proven = ("tests/packet/test_formal_node_input_port.py::test_the_fifo_never_overflows",)

    def say(self, m, unit, counts):
        """Follow the packets of each requester."""
        heads, self.begun = [], Signal(len(unit.i))
        for k, i in enumerate(unit.i):
            with m.If(unit.refused_to[k] | (i.valid & i.ready & i.last)):
                m.d.sync += self.begun[k].eq(0)
            with m.Elif(i.valid & i.ready):
                m.d.sync += self.begun[k].eq(1)
            heads.append(~i.valid | (i.head != self.begun[k]))
        m.d.comb += [getattr(counts.o, name).eq(unit.o.valid) for name in FLIT]
        m.d.comb += [getattr(counts.report, name).eq(unit.report.valid) for name in ("reason", "destination")]
        if self.of.local:
            m.d.comb += self.allowed.eq(Cat(heads).all() & ~unit.cut & ~unit.refused)
