"""Relay store: packets that came in to be sent on."""

from __future__ import annotations

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.adapter.twins.words import Word
from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.crosspoint.twins.queue import Queue

__all__ = ["RelayStore"]


class RelayStore:
    """Twin of the relay store; all its outputs are functions of registers.

    Parameters
    ----------
    config : AdapterConfig
        Parameters of the node.
    """

    def __init__(self, config: AdapterConfig) -> None:
        """Start in reset."""
        self.config = config
        self.queue: Queue[Word] = Queue(config.relay_shape)
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.queue.reset()
        self.whole = 0
        self.sending = False

    @property
    def head(self) -> Word | None:
        """The oldest word."""
        return self.queue.words[0] if self.queue.words else None

    @property
    def destination(self) -> int | None:
        """Where the packet goes that is offered, None if none is."""
        if not self.whole or self.sending or self.head is None:
            return None
        return self.head.data & self.config.nodes - 1

    def edge(self, pushed: Word | None, taken: bool, pop: bool) -> None:
        """Take the edge of a cycle."""
        head = self.head
        if taken:
            self.sending = True
        elif pop and head is not None and head.last:
            self.sending = False
        self.whole += bool(pushed is not None and pushed.last) - taken
        self.queue.edge(pushed, pop)

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, destination = inputs.get, self.destination
        outputs: Outputs = {
            "room": int(self.queue.room),
            "relay__valid": int(destination is not None),
            "relay__destination": destination,
            **{f"relay__{name}": getattr(self.head, name, None) for name in Word._fields},
        }
        if get("rst"):
            self.reset()
        else:
            pushed = Word(*(get(name, 0) for name in Word._fields)) if get("push") else None
            self.edge(pushed, bool(get("taken")), bool(get("pop")))
        return outputs
