"""Operation unit: merges a word that came in with a node's own."""

from __future__ import annotations

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.states import Operation
from cubecast.golden.common.twins.ports import Inputs, Outputs

__all__ = ["OperationUnit", "result"]


def result(config: CollectiveConfig, operation: int, own: int, other: int, custom: int) -> int:
    """Return the result of merging two words; ``custom`` is what an operation outside gives."""
    match operation:
        case Operation.SUM:
            return own + other & (1 << config.width) - 1
        case Operation.MIN:
            return min(own, other)
        case Operation.MAX:
            return max(own, other)
        case Operation.AND:
            return own & other
        case Operation.OR:
            return own | other
        case Operation.XOR:
            return own ^ other
        case Operation.CUSTOM:
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
