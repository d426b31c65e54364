"""The hardware of the toy units."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from tests.harness.toy import ToyConfig

__all__ = ["Counter", "Less", "Unreset"]


class Counter(wiring.Component):
    """Saturating counter; from the count ``bug`` it jumps by two."""

    def __init__(self, config: ToyConfig, limit: int = 12, bug: int = -1) -> None:
        self.config, self.limit, self.bug = config, limit, bug
        super().__init__({"enable": In(1), "o": Out(config.width), "full": Out(1), "wide": Out(100)})

    def elaborate(self, platform: Any) -> Module:
        """Count."""
        m = Module()
        m.d.comb += [self.full.eq(self.o == self.limit), self.wide.eq(self.o << 80)]
        with m.If(self.enable & ~self.full):
            m.d.sync += self.o.eq(self.o + 1)
            if self.bug >= 0:
                with m.If(self.o == self.bug):
                    m.d.sync += self.o.eq(self.o + 2)
        return m


class Unreset(Counter):
    """The same with a count that only its initial value sets to zero."""

    def elaborate(self, platform: Any) -> Module:
        """Count in a register without reset."""
        m = Module()
        count = Signal(self.config.width, reset_less=True)
        m.d.comb += [self.o.eq(count), self.full.eq(count == self.limit), self.wide.eq(count << 80)]
        with m.If(self.enable & ~self.full):
            m.d.sync += count.eq(count + 1)
        return m


class Less(wiring.Component):
    """Comparator without a clock."""

    def __init__(self, config: ToyConfig) -> None:
        self.config = config
        super().__init__({"a": In(config.width), "b": In(config.width), "o": Out(1)})

    def elaborate(self, platform: Any) -> Module:
        """Compare."""
        m = Module()
        m.d.comb += self.o.eq(self.a < self.b)
        return m
