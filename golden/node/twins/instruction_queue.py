"""Instruction queue: doorbells that wait for the control unit."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.node.contract.config import NodeConfig

__all__ = ["InstructionQueue"]


class InstructionQueue:
    """Twin of the instruction queue; all its outputs are functions of registers.

    Parameters
    ----------
    config : NodeConfig
        Its number of entries.

    Source: Buzzard 1988, section 3.6.1 (a short synchronization of processor and coprocessor).
    """

    def __init__(self, config: NodeConfig) -> None:
        """Start in reset."""
        self.config = config
        self.reset()

    def reset(self) -> None:
        """Drop all doorbells."""
        self.entries: list[tuple[int, int]] = []

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, entries = inputs.get, self.entries
        ready = len(entries) != self.config.instructions
        outputs: Outputs = {
            "doorbell__ready": int(ready),
            "o__valid": int(bool(entries)),
            "places": self.config.instructions - len(entries),
        }
        outputs["o__instruction"], outputs["o__address"] = entries[0] if entries else (None, None)
        if get("rst"):
            self.reset()
            return outputs
        if entries and get("o__ready"):
            del entries[0]
        if ready and get("doorbell__valid"):
            entries.append((get("doorbell__instruction", 0), get("doorbell__address", 0)))
        return outputs
