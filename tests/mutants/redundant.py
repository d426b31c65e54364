"""A unit with places where a bug cannot be seen, or only in payload that does not count."""

from amaranth.hdl import Module, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from cubecast.rtl.common.instance import place

__all__ = ["Asked", "Outer", "Redundant", "Remembered", "Waits", "Wide"]


class Redundant(wiring.Component):
    """``o.valid`` is ``a``, said twice; ``o.data`` is ``b`` while it counts, and toggles otherwise."""

    def __init__(self, config):
        self.config = config
        stream = wiring.Signature({"valid": Out(1), "data": Out(1)})
        super().__init__({"a": In(1), "b": In(1), "o": Out(stream)})

    def elaborate(self, platform):
        """Say it."""
        m = Module()
        both = self.a & self.b
        m.d.comb += [self.o.valid.eq(self.a | both)]
        with m.If(self.a):
            m.d.comb += self.o.data.eq(self.b)
        with m.Else():
            m.d.comb += self.o.data.eq(~self.b)
        return m


class Wide(wiring.Component):
    """A thousand outputs, each one of two inputs or its inverse."""

    def __init__(self, config):
        self.config = config
        super().__init__({"a": In(1), "b": In(1), **{f"o_{k}": Out(1) for k in range(1000)}})

    def elaborate(self, platform):
        """Drive them."""
        m = Module()
        m.d.comb += [getattr(self, f"o_{k}").eq((self.b if k % 2 else self.a) ^ (k % 3 == 0)) for k in range(1000)]
        return m


class Remembered(wiring.Component):
    """``data`` is the ``b`` that was written at ``a``, which is said twice; what it is at first is left open."""

    def __init__(self, config):
        self.config = config
        super().__init__({"a": In(1), "b": In(1), "data": Out(1)})

    def elaborate(self, platform):
        """Write each ``b``, and read it in the next cycle."""
        m = Module()
        m.submodules.bits = bits = memory.Memory(shape=1, depth=2, init=[])
        write, read = bits.write_port(), bits.read_port()
        m.d.comb += [write.en.eq(1), write.addr.eq(self.a), write.data.eq(self.b)]
        m.d.comb += [read.addr.eq(self.a | (self.a & self.b)), self.data.eq(read.data)]
        return m


class Outer(wiring.Component):
    """The same unit as a module of its own, whose ``b`` is never asserted."""

    def __init__(self, config):
        self.config = config
        super().__init__({"a": In(1), "valid": Out(1), "data": Out(1)})

    def elaborate(self, platform):
        """Place it."""
        m = Module()
        inner = place(m, "inner", Redundant, self.config)
        m.d.comb += [inner.a.eq(self.a), self.valid.eq(inner.o.valid), self.data.eq(inner.o.data)]
        return m


class Asked(wiring.Component):
    """``question`` is ``a``, or ``b`` while that is 0; ``o`` has the ``answer`` of a ``question`` that is ``a``."""

    def __init__(self, config):
        self.config = config
        super().__init__({"a": In(1), "b": In(1), "answer": In(1), "question": Out(1), "o": Out(1)})

    def elaborate(self, platform):
        """Ask, and count the answers that are 1, to 3 and no further."""
        m = Module()
        count = Signal(3)
        m.d.comb += [self.question.eq(self.a | self.b), self.o.eq(self.a & self.answer | count[2])]
        with m.If(self.a & self.answer & (count != 3)):
            m.d.sync += count.eq(count + 1)
        return m


class Waits(wiring.Component):
    """``late`` after ``LIMIT`` cycles with ``a``; the bits of the count above that of ``LIMIT`` are never asserted."""

    LIMIT = 1023

    def __init__(self, config):
        self.config = config
        super().__init__({"a": In(1), "late": Out(1)})

    def elaborate(self, platform):
        """Count, and stop there."""
        m = Module()
        count = Signal(14)
        m.d.comb += self.late.eq(count == self.LIMIT)
        with m.If(~self.a):
            m.d.sync += count.eq(0)
        with m.Elif(~self.late):
            m.d.sync += count.eq(count + 1)
        return m
