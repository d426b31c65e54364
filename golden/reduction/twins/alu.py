"""ALU: two words become one."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.reduction.algorithms.operations import joining
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.golden.reduction.contract.word import RESERVED, Operation

__all__ = ["Alu"]


class Alu:
    """Twin of the ALU, which is combinational.

    Parameters
    ----------
    config : ReductionConfig
        Gives the width of a word.
    """

    def __init__(self, config: ReductionConfig) -> None:
        """Prepare the operations."""
        self.config = config
        self._made = [joining(operation, config.width) for operation in Operation]

    def join(self, a: int, b: int, rop: int) -> int:
        """Return what becomes of two words."""
        return self._made[rop % RESERVED](a, b)

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs."""
        get = inputs.get
        a, b = get("a", 0), get("b", 0)
        if get("has_a", 0) and get("has_b", 0):
            return {"y": self.join(a, b, get("rop", 0))}
        return {"y": a if get("has_a", 0) else b}
