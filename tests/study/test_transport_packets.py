"""Rules of packet transport: turns on links, delivery, first hops, contrary packets."""

import itertools
from dataclasses import replace

import pytest

from cubecast.study.transport.event_queue import EventQueue
from cubecast.study.transport.machine import Machine
from cubecast.study.transport.packet import PacketTransport, QuasiAdaptive
from cubecast.study.transport.simulation import simulate
from tests.study.transport_messages import PACKET_MACHINES, flood, given, name_of

FIXED = Machine("fixed-packet", byte=2, setup=4)
QUASI = Machine("quasi-adaptive", byte=2, setup=4)
PACKET = 64
"""Ticks of a full packet of these machines."""


def arrivals(machine, dim, *rows):
    """Return the ticks that first packets and last bytes take."""
    record = simulate(machine, given(dim, *rows))
    return record.first.tolist(), record.last.tolist()


def test_packets_of_two_messages_take_turns_on_a_link():
    """One message comes over another link, the other one from the node itself: three packets each."""
    first, last = arrivals(FIXED, 2, (0, 0, 3, 84), (0, 1, 3, 84))
    assert first == [4 + PACKET + 4 + PACKET, 4 + 4 + PACKET]
    assert last == [4 + 5 * PACKET + 4 + PACKET, 4 + 4 * PACKET + 4 + PACKET]


def test_a_short_message_does_not_wait_for_a_long_one():
    """One packet waits at most for one packet of the other message on each of its links."""
    rows = [(0, 0, 7, 10_000), (300, 1, 7, 20), (300, 3, 7, 20)]
    short = 2 * (20 + 4)
    _, last = arrivals(FIXED, 3, *rows)
    assert last[1] <= 2 * (4 + PACKET) + 4 + short + PACKET
    assert last[2] <= (4 + PACKET) + 4 + short + PACKET
    wormhole = simulate(Machine("wormhole", byte=2, setup=4), given(3, *rows)).last
    assert (wormhole[1:] > 19_000).all()


def test_three_that_want_a_link_are_served_in_turn():
    """Two units and a slot: nobody is served twice while another one waits."""
    record = simulate(FIXED, given(3, (0, 0, 6, 280), (0, 2, 6, 280), (0, 3, 6, 280)))
    # 30 packets cross the link from node 2 to node 6; each message gets each third turn.
    assert sorted(record.first.tolist()) == [8 + PACKET, 8 + 2 * PACKET, 8 + 3 * PACKET]
    assert sorted(record.last.tolist()) == [8 + 28 * PACKET, 8 + 29 * PACKET, 8 + 30 * PACKET]


def test_units_deliver_for_themselves_and_a_port_delivers_one_packet_at_a_time():
    """Two messages of three packets come to a node over different links."""
    rows = [(0, 1, 3, 84), (0, 2, 3, 84)]
    alone = 8 + 3 * PACKET
    assert arrivals(FIXED, 2, *rows)[1] == [alone, alone]
    assert arrivals(replace(FIXED, delivery="port"), 2, *rows)[1] == [8 + 5 * PACKET, 8 + 6 * PACKET]


def test_a_unit_sends_one_packet_at_a_time():
    """Two messages that come over one link wait for each other there, not behind it."""
    rows = [(0, 0, 3, 84), (0, 0, 5, 84)]
    first, last = arrivals(FIXED, 3, *rows)
    assert (first[0], last[0]) == (12 + PACKET, 12 + 3 * PACKET)
    assert (first[1], last[1]) == (12 + 4 * PACKET, 12 + 6 * PACKET)


def test_packets_for_another_output_are_not_held_up():
    """A packet waits in a unit for a link that three others want; one behind it, for another link, passes it."""
    three = [(0, 1, 9, 280), (0, 3, 9, 280), (0, 5, 9, 280)]
    _, last = arrivals(FIXED, 4, *three, (66, 0, 9, 28), (66, 0, 3, 28))
    # From tick 4 the link sends a packet of each of the three, then one of the first again, then the one that waits.
    assert last[3] == 4 + 4 * PACKET + 4 + PACKET - 66
    assert last[4] == 12 + 2 * PACKET


def test_quasi_adaptive_messages_leave_by_the_shortest_queue():
    """Four of one node, at once: by dimension 0, 1, 2, and 0 again."""
    rows = [(0, 0, 3, 84), (0, 0, 3, 84), (0, 0, 7, 84), (0, 0, 1, 84)]
    alone = 12 + 3 * PACKET
    _, last = arrivals(QUASI, 3, *rows)
    assert last == [alone, alone, alone + 4, 8 + 6 * PACKET]
    _, fixed = arrivals(FIXED, 3, *rows)
    assert fixed == [alone, alone + 3 * PACKET, alone + 4 + 6 * PACKET, 8 + 12 * PACKET]


def test_the_message_being_sent_counts_in_its_queue():
    """And the lowest of equals is taken."""
    rows = [(0, 0, 1, 84), (0, 0, 2, 28), (60, 0, 3, 28)]
    # Tick 60: both slots send a message. The third waits in slot 0, until tick 4 + 3 * 64.
    assert arrivals(QUASI, 2, *rows)[1][2] == 4 + 3 * PACKET + 8 + PACKET - 60
    # Tick 69: slot 1 is idle again.
    assert arrivals(QUASI, 2, *rows[:2], (69, 0, 3, 28))[1][2] == 12 + PACKET


