"""ALU control: what the bits of the ALU are told."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.crosspoint.contract.word import OPERATION_BITS
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.golden.reduction.contract.word import Operation

__all__ = ["AluControl"]


class AluControl(wiring.Component):
    """Say how the right operand is prepared and what is chosen. No latency.

    Parameters
    ----------
    config : ReductionConfig
        Of the node; nothing here depends on it.

    Ports
    -----
    rop : in, 4
        Operation; its bit 3 is not looked at.
    has_a, has_b : in
        Which operands there are, one at least.
    carry, sign_a, sign_b : in
        Carry out of the sum; the operands' highest bits.
    masks, minus : out
        The right operand is masked with the left one; it is subtracted.
    left, right : out
        The left operand is chosen, the right one; both: their exclusive or; neither: the sum.
    """

    # Dissolved among the bits of the ALU, it makes synthesis take three times the LUTs for them.
    stays_a_module = True

    def __init__(self, config: ReductionConfig):
        self.config = config
        super().__init__(
            {
                "rop": In(OPERATION_BITS),
                **{name: In(1) for name in ("has_a", "has_b", "carry", "sign_a", "sign_b")},
                **{name: Out(1) for name in ("masks", "minus", "left", "right")},
            }
        )

    def elaborate(self, platform):
        """Decode the operation, and compare."""
        m = Module()
        code, both = self.rop[:3], self.has_a & self.has_b
        compares, greatest, signed, less, exclusive = (
            Signal(name=name) for name in ("compares", "greatest", "signed", "less", "exclusive")
        )
        m.d.comb += [
            compares.eq(code >= Operation.MIN),
            greatest.eq((code == Operation.MAX) | (code == Operation.MAX_UNSIGNED)),
            signed.eq((code == Operation.MIN) | (code == Operation.MAX)),
            exclusive.eq(code == Operation.XOR),
            self.masks.eq((code == Operation.AND) | (code == Operation.OR)),
            self.minus.eq(compares | (code == Operation.AND)),
            # No carry: a < b as numbers without sign; with signs the other way round if they differ.
            less.eq(~self.carry ^ (signed & (self.sign_a ^ self.sign_b))),
            self.left.eq(Mux(both, exclusive | (compares & (less ^ greatest)), self.has_a)),
            self.right.eq(Mux(both, exclusive | (compares & ~(less ^ greatest)), self.has_b)),
        ]
        return m
