"""What the queue of doorbells has to promise."""

from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, Cat, Cover, Module, Mux, Signal

from cubecast.rtl.node.instruction_queue import InstructionQueue
from tests.harness.inside import row
from tests.harness.spec import Spec, drive

__all__ = ["InstructionQueueSpec"]


class InstructionQueueSpec(Spec):
    """A doorbell chosen at will comes out once, as it went in, after those before it and before those behind it.

    ``places`` is the depth less what went in and has not come out; there is a doorbell to be taken while there is
    any, and one is accepted while there is room.

    Parameters
    ----------
    config : NodeConfig
        Gives the depth.
    """

    unit = InstructionQueue

    def elaborate(self, platform):
        """Count what is inside, and what of it is before the chosen one."""
        m = Module()
        dut, depth = self.place(m), self.config.instructions
        bell, o = dut.doorbell, dut.o
        drive(m, bell.valid, bell.instruction, bell.address, o.ready)
        level, ahead, here = Signal(range(depth + 1)), Signal(range(depth)), Signal()
        comes, goes, begins = Signal(), Signal(), Signal()
        value = Signal.like(Cat(bell.instruction, bell.address))
        m.d.comb += [
            comes.eq(bell.valid & bell.ready),
            goes.eq(o.valid & o.ready),
            begins.eq(comes & ~here & AnySeq(1)),
        ]
        m.d.sync += level.eq(level + comes - goes)
        with m.If(begins):
            m.d.sync += [here.eq(1), ahead.eq(level - goes), value.eq(Cat(bell.instruction, bell.address))]
        with m.Elif(here & goes):
            m.d.sync += [here.eq(ahead != 0), ahead.eq(ahead - 1)]
        oldest, newest = self.register("queue_oldest"), self.register("queue_newest")
        last = Signal(range(2 * depth))
        place = Signal(range(2 * depth))
        m.d.comb += [place.eq(oldest + ahead), last.eq(oldest + level)]
        stored = row(self.fragment, *self.inside, "queue_words", address=Mux(place < depth, place, place - depth))
        m.d.comb += [
            Assert(dut.places == depth - level),
            Assert(bell.ready == (level != depth)),
            Assert(o.valid == (level != 0)),
            Assert(~(here & (ahead == 0)) | (Cat(o.instruction, o.address) == value)),
            Cover(here & goes & comes & (ahead == 0) & (level == depth - 1) & (oldest > newest)),
            # Make the statements inductive: where everything is.
            Assert(level <= depth),
            Assert(~here | (ahead < level)),
            Assert(~here | (stored == value)),
            Assert((oldest < depth) & (newest == Mux(last < depth, last, last - depth))),
        ]
        return m