@pytest.mark.parametrize(("packets", "then"), [(2, 4 + 6 * PACKET), (3, 4 + 4 * PACKET), (13, 4 + 4 * PACKET)])
def test_a_contrary_packet_does_not_take_the_last_buffer_from_contrary_ones(packets, then):
    """The contrary packets of node 0 to 3 by way of 2 wait there for every second turn.

    With two buffers only one is for them, and the message behind them, to node 2, has to wait until the last of them
    has come and left. Otherwise it comes before that, and is delivered while another packet has its turn.
    """
    rows = [(0, 0, 1, 84), (0, 0, 3, 84), (0, 0, 2, 28), (0, 2, 3, 84)]
    _, last = arrivals(replace(QUASI, packets=packets), 2, *rows)
    assert last[1] == 4 + 5 * PACKET + 4 + PACKET
    assert last[2] == then + PACKET


def test_a_contrary_packet_takes_the_last_buffer_if_another_packet_is_not_contrary():
    """Two buffers: the first is taken by a packet to node 6, which waits at node 2 until tick 68."""
    rows = [(0, 0, 1, 84), (0, 0, 1, 84), (0, 0, 6, 28), (0, 0, 3, 28), (0, 2, 6, 84)]
    _, last = arrivals(replace(QUASI, packets=2), 3, *rows)
    assert last[2] == 4 + PACKET + 4 + PACKET
    # It leaves node 0 at 68, when the packet before leaves its slot, and node 2 when that has left the unit.
    assert last[3] == 4 + 2 * PACKET + 4 + PACKET


@pytest.mark.parametrize("outputs", [(2, 3), (3, 2)])
def test_a_unit_that_may_choose_sends_the_packet_that_came_first(outputs):
    """Two wait for links that are free while the unit sends a third one."""
    one, two = (1 ^ 1 << j for j in outputs)
    rows = [(0, 0, one, 8), (0, 0, two, 8), (0, 0, 3, 8), *((0, 1, node, 28) for node in (one, two))]
    _, last = arrivals(FIXED, 4, *rows)
    # The third one passes from tick 56 on, the links are free from 68 on.
    assert last[:3] == [80 + 4 + 24, 80 + 24 + 4 + 24, 56 + 4 + 24]


def opposite(dim, count):
    """Return messages of every node to the opposite one, three packets each, all at once."""
    nodes = 1 << dim
    return given(dim, *((0, node, node ^ nodes - 1, 84) for node in range(nodes) for _ in range(count)))


@pytest.mark.parametrize("dim", [3, 4, 5])
def test_nothing_deadlocks_with_the_contrary_rule_and_it_does_without(dim, monkeypatch):
    """Messages to the opposite nodes, two buffers in a unit."""
    machine = replace(QUASI, packets=2)
    messages = opposite(dim, 20)
    assert (simulate(machine, messages).last > 0).all()
    monkeypatch.setattr(PacketTransport, "refuses", lambda transport, unit: False)
    with pytest.raises(RuntimeError, match=r"^\d+ of \d+ messages never arrive, the first is message \d+$"):
        simulate(machine, messages)


@pytest.mark.parametrize("machine", PACKET_MACHINES, ids=name_of)
def test_buffers_never_overflow_and_leave_room_for_what_is_not_contrary(machine, monkeypatch):
    """After every step, in every unit."""
    plain = PacketTransport._try
    seen = set()

    def watched(transport, node, j):
        plain(transport, node, j)
        for room, contrary in zip(transport._room, transport._contrary, strict=True):
            assert 0 <= room <= machine.packets
            assert 0 <= contrary <= machine.packets - room
            assert room or contrary < machine.packets
            seen.add((room, contrary))

    monkeypatch.setattr(PacketTransport, "_try", watched)
    simulate(machine, flood(3, 8))
    assert {room for room, _ in seen} >= {0, machine.packets} or machine.packets == 13
    assert (max(contrary for _, contrary in seen) > 0) == (machine.transport == "quasi-adaptive")


@pytest.mark.parametrize("machine", PACKET_MACHINES, ids=name_of)
def test_outputs_and_units_send_one_packet_at_a_time(machine, monkeypatch):
    """From the times at which they are free again."""
    plain = EventQueue.at
    passages = {}

    def watched(queue, time, handler, argument):
        plain(queue, time, handler, argument)
        name = handler.__name__
        if name in ("_sent", "_passed"):
            node, j = argument[:2]
            if j < 3 or machine.delivery == "port":
                passages.setdefault(("output", node, j), []).append((queue.now, time))
            if name == "_passed":
                passages.setdefault(("unit", node, argument[2]), []).append((queue.now, time))

    monkeypatch.setattr(EventQueue, "at", watched)
    record = simulate(machine, flood(3, 20))
    assert len(passages) == 8 * (3 + 3 + (machine.delivery == "port"))
    for spans in passages.values():
        assert all(end <= start for (_, end), (start, _) in itertools.pairwise(spans))
    used = sum(
        end - start for key, spans in passages.items() if key[0] == "output" and key[2] < 3 for start, end in spans
    )
    assert used == record.link_ticks


def test_only_the_first_hop_of_quasi_adaptive_routing_is_free():
    """Of every hop after it, the link is the lowest that leads closer."""
    hops = []

    class Watched(QuasiAdaptive):
        def _ask(self, arrival):
            super()._ask(arrival)
            hops.append(arrival)

    messages = flood(4, 10)
    queue = EventQueue()
    transport = Watched(QUASI, messages, queue)
    for message, time in enumerate(messages.time.tolist()):
        queue.at(time, transport.start, message)
    queue.run()
    assert transport.busy() == []
    came = {}
    for node, i, packet, contrary in hops:
        message = packet[0]
        before = node ^ 1 << i
        useful = before ^ transport.destination[message]
        lowest = (useful & -useful).bit_length() - 1
        assert useful >> i & 1
        if before == transport.source[message]:
            assert contrary == (i != lowest)
            assert came.setdefault(message, i) == i
        else:
            assert i == lowest
            assert not contrary
