"""Units whose outputs are seen before their edge is taken, so that they can be parts of another one."""

from __future__ import annotations

import abc

from cubecast.golden.common.twins.ports import Inputs, Outputs

__all__ = ["Unit"]


class Unit(abc.ABC):
    """A twin whose cycle has two halves: outputs, as often as somebody wants to see them, and then the edge."""

    @property
    @abc.abstractmethod
    def resting(self) -> bool:
        """Whether an edge changes nothing but the time, as long as nothing comes in."""

    @abc.abstractmethod
    def show(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs; nothing changes. Only inputs that an output depends on need be there."""

    @abc.abstractmethod
    def edge(self, inputs: Inputs, outputs: Outputs) -> None:
        """Take the edge of a cycle with these inputs and outputs."""

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        outputs = self.show(inputs)
        self.edge(inputs, outputs)
        return outputs
