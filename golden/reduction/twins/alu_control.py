"""ALU control: how the ALU prepares its right operand, and what it chooses."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.golden.reduction.contract.word import RESERVED, Operation

__all__ = ["AluControl"]

PREPARED = {
    Operation.ADD: (0, 0),
    Operation.AND: (1, 1),
    Operation.OR: (1, 0),
    Operation.XOR: (0, 0),
    Operation.MIN: (0, 1),
    Operation.MAX: (0, 1),
    Operation.MIN_UNSIGNED: (0, 1),
    Operation.MAX_UNSIGNED: (0, 1),
}
"""Masks and minus, by operation."""


class AluControl:
    """Twin of the ALU's control, which is combinational: a table by operation.

    ``carry`` of a - b says a >= b of numbers without sign; where signs differ and count, it says the opposite.

    Parameters
    ----------
    config : ReductionConfig
        Of the node.
    """

    def __init__(self, config: ReductionConfig) -> None:
        """Have no state."""
        self.config = config

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs."""
        get = inputs.get
        operation = Operation(get("rop", 0) % RESERVED)
        masks, minus = PREPARED[operation]
        there = get("has_a", 0), get("has_b", 0)
        left, right = self._both(operation, inputs) if all(there) else there
        return {"masks": masks, "minus": minus, "left": left, "right": right}

    def _both(self, operation: Operation, inputs: Inputs) -> tuple[int, int]:
        """Return left and right with two operands."""
        carry, sign_a, sign_b = (inputs.get(name, 0) for name in ("carry", "sign_a", "sign_b"))
        signed = operation in (Operation.MIN, Operation.MAX)
        at_least = 1 - carry if signed and sign_a != sign_b else carry
        match operation:
            case Operation.ADD | Operation.AND | Operation.OR:
                return 0, 0
            case Operation.XOR:
                return 1, 1
            case Operation.MIN | Operation.MIN_UNSIGNED:
                return 1 - at_least, at_least
            case _:
                return at_least, 1 - at_least
