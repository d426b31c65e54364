"""Waiting graph: which buffer a message may wait for while it holds another one, computed from the routing relation.

A *buffer* is a message handling unit (MHU): that of a lane of a channel, or that of an injection port. A message holds
the buffer it is in until all its copies have left, and a copy needs the buffer it goes to in the next node. If
messages wait for each other forever, the buffers they hold and wait for form a ring; so a network whose waiting graph
has no cycle cannot deadlock. No formula of the lanes is used here: every message that can be in a buffer is followed
through the step functions of the algorithms, under every fault vector, and the lanes are counted along its way.

*Gateways* are no nodes of the graph, although a copy may also wait for a gateway that another message holds. Whoever
holds a gateway has its downstream buffer already, and a receiver never stops a message that has started. Its words
come out of a buffer that is filled through a gateway that the same message holds, and so on back to the
injection port, where the processor has to send on. So the hold ends without any other buffer being set free: a
gateway waits for nothing that is in the graph, and cannot be part of a ring. The local gateway and the report
collector are ends of the same kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from cubecast.golden.common.algorithms.address import neighbour
from cubecast.golden.multicast.algorithms.broadcast import control_step
from cubecast.golden.multicast.algorithms.multicast import policy_step
from cubecast.golden.multicast.algorithms.policy import POLICIES
from cubecast.golden.multicast.contract.config import Config

__all__ = ["Buffer", "Graph", "Wait", "refused_hops", "waiting_graph"]

ROW = "row"
CONTROL = "control"


class Buffer(NamedTuple):
    """One message handling unit.

    Parameters
    ----------
    node : int
        Its node.
    channel : int
        The dimension its messages come in on; n for the injection port.
    lane : int
        Its lane; 0 at the injection port.
    """

    node: int
    channel: int
    lane: int


class Wait(NamedTuple):
    """Why a message may wait: the piece of one that makes the router decide so.

    Parameters
    ----------
    kind : str
        ``"row"``: a destination in a list; ``"control"``: a broadcast.
    value : int
        The row (destination relative to the node) or the control vector in the buffer waited in.
    fault : int
        A fault vector under which the hop is chosen.
    dimension : int
        The dimension of the hop.
    """

    kind: str
    value: int
    fault: int
    dimension: int

    @property
    def weight(self) -> tuple[int, int, bool, int, int]:
        """Sorts the simplest reason first: few faults, few bits, a row before a broadcast."""
        return self.fault.bit_count(), self.value.bit_count(), self.kind != ROW, self.value, self.fault


Graph = Mapping[Buffer, Mapping[Buffer, Wait]]
"""For every buffer the buffers that a message in it may wait for, each with the simplest reason."""


class _Hop(NamedTuple):
    """A hop that some fault vector makes the router choose: the dimension, what is sent there, the fault vector."""

    dimension: int
    sent: int
    fault: int


def _subsets(mask: int, most: int) -> Iterator[int]:
    """Yield the subsets of ``mask`` with at most ``most`` members, the empty one first."""
    subset = 0
    while True:
        if subset.bit_count() <= most:
            yield subset
        subset = (subset - mask) & mask
        if not subset:
            return


class _Relation:
    """The routing relation of one configuration: the hops a row or a control vector may make at a node.

    Parameters
    ----------
    config : Config
        Parameters of the router.
    most_faults : int
        Largest number of faulty dimensions a decision may see.
    """

    def __init__(self, config: Config, most_faults: int) -> None:
        self.dim = config.dim
        self.lanes = config.lanes
        self.policy = POLICIES[config.policy]
        self.alone = config.max_dest == 1
        self.most = most_faults if config.fault_tolerant else 0
        self._found: dict[tuple[str, int, int], tuple[_Hop, ...]] = {}

    def lane(self, buffer: Buffer, dimension: int) -> int:
        """Return the lane of a message after a hop, counted along its way; it may be one beyond the last.

        With one lane nothing is counted.
        """
        if self.lanes == 1:
            return 0
        came = buffer.channel if buffer.channel < self.dim else None
        return buffer.lane + self.policy.rises(buffer.node, came, dimension)

    def hops(self, kind: str, node: int, value: int) -> tuple[_Hop, ...]:
        """Return the hops that a fault vector can make the router choose at ``node``."""
        key = (kind, node if self.policy.by_address else 0, value)
        if key not in self._found:
            hops: dict[tuple[int, int], _Hop] = {}
            one_node = self._row_hops if kind == ROW else self._control_hops
            for fault in _subsets(value, self.most):
                for dimension, sent in one_node(node, value, fault):
                    hops.setdefault((dimension, sent), _Hop(dimension, sent, fault))
            self._found[key] = tuple(hops.values())
        return self._found[key]

    def _row_hops(self, node: int, row: int, fault: int) -> Iterator[tuple[int, int]]:
        """Yield what may happen to one row of a list.

        The row votes for some columns, which are the non-zero column sums of a list of this row alone. The other rows
        of a list can make any of them win: with the nodes of a path as destinations, the path is taken.
        """
        for choice in policy_step(self.policy, self.dim, (row,), node, fault).choices:
            for dimension, total in enumerate(choice.sums):
                if dimension == choice.dimension or (total and not self.alone):
                    yield dimension, row ^ 1 << dimension

    def _control_hops(self, node: int, control: int, fault: int) -> Iterator[tuple[int, int]]:
        """Yield where one broadcast goes."""
        yield from control_step(self.policy.order(self.dim, node), control, fault)


def _explore(config: Config, most_faults: int) -> Iterator[tuple[Buffer, Buffer, Wait]]:
    """Yield every wait of every message, once for each row or control vector that can be in a buffer.

    The buffer waited for may have a lane beyond the last: the router refuses such a hop.
    """
    relation = _Relation(config, most_faults)
    # A processor may start with any list, and nothing keeps it from sending any control vector.
    todo = [
        (Buffer(node, config.local, 0), kind, value)
        for node in range(config.nodes)
        for kind in (ROW, CONTROL)
        for value in range(1, config.nodes)
    ]
    seen = set(todo)
    while todo:
        buffer, kind, value = todo.pop()
        for hop in relation.hops(kind, buffer.node, value):
            lane = relation.lane(buffer, hop.dimension)
            target = Buffer(neighbour(buffer.node, hop.dimension), hop.dimension, lane)
            yield buffer, target, Wait(kind, value, hop.fault, hop.dimension)
            state = (target, kind, hop.sent)
            if lane < config.lanes and hop.sent and state not in seen:
                seen.add(state)
                todo.append(state)


def waiting_graph(config: Config) -> Graph:
    """Return the waiting graph of a router network.

    Every destination row and every control vector starts at every injection port. At each node each is decided on under
    every fault vector, and each hop chosen under any of them is followed, since faults and repairs may come at any
    time. That covers the copies which a fault stops before they have started: their rows are back in the reference
    array as they were, and the other copies of a broadcast go on as if the dimension had been faulty from the start. A
    hop that needs a lane beyond the last is no wait: the router reports its destinations instead.

    For ``max_dest`` = 1 or >= n (each node of a path can be a destination) every wait can happen; between, the
    graph may hold more than lists of m rows can bring about.

    Parameters
    ----------
    config : Config
        Parameters of the router. The work grows sevenfold with each dimension; n = 7 takes seconds.

    Returns
    -------
    Graph
        All buffers, each with the buffers a message in it may wait for and the simplest reason for each.
    """
    graph: dict[Buffer, dict[Buffer, Wait]] = {}
    for node in range(config.nodes):
        graph[Buffer(node, config.local, 0)] = {}
        for channel in range(config.dim):
            graph.update({Buffer(node, channel, lane): {} for lane in range(config.lanes)})
    for buffer, target, wait in _explore(config, config.dim):
        if target in graph:
            waits = graph[buffer]
            if target not in waits or wait.weight < waits[target].weight:
                waits[target] = wait
    return graph


def refused_hops(config: Config, most_faults: int) -> list[tuple[Buffer, Wait]]:
    """Return the hops that would need a lane beyond the last, so that the router reports their destinations.

    Parameters
    ----------
    config : Config
        Parameters of the router.
    most_faults : int
        Largest number of faulty dimensions in one decision; 1 is the rule of Lan 1988, section 7.2. Which they are
        may differ from decision to decision.

    Returns
    -------
    list of (Buffer, Wait)
        The buffer and the hop, each pair once, ascending.
    """
    found = {(buffer, wait) for buffer, target, wait in _explore(config, most_faults) if target.lane >= config.lanes}
    return sorted(found)
