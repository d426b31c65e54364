"""Send scheduler: which message is offered next, what the answers mean, and which sends are complete."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Mapping
from typing import NamedTuple

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.node.contract.block import (
    COMPLETE,
    LEFT_BITS,
    LENGTH_BITS,
    STARTED,
    STATUS_LOW,
    TAKEN_BIT,
    TYPE_BITS,
    Status,
    Word,
)
from cubecast.golden.node.contract.config import BLOCK_BYTES, BLOCK_WORDS, NodeConfig
from cubecast.golden.node.contract.packet import TICKET_BITS, Op
from cubecast.golden.node.contract.registers import Interrupt
from cubecast.golden.node.twins.message_cutter import Part
from cubecast.golden.node.twins.unit import Unit

__all__ = ["Answer", "Chain", "Round", "SendScheduler", "first_slot"]

WRAP = 0xFFFFFFFF
"""Bits of a count of time units."""

UNIT_CYCLES = 1024
"""Cycles of a unit of time."""

EVENTS = {
    Status.DAMAGED: Interrupt.DAMAGED,
    Status.TIMEOUT: Interrupt.TIMEOUT,
    Status.MEMORY_ERROR: Interrupt.MEMORY_ERROR,
}
"""Statuses that are told at once, and the reasons of their interrupts."""


class Answer(NamedTuple):
    """A control packet that came."""

    source: int = 0
    b: int = 0
    op: int = 0
    stop: int = 0
    damaged: int = 0
    ticket: int = 0


@dataclasses.dataclass
class Chain:
    """What is sent to one destination, in order, as a list of references in node memory.

    Parameters
    ----------
    full, here : bool
        It has blocks; one stands at the cursor.
    waiting : bool
        An offer is open.
    queued : bool
        It is in the queue.
    stop, again, mark, rest, wrong : bool
        Nothing more is offered; a rewind came to an open offer; the next offer is the first after a rewind; the rest
        of the message is to be sent; words of the message came with an error.
    doubt, over : bool
        The message before may not be whole at a destination; the offer has ended, but its part is not sent yet.
    end : int
        How it has ended.
    ticket : int
        Of the offer.
    offset, odd : int
        Where the rest of the message begins, or goes on: bytes before it; whether its next packet has an odd turn.
    slots : int
        Where packets of its messages may be on their way; 0: nowhere.
    head, tail, cursor, before : int
        References.
    position, passed : int
        Blocks before the cursor; blocks that were postponed.
    since : int
        Time of the last offer or refusal.
    """

    full: bool = False
    here: bool = False
    waiting: bool = False
    queued: bool = False
    stop: bool = False
    again: bool = False
    mark: bool = False
    rest: bool = False
    wrong: bool = False
    doubt: bool = False
    over: bool = False
    end: int = Status.OK
    ticket: int = 0
    offset: int = 0
    odd: int = 0
    slots: int = 0
    head: int = 0
    tail: int = 0
    cursor: int = 0
    before: int = 0
    position: int = 0
    passed: int = 0
    since: int = 0

    @property
    def single(self) -> bool:
        """Whether only the first packet goes unasked."""
        return self.position < self.passed or self.doubt

    def sweep(self) -> None:
        """Begin anew at the head."""
        self.cursor, self.here, self.position = self.head, self.full, 0
        self.stop = self.again = False
        self.mark = True


@dataclasses.dataclass
class Round:
    """The broadcast under way: how many nodes have said what, and which."""

    name: str = "FIRST"
    counts: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    marks: collections.defaultdict[str, set[int]] = dataclasses.field(
        default_factory=lambda: collections.defaultdict(set)
    )
    fresh: bool = False
    damage: bool = False


def first_slot(config: NodeConfig, useful: int, room: int) -> int:
    """Return the slot of a packet, a mask: the lowest that is useful, and if the routing allows it has room."""
    free = useful & room if config.router.routing != "fixed" else 0
    return (free or useful) & -(free or useful)


class SendScheduler(Unit):
    """Twin of the send scheduler.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the node.

    Source: Buzzard 1988, sections 5.1.1 (outgoing message queues) and 5.1.2; answers and rewinds are this project's.
    """

    def __init__(self, config: NodeConfig) -> None:
        """Start in reset."""
        self.config = config
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values; the entries are emptied one by one."""
        self.state = "IDLE"
        self.cleared = self.turn = self.cycles = self.now = self.scan = 0
        self.tick = self.due = self.owed = self.asked = False
        self.chains = [Chain() for _ in range(self.config.nodes)]
        self.round = Round()
        self.queue: list[int] = []
        self.work = "queue"
        self.answer = Answer()
        self.posted = self.spoilt = False
        self.flagged = (0, 0)
        self.own = self.reference = self.chain = self.block = self.following = self.node = self.left = 0
        self.given = 0
        self.entry = Chain()
        self.what = "OFFER"
        self.status: int = Status.OK
        self.earlier = 0
        self.repeated = self.last = False
        self.words: list[tuple[int, int]] = []
        self.message = (0, 0, 0)

    def link(self, reference: int) -> int:
        """Return the address of the word that names the one behind a reference."""
        block, part = divmod(reference, BLOCK_BYTES)
        return BLOCK_WORDS * block + (Word.USER + 2 * part if part else Word.LINK)

    def access(self) -> tuple[int, int, int] | None:
        """Return what the state reads, or writes: word address; words, or 0; data."""
        entry, block = self.entry, self.block // BLOCK_BYTES * BLOCK_WORDS
        if self.state == "APPEND":
            return self.link(entry.tail), 0, self.reference
        if self.state == "FETCH":
            return entry.cursor // BLOCK_BYTES * BLOCK_WORDS + Word.TYPE, 3, 0
        if self.state == "START":
            return entry.cursor // BLOCK_BYTES * BLOCK_WORDS + Word.FLAG, 0, STARTED | 1 << TAKEN_BIT
        if self.state == "STEP":
            return self.link(entry.before), 1, 0
        if self.state == "NEXT":
            return self.link(entry.cursor), 1, 0
        if self.state == "UNLINK":
            return self.link(entry.before), 0, self.following
        if self.state == "COUNT":
            return block + Word.STATE, 1, 0
        if self.state == "LEFT":
            return block + Word.STATE, 0, self.left | self.whole << LEFT_BITS
        if self.state == "FLAG":
            return block + Word.FLAG, 0, COMPLETE | self.whole << STATUS_LOW
        return None

    @property
    def whole(self) -> int:
        """Status of the block in hand: of its parts the first one that ended badly has it."""
        return self.earlier or self.status if self.block % BLOCK_BYTES else self.status

    @property
    def posts(self) -> bool:
        """Whether the write of this state is posted: nobody who is told of it looks at it."""
        return self.state == "START" or (self.state == "FLAG" and self.status not in EVENTS)

    @property
    def telling(self) -> bool:
        """Whether it is told that a posted write has failed; what would come next waits for that."""
        return self.spoilt and (self.state == "IDLE" or self.posts)

    def taken(self, inputs: Inputs) -> str | None:
        """Return what is begun in this cycle."""
        get = inputs.get
        if self.state != "IDLE" or self.cleared < self.config.nodes or self.spoilt:
            return None
        if self.tick and self.owed:
            return "scan"
        if get("back__valid"):
            return "back"
        if get("fault__valid"):
            return "fault"
        if get("answer__valid") and not (self.turn and get("add__valid")):
            return "answer"
        if get("report__valid"):
            return "report"
        if get("add__valid"):
            return "add"
        if self.queue and get("part__ready"):
            return "queue"
        return "scan" if self.tick else None

    def _part(self, address: int, room: int) -> Part:
        """Return the part that the cutter is given."""
        entry, kind, length, buffer = self.entry, *self.message
        slots = entry.slots or first_slot(self.config, address ^ self.chain, room)
        if self.chain == address:
            slots = self.config.nodes - 1
        old = entry.position < entry.passed
        # A further round that nobody has to answer: who has stored it before answers again.
        unasked = self.what == "AGAIN" and not self.round.counts["called"]
        return Part(
            slots=slots,
            destination=self.chain,
            rest=int(self.what == "REST"),
            offset=entry.offset,
            odd=entry.odd,
            type=kind,
            length=length,
            eager=self._eager,
            behind=int(entry.position != 0 or unasked),
            others=int(entry.passed - old != 0),
            mark=int(entry.mark and self.what != "REST"),
            ticket=entry.ticket,
            buffer=buffer,
        )

    @property
    def _eager(self) -> int:
        """Packets of the message in hand that go unasked, at most."""
        return 1 if self.entry.single else self.config.eager

    @property
    def _unasked(self) -> int:
        """Bytes of the message in hand that go unasked, at most."""
        return self.config.first_bytes + (self._eager - 1) * self.config.packet_bytes

    def _held(self, sent: bool) -> bool:
        """Return whether a part of the chain in hand is not sent yet; ``sent``: none of any chain is."""
        return self.chain == self.given and not sent

    def _event(self) -> tuple[int, int, int, int] | None:
        """Return the event of this cycle: reason, status, source, value."""
        if self.telling:
            return Interrupt.MEMORY_ERROR, Status.MEMORY_ERROR, *self.flagged
        if self.state != "EVENT" or self.status not in EVENTS:
            return None
        value = self.block // BLOCK_BYTES * BLOCK_BYTES
        return EVENTS[Status(self.status)], self.status, self.chain, value

    def _answers(self) -> bool:
        """Return whether the answer in hand is to the offer that is open."""
        entry = self.entry
        return entry.waiting and not entry.over and self.answer.ticket == entry.ticket

    @property
    def expecting(self) -> bool:
        """Whether some offer has to be answered; a broadcast that nodes have yet to call for has not."""
        # The chain of broadcasts is that of the own node, to which there are no unicasts.
        return any(chain.waiting and (node != self.own or self._asked) for node, chain in enumerate(self.chains))

    @property
    def _asked(self) -> bool:
        """Whether the broadcast under way has to be answered."""
        return any(self.round.counts[name] for name in ("missing", "accepted", "called"))

    @property
    def resting(self) -> bool:
        """Whether an edge changes nothing but the time, as long as nothing comes in."""
        idle = self.state == "IDLE" and self.cleared == self.config.nodes
        return idle and not (self.queue or self.tick or self.spoilt)

    def show(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs."""
        access = None if self.asked or (self.posts and (self.posted or self.spoilt)) else self.access()
        address, count, data = access or (0, 0, 0)
        reading, writing = access is not None and count > 0, access is not None and not count
        taken, event = self.taken(inputs), self._event()
        part = self._part(inputs.get("address", 0), inputs.get("room", 0)) if self.state == "PART" else None
        if part is not None and part.rest and part.length <= part.offset:
            part = None
        done = self.state == "WORK" and self.work == "answer" and self.answer.op == Op.DONE
        done = done and not (self.chain == inputs.get("address", 0) and self.answer.source in self.round.marks["done"])
        return {
            "ready": int(self.cleared == self.config.nodes),
            **{f"{name}__ready": int(taken == name) for name in ("fault", "answer", "report", "add")},
            "back__ready": int(self.state == "WORK" and self.work == "back"),
            "preempt": int(bool(self.queue)),
            "part__valid": int(part is not None),
            **{f"part__{name}": getattr(part, name, None) for name in Part._fields},
            "event__valid": int(event is not None),
            **dict(zip(EVENT, event or (None,) * len(EVENT), strict=True)),
            "reader__valid": int(reading),
            "reader__address": address if reading else None,
            "reader__beats": count - 1 if reading else None,
            "writer__valid": int(writing),
            "writer__address": address if writing else None,
            "writer__data": data if writing else None,
            "writer__strobe": 15 if writing else None,
            "delivered": int(done and self._answers()),
        }

    def edge(self, inputs: Inputs, outputs: Outputs) -> None:
        """Take the edge of a cycle with these inputs and outputs."""
        get = inputs.get
        if get("rst"):
            self.reset()
            return
        taken, posts, self.own = self.taken(inputs), self.posts, get("address", 0)
        block = self.entry.cursor if self.state == "START" else self.block
        told = self.telling and get("event__ready")
        self.cleared += not outputs["ready"]
        if taken is not None:
            self._take(taken, inputs)
        elif self.state == "LOAD":
            self.entry, self.state = dataclasses.replace(self.chains[self.chain]), "WORK"
        elif self.state == "WORK":
            if self.work == "back":
                self._back(get("back__offset", 0), get("back__odd", 0))
            self.state = self._work(get("address", 0), get("timeout", 0), bool(get("part__ready")))
        elif self.access() is not None:
            self._memory(inputs, outputs)
        elif self.state == "EVENT":
            if not outputs["event__valid"] or get("event__ready"):
                self.state = self._leave(bool(get("part__ready")))
        elif self.state == "PART":
            self._sent(get("address", 0), get("room", 0))
            self.given = self.chain
        elif self.state in ("CLEAR", "CALL"):
            self._everybody(bool(get("part__ready")))
        elif self.state == "JUDGE":
            self.state = self._judge(bool(get("part__ready")))
        elif self.state == "REMOVE":
            self._remove(get("address", 0))
        elif self.state == "STORE":
            self._store(get("address", 0))
        self.spoilt = self.spoilt and not told
        if get("written"):
            self.spoilt |= self.posted and bool(get("write_error"))
            self.posted = False
        if outputs["writer__valid"] and get("writer__ready") and posts:
            self.posted, self.flagged = True, (self.chain, block // BLOCK_BYTES * BLOCK_BYTES)
        self.pass_time(get("timeout", 0))

    def pass_time(self, timeout: int) -> None:
        """Count a cycle."""
        self.cycles = (self.cycles + 1) % UNIT_CYCLES
        if not self.cycles:
            self.now = self.now + 1 & WRAP
            if timeout:
                self.tick, self.due = True, self.tick

    def _take(self, work: str, inputs: Inputs) -> None:
        """Begin something."""
        get = inputs.get
        self.work, self.state, self.owed = work, "LOAD", work != "scan"
        if work == "queue":
            self.chain = self.queue.pop(0)
        elif work == "back":
            self.chain = self.given
        elif work == "scan":
            self.chain, self.scan = self.scan, self.scan + 1
            if self.scan == self.config.nodes:
                self.tick, self.due, self.scan = self.due, False, 0
        elif work == "answer":
            self.turn = 1
            self.answer = Answer(*(get(f"answer__{name}", 0) for name in Answer._fields))
            self.chain = get("address", 0) if self.answer.b else self.answer.source
        else:
            self.chain = get(f"{work}__destination", 0)
            if work == "add":
                self.turn, self.reference = 0, get("add__reference", 0)
                self.message = get("add__type", 0), get("add__length", 0), get("add__buffer", 0)
            elif work == "fault":
                self.answer = Answer(ticket=get("fault__ticket", 0))

    def _work(self, address: int, timeout: int, heard: bool) -> str:
        """Do what was begun, as far as registers go; return the next state."""
        entry, broadcast = self.entry, self.chain == address
        if self.work == "fault":
            entry.wrong |= self.answer.ticket == entry.ticket
        elif self.work == "report" and entry.waiting and not entry.over:
            entry.doubt = True
            return self._end(Status.UNDELIVERABLE, heard)
        elif self.work == "scan":
            return self._late(broadcast, timeout, heard)
        elif self.work == "add":
            if entry.full:
                return "APPEND"
            entry.head = entry.cursor = entry.tail = self.reference
            entry.full = entry.here = True
            entry.position = entry.passed = 0
            if heard and not self.queue and not entry.stop:
                self._offer()
                return "PART"
        elif self.work == "queue":
            return self._next(broadcast)
        elif self.work == "answer":
            return self._joint_answer() if broadcast else self._answer(heard)
        return "STORE"

    def _back(self, offset: int, odd: int) -> None:
        """Keep where a rest has stopped, unless all have what they want of it."""
        entry = self.entry
        if entry.waiting and (not entry.over or entry.end == Status.UNDELIVERABLE):
            entry.rest, entry.offset, entry.odd = True, offset, odd

    def _late(self, broadcast: bool, timeout: int, heard: bool) -> str:
        """Look whether an answer is late; what is not sent yet has none to come."""
        entry = self.entry
        if entry.waiting and (entry.queued or self._held(heard)):
            entry.since = self.now
            return "STORE"
        if not timeout or (self.now - entry.since & WRAP) <= timeout:
            return "STORE"
        if entry.waiting and (not broadcast or self._asked):
            entry.doubt, self.status = True, Status.TIMEOUT
            return self._finish()
        if entry.waiting:
            # Nodes have yet to call for it, and one that has may not have been heard.
            self.round.name, entry.mark, entry.since = "AGAIN", True, self.now
        elif entry.full and (entry.stop or not entry.here):
            entry.sweep()
            entry.since = self.now
        return "STORE"

    def _next(self, broadcast: bool) -> str:
        """Find what a chain has to send."""
        entry = self.entry
        entry.queued = False
        if entry.rest:
            self.what = "REST"
        elif entry.over:
            self.status = entry.end
            return self._finish()
        elif entry.waiting and broadcast and entry.mark:
            self.what = "AGAIN"
        elif not entry.waiting and entry.here and not entry.stop:
            self._offer()
        else:
            return "STORE"
        return "FETCH"

    def _offer(self) -> None:
        """Begin an offer; that of a broadcast begins its rounds."""
        entry = self.entry
        self.what, entry.wrong = "OFFER", False
        entry.ticket = entry.ticket + 1 & (1 << TICKET_BITS) - 1
        if self.chain == self.own:
            self.round = Round(counts=collections.Counter(missing=self.config.nodes - 1))

    def _end(self, status: Status, sent: bool) -> str:
        """End the message at the cursor, when all of its part is sent; return the next state."""
        self.status, entry = status, self.entry
        # Who has accepted a message of which a packet found no way waits for the rest.
        entry.rest = entry.rest and status == Status.UNDELIVERABLE
        if self._held(sent) or entry.rest:
            entry.over, entry.end = True, status
            return "STORE"
        return self._finish()

    def _finish(self) -> str:
        """End the message at the cursor; return the next state."""
        self.entry.over = False
        self.block, self.last = self.entry.cursor, self.entry.cursor == self.entry.tail
        return "REMOVE" if self.last else "NEXT"

    def _leave(self, heard: bool) -> str:
        """Return the next state behind a message that has ended."""
        if self.chain == self.own and self.state != "CLEAR" and not self.entry.waiting:
            self.node = 0
            return "CLEAR"
        if not (self.entry.here and heard) or self.entry.waiting or self.entry.stop or self.queue:
            return "STORE"
        self._offer()
        return "FETCH"

    def _answer(self, heard: bool) -> str:
        """Take the answer to a unicast."""
        entry, answer = self.entry, self.answer
        if answer.op == Op.REWIND:
            if entry.waiting:
                entry.again = True
            else:
                entry.sweep()
            return "STORE"
        if not self._answers():
            return "STORE"
        if answer.op == Op.ACCEPT:
            entry.rest = True
        elif answer.op == Op.DONE:
            if not answer.damaged:
                entry.slots = 0
            entry.doubt = bool(answer.damaged)
            return self._end(self._ended(entry.doubt), heard)
        elif answer.op == Op.POSTPONE:
            entry.waiting = entry.rest = False
            entry.since = self.now
            entry.passed = max(entry.passed, entry.position + 1)
            if entry.again:
                entry.sweep()
                return "STORE"
            entry.stop, entry.position, entry.before = bool(answer.stop), entry.position + 1, entry.cursor
            if entry.cursor != entry.tail:
                return "STEP"
            entry.here = False
        return "STORE"

    def _ended(self, damaged: bool) -> Status:
        """Return how a message ends that is stored."""
        return Status.DAMAGED if damaged else Status.MEMORY_ERROR if self.entry.wrong else Status.OK

    def _joint_answer(self) -> str:
        """Take the answer to a broadcast."""
        round_, answer = self.round, self.answer
        if not self._answers():
            return "STORE"
        first = round_.name == "FIRST"
        if answer.op == Op.ACCEPT and first and answer.source not in round_.marks["done"]:
            round_.marks["answered"].add(answer.source)
            self._count(missing=-1, accepted=1)
        elif answer.op == Op.POSTPONE and first:
            self._count(missing=-1)
        elif answer.op == Op.REWIND:
            round_.marks["rewound"].add(answer.source)
            round_.fresh = True
        elif answer.op == Op.DONE and answer.source not in round_.marks["done"]:
            round_.marks["done"].add(answer.source)
            round_.damage |= bool(answer.damaged)
            called = answer.source in round_.marks["called"]
            round_.marks["called"].discard(answer.source)
            # Of a message whose later packets are damaged this comes behind ACCEPT, and before its rest.
            accepted = round_.name == "REST" or (first and answer.source in round_.marks["answered"])
            self._count(done=1, missing=-(first and not accepted), accepted=-accepted, called=-called)
        return "JUDGE"

    def _count(self, **steps: int) -> None:
        """Add to the counts of a broadcast."""
        counts = self.round.counts
        for name, step in steps.items():
            counts[name] = counts[name] + step & (1 << self.config.nodes.bit_length()) - 1

    def _judge(self, heard: bool) -> str:
        """Find what follows from the answers to a broadcast."""
        round_, entry = self.round, self.entry
        counts = round_.counts
        if counts["missing"]:
            return "IDLE"
        if round_.name == "FIRST" and counts["accepted"]:
            round_.name, entry.rest = "REST", True
            return "STORE"
        if counts["accepted"] or counts["called"]:
            return "IDLE"
        if counts["done"] == self.config.nodes - 1:
            entry.doubt = round_.damage
            return self._end(self._ended(round_.damage), heard)
        if round_.fresh:
            round_.fresh, self.node = False, 0
            return "CALL"
        return "IDLE"

    def _everybody(self, heard: bool) -> None:
        """Go on to the next node, when a broadcast has ended or has a further round."""
        round_ = self.round
        if self.state == "CALL" and self.node in round_.marks["rewound"] - round_.marks["done"]:
            round_.marks["called"].add(self.node)
            self._count(called=1)
        self.node += 1
        if self.node < self.config.nodes:
            return
        if self.state == "CLEAR":
            self.round.marks.clear()
            self.state = self._leave(heard)
        else:
            round_.name, self.entry.mark, self.state = "AGAIN", bool(round_.counts["called"]), "STORE"

    def _sent(self, address: int, room: int) -> None:
        """Take the edge of the cycle in which a part is given to the cutter."""
        entry = self.entry
        entry.slots, entry.since = self._part(address, room).slots, self.now
        if self.what == "OFFER":
            entry.waiting, entry.mark = True, False
        elif self.what == "REST":
            entry.rest = False
        else:
            entry.mark = False
            entry.rest = self.message[1] > self._unasked
        if self.what != "REST":
            entry.offset, entry.odd = self._unasked, self._eager % 2
        first = self.what == "OFFER" and entry.position >= entry.passed
        self.state = "START" if first else "STORE"

    def _remove(self, address: int) -> None:
        """Take the block at the cursor out of its chain."""
        entry = self.entry
        # Where the first one of the chain got no answer its destination may have seen no MARK.
        entry.mark = self.chain != address and (entry.mark or (entry.doubt and not entry.position))
        if not self.last:
            entry.cursor = self.following
            if not entry.position:
                entry.head = self.following
        else:
            entry.here = False
            if not entry.position:
                entry.full = False
            else:
                entry.tail = entry.before
        entry.passed -= entry.position < entry.passed
        entry.waiting = entry.rest = entry.wrong = False
        if entry.again:
            entry.sweep()
        self.state = "COUNT" if self.block % BLOCK_BYTES else "FLAG"

    def _store(self, address: int) -> None:
        """Keep the entry, and queue its chain if it has something to send."""
        entry = self.entry
        again = self.chain == address and entry.waiting and entry.mark
        todo = entry.over or entry.rest or again or (entry.here and not entry.waiting and not entry.stop)
        if todo and not entry.queued:
            entry.queued = True
            self.queue.append(self.chain)
        self.chains[self.chain], self.state = entry, "IDLE"

    def _memory(self, inputs: Inputs, outputs: Outputs) -> None:
        """Go on with a read or a write."""
        get = inputs.get
        for kind in ("reader", "writer"):
            if outputs[f"{kind}__valid"]:
                taken = bool(get(f"{kind}__ready"))
                self.asked = taken and not self.posts
                if taken and self.posts:
                    self.state = self._written(bool(get("part__ready")))
                return
        if self.posts:
            return
        access = self.access()
        if access is not None and access[1]:
            if get("served"):
                self.words.append((get("word", 0), get("word_error", 0)))
                if len(self.words) == access[1]:
                    self.asked, words, self.words = False, self.words, []
                    self.state = self._read([word for word, _ in words], any(error for _, error in words))
        elif get("written") and not self.posted:
            self.asked = False
            written = not get("write_error") or self.state not in ("APPEND", "UNLINK", "LEFT", "FLAG")
            self.state = self._written(bool(get("part__ready"))) if written else self._unwritten()

    def _read(self, words: list[int], error: bool) -> str:
        """Take what was read; return the next state."""
        entry = self.entry
        if self.state == "FETCH":
            if error:
                entry.doubt, self.status = True, Status.MEMORY_ERROR
                return self._finish()
            kind, length, buffer = words
            self.message = kind & (1 << TYPE_BITS) - 1, length & (1 << LENGTH_BITS) - 1, buffer
            return "PART"
        if self.state == "STEP":
            if not error:
                entry.cursor = words[0]
                return "STORE"
            entry.here, entry.tail, self.block, self.status = False, entry.before, entry.before, Status.MEMORY_ERROR
            return "EVENT"
        if self.state == "NEXT":
            if error:
                self.last, self.status = True, Status.MEMORY_ERROR
                return "REMOVE"
            self.following = words[0]
            return "UNLINK" if entry.position else "REMOVE"
        self.repeated = error and not self.repeated
        if self.repeated:
            return "COUNT"
        if error:
            # Other parts may be under way: the block is not complete.
            self.status = Status.MEMORY_ERROR
            return "EVENT"
        self.left = (words[0] & (1 << LEFT_BITS) - 1) - 1 & (1 << LEFT_BITS) - 1
        self.earlier = words[0] >> LEFT_BITS & 0xFF
        return "LEFT" if self.left else "FLAG"

    def _unwritten(self) -> str:
        """Go on when a link, or what the block says of its end, could not be written; return the next state."""
        self.status = Status.MEMORY_ERROR
        if self.state in ("LEFT", "FLAG"):
            return "EVENT"
        if self.state == "UNLINK":
            self.last = True
            return "REMOVE"
        self.block = self.reference
        return "COUNT" if self.block % BLOCK_BYTES else "FLAG"

    def _written(self, heard: bool) -> str:
        """Go on when a write is acknowledged, or taken if it is posted; return the next state."""
        entry = self.entry
        if self.state == "APPEND":
            if not entry.here:
                entry.before, entry.cursor, entry.here = entry.tail, self.reference, True
            entry.tail = self.reference
            return "STORE"
        if self.state == "FLAG" and self.status not in EVENTS:
            return self._leave(heard)
        following: Mapping[str, str] = {"START": "STORE", "UNLINK": "REMOVE", "LEFT": "EVENT", "FLAG": "EVENT"}
        return following[self.state]


EVENT = ("event__reason", "event__status", "event__source", "event__value")
"""Ports of an event."""
