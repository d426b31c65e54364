"""The multicast tree: what every routing algorithm returns, and the engine that grows one from a node's local rule."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from cubecast.golden.common.algorithms.address import (
    MAX_DIM,
    check_dim,
    check_items,
    check_node,
    check_source,
    distance,
    neighbour,
)
from cubecast.golden.common.algorithms.faults import check_faults

__all__ = ["Decision", "MulticastTree", "Request", "broadcast_destinations", "check_request", "grow", "tree_of_parents"]

SEPARATE_MESSAGES = ("unicast", "spare")
"""Policies that send several messages, which may meet: a link or node may be used more than once."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One forwarding decision of one node.

    Parameters
    ----------
    dimension : int
        Dimension of the link the message leaves on, 0-based.
    to : int
        The neighbour there.
    destinations : tuple of int
        Destination list sent along, in header order; empty in a full broadcast.
    control : int or None
        Control vector sent along, if the algorithm uses one.
    """

    dimension: int
    to: int
    destinations: tuple[int, ...] = ()
    control: int | None = None


@dataclass(frozen=True)
class MulticastTree:
    """The way of one message through the cube.

    Parameters
    ----------
    dim : int
        Dimension of the cube.
    source : int
        Node where the message starts.
    destinations : tuple of int
        Destination list of the header, in its order; for a broadcast all other fault-free nodes, ascending.
    policy : str
        Routing policy, one of :data:`cubecast.golden.multicast.algorithms.route.POLICIES`.
    faults : frozenset of int
        Faulty nodes.
    nodes : dict of int to tuple of Decision
        Every node that originated or got the message, nearest first, with its decisions in the order the
        hardware takes them; a leaf has none.
    delivered : tuple of int
        Nodes whose processor got the message, ascending, each once.
    undeliverable : tuple of int
        Destinations that were not reached, ascending.
    """

    dim: int
    source: int
    destinations: tuple[int, ...]
    policy: str
    faults: frozenset[int]
    nodes: dict[int, tuple[Decision, ...]]
    delivered: tuple[int, ...]
    undeliverable: tuple[int, ...]

    @cached_property
    def _levels(self) -> dict[int, int]:
        """Step in which each node is reached first, in breadth-first order."""
        levels = {self.source: 0}
        queue = deque([self.source])
        while queue:
            node = queue.popleft()
            for decision in self.nodes.get(node, ()):
                if decision.to not in levels:
                    levels[decision.to] = levels[node] + 1
                    queue.append(decision.to)
        return levels

    @cached_property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """Links used, as (from, to), breadth-first, a node's in the order of its decisions."""
        return tuple((node, decision.to) for node in self._levels for decision in self.nodes.get(node, ()))

    @property
    def traffic(self) -> int:
        """Number of times a message crosses a link (Lan 1988, section 4.2)."""
        return len(self.edges)

    @property
    def time(self) -> int:
        """Time steps until the last node has the message: the depth of the tree (Lan 1988, section 4.2)."""
        return max(self._levels.values())

    def path(self, node: int) -> tuple[int, ...]:
        """Return the nodes the message passes from the source to ``node``, both included.

        Under a policy of separate messages ``node`` must be a destination.

        Raises
        ------
        ValueError
            The message does not reach ``node``.
        """
        if node not in self.nodes:
            raise ValueError(f"node must be one that the message reaches, not {node}")
        if self.policy in SEPARATE_MESSAGES:
            way = [self.source]
            while way[-1] != node:
                step = [decision.to for decision in self.nodes[way[-1]] if node in decision.destinations]
                if not step:
                    raise ValueError(f"node must be a destination, not {node}")
                way.append(step[0])
            return tuple(way)
        way = [node]
        while way[-1] != self.source:
            way.append(self._parents[way[-1]])
        return tuple(reversed(way))

    @cached_property
    def _parents(self) -> dict[int, int]:
        """The node before each node."""
        return {end: start for start, end in self.edges}

    def check(self) -> None:
        """Check that this is what a multicast tree has to be.

        Every link joins fault-free neighbours and leads away from the source, so that everything arrives over a
        shortest path; every node but the source is entered once (under a policy of separate messages: at least
        once); a sublist holds only what came in; each destination is either delivered or undeliverable, and
        nothing else is delivered.

        Raises
        ------
        ValueError
            It is not so; one line with the reason.
        """
        entered: dict[int, int] = {}
        listed: dict[int, set[int]] = {self.source: set(self.destinations)}
        for node, decisions in sorted(self.nodes.items(), key=lambda item: distance(item[0], self.source)):
            if node in self.faults:
                raise ValueError(f"node must be fault-free, not {node}")
            for decision in decisions:
                self._check_decision(node, decision, listed.get(node, set()))
                entered[decision.to] = entered.get(decision.to, 0) + 1
                listed.setdefault(decision.to, set()).update(decision.destinations)
        for node in self.nodes:
            count = entered.get(node, 0)
            if node == self.source:
                continue
            if count == 0:
                raise ValueError(f"node must be connected to the source, not {node}")
            if count > 1 and self.policy not in SEPARATE_MESSAGES:
                raise ValueError(f"node must be entered once, not {node}, which is entered {count} times")
        self._check_delivery()

    def _check_decision(self, node: int, decision: Decision, arrived: set[int]) -> None:
        """Check one decision of ``node``, where the destinations ``arrived`` came in."""
        link = f"{node} to {decision.to}"
        if not 0 <= decision.dimension < self.dim or decision.to != neighbour(node, decision.dimension):
            raise ValueError(f"link must lead across its dimension, not {link} in dimension {decision.dimension}")
        if decision.to not in self.nodes:
            raise ValueError(f"link must lead to a node of the tree, not {link}")
        if distance(decision.to, self.source) <= distance(node, self.source):
            raise ValueError(f"link must lead away from the source {self.source}, not {link}")
        if not arrived.issuperset(decision.destinations):
            raise ValueError(f"sublist must hold only destinations that came in, not {decision.destinations} on {link}")

    def _check_delivery(self) -> None:
        """Check ``delivered`` and ``undeliverable`` against the destinations."""
        wanted = set(self.destinations)
        for name, group in (("delivered", self.delivered), ("undeliverable", self.undeliverable)):
            if list(group) != sorted(set(group)):
                raise ValueError(f"{name} must be ascending, each node once, not {group}")
            if not wanted.issuperset(group):
                raise ValueError(f"{name} must hold only destinations, not {sorted(set(group) - wanted)}")
        for node in sorted(wanted):
            if (node in self.delivered) == (node in self.undeliverable):
                raise ValueError(f"destination must be either delivered or undeliverable, not {node}")
        for node in self.delivered:
            if node not in self.nodes:
                raise ValueError(f"delivered node must be a node of the tree, not {node}")

    def to_json(self) -> dict[str, Any]:
        """Return the tree as plain lists and dictionaries, ready for :func:`json.dumps`."""
        return {
            "dim": self.dim,
            "source": self.source,
            "destinations": list(self.destinations),
            "policy": self.policy,
            "faults": sorted(self.faults),
            "traffic": self.traffic,
            "time": self.time,
            "edges": [list(edge) for edge in self.edges],
            "nodes": {
                str(node): [
                    {"dimension": decision.dimension, "to": decision.to, "destinations": list(decision.destinations)}
                    | ({} if decision.control is None else {"control": decision.control})
                    for decision in decisions
                ]
                for node, decisions in self.nodes.items()
            },
            "undeliverable": list(self.undeliverable),
        }


