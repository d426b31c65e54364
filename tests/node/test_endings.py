"""How messages and instructions end that do not end well: when, for whom, and what is told."""

import pytest

from cubecast.golden.node.contract.block import COMPLETE, Instruction, Status, Word
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.contract.packet import ENVELOPE, Kind, Op, pack
from cubecast.golden.node.contract.registers import Interrupt
from cubecast.golden.node.twins.control_unit import ControlUnit
from cubecast.golden.node.twins.node_interface import NodeInterface
from cubecast.golden.node.twins.receive_engine import ReceiveEngine
from cubecast.golden.node.twins.send_scheduler import SendScheduler
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.reason import PacketReason

CONFIG = NodeConfig(router=PacketConfig(dim=2))
UNIT = 1024
BLOCK = 0x1000


class Memory:
    """Answers each access of a unit in the cycle after it."""

    def __init__(self, words):
        self.words, self.coming, self.acknowledged, self.written = words, [], 0, {}

    def drive(self):
        """Return what a unit is told of its accesses."""
        told = {"reader__ready": 1, "writer__ready": 1, "served": int(bool(self.coming)), "written": self.acknowledged}
        return told | ({"word": self.words.get(self.coming.pop(0), 0)} if self.coming else {})

    def take(self, outputs):
        """Take the accesses of a cycle."""
        if outputs["reader__valid"]:
            first = outputs["reader__address"]
            self.coming += range(first, first + outputs["reader__beats"] + 1)
        self.acknowledged = outputs["writer__valid"]
        if outputs["writer__valid"]:
            self.written[outputs["writer__address"]] = outputs["writer__data"]


