"""What bounds a register, whatever happens around its unit."""

from amaranth.hdl import Assert, Cover, Module, Value
from amaranth.lib import wiring

from tests.harness.inside import freed, opened, register

__all__ = ["BoundsSpec"]


class BoundsSpec(wiring.Component):
    """No register or output exceeds its limit, and bits that stay 0 are never set, in any cycle after the reset.

    Limits are reached, so that none of them is larger than it has to be.

    Parameters
    ----------
    unit : Component
        The design; a broken one must be refuted.
    most : dict
        Name of a register or output of the unit to the largest value.
    never : dict
        The same to a mask of bits that are never set.
    still : dict
        Name of an input to a mask of bits that stay 0.
    """

    def __init__(self, unit, most=None, never=None, still=None):
        self.unit, self.most, self.never, self.still = unit, most or {}, never or {}, still or {}
        super().__init__({})

    def elaborate(self, platform):
        """Compare the registers with their limits."""
        m = Module()
        m.submodules.dut = fragment = opened(self.unit)
        freed(m, self.unit, self.still)
        outputs = {
            "__".join(map(str, path)): signal
            for path, member, signal in self.unit.signature.flatten(self.unit)
            if member.flow == wiring.Out
        }
        found = {
            name: Value.cast(outputs[name] if name in outputs else register(fragment, name))
            for name in (*self.most, *self.never)
        }
        for name, limit in self.most.items():
            m.d.comb += [Assert(found[name] <= limit), Cover(found[name] == limit)]
        for name, mask in self.never.items():
            m.d.comb += Assert(~(found[name] & mask).any())
        return m
