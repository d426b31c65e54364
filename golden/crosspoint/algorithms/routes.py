"""Routes of unicasts: the policies, and ways around faults in two runs, or over one relay."""

from __future__ import annotations

import dataclasses
import enum
import random
from typing import NamedTuple

from cubecast.golden.common.algorithms.faults import Faults, faults_of
from cubecast.golden.crosspoint.algorithms.packets import Header, members, turns_back
from cubecast.golden.crosspoint.contract.word import Kind

__all__ = [
    "NOTHING",
    "POLICIES",
    "Faults",
    "Leg",
    "Route",
    "Unreachable",
    "check_policy",
    "choice",
    "faults_of",
    "find_route",
    "is_clear",
    "legal_first_runs",
    "lengths",
    "two_run_route",
]

POLICIES = ("e-cube", "either", "random", "valiant")
"""How a source chooses r1 and r2 for a destination r1 XOR r2 away.

``e-cube``: r1 = all. ``either``: r1 = all, or r2 = all, at random. ``random``: r1 = a random part. ``valiant``: r1 is
random, so that the packet goes over a random node. The first alone keeps to one path per pair of nodes; with one run it
is the only one.
"""


class Unreachable(enum.Enum):
    """Why there is no route to a node."""

    FAULTY = "the node is faulty"
    CUT_OFF = "no way of working links and nodes leads there"
    TWO_RELAYS = "it would take more than one relay"


NOTHING = Faults()
"""A cube without faults."""


class Leg(NamedTuple):
    """A packet that a node injects.

    Parameters
    ----------
    source : int
        The node.
    header : Header
        The packet's header.
    """

    source: int
    header: Header


@dataclasses.dataclass(frozen=True)
class Route:
    """How a unicast gets to its destination, or why not.

    Parameters
    ----------
    legs : tuple of Leg
        The packets: one, or two with a relay, whose node sends on what it got. None if there is no route.
    reason : Unreachable or None
        Why there is none.
    """

    legs: tuple[Leg, ...] = ()
    reason: Unreachable | None = None

    @property
    def relay(self) -> int | None:
        """The node that sends on, if there is one."""
        return self.legs[1].source if len(self.legs) > 1 else None

    @property
    def length(self) -> int:
        """Links crossed."""
        return sum(leg.header.r1.bit_count() + leg.header.r2.bit_count() for leg in self.legs)


def check_policy(policy: str, runs: int) -> None:
    """Raise ``ValueError`` unless there is such a policy for so many runs."""
    if policy not in POLICIES:
        raise ValueError(f"policy must be one of {', '.join(POLICIES)}, not {policy!r}")
    if runs == 1 and policy != "e-cube":
        raise ValueError(f"policy must be e-cube when runs is 1, not {policy!r}")


def choice(policy: str, dim: int, relative: int, chance: random.Random) -> Header:
    """Return the header that a policy makes for a node ``relative`` (not 0) away.

    Raises
    ------
    ValueError
        There is no such policy.
    """
    if policy not in POLICIES:
        raise ValueError(f"policy must be one of {', '.join(POLICIES)}, not {policy!r}")
    r1 = relative
    if policy == "either":
        r1 = chance.choice((relative, 0))
    elif policy == "random":
        r1 = chance.getrandbits(dim) & relative
    elif policy == "valiant":
        r1 = chance.getrandbits(dim)
        while turns_back(r1, relative ^ r1):
            r1 = chance.getrandbits(dim)
    return Header(Kind.UNICAST, r1, relative ^ r1)


def legal_first_runs(policy: str, dim: int, relative: int) -> tuple[int, ...]:
    """Return every r1 that a policy may choose for a node ``relative`` (not 0) away."""
    if policy == "e-cube":
        return (relative,)
    if policy == "either":
        return (relative, 0)
    if policy == "random":
        return tuple(r1 for r1 in range(1 << dim) if not r1 & ~relative)
    return tuple(r1 for r1 in range(1 << dim) if not turns_back(r1, relative ^ r1))


def is_clear(source: int, header: Header, faults: Faults) -> bool:
    """Return whether no fault is on the way of a unicast from a working node."""
    node = source
    for dimension in (*reversed(members(header.r1)), *members(header.r2)):
        if not faults.passes(node, dimension):
            return False
        node ^= 1 << dimension
    return True


