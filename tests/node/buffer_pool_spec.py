"""What the pool of system buffers has to promise."""

from amaranth.asserts import AnyConst, AnySeq
from amaranth.hdl import Assert, Assume, Cat, Cover, Module, Mux, Signal

from cubecast.rtl.node.buffer_pool import BufferPool
from tests.harness.inside import row
from tests.harness.spec import Spec, drive

__all__ = ["BufferPoolSpec"]


class BufferPoolSpec(Spec):
    """No buffer is lost, and none is given away twice; a release is accepted exactly if it is of a lent buffer.

    Each buffer is free, in use or lent. ``take`` makes the one on offer, which is free, one in use; ``put`` and
    ``lend`` end that, an accepted release ends the loan. ``free`` is the number of those that are free. The address of
    a release is anything; it is decided within a fixed number of cycles in which nothing is put.

    Parameters
    ----------
    config : NodeConfig
        Gives number and size of the buffers, at least one.
    """

    unit = BufferPool

    def elaborate(self, platform):
        """Keep what each buffer is, and compare."""
        m = Module()
        dut, config = self.place(m), self.config
        count, size, bits = config.buffers, config.buffer_bytes, config.buffer_bits
        drive(m, dut.take, dut.put, dut.put_number, dut.lend, dut.lend_number, dut.release.valid, dut.release.address)
        m.d.comb += dut.base.eq(AnyConst(32))
        enabled = Signal()
        m.d.comb += dut.enable.eq(enabled)
        m.d.sync += enabled.eq(enabled | AnySeq(1))
        free, lent = Signal(count, init=(1 << count) - 1), Signal(count)
        used, takes = Signal(count), Signal()
        m.d.comb += [
            used.eq(~free & ~lent),
            takes.eq(dut.take & (dut.free != 0)),
            Assume(~dut.put | ((dut.put_number < count) & (used >> dut.put_number)[0])),
            Assume(~dut.lend | ((dut.lend_number < count) & (used >> dut.lend_number)[0])),
            Assume(~(dut.put & dut.lend) | (dut.put_number != dut.lend_number)),
        ]
        asked, waiting, age = Signal(32), Signal(), Signal(range(bits + 2))
        with m.If(dut.release.valid & dut.release.ready):
            m.d.sync += [asked.eq(dut.release.address), waiting.eq(1), age.eq(0)]
        with m.Elif(waiting):
            m.d.sync += [waiting.eq(~dut.released), age.eq(Mux(age == bits, bits, age + 1))]
        offset = Signal(32)
        m.d.comb += offset.eq(asked - dut.base)
        right = Signal(count)
        for i in range(count):
            m.d.comb += right[i].eq(offset == i * size)
            with m.If(takes & (dut.number == i)):
                m.d.sync += free[i].eq(0)
            with m.If((dut.put & (dut.put_number == i)) | (dut.released & dut.accepted & right[i])):
                m.d.sync += free[i].eq(1)
            with m.If(dut.lend & (dut.lend_number == i)):
                m.d.sync += lent[i].eq(1)
            with m.If(dut.released & dut.accepted & right[i]):
                m.d.sync += lent[i].eq(0)
        number = sum(free[i] for i in range(count))
        m.d.comb += [
            Assert(dut.free == Mux(enabled, number, 0)),
            Assert((dut.free == 0) | ((dut.number < count) & (free >> dut.number)[0])),
            Assert((dut.free == 0) | (dut.address == (dut.base + dut.number * size)[:32])),
            Assert(~dut.released | waiting),
            Assert(~dut.released | (dut.accepted == (right & lent).any())),
            Assert(~(waiting & (age == bits) & ~dut.put) | dut.released),
            Cover(dut.released & dut.accepted & dut.lend & (free == 0)),
        ]
        self._inside(m, free, lent, waiting, age, offset, enabled)
        return m

    def _inside(self, m, free, lent, waiting, age, offset, enabled):
        """Say where the free buffers are, and how far a division is, which makes the statements inductive."""
        count, size, bits = self.config.buffers, self.config.buffer_bytes, self.config.buffer_bits
        fresh, level = self.register("fresh"), self.register("back_level")
        oldest, newest = self.register("back_oldest"), self.register("back_newest")
        place, there, kept = Signal(range(2 * count)), [], []
        m.d.comb += place.eq(oldest + level)
        for k in range(count):
            at = Signal(range(2 * count), name=f"at_{k}")
            m.d.comb += at.eq(oldest + k)
            there.append(k < level)
            kept.append(row(self.fragment, *self.inside, "back_words", address=Mux(at < count, at, at - count)))
        m.d.comb += [
            Assert((fresh <= count) & (level <= fresh)),
            Assert((oldest < count) & (newest == Mux(place < count, place, place - count))),
            Assert(enabled | ((fresh == 0) & ~waiting)),
            Assert((free & lent) == 0),
            Assert(level == sum(free[i] & (fresh > i) for i in range(count))),
        ]
        for i in range(count):
            among = Cat(there[k] & (kept[k] == i) for k in range(count))
            m.d.comb += [
                Assert((fresh > i) | free[i]),
                Assert((fresh > i) | ~lent[i]),
                Assert(among.any() == (free[i] & (fresh > i))),
                Assert(self.register("lent")[i] == lent[i]),
            ]
        for k in range(count):
            m.d.comb += Assert(~there[k] | (kept[k] < count))
        state, rest, quotient, bit = (self.register(name) for name in ("state", "rest", "quotient", "bit"))
        left = Signal(range(bits + 1))
        m.d.comb += [left.eq(bits - age), Assert(waiting == (state != 0))]
        with m.If(state != 0):
            m.d.comb += [
                Assert(rest + quotient * size == offset),
                Assert(state == Mux(left != 0, 1, 2)),
                Assert((left == 0) | (bit == left - 1)),
                Assert((quotient & ((1 << left) - 1)[:bits]) == 0),
                Assert((offset >= size << bits) | (rest < size << left)),
            ]
