"""What the pass buffer has to promise."""

from amaranth.asserts import AnySeq
from amaranth.hdl import Cat, Const, Mux, Signal

from cubecast.rtl.collective.pass_buffer import PassBuffer
from tests.collective.unit_spec import UnitSpec

__all__ = ["PassBufferSpec"]


class PassBufferSpec(UnitSpec):
    """What is pushed comes out once, unchanged and in its turn, unless it is cleared.

    An entry pushed in a cycle chosen at will is followed: it is the oldest exactly when all that were there before it
    have been popped, and then it is what the buffer shows until it is popped itself. The level is the number of
    entries pushed and not popped, never above E.
    """

    unit = PassBuffer

    def state(self, m):
        """Count, and follow the chosen entry."""
        dut, depth = self.dut, self.config.pass_depth
        store = dut.store
        new, out = (
            Cat(store.i_data, store.i_last, store.i_final, store.i_error),
            Cat(store.o_data, store.o_last, store.o_final, store.o_error),
        )
        count, place = Signal(range(depth + 1)), Signal(range(depth + 1))
        chosen, entry = Signal(), Signal(len(new))
        put, take, begins = Signal(), Signal(), Signal()
        m.d.comb += [
            put.eq(store.push & (count != depth)),
            take.eq(dut.pop & (count != 0)),
            begins.eq(put & ~chosen & AnySeq(1)),
        ]
        m.d.sync += [
            count.eq(Mux(dut.clear, 0, count + put - take)),
            chosen.eq(~dut.clear & (begins | (chosen & ~(take & (place == 0))))),
            place.eq(Mux(begins, count, place) - take),
            entry.eq(Mux(begins, new, entry)),
        ]
        self.claim(store.level == count)
        self.claim(count <= depth)
        self.claim(chosen, place < count)
        self.claim(chosen & (place == 0), out == entry)
        self.reached(chosen & take & put & (place == 0) & (count == depth - 1))

        oldest, newest = self.register("oldest"), self.register("newest")
        there, stored = Signal(len(oldest)), Signal(len(new))
        memory = self.part("entries")
        memory.read_port(domain="comb", addr=there, data=stored, en=Const(1), transparent_for=())

        def after(places):
            return Mux(oldest + places >= depth, oldest + places - depth, oldest + places)

        m.d.comb += there.eq(after(place))
        self.invariant((oldest < depth) & (newest < depth))
        self.invariant(newest == after(count))
        self.invariant(chosen, stored == entry)
