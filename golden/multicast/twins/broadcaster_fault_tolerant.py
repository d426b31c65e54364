"""Broadcaster with control vectors: BROADCAST.F3."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs, join
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.twins.policy import policy_of

__all__ = ["BroadcasterFaultTolerant"]


class BroadcasterFaultTolerant:
    """Twin of the broadcaster of BROADCAST.F3; combinational.

    A dimension of the control vector that is faulty here is handed on to every neighbour the message is sent to.
    Under the policy ``ordered`` the dimensions in which the local address has a 1 are served first.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Source: Lan 1988, section 7.4, figure 7.10.
    """

    def __init__(self, config: Config) -> None:
        """Note, for each dimension, the dimensions above it."""
        self.config = config
        self._dim = config.dim
        self._policy = policy_of(config)
        self._address = 0
        self._after = self._order(0)

    def _order(self, address: int) -> list[int]:
        """Return, for each dimension, the mask of those served after it at the node of this address."""
        after, later = [0] * self._dim, self.config.nodes - 1
        for dimension in self._policy.order(address):
            later &= ~(1 << dimension)
            after[dimension] = later
        return after

    @staticmethod
    def send(control: int, fault: int) -> int:
        """Return the dimensions the message is sent to."""
        return control & ~fault

    def controls(self, control: int, fault: int, address: int) -> list[int]:
        """Return the control vector that goes with the message in each dimension."""
        if address != self._address:
            self._address, self._after = address, self._order(address)
        return [control & (after | fault) for after in self._after]

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs."""
        control, fault = inputs.get("control", 0), inputs.get("fault", 0)
        controls = self.controls(control, fault, inputs.get("address", 0))
        return {"send": self.send(control, fault), "controls": join(controls, self._dim)}
