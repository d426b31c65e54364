"""The scoreboard of the packet network's testbench notices what it is there for."""

from random import Random

import pytest

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.packet import source_word
from cubecast.golden.packet.contract.reason import PacketReason
from cubecast.tb.packet.injector import KINDS, MALFORMED, Injector, Packet, make, useful
from cubecast.tb.packet.scoreboard import PacketScoreboard

CONFIG = PacketConfig(dim=3)
FIXED = PacketConfig(dim=3, routing="fixed")
ONE = Packet(0b010, (6, 11, 12))
TWO = Packet(0b010, (6, 21, 22))
"""Two packets from node 0 to node 6, by slot 1."""


def deliver(board, node, *words, error=0):
    """Let a node get words."""
    for word in words[:-1]:
        board.eject(node, word, 0, 0)
    board.eject(node, words[-1], 1, error)


def unicast(board, *data, slot=1, source=0, destination=6, error=0):
    """Let the destination of a packet get it."""
    deliver(board, destination, destination, source_word(CONFIG, slot, source), *data, error=error)


def board_of(*packets, faults=(), live=False):
    """Return a scoreboard that knows of packets from node 0."""
    board = PacketScoreboard(CONFIG, faults, live)
    for packet in packets:
        board.inject(0, packet)
    return board


def test_two_packets_in_order_settle_the_books():
    """And not one of them alone."""
    board = board_of(ONE, TWO)
    unicast(board, 11, 12)
    assert not board.settled
    with pytest.raises(AssertionError, match="not delivered"):
        board.close()
    unicast(board, 21, 22)
    assert board.settled
    board.close()
    assert board.sent[0, 1] == board.taken[2, 1] == board.sent[2, 2] == board.taken[6, 2] == board.sent[6, 3] == 2


def test_what_a_node_gets_is_counted_when_it_gets_it_while_faults_change():
    """Nobody knows before which way a packet takes."""
    board = board_of(ONE, live=True)
    assert not board.sent[6, 3]
    unicast(board, 11, 12)
    assert board.sent[6, 3] == 1


@pytest.mark.parametrize(
    ("data", "wrong"),
    [
        ((11, 12), {}),
        ((21, 23), {}),
        ((21,), {}),
        ((21, 22, 0), {}),
        ((21, 22), {"slot": 2}),
        ((21, 22), {"source": 1}),
        ((21, 22), {"destination": 7}),
    ],
)
@pytest.mark.parametrize("live", [False, True])
def test_a_second_copy_or_anything_wrong_is_noticed(data, wrong, live):
    """Words, their number, slot, source, node; the first packet has come already."""
    board = board_of(ONE, TWO, live=live)
    unicast(board, 11, 12)
    with pytest.raises(AssertionError, match="not owed"):
        unicast(board, *data, **wrong)


def test_order_is_noticed_while_no_fault_vector_changes():
    """And does not matter when one does."""
    with pytest.raises(AssertionError, match="was sent before"):
        unicast(board_of(ONE, TWO), 21, 22)
    unicast(board_of(ONE, TWO, live=True), 21, 22)


def test_a_packet_without_end_is_noticed():
    """Its last word never comes."""
    board = board_of(live=True)
    board.eject(6, 6, 0, 0)
    with pytest.raises(AssertionError, match="without end"):
        board.close()


def test_a_broadcast_reaches_every_other_node_by_the_slot_of_its_lowest_dimension():
    """Once each."""
    board = board_of(Packet(0b111, (0, 5)))
    for node in range(1, 8):
        assert not board.settled
        slot = (node & -node).bit_length() - 1
        deliver(board, node, 0, source_word(CONFIG, slot, 0), 5)
    board.close()
    with pytest.raises(AssertionError, match="not owed"):
        deliver(board, 3, 0, source_word(CONFIG, 0, 0), 5)


def test_a_broadcast_by_one_slot_reaches_the_nodes_behind_it():
    """Slot 1 of node 0: nodes 2 and 6."""
    board = board_of(Packet(0b010, (0, 5)))
    with pytest.raises(AssertionError, match="not owed"):
        deliver(board, 3, 0, source_word(CONFIG, 1, 0), 5)
    deliver(board, 2, 0, source_word(CONFIG, 1, 0), 5)
    deliver(board, 6, 0, source_word(CONFIG, 1, 0), 5)
    board.close()


def faults(**marks):
    """Return fault vectors: ``n2=4`` marks bit 2 at node 2."""
    return [marks.get(f"n{node}", 0) for node in range(8)]


