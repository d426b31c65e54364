"""Controller: the four states of a message handling unit."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.states import State

__all__ = ["Controller"]


WAIT, INPUT, PROCESSING, OUTPUT = (int(state) for state in State)
EVENTS = (
    *("taken", "last", "bad", "truncated", "header_end", "multicast", "terminate"),
    *("idle", "restored", "copies", "changed"),
)


class Controller:
    """Twin of the controller; ``decide`` is combinational, the rest are registers.

    When rows of a dropped copy came back, or a link was cut or repaired so that rows vote otherwise (``changed``), no
    dimension is decided ``again`` while a copy is under way, since it may be the dimension of that copy.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Source: Lan 1988, section 6.4.1.
    """

    def __init__(self, config: Config) -> None:
        """Start in reset."""
        self.config = config
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.state = WAIT
        self.ended = 0
        self.discard = 0
        self.again = 0

    def decide(self, header_end: int, multicast: int, chosen: int, copies: int, changed: int = 0) -> int:
        """Return whether a dimension is decided now; ``header_end`` that of a good word taken.

        ``chosen``: the multicaster has a choice for the rows and links as they are; with ``decision_latency`` = 1 it
        has one unless it terminates.
        """
        if not multicast or not chosen or ((self.again or changed) and copies):
            return 0
        return int(self.state >= PROCESSING or (self.state == INPUT and header_end != 0))

    def edge(
        self,
        *,
        taken: int = 0,
        last: int = 0,
        bad: int = 0,
        truncated: int = 0,
        header_end: int = 0,
        multicast: int = 0,
        terminate: int = 0,
        idle: int = 0,
        restored: int = 0,
        copies: int = 0,
        changed: int = 0,
    ) -> None:
        """Take the edge of a cycle."""
        state = self.state
        self.again = int(restored or ((self.again or changed) and copies != 0))
        if state <= INPUT:
            if not taken:
                return
            if bad:
                self.state, self.ended, self.discard = OUTPUT, last, 1
            elif state == WAIT:
                self.state = INPUT
            elif header_end:
                self.state = PROCESSING if multicast and not terminate else OUTPUT
                self.ended, self.discard = last, truncated
            return
        ended = self.ended
        if taken:
            if last:
                self.ended = 1
            if truncated:
                self.discard = 1
        if state == PROCESSING:
            if terminate:
                self.state = OUTPUT
        elif idle and ended:
            self.state, self.ended, self.discard = WAIT, 0, 0

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get = inputs.get
        taken, multicast, terminate = get("taken", 0), get("multicast", 0), get("terminate", 0)
        bad, header_end = get("bad", 0), get("header_end", 0)
        copies, changed = get("copies", 0), get("changed", 0)
        chosen = get("chosen", 0) if self.config.decision_latency > 1 else int(not terminate)
        outputs: Outputs = {
            "state": self.state,
            "ended": self.ended,
            "discard": self.discard,
            "free": int(self.state == WAIT),
            "accept": int(not self.ended),
            "decide": self.decide(int(taken and header_end and not bad), multicast, chosen, copies, changed),
        }
        if get("rst"):
            self.reset()
        else:
            self.edge(**{name: get(name, 0) for name in EVENTS})
        return outputs
