"""Collective receiver: takes the segments that the ejection port brings apart."""

from __future__ import annotations

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.segment import Kind, Reading, kind_fields
from cubecast.golden.collective.twins.bundled import by_bundles
from cubecast.golden.common.twins.ports import Inputs, Outputs, Word

__all__ = ["CollectiveReceiver"]


class CollectiveReceiver:
    """Twin of the collective receiver; ``phase`` says which word comes next, the fields are the last KIND word's.

    A cycle: :meth:`ready` says whether a word is taken, :meth:`edge` takes the edge. ``dropping`` says that what comes
    is the rest of a message that was under way at ``cut_short``, which never waits.

    Parameters
    ----------
    config : CollectiveConfig
        Parameters of the node.
    """

    def __init__(self, config: CollectiveConfig) -> None:
        """Start in reset."""
        self.config = config
        self._after_control = Reading.SOURCE if config.router.source_field else Reading.KIND
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.phase = Reading.CONTROL
        self.kind = 0
        self.is_final = 0
        self.stage = 0
        self.hops = 0
        self.dropping = 0

    def ready(self, ring_ready: int) -> int:
        """Return whether a word is taken; only words of a ring may have to wait."""
        return ring_ready | self.dropping if self.kind == Kind.RING and self.phase >= Reading.ARGUMENT else 1

    def edge(self, word: Word | None, cut_short: int = 0) -> None:
        """Take the edge of a cycle in which this word is taken, if any."""
        if word is not None:
            self._take(word)
        if cut_short and self.phase >= Reading.ARGUMENT:
            self.dropping = 1
        elif word is not None and word[1]:
            self.dropping = 0

    def _take(self, word: Word) -> None:
        """Take a word."""
        data, last, _ = word
        phase = self.phase
        if phase == Reading.KIND:
            self.kind, self.is_final, self.stage, self.hops = kind_fields(data)
        if last:
            self.phase = Reading.CONTROL
        elif phase == Reading.CONTROL:
            self.phase = self._after_control
        elif phase == Reading.SOURCE:
            self.phase = Reading.KIND
        else:
            self.phase = Reading.ARGUMENT if phase == Reading.KIND else Reading.BODY

    @by_bundles("arrival", "offer")
    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, phase = inputs.get, self.phase
        ready, valid = self.ready(get("ring_ready", 0)), get("i__valid", 0)
        offered = int(valid and not self.dropping)
        data, last, error = get("i__data", 0), get("i__last", 0), get("i__error", 0) & get("i__last", 0)
        taken = ready & valid
        ends, body, told = taken & last, phase >= Reading.ARGUMENT, taken & (1 - self.dropping)
        outputs: Outputs = {
            "i__ready": ready,
            "phase": phase,
            "kind": self.kind,
            "is_final": self.is_final,
            "stage": self.stage,
            "hops": self.hops,
            "head": told if phase == Reading.ARGUMENT else 0,
            "word": told if phase == Reading.BODY else 0,
            "message_end": told & last if body else 0,
            "bad": ends & error if body else ends,
            "offered": offered,
            "argument": data & 0xFFFF if offered else None,
            "data": data if offered else None,
            "last": last if offered else None,
            "error": error if offered else None,
        }
        if get("rst"):
            self.reset()
        else:
            self.edge((data, last, error) if taken else None, get("cut_short", 0))
        return outputs
