"""What a list of messages without a receive has to promise."""

from amaranth.hdl import Array, Assert, Assume, Cat, Const, Cover, Module, Mux, Signal
from amaranth.lib import data

from cubecast.golden.node.contract.block import SYSTEM_BIT
from cubecast.rtl.node.envelope_list import EnvelopeList
from tests.harness.inside import row
from tests.harness.spec import Spec, drive

__all__ = ["EnvelopeListSpec"]


class EnvelopeListSpec(Spec):
    """A search finds the oldest message that matches, and takes it out alone; else it says that there is none.

    A message is found as it was appended, and stays until it is found. The answer comes after as many cycles as
    messages were looked at, and one.

    Parameters
    ----------
    config : NodeConfig
        Gives the number of entries: that of the system buffers, or with ``held`` that of the nodes.
    """

    unit = EnvelopeList

    def elaborate(self, platform):
        """Keep the messages with their ranks, the oldest having 0, and compare."""
        m = Module()
        dut, held = self.place(m), self.extra.get("held", False)
        count, number = (self.config.nodes if held else self.config.buffers), len(dut.index)
        drive(m, dut)
        names = ("type", "length") if held else ("source", "type", "length", "broadcast")
        shape = data.StructLayout({name: len(getattr(dut, f"append_{name}")) for name in names})
        new = Cat(getattr(dut, f"append_{name}") for name in names)
        inside, level = Signal(count), Signal(range(count + 1))
        rank = [Signal(range(count), name=f"rank_{b}") for b in range(count)]
        kept = [Signal(len(new), name=f"kept_{b}") for b in range(count)]
        m.d.comb += [
            Assume(~dut.append | (dut.idle & (dut.append_index < count))),
            Assume(~dut.append | ~(inside >> dut.append_index)[0]),
        ]
        pattern = ("source", "any_source", "type", "any_type", "short")
        search = {name: Signal(len(getattr(dut.search, name)), name=f"asked_{name}") for name in pattern}
        walking, looked = Signal(), Signal(range(count + 2))
        with m.If(dut.search.valid & dut.search.ready):
            m.d.sync += [search[name].eq(getattr(dut.search, name)) for name in pattern]
            m.d.sync += [walking.eq(1), looked.eq(0)]
        with m.Elif(walking):
            m.d.sync += [walking.eq(~(dut.found | dut.missing)), looked.eq(looked + 1)]
        matches = Signal(count)
        for b in range(count):
            entry = data.View(shape, kept[b])
            kind = entry.type
            m.d.comb += matches[b].eq(
                inside[b]
                & (search["any_source"] | (search["source"] == (b if held else entry.source)))
                & Mux(search["any_type"], search["type"][SYSTEM_BIT] == kind[SYSTEM_BIT], search["type"] == kind)
                & (~search["short"] | (entry.length <= self.config.buffer_bytes))
            )
        gone = Signal(range(count + 1))
        m.d.comb += gone.eq(Mux(dut.found, Array(rank)[dut.index], count))
        shown = Cat(getattr(dut, "message_type" if name == "type" else name) for name in names)
        for b in range(count):
            with m.If(dut.found & (dut.index == b)):
                m.d.comb += Assert(matches[b] & (shown == kept[b]))
                m.d.comb += [Assert(~matches[a] | (rank[a] >= rank[b])) for a in range(count)]
                m.d.sync += inside[b].eq(0)
            with m.Elif(dut.append & (dut.append_index == b)):
                m.d.sync += [inside[b].eq(1), rank[b].eq(level), kept[b].eq(new)]
            with m.Elif(inside[b] & (rank[b] > gone)):
                m.d.sync += rank[b].eq(rank[b] - 1)
        m.d.sync += level.eq(level + dut.append - dut.found)
        m.d.comb += [
            Assert(~(dut.found | dut.missing) | walking),
            Assert(~dut.found | (dut.index < count)),
            Assert(~dut.missing | ((matches == 0) & (looked == level))),
            Assert((dut.idle == ~walking) & (dut.level == level)),
            Assert(~walking | (looked <= level)),
            Cover(dut.found & (level == count) & (gone == 1) & (dut.index == 0)),
        ]
        if self.unit is EnvelopeList:
            m.d.comb += [Assert(self.register(f"wanted_{name}") == asked) for name, asked in search.items()]
            self._inside(m, number, inside, rank, kept, matches, level, walking, looked)
        return m

    def _inside(self, m, number, inside, rank, kept, matches, level, walking, looked):
        """Say what links the entries, and where a search is, which makes the statements inductive."""
        count = len(rank)
        head, tail, current, before = (self.register(name) for name in ("head", "tail", "current", "before"))
        left, first = self.register("left"), self.register("first")
        m.d.comb += Assert(level == sum(inside[b] for b in range(count)))
        m.d.comb += Assert(~walking | ((left == level - looked) & (first == (looked == 0))))
        for b in range(count):
            link, entry = (
                row(self.fragment, *self.inside, name, address=Const(b, number)) for name in ("links", "envelopes")
            )
            with m.If(inside[b]):
                m.d.comb += [
                    Assert(entry.as_value() == kept[b]),
                    Assert(rank[b] < level),
                    Assert((rank[b] != 0) | (head == b)),
                    Assert((rank[b] != level - 1) | (tail == b)),
                    Assert(~walking | (rank[b] != looked) | (current == b)),
                    Assert(~walking | (rank[b] + 1 != looked) | (before == b)),
                    Assert(~walking | (rank[b] >= looked) | ~matches[b]),
                ]
                for a in range(count):
                    if a != b:
                        both = inside[a]
                        m.d.comb += Assert(~both | (rank[a] != rank[b]))
                        m.d.comb += Assert(~both | (rank[a] != rank[b] + 1) | (link == a))
