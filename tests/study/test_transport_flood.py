"""Transports under flood: everything arrives once, nothing is left over or held twice, nobody waits wrongly."""

import pickle

import numpy as np
import pytest

from cubecast.study.transport.circuit import Circuit
from cubecast.study.transport.datagram import Datagram
from cubecast.study.transport.event_queue import EventQueue
from cubecast.study.transport.links import LinkTransport
from cubecast.study.transport.machine import TRANSPORTS, Machine
from cubecast.study.transport.packet import PacketTransport
from cubecast.study.transport.simulation import STRATEGIES, simulate
from cubecast.study.transport.transport import MessageTransport
from tests.study.transport_messages import MACHINES, PACKET_MACHINES, flood, given, name_of

LINK_MACHINES = [machine for machine in MACHINES if machine.transport != "circuit"]
CIRCUITS = [machine for machine in MACHINES if machine.transport == "circuit"]


@pytest.mark.parametrize("machine", [*MACHINES, *PACKET_MACHINES], ids=name_of)
@pytest.mark.parametrize(
    ("dim", "count", "length"), [(1, 50, "exp(60)"), (2, 30, "1"), (3, 20, "exp(60)"), (6, 5, "40")]
)
def test_every_message_arrives_once(dim, count, length, machine, monkeypatch):
    """Not before it can, and simulate finds all resources free at the end."""
    delivered = []
    plain_message, plain_packet = MessageTransport.deliver, PacketTransport._deliver

    def deliver_message(transport, message, end):
        delivered.append(message)
        plain_message(transport, message, end)

    def deliver_packet(transport, packet):
        if packet[3]:
            delivered.append(packet[0])
        plain_packet(transport, packet)

    monkeypatch.setattr(MessageTransport, "deliver", deliver_message)
    monkeypatch.setattr(PacketTransport, "_deliver", deliver_packet)
    messages = flood(dim, count, length)
    record = simulate(machine, messages)
    assert sorted(delivered) == list(range(len(messages.time)))
    assert (record.first <= record.last).all()
    assert (record.last >= messages.distance * machine.setup + machine.byte * messages.length).all()
    links = dim << dim if machine.bidirectional else dim << dim - 1
    assert (messages.distance * messages.length).sum() * machine.byte <= record.link_ticks <= links * record.end
    assert record.end == (messages.time + record.last).max()


@pytest.mark.parametrize("adaptive", [False, True])
def test_datagrams_take_an_event_per_message_and_hop(adaptive):
    """And hold links for as long as it takes when nobody else is there."""
    messages = flood(4, 30)
    record = simulate(Machine("datagram", adaptive=adaptive), messages)
    assert record.events == len(messages.time) + messages.distance.sum()
    hops = messages.distance * (1 + messages.length) + (messages.distance - 1) * 40
    assert record.link_ticks == hops.sum()


@pytest.mark.parametrize("machine", LINK_MACHINES, ids=name_of)
def test_a_link_is_held_by_one_message_at_a_time(machine, monkeypatch):
    """And is a link of the cube that the message can use, next to its head."""
    holder = {}
    advance, release = STRATEGIES[machine.transport].advance, LinkTransport.release

    def watched_advance(transport, message, bit, link):
        assert link not in holder
        holder[link] = message
        node = transport.node[message]
        assert (node ^ transport.destination[message]) & bit
        assert link // 4 in ((node,) if machine.bidirectional else (node & ~bit,))
        assert 1 << link % 4 == bit
        advance(transport, message, bit, link)

    def watched_release(transport, link):
        del holder[link]
        release(transport, link)

    monkeypatch.setattr(STRATEGIES[machine.transport], "advance", watched_advance)
    monkeypatch.setattr(LinkTransport, "release", watched_release)
    simulate(machine, flood(4, 20))
    assert holder == {}


@pytest.mark.parametrize(
    "machine", [machine for machine in LINK_MACHINES if machine.transport != "wormhole"], ids=name_of
)
def test_most_buffered_is_the_largest_number_of_bytes_stored_anywhere(machine, monkeypatch):
    """Counted anew after every event; nothing is ever stored twice or freed twice."""
    most = 0
    plain = EventQueue.at

    def watched(queue, time, handler, argument):
        nonlocal most
        levels = handler.__self__.stored
        assert min(levels) >= 0
        most = max(most, *levels)
        plain(queue, time, handler, argument)

    monkeypatch.setattr(EventQueue, "at", watched)
    record = simulate(machine, flood(3, 20))
    assert record.most_buffered == most > 300


