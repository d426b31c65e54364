"""ALU: two words become one."""

from __future__ import annotations

from collections.abc import Callable

from cubecast.golden.common.twins.ports import Inputs, Outputs
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
        """Keep the width."""
        self.config = config
        self._mask = (1 << config.width) - 1
        sign = 1 << config.width - 1
        made: dict[Operation, Callable[[int, int], int]] = {
            Operation.ADD: lambda a, b: a + b & self._mask,
            Operation.AND: lambda a, b: a & b,
            Operation.OR: lambda a, b: a | b,
            Operation.XOR: lambda a, b: a ^ b,
            Operation.MIN: lambda a, b: min(a ^ sign, b ^ sign) ^ sign,
            Operation.MAX: lambda a, b: max(a ^ sign, b ^ sign) ^ sign,
            Operation.MIN_UNSIGNED: min,
            Operation.MAX_UNSIGNED: max,
        }
        self._made = [made[operation] for operation in Operation]

    def join(self, a: int, b: int, rop: int) -> int:
        """Return what becomes of two words."""
        return self._made[rop % RESERVED](a, b)

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs."""
        get = inputs.get
        return {"y": self.join(get("a", 0), get("b", 0), get("rop", 0))}
