"""Shared multicaster: one multicaster for the message handling units of a channel, which take turns."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.twins.multicaster import Multicaster

__all__ = ["SharedMulticaster"]


class SharedMulticaster:
    """Twin of the multicaster that the units of a channel share.

    ``turn`` is the lane that has the turn, ``before`` the one that had it in the cycle before (None after reset). Both
    are registers. ``holder``, a function of them, is the lane whose choice there can be in this cycle, None if none.
    ``resting``: an edge changes nothing unless a unit asks or a word is offered on the link; the multicaster's counts
    are left out, since a unit takes no choice that differs from the one its rows and links make in the same cycle.

    Parameters
    ----------
    config : Config
        Parameters of the router.
    """

    def __init__(self, config: Config) -> None:
        """Start in reset."""
        self.config = config
        self.multicaster = Multicaster(config)
        self._registered = config.decision_latency > 1
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.multicaster.reset()
        self.turn = 0
        self.before: int | None = None

    @property
    def holder(self) -> int | None:
        """The lane that has the turn, once it has had it for as long as a decision takes."""
        return self.turn if self.resting else None

    @property
    def resting(self) -> bool:
        """Whether the turn has been where it is for as long as a decision takes."""
        return not self._registered or self.before == self.turn

    def edge(self, asks: int, decides: int, lane: int | None) -> None:
        """Take the edge of a cycle, but for the multicaster's.

        Parameters
        ----------
        asks : int
            Mask of the lanes whose unit can decide on rows.
        decides : int
            Whether a decision is launched.
        lane : int or None
            The lane of the word offered on the link, if one is.
        """
        self.before, lanes = self.turn, self.config.lanes
        if asks >> self.turn & 1 and not decides:
            return
        if asks:
            order = (*range(self.turn + 1, lanes), *range(self.turn + 1))
            self.turn = next(asking for asking in order if asks >> asking & 1)
        elif lane is not None and lane < lanes:
            self.turn = lane

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, turn, holder, rst = inputs.get, self.turn, self.holder, inputs.get("rst", 0)
        own = {"a": get(f"votes__{turn}", 0), "fault": get(f"blocked__{turn}", 0), "rst": rst}
        choice = self.multicaster.step(own)
        offered = holder is not None and not (self._registered and choice["terminate"])
        outputs: Outputs = {"offered": int(offered) << turn}
        outputs |= {name: choice[name] if offered else None for name in ("y", "r", "k")}
        if rst:
            self.reset()
        else:
            self.edge(get("asks", 0), get("decides", 0), get("lane", 0) if get("valid") else None)
        return outputs