def two_run_route(dim: int, source: int, destination: int, faults: Faults, runs: int = 2) -> Header | None:
    """Return the shortest header without a fault on its way, of equals the one with the least of the second run.

    With one run there is only one header.
    """
    relative = source ^ destination
    if runs == 1:
        header = Header(Kind.UNICAST, relative)
        return header if is_clear(source, header, faults) else None
    size = 1 << dim
    # down[r1]: the way from the source in descending order; up[r2]: the one to the destination in ascending order.
    down, up = [True] * size, [True] * size
    for r in range(1, size):
        low = (r & -r).bit_length() - 1
        down[r] = down[r & r - 1] and faults.passes(source ^ (r & r - 1), low)
        up[r] = faults.passes(destination ^ r, low) and up[r & r - 1]
    found = [r1 for r1 in range(size) if down[r1] and up[relative ^ r1] and not turns_back(r1, relative ^ r1)]
    if not found:
        return None
    r1 = min(
        found, key=lambda r: (r.bit_count() + (relative ^ r).bit_count(), (relative ^ r).bit_count(), relative ^ r)
    )
    return Header(Kind.UNICAST, r1, relative ^ r1)


def lengths(dim: int, source: int, faults: Faults) -> dict[int, int]:
    """Return how many links the shortest two-run route to every node that has one crosses, 0 for the source.

    The way back is one too: so these are also the lengths of routes from these nodes to ``source``.
    """
    found = {source: 0}
    # A state is a node, the dimension that the packet came in, and the run: 1 descends, 2 ascends.
    level, seen, step = [(source, dim, 1)], {(source, dim, 1)}, 0
    while level:
        step += 1
        after = []
        for node, came, run in level:
            # A first ascending hop to a lower dimension is a descending hop too, after which all higher ones are open.
            ways = [(k, 1) for k in range(came)] if run == 1 else []
            ways += [(k, 2) for k in range(came + 1, dim)]
            for k, way in ways:
                state = (node ^ 1 << k, k, way)
                if state not in seen and faults.passes(node, k):
                    seen.add(state)
                    after.append(state)
                    found.setdefault(state[0], step)
        level = after
    return found


def find_route(
    dim: int,
    source: int,
    destination: int,
    faults: Faults = NOTHING,
    *,
    runs: int = 2,
    policy: str = "e-cube",
    chance: random.Random | None = None,
) -> Route:
    """Return how a unicast gets to another node.

    What the policy chooses, if no fault is on its way; else the shortest two-run route; else the shortest way over one
    relay, of equals that with the lowest address.

    Parameters
    ----------
    dim : int
        Dimension of the cube.
    source, destination : int
        Two nodes; the source is not faulty.
    faults : Faults
        What is faulty.
    runs : int
        Runs of the router; with 1 the policy must be ``e-cube``.
    policy : str
        One of :data:`POLICIES`.
    chance : random.Random, optional
        Where policies draw from; default: a generator with seed 0.

    Raises
    ------
    ValueError
        There is no such policy, or it needs two runs.
    """
    check_policy(policy, runs)
    header = choice(policy, dim, source ^ destination, chance or random.Random(0))
    if destination in faults.nodes:
        return Route(reason=Unreachable.FAULTY)
    if is_clear(source, header, faults):
        return Route((Leg(source, header),))
    direct = two_run_route(dim, source, destination, faults, runs)
    if direct is not None:
        return Route((Leg(source, direct),))
    there, back = (
        _lengths(dim, node, faults, runs, towards) for node, towards in ((source, False), (destination, True))
    )
    relays = [node for node in there if node in back]
    if relays:
        relay = min(relays, key=lambda node: (there[node] + back[node], node))
        legs = ((source, relay), (relay, destination))
        headers = [two_run_route(dim, a, b, faults, runs) for a, b in legs]
        return Route(tuple(Leg(a, found) for (a, _), found in zip(legs, headers, strict=True) if found is not None))
    return Route(
        reason=Unreachable.TWO_RELAYS if destination in _connected(dim, source, faults) else Unreachable.CUT_OFF
    )


def _lengths(dim: int, node: int, faults: Faults, runs: int, towards: bool) -> dict[int, int]:
    """Return the lengths of the routes from a node, or towards it."""
    if runs == 2:
        return lengths(dim, node, faults)
    found = {}
    for other in range(1 << dim):
        start = other if towards else node
        if start not in faults.nodes and is_clear(start, Header(Kind.UNICAST, node ^ other), faults):
            found[other] = (node ^ other).bit_count()
    return found


def _connected(dim: int, source: int, faults: Faults) -> set[int]:
    """Return the nodes that some way of working links leads to."""
    found, todo = {source}, [source]
    for node in todo:
        near = [node ^ 1 << k for k in range(dim) if faults.passes(node, k)]
        todo += [other for other in near if other not in found]
        found.update(near)
    return found
