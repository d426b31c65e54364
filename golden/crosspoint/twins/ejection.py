"""Ejection: whose packet goes to the node, word by word into a register."""

from __future__ import annotations

from typing import NamedTuple

from cubecast.golden.common.contract.units import Requests
from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.twins.matrix_arbiter import MatrixArbiter

__all__ = ["Ejected", "Ejection"]


class Ejected(NamedTuple):
    """The word in the port's register."""

    data: int
    last: int
    error: int
    kind: int


class Ejection:
    """Twin of the ejection; ``word`` is what the port shows, None if nothing.

    A cycle has two halves: :meth:`choose` finds the link whose word goes (``going``, -1 if none), :meth:`edge` takes
    the edge.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the router.
    """

    def __init__(self, config: CrosspointConfig) -> None:
        """Start in reset."""
        self.config = config
        self.arbiter = MatrixArbiter(Requests(count=config.dim))
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.arbiter.reset()
        self.lock = -1
        self.word: Ejected | None = None
        self.going = -1
        self.head = False

    def choose(self, ne: int, ready: int) -> None:
        """Find whose word goes in this cycle; ``ne`` is the mask of the links that have one."""
        self.going, self.head = -1, False
        if self.word is not None and not ready:
            return
        if self.lock >= 0:
            self.going = self.lock if ne >> self.lock & 1 else -1
        else:
            self.going = self.arbiter.grant(ne)
            self.head = self.going >= 0

    def edge(self, word: Ejected | None, ready: int) -> None:
        """Take the edge; ``word`` is that of the link that goes."""
        if word is not None:
            if self.head:
                self.arbiter.advance(self.going)
            self.lock = -1 if word.last else self.going
        if ready or self.word is None:
            self.word = word

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, shown = inputs.get, self.word
        ne = sum(get(f"i__{k}__ne", 0) << k for k in range(self.config.dim))
        ready = get("eject__ready", 0)
        self.choose(ne, ready)
        k = self.going
        pop = 1 << k if k >= 0 else 0
        leaves = shown is not None and bool(ready)
        outputs: Outputs = {
            "pop": pop,
            "eject__valid": int(shown is not None),
            **{f"eject__{name}": getattr(shown, name, None) for name in Ejected._fields},
            "word_out": int(leaves),
            "message_out": int(leaves and shown is not None and shown.last),
            "waited": int(bool(ne & ~pop)),
        }
        self.edge(Ejected(*(get(f"i__{k}__{name}", 0) for name in Ejected._fields)) if k >= 0 else None, ready)
        if get("rst"):
            self.reset()
        return outputs
