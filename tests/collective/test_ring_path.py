"""Paths in one order of dimensions, and theorem 1 with its corollaries: examples of Lin and Chen, and all paths."""

from __future__ import annotations

import itertools
import random

import pytest

from cubecast.golden.collective.algorithms.address_order import (
    asterisks,
    combine,
    common_prefix,
    common_suffix,
    mirror,
    ones,
    precedes,
)
from cubecast.golden.collective.algorithms.ring_path import (
    ORDERS,
    are_disjoint,
    conflicting_pairs,
    conflicts,
    links_of,
    ring_path,
)
from tests.collective.ring_reference import walk


def binary(text: str) -> tuple[int, ...]:
    """Return the nodes of a path as the paper prints it."""
    return tuple(int(node, 2) for node in text.split(" > "))


PRINTED = [
    "011 > 111 > 101 > 100",
    "101011 > 001011 > 001010",
    "011011 > 001011 > 001111 > 001101",
    "001011 > 101011 > 100011 > 100111 > 100110",
    "111011 > 101011 > 100011 > 100111 > 100101",
    "100101 > 000101 > 010101 > 010001 > 010011 > 010010",
    "101101 > 001101 > 011101 > 010101 > 010111 > 010110",
    "100101 > 000101 > 010101 > 010111 > 010110",
    "101101 > 001101 > 011101 > 010101 > 010001 > 010011 > 010010",
]


@pytest.mark.parametrize("text", PRINTED)
def test_printed_paths(text: str) -> None:
    """Highest dimension first."""
    path = binary(text)
    assert ring_path(path[0], path[-1]) == path


def test_the_example_of_theorem_1() -> None:
    """Two paths that cross at node 001011 and share no link."""
    first, second = (0b101011, 0b001010), (0b011011, 0b001101)
    assert common_suffix(first[0], second[0], 6) == "**1011"
    assert common_prefix(first[1], second[1], 6) == "001***"
    assert combine("**1011", "001***") == "**0***"
    assert conflicts(6, first, second) == ()
    assert are_disjoint(6, first, second)
    assert set(ring_path(*first)) & set(ring_path(*second)) == {0b001011}


def test_the_example_of_corollary_1() -> None:
    """Two links are shared, in dimensions 2 and 3."""
    first, second = (0b001011, 0b100110), (0b111011, 0b100101)
    assert combine(common_suffix(first[0], second[0], 6), common_prefix(first[1], second[1], 6)) == "**11**"
    assert conflicts(6, first, second) == (2, 3)
    assert not are_disjoint(6, first, second)
    shared = set(links_of(ring_path(*first))) & set(links_of(ring_path(*second)))
    assert shared == {(0b101011, 0b100011), (0b100011, 0b100111)}


def test_the_example_of_lemma_1() -> None:
    """Exchanged destinations exchange the ways behind node 010101; the links used are the same."""
    before = [ring_path(0b100101, 0b010010), ring_path(0b101101, 0b010110)]
    after = [ring_path(0b100101, 0b010110), ring_path(0b101101, 0b010010)]
    assert {link for path in before for link in links_of(path)} == {link for path in after for link in links_of(path)}
    assert are_disjoint(6, (0b100101, 0b010010), (0b101101, 0b010110))
    assert are_disjoint(6, (0b100101, 0b010110), (0b101101, 0b010010))
    sum_of_asterisks = asterisks(common_suffix(0b100101, 0b101101, 6)) + asterisks(common_prefix(0b10010, 0b10110, 6))
    assert sum_of_asterisks == 6
    assert 0b010101 in set(before[0]) & set(before[1])


def test_the_example_of_theorem_2() -> None:
    """Three of the first four nodes may take over the destination 1101; node 0010 fails the comparison."""
    assert are_disjoint(4, (0b0100, 0b1101), (0b1010, 0b1100))
    passed = [c for c in range(4) if precedes(common_suffix(c, 0b1010, 4), common_suffix(c, 0b0100, 4))]
    assert passed == [0b0000, 0b0001, 0b0011]
    assert all(are_disjoint(4, (c, 0b1101), (0b1010, 0b1100)) for c in passed)


def all_ends(dim: int) -> list[tuple[int, int]]:
    """Return the ends of all paths."""
    return list(itertools.product(range(1 << dim), repeat=2))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("dim", [1, 2, 3])