@pytest.mark.parametrize("timeout", [1, 2])
@pytest.mark.parametrize("begin", [0, 500, 1000, 1015])
def test_an_offer_has_at_least_its_time(timeout, begin):
    """Whenever it is made; it ends at the next unit."""
    unit, memory, offered = SendScheduler(CONFIG), Memory({}), None
    for cycle in range(begin + (timeout + 2) * UNIT):
        told = memory.drive() | {"timeout": timeout, "part__ready": 1, "event__ready": 1}
        adds = cycle >= begin and offered is None and not unit.chains[1].full and unit.state == "IDLE"
        told |= {"add__valid": int(adds), "add__destination": 1, "add__reference": BLOCK}
        outputs = unit.step(told)
        memory.take(outputs)
        if outputs["part__valid"]:
            offered = cycle
        if memory.written.get(BLOCK // 4 + Word.FLAG) == COMPLETE | Status.TIMEOUT << 8:
            break
    assert timeout * UNIT <= cycle - offered <= (timeout + 1) * UNIT + 50


def test_no_node_without_a_way_is_forgotten():
    """However many are reported at a time, and however often."""
    config = NodeConfig(router=PacketConfig(dim=5))
    interface, seen = NodeInterface(config), []
    report = {"report__lane": 2, "report__reason": int(PacketReason.UNDELIVERABLE)}
    reported = [None] * (config.nodes + 1) + [*range(1, config.nodes)] * 3 + [None] * 300
    for destination in reported:
        told = report | {"report__valid": int(destination is not None), "report__destination": destination or 0}
        interface.step(told)
        given, shown = interface.shown["scheduler"]
        if given["report__valid"] and shown["report__ready"]:
            seen.append(given["report__destination"])
    assert set(seen) == {*range(1, config.nodes)}


def test_an_instruction_that_fails_has_no_source():
    """Even if the one before had a message: what is told of it is 0."""
    receive = {Word.PARTNER: 1 << 16, Word.TYPE: 1 << 16, Word.LENGTH: 8, Word.BUFFER: 0x2000, Word.FLAG: 0}
    memory = Memory({(BLOCK // 4) + word: value for word, value in receive.items()})
    unit, events, settled, posts = ControlUnit(CONFIG), [], {}, 0
    claimed = {"settled": 1, "how": 1, "number": 0, "source": 3, "message_type": 0, "length": 4}
    refused = {"settled": 1, "how": 0, "failed": 1}
    kept = {"kept": 1, "kept_number": 0, "kept_status": int(Status.OK)}
    for cycle in range(200):
        told = memory.drive() | {"enable": 1, "first": 0, "last": 0xFFFF, "base": 0x4000, "post__ready": 1}
        told |= {"event__ready": 1, "i__valid": 1, "i__instruction": int(Instruction.RECEIVE), "i__address": BLOCK}
        outputs = unit.step(told | settled | (kept if cycle == 0 else {}))
        memory.take(outputs)
        settled = {}
        if outputs["post__valid"]:
            settled, posts = refused if posts else claimed, posts + 1
        if outputs["event__valid"]:
            events.append((outputs["event__reason"], outputs["event__status"], outputs["event__source"]))
            break
    assert memory.written[BLOCK // 4 + Word.PARTNER] == claimed["source"]
    assert events == [(Interrupt.MEMORY_ERROR, Status.MEMORY_ERROR, 0)]


SOURCE = 1


def envelope(ticket, length=0, mark=0, behind=0):
    """Return the words of the envelope of a message whose type is its ticket."""
    whole = pack(ENVELOPE, type=ticket, length=length, eager=2, behind=behind, rest=0, mark=mark, ticket=ticket)
    return [whole >> CONFIG.width * i & (1 << CONFIG.width) - 1 for i in range(CONFIG.prefix_words)]


class Receiver:
    """A receive engine whose memory answers at once, and a matcher that says what it is told to say."""

    def __init__(self, address=0):
        self.address = address
        self.unit, self.written, self.puts, self.asked, self.lent = ReceiveEngine(CONFIG), {}, [], [], []
        self.acknowledged, self.offered = 0, False
        for _ in range(2 * CONFIG.nodes + 1):
            self.step({})

    def step(self, told, verdict=None):
        """Go on for one cycle; a verdict is given in the cycle after the question."""
        answers = {"verdict": 1, **verdict} if self.offered and verdict else {}
        ready = {f"{name}__ready": 1 for name in ("first", "control", "event", "writer")}
        own = {"address": self.address, "written": self.acknowledged}
        outputs = self.unit.step(own | ready | told | answers)
        self.acknowledged, self.offered = outputs["writer__valid"], bool(outputs["first__valid"])
        if outputs["writer__valid"]:
            self.written[outputs["writer__address"]] = outputs["writer__data"]
        if outputs["put__valid"]:
            self.puts.append(tuple(outputs[f"put__{name}"] for name in ("op", "damaged", "ticket")))
        if outputs["first__valid"]:
            self.asked.append(outputs["first__type"])
        if outputs["lend"]:
            self.lent.append(outputs["lend_number"])
        return outputs

    def broadcast(self, ticket, verdict=None, mark=0, behind=0):
        """Take the only packet of a broadcast without data; its type is its ticket."""
        self.packet(CONFIG.nodes - 1, Kind.FIRST, SOURCE, envelope(ticket, mark=mark, behind=behind), verdict)

    def prepare(self, place):
        """Promise a place to the broadcast that is held."""
        self.step({f"prepare__{name}": value for name, value in (place | {"valid": 1, "source": SOURCE}).items()})

    def packet(self, destination, kind, source, words, verdict=None):
        """Take a packet, and what follows from it."""
        self.take([destination, kind << CONFIG.width - 6 | source, *words], verdict)

    def take(self, words, verdict=None, error=0):
        """Take some words, the last of them with an error or without, and what follows from them."""
        for place, word in enumerate(words, 1):
            last = int(place == len(words))
            told = {"eject__valid": 1, "eject__data": word, "eject__last": last, "eject__error": last & error}
            while not self.step(told, verdict)["eject__ready"]:
                pass
        for _ in range(40):
            self.step({}, verdict)


def test_a_broadcast_that_is_given_up_holds_up_none_that_comes_later():
    """One that is held: the next is told as damaged; one with a place: its receive ends, the next one is asked for."""
    node, place = Receiver(), {"user": 1, "block": 8, "room": 96, "buffer": 0x4000, "pooled": 1, "number": 3}
    node.broadcast(4, {"placed": 0})
    assert (node.puts, node.asked) == ([(Op.POSTPONE, 0, 4)], [4])
    node.broadcast(5)
    assert (node.puts[1:], node.asked) == ([(Op.DONE, 1, 5)], [4])
    node.prepare(place)
    assert node.puts[2:] == [(Op.REWIND, 0, 21)] and not node.written
    node.broadcast(6, {"placed": 0})
    flag = node.written[8 * place["block"] + Word.FLAG]
    assert flag == COMPLETE | Status.DAMAGED << 8 and node.lent == [place["number"]]
    words = [node.written[8 * place["block"] + word] for word in (Word.PARTNER, Word.LENGTH, Word.BUFFER)]
    assert words == [SOURCE, 0, place["buffer"]]
    assert (node.puts[3:], node.asked) == ([(Op.DONE, 1, 21), (Op.POSTPONE, 0, 6)], [4, 6])


def test_a_packet_that_is_cut_behind_its_head_has_no_source():
    """What comes in its place, a word of 0, does not end the message that node 0 is sending."""
    node, place = Receiver(address=3), {"placed": 1, "user": 1, "block": 8, "room": 96, "buffer": 0x4000}
    later = [7] * (CONFIG.packet_bytes // 2)
    node.packet(3, Kind.FIRST, 0, envelope(4, CONFIG.first_bytes + 8) + later[: CONFIG.first_bytes // 2], place)
    node.take([3, 0], error=1)
    assert not node.puts
    node.packet(3, Kind.MORE, 0, later[:4])
    assert node.written[8 * place["block"] + Word.FLAG] == COMPLETE and node.puts == [(Op.DONE, 0, 4)]


@pytest.mark.parametrize("others", [0, 1, 31])
def test_a_broadcast_that_is_given_up_has_no_ticket_of_a_later_one(others):
    """However many come before its own ticket comes again: it calls for none, and gets the bytes of none."""
    node, place = Receiver(), {"user": 1, "block": 8, "room": 96, "buffer": 0x4000, "pooled": 0, "number": 0}
    node.broadcast(4, {"placed": 0})
    for ticket in (*range(36 - others, 36), 36):
        node.broadcast(ticket & 31)
    node.prepare(place)
    (op, _, called), told = node.puts[-1], len(node.puts)
    assert op == Op.REWIND and called != 4
    node.broadcast(4, mark=1)
    assert not node.written and node.puts[told:] == []


def test_done_is_said_again_of_the_last_broadcast_alone():
    """When it is asked for, as it was said; of one that was not stored here, held, given up or never seen, nothing."""
    node, place = Receiver(), {"user": 1, "block": 8, "room": 96, "buffer": 0x4000, "pooled": 0, "number": 0}

    def asked(ticket, behind=1):
        told = len(node.puts)
        node.broadcast(ticket, mark=1, behind=behind)
        return node.puts[told:]

    # The entries are 0 behind a reset, and so is a ticket.
    assert asked(0) == []
    node.broadcast(4, place | {"placed": 1})
    assert node.puts == [(Op.DONE, 0, 4)]
    assert asked(4, behind=0) == asked(5) == asked(20) == []
    assert asked(4) == asked(4) == [(Op.DONE, 0, 4)]
    node.broadcast(4, {"placed": 0, "lost": 1})
    assert asked(4) == [(Op.DONE, 1, 4)]
    node.broadcast(4, {"placed": 0})
    assert asked(4) == []
    # It is dropped, and its source is told, behind the one that is held: that is not asked again, nor any other.
    node.broadcast(5)
    assert asked(4) == asked(5) == asked(21) == []
    node.prepare(place)
    assert asked(4) == asked(5) == []
    node.broadcast(21, {"placed": 0})
    assert asked(21) == [] and node.asked == [4, 4, 4, 21]
