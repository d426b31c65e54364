"""Broadcaster for the fault-free message format: the dimensions after the last one crossed."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.twins.policy import policy_of

__all__ = ["BroadcasterFaultFree"]


class BroadcasterFaultFree:
    """Twin of the broadcaster of BROADCAST.2; combinational.

    Under the policy ``ordered`` the dimensions stand in the order in which the source serves them: those in which its
    address has a 1 first.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Source: Lan 1988, section 6.5.6, figure 6.5.
    """

    def __init__(self, config: Config) -> None:
        """Note the dimensions and the policy."""
        self.config = config
        self._policy = policy_of(config)

    def send(self, source: int, address: int) -> int:
        """Return the dimensions that come after all those in which the relative source address has a one."""
        return self._policy.sends(source, address)

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs."""
        return {"send": self.send(inputs.get("source", 0), inputs.get("address", 0))}
