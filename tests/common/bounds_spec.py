"""What bounds a register, whatever happens around its unit."""

from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, Cover, Module, Value
from amaranth.lib import wiring

from tests.harness.inside import opened, register

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
        outputs = {}
        for path, member, signal in self.unit.signature.flatten(self.unit):
            name = "__".join(map(str, path))
            if member.flow == wiring.In:
                free = ~self.still.get(name, 0)
                m.d.comb += signal.eq(AnySeq(len(signal)) & (free & (1 << len(signal)) - 1))
            else:
                outputs[name] = signal
        found = {
            name: Value.cast(outputs[name] if name in outputs else register(fragment, name))
            for name in (*self.most, *self.never)
        }
        for name, limit in self.most.items():
            m.d.comb += [Assert(found[name] <= limit), Cover(found[name] == limit)]
        for name, mask in self.never.items():
            m.d.comb += Assert(~(found[name] & mask).any())
        return m
