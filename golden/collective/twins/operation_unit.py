"""Operation unit: merges a word that came in with a node's own."""

from __future__ import annotations

from enum import IntEnum

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.common.twins.ports import Inputs, Outputs

__all__ = ["OperationUnit", "WordOperation", "result"]


class WordOperation(IntEnum):
    """Values of ``operation``; REPLACE gives the word that came in."""

    SUM = 0
    MIN = 1
    MAX = 2
    AND = 3
    OR = 4
    XOR = 5
    CUSTOM = 6
    REPLACE = 7


def result(config: CollectiveConfig, operation: int, own: int, other: int, custom: int) -> int:
    """Return the result of merging two words; ``custom`` is what an operation outside gives."""
    match operation:
        case WordOperation.SUM:
            return own + other & (1 << config.width) - 1
        case WordOperation.MIN:
            return min(own, other)
        case WordOperation.MAX:
            return max(own, other)
        case WordOperation.AND:
            return own & other
        case WordOperation.OR:
            return own | other
        case WordOperation.XOR:
            return own ^ other
        case WordOperation.CUSTOM:
            return custom
        case _:
            return other


class OperationUnit:
    """Twin of the operation unit, which is :func:`result`.

    Parameters
    ----------
    config : CollectiveConfig
        Parameters of the node.
    """

    def __init__(self, config: CollectiveConfig) -> None:
        """Keep the parameters."""
        self.config = config

    def step(self, inputs: Inputs) -> Outputs:
        """Return the outputs for these inputs."""
        words = (inputs.get(name, 0) for name in ("operation", "own", "other", "custom"))
        return {"result": result(self.config, *words)}
