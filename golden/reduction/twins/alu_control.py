"""ALU control: how the ALU prepares its right operand, and what it chooses."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.golden.reduction.contract.word import RESERVED, Operation

__all__ = ["AluControl"]

MASKED = {Operation.AND, Operation.OR}
COMPARING = {Operation.MIN, Operation.MAX, Operation.MIN_UNSIGNED, Operation.MAX_UNSIGNED}
SIGNED = {Operation.MIN, Operation.MAX}
LEAST = {Operation.MIN, Operation.MIN_UNSIGNED}


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
        operation = Operation(inputs.get("rop", 0) % RESERVED)
        outputs: Outputs = {"masks": int(operation in MASKED)}
        outputs["minus"] = int(operation in COMPARING or operation is Operation.AND)
        outputs["left"], outputs["right"] = map(int, self._chosen(operation, inputs))
        return outputs

    def _chosen(self, operation: Operation, inputs: Inputs) -> tuple[bool, bool]:
        """Return whether the left operand is chosen, and whether the right one is."""
        has_a, has_b = bool(inputs.get("has_a", 0)), bool(inputs.get("has_b", 0))
        if not (has_a and has_b):
            return has_a, has_b
        if operation not in COMPARING:
            return (operation is Operation.XOR,) * 2
        less = not inputs.get("carry", 0)
        if operation in SIGNED and inputs.get("sign_a", 0) != inputs.get("sign_b", 0):
            less = not less
        left = less if operation in LEAST else not less
        return left, not left