@pytest.mark.parametrize("machine", CIRCUITS, ids=name_of)
def test_no_circuit_waits_for_a_younger_one_that_gathers(machine, monkeypatch):
    """After every event that changes something, at every link; and each path is one of links that it holds."""
    waits = set()

    def check(transport):
        for link, waiting in enumerate(transport._waiting):
            holder = transport._holder[link]
            for message, ticket in waiting:
                if transport._ticket[message] == ticket:
                    assert holder >= 0
                    assert holder < message or transport._receiving[holder]
                    waits.add(holder < message)
        for message in set(transport._holder) - {-1}:
            held = {link for link, holder in enumerate(transport._holder) if holder == message}
            path = transport._path[message]
            assert held == {link for _, link in path}
            assert transport.node[message] == transport.source[message] ^ sum(bit for bit, _ in path)

    for name in ("_set_up", "_close", "start"):
        plain = getattr(Circuit, name)

        def watched(transport, argument, plain=plain):
            plain(transport, argument)
            check(transport)

        monkeypatch.setattr(Circuit, name, watched)
    simulate(machine, flood(3, 8))
    assert waits == {False, True}


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_the_same_messages_give_the_same_record(transport):
    """Which are not changed, and go through a pickle, as workers need it."""
    messages, machine = flood(3, 20), Machine(transport)
    before = [array.copy() for array in (messages.time, messages.source, messages.destination, messages.length)]
    one = simulate(machine, messages)
    two = simulate(*pickle.loads(pickle.dumps((machine, messages))))
    three = pickle.loads(pickle.dumps(one))
    for record in (two, three):
        assert np.array_equal(one.first, record.first)
        assert np.array_equal(one.last, record.last)
        for name in ("events", "end", "most_buffered", "link_ticks"):
            assert getattr(one, name) == getattr(record, name)
    for array, old in zip((messages.time, messages.source, messages.destination, messages.length), before, strict=True):
        assert np.array_equal(array, old)


def test_a_transport_that_loses_a_message_is_found_out(monkeypatch):
    """Simulate does not return half a record."""
    plain = Datagram._arrive

    def forgetful(transport, hop):
        if hop[0] != 3:
            plain(transport, hop)

    monkeypatch.setattr(Datagram, "_arrive", forgetful)
    with pytest.raises(RuntimeError, match=r"messages never arrive, the first is message 3$"):
        simulate(Machine("datagram"), given(3, *((time, 0, 7, 5) for time in range(5))))


def test_a_transport_that_keeps_a_link_is_found_out(monkeypatch):
    """Though all messages have arrived."""
    monkeypatch.setattr(Datagram, "release", lambda transport, link: None)
    with pytest.raises(RuntimeError, match=r"^3 resources are never freed, the first is link 0$"):
        simulate(Machine("datagram"), given(3, (0, 0, 7, 5)))


def test_events_of_a_tick_are_handled_in_the_order_in_which_they_were_scheduled():
    """Those that are scheduled for the tick being handled come last."""
    queue, handled = EventQueue(), []

    def handle(name):
        handled.append((queue.now, name))
        if name == "a":
            queue.at(5, handle, "d")
            queue.at(6, handle, "e")

    for time, name in ((7, "f"), (5, "a"), (5, "b"), (3, "z"), (5, "c")):
        queue.at(time, handle, name)
    queue.run()
    assert handled == [(3, "z"), (5, "a"), (5, "b"), (5, "c"), (5, "d"), (6, "e"), (7, "f")]
    assert queue.events == 7


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"transport": "telepathy"}, f"transport must be one of {', '.join(TRANSPORTS)}, not 'telepathy'"),
        ({"transport": "wormhole", "adaptive": True}, "adaptive must be False for wormhole, not True"),
        ({"transport": "quasi-adaptive", "adaptive": True}, "adaptive must be False for quasi-adaptive, not True"),
        (
            {"transport": "fixed-packet", "bidirectional": False},
            "bidirectional must be True for fixed-packet, not False",
        ),
        ({"byte": 0}, "byte must be 1 or more for datagram, not 0"),
        ({"setup": -1}, "setup must be 0 or more for datagram, not -1"),
        ({"allocate": -1}, "allocate must be 0 or more for datagram, not -1"),
        ({"packet": 0}, "packet must be 1 or more for datagram, not 0"),
        ({"transport": "fixed-packet", "packet": 4}, "packet must be 5 or more for fixed-packet, not 4"),
        ({"transport": "fixed-packet", "packets": 0}, "packets must be 1 or more for fixed-packet, not 0"),
        ({"head": -1}, "head must be 0 to 4 for byte = 1, not -1"),
        ({"head": 9, "byte": 2}, "head must be 0 to 8 for byte = 2, not 9"),
        ({"transport": "quasi-adaptive", "packets": 1}, "packets must be 2 or more for quasi-adaptive, not 1"),
        ({"delivery": "mail"}, "delivery must be one of units, port, not 'mail'"),
    ],
)
def test_bad_parameters_are_refused(changed, message):
    """In one line, with the parameter and its value."""
    with pytest.raises(ValueError, match=f"^{message}$"):
        Machine(**({"transport": "datagram"} | changed))
