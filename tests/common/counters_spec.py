"""What every counter has to promise, whatever unit it is in."""

from amaranth.hdl import Assert, C, Cover, Module, Signal
from amaranth.lib import wiring

from tests.harness.inside import freed, opened, register

__all__ = ["CountersSpec"]


class CountersSpec(wiring.Component):
    """From one cycle to the next, a counter grows by less than 2**k modulo 2**w, or falls by no more than d; any state.

    Or it is set to 0, where that is the end of what it counts.

    So a carry that gets lost, a bit that is cut off or sticks, and a wrap at another width are seen at every bit,
    without the 2**w events that a run would need. What is counted, and when, is compared in lockstep.

    A counter that stands is no proof. So it counts on from what is not 0, and, from some state, into its top bit and
    from the largest value on: one that stops at a bit does not.

    Parameters
    ----------
    unit : Component
        The design; a broken one must be refuted.
    counters : dict
        Name of a register of the unit to k, the width of what is added in a cycle, or to k and d; d None: it may be set
        to 0.
    still : sequence of str
        Inputs that stay 0, so that nothing clears the counters.
    upper : bool
        Whether the upper ones of the cases that are to be reached are stated; they are from any state of the unit.
    """

    def __init__(self, unit, counters, still=(), *, upper=False):
        self.dut, self.counters, self.still, self.upper = unit, counters, still, upper
        super().__init__({})

    def elaborate(self, platform):
        """Compare each counter with what it was a cycle before."""
        m = Module()
        m.submodules.dut = fragment = opened(self.dut)
        freed(m, self.dut, dict.fromkeys(self.still, -1))
        began = Signal()
        m.d.sync += began.eq(1)
        for name, most in self.counters.items():
            bits, down = most if isinstance(most, tuple) else (most, 0)
            counter = register(fragment, name)
            before, grown = Signal(len(counter)), Signal(len(counter))
            m.d.sync += before.eq(counter)
            ends = counter == 0 if down is None else C(0)
            down = down or 0
            m.d.comb += [grown.eq(counter - before + down), Assert(~began | ends | (grown < (1 << bits) + down))]
            if self.upper:
                m.d.comb += Cover(before[:-1].all() & ~before[-1] & (counter > before))
                m.d.comb += Cover(before.all() & (counter < before))
            else:
                m.d.comb += Cover((before != 0) & (counter > before))
        return m
