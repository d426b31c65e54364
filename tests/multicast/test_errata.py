"""The misprints and gaps L1 to L22 of Lan 1988 that are behaviours: the printed rule fails, the model's is right.

Printed variants are written out here; nothing of them is in the model.
"""

from __future__ import annotations

import itertools
import math
from collections import deque

import pytest

from cubecast.golden.common.algorithms.address import (
    distance,
    nearest_common_ancestor,
    nth_dimension,
    path_by_dimensions,
)
from cubecast.golden.common.algorithms.faults import fault_sets, fault_vector, hamming_bound, obeys_rule, violations
from cubecast.golden.multicast.algorithms.broadcast import (
    broadcast_1,
    broadcast_2,
    broadcast_2_step,
    broadcast_3,
    broadcast_f3,
    control_step,
)
from cubecast.golden.multicast.algorithms.multicast import column_sums, multicast_1, multicast_f1, multicast_step
from cubecast.golden.multicast.algorithms.optimal import optimal_broadcast, optimal_multicast
from cubecast.golden.multicast.algorithms.route import route
from cubecast.golden.multicast.algorithms.small import one_to_three
from cubecast.golden.multicast.algorithms.spare import spare_global_send
from cubecast.golden.multicast.algorithms.tree import Decision
from cubecast.golden.multicast.algorithms.unicast import unicast_1, unicast_f1, unicast_step

EXAMPLE = (5, 6, (7, 20, 29, 18, 1, 0))


def feasible_distances(n, source, faults):
    """Return the length of a shortest fault-free path from ``source`` to every node that has one."""
    lengths = {source: 0}
    queue = deque([source])
    while queue:
        node = queue.popleft()
        for j in range(n):
            if (to := node ^ 1 << j) not in faults and to not in lengths:
                lengths[to] = lengths[node] + 1
                queue.append(to)
    return lengths


def subsets(nodes, least=0, most=None):
    """Return the subsets of ``nodes`` by size, as frozensets."""
    nodes = list(nodes)
    sizes = range(least, (len(nodes) if most is None else most) + 1)
    return (frozenset(chosen) for k in sizes for chosen in itertools.combinations(nodes, k))


# --- L1 ---


def traffic_with_ties(n, source, destinations, pick):
    """Return the greedy traffic when ``pick(node, columns)`` settles ties."""
    count = 0
    pending = [(source, list(destinations))]
    while pending:
        node, left = pending.pop()
        left = [d for d in left if d != node]
        while left:
            sums = [sum((d ^ node) >> j & 1 for d in left) for j in range(n)]
            chosen = pick(node, [j for j in range(n) if sums[j] == max(sums)])
            count += 1
            pending.append((node ^ 1 << chosen, [d for d in left if (d ^ node) >> chosen & 1]))
            left = [d for d in left if not (d ^ node) >> chosen & 1]
    return count


def test_L01_example_has_traffic_10_and_optimum_9():
    """The printed 9 needs node 4 to choose dimension 2 or 4 in a tie that the lowest dimension wins."""
    assert traffic_with_ties(*EXAMPLE, lambda node, columns: columns[0]) == 10
    for wanted in (2, 4):
        assert traffic_with_ties(*EXAMPLE, lambda node, c, w=wanted: w if node == 4 and w in c else c[0]) == 9
    assert column_sums(5, [d ^ 4 for d in (20, 29, 1, 0)]) == (2, 0, 2, 1, 2)
    assert [decision.dimension for decision in multicast_1(*EXAMPLE).nodes[4]] == [0, 2, 4]
    for faults in ((), (4,), (2,)):
        assert multicast_f1(*EXAMPLE, faults).traffic == 10
        assert optimal_multicast(*EXAMPLE, faults).traffic == 9


# --- L2, L3, L14: the selection loop of figures 5.1 and 7.7 ---


