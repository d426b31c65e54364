"""Tables of merges: written down by hand, and followed by nodes that know nothing else."""

from __future__ import annotations

import functools
import itertools
import operator
import random

import pytest

from cubecast.golden.collective.algorithms.fault_words import detect
from cubecast.golden.collective.algorithms.merge_operations import OPERATIONS, plain_merge
from cubecast.golden.collective.algorithms.merge_run import run_merge
from cubecast.golden.collective.algorithms.merge_stages import DETOUR, plan_merge, plan_stages
from cubecast.golden.collective.algorithms.merge_tables import merge_tables, relays_needed
from cubecast.golden.collective.algorithms.result_spread import BROADCAST, SPREAD, result_mode
from cubecast.golden.collective.algorithms.sink_tree import SinkTree
from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.registers import (
    OPERATION_CODES,
    Register,
    address_of,
    addresses,
    plain,
    register_map,
)
from cubecast.golden.multicast.contract.config import Config
from tests.collective.table_executor import Executor, hops_of
from tests.collective.tree_cases import all_links, random_plans

COMBINE = {"sum": operator.add, "min": min, "max": max, "and": operator.and_, "or": operator.or_, "xor": operator.xor}


def config_of(n, relays=16, longest=64):
    """Return a configuration with room for everything; ``n`` from 2 on."""
    return CollectiveConfig(router=Config(dim=n), max_vector=longest, max_relays=relays)


def names(table):
    """Return the registers of a table that are not 0, without those that all have."""
    return {name: value for name, value in table.items() if value and name not in ("ENABLE", "COMMAND")}


def test_without_faults_by_hand():
    """n = 2: node 3 sends to 2 in dimension 0, 1 to 0; then 2 to 0 in dimension 1."""
    plan = plan_merge(2)
    assert plan.tree.order == (1, 0)
    tables = merge_tables(plan, config_of(2), 5, BROADCAST, "max")
    assert {node: names(table) for node, table in tables.items()} == {
        0: {"RECEIVE": 0b11, "EXPECT": 2},
        1: {"RECEIVE": 0b10, "EXPECT": 1, "SENDS": 1 | 1 << 4 | 1 << 8},
        2: {"SENDS": 1 | 1 << 8, "SEND_0": 1},
        3: {"SENDS": 1 | 1 << 8, "SEND_0": 1},
    }
    assert all(table["COMMAND"] == 1 | 2 << 4 | 1 << 8 and table["ENABLE"] == 1 for table in tables.values())
    assert all(list(table)[-1] == "COMMAND" for table in tables.values())


def test_parts_by_hand():
    """Example 3 at n = 4: 1011 divides its data between 1111 and 0011; five words begin at 0 and 2."""
    plan = plan_stages(SinkTree(4, 0, (0, 1, 2, 3)), detect(4, [(0b1011, 0b1010), (0b1011, 0b1001)]))
    tables = merge_tables(plan, config_of(4), 5, SPREAD)
    assert names(tables[0b1011]) == {"SENDS": 2 | 1 << 8, "SEND_0": 2, "SEND_1": 3 | 2 << 16}
    # helpers wait for one part, and send a piece of their own
    assert names(tables[0b1111]) | {"SPREAD": 0} == {"RECEIVE": 4, "EXPECT": 1, "SENDS": 1 | 1 << 8, "SPREAD": 0}
    assert tables[0b0011]["RECEIVE"] == 8 and tables[0b0011]["EXPECT"] == 1
    # nobody sends to 1010 in dimension 0
    assert tables[0b1010]["RECEIVE"] == 0 and tables[0b1010]["EXPECT"] == 0
    assert tables[0]["RECEIVE"] == 15 and tables[0]["EXPECT"] == 4 and tables[0]["SENDS"] == 0


def test_a_detour_by_hand():
    """n = 3: 001 to 011 over 101 and 111; the first relay gives a credit, the last one waits for that of the end."""
    words = detect(3, [(0b000, 0b001), (0b001, 0b011), (0b100, 0b110)])
    plan = plan_stages(SinkTree(3, 0b010, (2, 1, 0)), words)
    detours = [hop.path for stage in plan.stages for hop in stage.messages if hop.kind == DETOUR]
    assert detours == [(0b001, 0b101, 0b111, 0b011)]
    tables = merge_tables(plan, config_of(3), 4)
    assert tables[0b001]["SENDS"] == 1 | 1 << 4 | 3 << 8 | 1 << 16 and tables[0b001]["SEND_0"] == 2
    assert tables[0b101]["RELAYS"] == 1 and tables[0b101]["RELAY_0"] == 2 | 1 << 4 | 1 << 8
    assert tables[0b111]["RELAYS"] == 1 and tables[0b111]["RELAY_0"] == 1 | 2 << 4 | 1 << 9
    assert tables[0b011]["ENDS_2"] == 1 and not tables[0b011]["RECEIVE"] & 2


