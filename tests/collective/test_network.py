"""Whole networks of routers with collectives: every result is right, on the RTL and on its golden twin."""

from __future__ import annotations

import contextlib
import itertools
import random

import pytest

from cubecast.golden.collective.algorithms.group_ring import gray_ring, group_ring
from cubecast.golden.collective.algorithms.merge_operations import plain_merge, wrapping_sum
from cubecast.golden.collective.algorithms.merge_run import run_merge
from cubecast.golden.collective.algorithms.merge_stages import DETOUR, PART, plan_merge
from cubecast.golden.collective.algorithms.merge_tables import merge_tables, relays_needed
from cubecast.golden.collective.algorithms.result_spread import BROADCAST, SPREAD, result_mode
from cubecast.golden.collective.algorithms.ring_tables import ring_tables
from cubecast.golden.collective.algorithms.sink_tree import NoSinkError
from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.twins.network import CollectiveNetwork
from cubecast.golden.multicast.contract.config import Config
from cubecast.tb.collective.network import BENCH, Hosts, write_faults, write_tables
from cubecast.tb.collective.playback import group, play, play_golden
from cubecast.tb.harness.lockstep import Mismatch, lockstep
from tests.collective.corners import CORNERS
from tests.collective.test_merge_tables import meets
from tests.collective.tree_cases import random_faults
from tests.harness.seed import drawn

OPERATIONS = ("sum", "min", "max", "and", "or", "xor")

FAULTY = [
    # Parts and a detour in one stage, and an excluded node.
    (4, [(0, 4), (1, 5), (0, 8)], [2]),
    # Figure 16.
    (3, [(4, 6), (4, 0)], [7]),
    # A helper with three parts of others.
    (4, [(3, 2), (5, 4), (9, 8)], []),
    # Three detours over one link.
    (4, [(5, 13), (3, 7), (4, 12), (1, 9), (0, 1), (6, 14), (2, 6)], [2, 3, 8]),
    # Two detours that cross a link in both directions.
    (4, [(6, 14), (10, 14), (2, 3), (0, 2), (8, 12), (13, 15), (7, 15), (0, 1), (0, 8), (3, 11), (2, 10)], []),
    # A node hangs on one link.
    (3, [(0, 1), (2, 3), (1, 5)], []),
    # All faulty nodes in a row.
    (4, [], [12, 13]),
]


def config_of(n, **more):
    """Return the configuration of ``cubecast reduce --simulate``, unless it is said otherwise."""
    sizes = {name: more.pop(name) for name in ("max_vector", "max_relays") if name in more}
    return CollectiveConfig(router=Config(dim=n, **more), **sizes)


def vectors_of(plan, length, generator, width=32):
    """Return random words for every node that takes part."""
    return {node: [generator.getrandbits(width) for _ in range(length)] for node in plan.members}


def check_merge(plan, name, mode, rounds, seen, width=32):
    """Check a group of merges: results where they have to be, steps, and that nothing else happened."""
    operation = wrapping_sum(width) if name == "sum" else name
    runs = [run_merge(plan, vectors, operation) for vectors in rounds]
    for run, vectors in zip(runs, rounds, strict=True):
        assert run.result == plain_merge(operation, [vectors[node] for node in plan.members])
    results = [list(run.result) for run in runs if run.result]
    for node in range(1 << plan.tree.dim):
        has = node in plan.members and (mode != "none" or node == plan.tree.sink)
        assert seen["vectors"][node] == (results if has else [])
    assert all(len(seen["ended"][node]) == len(rounds) for node in plan.members)
    assert seen["steps"] == runs[0].steps or meets(plan)
    if not any(hop.kind == DETOUR for stage in plan.stages for hop in stage.messages):
        assert seen["steps"] == plan.tree.dim + plan.faulty_stages
    check_quiet(seen, plan.members)
    # a faulty link has carried nothing
    for node, word in enumerate(plan.words):
        assert not any(seen["words"][node][j] for j in range(plan.tree.dim) if word >> j & 1)


