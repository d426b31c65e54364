"""Rules of every transport on messages that meet, worked out by hand."""

import itertools

import pytest

from cubecast.study.transport.machine import Machine
from cubecast.study.transport.simulation import simulate
from tests.study.transport_messages import given


def last(machine, dim, *rows):
    """Return the ticks that messages take, given as time, source, destination and length."""
    return simulate(machine, given(dim, *rows)).last.tolist()


def test_fixed_routing_takes_the_lowest_dimension_first():
    """From 011010 to 110100 over 011000, 011100 and 010100: each link of that path delays it, no other one does."""
    machine = Machine("wormhole")
    path = [0b011010, 0b011000, 0b011100, 0b010100, 0b110100]
    alone = last(machine, 6, (0, path[0], path[-1], 10))[0]
    assert alone == 14
    for node in range(64):
        for j in range(6):
            if node == path[0]:
                continue
            rows = sorted([(0, path[0], path[-1], 10), (0, node, node ^ 1 << j, 100)])
            took = dict(zip((row[1] for row in rows), last(machine, 6, *rows), strict=True))
            on_the_way = (node, node ^ 1 << j) in itertools.pairwise(path)
            assert (took[path[0]] > alone) == on_the_way


def test_datagrams_wait_in_the_order_in_which_they_came():
    """Three of one node for one link, and one that comes from another node after the second."""
    machine = Machine("datagram")
    rows = [(0, 1, 3, 100), (0, 1, 3, 50), (10, 0, 3, 30), (80, 1, 3, 20)]
    ends = [101, 101 + 51, 101 + 51 + 21, 101 + 51 + 21 + 31]
    # The one from node 0 is at node 1 at tick 10 + 1 + 40 + 30 = 81, just after the last of node 1 was generated.
    assert last(machine, 2, *rows) == [ends[0], ends[1], ends[3] - 10, ends[2] - 80]


def test_datagrams_are_stored_from_the_hop_to_a_node_until_the_hop_from_it_ends():
    """The largest number of bytes is that of two messages that wait in one node."""
    machine = Machine("datagram")
    rows = [(0, 0, 3, 70), (0, 3, 7, 10), (500, 0, 3, 30), (500, 1, 3, 1000), (600, 0, 3, 80)]
    assert simulate(machine, given(3, rows[0], rows[1])).most_buffered == 70
    assert simulate(machine, given(3, *rows)).most_buffered == 30 + 80
    assert simulate(machine, given(3, (0, 0, 1, 999))).most_buffered == 0


def test_adaptive_routing_takes_the_lowest_free_link():
    """Dimension 0 is taken for 1,000 ticks; a message to the opposite node goes by 1, the next one by 2."""
    for transport in ("datagram", "cut-through", "circuit"):
        rows = [(0, 0, 1, 1000), (1, 0, 7, 10), (2, 0, 4, 10), (3, 0, 1, 10)]
        adaptive = simulate(Machine(transport, adaptive=True), given(3, *rows)).last.tolist()
        store = 80 if transport == "datagram" else 0
        each = 3 * 11 if transport == "datagram" else 3 + 10
        assert adaptive[0] == 1001
        assert adaptive[1] == store + each
        assert adaptive[2] == 11
        assert adaptive[3] == 1001 + 11 - 3
        fixed = last(Machine(transport), 3, *rows)
        assert fixed[1] == 1001 - 1 + each + store


@pytest.mark.parametrize("transport", ["datagram", "cut-through", "circuit"])
def test_adaptive_routing_waits_for_the_link_that_is_free_first(transport):
    """Of links taken for 300 and 200 ticks it gets the second; the first stays free for the next message."""
    rows = [(0, 0, 1, 300), (0, 0, 2, 200), (1, 0, 3, 50), (2, 0, 1, 10)]
    hop = 40 if transport == "datagram" else 0
    two_hops = 2 * 51 + hop if transport == "datagram" else 52
    assert last(Machine(transport, adaptive=True), 2, *rows) == [301, 201, 200 + two_hops, 301 + 11 - 2]


def test_cut_through_stores_a_message_that_finds_no_free_link():
    """A message meets another one's link taken until tick 201."""
    blocker = (0, 1, 3, 200)
    machine = Machine("cut-through")
    # Head at node 1 in tick 6, buffer until 46, bytes until 56, then it waits for the link.
    assert last(machine, 2, blocker, (5, 0, 3, 10)) == [201, 201 + 11 - 5]
    assert simulate(machine, given(2, blocker, (5, 0, 3, 10))).most_buffered == 10
    # The link is free at 201, but the whole message is stored first: head 181, buffer 221, bytes 231.
    assert last(machine, 2, blocker, (180, 0, 3, 10)) == [201, 231 + 11 - 180]
    # Head at node 1 in tick 201, when the link is given back: not stored.
    assert last(machine, 2, blocker, (200, 0, 3, 10)) == [201, 12]


def test_cut_through_holds_its_links_until_the_tail_has_passed():
    """While a message of 10 bytes is stored, its first link is held; 3 more messages show when it is given back."""
    machine = Machine("cut-through")
    rows = [(0, 1, 3, 200), (5, 0, 3, 10), (6, 0, 1, 1)]
    assert last(machine, 2, *rows)[2] == 56 + 2 - 6
    # A stretch of two links: the tail passes the first link a tick before the second.
    rows = [(0, 3, 7, 200), (5, 0, 7, 10), (6, 0, 1, 1), (7, 1, 3, 1)]
    assert last(machine, 3, *rows)[2:] == [5 + 2 + 40 + 10 - 1 + 2 - 6, 5 + 2 + 40 + 10 + 2 - 7]