def test_two_relay_entries_by_hand():
    """Three detours over 5-7: the nodes that two or three of them cross pass on the lowest sender's first."""
    links = [(5, 13), (3, 7), (4, 12), (1, 9), (0, 1), (6, 14), (2, 6)]
    plan = plan_merge(4, links, [2, 3, 8])
    tables = merge_tables(plan, config_of(4), 1, SPREAD)
    # 0 4 5 7 15; 1 5 7 15 13 9; 4 5 7 15 14 12
    assert [tables[5][f"RELAY_{e}"] for e in range(tables[5]["RELAYS"])] == [
        0 | 1 << 4,
        2 | 1 << 4 | 1 << 8,
        0 | 1 << 4 | 1 << 8,
    ]
    assert [tables[7][f"RELAY_{e}"] for e in range(tables[7]["RELAYS"])] == [
        1 | 3 << 4 | 1 << 9,
        1 | 3 << 4,
        1 | 3 << 4,
    ]
    assert tables[15]["RELAYS"] == 2 and tables[15]["ENDS_3"] == 1
    assert relays_needed(plan) == 3 and relays_needed(plan_merge(4)) == 0
    with pytest.raises(ValueError) as caught:
        merge_tables(plan, config_of(4, relays=2), 1)
    assert str(caught.value) == "max_relays must be at least 3, since so many detours cross node 5, not 2"


def follow(plan, length, mode, operation, generator, *, relays=16):
    """Follow the tables of a plan in a random order, a few rounds one after the other, with no pause between them.

    Checked: the result everywhere, and the steps that nodes tell of.
    """
    tables = merge_tables(plan, config_of(plan.tree.dim, relays), length, mode, operation)
    assert set(tables) == set(plan.members)
    rounds = [
        {node: [generator.randrange(1 << 16) for _ in range(length)] for node in plan.members}
        for _ in range(generator.randint(1, 3))
    ]
    executor = Executor(plan.tree.dim, tables, rounds, COMBINE[operation], generator)
    executor.run()
    assert executor.complete
    for index, vectors in enumerate(rounds):
        run = run_merge(plan, vectors, operation)
        assert run.result == plain_merge(operation, vectors.values())
        for node in plan.members:
            if mode != "none" or node == plan.tree.sink:
                assert executor.nodes[node].results[index] == run.result
    for node, j in executor.crossed:
        assert not plan.words[node] >> j & 1
    steps = hops_of(node.sent for node in executor.nodes.values() if node.sent)
    assert steps <= run.steps
    if not meets(plan):
        assert steps == run.steps
    return executor


def meets(plan):
    """Return whether a detour has a link in common with another message of its stage."""
    for stage in plan.stages:
        links = [set(itertools.pairwise(hop.path)) for hop in stage.messages]
        if sum(map(len, links)) > len(set().union(*links)):
            return True
    return False


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_random_plans(n):
    """Whatever happens first: the result of the model, everywhere, and as many steps."""
    generator = random.Random(n)
    served = detours = met = 0
    tries, most = {2: (60, 1), 3: (250, 5), 4: (120, 12), 5: (80, 30)}[n]
    for plan, _ in random_plans(n, generator, tries, most):
        modes = ["none", result_mode(plan), SPREAD]
        follow(
            plan, generator.choice([0, 1, 5, 20]), generator.choice(modes), generator.choice(list(COMBINE)), generator
        )
        served += 1
        detours += any(hop.kind == DETOUR for stage in plan.stages for hop in stage.messages)
        met += meets(plan)
    assert served >= 20
    assert n < 3 or detours >= 5
    assert n < 4 or met >= 1


@pytest.mark.soak
@pytest.mark.parametrize("n", [3, 4, 5])
def test_many_random_plans(n):
    """Many more faults, many orders of events each."""
    generator = random.Random(n)
    crowded = 0
    for plan, _ in random_plans(n, generator, 1000, 2**n, 3):
        for _ in range(3):
            executor = follow(plan, 7, SPREAD, "sum", generator)
        crowded += any(node.table["RELAYS"] > 1 for node in executor.nodes.values())
    assert n < 4 or crowded > 20


def test_all_patterns_of_3_links_at_n_3():
    """One order of events each."""
    for links in itertools.combinations(all_links(3), 3):
        follow(plan_merge(3, links), 3, SPREAD, "sum", random.Random(1))


def test_another_order_of_relays_would_wait_for_ever():
    """Two detours cross 12-13 in both directions; with the entries of one of the two turned round neither arrives."""
    links = [(6, 14), (10, 14), (2, 3), (0, 2), (8, 12), (13, 15), (7, 15), (0, 1), (0, 8), (3, 11), (2, 10)]
    plan = plan_merge(4, links)
    detours = [hop.path for stage in plan.stages for hop in stage.messages if hop.kind == DETOUR]
    assert detours == [(10, 11, 9, 13, 12, 4, 6, 2), (15, 14, 12, 13, 5, 7)]
    for turned in (False, True):
        tables = merge_tables(plan, config_of(4), 1)
        table = tables[12]
        assert table["RELAYS"] == 2
        if turned:
            table["RELAY_0"], table["RELAY_1"] = table["RELAY_1"], table["RELAY_0"]
        executor = Executor(4, tables, [dict.fromkeys(plan.members, (1,))], operator.add, random.Random(1))
        executor.run()
        assert executor.complete != turned


