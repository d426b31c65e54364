"""The contrary rule keeps deadlock away: random runs, and every state that two rows per unit can get into at n = 2."""

from __future__ import annotations

import functools
import itertools

import pytest

from cubecast.golden.packet.algorithms.routing import (
    broadcast_edges,
    fixed_choice,
    is_contrary,
    path,
    useful_dimensions,
)
from cubecast.golden.packet.algorithms.rows_model import BROADCAST, Packet, RowsModel, State, Unit
from cubecast.golden.packet.contract.unruled import UnruledConfig

STEPS = 300
SIZES = list(itertools.product((2, 3, 4), (2, 3, 4)))
TRAFFIC = list(itertools.product((False, True), (False, True)))

STRAIGHT = Packet(contrary=False, port=1, rest=0b10)
CONTRARY = Packet(contrary=True, port=0, rest=0b01)
RING = {Unit(0, 0): STRAIGHT, Unit(2, 1): CONTRARY, Unit(3, 0): STRAIGHT, Unit(1, 1): CONTRARY}
"""The deadlock of n = 2 without the rule: every unit is full of packets that wait for the next one."""


def model(dim: int = 2, rows: int = 2, rule: bool = True, **more: bool | str) -> RowsModel:
    """Return the model of a configuration, with the rule of contrary packets or without."""
    return RowsModel(UnruledConfig(dim=dim, rows=rows, contrary_rule=rule, **more))


@functools.cache
def states(rule: bool, broadcasts: bool, rows: int = 2) -> tuple[RowsModel, tuple[State, ...]]:
    """Return every state of one group of units at n = 2; the other group is the same, and independent."""
    some = model(rows=rows, rule=rule)
    return some, tuple(some.reachable(some.groups()[0], broadcasts))


@pytest.mark.parametrize(("dim", "rows"), SIZES)
def test_random_runs_lock_up_without_the_rule(dim: int, rows: int) -> None:
    """Within 300 steps, when all go to the opposite node, with one of four seeds at least (from n = 3 with each)."""
    some = model(dim, rows, rule=False)
    steps = [some.run(seed=seed, steps=STEPS, opposite=True) for seed in range(4)]
    assert any(steps) if dim == 2 else all(steps)


@pytest.mark.parametrize("dim", [3, 4])
def test_uniform_traffic_locks_up_too(dim: int) -> None:
    """With two rows, without and with broadcasts."""
    some = model(dim, rule=False)
    assert all(some.run(seed=0, steps=STEPS, broadcasts=broadcasts) for broadcasts in (False, True))


@pytest.mark.parametrize(("dim", "rows"), SIZES)
@pytest.mark.parametrize(("opposite", "broadcasts"), TRAFFIC)
def test_random_runs_never_lock_up_with_the_rule(dim: int, rows: int, opposite: bool, broadcasts: bool) -> None:
    """The same seeds and steps, and a few more."""
    for seed in range(4 if dim < 4 else 2):
        assert model(dim, rows).run(seed=seed, steps=STEPS, opposite=opposite, broadcasts=broadcasts) is None


def test_one_row_is_enough_for_fixed_routing() -> None:
    """No contrary packets, no rule."""
    some = model(3, 1, routing="fixed", fault_tolerant=False)
    assert not any(packet.contrary for dimension in range(3) for packet in some.injected(dimension))
    assert some.run(seed=1, steps=STEPS, opposite=False, broadcasts=True) is None


def test_the_units_of_two_dimensions_are_two_rings() -> None:
    """Searching one of them is enough: no packet moves from one to the other, and they are mirror images."""
    one, other = model().groups()
    assert set(one) == set(RING)
    assert {Unit(unit.node ^ 1, unit.dimension) for unit in one} == set(other)
    assert len(model(3).groups()) == 1


@pytest.mark.parametrize("rows", [2, 3])
@pytest.mark.parametrize("broadcasts", [False, True])
def test_every_state_drains_with_the_rule(rows: int, broadcasts: bool) -> None:
    """In every state that is not empty some packet can move, and every move lowers the work that is left.

    So whatever the order of the moves is, the packets inside drain. And no unit is ever full of contrary packets, on
    which the argument for all n rests.
    """
    some, reached = states(True, broadcasts, rows)
    assert len(reached) == {(2, False): 465, (2, True): 1275, (3, False): 4095, (3, True): 16290}[rows, broadcasts]
    for state in reached:
        following = [after for unit in some.units for after in some.moves(state, unit)]
        assert bool(following) == (state != some.empty)
        assert all(some.work(after) == some.work(state) - 1 for after in following)
        assert not any(len(unit) == rows and all(packet.contrary for packet in unit) for unit in state)