@dataclass(frozen=True)
class Request:
    """A checked routing request: dimension, source, destination list as given, faulty nodes."""

    dim: int
    source: int
    destinations: tuple[int, ...]
    faults: frozenset[int]


def check_request(
    dim: int,
    source: int,
    destinations: Iterable[int] = (),
    faults: Iterable[int] = (),
    *,
    max_dim: int = MAX_DIM,
) -> Request:
    """Return the request with every value checked.

    Raises
    ------
    ValueError
        ``dim`` is not from 1 to ``max_dim``, an address is not one of the cube, or the source is faulty.
    """
    dim = check_dim(dim, max_dim)
    faulty = check_faults(faults, dim)
    return Request(
        dim,
        check_source(source, dim, faulty),
        tuple(check_node("destination", node, dim) for node in check_items("destinations", destinations)),
        faulty,
    )


def broadcast_destinations(request: Request) -> tuple[int, ...]:
    """Return all fault-free nodes but the source, ascending: the destinations of a broadcast."""
    return tuple(node for node in range(1 << request.dim) if node != request.source and node not in request.faults)


def grow(
    request: Request, policy: str, start: Sequence[Decision], step: Callable[[int, Decision], Sequence[Decision]]
) -> MulticastTree:
    """Send a message from node to node by a local rule, and return the tree that comes of it.

    A node whose address is in the request's destination list delivers, if the list that came in holds it or is
    empty (full broadcast).

    Parameters
    ----------
    request : Request
        Source, destinations, faults. The destinations of a broadcast are all other nodes.
    policy : str
        Recorded in the tree.
    start : sequence of Decision
        Decisions of the source.
    step : callable
        ``step(node, arrival)`` returns the decisions of ``node`` on the message that came by ``arrival``.
    """
    nodes: dict[int, list[Decision]] = {request.source: list(start)}
    wanted = set(request.destinations)
    delivered = wanted & {request.source}
    queue = deque(start)
    while queue:
        arrival = queue.popleft()
        node = arrival.to
        if node in wanted and (not arrival.destinations or node in arrival.destinations):
            delivered.add(node)
        decisions = step(node, arrival)
        nodes.setdefault(node, []).extend(decisions)
        queue.extend(decisions)
    return MulticastTree(
        request.dim,
        request.source,
        request.destinations,
        policy,
        request.faults,
        {node: tuple(decisions) for node, decisions in nodes.items()},
        tuple(sorted(delivered)),
        tuple(sorted(wanted - delivered)),
    )


def tree_of_parents(request: Request, policy: str, parents: Mapping[int, int], *, lists: bool = True) -> MulticastTree:
    """Return the tree in which each node but the source has the given parent; decisions by ascending dimension.

    Parameters
    ----------
    request : Request
        Source, destinations, faults.
    policy : str
        Recorded in the tree.
    parents : mapping of int to int
        Parent of every node of the tree but the source.
    lists : bool
        Whether destination lists are sent along.
    """
    children: dict[int, list[int]] = {}
    for node, parent in parents.items():
        children.setdefault(parent, []).append(node)
    below: dict[int, set[int]] = {}
    if lists:
        for destination in set(request.destinations) & parents.keys():
            node = destination
            while node != request.source:
                below.setdefault(node, set()).add(destination)
                node = parents[node]

    def decide(node: int, came_in: tuple[int, ...]) -> list[Decision]:
        """Return the decisions of ``node``, which got the list ``came_in``."""
        decisions = []
        for child in sorted(children.get(node, ()), key=lambda child: child ^ node):
            sublist = tuple(d for d in came_in if d in below[child]) if lists else ()
            decisions.append(Decision((child ^ node).bit_length() - 1, child, sublist))
        return decisions

    start = decide(request.source, request.destinations)
    return grow(request, policy, start, lambda node, arrival: decide(node, arrival.destinations))
