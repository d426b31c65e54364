"""Group-multicast rings: figures 1 and 3 of Lin and Chen, all subsets of small cubes, random ones of large cubes."""

from __future__ import annotations

import itertools
import random
import re
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cubecast.golden.collective.algorithms.address_order import mirror
from cubecast.golden.collective.algorithms.group_ring import (
    GRAY,
    Merge,
    buddy_subcubes,
    configure,
    gray_code,
    gray_rank,
    gray_ring,
    group_ring,
    ring_in_sequence,
    rings_after,
)
from cubecast.golden.collective.algorithms.ring_path import ORDERS, links_of, ring_path
from tests.collective.ring_reference import every_ring, suffix, walk
from tests.harness.search import search

FIGURE_3 = (0, 2, 3, 5, 6, 10, 13, 15)
"""The selected nodes of the paper's example, n = 4."""


def test_figure_1() -> None:
    """The hierarchy of all buddy subcubes of a 4-cube."""
    drawn = {
        3: "0yyy 1yyy",
        2: "00yy 01yy, 10yy 11yy",
        1: "000y 001y, 010y 011y, 100y 101y, 110y 111y",
        0: "0000 0001, 0010 0011, 0100 0101, 0110 0111, 1000 1001, 1010 1011, 1100 1101, 1110 1111",
    }
    for k, text in drawn.items():
        pairs = [pair.split() for pair in text.split(", ")]
        expected = [tuple(_nodes(subcube) for subcube in pair) for pair in pairs]
        assert [tuple(list(half) for half in pair) for pair in buddy_subcubes(4, k)] == expected
        assert all(x ^ 1 << k in upper for lower, upper in buddy_subcubes(4, k) for x in lower)


def _nodes(subcube: str) -> list[int]:
    """Return the nodes of a subcube such as ``01yy``."""
    free = subcube.count("y")
    return [int(subcube.replace("y", "") or "0", 2) << free | low for low in range(1 << free)]


def test_figure_3a() -> None:
    """Four snapshots, with the ties taken for the smallest node of the lower half first, then of the upper."""
    ring = group_ring(4, FIGURE_3)
    snapshots = [
        [(0,), (2, 3), (5,), (6,), (10,), (13,), (15,)],
        [(0, 3, 2), (5, 6), (10,), (13, 15)],
        [(0, 3, 2, 5, 6), (10, 15, 13)],
        [(0, 3, 2, 15, 13, 10, 5, 6)],
    ]
    assert [rings_after(4, ring, step) for step in (1, 2, 3, 4)] == snapshots
    assert rings_after(4, ring, 0) == [(node,) for node in FIGURE_3]
    assert ring.merges == (
        Merge(0, (2, 2), (3, 3)),
        Merge(1, (0, 0), (2, 3)),
        Merge(1, (5, 5), (6, 6)),
        Merge(1, (13, 13), (15, 15)),
        Merge(2, (2, 0), (6, 5)),
        Merge(2, (10, 10), (13, 15)),
        Merge(3, (2, 5), (10, 15)),
    )


def test_figure_3b() -> None:
    """The links of the final ring, written down path by path: 18, each used once."""
    ring = group_ring(4, FIGURE_3)
    written = [
        "0000 0010 0011",
        "0011 0010",
        "0010 1010 1110 1111",
        "1111 1101",
        "1101 1001 1011 1010",
        "1010 0010 0110 0100 0101",
        "0101 0111 0110",
        "0110 0010 0000",
    ]
    assert ring.paths == tuple(tuple(int(node, 2) for node in path.split()) for path in written)
    assert (ring.links_used, ring.hops, ring.max_hops, ring.disjoint) == (18, 18, 4, True)
    assert set(ring.link_use.values()) == {1}
    assert ring.next_member == {0: 3, 3: 2, 2: 15, 15: 13, 13: 10, 10: 5, 5: 6, 6: 0}
    ring.check()


def test_the_ties_of_figure_3_leave_four_rings() -> None:
    """All are disjoint, and the tie rule picks one of them."""
    rings = every_ring(4, list(FIGURE_3))
    assert len(rings) == 4
    assert group_ring(4, FIGURE_3).ring in rings
    for ring in rings:
        links = [link for a, b in zip(ring, (*ring[1:], ring[0]), strict=True) for link in links_of(ring_path(a, b))]
        assert len(links) == len(set(links))


def test_the_ascending_ring_of_figure_3() -> None:
    """The ring the routers here need."""
    ring = group_ring(4, FIGURE_3, "ascending")
    ring.check()
    assert ring.ring == (0, 6, 10, 2, 15, 5, 13, 3)
    assert (ring.links_used, ring.max_hops) == (16, 3)
    assert rings_after(4, ring, 4) == [tuple(mirror(node, 4) for node in ring.ring)]