def printed_loop(n, node, destinations, *, rows_summed=None, clear_first=False, faulty=0, counter_bits=None, limit=10):
    """Run figure 5.1 or 7.7 as printed, or in the ways it can be read; return the dimensions chosen, at most limit."""
    k = len(destinations)
    b = [[(d ^ node) >> j & 1 for j in range(n)] for d in destinations]
    summed = range(k if rows_summed is None else min(k, rows_summed))
    c = [0 if faulty >> j & 1 else sum(b[i][j] for i in summed) for j in range(n)]
    chosen = []
    while len(chosen) < limit:
        column = c.index(max(c))
        if c[column] == 0:
            break
        chosen.append(column)
        for i in range(k):
            if b[i][column]:
                row, cleared = list(b[i]), [0] * n
                b[i] = cleared
                for j in range(n):
                    c[j] -= cleared[j] if clear_first else row[j]
                    if counter_bits is not None:
                        c[j] %= 2**counter_bits
    return chosen


def test_L02_rows_are_subtracted_before_they_are_cleared():
    """n=2, node 0, D={1}: in the printed order the sum never falls and messages are sent forever."""
    assert printed_loop(2, 0, (1,), clear_first=True) == [0] * 10
    assert printed_loop(2, 0, (1,)) == [0]
    assert multicast_1(2, 0, (1,)).nodes == {0: (Decision(0, 1, (1,)),), 1: ()}


def test_L03_column_sums_run_over_all_destinations():
    """n=2, node 0, D=(2,3,1): summing rows 1 to n picks dimension 1, summing rows 1 to k picks dimension 0."""
    assert printed_loop(2, 0, (2, 3, 1), rows_summed=2)[0] == 1
    assert printed_loop(2, 0, (2, 3, 1))[0] == 0
    assert multicast_step(2, (2, 3, 1)).choices[0].sums == (2, 2)
    assert multicast_1(2, 0, (2, 3, 1)).nodes[0] == (Decision(0, 1, (3, 1)), Decision(1, 2, (2,)))


def test_L14_faulty_columns_are_not_subtracted():
    """n=2, f=10, D={11}: an unsigned 2-bit counter wraps to 3 and the faulty dimension is chosen forever."""
    assert printed_loop(2, 0, (0b11,), faulty=0b10) == [0]
    assert printed_loop(2, 0, (0b11,), faulty=0b10, counter_bits=2) == [0] + [1] * 9
    split = multicast_step(2, (0b11,), 0b10)
    assert [(choice.dimension, choice.sums) for choice in split.choices] == [(0, (1, 0))]
    for faulty, rows in itertools.product(range(8), itertools.product(range(8), repeat=3)):
        for choice in multicast_step(3, rows, faulty).choices:
            assert min(choice.sums) >= 0
            assert all(choice.sums[j] == 0 for j in range(3) if faulty >> j & 1)


# --- L4, L5, L6, L15: the equations of the multicaster ---


def decoders(n, m, rows, faulty=0, force_zero_count=False):
    """Return c[j][l] of section 6.6.1; with faults masked as in section 7.4, and c_j0 forced if asked."""
    c = []
    for j in range(n):
        count = sum(row >> j & 1 for row in rows)
        healthy = not faulty >> j & 1
        c.append([int(count == level and healthy) for level in range(m + 1)])
        if force_zero_count and not healthy:
            c[j][0] = 1
    return c


def maximum_checker(c, top):
    """Return s of section 6.6.2 with the case distinction at ``top``; None where no case applies."""
    n, m = len(c), len(c[0]) - 1
    any_column = [int(any(c[j][level] for j in range(n))) for level in range(m + 1)]
    s = [None] * (m + 1)
    for level in range(m + 1):
        if level == top:
            s[level] = any_column[level]
        elif level < top:
            s[level] = int(any_column[level] and not any(any_column[level + 1 :]))
    return s


def test_L04_maximum_checker_top_case_is_m():
    """n=3, m=4, rows 001, 011, 011: right s_3=1; printed s_2=1 and s_3, s_4 undefined."""
    rows = (0b001, 0b011, 0b011)
    c = decoders(3, 4, rows)
    assert maximum_checker(c, top=2) == [0, 0, 1, None, None]
    assert maximum_checker(c, top=4) == [0, 0, 0, 1, 0]
    assert max(multicast_step(3, rows).choices[0].sums) == 3
    assert multicast_step(3, rows).choices[0].dimension == 0


