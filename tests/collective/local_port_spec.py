"""What the owner of the local port has to promise."""

from amaranth.hdl import Cat, Mux, Signal

from cubecast.rtl.collective.local_port import LocalPort
from tests.collective.unit_spec import UnitSpec

__all__ = ["LocalPortSpec"]


class LocalPortSpec(UnitSpec):
    """Messages pass whole, each for one side only, unchanged, and none of their words is lost or seen twice.

    - A word moves at the router's side exactly when it moves at one of the other two, and is the same word.
    - Words of a message all move at the side at which its first one did.
    - One side has a direction at a time: the other sees no ready, or no word. Who has it changes between two messages
      only, and then at once if ``enable`` says so.
    """

    unit = LocalPort

    def state(self, m):
        """State it for both directions."""
        dut = self.dut
        self._direction(m, "inject", dut.inject, dut.host_inject, dut.unit_inject)
        self._direction(m, "eject", dut.eject, dut.host_eject, dut.unit_eject)
        self.claim(~(dut.host_inject.ready & dut.unit_inject.ready))
        self.claim(~(dut.host_eject.valid & dut.unit_eject.valid))
        self.claim(dut.eject.valid == (dut.host_eject.valid | dut.unit_eject.valid))
        self.claim(dut.inject.valid, dut.host_inject.valid | dut.unit_inject.valid)

    def _direction(self, m, name, router, host, unit):
        """Follow the messages of one direction."""
        moves = router.valid & router.ready
        by_host, by_unit = host.valid & host.ready, unit.valid & unit.ready
        inside, of_unit = Signal(name=f"{name}_inside"), Signal(name=f"{name}_of_unit")
        with m.If(moves):
            m.d.sync += [inside.eq(~router.last), of_unit.eq(by_unit)]
        owned = self.register(f"{name}_unit")
        between = self.before(m, Mux(moves, router.last, ~inside), f"{name}_between")
        enabled = self.before(m, self.dut.enable, f"{name}_enable")
        owned_before = self.before(m, owned, f"{name}_owned")
        self.claim(moves == (by_host | by_unit))
        self.claim(~(by_host & by_unit))
        for side, moved in ((host, by_host), (unit, by_unit)):
            here, there = (Cat(words.data, words.last, words.error) for words in (side, router))
            self.claim(moved, here == there)
        self.claim(inside & moves, by_unit == of_unit)
        self.claim(owned == Mux(between, enabled, owned_before))
        self.invariant(inside == self.register(f"{name}_open"))
        self.invariant(inside, owned == of_unit)
        self.reached(inside & moves & of_unit & router.last & ~self.dut.enable)