def test_the_gray_code_of_the_introduction() -> None:
    """8 nodes in the order 0 1 3 2 6 7 5 4; members 1, 4 and 6: the ways 1-3-2-6 and 6-7-5-4."""
    assert [gray_code(rank) for rank in range(8)] == [0, 1, 3, 2, 6, 7, 5, 4]
    assert [gray_rank(gray_code(rank)) for rank in range(1024)] == list(range(1024))
    ring = gray_ring(3, (4, 1, 6))
    assert ring.ring == (1, 6, 4)
    assert ring.paths == ((1, 3, 2, 6), (6, 7, 5, 4), (4, 0, 1))
    assert [(a ^ b).bit_length() - 1 for a, b in links_of(ring.paths[0])] == [1, 0, 2]
    assert [(a ^ b).bit_length() - 1 for a, b in links_of(ring.paths[1])] == [0, 1, 0]
    assert (ring.order, ring.links_used, ring.max_hops, ring.disjoint) == (GRAY, 8, 3, True)
    ring.proof.check()


def test_gray_code_rings_go_once_round_the_cube() -> None:
    """2^n links however few members; the longest path grows with the cube, that of the method does not."""
    ring = gray_ring(10, (0, gray_code(1023)))
    assert (ring.links_used, ring.max_hops) == (1024, 1023)
    assert group_ring(10, (0, gray_code(1023))).max_hops == 1
    for dim in (1, 4, 8):
        whole = gray_ring(dim, range(1 << dim))
        assert (whole.max_hops, whole.links_used) == (1, 2**dim)


@pytest.mark.parametrize("order", ORDERS)
def test_shortest_paths_in_the_gray_sequence_are_disjoint_too(order: str) -> None:
    """Same members, same sequence as along the Gray code: no link twice, all subsets at n = 3, random ones above."""
    groups = [(3, [node for node in range(8) if subset >> node & 1]) for subset in range(1, 256)]
    source = random.Random(11)
    for dim in range(4, 11):
        groups += [(dim, source.sample(range(1 << dim), source.randint(1, min(1 << dim, 60)))) for _ in range(30)]
    for dim, members in groups:
        ring = gray_ring(dim, members, order)
        ring.check()
        assert ring.ring == gray_ring(dim, members).ring


@pytest.mark.parametrize("order", ORDERS)
def test_an_arbitrary_sequence_contends(order: str) -> None:
    """The members of figure 3 in another sequence: links with two users, in the proof and by the check."""
    ring = ring_in_sequence(4, (5, 2, 13, 3, 15, 6, 10, 0), order)
    assert ring.ring == (0, 5, 2, 13, 3, 15, 6, 10)
    assert not ring.disjoint and ring.links_used < ring.hops == sum(ring.link_use.values())
    ring.proof.check()
    with pytest.raises(ValueError, match=r"^link must have one user, not 2 on \d+ to \d+$"):
        ring.check()
    assert ring_in_sequence(4, group_ring(4, FIGURE_3).ring).paths == group_ring(4, FIGURE_3).paths


def test_small_groups() -> None:
    """One member has no link to cross; two members exchange; a 1-cube has nothing else."""
    ring = group_ring(4, [9])
    ring.check()
    assert ring.to_json() == {"ring": [9], "paths": [[9]], "links_used": 0, "max_hops": 0, "disjoint": True}
    assert gray_ring(4, [9]).to_json() == ring.to_json()
    ring = group_ring(3, [7, 0])
    assert ring.to_json() == {
        "ring": [0, 7],
        "paths": [[0, 4, 6, 7], [7, 3, 1, 0]],
        "links_used": 6,
        "max_hops": 3,
        "disjoint": True,
    }
    assert group_ring(1, [0, 1], "ascending").paths == ((0, 1), (1, 0))


def masks_of_paths(dim: int, order: str) -> list[list[int]]:
    """Return a word per path, [from][to], with a one for every link it crosses."""
    dimensions = range(dim) if order == "ascending" else range(dim - 1, -1, -1)
    return [
        [
            sum(1 << a * dim + (a ^ b).bit_length() - 1 for a, b in itertools.pairwise(walk(x, y, dimensions)))
            for y in row
        ]
        for x, row in enumerate([range(1 << dim)] * (1 << dim))
    ]


