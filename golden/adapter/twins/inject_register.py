"""Inject register: the word that waits for the router."""

from __future__ import annotations

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.adapter.twins.words import stream_outputs
from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.crosspoint.twins.flit import Head

__all__ = ["InjectRegister"]


class InjectRegister:
    """Twin of the register; ``word`` is what the router is offered, None if it is empty.

    Parameters
    ----------
    config : AdapterConfig
        Parameters of the node.
    """

    def __init__(self, config: AdapterConfig) -> None:
        """Start in reset."""
        self.config = config
        self.reset()

    def reset(self) -> None:
        """Forget the word."""
        self.word: Head | None = None

    def takes(self, inject_ready: bool) -> bool:
        """Return whether a word is taken from the emitter, given whether the router takes one."""
        return self.word is None or inject_ready

    def edge(self, offered: Head | None, inject_ready: bool) -> None:
        """Take the edge of a cycle, given what the emitter offers."""
        if self.takes(inject_ready):
            self.word = offered

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, ready = inputs.get, bool(inputs.get("o__ready"))
        outputs: Outputs = {"i__ready": int(self.takes(ready))}
        outputs |= stream_outputs("o", self.word, Head._fields)
        self.edge(Head(*(get(f"i__{name}", 0) for name in Head._fields)) if get("i__valid") else None, ready)
        if get("rst"):
            self.reset()
        return outputs