def test_theorem_1_for_all_pairs_of_paths(dim: int, order: str) -> None:
    """The dimensions of the test are those of the links that both paths really cross."""
    ends = all_ends(dim)
    dimensions = range(dim) if order == "ascending" else range(dim - 1, -1, -1)
    links = {}
    for pair in ends:
        path = walk(*pair, dimensions)
        assert ring_path(*pair, order) == tuple(path)
        links[pair] = set(itertools.pairwise(path))
    for first, second in itertools.product(ends, repeat=2):
        shared = tuple(sorted((a ^ b).bit_length() - 1 for a, b in links[first] & links[second]))
        assert conflicts(dim, first, second, order) == shared
        assert are_disjoint(dim, first, second, order) == (not shared)


def test_the_formula_as_printed_for_all_pairs_of_paths() -> None:
    """Corollary 1 through the sequences; corollary 2; theorem 4, n = 3."""
    for (a, b), (c, d) in itertools.product(all_ends(3), repeat=2):
        suffix, prefix = common_suffix(a, c, 3), common_prefix(b, d, 3)
        count = ones(combine(suffix, prefix))
        assert count == len(conflicts(3, (a, b), (c, d)))
        assert count == 0 or asterisks(suffix) + asterisks(prefix) < 3
    assert all(are_disjoint(3, (a, b), (b, a)) for a, b in all_ends(3) if a != b)


def test_corollary_2_does_not_keep_paths_from_meeting() -> None:
    """Path(00, 01) and Path(01, 00) have more than n asterisks, and both nodes in common."""
    assert asterisks(common_suffix(0, 1, 2)) + asterisks(common_prefix(1, 0, 2)) > 2
    assert set(ring_path(0, 1)) & set(ring_path(1, 0)) == {0, 1}
    assert are_disjoint(2, (0, 1), (1, 0))


def test_lemma_1_and_theorem_2_for_all_paths() -> None:
    """n = 2: all; exchanged destinations stay disjoint, and so does a source that passes the comparison."""
    for (a, b), (e, f) in itertools.product(all_ends(2), repeat=2):
        if are_disjoint(2, (a, b), (e, f)):
            assert are_disjoint(2, (a, f), (e, b))
            for c in range(4):
                if precedes(common_suffix(c, e, 2), common_suffix(c, a, 2)):
                    assert are_disjoint(2, (c, b), (e, f))


def test_ascending_is_descending_in_the_mirror() -> None:
    """Node for node."""
    for a, b in all_ends(4):
        mirrored = ring_path(mirror(a, 4), mirror(b, 4), "ascending")
        assert mirrored == tuple(mirror(node, 4) for node in ring_path(a, b, "descending"))


@pytest.mark.parametrize("order", ORDERS)
def test_all_pairs_at_once(order: str) -> None:
    """The table of pairs is the single tests, also at n = 20 and with equal sources, ends and paths."""
    source = random.Random(7)
    assert list(conflicting_pairs(3, [], order)) == list(conflicting_pairs(3, [(0, 7)], order)) == []
    for dim, count in ((1, 6), (2, 20), (4, 60), (5, 60), (20, 40)):
        pool = source.sample(range(1 << dim), min(1 << dim, 6))
        ends = [(source.choice(pool), source.choice(pool)) for _ in range(count)]
        single = [(i, j) for i, j in itertools.combinations(range(count), 2) if conflicts(dim, ends[i], ends[j], order)]
        assert single
        assert list(conflicting_pairs(dim, ends, order)) == single


def test_what_is_refused() -> None:
    """In one line with name, value and what is allowed."""
    cases = [
        (lambda: ring_path(0, 1, "up"), "order must be one of descending, ascending, not 'up'"),
        (lambda: conflicts(21, (0, 1), (1, 0)), "dim must be an integer from 1 to 20, not 21"),
        (lambda: conflicts(2, (0, 4), (1, 0)), "node must be an integer from 0 to 3, not 4"),
        (lambda: are_disjoint(2, (0, 1), (1, 0), ""), "order must be one of descending, ascending, not ''"),
        (lambda: list(conflicting_pairs(2, [(0, 4)])), "node must be an integer from 0 to 3, not 4"),
        (lambda: list(conflicting_pairs(2, [(0, 1)], "x")), "order must be one of descending, ascending, not 'x'"),
    ]
    for refused, line in cases:
        with pytest.raises(ValueError) as caught:
            refused()
        assert str(caught.value) == line