@pytest.mark.parametrize("order", ORDERS)
def test_all_subsets_of_a_4_cube(order: str) -> None:
    """65,535 groups: one ring through all members, no link used twice; a path of one order has at most n links."""
    masks, over = masks_of_paths(4, order), [mirror(node, 4) for node in range(16)]
    seen = 0
    for subset in range(1, 1 << 16):
        members = [node for node in range(16) if subset >> node & 1]
        if order == "ascending":
            following, _ = configure(4, [over[node] for node in members])
            following = {over[node]: over[after] for node, after in following.items()}
        else:
            following, _ = configure(4, members)
        used, left, node = 0, subset, members[0]
        while left >> node & 1:
            left ^= 1 << node
            after = following[node]
            assert not used & masks[node][after], members
            used |= masks[node][after]
            node = after
        assert not left and node == members[0], members
        seen += 1
    assert seen == 65535


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("dim", [1, 2, 3])
def test_all_subsets_of_smaller_cubes(dim: int, order: str) -> None:
    """The whole check, and one of the rings that a literal reading of the pseudo-code allows."""
    for subset in range(1, 1 << (1 << dim)):
        members = [node for node in range(1 << dim) if subset >> node & 1]
        ring = group_ring(dim, members, order)
        ring.check()
        assert ring.ring[0] == members[0]
        mirrored = [mirror(node, dim) for node in members] if order == "ascending" else members
        walked = rings_after(dim, ring, dim)
        assert len(walked) == 1
        assert walked[0] in every_ring(dim, mirrored)


def literal_tie_rule(dim: int, members: list[int]) -> dict[int, int]:
    """Return the successors by a search over all pairs of every merge, in the order of the tie rule."""
    following = {node: node for node in members}
    for k in range(dim):
        for lower, upper in buddy_subcubes(dim, k):
            pairs = [(a, c) for a in sorted(members) for c in sorted(members) if a in lower and c in upper]
            if pairs:
                a, c = max(pairs, key=lambda pair: suffix(*pair, dim))
                following[a], following[c] = following[c], following[a]
    return following


@pytest.mark.parametrize("dim", [3, 4, 5, 6])
def test_the_tie_rule(dim: int) -> None:
    """First of equals in ascending order of the lower node, then of the upper; the order of the list is no matter."""
    source = random.Random(dim)
    for _ in range(25):
        members = source.sample(range(1 << dim), source.randint(1, min(1 << dim, 24)))
        ring = group_ring(dim, members)
        assert ring.next_member == literal_tie_rule(dim, members)
        assert group_ring(dim, sorted(members)) == ring


@st.composite
def groups(draw: st.DrawFn) -> tuple[int, list[int]]:
    """Draw a dimension and members: anywhere, or close together, where rings are dense."""
    dim = draw(st.integers(1, 12))
    span = draw(st.integers(1, dim))
    base = draw(st.integers(0, (1 << dim) - 1))
    nodes = st.integers(0, (1 << span) - 1).map(lambda low: base ^ low)
    return dim, draw(st.lists(nodes, min_size=1, max_size=120, unique=True))


@search(120)
@given(groups(), st.sampled_from(ORDERS))
def test_random_groups(group: tuple[int, list[int]], order: str) -> None:
    """One ring, single order, at most n links a path, disjoint by links and by theorem 1, n to 12."""
    dim, members = group
    ring = group_ring(dim, members, order)
    ring.check()
    assert sorted(ring.ring) == sorted(members)
    assert ring.hops == ring.links_used


@search(60)
@given(groups())
def test_every_merge_obeys_theorem_3(group: tuple[int, list[int]]) -> None:
    """The two first nodes lie in buddy subcubes, their paths stood before, and no pair has a longer suffix."""
    dim, members = group
    ring = group_ring(dim, members)
    assert len(ring.merges) == len(members) - 1
    following = {node: node for node in members}
    for merge in ring.merges:
        (a, b), (c, d) = merge.lower, merge.upper
        k = merge.dimension
        assert a >> k ^ 1 == c >> k and not a >> k & 1
        assert (following[a], following[c]) == (b, d)
        suffixes = {node & (2 << suffix(a, c, k)) - 1 for node in members if node >> k == a >> k}
        assert suffix(a, c, k) == k or not any(
            node & (2 << suffix(a, c, k)) - 1 in suffixes for node in members if node >> k == c >> k
        )
        following[a], following[c] = d, b
    assert following == ring.next_member


@pytest.mark.parametrize("order", ORDERS)
def test_ten_thousand_members_in_seconds(order: str) -> None:
    """n = 16, with the check of all 50 million pairs of paths."""
    members = random.Random(16).sample(range(1 << 16), 10_000)
    start = time.process_time()
    ring = group_ring(16, members, order)
    ring.check()
    assert time.process_time() - start < 10
    assert len(ring.ring) == 10_000


