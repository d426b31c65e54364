"""Type checker: which kind of message a k field announces."""

from __future__ import annotations

from typing import NamedTuple

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.multicast.contract.config import Config

__all__ = ["Kind", "TypeChecker"]


class Kind(NamedTuple):
    """Kind of a message; exactly one of them is 1."""

    multicast: int
    listed: int
    broadcast: int
    zero: int
    too_long: int


class TypeChecker:
    """Twin of the type checker; combinational.

    Parameters
    ----------
    config : Config
        Parameters of the router: lists up to ``max_dest`` are split, up to ``max_list`` carried along.

    Source: Lan 1988, section 6.5.3; a list of more than m destinations is carried along (L8).
    """

    def __init__(self, config: Config) -> None:
        """Note the limits."""
        self.config = config
        self._split = config.max_dest
        self._carry = config.max_list
        self._broadcast = config.broadcast_k

    def check(self, k: int) -> Kind:
        """Return the kind of a message with this k field."""
        return Kind(
            multicast=int(1 <= k <= self._split),
            listed=int(self._split < k <= self._carry),
            broadcast=int(k == self._broadcast),
            zero=int(k == 0),
            too_long=int(self._carry < k < self._broadcast),
        )

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs."""
        return dict(self.check(inputs.get("k", 0))._asdict())
