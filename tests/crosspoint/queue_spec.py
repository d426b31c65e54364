"""What the queues of a crosspoint have to promise."""

from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, Assume, Cover, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.utils import bits_for

from cubecast.golden.crosspoint.contract.units import QueueShape
from cubecast.rtl.crosspoint.block_queue import BlockQueue
from cubecast.rtl.crosspoint.queue import Queue
from tests.harness.inside import opened, register, row

__all__ = ["QueueSpec"]


class QueueSpec(wiring.Component):
    """Words come out in the order they went in, none is lost or doubled, and the counts are exact.

    - The words are those of a shift register of ``depth`` words, at ``o`` while ``ne``.
    - ``level`` is their number, ``ne`` whether one can be read, ``room`` whether at most ``most`` can; in block RAM the
      word of the cycle before is there and cannot be read. One that is read in the cycle of its write is not looked at.

    The user keeps to the contract: ``pop`` only with ``ne``, no push with ``depth`` words and no pop.

    Parameters
    ----------
    config : QueueShape
        Width, depth, room, and kind of RAM.
    unit : class, optional
        The design to be checked; a broken one must be refuted.
    greedy : bool
        True: words are pushed at any time, which must be refuted.
    """

    def __init__(self, config: QueueShape, unit=None, *, greedy=False):
        self.config, self.greedy = config, greedy
        self.plain = BlockQueue if config.block else Queue
        self.unit = unit or self.plain
        super().__init__({})

    def elaborate(self, platform):
        """Keep the words a second time."""
        m = Module()
        config, depth = self.config, self.config.depth
        dut = self.unit(config)
        m.submodules.dut = fragment = opened(dut)
        inside = () if self.unit is self.plain else ("inner",)
        number, late = Signal(bits_for(depth)), Signal()
        words = [Signal(config.bits, name=f"word_{age}") for age in range(depth)]
        readable = number - late if config.block else number
        write_row, read_row = (register(fragment, *inside, name) for name in ("write_row", "read_row"))
        m.d.comb += [port.eq(AnySeq(len(port))) for port in (dut.push, dut.data, dut.pop)]
        m.d.comb += [
            Assume(~dut.pop | dut.ne),
            Assume(~dut.push | dut.pop | (number < depth) | self.greedy),
            Assert(number <= depth),
            Assert(dut.level == number),
            Assert(dut.ne == (readable != 0)),
            Assert(dut.room == (readable <= config.most)),
            Assert(~dut.ne | (dut.o == words[0])),
            # Full, after the pointers have wrapped.
            Cover((number == depth) & write_row.bool() & ~dut.room),
        ]
        # Make the statements inductive: where the words are, and how many.
        m.d.comb += [
            Assert((read_row + number)[: len(read_row)] == write_row),
            Assert(register(fragment, *inside, "count") == readable),
        ]
        if config.block:
            collided = Signal()
            m.d.sync += collided.eq(dut.push & (write_row == (read_row + dut.pop)[: len(read_row)]))
            m.d.comb += [
                Assert(register(fragment, *inside, "late") == late),
                Assert(~late | (number != 0)),
                Assert(~collided | ~dut.ne),
            ]
        elif config.memories == "block":
            last = register(fragment, *inside, "_last")
            m.d.comb += [Assert((number != age + 1) | (last == word)) for age, word in enumerate(words)]
        m.d.sync += [number.eq(number + dut.push - dut.pop), late.eq(dut.push)]
        for age, word in enumerate(words):
            stored = row(fragment, *inside, "words", address=(read_row + age)[: len(read_row)])
            m.d.comb += Assert((number <= age) | (stored == word))
            moved = words[age + 1] if age + 1 < depth else 0
            m.d.sync += word.eq(Mux(dut.pop, moved, word))
            with m.If(dut.push & (number - dut.pop == age)):
                m.d.sync += word.eq(dut.data)
        return m
