"""ALU: two words joined by an operation."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.crosspoint.contract.word import OPERATION_BITS
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.rtl.common.instance import place
from cubecast.rtl.reduction.alu_control import AluControl

__all__ = ["Alu"]


class Alu(wiring.Component):
    """Join two words. No latency.

    One carry chain serves sums, comparisons, ``and`` and ``or``: a AND b is a - (a AND NOT b), a OR b is a + (b AND NOT
    a). So each bit takes one function of two operands before the chain, and a choice among four behind it.

    Parameters
    ----------
    config : ReductionConfig
        Gives the width of a word.

    Ports
    -----
    a, b : in, w
        Left and right operand.
    has_a, has_b : in
        Which operands there are, one at least; one alone is the result.
    rop : in, 4
        Operation; its bit 3 is not looked at.
    y : out, w
        The result.
    """

    def __init__(self, config: ReductionConfig):
        self.config = config
        w = config.width
        super().__init__(
            {"a": In(w), "b": In(w), "has_a": In(1), "has_b": In(1), "rop": In(OPERATION_BITS), "y": Out(w)}
        )

    def elaborate(self, platform):
        """Prepare the right operand, add, and choose."""
        m = Module()
        w, a, b = self.config.width, self.a, self.b
        control = place(m, "control", AluControl, self.config)
        addend, total = Signal(w), Signal(w + 1)
        m.d.comb += [
            control.rop.eq(self.rop),
            control.has_a.eq(self.has_a),
            control.has_b.eq(self.has_b),
            control.carry.eq(total[w]),
            control.sign_a.eq(a[-1]),
            control.sign_b.eq(b[-1]),
            addend.eq(Mux(control.masks, Mux(control.minus, ~a | b, ~a & b), Mux(control.minus, ~b, b))),
            total.eq(a + addend + control.minus),
            self.y.eq(Mux(control.left, Mux(control.right, a ^ b, a), Mux(control.right, b, total[:w]))),
        ]
        return m
