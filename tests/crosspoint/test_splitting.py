"""Destination lists split into packets: every node once, around faults, and how near the least number is."""

from __future__ import annotations

import random

import pytest

from cubecast.golden.crosspoint.algorithms.packets import destinations, fault_of, tree
from cubecast.golden.crosspoint.algorithms.routes import Faults, Unreachable, faults_of
from cubecast.golden.crosspoint.algorithms.splitting import plan, split, subcube_of
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.word import Kind
from tests.crosspoint.least_packets import least, subcubes


@pytest.mark.parametrize(("dim", "bitmap_dims", "most"), [(3, 1, 1), (3, 2, 0), (3, 3, 0), (4, 2, 1), (4, 3, 0)])
def test_splits_are_near_the_least(dim: int, bitmap_dims: int, most: int) -> None:
    """Every set of a 3-cube, every 61st of a 4-cube: exact lists, and at most ``most`` packets too many."""
    worst = 0
    best = least(dim, bitmap_dims)
    for some in range(2, 1 << (1 << dim), 2 if dim == 3 else 122):
        wanted = [x for x in range(1 << dim) if some >> x & 1]
        headers = split(dim, bitmap_dims, wanted)
        reached = [node for header in headers for node in destinations(header, 0)]
        assert sorted(reached) == wanted
        worst = max(worst, len(headers) - best[some])
        assert len(headers) >= best[some]
    assert worst == most


def test_subcubes_are_recognized() -> None:
    """Exactly the sets that a subcube packet reaches, with its source or without."""
    whole = subcubes(3)
    for some in range(2, 256, 2):
        nodes = frozenset(x for x in range(8) if some >> x & 1)
        header = subcube_of(nodes)
        assert (header is not None) == (nodes in whole)
        if header is not None:
            assert header.kind == Kind.SUBCUBE and destinations(header, 0) == nodes


def test_what_one_packet_can_do() -> None:
    """A broadcast is one subcube, a list in one block one bitmap; without multicast all are unicasts."""
    config = CrosspointConfig(dim=6)
    (packet,) = plan(config, 5, range(64)).packets
    assert packet.legs[0].header.r2 == 63 and len(packet.destinations) == 63
    (packet,) = plan(config, 5, [1, 2, 9, 30]).packets
    assert packet.legs[0].header.kind == Kind.BITMAP
    assert len(plan(config, 5, [1, 2, 9, 62]).packets) == 2
    plain = plan(CrosspointConfig(dim=6, multicast=False), 5, [1, 2, 9, 62], policy="either").packets
    assert [leg.header.kind for packet in plain for leg in packet.legs] == [Kind.UNICAST] * 4


@pytest.mark.parametrize("runs", [1, 2])
def test_plans_around_faults(runs: int) -> None:
    """Random faults and lists: no packet meets a fault, every destination has one packet or one reason."""
    chance = random.Random(runs)
    kinds = set()
    for _ in range(300):
        dim = chance.choice((3, 4, 5))
        config = CrosspointConfig(dim=dim, width=8, runs=runs)
        nodes = range(1 << dim)
        pairs = [(v, v ^ 1 << chance.randrange(dim)) for v in chance.sample(nodes, chance.randrange(5))]
        faults = faults_of(dim, chance.sample(nodes, chance.randrange(4)), pairs)
        source = chance.choice([node for node in nodes if node not in faults.nodes])
        wanted = chance.sample(nodes, chance.randint(1, len(nodes)))
        found = plan(config, source, wanted, faults, policy="e-cube" if runs == 1 else "random", seed=7)
        told = [node for packet in found.packets for node in packet.destinations]
        assert sorted([*told, *(node for node, _ in found.unreachable)]) == sorted({*wanted} - {source})
        for packet in found.packets:
            at = source
            for leg in packet.legs:
                assert leg.source == at and fault_of(config, leg.header) is None
                way = tree(config, at, leg.header)
                assert all(faults.passes(hop.node, hop.dimension) for hop in way.hops)
                kinds.add((leg.header.kind, len(packet.legs)))
                at = way.delivered[0]
            assert way.delivered == packet.destinations
        assert all((reason is Unreachable.FAULTY) == (node in faults.nodes) for node, reason in found.unreachable)
    assert kinds >= {(Kind.UNICAST, 1), (Kind.UNICAST, 2), (Kind.SUBCUBE, 1), (Kind.BITMAP, 1)}


def test_what_is_refused() -> None:
    """One line each."""
    config = CrosspointConfig(dim=3)
    with pytest.raises(ValueError, match="destination must be an integer from 0 to 7, not 8"):
        plan(config, 0, [8])
    with pytest.raises(ValueError, match="source must be a fault-free node, not 0"):
        plan(config, 0, [1], Faults(nodes=frozenset({0})))
    with pytest.raises(ValueError, match="policy must be e-cube when runs is 1, not 'either'"):
        plan(CrosspointConfig(dim=3, runs=1), 0, [1], policy="either")
    with pytest.raises(ValueError, match="policy must be one of e-cube, either, random, valiant, not 'x'"):
        plan(config, 0, [1], policy="x")
