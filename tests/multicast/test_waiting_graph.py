"""The waiting graph: no ring with the computed lanes, a ring with one, and the ring is a deadlock of the network."""

from __future__ import annotations

import functools
import itertools
import re
from pathlib import Path

import pytest

from cubecast.golden.common.algorithms.faults import fault_sets
from cubecast.golden.common.algorithms.waits import find_cycle, topological_order
from cubecast.golden.multicast.algorithms.broadcast import (
    broadcast_by,
    source_step,
)
from cubecast.golden.multicast.algorithms.multicast import multicast_by
from cubecast.golden.multicast.algorithms.policy import POLICIES
from cubecast.golden.multicast.algorithms.waiting_graph import (
    Buffer,
    Graph,
    Wait,
    _Relation,
    refused_hops,
    waiting_graph,
)
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.message import encode
from cubecast.golden.multicast.twins.network import Network
from cubecast.golden.multicast.twins.output_gateway import OutputGateway
from cubecast.golden.multicast.twins.policy import policy_of

ROOT = Path(__file__).parents[2]
SAFE = list(itertools.product(POLICIES, (True, False)))
DIMS = [2, 3, 4, 5, 6]


def config(dim: int, policy: str, fault_tolerant: bool, lanes: int | None = None, **more: int) -> Config:
    """Return a configuration with its default lanes, or with as many as are named."""
    if lanes is not None:
        more["lanes"] = lanes
    return Config(dim=dim, policy=policy, fault_tolerant=fault_tolerant, **more)


@functools.cache
def graph_of(some: Config) -> Graph:
    """Return the waiting graph, computed once."""
    return waiting_graph(some)


@pytest.mark.parametrize(("policy", "fault_tolerant"), SAFE)
@pytest.mark.parametrize("dim", DIMS)
def test_the_default_lanes_cannot_deadlock(dim: int, policy: str, fault_tolerant: bool) -> None:
    """There is an order of all buffers in which every wait leads forward, whatever the fault vectors."""
    graph = graph_of(config(dim, policy, fault_tolerant))
    order = topological_order(graph)
    assert order is not None and find_cycle(graph) is None
    assert sorted(order) == sorted(graph)
    place = {buffer: index for index, buffer in enumerate(order)}
    waits = [(buffer, target) for buffer, targets in graph.items() for target in targets]
    assert all(place[buffer] < place[target] for buffer, target in waits)
    assert {buffer.channel for buffer, _ in waits} == set(range(dim + 1))
    assert all(target.channel < dim for _, target in waits)


@pytest.mark.parametrize(
    ("policy", "fault_tolerant"), [("greedy", True), ("greedy", False), ("ordered", True)], ids=str
)
@pytest.mark.parametrize("dim", DIMS)
def test_one_lane_has_a_ring(dim: int, policy: str, fault_tolerant: bool) -> None:
    """One lane of greedy, and of ordered with faults: a ring of four buffers round a square of the cube."""
    graph = graph_of(config(dim, policy, fault_tolerant, lanes=1))
    assert topological_order(graph) is None
    cycle = find_cycle(graph)
    assert cycle == [Buffer(0, 0, 0), Buffer(2, 1, 0), Buffer(3, 0, 0), Buffer(1, 1, 0)]
    assert all(target in graph[buffer] for buffer, target in itertools.pairwise([*cycle, cycle[0]]))


def test_unicasts_and_broadcasts_alone_need_no_lanes() -> None:
    """With m = 1 and no faults every path is ascending: one lane of greedy is enough."""
    assert find_cycle(waiting_graph(config(4, "greedy", False, lanes=1, max_dest=1, max_list=1))) is None
    assert find_cycle(waiting_graph(config(4, "greedy", False, lanes=1, max_dest=2))) is not None


