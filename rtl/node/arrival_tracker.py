"""Arrival tracker: bytes that are still to come, compared with what the processor reads."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.node.contract.config import NodeConfig
from cubecast.rtl.common.select import selected
from cubecast.rtl.node.stream import ADDRESS_BITS

__all__ = ["ArrivalTracker"]


class ArrivalTracker(wiring.Component):
    """Hold next and last byte of arriving messages, and tell of reads between them in the cycle after the read.

    Parameters
    ----------
    config : NodeConfig
        Gives the number of entries.

    Ports
    -----
    open, open_next, open_last : in, 1 and 32 and 32
        Track a message; not done while ``full``.
    full, entry : out
        No entry is free; the entry that ``open`` takes.
    move, move_entry, move_next : in
        Bytes before ``move_next`` have come.
    close, close_entry : in
        The message is complete.
    watch__valid, watch__address, watch__size : in, 1 and 32 and 2
        The processor reads 2**size bytes.
    clear : in
        Tell of an early read again.
    early : out
        The read of the cycle before was early.
    event__valid, event__address : out, 1 and 32
        Strobe: the first early read since ``clear``.

    Source: Buzzard 1988, sections 5.1 and 5.4.7 (arrival tracking unit).
    """

    def __init__(self, config: NodeConfig):
        self.config = config
        number = config.entry_bits
        super().__init__(
            {
                "open": In(1),
                "open_next": In(ADDRESS_BITS),
                "open_last": In(ADDRESS_BITS),
                "full": Out(1),
                "entry": Out(number),
                "move": In(1),
                "move_entry": In(number),
                "move_next": In(ADDRESS_BITS),
                "close": In(1),
                "close_entry": In(number),
                "watch": In(wiring.Signature({"valid": Out(1), "address": Out(ADDRESS_BITS), "size": Out(2)})),
                "clear": In(1),
                "early": Out(1),
                "event": Out(wiring.Signature({"valid": Out(1), "address": Out(ADDRESS_BITS)})),
            }
        )

    def elaborate(self, platform):
        """Compare a read with all entries at a time."""
        m = Module()
        count, watch = self.config.tracked, self.watch
        valid, lowest, hits = Signal(count), Signal(count), Signal(count)
        final = Signal(ADDRESS_BITS + 1)
        told, hit, tell = Signal(), Signal(), Signal()
        m.d.comb += [
            self.full.eq(valid.all()),
            lowest.eq(~valid & (valid + 1)),
            self.entry.eq(selected(lowest, range(count))),
            final.eq(watch.address + (C(1, 4) << watch.size) - 1),
            hit.eq(watch.valid & hits.any()),
            tell.eq(hit & (~told | self.clear)),
        ]
        for i in range(count):
            following = Signal(ADDRESS_BITS, name=f"next_{i}")
            last = Signal(ADDRESS_BITS, name=f"last_{i}")
            # Written so that what all entries are compared with is the side that is inverted.
            m.d.comb += hits[i].eq(valid[i] & ~(last < watch.address) & (final >= following))
            with m.If(self.open & lowest[i]):
                m.d.sync += [valid[i].eq(1), following.eq(self.open_next), last.eq(self.open_last)]
            with m.Elif(self.close & (self.close_entry == i)):
                m.d.sync += valid[i].eq(0)
            with m.Elif(self.move & (self.move_entry == i)):
                m.d.sync += following.eq(self.move_next)
        m.d.sync += [self.early.eq(hit), told.eq(hit | (told & ~self.clear)), self.event.valid.eq(tell)]
        with m.If(tell):
            m.d.sync += self.event.address.eq(watch.address)
        return m