def check_quiet(seen, members):
    """Nobody is busy or has failed, nothing was strange, reported or came to a host."""
    registers = seen["registers"]
    assert not seen["errors"] and not seen["reports"] and not seen["ejected"]
    for node in members:
        assert registers["STATUS"][node] & 0xF3 == 0 and registers["STRANGE"][node] == 0


def test_vectors_of_all_lengths_and_operations():
    """On the golden network: no word, one, a few, and more than a segment holds; every operation and way back."""
    generator = random.Random(3)
    config = config_of(3)
    for (links, nodes), length in itertools.product((([], []), ([(4, 6), (4, 0)], [7])), (0, 1, 5, 20)):
        plan = plan_merge(3, links, nodes)
        groups, wanted = [], []
        for name, mode in zip(OPERATIONS, itertools.cycle(("none", SPREAD, result_mode(plan))), strict=False):
            rounds = [vectors_of(plan, length, generator)]
            groups.append(group(merge_tables(plan, config, length, mode, name), rounds))
            wanted.append((name, mode, rounds))
        found = play_golden(config, groups, plan.words)
        for seen, each in zip(found, wanted, strict=True):
            check_merge(plan, *each, seen)


@pytest.mark.parametrize("case", range(len(FAULTY)))
def test_known_patterns_on_the_golden_network(case):
    """Parts, detours, detours that meet: repeated operations without a pause, hosts that stall."""
    n, links, nodes = FAULTY[case]
    plan = plan_merge(n, links, nodes)
    generator = random.Random(case)
    config = config_of(n, max_data=6, max_vector=12)
    rounds = [vectors_of(plan, 9, generator) for _ in range(2)]
    tables = merge_tables(plan, config, 9, SPREAD)
    # the second time with the tables that are there
    groups = [group(tables, rounds, write=not again) for again in range(2)]
    for seen in play_golden(config, groups, plan.words, stall=0.5 * (case % 2)):
        check_merge(plan, "sum", SPREAD, rounds, seen)


def play_random(n, seed, *, runs=3, play=play_golden, **settings):
    """Run random plans; return how many had parts, and how many detours."""
    generator = random.Random(seed)
    config = config_of(n, max_data=5, max_vector=9, max_relays=8)
    parts = detours = 0
    while runs:
        links, nodes = random_faults(n, generator, {3: 6, 4: 12}[n])
        try:
            plan = plan_merge(n, links, nodes)
        except NoSinkError:
            continue
        if relays_needed(plan) > 8:
            continue
        kinds = {hop.kind for stage in plan.stages for hop in stage.messages}
        parts, detours, runs = parts + (PART in kinds), detours + (DETOUR in kinds), runs - 1
        groups, wanted = [], []
        for _ in range(2):
            length, name = generator.choice([0, 1, 5, 9]), generator.choice(OPERATIONS)
            mode = generator.choice(["none", SPREAD, result_mode(plan)])
            rounds = [vectors_of(plan, length, generator) for _ in range(generator.randint(1, 3))]
            groups.append(group(merge_tables(plan, config, length, mode, name), rounds))
            wanted.append((name, mode, rounds))
        found = play(config, groups, plan.words, seed=runs, stall=generator.choice([0.0, 0.3]), **settings)
        for seen, each in zip(found, wanted, strict=True):
            check_merge(plan, *each, seen)
    return parts, detours


@pytest.mark.parametrize("n", [3, 4])
def test_random_faults_on_the_golden_network(n):
    """Links and nodes, any operation, any length."""
    parts, detours = play_random(n, n, runs={3: 12, 4: 6}[n])
    assert parts >= 2 and detours >= n - 3