@pytest.mark.parametrize("broadcasts", [False, True])
def test_without_the_rule_the_ring_of_four_is_a_deadlock(broadcasts: bool) -> None:
    """It is among the states that can be reached, and it is the only one without broadcasts."""
    some, reached = states(False, broadcasts)
    ring = tuple((RING[unit],) * 2 if unit in RING else () for unit in some.units)
    stuck = [state for state in reached if some.stuck(state)]
    assert len(stuck) == (6 if broadcasts else 1)
    assert some.stuck(ring) and ring in [_shifted(some, state, mask) for state in stuck for mask in range(4)]


def _shifted(some: RowsModel, state: State, mask: int) -> State:
    """Return the state with all nodes relabelled by XOR."""
    return tuple(state[some.number[Unit(unit.node ^ mask, unit.dimension)]] for unit in some.units)


def test_the_way_into_the_deadlock_is_barred_by_the_rule() -> None:
    """Two packets into each unit of the ring: with the rule the second contrary one finds no row."""
    for rule in (True, False):
        some = model(rule=rule)
        state = some.empty
        for unit, packet in RING.items():
            first = some.inject(state, unit, packet)
            assert first is not None
            second = some.inject(first, unit, packet)
            assert (second is None) == (rule and packet.contrary)
            state = second or first
        assert some.stuck(state) != rule


def test_what_a_unit_accepts() -> None:
    """Free rows, and one of them kept for others while all packets are contrary."""
    other = Packet(False, 2, 0)
    for size, rows, contrary, accepts in (
        (2, (), True, True),
        (2, (CONTRARY,), True, False),
        (2, (CONTRARY,), False, True),
        (2, (other,), True, True),
        (2, (CONTRARY, other), False, False),
        (3, (CONTRARY,), True, True),
        (3, (CONTRARY, CONTRARY), True, False),
        (3, (CONTRARY, other), True, True),
    ):
        assert model(rows=size).accepts(rows, contrary) == accepts


@pytest.mark.parametrize("dim", [2, 3, 4])
def test_packets_move_as_the_routing_says(dim: int) -> None:
    """A unicast passes the nodes of its path; a broadcast's copies make all its hops; then the network is empty."""
    some = model(dim, 8)
    for destination in range(1, 1 << dim):
        for first in useful_dimensions(0, destination):
            rest = destination ^ 1 << first
            here = [Unit(1 << first, first), *_units(path(0, destination, first, dim)[1:])]
            packet = Packet(is_contrary(0, destination, first, dim), fixed_choice(0, rest, dim), rest)
            assert packet in some.injected(first)
            state = some.inject(some.empty, here[0], packet)
            for unit in here:
                assert [some.units[number] for number, rows in enumerate(state) if rows] == [unit]
                (state,) = some.moves(state, unit)
            assert state == some.empty
    state, visited = some.empty, []
    for dimension in range(dim):
        copy = Packet(False, dimension + 1, BROADCAST if dimension + 1 < dim else 0)
        assert copy in some.injected(dimension)
        state = some.inject(state, Unit(1 << dimension, dimension), copy)
    work = some.work(state)
    while state != some.empty:
        unit, after = next((unit, after) for unit in some.units for after in some.moves(state, unit))
        target = some.target(unit, state[some.number[unit]][0])
        visited += [] if target is None else [target]
        state, work = after, work - 1
    assert work == 0
    hops = [Unit(node ^ 1 << dimension, dimension) for node, dimension in broadcast_edges(0, dim) if node]
    assert sorted(visited) == sorted(hops)


def _units(nodes: tuple[int, ...]) -> list[Unit]:
    """Return the units that a packet passes on its way over these nodes."""
    return [Unit(b, (a ^ b).bit_length() - 1) for a, b in itertools.pairwise(nodes)]
