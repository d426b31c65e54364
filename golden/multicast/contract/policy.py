"""Routing policies: their names, how many lanes each needs, and what units have to be told for its sake."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from cubecast.golden.common.contract.parameters import DERIVED, integer

__all__ = ["FACTS", "Policy", "Strap"]


@dataclasses.dataclass(frozen=True)
class Strap:
    """An input that does not change while a router runs.

    Parameters
    ----------
    name : str
        Name of the port.
    per_dimension : bool
        True: n bits; False: one bit.
    """

    name: str
    per_dimension: bool

    def width(self, dim: int) -> int:
        """Return the number of bits in a router of this dimension."""
        return dim if self.per_dimension else 1


@dataclasses.dataclass(frozen=True)
class Policy:
    """Facts about a routing policy that hardware, model and testbenches share.

    Parameters
    ----------
    about : str
        What it does, in a line of a command's help.
    lanes : function
        Takes the dimension, whether there is a fault vector, and the number of lanes asked for, :data:`DERIVED` for
        the least that cannot deadlock; returns the number, or raises ``ValueError``.
    gateway : Strap
        What an output gateway must know beside the lane that a message came in, to find the one it leaves in.
    channel : tuple of Strap
        What a channel must know beside the address, to find the dimensions that are beyond the last lane.
    broadcaster : tuple of Strap
        What the order of dimensions in a broadcast depends on.
    """

    about: str
    lanes: Callable[[int, bool, int], int]
    gateway: Strap
    channel: tuple[Strap, ...] = ()
    broadcaster: tuple[Strap, ...] = ()


def _greedy_lanes(dim: int, fault_tolerant: bool, lanes: int) -> int:
    """Return ceil(n/2) + 1, or the lanes asked for: 1, or from there to n + 1."""
    enough = (dim + 1) // 2 + 1
    if type(lanes) is int and lanes == DERIVED:
        return enough
    if type(lanes) is not int or (lanes != 1 and not enough <= lanes <= dim + 1):
        raise ValueError(f"lanes must be 1 or an integer from {enough} to {dim + 1}, not {lanes!r}")
    return lanes


def _ordered_lanes(dim: int, fault_tolerant: bool, lanes: int) -> int:
    """Return 2 if a path around a fault may turn, else 1, or the lanes asked for: 1 or 2."""
    if type(lanes) is int and lanes == DERIVED:
        return 1 + int(fault_tolerant)
    return integer("lanes", lanes, 1, 2)


FACTS = {
    "greedy": Policy(
        "each node sends where most destinations lie (MULTICAST.F1; broadcasts by BROADCAST.F3)",
        _greedy_lanes,
        gateway=Strap("odd", False),
    ),
    "ordered": Policy(
        "the same, but address bits are first cleared, then set",
        _ordered_lanes,
        gateway=Strap("turn", True),
        channel=(Strap("up", False),),
        broadcaster=(Strap("address", True),),
    ),
}
"""Routing policies that a router can be generated with, by name; the first one is the default."""