@pytest.mark.parametrize("lost", ["odd", "turn"])
def test_a_wrong_count_of_lanes_is_found(lost: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A message that stays in its lane on some hop which has to raise it closes a ring."""
    policy = "greedy" if lost == "odd" else "ordered"
    count = _Relation.lane

    def lane(self: _Relation, buffer: Buffer, dimension: int) -> int:
        """Forget what the hop counts in the highest dimension."""
        return buffer.lane if dimension == self.dim - 1 else count(self, buffer, dimension)

    monkeypatch.setattr(_Relation, "lane", lane)
    assert find_cycle(waiting_graph(config(3, policy, True))) is not None


def copies_of(some: Config, leaves: bool = False) -> dict[tuple, list[tuple]]:
    """Return who waits for whom when each unit has one streamer, with copies as vertices.

    A buffer waits for all copies of the message in it. A copy that ``waits`` does so for the streamer, that is for any
    other one that is ``served`` or ``moves``. One that is served waits for the next buffer, or for the gateway that a
    copy of another message in this node moves through. One that moves waits for words, that is for the copy that moves
    into its own buffer; if a streamer ``leaves`` copies under way, also for any other copy that it is with.
    """
    graph = graph_of(some)
    into: dict[Buffer, list[Buffer]] = {buffer: [] for buffer in graph}
    crossing: dict[tuple[int, int], list[tuple[Buffer, Buffer]]] = {}
    for buffer, targets in graph.items():
        for target in targets:
            into[target].append(buffer)
            crossing.setdefault((buffer.node, target.channel), []).append((buffer, target))
    waits: dict[tuple, list[tuple]] = {}
    for buffer, targets in graph.items():
        waits["buffer", buffer] = [(state, buffer, to) for state in ("waits", "served", "moves") for to in targets]
        for to in targets:
            others = [(state, buffer, other) for state in ("served", "moves") for other in targets if other != to]
            through = crossing[buffer.node, to.channel]
            waits["waits", buffer, to] = [("served", buffer, to), *others]
            waits["served", buffer, to] = [("buffer", to)]
            waits["served", buffer, to] += [("moves", *other) for other in through if other[0] != buffer]
            waits["moves", buffer, to] = [("moves", before, buffer) for before in into[buffer]]
            waits["moves", buffer, to] += [each for each in others if each[0] == "served"] if leaves else []
    return waits


@pytest.mark.parametrize(("policy", "fault_tolerant"), SAFE)
@pytest.mark.parametrize("dim", [2, 3, 4])
def test_shared_streamers_close_no_ring(dim: int, policy: str, fault_tolerant: bool) -> None:
    """There is an order of all buffers and copies, with one streamer a unit, in which every wait leads forward."""
    assert topological_order(copies_of(config(dim, policy, fault_tolerant))) is not None


@pytest.mark.parametrize("policy", ["greedy", "ordered"])
def test_a_streamer_that_leaves_its_copy_closes_a_ring(policy: str) -> None:
    """If a copy under way had to wait for another one to find its buffer, the default lanes would not be enough."""
    assert topological_order(copies_of(config(3, policy, True), leaves=True)) is None


@pytest.mark.parametrize("dim", DIMS)
def test_hops_that_have_no_lane(dim: int) -> None:
    """Greedy refuses none; ordered none while a decision sees one faulty dimension at most, some with two (n >= 4)."""
    assert not refused_hops(config(dim, "greedy", True), dim)
    assert not refused_hops(config(dim, "ordered", False), 0)
    assert not refused_hops(config(dim, "ordered", True), 1)
    if dim >= 4:
        refused = refused_hops(config(dim, "ordered", True), 2)
        assert refused and all(buffer.lane == 1 for buffer, _ in refused)


def longest_chain(graph: Graph) -> int:
    """Return the number of waits in the longest chain."""
    order, waits = topological_order(graph), dict.fromkeys(graph, 0)
    assert order is not None
    for buffer in reversed(order):
        waits[buffer] = max((1 + waits[target] for target in graph[buffer]), default=0)
    return max(waits.values())


@pytest.mark.parametrize("dim", [*DIMS, pytest.param(7, marks=pytest.mark.soak)])
def test_the_table_of_the_docs(dim: int) -> None:
    """All figures of ``docs/deadlock.md``."""
    rows = re.findall(rf"^\| {dim} \| (.+) \|$", (ROOT / "docs" / "deadlock.md").read_text(), re.MULTILINE)
    found = []
    for policy, fault_tolerant in SAFE:
        some = config(dim, policy, fault_tolerant)
        graph = graph_of(some)
        ring = find_cycle(graph_of(config(dim, policy, fault_tolerant, lanes=1)))
        figures = [some.lanes, len(graph), sum(map(len, graph.values())), longest_chain(graph)]
        found.append(
            [policy, "yes" if fault_tolerant else "no", *map(str, figures), str(len(ring)) if ring else "none"]
        )
    assert [row.split(" | ") for row in rows] == found


@pytest.mark.parametrize("policy", ["greedy", "ordered"])
def test_every_tree_of_the_algorithms_runs_along_the_graph(policy: str) -> None:
    """n = 3, all rule-obeying fault sets and sources: each hop of each tree is a wait of the graph."""
    some = config(3, policy, True)
    graph, relation = waiting_graph(some), _Relation(some, 3)
    for faults in fault_sets(3):
        for source in set(range(8)) - faults:
            pairs = itertools.combinations(set(range(8)) - {source}, 2)
            trees = [multicast_by(policy, 3, source, pair, faults) for pair in pairs]
            trees += [broadcast_by(policy, 3, source, faults), multicast_by(policy, 3, source, range(8), faults)]
            for tree in trees:
                at = {source: Buffer(source, 3, 0)}
                for start, end in tree.edges:
                    dimension = (start ^ end).bit_length() - 1
                    at[end] = Buffer(end, dimension, relation.lane(at[start], dimension))
                    assert at[end] in graph[at[start]]


@pytest.mark.parametrize("policy", ["greedy", "ordered"])
def test_the_broadcast_of_the_fault_free_format_is_covered(policy: str) -> None:
    """Its dimensions, for any source address, are those of a control vector, and so are those of its copies."""
    relation = _Relation(config(4, policy, False), 0)

    def vector(source: int, node: int) -> int:
        """Return the dimensions used at ``node``, as a vector."""
        relative = source ^ node
        sent = source_step(POLICIES[policy], 4, relative, node)
        return sum(1 << j for j in sent)

    for source, node in itertools.product(range(16), repeat=2):
        hops = relation.hops("control", node, vector(source, node))
        assert sum(1 << hop.dimension for hop in hops) == vector(source, node)
        assert all(hop.sent == vector(source, node ^ 1 << hop.dimension) for hop in hops)


@pytest.mark.parametrize(("policy", "lanes"), [("greedy", 3), ("greedy", 1), ("ordered", 2), ("ordered", 1)])
def test_the_gateway_counts_the_same_lanes(policy: str, lanes: int) -> None:
    """Every unit of every node alone: the lane it goes out in, and that it does not when there is none."""
    some = config(3, policy, True, lanes=lanes)
    relation = _Relation(some, 3)
    for node, dimension, unit in itertools.product(range(8), range(3), range(some.units)):
        strap = policy_of(some).gateway_strap(node, dimension)
        inputs = {some.policy_facts.gateway.name: strap, "ready": 2**lanes - 1, "advance": 1}
        outputs = OutputGateway(some).step({**inputs, f"i__{unit}__valid": 1})
        lane = relation.lane(Buffer(node, *divmod(unit, lanes)), dimension)
        assert outputs["valid"] == (lane < lanes)
        assert lane >= lanes or outputs["lane"] == lane


def test_the_ring_of_one_lane_is_a_deadlock_of_the_network() -> None:
    """Four messages put into the four buffers of the ring wait there forever; with the default lanes they arrive.

    Each comes from the node before its buffer, and its destination is the row that the graph names as the reason.
    The buffer's own node is a second destination where only this makes the first hop right.
    """
    one = config(2, "greedy", True, lanes=1)
    graph = waiting_graph(one)
    cycle = find_cycle(graph)
    assert cycle is not None
    messages = {}
    for buffer, target in itertools.pairwise([*cycle, cycle[0]]):
        wait = graph[buffer][target]
        assert wait == Wait("row", 1 << target.channel, 0, target.channel)
        messages[buffer.node ^ 1 << buffer.channel] = [target.node, buffer.node][
            : 1 + (buffer.channel > target.channel)
        ]
    assert messages == {1: [2], 0: [3, 2], 2: [1], 3: [0, 1]}
    for some, held in ((one, set(cycle)), (config(2, "greedy", True), set())):
        network = Network(some)
        words = [encode(some, source, messages[source], [7] * 4) for source in range(4)]
        delivered = 0
        for clock in range(200):
            inputs = {"eject_ready": 15}
            for source, message in enumerate(words):
                if clock < len(message):
                    inputs["inject_valid"] = inputs.get("inject_valid", 0) | 1 << source
                    inputs["inject_data"] = inputs.get("inject_data", 0) | message[clock] << some.width * source
                    inputs["inject_last"] = inputs.get("inject_last", 0) | (clock == len(message) - 1) << source
            outputs = network.step(inputs)
            assert all(clock >= len(message) or outputs["inject_ready"] >> s & 1 for s, message in enumerate(words))
            delivered += (outputs["eject_valid"] & outputs["eject_last"]).bit_count()
        busy = {
            Buffer(node, channel, lane)
            for node, router in enumerate(network.routers)
            for channel, lanes in enumerate(router.channels)
            for lane, mhu in enumerate(lanes.mhus)
            if not mhu.free
        }
        assert busy == held
        assert delivered == (2 if held else 6)
