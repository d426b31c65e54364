"""Injection: what the node sends, checked, and ended where it goes on too long or not at all."""

from __future__ import annotations

from typing import NamedTuple

from cubecast.golden.common.twins.ports import Inputs, Outputs, stream
from cubecast.golden.crosspoint.algorithms.packets import Header, fault_of, named
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.word import CrosspointReason
from cubecast.golden.crosspoint.twins.flit import Head, Report

__all__ = ["Injection", "Pushed"]


class Pushed(NamedTuple):
    """What goes into the injection queues in a cycle."""

    push: int = 0
    last: int = 0
    error: int = 0


NOTHING = Pushed()


class Injection:
    """Twin of the injection; ``ready`` and ``report`` are functions of registers.

    A cycle is :meth:`edge`, which returns what goes into the queues; ``message_in`` says whether a head was taken.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the router.
    """

    def __init__(self, config: CrosspointConfig) -> None:
        """Start in reset."""
        self.config = config
        self._queues = config.nodes - 1
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.open_flag = False
        self.inside = False
        self.hold = 0
        self.count = 0
        self.pause = 0
        self.named = 0
        self.report: Report | None = None
        self.message_in = False

    @property
    def resting(self) -> bool:
        """Whether an edge changes nothing as long as no word is offered and no queue fills."""
        return self.open_flag and not self.inside and self.report is None

    @property
    def ready(self) -> bool:
        """Whether a word is taken; a packet once begun is taken to its end."""
        return self.inside or (self.open_flag and self.report is None)

    def edge(self, word: Head | None, push_set: int, room: int, address: int, report_taken: bool) -> Pushed:
        """Return what goes into the queues, and take the edge.

        Parameters
        ----------
        word : Head, optional
            What the node offers.
        push_set : int
            Its next set.
        room : int
            Mask of the injection queues that have room.
        address : int
            Of the node.
        report_taken : bool
            Whether the report that is offered is taken.
        """
        taken = word is not None and self.ready
        self.message_in = taken and not self.inside
        pushed, event = NOTHING, None
        if word is not None and taken:
            pushed, event = self._further(word) if self.inside else self._begin(word, push_set, address)
        elif self.inside and self.hold and self.config.pause_limit:
            self.pause += 1
            if self.pause == self.config.pause_limit:
                pushed, event = Pushed(self.hold, 1, 1), CrosspointReason.PAUSED
                self.hold = self.pause = 0
        if event is not None:
            self.report = event, self.named
        elif report_taken:
            self.report = None
        self.open_flag = not ~room & self._queues
        return pushed

    def _begin(self, word: Head, push_set: int, address: int) -> tuple[Pushed, CrosspointReason | None]:
        """Take a head."""
        header = Header(word.kind, word.r1, word.r2, word.data)
        self.named = named(header, address)
        self.count, self.pause = 1, 0
        self.inside = not word.last
        event: CrosspointReason | None = fault_of(self.config, header)
        chosen = 0 if event is not None else push_set & self._queues
        full = self.inside and self.config.packet_limit == 1
        self.hold = 0 if word.last or full else chosen
        if full and event is None:
            event = CrosspointReason.DATA_TOO_LONG
        return _ended(chosen, word, full), event

    def _further(self, word: Head) -> tuple[Pushed, CrosspointReason | None]:
        """Take a word after the head; without ``hold`` it is swallowed."""
        chosen = self.hold
        full = bool(chosen) and not word.last and self.count == self.config.packet_limit - 1
        self.count += bool(chosen)
        self.pause = 0
        self.inside = not word.last
        if word.last or full:
            self.hold = 0
        return _ended(chosen, word, full), CrosspointReason.DATA_TOO_LONG if full else None

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, ready, report = inputs.get, self.ready, self.report
        word = Head(*(get(f"inject__{name}", 0) for name in Head._fields)) if get("inject__valid") else None
        taken = report is not None and bool(get("report__ready", 0))
        pushed = self.edge(word, get("push_set", 0), get("room", 0), get("address", 0), taken)
        outputs: Outputs = {
            "inject__ready": int(ready),
            "push": pushed.push,
            "last": pushed.last if pushed.push else None,
            "error": pushed.error if pushed.push else None,
            "message_in": int(self.message_in),
            **stream("report", ("reason", "destination"), report),
        }
        if get("rst"):
            self.reset()
        return outputs


def _ended(chosen: int, word: Head, full: bool) -> Pushed:
    """Return a word for the queues; one that makes a packet too long ends it with an error."""
    return Pushed(chosen, int(word.last or full), int((word.last and word.error) or full))