def test_L05_column_selector_needs_complement_and_and():
    """Two maximal columns: the printed equation selects both, whether read as AND or as OR."""
    rows = (0b01, 0b10)
    c = decoders(2, 2, rows)
    s = maximum_checker(c, top=2)
    maximal = [int(any(c[j][level] and s[level] for level in range(3))) for j in range(2)]
    assert maximal == [1, 1]
    assert [maximal[0], int(maximal[1] and maximal[0])] == [1, 1]
    assert [maximal[0], int(maximal[1] or maximal[0])] == [1, 1]
    assert [maximal[0], int(maximal[1] and not maximal[0])] == [1, 0]
    assert multicast_step(2, rows).choices[0].dimension == 0


def test_L06_counter_needs_the_ceiling_of_log2():
    """m=4 ones in a column do not fit the whole bits of log2(m+1): the sum would read as 0, the end."""
    rows = (0b001,) * 4
    total = multicast_step(3, rows).choices[0].sums[0]
    assert total == 4
    assert total % 2 ** math.floor(math.log2(5)) == 0
    assert total % 2 ** math.ceil(math.log2(5)) == 4


def test_L15_termination_with_every_dimension_faulty():
    """With every dimension faulty no s is 1, so the unit never stops, unless c_j0 is forced; else s_0 comes anyhow."""
    for n in (1, 2, 3):
        for faulty, row in itertools.product(range(2**n), repeat=2):
            # what is left when every row with a fault-free useful dimension has been sent
            rows = (row & faulty,)
            printed = maximum_checker(decoders(n, 1, rows, faulty), top=1)
            cured = maximum_checker(decoders(n, 1, rows, faulty, force_zero_count=True), top=1)
            assert printed[0] == (0 if faulty == 2**n - 1 else 1)
            assert cured == [1, 0]
            split = multicast_step(n, (row,), faulty)
            # destinations inside the fault vector are dropped in either form
            assert split.left_over == ((0,) if row and row & ~faulty == 0 else ())
            assert all(not faulty >> choice.dimension & 1 for choice in split.choices)


# --- L7, L8: headers of broadcasts ---


def receivers(n, m, source, forwarded_k):
    """Send a broadcast through routers that choose by k, and return the nodes that deliver."""
    delivered = set()
    pending = [(source, 2**n - 1)]
    while pending:
        node, k = pending.pop()
        if k > m:
            if node != source:
                delivered.add(node)
            dimensions = broadcast_2_step(n, node ^ source)
        else:
            # the multicaster gets a list of k = 0 destinations
            dimensions = [choice.dimension for choice in multicast_step(n, ()).choices]
        pending.extend((node ^ 1 << j, forwarded_k) for j in dimensions)
    return delivered


def test_L07_k_is_forwarded_unchanged():
    """n=3, m=4: with k sent on as zero nobody but the source has the message."""
    assert receivers(3, 4, 5, 0) == set()
    assert receivers(3, 4, 5, 7) == set(range(8)) - {5}


def test_L08_control_of_a_listed_broadcast_starts_as_ones():
    """n=3, m=4, k=5: Control=000 lets nothing leave the source; all ones and the whole list deliver to the list."""
    destinations = (1, 2, 4, 7, 6)
    assert control_step(range(3), 0b000) == ()
    for tree in (
        broadcast_f3(3, 0, (), destinations),
        broadcast_2(3, 0, destinations),
        broadcast_3(3, 0, (), destinations),
    ):
        tree.check()
        assert tree.delivered == tuple(sorted(destinations))
        assert all(d.destinations == destinations for decisions in tree.nodes.values() for d in decisions)
        assert tree.traffic == 7


# --- L9: BROADCAST.3 ---


