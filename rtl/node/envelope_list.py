"""Envelope list: messages without a receive, oldest first."""

from amaranth import *
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import bits_for

from cubecast.golden.node.contract.block import LENGTH_BITS, SYSTEM_BIT, TYPE_BITS
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.rtl.node.stream import Search

__all__ = ["EnvelopeList"]


class EnvelopeList(wiring.Component):
    """Keep envelopes in a list, and take the oldest one out that matches; one is compared in each cycle.

    With m entries before the match the answer comes m + 1 cycles after the search was taken.

    Parameters
    ----------
    config : NodeConfig
        Gives the dimension, and number and size of the system buffers.
    held : bool
        Entries are broadcasts, and their numbers those of their sources; else those of system buffers.

    Ports
    -----
    append, append_index, append_source, append_type, append_length, append_broadcast : in, 1, k, n, 16, 20, 1
        The newest entry; only while ``idle``. No source and no broadcast with ``held``.
    search__valid, search__source, search__any_source, search__type, search__any_type, search__short, search__ready
        What is wanted; ``short``: it fits a system buffer.
    idle, level : out, 1 and bits of 0..K
        No search is under way; entries.
    found, missing : out
        Strobes: the oldest match leaves; there is none.
    index, source, message_type, length, broadcast : out
        What was found; with ``held`` without the two.

    Source: Buzzard 1988, section 5.1.1 (messages that are not expected).
    """

    def __init__(self, config: NodeConfig, held: bool = False):
        self.config, self._held = config, held
        self._entries = config.nodes if held else max(1, config.buffers)
        fields = {"type": TYPE_BITS, "length": LENGTH_BITS}
        if not held:
            fields = {"source": config.dim, **fields, "broadcast": 1}
        self._shape = data.StructLayout(fields)
        number = config.dim if held else config.buffer_bits
        super().__init__(
            {
                "append": In(1),
                "append_index": In(number),
                **{f"append_{name}": In(bits) for name, bits in fields.items()},
                "search": In(Search(config)),
                "idle": Out(1),
                "level": Out(bits_for(self._entries)),
                "found": Out(1),
                "missing": Out(1),
                "index": Out(number),
                **{_shown(name): Out(bits) for name, bits in fields.items()},
            }
        )

    def elaborate(self, platform):
        """Link entries by their numbers, and walk the list."""
        m = Module()
        number = self.index.shape()
        # The only write during a walk is at its end, so that entries can be read at the edge, where it goes next.
        unchecked = {"no_rw_check": 1}
        m.submodules.envelopes = envelopes = memory.Memory(
            shape=self._shape, depth=self._entries, init=[], attrs=unchecked
        )
        m.submodules.links = links = memory.Memory(shape=number, depth=self._entries, init=[], attrs=unchecked)
        envelope, follows = envelopes.read_port(), links.read_port()
        put, link = envelopes.write_port(), links.write_port()
        names = ("source", "any_source", "type", "any_type", "short")
        wanted = {name: Signal(len(getattr(self.search, name)), name=f"wanted_{name}") for name in names}
        walking, first, left = Signal(), Signal(), Signal(bits_for(self._entries))
        head, tail, current, before = Signal(number), Signal(number), Signal(number), Signal(number)
        following, match, started, last = Signal(number), Signal(), Signal(), Signal()
        entry = envelope.data
        source = current if self._held else entry.source
        m.d.comb += [
            following.eq(Mux(started, head, follows.data)),
            envelope.addr.eq(following),
            follows.addr.eq(following),
            match.eq(
                (wanted["any_source"] | (wanted["source"] == source))
                & Mux(
                    wanted["any_type"],
                    wanted["type"][SYSTEM_BIT] == entry.type[SYSTEM_BIT],
                    wanted["type"] == entry.type,
                )
                & (~wanted["short"] | (entry.length <= self.config.buffer_bytes))
            ),
            self.idle.eq(~walking),
            self.search.ready.eq(~walking & ~self.append),
            started.eq(self.search.valid & self.search.ready),
            self.found.eq(walking & (left != 0) & match),
            self.missing.eq(walking & (left == 0)),
            self.index.eq(current),
            *(getattr(self, _shown(name)).eq(getattr(entry, name)) for name in self._shape.members),
            last.eq(left == 1),
            put.en.eq(self.append),
            put.addr.eq(self.append_index),
            *(getattr(put.data, name).eq(getattr(self, f"append_{name}")) for name in self._shape.members),
            link.en.eq(self.append | self.found),
            link.addr.eq(Mux(self.append, tail, before)),
            link.data.eq(Mux(self.append, self.append_index, follows.data)),
        ]
        # Of an empty list the tail is an entry that nobody follows, and of a first one nothing is before it.
        with m.If(self.append & (self.level == 0)):
            m.d.comb += link.en.eq(0)
            m.d.sync += head.eq(self.append_index)
        with m.If(self.found & first):
            m.d.comb += link.en.eq(0)
            m.d.sync += head.eq(follows.data)
        with m.If(self.append):
            m.d.sync += tail.eq(self.append_index)
        with m.If(self.found & last):
            m.d.sync += tail.eq(before)
        m.d.sync += self.level.eq(self.level + self.append - self.found)
        with m.If(started):
            m.d.sync += [wanted[name].eq(getattr(self.search, name)) for name in names]
            m.d.sync += [walking.eq(1), current.eq(following), left.eq(self.level), first.eq(1)]
        with m.Elif(self.found | self.missing):
            m.d.sync += walking.eq(0)
        with m.Elif(walking):
            m.d.sync += [before.eq(current), current.eq(following), left.eq(left - 1), first.eq(0)]
        return m


def _shown(name):
    """Return what a field of an entry is called as an output: ``type`` is a word of SystemVerilog."""
    return "message_type" if name == "type" else name
