"""What the tracker of arriving messages has to promise."""

from amaranth.hdl import Assert, Assume, Cat, Const, Cover, Module, Mux, Signal

from cubecast.rtl.node.arrival_tracker import ArrivalTracker
from tests.harness.spec import Spec, drive

__all__ = ["ArrivalTrackerSpec"]


class ArrivalTrackerSpec(Spec):
    """A read is early exactly if it touches a byte that is still to come of a message that is tracked.

    Messages are opened, moved and closed at will; an open message keeps the entry that it was given, which no other is
    given, and there is one while fewer are open than there are entries. The first early read since ``clear`` is told of
    once, with its address.

    Parameters
    ----------
    config : NodeConfig
        Gives the number of entries.
    """

    unit = ArrivalTracker

    def elaborate(self, platform):
        """Keep the open messages by the entry that each was given, and compare."""
        m = Module()
        dut, count = self.place(m), self.config.tracked
        drive(m, dut)
        watch = dut.watch
        opened, open_now = Signal(count), Signal()
        first, last = ([Signal(32, name=f"{name}_{i}") for i in range(count)] for name in ("first", "last"))
        touched = Signal(count)
        bound = Signal(33)
        m.d.comb += [
            open_now.eq(dut.open & ~dut.full),
            bound.eq(watch.address + (Const(1, 4) << watch.size)),
            # A message that is not there is neither moved nor closed.
            Assume(~dut.move | ((dut.move_entry < count) & (opened >> dut.move_entry)[0])),
            Assume(~dut.close | ((dut.close_entry < count) & (opened >> dut.close_entry)[0])),
        ]
        for i in range(count):
            given = open_now & (dut.entry == i)
            with m.If(given):
                m.d.sync += [opened[i].eq(1), first[i].eq(dut.open_next), last[i].eq(dut.open_last)]
            with m.If(dut.move & (dut.move_entry == i)):
                m.d.sync += first[i].eq(dut.move_next)
            with m.If(dut.close & (dut.close_entry == i)):
                m.d.sync += opened[i].eq(0)
            m.d.comb += [
                touched[i].eq(opened[i] & (watch.address <= last[i]) & (bound > first[i])),
                Assert(~(given & opened[i])),
                # Make the statements inductive.
                Assert(self.register("valid")[i] == opened[i]),
                Assert(~opened[i] | (self.register(f"next_{i}") == first[i])),
                Assert(~opened[i] | (self.register(f"last_{i}") == last[i])),
            ]
        early, told, address = Signal(), Signal(), Signal(32)
        hit = watch.valid & touched.any()
        tells = Signal()
        m.d.sync += [early.eq(hit), told.eq(hit | (told & ~dut.clear)), tells.eq(hit & (dut.clear | ~told))]
        m.d.sync += address.eq(Mux(watch.valid, watch.address, address))
        m.d.comb += [
            Assert(dut.full == opened.all()),
            Assert(~open_now | (dut.entry < count)),
            Assert(dut.early == early),
            Assert(dut.event.valid == tells),
            Assert(~tells | (dut.event.address == address)),
            Cover(tells & Cat(opened).all() & ~touched.any() & watch.valid),
            # Makes the last statement inductive.
            Assert(self.register("told") == told),
        ]
        return m