def printed_broadcast_3_deliveries(n, source):
    """Run figure 4.6 as printed, line 4 inside the loop; return how many copies each processor gets."""
    copies = dict.fromkeys(range(2**n), 0)
    pending = [(source, [1] * n)]
    while pending:
        node, control = pending.pop()
        for j in range(n):
            copies[node] += 1
            if control[j] == 1:
                pending.append((node ^ 1 << j, [int(control[b] == 1 and b > j) for b in range(n)]))
    return copies


def test_L09_local_delivery_once_and_not_at_the_source():
    """Line 4 inside the loop gives n copies; the model delivers once, and in no broadcast to the source."""
    assert set(printed_broadcast_3_deliveries(3, 2).values()) == {3}
    for tree in (broadcast_1(3, 2), broadcast_2(3, 2), broadcast_3(3, 2), broadcast_f3(3, 2), optimal_broadcast(3, 2)):
        assert tree.delivered == (0, 1, 3, 4, 5, 6, 7)


def test_L09_broadcast_3_skips_faults_without_covering():
    """Node 1 faulty: BROADCAST.3 loses 3, 5 and 7 behind it, BROADCAST.F3 loses nobody."""
    assert broadcast_3(3, 0, {1}).undeliverable == (3, 5, 7)
    assert broadcast_f3(3, 0, {1}).undeliverable == ()


# --- L10 ---


def printed_one_to_three(*destinations):
    """Return the links of figure 4.11 as printed, from source 0: the path from y to x_max is missing."""
    y = nearest_common_ancestor(0, destinations)
    pairs = itertools.combinations(range(3), 2)
    i, j = max(pairs, key=lambda pair: (destinations[pair[0]] & destinations[pair[1]]).bit_count())
    k = 3 - i - j
    shared = destinations[i] & destinations[j]
    ends = [(shared, destinations[i]), (shared, destinations[j]), (y, destinations[k]), (0, y)]
    return {link for start, end in ends for link in itertools.pairwise(path_by_dimensions(start, end))}


def test_L10_one_to_three_needs_the_path_between_the_ancestors():
    """Destinations 011, 111, 100: as printed nothing leads to 011; completed, all triples of a 5-cube are optimal."""
    links = printed_one_to_three(0b011, 0b111, 0b100)
    assert all(end != 0b011 for _, end in links)
    assert set(one_to_three(3, 0, 0b011, 0b111, 0b100).edges) > links
    one_to_three(3, 0, 0b011, 0b111, 0b100).check()
    for triple in itertools.combinations(range(1, 32), 3):
        tree = one_to_three(5, 0, *triple)
        assert tree.delivered == triple
        assert tree.traffic == optimal_multicast(5, 0, triple).traffic


# --- L11, L12: W_i ---


def test_L11_w_counts_from_1_and_the_path_has_d_dimensions():
    """W_n is needed for 1...1, and a path of W_1 to W_(d-1) ends one hop short."""
    assert nth_dimension(5, 0b11111) == 4
    for source, destination in itertools.product(range(16), repeat=2):
        relative = source ^ destination
        d = relative.bit_count()
        steps = [nth_dimension(i, relative) for i in range(1, d + 1)]
        path = unicast_1(4, source, destination).path(destination)
        assert [(a ^ b).bit_length() - 1 for a, b in itertools.pairwise(path)] == steps
        short = source
        for dimension in steps[: d - 1]:
            short ^= 1 << dimension
        assert distance(short, destination) == min(d, 1)


def test_L12_unicast_f1_starts_at_w_1():
    """W_0 names no dimension; the model's first try is W_1."""
    for relative in range(1, 32):
        assert nth_dimension(0, relative) == -1
        assert unicast_step(relative) == nth_dimension(1, relative) >= 0


# --- L13: more than one faulty neighbour ---