@pytest.mark.soak
@pytest.mark.parametrize("order", ORDERS)
def test_many_random_groups(order: str) -> None:
    """Groups of every density, n = 5 to 12, and whole cubes."""
    source = random.Random(3)
    for dim in range(5, 13):
        group_ring(dim, range(1 << dim), order).check()
        for _ in range(300 if dim < 9 else 40):
            members = source.sample(range(1 << dim), source.randint(1, 1 << dim))
            group_ring(dim, members, order).check()


@pytest.mark.soak
@pytest.mark.parametrize("order", ORDERS)
def test_all_subsets_of_a_4_cube_in_full(order: str) -> None:
    """The whole check of all 65,535 groups, theorem 1 on all pairs included."""
    for subset in range(1, 1 << 16):
        group_ring(4, [node for node in range(16) if subset >> node & 1], order).check()


def test_the_check_refuses_what_is_no_ring() -> None:
    """Each condition has its line."""
    ring = group_ring(3, [0, 3, 5, 6])
    ring.check()
    again = (ring.ring[0], *ring.ring[:-1])
    detour = ((ring.ring[0], *ring.paths[0]), *ring.paths[1:])
    cases = [
        (replace(ring, ring=again), "ring must hold each member once, not 1 of them again"),
        (replace(ring, paths=ring.paths[:-1]), "paths must be one per member, 4, not 3"),
        (replace(ring, paths=detour), f"path must lead from 0 to {ring.ring[1]} in descending order, not {detour[0]}"),
        (replace(ring, order=GRAY), "order must be one of descending, ascending, not 'gray'"),
    ]
    for wrong, line in cases:
        with pytest.raises(ValueError) as caught:
            wrong.check()
        assert str(caught.value) == line


@pytest.mark.parametrize("make", [group_ring, gray_ring, ring_in_sequence])
def test_what_is_refused(make) -> None:
    """In one line with name, value and what is allowed."""
    orders = "gray, descending, ascending" if make is gray_ring else "descending, ascending"
    cases = [
        ((0, [0]), "dim must be an integer from 1 to 20, not 0"),
        ((21, [0]), "dim must be an integer from 1 to 20, not 21"),
        ((3, []), "nodes must hold at least one address, not none"),
        ((3, [8]), "node must be an integer from 0 to 7, not 8"),
        ((3, [1, "2"]), "node must be an integer from 0 to 7, not '2'"),
        ((3, [5, 1, 5]), "nodes must hold each address once, not 5 again"),
        ((3, [1], "down"), f"order must be one of {orders}, not 'down'"),
    ]
    for arguments, line in cases:
        with pytest.raises(ValueError) as caught:
            make(*arguments)
        assert str(caught.value) == line


def contiguous(dim: int, source: random.Random) -> list[int]:
    """Return all nodes in a sequence that visits every subcube {x..xy..y} without a break."""
    if dim == 0:
        return [0]
    halves = [contiguous(dim - 1, source), [node | 1 << dim - 1 for node in contiguous(dim - 1, source)]]
    source.shuffle(halves)
    return halves[0] + halves[1]


@pytest.mark.parametrize("order", ORDERS)
def test_sequences_without_breaks_are_disjoint(order: str) -> None:
    """The argument of the docs: each subcube is entered once and left once, whatever the sequence in it."""
    source = random.Random(13)
    for dim in range(1, 9):
        for _ in range(15):
            sequence = contiguous(dim, source)
            members = set(source.sample(sequence, source.randint(1, len(sequence))))
            ring_in_sequence(dim, [node for node in sequence if node in members], order).check()


def test_the_table_of_the_docs() -> None:
    """Averages over 100 random groups, to one decimal."""
    text = (Path(__file__).resolve().parents[2] / "docs" / "rings.md").read_text()
    rows = re.findall(r"^\| (\d+) \| (\d+) \|((?: [\d.]+ \|){6})$", text, re.MULTILINE)
    assert len(rows) == 6
    for dim, count, cells in rows:
        source = random.Random(17)
        groups = [source.sample(range(1 << int(dim)), int(count)) for _ in range(100)]
        averages = []
        for make, order in ((group_ring, "ascending"), (gray_ring, GRAY), (gray_ring, "ascending")):
            made = [make(int(dim), members, order) for members in groups]
            averages += [sum(ring.hops for ring in made) / 100, sum(ring.max_hops for ring in made) / 100]
        assert cells.replace("|", "").split() == [f"{value:.1f}" for value in averages]