@pytest.mark.parametrize(
    ("marked", "report"),
    [
        ({"n0": 0b110}, (0, PacketReason.UNDELIVERABLE, 1, 2, 6)),
        ({"n2": 0b100}, (2, PacketReason.UNDELIVERABLE, 2, 1, 6)),
        ({"n2": 0b010}, (2, PacketReason.INPUT_CUT, 1, 0, 6)),
        ({"n6": 0b100}, (6, PacketReason.INPUT_CUT, 2, 0, 6)),
        ({"n0": 0b010, "n4": 0b010}, (4, PacketReason.UNDELIVERABLE, 1, 1, 6)),
    ],
)
def test_a_lost_packet_is_owed_one_report_by_the_unit_that_loses_it(marked, report):
    """No other unit, no second time; and a packet that vanishes without it is noticed."""
    board = board_of(ONE, faults=faults(**marked))
    with pytest.raises(AssertionError, match="reports missing"):
        board.close()
    node, reason, port, lane, destination = report
    for other in ((node ^ 1, reason, port, lane), (node, reason, port ^ 1, lane), (node, reason, port, lane ^ 1)):
        with pytest.raises(AssertionError, match="without cause"):
            board.report(*other, destination)
    board.report(*report)
    board.close()
    with pytest.raises(AssertionError, match="without cause"):
        board.report(*report)


def test_a_packet_goes_around_a_fault_at_its_source():
    """By the lowest useful dimension that has none; nothing else is owed."""
    board = board_of(ONE, faults=faults(n0=0b010))
    unicast(board, 11, 12)
    board.close()
    assert board.sent[0, 2] == board.sent[4, 1] == 1


def test_a_broadcast_loses_what_is_behind_a_fault():
    """The copy by slot 0 ends at node 1, whose links to nodes 3 and 5 are faulty."""
    board = board_of(Packet(0b001, (0,)), faults=faults(n1=0b110))
    deliver(board, 1, 0, source_word(CONFIG, 0, 0))
    board.report(1, PacketReason.UNDELIVERABLE, 1, 1, 0)
    with pytest.raises(AssertionError, match="reports missing"):
        board.close()
    board.report(1, PacketReason.UNDELIVERABLE, 2, 1, 0)
    board.close()


def test_a_malformed_packet_is_owed_a_report_by_every_slot_that_takes_it():
    """None of it is delivered."""
    board = board_of(Packet(0b111, (0, *range(15))), Packet(0, (9,)))
    for slot in range(3):
        board.report(0, PacketReason.DATA_TOO_LONG, slot, 2, 0)
    with pytest.raises(AssertionError, match="BAD_SLOT"):
        board.close()
    board.report(0, PacketReason.BAD_SLOT, 0, 2, 1)
    board.close()


def test_nothing_ends_early_while_no_fault_vector_changes():
    """Nor with error."""
    with pytest.raises(AssertionError, match="ends early"):
        unicast(board_of(ONE), 11, 0, error=1)


def cut(board, times=1):
    """Report that packets for node 6 ended early on the way from node 0 to node 2, and so over the next link."""
    for _ in range(times):
        board.report(0, PacketReason.PACKET_CUT, 1, 1, 6)
        board.report(2, PacketReason.TRUNCATED, 1, 0, 6)
        board.report(6, PacketReason.TRUNCATED, 2, 0, 6)
    # Here these cuts lose nothing.
    board.perhaps.clear()


def test_an_early_end_stands_for_the_packet_it_began():
    """Not for the other one, which is still owed."""
    board = board_of(ONE, TWO, live=True)
    unicast(board, 11, 0, error=1)
    cut(board)
    with pytest.raises(AssertionError, match="did not get 1 unicasts"):
        board.close()
    board = board_of(ONE, TWO, live=True)
    unicast(board, 11, 0, error=1)
    unicast(board, 21, 22)
    cut(board)
    board.close()


def test_an_early_end_before_the_source_word_is_assigned():
    """Longer beginnings go first, so that each finds its packet."""
    board = board_of(ONE, TWO, live=True)
    deliver(board, 6, 6, 0, error=1)
    unicast(board, 11, 0, error=1)
    cut(board, 2)
    board.close()
    assert not board.missing


def test_an_early_end_that_its_node_does_not_report_is_noticed():
    """Once for each."""
    board = board_of(ONE, TWO, live=True)
    unicast(board, 11, 0, error=1)
    unicast(board, 21, 0, error=1)
    cut(board)
    with pytest.raises(AssertionError, match="node 6 got 2 early ends for 6, but reported 1"):
        board.close()


@pytest.mark.parametrize("left_out", [0, 1])
def test_a_truncation_without_cause_is_noticed(left_out):
    """Neither the link was cut nor did the packet come to the other end of it truncated."""
    board = board_of(ONE, live=True)
    unicast(board, 11, 0, error=1)
    reports = [(0, PacketReason.PACKET_CUT, 1, 1, 6), (2, PacketReason.TRUNCATED, 1, 0, 6)]
    del reports[left_out]
    for report in (*reports, (6, PacketReason.TRUNCATED, 2, 0, 6)):
        board.report(*report)
    with pytest.raises(AssertionError, match="truncated packets of port"):
        board.close()


