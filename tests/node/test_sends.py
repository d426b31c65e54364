"""Sends that end without an answer: when, in which order others come behind them, and what is told of each part."""

from collections import Counter, defaultdict, deque
from random import Random

import pytest

from cubecast.golden.node.contract.block import COMPLETE, Instruction, Status, Word
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.contract.packet import Op
from cubecast.golden.node.contract.registers import Interrupt, Register
from cubecast.golden.node.twins.node_interface import NodeInterface
from cubecast.golden.node.twins.send_scheduler import SendScheduler
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.reason import PacketReason
from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.node.send_scheduler import BENCH
from tests.node.corners import CORNERS

CONFIG = NodeConfig(router=PacketConfig(dim=2), buffers=0)
UNIT = 1024
BLOCK, DATA, SOURCE, DESTINATION = 0x1000, 0x4000, 0, 3


class Scheduler:
    """A scheduler whose memory answers in the next cycle, and whose parts and events are taken at once."""

    def __init__(self, config, timeout=0):
        self.unit, self.nodes, self.timeout, self.clock = SendScheduler(config), config.nodes, timeout, 0
        self.words, self.coming, self.acknowledged = {}, deque(), 0
        self.parts, self.marks, self.behind, self.events = [], [], [], []
        # What is taken is being sent, and does not end; from where on rests were sent.
        self.busy, self.rests = False, []
        # Accesses that fail, once each: what is done, and to which word.
        self.fails, self.fault = [], 0
        self.run(config.nodes + 1)

    def failing(self, *access):
        """Return whether an access fails."""
        failing = access in self.fails
        if failing:
            self.fails.remove(access)
        return int(failing)

    def run(self, cycles=40, **told):
        """Go on for some cycles; what is told is told until it is taken."""
        for _ in range(cycles):
            served = {}
            if self.coming:
                word = self.coming.popleft()
                served = {"served": 1, "word": self.words.get(word, 0), "word_error": self.failing("read", word)}
            served["write_error"] = self.fault
            ready = {f"{name}__ready": 1 for name in ("reader", "writer", "event")} | {
                "part__ready": int(not self.busy)
            }
            given = ready | {"timeout": self.timeout, "room": self.nodes - 1, "written": self.acknowledged} | served
            outputs = self.unit.step(given | told)
            if outputs["reader__valid"]:
                first = outputs["reader__address"]
                self.coming += range(first, first + outputs["reader__beats"] + 1)
            self.acknowledged = outputs["writer__valid"]
            self.fault = int(outputs["writer__valid"]) and self.failing("write", outputs["writer__address"])
            if outputs["writer__valid"] and not self.fault:
                self.words[outputs["writer__address"]] = outputs["writer__data"]
            if outputs["part__valid"]:
                self.parts.append((outputs["part__destination"], outputs["part__ticket"]))
                self.marks.append(outputs["part__mark"])
                self.behind.append(outputs["part__behind"])
                self.rests += [(outputs["part__destination"], outputs["part__offset"])] * outputs["part__rest"]
            if outputs["event__valid"]:
                fields = ("reason", "status", "source", "value")
                self.events.append(tuple(outputs[f"event__{name}"] for name in fields))
            told = {} if any(outputs[name] and told.get(name[:-5] + "valid") for name in READY) else told
            self.clock += 1

    def add(self, destination, reference=BLOCK):
        """Give it a message."""
        self.run(add__valid=1, add__destination=destination, add__reference=reference)

    def answer(self, source, op=Op.DONE, **fields):
        """Let a node answer the last offer made to it."""
        ticket = next(ticket for to, ticket in reversed(self.parts) if to == source)
        told = {"valid": 1, "source": source, "op": int(op), "ticket": ticket} | fields
        self.run(**{f"answer__{name}": value for name, value in told.items()})

    @property
    def flag(self):
        """The word FLAG of the block."""
        return self.words.get(BLOCK // 4 + Word.FLAG, 0)


READY = ("add__ready", "answer__ready", "report__ready", "back__ready")


@pytest.mark.parametrize(("dim", "destination"), [(3, 7), (9, 300), (9, 511), (10, 1023)])
def test_an_offer_to_any_node_times_out(dim, destination):
    """A unit and a scan of all chains after its deadline at most, whatever the size of the cube."""
    config = NodeConfig(router=PacketConfig(dim=dim, width=16))
    scheduler = Scheduler(config, timeout=1)
    scheduler.add(destination)
    made, most = scheduler.clock - 40, 2 * UNIT + 4 * config.nodes + 50
    while scheduler.flag & COMPLETE != COMPLETE and scheduler.clock < made + most:
        scheduler.run(1)
    assert scheduler.flag == COMPLETE | Status.TIMEOUT << 8
    assert scheduler.clock - made >= UNIT
    scheduler.run()
    assert scheduler.events == [(Interrupt.TIMEOUT, Status.TIMEOUT, destination, BLOCK)]


def test_a_chain_of_any_node_that_has_stopped_is_offered_again():
    """In every timeout: each scan comes as far as to it."""
    scheduler = Scheduler(NodeConfig(router=PacketConfig(dim=9)), timeout=1)
    scheduler.add(400)
    for offers in range(1, 4):
        scheduler.answer(400, Op.POSTPONE, stop=1)
        stopped = scheduler.clock
        while len(scheduler.parts) == offers and scheduler.clock < stopped + 2 * UNIT + 4 * 512 + 50:
            scheduler.run(1)
        assert len(scheduler.parts) == offers + 1


def say(scheduler, op, *nodes, ticket=1):
    """Let nodes answer a broadcast."""
    for node in nodes:
        scheduler.run(answer__valid=1, answer__source=node, answer__b=1, answer__op=int(op), answer__ticket=ticket)


def test_a_broadcast_that_nobody_calls_for_is_sent_again():
    """In every timeout, with MARK: whose REWIND was lost stores it, whoever holds it goes on waiting."""
    scheduler = Scheduler(CONFIG, timeout=1)
    scheduler.add(0)
    say(scheduler, Op.POSTPONE, 1, 2, 3)
    for rounds in range(2, 4):
        scheduler.run(3 * UNIT)
        assert rounds <= len(scheduler.parts) and scheduler.flag & COMPLETE != COMPLETE and not scheduler.events
    # Node 1 is not called; then node 2 is, and has to answer.
    say(scheduler, Op.DONE, 1)
    say(scheduler, Op.REWIND, 2)
    say(scheduler, Op.DONE, 2, 3)
    assert scheduler.flag == COMPLETE and set(scheduler.parts) == {(0, 1)}


def test_who_has_stored_a_broadcast_counts_once():
    """It is asked again by a round that nobody called for, and by no other; what it says then counts if it did not."""
    scheduler = Scheduler(CONFIG, timeout=1)
    scheduler.add(0)
    say(scheduler, Op.POSTPONE, 1, 2)
    say(scheduler, Op.DONE, 3)
    scheduler.run(2 * UNIT)
    assert scheduler.marks == scheduler.behind == [0, 1]
    say(scheduler, Op.DONE, 3, 3)
    say(scheduler, Op.REWIND, 1)
    assert (scheduler.marks, scheduler.behind) == ([0, 1, 1], [0, 1, 0])
    say(scheduler, Op.DONE, 1, 3)
    assert scheduler.flag & COMPLETE != COMPLETE
    say(scheduler, Op.DONE, 2)
    assert scheduler.flag == COMPLETE


def test_a_broadcast_that_is_called_for_times_out():
    """As nobody calls twice for it: who was called answers, or does not any more."""
    scheduler = Scheduler(CONFIG, timeout=1)
    scheduler.add(0)
    say(scheduler, Op.POSTPONE, 1, 2, 3)
    scheduler.run(3 * UNIT)
    say(scheduler, Op.REWIND, 2)
    scheduler.run(3 * UNIT)
    assert scheduler.flag == COMPLETE | Status.TIMEOUT << 8


def test_a_broadcast_ends_when_it_is_stored_everywhere():
    """A call that comes behind the last DONE says nothing, to the next one neither."""
    scheduler = Scheduler(CONFIG)
    scheduler.add(0)
    say(scheduler, Op.POSTPONE, 1, 2)
    say(scheduler, Op.DONE, 3)
    say(scheduler, Op.REWIND, 1)
    say(scheduler, Op.DONE, 1, 2)
    assert scheduler.flag == COMPLETE
    scheduler.add(0, 2 * BLOCK)
    say(scheduler, Op.POSTPONE, 1, 2, 3, ticket=2)
    parts = len(scheduler.parts)
    say(scheduler, Op.REWIND, 2)
    assert len(scheduler.parts) == parts
    say(scheduler, Op.REWIND, 2, ticket=2)
    assert len(scheduler.parts) == parts + 1


@pytest.mark.soak
def test_hardware_scans_512_chains():
    """Beside its twin: scans that are longer than a unit, and what they end."""
    report = lockstep(BENCH, NodeConfig(router=PacketConfig(dim=9)), cycles=100_000, require_events=False)
    for event in ("a unit ends during a scan", "a scan behind the one before", "scan: the message ends"):
        assert report.events[event]


def test_a_scan_goes_on_while_requests_never_end():
    """Between two of its steps one of them goes at most."""
    scheduler = Scheduler(CONFIG, timeout=1)
    scheduler.add(1)
    stale = {"answer__valid": 1, "answer__source": 2, "answer__op": int(Op.REWIND)}
    for _ in range(3 * UNIT):
        scheduler.run(1, **stale)
    assert scheduler.flag == COMPLETE | Status.TIMEOUT << 8


def lose(scheduler, node):
    """Let a part find no way."""
    scheduler.run(report__valid=1, report__destination=node)


@pytest.mark.parametrize("end", [lose, lambda scheduler, node: scheduler.run(3 * UNIT)], ids=["no way", "timeout"])
@pytest.mark.parametrize("more", [False, True])
def test_a_mark_that_may_be_lost_is_sent_again(end, more):
    """With the next message, whether it waits in the chain already or not; an answer says that it has come."""
    scheduler = Scheduler(CONFIG)
    scheduler.add(1)
    scheduler.answer(1, Op.POSTPONE, stop=1)
    if more:
        scheduler.add(1, 2 * BLOCK)
    scheduler.answer(1, Op.REWIND)
    scheduler.timeout = 1
    end(scheduler, 1)
    scheduler.timeout = 0
    if not more:
        scheduler.add(1, 2 * BLOCK)
    assert scheduler.marks == [0, 1, 1]
    scheduler.answer(1)
    scheduler.add(1, 3 * BLOCK)
    assert scheduler.marks == [0, 1, 1, 0]


STOP = 1000
"""Bytes of a rest that have been sent when it stops."""


def stopped(to, waits):
    """Return a scheduler of whose message to a node, or to all, the rest has stopped for one to another node.

    ``waits``: that one is being sent; else what the first one has given out still is.
    """
    scheduler = Scheduler(CONFIG)
    scheduler.words[BLOCK // 4 + Word.LENGTH] = 6000
    scheduler.add(to)
    scheduler.busy = True
    for node in (1, 2, 3) if to == 0 else (to,):
        scheduler.run(answer__valid=1, answer__source=node, answer__b=int(to == 0), answer__op=1, answer__ticket=1)
    scheduler.busy = False
    while not scheduler.rests:
        scheduler.run(1)
    scheduler.busy = True
    scheduler.add(2, 2 * BLOCK)
    scheduler.run(back__valid=1, back__offset=STOP, back__odd=1)
    scheduler.busy = False
    while waits and scheduler.parts[-1][0] != 2:
        scheduler.run(1)
    scheduler.busy = True
    scheduler.run()
    return scheduler


@pytest.mark.parametrize("waits", [False, True])
@pytest.mark.parametrize("to", [1, 0], ids=["one", "all"])
def test_a_rest_goes_on_where_it_stopped(to, waits):
    """Behind what it stopped for, and is not late meanwhile."""
    scheduler = stopped(to, waits)
    scheduler.timeout = 1
    scheduler.run(4 * UNIT)
    assert scheduler.rests[1:] == [] and scheduler.flag & COMPLETE != COMPLETE
    scheduler.timeout, scheduler.busy = 0, False
    scheduler.run()
    assert scheduler.rests[1:] == [(to, STOP)] and [node for node, _ in scheduler.parts[-2:]] == [2, to]


@pytest.mark.parametrize("waits", [False, True])
@pytest.mark.parametrize("to", [1, 0], ids=["one", "all"])
def test_a_rest_is_sent_of_what_finds_no_way_while_it_waits(to, waits):
    """Who has accepted the message waits for it; behind it the message is complete."""
    scheduler = stopped(to, waits)
    lose(scheduler, to)
    assert scheduler.flag & COMPLETE != COMPLETE
    scheduler.busy = False
    scheduler.run(200)
    assert scheduler.rests[1:] == [(to, STOP)] and scheduler.flag == COMPLETE | Status.UNDELIVERABLE << 8


@pytest.mark.parametrize("waits", [False, True])
@pytest.mark.parametrize("to", [1, 0], ids=["one", "all"])
def test_no_rest_is_sent_that_nobody_waits_for(to, waits):
    """All have said that the message is damaged; it is complete when nothing of it is still to be read."""
    scheduler = stopped(to, waits)
    for node in (1, 2, 3) if to == 0 else (to,):
        told = {"valid": 1, "source": node, "b": int(to == 0), "op": int(Op.DONE), "damaged": 1, "ticket": 1}
        scheduler.run(**{f"answer__{name}": value for name, value in told.items()})
    assert (scheduler.flag == COMPLETE | Status.DAMAGED << 8) is waits
    scheduler.busy = False
    scheduler.run(200)
    assert not scheduler.rests[1:] and scheduler.flag == COMPLETE | Status.DAMAGED << 8


def test_what_is_behind_the_head_has_no_mark():
    """A message before it was answered since: its MARK has come."""
    scheduler = Scheduler(CONFIG)
    for number in (1, 2, 3):
        scheduler.add(1, number * BLOCK)
    scheduler.answer(1, Op.POSTPONE)
    lose(scheduler, 1)
    assert scheduler.marks == [0, 0, 0]


NEIGHBOURS = (1, 2)
ENDS = {
    Status.OK: lambda scheduler, node: scheduler.answer(node),
    Status.DAMAGED: lambda scheduler, node: scheduler.answer(node, damaged=1),
    Status.UNDELIVERABLE: lambda scheduler, node: scheduler.run(report__valid=1, report__destination=node),
    Status.TIMEOUT: lambda scheduler, node: scheduler.run(3 * UNIT),
}


@pytest.mark.parametrize("second", ENDS)
@pytest.mark.parametrize("first", ENDS)
def test_each_part_is_told_with_its_own_status_and_neighbour(first, second):
    """The block has the status of the first that ended badly."""
    scheduler = Scheduler(CONFIG)
    scheduler.words[BLOCK // 4 + Word.STATE] = len(NEIGHBOURS)
    ends = list(zip(NEIGHBOURS, (first, second), strict=True))
    for place, (node, status) in enumerate(ends, 1):
        scheduler.timeout = int(status is Status.TIMEOUT)
        scheduler.add(node, BLOCK + place)
        ENDS[status](scheduler, node)
    events = Interrupt.__members__
    assert scheduler.events == [(events[end.name], end, node, BLOCK) for node, end in ends if end.name in events]
    assert scheduler.flag == COMPLETE | (first or second) << 8


LOST = (Interrupt.MEMORY_ERROR, Status.MEMORY_ERROR, 1, BLOCK)
"""That memory has failed at the block of what is sent to node 1."""


@pytest.mark.parametrize("fails", [1, 2])
@pytest.mark.parametrize("more", [False, True])
def test_a_flag_that_is_not_written_is_told(fails, more):
    """FLAG 1, and FLAG 3, of a send that is stored; the next one has its own."""
    scheduler = Scheduler(CONFIG)
    scheduler.fails = [("write", BLOCK // 4 + Word.FLAG)] * fails
    scheduler.add(1)
    if more:
        scheduler.words[BLOCK // 4] = 2 * BLOCK
        scheduler.add(1, 2 * BLOCK)
    scheduler.answer(1)
    assert not scheduler.fails and scheduler.events == [LOST] * fails
    assert scheduler.flag == (COMPLETE if fails == 1 else 0)
    if more:
        scheduler.answer(1)
        assert scheduler.words[2 * BLOCK // 4 + Word.FLAG] == COMPLETE and scheduler.events == [LOST] * fails


PARTS_LEFT = BLOCK // 4 + Word.STATE


def neighbours(*fails):
    """Return a scheduler that has sent to two neighbours, and heard of the first; some accesses have failed."""
    scheduler = Scheduler(CONFIG)
    scheduler.words[PARTS_LEFT], scheduler.fails = len(NEIGHBOURS), [*fails]
    for place, node in enumerate(NEIGHBOURS, 1):
        scheduler.add(node, BLOCK + place)
    scheduler.answer(1)
    assert not scheduler.fails and scheduler.flag & COMPLETE != COMPLETE
    return scheduler


def test_the_number_of_parts_left_is_read_once_more():
    """One error changes nothing, and is not told."""
    scheduler = neighbours(("read", PARTS_LEFT))
    scheduler.answer(2)
    assert scheduler.flag == COMPLETE and not scheduler.events


@pytest.mark.parametrize("fails", [[("read", PARTS_LEFT)] * 2, [("write", PARTS_LEFT)]], ids=["read", "written"])
def test_the_number_of_parts_left_is_lost(fails):
    """It is told, and the block is not complete while the other part is under way, or later."""
    scheduler = neighbours(*fails)
    assert scheduler.events == [LOST]
    scheduler.answer(2)
    assert scheduler.flag & COMPLETE != COMPLETE and scheduler.events == [LOST] and scheduler.words[PARTS_LEFT] == 1


class Node:
    """A node interface with its memory; ``slots`` has the packets that it has injected, words in order."""

    def __init__(self, address, config):
        self.unit, self.address, self.config = NodeInterface(config), address, config
        self.words, self.coming, self.acknowledged = {}, deque(), 0
        self.slots, self.packet, self.room, self.arriving = defaultdict(deque), [], config.nodes - 1, deque()
        self.run(2 * config.nodes)

    def run(self, cycles=1, **told):
        """Go on for some cycles."""
        for _ in range(cycles):
            if self.unit.resting and not (self.arriving or self.coming or self.acknowledged or told):
                self.unit.rest()
                continue
            served = {"data__valid": 1, "data__word": self.words.get(self.coming.popleft(), 0)} if self.coming else {}
            given = {"address": self.address, "read__ready": 1, "write__ready": 1, "inject__ready": self.room}
            if self.arriving:
                given |= dict(zip(EJECT, (1, *self.arriving[0]), strict=True))
            outputs = self.unit.step(given | {"done": self.acknowledged} | served | told)
            if self.arriving and outputs["eject__ready"]:
                self.arriving.popleft()
            if outputs["read__valid"]:
                first = outputs["read__address"]
                self.coming += range(first, first + outputs["read__beats"] + 1)
            self.acknowledged = outputs["write__valid"]
            if outputs["write__valid"]:
                place, strobe = outputs["write__address"], outputs["write__strobe"]
                mask = sum(0xFF << 8 * byte for byte in range(4) if strobe >> byte & 1)
                self.words[place] = self.words.get(place, 0) & ~mask | outputs["write__data"] & mask
            slots = outputs["inject__slots"] or 0
            if outputs["inject__valid"] and slots & self.room:
                self.packet.append(outputs["inject__data"])
                if outputs["inject__last"]:
                    source = outputs["inject__kind"] << self.config.width - 6 | self.address
                    self.slots[slots.bit_length() - 1].append([self.packet[0], source, *self.packet[1:]])
                    self.packet = []

    def set(self, **registers):
        """Write registers."""
        for name, value in registers.items():
            self.run(control__address=Register[name], control__write=1, control__write_data=value)

    def ring(self, instruction, number, **words):
        """Ring a doorbell for the block of that number."""
        block = BLOCK // 4 + 8 * number
        self.words |= {block + Word[name]: value for name, value in words.items()} | {block + Word.FLAG: 0}
        self.run(doorbell__valid=1, doorbell__instruction=int(instruction), doorbell__address=4 * block)
        self.run(80)

    def arrive(self, packet, error=0):
        """Let a packet come."""
        last = len(packet) - 1
        self.arriving += [(word, int(place == last), error * (place == last)) for place, word in enumerate(packet)]

    def status(self, number):
        """Return how a block has ended, None if it has not."""
        flag = self.words[BLOCK // 4 + 8 * number + Word.FLAG]
        return Status(flag >> 8 & 0xFF) if flag & COMPLETE == COMPLETE else None


EJECT = ("eject__valid", "eject__data", "eject__last", "eject__error")


class Pair:
    """A node that sends and one that receives; packets of a slot arrive in order, those of two as they are asked to."""

    def __init__(self, timeout):
        self.source, self.destination = Node(SOURCE, CONFIG), Node(DESTINATION, CONFIG)
        for node in (self.source, self.destination):
            node.set(MEMORY_LAST=0xFFFF, TIMEOUT=timeout, ENABLE=1)

    def run(self, cycles=80):
        """Go on; answers take no time."""
        for _ in range(cycles):
            self.source.run()
            self.destination.run()
            for answers in self.destination.slots.values():
                while answers:
                    self.source.arrive(answers.popleft())

    def deliver(self, slot, error=0):
        """Let the next packet of a slot arrive, if there is one."""
        if self.source.slots[slot]:
            self.destination.arrive(self.source.slots[slot].popleft(), error)
        self.run()

    def send(self, number, length):
        """Send a message of words that have its number."""
        self.source.words |= {(DATA + 0x100 * number) // 4 + word: number << 8 | word for word in range(length // 4)}
        words = {"PARTNER": DESTINATION, "TYPE": 5, "LENGTH": length, "BUFFER": DATA + 0x100 * number}
        self.source.ring(Instruction.SEND, number, **words)
        self.run()

    def stored(self, number, length):
        """Return of which message each word of a receive is."""
        place = (DATA + 0x100 * number) // 4
        return {self.destination.words.get(place + word, 0) >> 8 for word in range(length // 4)}


def time_out(pair):
    """Wait longer than for an answer."""
    pair.source.run(3 * UNIT)


def report(pair):
    """Let some packet find no way."""
    told = {"valid": 1, "lane": 2, "reason": int(PacketReason.UNDELIVERABLE), "destination": DESTINATION}
    pair.source.run(**{f"report__{name}": value for name, value in told.items()})


def damage(pair):
    """Let the second packet end early."""
    pair.deliver(0)
    pair.deliver(0, error=1)


@pytest.mark.parametrize(
    ("end", "timeout", "packets", "status", "order"),
    [
        (time_out, 1, 2, Status.TIMEOUT, (1, 0, 1, 0)),
        (report, 0, 2, Status.UNDELIVERABLE, (1, 0, 1, 0)),
        (damage, 0, 3, Status.DAMAGED, (1, 1, 0, 1)),
    ],
    ids=["timeout", "no way", "damaged"],
)
def test_a_message_goes_behind_what_is_left_of_the_one_before(end, timeout, packets, status, order):
    """Packets of one that has ended wait in a slot without room; no other one takes its bytes, or gives it its own."""
    pair, length = Pair(timeout), CONFIG.first_bytes + (packets - 1) * CONFIG.packet_bytes - 2
    for number in (1, 2):
        words = {"PARTNER": 1 << 16, "TYPE": 5, "LENGTH": length, "BUFFER": DATA + 0x100 * number}
        pair.destination.ring(Instruction.RECEIVE, number, **words)
    pair.send(1, length)
    assert len(pair.source.slots[0]) == packets
    pair.source.room = 0b10
    end(pair)
    pair.run()
    assert pair.source.status(1) is status
    pair.send(2, length)
    for slot in order:
        pair.deliver(slot)
    pair.source.room = 0b11
    pair.run()
    while any(pair.source.slots.values()):
        pair.deliver(0)
    ends = [pair.destination.status(number) for number in (1, 2)]
    stored = [pair.stored(number, length) for number in (1, 2)]
    assert all(len(messages) == 1 for end, messages in zip(ends, stored, strict=True) if end is Status.OK)
    assert ends == [Status.DAMAGED if status is Status.DAMAGED else Status.OK, Status.OK]
    assert stored[1] == {2} and pair.source.status(2) is Status.OK


@pytest.mark.parametrize("name", ["one_buffer", "wide"])
def test_a_broadcast_has_no_more_answers_of_a_kind_than_there_are_others(name):
    """Nodes that answer as they should, and call at any time: all of them say the same now and then, and no more."""
    config, most = CORNERS[name], Counter()
    unit, given = SendScheduler(config), {}
    driving = BENCH.stimulus(Random(1), config)
    outputs = None
    for _ in range(24_000):
        given |= driving.send(outputs)
        outputs = unit.step(given)
        for kind, count in unit.round.counts.items():
            most[kind] = max(most[kind], count)
    assert max(most.values()) == config.nodes - 1 == most["missing"]
