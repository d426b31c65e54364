"""A unit with places where a bug cannot be seen, or only in payload that does not count."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Redundant"]


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