def test_a_relay_keeps_a_whole_piece():
    """While the next relay has not been started: ten words in three segments, the last of which is not full."""
    config = config_of(3, max_data=6, max_vector=10, max_relays=1)
    plan = plan_merge(3, [(0, 1), (0, 2), (5, 7)])
    (path,) = (hop.path for stage in plan.stages for hop in stage.messages if hop.kind == DETOUR)
    assert path == (0, 4, 6, 2) and config.segment == 4
    given = vectors_of(plan, 10, random.Random(5))
    tables = merge_tables(plan, config, 10)
    twin = CollectiveNetwork(config)
    twin.step({"rst": 1})
    hosts = Hosts(random.Random(6), config, tables, [given], stall=0.3)

    def steps():
        yield from write_faults(config, plan.words)
        yield from write_tables(config, tables)
        hosts.left[6] = 0
        yield from hosts.run(400)
        assert twin.routers[4].unit.buffer.level == 10 + 3
        hosts.left[6] = 1
        yield from hosts.run(2000)

    run = steps()
    inputs = dict(next(run))
    with contextlib.suppress(StopIteration):
        while True:
            inputs |= run.send(twin.step(inputs))
    assert not hosts.pending
    assert hosts.vectors[plan.tree.sink] == [list(run_merge(plan, given, wrapping_sum(32)).result)]


def rings_of(config, members, length, *, gray):
    """Return tables and messages of a group's ring, or of one along the Gray code."""
    n = config.dim
    messages = {node: [node << 8 | place for place in range(length)] for node in members}
    if gray:
        return ring_tables(gray_ring(n, range(2**n)), config, length, members), messages
    return ring_tables(group_ring(n, members, "ascending"), config, length), messages


def check_ring(tables, messages, rounds, seen, *, disjoint=True):
    """Every node of a ring has got the message of every other one, in every round, and no word waited for a link."""
    dim = (len(seen["vectors"]) - 1).bit_length()
    for node in tables:
        wanted = sorted([origin, *words] for origin, words in messages.items() if origin != node)
        got = seen["vectors"][node]
        assert len(got) == rounds * len(wanted)
        for index in range(rounds):
            assert sorted(got[index * len(wanted) : (index + 1) * len(wanted)]) == wanted
    check_quiet(seen, tables)
    if disjoint:
        assert not any(waited for ports in seen["waited"] for waited in ports[:dim])


@pytest.mark.parametrize("n", [3, 4])
def test_rings_on_the_golden_network(n):
    """Random groups: everybody gets everything, no word waits; it takes longer along the Gray code."""
    generator = random.Random(n)
    config = config_of(n)
    for length in (0, 1, 16):
        members = generator.sample(range(2**n), generator.randint(2, 2 ** (n - 1)))
        (own, messages), (gray, _) = (rings_of(config, members, length, gray=gray) for gray in (False, True))
        found = play_golden(config, [group(own, [messages]), group(gray, [messages]), group(own, [messages] * 3)])
        for tables, rounds, seen in zip((own, gray, own), (1, 1, 3), found, strict=True):
            check_ring(tables, messages, rounds, seen)
        assert found[0]["clocks"] < found[1]["clocks"]


@pytest.mark.core
def test_rings_with_hosts_that_stall():
    """Messages are never mixed, however late a node's own comes."""
    generator = random.Random(9)
    config = config_of(3, max_data=4, max_vector=9)
    for seed in range(6):
        members = generator.sample(range(8), generator.randint(2, 8))
        tables, messages = rings_of(config, members, 9, gray=seed % 2)
        (seen,) = play_golden(config, [group(tables, [messages] * 2)], stall=0.6, seed=seed)
        check_ring(tables, messages, 2, seen, disjoint=False)


def test_a_descending_ring_is_refused():
    """The routers cross the lowest dimension first."""
    with pytest.raises(ValueError, match="order must be ascending"):
        ring_tables(group_ring(3, (0, 3, 5), "descending"), config_of(3), 1)


def test_a_run_that_hangs_says_who_waits():
    """A node that never gets its credit, and those that wait for it."""
    plan = plan_merge(2)
    config = config_of(2)
    tables = merge_tables(plan, config, 1, BROADCAST)
    tables[1]["RECEIVE"] = 0
    with pytest.raises(TimeoutError) as caught:
        play_golden(config, [group(tables, [vectors_of(plan, 1, random.Random(1))])], most=500)
    assert str(caught.value) == (
        "cycles must be enough for all nodes, not 500: node 0 in GATHER, 1 of 2 received; "
        "node 1 in GATHER, 0 of 1 received; node 2 in AWAIT, 0 of 0 received; node 3 in SEND, 0 of 0 received"
    )


