"""ALU control: how the ALU prepares its right operand, and what it chooses."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.golden.reduction.contract.word import RESERVED, Operation

__all__ = ["AluControl"]

CHOICES = {Operation.ADD: (0, 0), Operation.AND: (0, 0), Operation.OR: (0, 0), Operation.XOR: (1, 1)}
"""Operations that do not compare: whether the left operand is chosen, and the right one."""


class AluControl:
    """Twin of the ALU's control, which is combinational.

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
        has = get("has_a", 0), get("has_b", 0)
        if has != (1, 1):
            left, right = has
        elif operation in CHOICES:
            left, right = CHOICES[operation]
        else:
            below = not get("carry", 0)
            if operation in (Operation.MIN, Operation.MAX) and get("sign_a", 0) != get("sign_b", 0):
                below = not below
            first = below == (operation in (Operation.MIN, Operation.MIN_UNSIGNED))
            left, right = int(first), int(not first)
        masks = operation in (Operation.AND, Operation.OR)
        minus = operation not in (Operation.ADD, Operation.OR, Operation.XOR)
        return {"masks": int(masks), "minus": int(minus), "left": left, "right": right}