def test_L13_two_faulty_neighbours_are_reported_not_looped_on():
    """n=3, F={011,101}, 000 to 111: node 001 is stuck, though 000-010-110-111 is free."""
    faults = frozenset({0b011, 0b101})
    assert violations(3, faults) == (0b001, 0b111)
    at_001 = fault_vector(3, 0b001, faults)
    tries = [nth_dimension(i, 0b001 ^ 0b111) for i in range(1, 20)]
    # the printed loop tries the two faulty dimensions, then -1 forever
    assert all(j == -1 or at_001 >> j & 1 for j in tries) and tries[2:] == [-1] * 17
    assert unicast_step(0b001 ^ 0b111, at_001) is None
    assert unicast_f1(3, 0, 7, faults).undeliverable == (7,)
    assert multicast_f1(3, 0, (7,), faults).undeliverable == (7,)
    assert broadcast_f3(3, 0, faults).undeliverable == (7,)
    assert not faults & {0b000, 0b010, 0b110, 0b111}
    assert optimal_multicast(3, 0, (7,), faults).delivered == (7,)


def test_L13_broadcast_f3_never_duplicates():
    """All fault sets of a 3-cube, all sources: no node is entered twice."""
    for faults in subsets(range(8)):
        for source in set(range(8)) - faults:
            entered = [end for _, end in broadcast_f3(3, source, faults).edges]
            assert len(set(entered)) == len(entered)


def test_L13_broadcast_f3_covers_all_but_what_lies_inside_the_faults():
    """All control and fault vectors of a 4-cube: each part of C is served once, except those inside C&f."""
    for control, faulty in itertools.product(range(16), repeat=2):
        sent = control_step(range(4), control, faulty)
        lost = 0
        for part in range(1, 16):
            if part & ~control:
                continue
            ways = [j for j, vector in sent if part >> j & 1 and not part & ~(1 << j) & ~vector]
            assert len(ways) == (0 if part & ~faulty == 0 else 1)
            # a single faulty dimension leads to the faulty node itself, which is no loss
            lost += not ways and part.bit_count() > 1
        r = (control & faulty).bit_count()
        assert lost == 2**r - 1 - r


# --- L16: section 7.5 ---


def test_L16_few_faulty_neighbours_guarantee_nothing():
    """n=3, F={001,010,101,110}: at most two faulty neighbours each, yet 000 and 111 are disconnected."""
    faults = frozenset({0b001, 0b010, 0b101, 0b110})
    vectors = [fault_vector(3, node, faults) for node in range(8) if node not in faults]
    assert max(map(int.bit_count, vectors)) == 2
    assert 0b111 not in feasible_distances(3, 0, faults)
    assert optimal_multicast(3, 0, (7,), faults).undeliverable == (7,)


@pytest.mark.parametrize("n", [3, 4])
def test_L16_few_faults_do(n):
    """|F| <= d-1: a path of length d; |F| <= n-1: one of length d or d+2; all fault sets."""
    for faults in subsets(range(1, 2**n), 0, n - 1):
        lengths = feasible_distances(n, 0, faults)
        for node in set(range(1, 2**n)) - faults:
            d = node.bit_count()
            assert lengths[node] in (d, d + 2)
            if len(faults) <= d - 1:
                assert lengths[node] == d
                assert optimal_multicast(n, 0, (node,), faults).delivered == (node,)


# --- L17 to L22 ---


def test_L17_sublists_differ_from_the_forwarding_node():
    """v=00, D={01,10}, u_y=11: 01 agrees with u_y at bit 0; it differs from v, as every sublist member does."""
    first = multicast_1(2, 0b00, (0b01, 0b10)).nodes[0b00][0]
    assert (first.dimension, first.destinations) == (0, (0b01,))
    assert (0b01 ^ 0b11) >> first.dimension & 1 == 0
    for source, destinations in itertools.product(range(8), subsets(range(8), 1)):
        for node, decisions in multicast_1(3, source, sorted(destinations)).nodes.items():
            for decision in decisions:
                assert all((d ^ node) >> decision.dimension & 1 for d in decision.destinations)


def test_L18_control_vector_does_not_name_the_source():
    """n=3: broadcasts from 2 and from 3 reach node 1 on the same link with the same control vector."""
    arrivals = []
    for source in (2, 3):
        tree = broadcast_f3(3, source)
        arrivals += [decision for decisions in tree.nodes.values() for decision in decisions if decision.to == 1]
    assert arrivals[0] == arrivals[1] == Decision(1, 1, (), 0b100)


