"""Latency of single messages in closed form, for every transport, every distance and many lengths."""

from dataclasses import replace
from math import ceil

import pytest

from cubecast.study.transport.machine import HEADER, Machine
from cubecast.study.transport.simulation import simulate
from tests.study.transport_messages import MACHINES, PACKET_MACHINES, given, name_of

LENGTHS = (1, 2, 28, 29, 32, 33, 56, 500)
TIMES = ((1, 1, 40), (2, 4, 40), (3, 0, 0), (1, 50, 7))
ROOMY = [machine for machine in PACKET_MACHINES if machine.packets == 13]


def expected(machine, hops, length):
    """Return first, last and link_ticks of a message that meets no other one."""
    byte, setup, allocate = machine.byte, machine.setup, machine.allocate
    span = byte * length
    late = byte * max(length - machine.packet, 0)
    match machine.transport:
        case "datagram":
            last = hops * (setup + span) + (hops - 1) * allocate
            return last - late, last, last
        case "cut-through" | "wormhole":
            last = hops * setup + span
            return last - late, last, hops * (setup + span)
        case "circuit":
            last = hops * setup + span
            return last - late, last, sum(last - hop * setup for hop in range(hops))
    payload = machine.packet - HEADER
    before = (hops + 1) * setup + (hops - 1) * machine.head
    crossing = byte * (length + HEADER * ceil(length / payload))
    return before + byte * (min(length, payload) + HEADER), before + crossing, hops * crossing


@pytest.mark.parametrize("times", TIMES)
@pytest.mark.parametrize("machine", [*MACHINES, *ROOMY], ids=name_of)
def test_a_single_message_takes_what_the_closed_form_says(machine, times):
    """First part, last byte and use of links."""
    timed = replace(machine, byte=times[0], setup=times[1], allocate=times[2])
    for dim, source, destination in [(1, 1, 0), (6, 0, 1), (6, 5, 36), (6, 63, 8), (6, 21, 42), (4, 9, 8), (5, 30, 19)]:
        hops = (source ^ destination).bit_count()
        for length in LENGTHS:
            record = simulate(timed, given(dim, (17, source, destination, length)))
            found = int(record.first[0]), int(record.last[0]), record.link_ticks
            assert found == expected(timed, hops, length)
            assert record.end == 17 + record.last[0]


@pytest.mark.parametrize("head", [0, 1, 8])
@pytest.mark.parametrize("machine", ROOMY, ids=name_of)
def test_a_head_comes_in_at_every_unit(machine, head):
    """It delays the packet at all of them but the last, where the rest of the packet follows it into the node."""
    slow = replace(machine, byte=2, setup=4, head=head)
    for length in LENGTHS:
        record = simulate(slow, given(4, (0, 3, 12, length)))
        assert (int(record.first[0]), int(record.last[0]), record.link_ticks) == expected(slow, 4, length)


@pytest.mark.parametrize("machine", ROOMY, ids=name_of)
@pytest.mark.parametrize("time", [0, 23, 24, 25, 32, 33, 34, 60])
def test_an_arbitration_is_never_shorter(machine, time):
    """Whether a message comes long before, just before or after the one in front of it has left its slot."""
    slow = replace(machine, byte=1, setup=9)
    record = simulate(slow, given(1, (0, 0, 1, 20), (time, 0, 1, 20)))
    assert record.last.tolist() == [42, max(66 - time, 42)]


@pytest.mark.parametrize("packet", [5, 16, 32, 64])
@pytest.mark.parametrize("machine", [MACHINES[0], MACHINES[4], MACHINES[8], MACHINES[12], *ROOMY], ids=name_of)
def test_the_packet_length_is_what_counts_as_first(machine, packet):
    """For whole messages, ``packet`` bytes of data; for packets, with the header."""
    sized = replace(machine, packet=packet)
    for length in LENGTHS:
        record = simulate(sized, given(4, (0, 3, 12, length)))
        assert (int(record.first[0]), int(record.last[0]), record.link_ticks) == expected(sized, 4, length)


@pytest.mark.parametrize("machine", [*MACHINES, *PACKET_MACHINES], ids=name_of)
def test_a_link_that_is_never_idle_is_used_without_a_gap(machine):
    """Messages of one node of the 1-cube, all generated at once: they follow each other.

    With a single buffer in a packet buffer unit, the next packet comes when that before has left it.
    """
    lengths = [40, 1, 28, 500, 29, 3]
    record = simulate(machine, given(1, *((0, 0, 1, length) for length in lengths)))
    ends, now = [], 0
    for length in lengths:
        if machine in PACKET_MACHINES:
            packets = ceil(length / 28)
            now += machine.byte * (length + HEADER * packets) + machine.setup * packets * (machine.packets == 1)
            ends.append((2 if machine.packets > 1 else 1) * machine.setup + now)
        else:
            now += machine.setup + machine.byte * length
            ends.append(now)
    assert record.last.tolist() == ends


@pytest.mark.parametrize("machine", [*MACHINES, *PACKET_MACHINES], ids=name_of)
def test_two_directions_of_a_link(machine):
    """They do not disturb each other when they are independent, and take turns when they are not."""
    record = simulate(machine, given(1, (0, 0, 1, 20), (0, 1, 0, 20)))
    alone = expected(machine, 1, 20)[1]
    assert record.last.tolist() == [alone, alone if machine.bidirectional else 2 * alone]


def test_no_messages_take_no_time():
    """An empty record."""
    record = simulate(Machine("datagram"), given(3))
    assert (record.first.size, record.last.size, record.events, record.end) == (0, 0, 0, 0)