def test_barrier():
    """No words, no vector_in."""
    tables = merge_tables(plan_merge(3), config_of(3), 0, BROADCAST, "or")
    assert all(table["COMMAND"] == 1 | 4 << 4 | 1 << 8 | 1 << 12 for table in tables.values())
    follow(plan_merge(3), 0, BROADCAST, "or", random.Random(3))


def test_every_operation_has_its_code():
    """Those of the operation unit; sequences cannot be merged in hardware, own word operations can."""
    assert [*OPERATION_CODES] == [name for name in OPERATIONS if OPERATIONS[name].aligned] + ["custom"]
    for name, code in OPERATION_CODES.items():
        tables = merge_tables(plan_merge(2), config_of(2), 1, operation=name)
        assert all(table["COMMAND"] >> 4 & 7 == code for table in tables.values())


def test_addresses():
    """Those of docs/collective_units.md."""
    config = config_of(3, relays=2)
    found = addresses(config)
    assert found == {
        **{"COMMAND": 0, "STATUS": 1, "RECEIVE": 2, "EXPECT": 3, "SENDS": 4, "SPREAD": 5, "RELAYS": 6, "NEXT": 7},
        **{"ENABLE": 8, "RECEIVED": 9, "SENT": 10, "FINISHED": 11, "STRANGE": 12, "CLOCKS": 13},
        **{f"ENDS_{j}": 0x10 + j for j in range(3)},
        **{f"SEND_{i}": 0x20 + i for i in range(3)},
        **{f"RELAY_{e}": 0x30 + e for e in range(2)},
    }
    assert {entry.name: entry.address for entry in register_map(config)} == {r.name: r.value for r in Register}
    assert address_of(config, "SEND_2") == 0x22
    with pytest.raises(ValueError, match=r"register must be one of COMMAND, .*, not 'RELAY_2'"):
        address_of(config, "RELAY_2")
    written = set(functools.reduce(operator.or_, (t.keys() for t in merge_tables(plan_merge(3), config, 1).values())))
    assert written == {
        name
        for entry in register_map(config)
        if entry.access == "RW"
        for name, address in found.items()
        if entry.address <= address < entry.address + entry.count
    }
    assert "RELAY_0" not in addresses(config_of(3, relays=0))
    assert [entry["address"] for entry in plain(config)] == sorted(entry["address"] for entry in plain(config))


def test_fields_of_a_register_do_not_overlap():
    """And lie within 32 bits; every field has a meaning."""
    for entry in register_map(config_of(5)):
        taken = 0
        for part in entry.fields:
            assert part.meaning and not taken & part.mask and part.mask < 1 << 32
            taken |= part.mask


def crowd(n, count):
    """Return a plan in which ``count`` detours come to the sink over one link, without having to be a real one."""
    plan = plan_merge(n)
    stage = plan.stages[0]
    sink = plan.tree.sink
    path = (sink ^ 6, sink ^ 2, sink)
    hop = type(stage.messages[0])(DETOUR, path)
    stages = (type(stage)(0, stage.dimension, (hop,) * count, {}), *plan.stages[1:])
    return type(plan)(plan.tree, plan.scheme, plan.words, plan.excluded, stages)


@pytest.mark.parametrize(
    ("plan", "arguments", "message"),
    [
        (plan_merge(3), (65,), "length must be an integer from 0 to 64, not 65"),
        (plan_merge(3), (-1,), "length must be an integer from 0 to 64, not -1"),
        (plan_merge(2), (1,), "dim of the plan must be 3, that of the nodes, not 2"),
        (plan_merge(3), (1, "all"), "result must be one of none, broadcast, spread, not 'all'"),
        (
            plan_merge(3, [(0, 1)]),
            (1, BROADCAST),
            "result must be none or spread when anything is faulty, not 'broadcast'",
        ),
        (
            plan_merge(3),
            (1, "none", "sorted"),
            "operation must be one of sum, min, max, and, or, xor, custom, not 'sorted'",
        ),
        (plan_merge(3, scheme="printed"), (1,), "scheme must be repaired, not printed"),
        (crowd(3, 16), (1,), "detours that end at node 0 over link 1 must be at most 15, not 16"),
    ],
)
def test_messages(plan, arguments, message):
    """One line with name, value and what is allowed."""
    with pytest.raises(ValueError) as caught:
        merge_tables(plan, config_of(3), *arguments)
    assert str(caught.value) == message