def test_L19_width_of_k():
    """n bits hold 1 to 2^n - 1: enough for distinct destinations without the source, not for one more."""
    for n in range(1, 11):
        assert (2**n - 1).bit_length() == n < (2**n).bit_length()
    assert len(broadcast_2(3, 0).destinations) == 7
    unicast, broadcast = route(1, 0, (1,)), route(1, 0, broadcast=True)
    assert unicast.edges == broadcast.edges and unicast.destinations == broadcast.destinations
    # in a faulty cube a list of all others names a faulty node, and a broadcast has fewer destinations than k says
    assert multicast_f1(3, 0, range(1, 8), {5}).undeliverable == (5,)
    assert len(broadcast_f3(3, 0, {5}).destinations) == 6


def test_L20_hamming_bound_takes_the_ceiling():
    """With the floor of d/2 - 1 the bound for d=3 would be 2^n; with the ceiling it is the printed list."""
    assert math.floor(3 / 2 - 1) == 0 and math.ceil(3 / 2 - 1) == 1
    for n, printed in zip(range(3, 11), (2, 3, 5, 9, 16, 28, 51, 93), strict=True):
        assert hamming_bound(n, 3) == printed == 2**n // sum(math.comb(n, i) for i in range(math.ceil(3 / 2 - 1) + 1))
        for d in range(1, n + 1):
            volume = sum(math.comb(n, i) for i in range(max(0, math.ceil(d / 2 - 1)) + 1))
            assert hamming_bound(n, d) == 2**n // volume


def test_L20_true_maxima_and_the_whole_cube():
    """Largest rule-obeying sets without adjacent faults: 2 and 2, not 2 and 3; all faulty obeys vacuously."""
    for n, largest in ((3, 2), (4, 2)):
        sets = list(fault_sets(n))
        separate = [f for f in sets if all(distance(a, b) > 1 for a, b in itertools.combinations(f, 2))]
        assert max(map(len, separate)) == largest <= hamming_bound(n)
        assert max(map(len, sets)) == 2 ** (n - 1)
        assert obeys_rule(n, range(2**n))


def test_L21_greedy_is_neither_always_optimal_nor_always_better_than_spare():
    """n=3: {1,6,7} costs 5 against 4, the smallest case; {2,3,4,5} costs 5 against 4 by spare global send."""
    assert multicast_1(3, 0, (1, 6, 7)).traffic == 5
    assert optimal_multicast(3, 0, (1, 6, 7)).traffic == 4
    assert multicast_1(3, 0, (2, 3, 4, 5)).traffic == 5
    assert spare_global_send(3, 0, (2, 3, 4, 5)).traffic == 4
    for n in (1, 2):
        for destinations in subsets(range(1, 2**n), 1):
            listed = sorted(destinations)
            assert multicast_1(n, 0, listed).traffic == optimal_multicast(n, 0, listed).traffic


def test_L22_broadcast_2_compares_the_relative_address():
    """Source 11 of a 2-cube: by actual addresses (2^j > a(u)) nobody is reached, by relative ones everybody."""
    source = 0b11
    reached = {source}
    pending = [source]
    while pending:
        node = pending.pop()
        for j in range(2):
            if 2**j > node:
                reached.add(node ^ 1 << j)
                pending.append(node ^ 1 << j)
    assert reached == {source}
    assert broadcast_2_step(2, source) == ()  # figure 6.5 fed with the actual source address
    assert broadcast_2_step(2, source ^ source) == (0, 1)
    assert broadcast_2(2, source).delivered == (0b00, 0b01, 0b10)


def test_L22_figure_7_4_b_is_a_4_cube():
    """The text says 5-cube; the path of the figure exists in the 4-cube its addresses belong to."""
    assert unicast_f1(4, 0, 15, {3, 7}).path(15) == (0, 1, 5, 13, 15)
