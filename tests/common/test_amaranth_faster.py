"""Shorter ways through Amaranth's conversion: the same netlist, and the same words about a combinational cycle."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.common.amaranth_faster import REPLACED
from cubecast.rtl.multicast.mhu import Mhu
from cubecast.rtl.packet.buffer_unit import PacketBufferUnit


@pytest.fixture
def both(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], list[object]]:
    """Return a function that calls another one twice: on the shorter ways, and on Amaranth's own."""

    def called(function: Callable[[], object]) -> list[object]:
        shorter = function()
        with monkeypatch.context() as patch:
            for owner, name, before in REPLACED:
                if before is None:
                    patch.delattr(owner, name)
                else:
                    patch.setattr(owner, name, before)
            return [shorter, function()]

    return called


class Rings(wiring.Component):
    """A signal of four bits, each assigned what a function makes of the signal and an input: at once, or by itself."""

    def __init__(self, bits: Callable[[Signal, Signal], list[object]], *, at_once: bool) -> None:
        self.bits, self.at_once = bits, at_once
        super().__init__({"a": In(1), "y": Out(4)})

    def elaborate(self, platform: object) -> Module:
        """Assign the bits."""
        m = Module()
        ring = Signal(4)
        bits = self.bits(ring, self.a)
        m.d.comb += ring.eq(Cat(*bits)) if self.at_once else [ring[place].eq(bit) for place, bit in enumerate(bits)]
        m.d.comb += self.y.eq(ring)
        return m


def told(bits: Callable[[Signal, Signal], list[object]], *, at_once: bool) -> str:
    """Return the text of the netlist, or what is said about it."""
    try:
        return str(rtlil.convert(Rings(bits, at_once=at_once), name="top", emit_src=False))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


CYCLES = {
    "itself": lambda ring, a: [ring[0], a, a, a],
    "connections": lambda ring, a: [ring[1], ring[2], ring[0], a],
    "an operator": lambda ring, a: [a ^ ring[2], ring[0], ~ring[1], a],
    "all bits": lambda ring, a: [a, (ring + 1)[1], a, a],
    "a condition": lambda ring, a: [a, a, ring.any() & a, a],
}


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("bits", CYCLES.values(), ids=CYCLES)
def test_a_cycle_is_told_as_before(both, bits, at_once) -> None:
    """Along the same path; bits that are assigned at once are connected without a cell between them."""
    shorter, own = both(lambda: told(bits, at_once=at_once))
    assert shorter == own and shorter.startswith("CombinationalCycle: Combinational cycle detected, path:")


@pytest.mark.parametrize("at_once", [True, False])
def test_bits_that_depend_on_others_are_no_cycle(both, at_once) -> None:
    """Bit by bit, where the cell that holds them all would be one."""

    def chain(ring, a):
        return [a, ~ring[0], ring[0] & ring[1], Cat(ring[2], a).all()]

    shorter, own = both(lambda: told(chain, at_once=at_once))
    assert shorter == own and "module" in shorter


@pytest.mark.parametrize(
    "unit",
    [lambda: Mhu(Config(dim=2)), lambda: PacketBufferUnit(PacketConfig(dim=2))],
    ids=["mhu", "packet buffer unit"],
)
def test_the_netlist_is_the_same(both, unit) -> None:
    """Of units with registers, memories and conditions, and all that is in them."""
    shorter, own = both(lambda: rtlil.convert(unit(), name="top", emit_src=True))
    assert shorter == own and len(shorter) > 10_000