def test_the_tail_of_a_short_message_passes_links_while_its_head_goes_on():
    """One byte, setup 4: the first link is free before the head is over the second."""
    machine = Machine("wormhole", byte=2, setup=4)
    assert last(machine, 3, (0, 0, 7, 1), (1, 0, 1, 1)) == [14, 6 + 6 - 1]
    # A head that is blocked at node 3 holds nothing but the link before it, until its byte has moved on.
    rows = [(0, 3, 7, 200), (1, 0, 7, 1), (2, 0, 1, 1), (6, 1, 3, 1)]
    assert last(machine, 3, *rows) == [404, 404 + 4 + 2 - 1, 1 + 6 + 6 - 2, 404 + 2 + 6 - 6]
    # Two bytes pass the first link in the very tick in which the head comes over the second, and is blocked.
    rows = [(0, 3, 7, 200), (1, 0, 7, 2), (2, 0, 1, 1)]
    assert last(machine, 3, *rows) == [404, 404 + 4 + 4 - 1, 9 + 6 - 2]


def test_a_blocked_wormhole_keeps_its_links():
    """A third message waits for the first one through the second, though its own links are idle."""
    machine = Machine("wormhole", byte=2, setup=4)
    rows = [(0, 1, 3, 100), (1, 0, 3, 20), (2, 0, 1, 5)]
    # The second gets its second link at 204, its last byte passes the first one at 204 + 40.
    assert last(machine, 2, *rows) == [204, 204 + 4 + 40 - 1, 204 + 40 + 4 + 10 - 2]


def test_a_circuit_moves_nothing_before_it_is_complete():
    """All links are held to the end, from when each was taken."""
    record = simulate(Machine("circuit", setup=5), given(3, (0, 0, 7, 10)))
    assert record.link_ticks == 25 + 20 + 15
    # The first link is free with the last one.
    assert last(Machine("circuit", setup=5), 3, (0, 0, 7, 10), (1, 0, 1, 1)) == [25, 25 + 6 - 1]


def test_an_older_circuit_takes_a_link_away():
    """The younger one still gathers: it falls back, waits, and needs to set the link up again."""
    machine = Machine("circuit", setup=10)
    # Message 0 comes to node 1 at 10, and wants the link to 3; message 1 has it since 5, and gathers the next.
    rows = [(0, 0, 3, 30), (5, 1, 7, 50)]
    assert last(machine, 3, *rows) == [50, 50 + 20 + 50 - 5]
    # Behind the link lost, what was gathered is free for others at once.
    rows = [(0, 0, 3, 30), (0, 1, 15, 50), (10, 3, 7, 5)]
    assert last(Machine("circuit", setup=9), 4, *rows)[2] == 9 + 5
    # Before it, links are kept: message 1 falls back to node 3, and message 2 waits for the link from 2 to 3.
    rows = [(0, 0, 7, 30), (1, 2, 15, 50), (2, 2, 3, 5)]
    assert last(machine, 4, *rows) == [60, 60 + 20 + 50 - 1, 130 + 10 + 5 - 2]
    # They need no second set-up: message 1 comes to node 7 over two links, and goes on when message 0 is through.
    rows = [(0, 0, 15, 5), (1, 4, 31, 50)]
    assert last(machine, 5, *rows) == [45, 45 + 20 + 50 - 1]


def test_a_circuit_that_is_being_received_is_not_disturbed():
    """The older message waits for the younger one."""
    machine = Machine("circuit", setup=10)
    rows = [(0, 0, 7, 30), (1, 3, 7, 500)]
    # Message 1 is received from tick 11, message 0 wants its link at 20, and has it at 511.
    assert last(machine, 3, *rows) == [511 + 10 + 30, 510]


def test_freed_links_go_to_the_oldest_circuit():
    """Not to the one that has waited longest."""
    machine = Machine("circuit", setup=10)
    rows = [(0, 1, 3, 100), (1, 0, 3, 10), (2, 1, 3, 10)]
    # Message 2 waits from tick 2, message 1 from tick 11; the link is free at 110.
    assert last(machine, 2, *rows) == [110, 110 + 20 - 1, 110 + 20 + 20 - 2]


def test_an_adaptive_circuit_takes_a_link_away_only_if_none_is_free():
    """A free useful link comes first, even of a higher dimension; a circuit being received is not disturbed."""
    machine = Machine("circuit", adaptive=True, setup=10)
    # At node 1 in tick 10, message 0 finds dimension 1 taken by the younger one, and dimension 2 free.
    assert last(machine, 3, (0, 0, 7, 30), (5, 1, 7, 50)) == [60, 70]
    # At node 3 in tick 20, dimension 2 is being received, and dimension 3 taken by the younger one.
    rows = [(0, 0, 15, 30), (0, 3, 7, 900), (5, 3, 15, 50)]
    assert last(machine, 4, *rows) == [70, 910, 70 + 20 + 50 - 5]
