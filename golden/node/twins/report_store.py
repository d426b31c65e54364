"""Report store: nodes that a packet found no way to."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.twins.unit import Unit

__all__ = ["ReportStore"]


class ReportStore(Unit):
    """Twin of the report store.

    Parameters
    ----------
    config : NodeConfig
        Number of nodes.
    """

    def __init__(self, config: NodeConfig) -> None:
        """Start in reset."""
        self.config = config
        self.reset()

    def reset(self) -> None:
        """Forget all reports; the entries are cleared one by one."""
        self.cleared = 0
        self.reported: list[int] = []

    @property
    def resting(self) -> bool:
        """Whether an edge changes nothing but the time, as long as nothing comes in."""
        return self.cleared == self.config.nodes and not self.reported

    def show(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs."""
        ready = self.cleared == self.config.nodes
        valid = ready and bool(self.reported)
        return {
            "ready": int(ready),
            "o__valid": int(valid),
            "o__destination": self.reported[0] if valid else None,
        }

    def edge(self, inputs: Inputs, outputs: Outputs) -> None:
        """Take the edge of a cycle with these inputs and outputs."""
        get = inputs.get
        if get("rst"):
            self.reset()
            return
        self.cleared += not outputs["ready"]
        if outputs["o__valid"] and get("o__ready"):
            del self.reported[0]
        destination = get("put__destination", 0)
        if outputs["ready"] and get("put__valid") and destination not in self.reported:
            self.reported.append(destination)