@pytest.mark.parametrize("simulator", ["verilator"], indirect=True)
def test_merges_and_rings_at_n_3(simulator):
    """On the RTL: an all-reduce both ways, a barrier, repeated operations, figure 16, a ring beside the Gray code."""
    config = config_of(3)
    generator = random.Random(1)
    whole, faulty = plan_merge(3), plan_merge(3, [(4, 6), (4, 0)], [7])
    for plan, mode in ((whole, BROADCAST), (faulty, SPREAD)):
        groups, wanted = [], []
        for length, rounds, name in ((20, 3, "sum"), (0, 2, "or"), (1, 1, "max")):
            given = [vectors_of(plan, length, generator) for _ in range(rounds)]
            groups.append(group(merge_tables(plan, config, length, mode, name), given))
            wanted.append((plan, name, mode, given))
        rings = []
        if plan is whole:
            rings = [rings_of(config, (0, 1, 3, 5, 6), 16, gray=gray) for gray in (False, True)]
            groups += [group(tables, [messages]) for tables, messages in rings]
        found = play(config, groups, plan.words, simulator=simulator)
        for each, seen in zip(wanted, found, strict=False):
            check_merge(*each, seen)
        for (tables, messages), seen in zip(rings, found[len(wanted) :], strict=True):
            check_ring(tables, messages, 1, seen)


@pytest.mark.parametrize("simulator", ["verilator"], indirect=True)
def test_a_run_that_hangs_on_the_rtl(simulator):
    """The report names the nodes that wait."""
    plan = plan_merge(3)
    tables = merge_tables(plan, config_of(3), 1)
    tables[plan.tree.sink]["EXPECT"] += 1
    groups = [group(tables, [vectors_of(plan, 1, random.Random(1))])]
    with pytest.raises(Mismatch, match="not 400: node 0 in GATHER, 3 of 4 received\n"):
        play(config_of(3), groups, simulator=simulator, most=400)


@pytest.mark.soak
@pytest.mark.parametrize("name", CORNERS)
@pytest.mark.parametrize("seed", drawn(1))
@pytest.mark.parametrize("simulator", ["verilator"], indirect=True)
def test_collective_network_soak(simulator, name, seed):
    """The same at length, at every corner of the parameter space."""
    options = {"groups": 30}
    report = lockstep(
        BENCH, CORNERS[name], simulator=simulator, cycles=1_000_000, seed=seed, options=options, timeout=3600
    )
    assert report.finished


@pytest.mark.soak
@pytest.mark.parametrize("n", [3, 4])
@pytest.mark.parametrize("simulator", ["verilator"], indirect=True)
def test_random_faults_soak(simulator, n):
    """Random links and nodes on the RTL, and all the known patterns."""
    parts, detours = play_random(n, n, runs=25, play=play, simulator=simulator)
    assert parts > 3 and detours >= n - 2
    generator = random.Random(n)
    config = config_of(n, max_data=5, max_vector=9, max_relays=8)
    for dim, links, nodes in FAULTY:
        if dim == n:
            plan = plan_merge(n, links, nodes)
            rounds = [vectors_of(plan, 9, generator) for _ in range(3)]
            groups = [group(merge_tables(plan, config, 9, SPREAD), rounds)]
            (seen,) = play(config, groups, plan.words, simulator=simulator)
            check_merge(plan, "sum", SPREAD, rounds, seen)
    for _ in range(10):
        members = generator.sample(range(2**n), generator.randint(2, 2**n))
        rings = [rings_of(config, members, 9, gray=gray) for gray in (False, True)]
        found = play(config, [group(tables, [messages]) for tables, messages in rings], simulator=simulator)
        for (tables, messages), seen in zip(rings, found, strict=True):
            check_ring(tables, messages, 1, seen)
