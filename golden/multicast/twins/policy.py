"""Routing policies in the twins: one class for each, with all that the units do differently under it."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import ClassVar

from cubecast.golden.multicast.algorithms.broadcast import source_step
from cubecast.golden.multicast.algorithms.policy import POLICIES as ALGORITHMS
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.twins.eligibility import Eligibility

__all__ = ["POLICIES", "Greedy", "Ordered", "Policy", "policy_of"]


class Policy(abc.ABC):
    """What a policy decides: which rows vote, the next lane, and what a dead end is.

    The order of dimensions is that of the algorithm.

    ``revotes``: when a link is cut or repaired, rows may vote for a dimension that has been decided on.

    Parameters
    ----------
    config : Config
        Parameters of the router.
    """

    revotes: ClassVar[bool]

    def __init__(self, config: Config) -> None:
        """Note the parameters, and the policy of the algorithms."""
        self.config = config
        self._algorithm = ALGORITHMS[config.policy]

    @abc.abstractmethod
    def votes(self, rows: Sequence[int], address: int, blocked: int) -> Sequence[int]:
        """Return the dimensions each row votes for at the node of this address."""

    def order(self, address: int) -> Sequence[int]:
        """Return the dimensions in the order in which a broadcast takes them at the node of this address."""
        return self._algorithm.order(self.config.dim, address)

    def sends(self, source: int, address: int) -> int:
        """Return the mask of dimensions in which a broadcast of this relative source goes on, without faults."""
        return sum(1 << j for j in source_step(self._algorithm, self.config.dim, source, address))

    @abc.abstractmethod
    def dead_end(self, address: int, up: int) -> int:
        """Return the mask of dimensions that a message in the last lane cannot take; ``up``: it came 0 -> 1."""

    @abc.abstractmethod
    def gateway_strap(self, address: int, port: int) -> int:
        """Return what the gateway of a port is told."""

    @abc.abstractmethod
    def leaves(self, strap: int, channel: int, lane: int) -> int:
        """Return the lane in which a message of this channel (n: injected) and lane leaves; it may not exist."""

    @abc.abstractmethod
    def group(self, lane: int, leaves: int) -> int:
        """Return the group of units, at a gateway, of one whose message comes in one lane and leaves in another."""

    @abc.abstractmethod
    def lane_of_group(self, strap: int, group: int) -> int:
        """Return the lane that must be ready for the group; it may not exist."""


class Greedy(Policy):
    """Every row votes for all it needs; dimensions in ascending order; a hop from an odd node goes to the next lane."""

    revotes = False

    def votes(self, rows: Sequence[int], address: int, blocked: int) -> Sequence[int]:
        """Return the rows."""
        return rows

    def dead_end(self, address: int, up: int) -> int:
        """Return all at an odd node."""
        return self.config.nodes - 1 if address.bit_count() & 1 else 0

    def gateway_strap(self, address: int, port: int) -> int:
        """Return the parity of the address."""
        return address.bit_count() & 1

    def leaves(self, strap: int, channel: int, lane: int) -> int:
        """Return the next lane at an odd node."""
        return lane + strap if self.config.lanes > 1 else 0

    def group(self, lane: int, leaves: int) -> int:
        """Return the lane it came in."""
        return lane

    def lane_of_group(self, strap: int, group: int) -> int:
        """Return the lane in which all of the group leave."""
        return self.leaves(strap, 0, group)


class Ordered(Policy):
    """1 -> 0 hops come before 0 -> 1 hops; a turn from 0 -> 1 to 1 -> 0 hops goes to the next lane."""

    revotes = True

    def votes(self, rows: Sequence[int], address: int, blocked: int) -> Sequence[int]:
        """Return what the eligibility unit leaves of the rows."""
        return Eligibility.votes(rows, address, blocked)

    def dead_end(self, address: int, up: int) -> int:
        """Return the 1 -> 0 hops."""
        return address if up else 0

    def gateway_strap(self, address: int, port: int) -> int:
        """Return the channels whose messages turn at the port."""
        return address if address >> port & 1 else 0

    def leaves(self, strap: int, channel: int, lane: int) -> int:
        """Return the next lane after a turn."""
        return lane + (strap >> channel & 1) if self.config.lanes > 1 else 0

    def group(self, lane: int, leaves: int) -> int:
        """Return the lane it leaves in."""
        return leaves

    def lane_of_group(self, strap: int, group: int) -> int:
        """Return the lane that the group is named by."""
        return group


POLICIES: dict[str, type[Policy]] = {"greedy": Greedy, "ordered": Ordered}
"""Class of each policy by name."""


def policy_of(config: Config) -> Policy:
    """Return the policy of a router."""
    return POLICIES[config.policy](config)
