"""Routes of the crosspoint router: what policies choose, and ways around faults, against searches of all paths."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator

import pytest

from cubecast.golden.crosspoint.algorithms.packets import fault_of, tree
from cubecast.golden.crosspoint.algorithms.routes import (
    POLICIES,
    Faults,
    Unreachable,
    choice,
    faults_of,
    find_route,
    is_clear,
    lengths,
    two_run_route,
)
from cubecast.golden.crosspoint.contract.config import CrosspointConfig


def links_of(dim: int) -> list[tuple[int, int]]:
    """Return all links of a cube, by their two ends."""
    return [(v, v ^ 1 << k) for v in range(1 << dim) for k in range(dim) if not v >> k & 1]


def paths(dim: int, source: int, faults: Faults) -> Iterator[tuple[int, ...]]:
    """Yield the nodes of every two-run path around the faults."""
    todo = [((source,), dim, False)]
    for nodes, last, rising in todo:
        yield nodes
        for k in range(dim):
            falls = not rising and k < last
            rises = k > last if rising else k != last
            other = nodes[-1] ^ 1 << k
            if other in faults.nodes or (nodes[-1] & other, k) in faults.links:
                continue
            todo += [((*nodes, other), k, up) for up, allowed in ((False, falls), (True, rises)) if allowed]


def uncovered(dim: int, patterns: Iterable[Faults]) -> tuple[int, int, set[int]]:
    """Return the ordered pairs of working nodes, how many of them have no two-run route, and how these differ.

    The patterns are those of all nodes alike: so the pairs of source 0 stand for those of all.
    """
    pairs = missing = 0
    kinds = set()
    for faults in patterns:
        reached = lengths(dim, 0, faults)
        others = {*range(1, 1 << dim)} - faults.nodes
        pairs += len(others) << dim
        missing += len(others - {*reached}) << dim
        kinds |= others - {*reached}
    return pairs, missing, kinds


@pytest.mark.parametrize("policy", POLICIES)
def test_policies_choose_legal_headers(policy: str) -> None:
    """To the destination; shortest, but for ``valiant``, which uses all of r1."""
    config, chance = CrosspointConfig(dim=4), random.Random(1)
    seen = set()
    for relative in [*range(1, 16)] * 20:
        header = choice(policy, 4, relative, chance)
        seen.add((relative, header))
        assert fault_of(config, header) is None
        assert tree(config, 0, header).delivered == (relative,)
        if policy != "valiant":
            assert header.r1 & header.r2 == 0
    count = len([header for relative, header in seen if relative == 0b1011])
    least, most = {"e-cube": (1, 1), "either": (2, 2), "random": (5, 8), "valiant": (8, 16)}[policy]
    assert least <= count <= most


@pytest.mark.parametrize("dim", [2, 3])
def test_two_run_routes_are_the_shortest_paths_there_are(dim: int) -> None:
    """Against all paths, for every single fault and every pair of faulty links."""
    links = links_of(dim)
    patterns = [faults_of(dim, [node]) for node in range(1 << dim)]
    patterns += [faults_of(dim, (), some) for k in (0, 1, 2) for some in itertools.combinations(links, k)]
    for faults in patterns:
        for source in set(range(1 << dim)) - faults.nodes:
            best: dict[int, int] = {}
            for nodes in paths(dim, source, faults):
                best[nodes[-1]] = min(best.get(nodes[-1], 99), len(nodes) - 1)
            assert lengths(dim, source, faults) == best
            for node in set(range(1 << dim)) - faults.nodes - {source}:
                header = two_run_route(dim, source, node, faults)
                assert (header is None) == (node not in best)
                if header is not None:
                    assert header.r1.bit_count() + header.r2.bit_count() == best[node]
                    assert is_clear(source, header, faults)
                    assert fault_of(CrosspointConfig(dim=dim), header) is None


@pytest.mark.parametrize("dim", [3, 4])
def test_a_faulty_node_blocks_no_pair(dim: int) -> None:
    """With any one faulty node every pair of others has a two-run route of the length of its distance."""
    for node in range(1 << dim):
        faults = faults_of(dim, [node])
        for source in set(range(1 << dim)) - {node}:
            reached = lengths(dim, source, faults)
            assert reached == {other: (other ^ source).bit_count() for other in range(1 << dim) if other != node}


@pytest.mark.parametrize(("dim", "pairs", "missing"), [(3, 672, 8), (4, 7680, 16), (5, 79360, 32)])
def test_a_faulty_link_blocks_its_ends_in_the_top_dimension_alone(dim: int, pairs: int, missing: int) -> None:
    """1.2 %, 0.21 %, 0.04 % of the pairs."""
    assert uncovered(dim, (faults_of(dim, (), [link]) for link in links_of(dim))) == (pairs, missing, {1 << dim - 1})


@pytest.mark.parametrize(("dim", "apart", "both"), [(3, (2352, 96), (3696, 160)), (4, (96000, 544), (119040, 704))])
def test_pairs_of_faulty_links(dim: int, apart: tuple[int, int], both: tuple[int, int]) -> None:
    """4.1 % and 0.57 % of pairs without a two-run route where no node has two faulty links; 4.3 % and 0.59 % in all."""
    every = [*itertools.combinations(links_of(dim), 2)]
    rule = [some for some in every if len({*some[0], *some[1]}) == 4]
    for links, wanted in ((rule, apart), (every, both)):
        assert uncovered(dim, (faults_of(dim, (), some) for some in links))[:2] == wanted


def matchings(links: list[tuple[int, int]]) -> Iterator[tuple[tuple[int, int], ...]]:
    """Yield all sets of links no two of which meet at a node."""
    if not links:
        yield ()
        return
    first, *others = links
    yield from matchings(others)
    for rest in matchings([link for link in others if not {*link} & {*first}]):
        yield (first, *rest)


def test_one_relay_is_enough_where_no_node_has_two_faulty_links() -> None:
    """All 108 such sets of a 3-cube: only the three that hold all links of a dimension, and halve the cube, do not do.

    Elsewhere every pair has a route of at most one relay.
    """
    relayed = cut_off = 0
    for links in matchings(links_of(3)):
        faults = faults_of(3, (), links)
        halved = links[0][0] ^ links[0][1] if len(links) == 4 and len({a ^ b for a, b in links}) == 1 else 0
        for source, node in itertools.permutations(range(8), 2):
            found = find_route(3, source, node, faults)
            apart = (source ^ node) & halved != 0
            cut_off += apart
            assert found.reason is (Unreachable.CUT_OFF if apart else None)
            if found.reason is None:
                assert all(is_clear(leg.source, leg.header, faults) for leg in found.legs)
                ends = [leg.source ^ leg.header.r1 ^ leg.header.r2 for leg in found.legs]
                assert [found.legs[0].source, *ends[:-1]] == [leg.source for leg in found.legs]
                assert ends[-1] == node
                relayed += found.relay is not None
    assert cut_off == 3 * 32
    assert relayed > 0


def test_relays_make_the_way_shortest() -> None:
    """The two ends of a cut link of the top dimension: over one relay, in three hops."""
    faults = faults_of(3, (), [(0, 4)])
    found = find_route(3, 0, 4, faults)
    assert (found.relay, found.length) == (1, 3)
    lengths_there = lengths(3, 0, faults)
    assert found.length == min(lengths_there[v] + lengths(3, v, faults).get(4, 99) for v in lengths_there)


def test_why_there_is_no_route() -> None:
    """A faulty destination, one cut off, one at the end of a snake; one run has no way around without a relay."""
    assert find_route(3, 0, 5, faults_of(3, [5])).reason == Unreachable.FAULTY
    assert find_route(3, 0, 7, faults_of(3, [3, 5, 6])).reason == Unreachable.CUT_OFF
    snake = {(0, 1), (1, 3), (2, 3), (2, 6), (6, 7), (5, 7), (4, 5)}
    assert find_route(3, 0, 4, faults_of(3, (), {*links_of(3)} - snake)).reason == Unreachable.TWO_RELAYS
    one = find_route(3, 0, 6, faults_of(3, [4]), runs=1)
    assert (one.relay, one.length) == (2, 2)
    assert find_route(3, 0, 6, faults_of(3, [4])).length == 2


def test_what_is_refused() -> None:
    """One line each."""
    with pytest.raises(ValueError, match="policy must be one of e-cube, either, random, valiant, not 'greedy'"):
        choice("greedy", 3, 1, random.Random(1))
    with pytest.raises(ValueError, match="policy must be e-cube when runs is 1, not 'valiant'"):
        find_route(3, 0, 1, runs=1, policy="valiant")
    with pytest.raises(ValueError, match="link must join neighbours, not 0 and 3"):
        faults_of(3, (), [(0, 3)])
    with pytest.raises(ValueError, match="fault must be an integer from 0 to 7, not 8"):
        faults_of(3, [8])