@pytest.mark.parametrize("words", [(6, source_word(CONFIG, 1, 0), 13, 0), (6, source_word(CONFIG, 1, 0), 11, 12, 0)])
def test_what_is_no_beginning_is_noticed(words):
    """A wrong word; a whole packet and one word more."""
    board = board_of(ONE, live=True)
    deliver(board, 6, *words, error=1)
    cut(board)
    with pytest.raises(AssertionError, match="beginning of a packet it is not owed"):
        board.close()


@pytest.mark.parametrize(
    ("report", "fits"),
    [
        ((2, PacketReason.UNDELIVERABLE, 2, 1, 6), True),
        ((2, PacketReason.LINK_PROTOCOL, 1, 0, 6), True),
        ((2, PacketReason.INPUT_CUT, 1, 0, 6), True),
        ((0, PacketReason.PACKET_CUT, 1, 1, 6), True),
        ((2, PacketReason.UNDELIVERABLE, 2, 1, 7), False),
        # Of a broadcast of node 6.
        ((2, PacketReason.INPUT_CUT, 2, 0, 6), False),
    ],
)
def test_changing_faults_lose_only_what_is_reported(report, fits):
    """For the right destination, and of the right kind."""
    board = board_of(ONE, live=True)
    board.report(*report)
    if fits:
        board.close()
    else:
        with pytest.raises(AssertionError, match="reports speak of"):
            board.close()


def test_a_delivery_and_a_certain_loss_of_one_packet_are_noticed():
    """Once is enough."""
    board = board_of(ONE, live=True)
    board.report(2, PacketReason.UNDELIVERABLE, 2, 1, 6)
    unicast(board, 11, 12)
    with pytest.raises(AssertionError, match="did not get 0 unicasts, but reports speak of 1 to 1"):
        board.close()


def test_a_cut_broadcast_covers_the_nodes_behind_the_link():
    """Node 1 loses the copy by slot 0 as it comes in: nodes 1, 3, 5 and 7; node 2 is not among them."""
    board = board_of(Packet(0b001, (0, 5)), live=True)
    board.report(1, PacketReason.INPUT_CUT, 0, 0, 0)
    board.close()
    board = board_of(Packet(0b011, (0, 5)), live=True)
    board.report(1, PacketReason.INPUT_CUT, 0, 0, 0)
    with pytest.raises(AssertionError, match=r"node (2|6) did not get 1 broadcasts of 0"):
        board.close()


@pytest.mark.parametrize("config", [CONFIG, FIXED, PacketConfig(dim=2, rows=2, max_words=1, width=6)])
@pytest.mark.parametrize("kind", sorted(set(KINDS)))
def test_packets_are_of_the_kind_asked_for(config, kind):
    """Well formed or not."""
    reasons = set()
    for seed in range(60):
        packet = make(Random(seed), config, 2, kind)
        reasons.add(packet.reason(config, 2))
        assert all(0 <= word < 1 << config.width for word in packet.words)
        if kind == "unicast":
            assert packet.slots in useful(config, 2, packet.destination)
    if kind in MALFORMED:
        assert reasons <= {PacketReason.BAD_SLOT, PacketReason.ADDRESS_BITS, PacketReason.DATA_TOO_LONG}
    else:
        assert reasons == {None}


def test_the_injector_keeps_the_packets_of_each_slot_in_order_and_those_for_several_whole():
    """Whatever it mixes."""
    random = Random(1)
    injector = Injector(random, CONFIG)
    wanted = {slot: [] for slot in range(3)}
    got = {slot: [] for slot in range(3)}
    for _ in range(60):
        packet = make(random, CONFIG, 0, random.choice(("unicast", "unicast", "unicast", "broadcast")))
        injector.send(packet)
    mood = {"gap": 0.1, "polite": 0.5, "fickle": 0.3}
    ready, mixed, begun = 0b111, 0, []
    while injector.waiting:
        valid, data, last, slots = injector.next(ready, mood)
        begun += injector.begun
        mixed += injector.mixed > 1
        ready = random.getrandbits(3)
        if valid and not slots & ~ready:
            for slot in range(3):
                if slots >> slot & 1:
                    got[slot].append((data, last, slots))
    for packet in begun:
        for slot in range(3):
            if packet.slots >> slot & 1:
                ends = [0] * (len(packet.words) - 1) + [1]
                wanted[slot] += [(word, end, packet.slots) for word, end in zip(packet.words, ends, strict=True)]
    assert got == wanted and mixed and len(begun) == 60
