"""Routing of packets: shortest paths, broadcasts that reach everybody once, collisions at a source."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

import pytest

from cubecast.golden.packet.algorithms.routing import (
    broadcast_edges,
    collision_rate,
    fixed_choice,
    fixed_collision,
    is_broadcast,
    is_contrary,
    path,
    quasi_adaptive_choice,
    quasi_adaptive_collision,
    useful_dimensions,
)
from cubecast.golden.packet.contract.config import ROUTINGS, PacketConfig
from cubecast.golden.packet.contract.packet import Head
from cubecast.golden.packet.contract.reason import PacketReason
from cubecast.golden.packet.twins.input_controller import InputController
from cubecast.golden.packet.twins.next_port import next_port

DIMS = [1, 2, 3, 4, 5]


@pytest.mark.parametrize("routing", ROUTINGS)
@pytest.mark.parametrize("dim", [2, 3, 4])
def test_a_unit_takes_heads_with_the_contrary_bit_of_their_hop_alone(dim: int, routing: str) -> None:
    """All packets over all links: a wrong bit is reported, as it would undo what keeps the network from a deadlock."""
    config = PacketConfig(dim=dim, routing=routing, fault_tolerant=routing != "fixed")
    unit = InputController(config)
    for source, destination in itertools.permutations(range(config.nodes), 2):
        for first in useful_dimensions(source, destination):
            if not config.contrary and is_contrary(source, destination, first, dim):
                continue
            nodes = path(source, destination, first, dim)
            for before, node in itertools.pairwise(nodes):
                i = (before ^ node).bit_length() - 1
                away = node ^ destination
                port = (away & -away).bit_length() - 1 if away else config.local
                for wrong in (0, 1):
                    contrary = int(is_contrary(before, destination, i, dim)) ^ wrong
                    head = Head(contrary=contrary, next_port=port, length=1, destination=destination)
                    unit.reset()
                    unit.address, unit.dimension = node, i
                    loaded, _, report = unit.edge((1, head.encode(config)), 0, 0, config.rows, 0, 1)
                    assert (loaded is None) == wrong, (source, destination, first, node)
                    assert report == ((PacketReason.LINK_PROTOCOL, destination) if wrong else None)


@pytest.mark.parametrize("dim", DIMS)
def test_every_useful_first_hop_gives_a_shortest_path(dim: int) -> None:
    """All pairs: length = distance, one dimension per hop, ascending after the first hop, and never a broadcast."""
    for source, destination in itertools.permutations(range(1 << dim), 2):
        useful = useful_dimensions(source, destination)
        assert sum(1 << j for j in useful) == source ^ destination
        for first in useful:
            nodes = path(source, destination, first, dim)
            hops = [(a ^ b).bit_length() - 1 for a, b in itertools.pairwise(nodes)]
            assert (nodes[0], nodes[-1]) == (source, destination)
            assert all((a ^ b).bit_count() == 1 for a, b in itertools.pairwise(nodes))
            assert len(hops) == (source ^ destination).bit_count()
            assert hops[0] == first and hops[1:] == sorted(hops[1:])
            assert is_contrary(source, destination, first, dim) == (hops != sorted(hops))
            assert not any(is_broadcast(node, destination, hop) for node, hop in zip(nodes[1:], hops, strict=True))
        assert fixed_choice(source, destination, dim) == useful[0]


@pytest.mark.parametrize("dim", DIMS)
def test_a_broadcast_reaches_every_other_node_once(dim: int) -> None:
    """2^n - 1 hops, each from a node that has it, each known as a broadcast where it arrives."""
    for source in range(1 << dim):
        reached = [source]
        for node, dimension in broadcast_edges(source, dim):
            assert node in reached
            reached.append(node ^ 1 << dimension)
            assert is_broadcast(reached[-1], source, dimension)
        assert sorted(reached) == list(range(1 << dim))


@pytest.mark.parametrize("dim", [2, 3, 4, 5])
def test_heads_lead_along_these_ways(dim: int) -> None:
    """The next port that each head gets is the next hop of the path or of the broadcast, and LOCAL at the end."""
    config = PacketConfig(dim=dim)
    for source, destination in itertools.permutations(range(1 << dim), 2):
        for first in useful_dimensions(source, destination):
            nodes = path(source, destination, first, dim)
            hops = [(a ^ b).bit_length() - 1 for a, b in itertools.pairwise(nodes)]
            ports = [next_port(config, node, destination, hop, 0) for node, hop in zip(nodes, hops, strict=False)]
            assert ports == [*hops[1:], dim]
    for source in range(1 << dim):
        edges = broadcast_edges(source, dim)
        for node, dimension in edges:
            port, ports = next_port(config, node, source, dimension, 1), []
            while port != dim:
                ports.append(port)
                port = next_port(config, node ^ 1 << dimension, source, port, 1)
            assert [(node ^ 1 << dimension, p) for p in ports] == [e for e in edges if e[0] == node ^ 1 << dimension]
    assert fixed_choice(5, 5, 3) == 3


def test_quasi_adaptive_choice() -> None:
    """The shortest queue of the useful fault-free dimensions, the lowest of equals, None if there is none."""
    assert quasi_adaptive_choice(0, 0b1110, [0, 2, 1, 1]) == 2
    assert quasi_adaptive_choice(0, 0b1110, [0, 2, 1, 1], faulty=0b0100) == 3
    assert quasi_adaptive_choice(0b1111, 0b0001, [0, 0, 0, 0]) == 1
    assert quasi_adaptive_choice(0, 0b1110, [0] * 4, faulty=0b1110) is None


def test_the_equations_against_all_pairs() -> None:
    """Equation 5.1 is exact; 5.2 is too large by 2^n / (2^n - 1), and no probability at n = 1."""
    for dim in DIMS:
        assert collision_rate(dim, "fixed") == fixed_collision(dim) == Fraction(2**dim + 1, 3 * (2**dim - 1))
        assert collision_rate(dim, "quasi-adaptive") == Fraction(1, 2**dim - 1)
        assert quasi_adaptive_collision(dim) == Fraction(2**dim, (2**dim - 1) ** 2)
        assert quasi_adaptive_collision(dim) / collision_rate(dim, "quasi-adaptive") == Fraction(2**dim, 2**dim - 1)
    assert quasi_adaptive_collision(1) == 2
    assert all(quasi_adaptive_collision(dim) < fixed_collision(dim) for dim in range(2, 20))


def test_the_limits_of_the_equations() -> None:
    """1/3 and 0."""
    assert abs(fixed_collision(30) - Fraction(1, 3)) < Fraction(1, 10**8)
    assert 0 < quasi_adaptive_collision(30) < Fraction(1, 10**8)


def test_the_rates_do_not_depend_on_how_the_first_message_chose() -> None:
    """The second message of a pair is stuck with a link only when no other leads closer: drawn at random, n = 4."""
    generator, collisions, pairs = random.Random(1), 0, 20000
    for _ in range(pairs):
        first, second = (generator.randrange(1, 16) for _ in range(2))
        taken = generator.choice(useful_dimensions(0, first))
        collisions += quasi_adaptive_choice(0, second, [int(j == taken) for j in range(4)]) == taken
    assert abs(collisions / pairs - 1 / 15) < 0.01


def test_wrong_arguments() -> None:
    """One line says what is wrong."""
    with pytest.raises(ValueError, match="first must be a dimension in which 0 and 6 differ, not 0"):
        path(0, 6, 0, 3)
    with pytest.raises(ValueError, match=f"routing must be one of {', '.join(ROUTINGS)}, not 'random'"):
        collision_rate(2, "random")
