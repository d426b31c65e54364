"""ALU: two words joined by an operation."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.crosspoint.contract.word import OPERATION_BITS
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.golden.reduction.contract.word import Operation

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
    rop : in, 4
        Operation; its bit 3 is not looked at.
    y : out, w
        The result.
    """

    def __init__(self, config: ReductionConfig):
        self.config = config
        w = config.width
        super().__init__({"a": In(w), "b": In(w), "rop": In(OPERATION_BITS), "y": Out(w)})

    def elaborate(self, platform):
        """Prepare the right operand, add, and choose."""
        m = Module()
        w, a, b = self.config.width, self.a, self.b
        compares, masks, minus, exclusive = Signal(), Signal(), Signal(), Signal()
        addend, total = Signal(w), Signal(w + 1)
        less, left, right = Signal(), Signal(), Signal()
        code = self.rop[:3]
        signed = (code == Operation.MIN) | (code == Operation.MAX)
        greatest = (code == Operation.MAX) | (code == Operation.MAX_UNSIGNED)
        m.d.comb += [
            compares.eq(code >= Operation.MIN),
            masks.eq((code == Operation.AND) | (code == Operation.OR)),
            minus.eq(compares | (code == Operation.AND)),
            exclusive.eq(code == Operation.XOR),
            addend.eq(Mux(masks, Mux(minus, ~a | b, ~a & b), Mux(minus, ~b, b))),
            total.eq(a + addend + minus),
            # No carry: a < b as numbers without sign; with signs the other way round if they differ.
            less.eq(~total[w] ^ (signed & (a[-1] ^ b[-1]))),
            left.eq(exclusive | (compares & (less ^ greatest))),
            right.eq(exclusive | (compares & ~(less ^ greatest))),
            self.y.eq(Mux(left, Mux(right, a ^ b, a), Mux(right, b, total[:w]))),
        ]
        return m
