"""Instruction queue: doorbells that wait for the control unit."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.twins.unit import Unit

__all__ = ["InstructionQueue"]


class InstructionQueue(Unit):
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

    @property
    def resting(self) -> bool:
        """Whether an edge changes nothing but the time, as long as nothing comes in."""
        return not self.entries

    def show(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs."""
        entries = self.entries
        ready = len(entries) != self.config.instructions
        outputs: Outputs = {
            "doorbell__ready": int(ready),
            "o__valid": int(bool(entries)),
            "places": self.config.instructions - len(entries),
        }
        outputs["o__instruction"], outputs["o__address"] = entries[0] if entries else (None, None)
        return outputs

    def edge(self, inputs: Inputs, outputs: Outputs) -> None:
        """Take the edge of a cycle with these inputs and outputs."""
        get, entries = inputs.get, self.entries
        if get("rst"):
            self.reset()
            return
        if entries and get("o__ready"):
            del entries[0]
        if outputs["doorbell__ready"] and get("doorbell__valid"):
            entries.append((get("doorbell__instruction", 0), get("doorbell__address", 0)))
