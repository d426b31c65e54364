"""Send scheduler: chains of messages, offers, and what their answers lead to."""

from amaranth import *
from amaranth.lib import data, memory, wiring
from amaranth.lib.enum import Enum
from amaranth.lib.wiring import In, Out

from cubecast.golden.node.contract.block import (
    BLOCK_BITS,
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
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.contract.packet import OP_BITS, TICKET_BITS, Op
from cubecast.golden.node.contract.registers import Interrupt
from cubecast.rtl.node.access import Access
from cubecast.rtl.node.fifo import Fifo
from cubecast.rtl.node.slot import slot_for
from cubecast.rtl.node.stream import (
    ADDRESS_BITS,
    STATUS_BITS,
    WORD_BITS,
    Add,
    Back,
    Event,
    Part,
    Read,
    Reply,
    Stream,
    Write,
)

__all__ = ["SendScheduler"]

UNIT_BITS = 10
"""A unit of the timeout is so many bits of cycles."""

PART_BITS = ADDRESS_BITS - BLOCK_BITS
"""Bits of the number of a part in a reference, below the number of the block."""

WORDS = Word.USER + (2 << PART_BITS)
"""Words of a block, with those of its parts."""

MOVES = {
    "begins": "the link is its only message",
    "leads": "the link is its first message",
    "goes": "the cursor goes to the link",
    "grows": "the link is its last message",
    "shrinks": "what is in hand is its last message",
    "passes": "what is in hand is before the cursor",
    "lifts": "all up to the cursor have been passed",
    "sweeps": "the cursor goes back to the first",
    "breaks": "what is in hand has ended; what is to be appended, in that state",
}
"""What a state asks for of the references of a chain; what each of them becomes is said in one place."""

END_BITS = 3
"""Bits of how an offer has ended."""

MARKS = data.StructLayout({"rewound": 1, "called": 1, "done": 1, "answered": 1})
"""What a node has said of the broadcast under way, and whether it has to answer the round."""


class State(Enum, shape=5):
    """What is done with the chain in hand."""

    IDLE = 0
    LOAD = 1
    WORK = 2
    APPEND = 3
    FETCH = 4
    PART = 5
    START = 6
    STEP = 7
    JUDGE = 8
    CALL = 9
    NEXT = 10
    UNLINK = 11
    REMOVE = 12
    COUNT = 13
    LEFT = 14
    FLAG = 15
    EVENT = 16
    CLEAR = 17
    STORE = 18


class Task(Enum, shape=3):
    """Why a chain is in hand."""

    FAULT = 0
    ANSWER = 1
    REPORT = 2
    ADD = 3
    QUEUE = 4
    SCAN = 5
    BACK = 6


class What(Enum, shape=2):
    """What is sent of a message."""

    OFFER = 0
    REST = 1
    AGAIN = 2


class Round(Enum, shape=2):
    """How far the broadcast under way is."""

    FIRST = 0
    REST = 1
    AGAIN = 2


class SendScheduler(wiring.Component):
    """Serve one request after the other; none waits for the network.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the node.

    Ports
    -----
    address : in, n
        Strap: the node's address.
    room : in, n
        Slots of the router that can take a word.
    timeout : in, 32
        Units of 1024 cycles after which an offer without an answer ends; 0: never.
    add__valid, add__destination, add__reference, add__type, add__length, add__buffer, add__ready : 1, n, 32, 16, 20,
    32, 1
        Messages to be sent, and what their blocks say; destination ``address`` stands for a broadcast.
    answer__valid, answer__source, answer__b, answer__op, answer__stop, answer__damaged, answer__ticket, answer__ready
        What control packets say.
    report__valid, report__destination, report__ready : 1, n, 1
        A packet found no fault-free link.
    fault__valid, fault__destination, fault__ticket, fault__ready : 1, n, 5, 1
        Node memory gave an error for some word of that message.
    part__*
        What is to be sent, as the message cutter takes it.
    preempt : out
        Some chain waits for its turn.
    back__valid, back__offset, back__odd, back__ready : 1, 20, 1, 1
        Where the rest that is sent has stopped for that.
    reader__*, served, word, word_error, writer__*, written, write_error
        Node memory.
    event__valid, event__reason, event__status, event__source, event__value, event__ready
        Messages that ended badly.
    delivered : out
        A message is stored at a destination.
    ready : out
        The memories are cleared, N cycles after a reset.

    Source: Buzzard 1988, section 5.1.1 (slot queues); offers and answers are this project's.
    """

    def __init__(self, config: NodeConfig):
        self.config = config
        n = config.dim
        super().__init__(
            {
                "address": In(n),
                "room": In(n),
                "timeout": In(WORD_BITS),
                "add": In(Add(config)),
                "answer": In(Reply(config, answered=True)),
                "report": In(Stream(destination=n)),
                "fault": In(Stream(destination=n, ticket=TICKET_BITS)),
                "part": Out(Part(config)),
                "preempt": Out(1),
                "back": In(Back()),
                "reader": Out(Read()),
                "served": In(1),
                "word": In(WORD_BITS),
                "word_error": In(1),
                "writer": Out(Write()),
                "written": In(1),
                "write_error": In(1),
                "event": Out(Event()),
                "delivered": Out(1),
                "ready": Out(1),
            }
        )

    def elaborate(self, platform):
        """Choose a request, load its chain, serve it, store the chain."""
        m = Module()
        n = self.config.dim
        nodes = self.config.nodes
        entry = data.StructLayout(
            {
                **dict.fromkeys(("full", "here", "waiting", "queued", "stop", "again", "mark", "rest", "wrong"), 1),
                **dict.fromkeys(("doubt", "over"), 1),
                "end": END_BITS,
                "ticket": TICKET_BITS,
                "offset": LENGTH_BITS,
                "odd": 1,
                "slots": n,
                **dict.fromkeys(("head", "tail", "cursor", "before"), ADDRESS_BITS),
                "position": BLOCK_BITS,
                "passed": BLOCK_BITS,
            }
        )
        m.submodules.chains = chains = memory.Memory(shape=entry, depth=nodes, init=[])
        m.submodules.times = times = memory.Memory(shape=WORD_BITS, depth=nodes, init=[])
        m.submodules.marks = marks = memory.Memory(shape=MARKS, depth=nodes, init=[])
        self._load, self._store = chains.read_port(), chains.write_port()
        self._since, self._touch = times.read_port(), times.write_port()
        self._mark, self._put_mark = marks.read_port(domain="comb"), marks.write_port()
        self._state, self._e, self._d = Signal(State), Signal(entry), Signal(n)
        self._task, self._what, self._round = Signal(Task), Signal(What), Signal(Round)
        self._kept = {
            name: Signal(bits, name=f"kept_{name}")
            for name, bits in {
                "source": n,
                "op": OP_BITS,
                "stop": 1,
                "damaged": 1,
                "ticket": TICKET_BITS,
            }.items()
        }
        self._status, self._block = Signal(STATUS_BITS), Signal(ADDRESS_BITS)
        # How a part of the block in hand ended before this one, if badly.
        self._earlier = Signal(STATUS_BITS)
        # Of the message to be added; of the one behind that which ends; parts that are left, less one.
        self._link = Signal(ADDRESS_BITS)
        # The block or the part whose word is read or written, and which word.
        self._hand, self._word = Signal(ADDRESS_BITS), Signal(range(WORDS))
        self._last, self._count, self._b = Signal(), Signal(n), Signal()
        # A posted write has failed, and nobody was told; the chain and the block of the last one that was posted.
        self._spoilt, self._whose, self._flagged = Signal(), Signal(n), Signal(ADDRESS_BITS - PART_BITS)
        # The number of parts was read with an error, and is read once more.
        self._repeated = Signal()
        names = ("missing", "accepted", "called", "done")
        self._counts = {name: Signal(n + 1, name=f"count_{name}") for name in names}
        self._fresh, self._damage = Signal(), Signal()
        self._message = {
            name: Signal(bits, name=f"message_{name}")
            for name, bits in {"type": TYPE_BITS, "length": LENGTH_BITS, "buffer": ADDRESS_BITS}.items()
        }
        self._finishes, self._offers, self._leaves = Signal(), Signal(), Signal()
        # The offer in hand ends with that status, now or when its part is sent.
        self._ends, self._end_as, self._later = Signal(), Signal(END_BITS), Signal()
        # The chain of the part that was taken last; the chain in hand has one that is not sent yet.
        self._given, self._held = Signal(n), Signal()
        self._moves, self._before = Signal(data.StructLayout(dict.fromkeys(MOVES, 1))), Signal()
        self._now, self._age = Signal(WORD_BITS), Signal(WORD_BITS)
        self._queue = Fifo(m, "queue", "distributed", shape=n, depth=nodes)
        cleared = Signal(n + 1)
        m.d.comb += [
            self.ready.eq(cleared[n]),
            self._b.eq(self._d == self.address),
            self._held.eq((self._d == self._given) & ~self.part.ready),
            self.preempt.eq(self._queue.level != 0),
            # What is stored while the memories are cleared is 0 in all of them.
            self._store.addr.eq(Mux(self.ready, self._d, cleared)),
            self._store.data.eq(self._e),
            self._touch.addr.eq(self._store.addr),
            self._touch.data.eq(self._now),
            self._mark.addr.eq(self._kept["source"]),
            self._put_mark.addr.eq(self._mark.addr),
            self._queue.data.eq(self._d),
        ]
        self._choose(m)
        self._access = Access(m, self)
        self._move(m)
        self._work(m)
        self._send(m)
        self._end(m)
        self._follow(m)
        with m.If(~self.ready):
            m.d.sync += cleared.eq(cleared + 1)
            m.d.comb += [
                self._store.en.eq(1),
                self._touch.en.eq(1),
                self._put_mark.addr.eq(cleared),
                self._put_mark.data.eq(0),
                self._put_mark.en.eq(1),
            ]
        return m

    def _choose(self, m):
        """Take a request, and load the chain that it is about."""
        n, state, kept = self.config.dim, self._state, self._kept
        turn, scan, part = Signal(), Signal(n), Signal(UNIT_BITS)
        # A scan is under way; another one follows; its next step goes before other requests.
        tick, due, owed = Signal(), Signal(), Signal()
        chosen, chain, step = Signal(), Signal(n), Signal()
        m.d.comb += [self._load.addr.eq(chain), self._since.addr.eq(chain)]
        with m.If(self.ready & (state == State.IDLE) & ~self._spoilt):
            m.d.comb += chosen.eq(1)
            with m.If(tick & owed):
                m.d.comb += step.eq(1)
            with m.Elif(self.back.valid):
                m.d.comb += chain.eq(self._given)
                m.d.sync += self._task.eq(Task.BACK)
            with m.Elif(self.fault.valid):
                m.d.comb += [self.fault.ready.eq(1), chain.eq(self.fault.destination)]
                m.d.sync += [kept["ticket"].eq(self.fault.ticket), self._task.eq(Task.FAULT)]
            with m.Elif(self.answer.valid & (~turn | ~self.add.valid)):
                m.d.comb += [
                    self.answer.ready.eq(1),
                    chain.eq(Mux(self.answer.b, self.address, self.answer.source)),
                ]
                names = ("source", "op", "stop", "damaged", "ticket")
                m.d.sync += [kept[name].eq(getattr(self.answer, name)) for name in names]
                m.d.sync += [turn.eq(1), self._task.eq(Task.ANSWER)]
            with m.Elif(self.report.valid):
                m.d.comb += [self.report.ready.eq(1), chain.eq(self.report.destination)]
                m.d.sync += self._task.eq(Task.REPORT)
            with m.Elif(self.add.valid):
                m.d.comb += [self.add.ready.eq(1), chain.eq(self.add.destination)]
                m.d.sync += [turn.eq(0), self._task.eq(Task.ADD)]
            with m.Elif((self._queue.level != 0) & self.part.ready):
                m.d.comb += [self._queue.pop.eq(1), chain.eq(self._queue.head)]
                m.d.sync += self._task.eq(Task.QUEUE)
            with m.Else():
                m.d.comb += [step.eq(tick), chosen.eq(tick)]
            with m.If(step):
                m.d.comb += chain.eq(scan)
                m.d.sync += [scan.eq(scan + 1), self._task.eq(Task.SCAN)]
            with m.If(chosen):
                m.d.sync += [self._d.eq(chain), state.eq(State.LOAD), owed.eq(~step)]
        now = self._now + part.all()
        # What an offer's age will be when it is compared.
        m.d.sync += [part.eq(part + 1), self._now.eq(now), self._age.eq(now - self._since.data)]
        count, ends, goes = Signal(), Signal(), Signal()
        m.d.comb += [
            count.eq(part.all() & (self.timeout != 0)),
            ends.eq(step & scan.all()),
            goes.eq(Mux(ends, due, tick)),
        ]
        m.d.sync += [tick.eq(goes | count), due.eq(Mux(count, goes, due & ~ends))]

    def _move(self, m):
        """Say what is in hand, and let the references of a chain change: each has few sources, whatever the state."""
        e, state, access, moves = self._e, self._state, self._access, self._moves
        hand, part, added = self._hand, self._hand[:PART_BITS], self.add.valid & self.add.ready
        m.d.comb += [
            hand.eq(e.cursor),
            self._word.eq(Mux(part == 0, Word.LINK, Word.USER + (part << 1))),
            access.address.eq(Cat(C(0, 3), hand[PART_BITS:]) + self._word),
            access.value.eq(self._link),
            self._before.eq(e.position < e.passed),
        ]
        with m.Switch(state):
            with m.Case(State.APPEND):
                m.d.comb += hand.eq(e.tail)
            with m.Case(State.STEP, State.UNLINK, State.REMOVE):
                m.d.comb += hand.eq(e.before)
            with m.Case(State.COUNT, State.LEFT, State.FLAG):
                m.d.comb += hand.eq(self._block)
        with m.If(moves.leads):
            m.d.sync += e.head.eq(self._link)
        with m.If(moves.sweeps & ~moves.leads):
            m.d.sync += e.cursor.eq(e.head)
        with m.Elif(moves.sweeps | moves.goes):
            m.d.sync += e.cursor.eq(self._link)
        with m.Elif((state == State.STEP) & access.done):
            m.d.sync += e.cursor.eq(self.word)
        with m.If(moves.grows):
            m.d.sync += e.tail.eq(self._link)
        with m.Elif(moves.shrinks):
            m.d.sync += e.tail.eq(hand)
        with m.If(moves.passes):
            m.d.sync += e.before.eq(hand)
        with m.If(moves.begins | moves.sweeps):
            m.d.sync += e.position.eq(0)
        with m.Elif(moves.passes & ~moves.goes):
            m.d.sync += e.position.eq(e.position + 1)
        with m.If(moves.begins):
            m.d.sync += e.passed.eq(0)
        with m.Elif(moves.lifts):
            m.d.sync += e.passed.eq(e.position + 1)
        with m.Elif((state == State.REMOVE) & self._before):
            m.d.sync += e.passed.eq(e.passed - 1)
        with m.If(state == State.LOAD):
            m.d.sync += e.eq(self._load.data)
        with m.If(moves.breaks):
            m.d.sync += self._block.eq(Mux(state == State.APPEND, self._link, hand))
        with m.If((state == State.NEXT) & access.done):
            m.d.sync += self._link.eq(self.word)
        with m.Elif(state == State.COUNT):
            m.d.sync += self._link.eq(self.word[:LEFT_BITS] - 1)
        with m.Elif(added):
            m.d.sync += self._link.eq(self.add.reference)
        kind, length, buffer = self._message.values()
        with m.If(added):
            m.d.sync += [each.eq(getattr(self.add, name)) for name, each in self._message.items()]
        with m.Elif((state == State.FETCH) & access.comes):
            m.d.sync += [kind.eq(length), length.eq(buffer), buffer.eq(self.word)]

    def _sweep(self, m, full):
        """Begin a chain anew."""
        e = self._e
        m.d.comb += self._moves.sweeps.eq(1)
        m.d.sync += [e.here.eq(full), e.stop.eq(0), e.again.eq(0), e.mark.eq(1)]

    def _to(self, state):
        """Return the assignment of the next state."""
        return self._state.eq(state)

    def _work(self, m):
        """Do what a request asks for, and walk along a chain."""
        self._idle = Signal()
        m.d.comb += self._idle.eq((self._queue.level == 0) & self.part.ready)
        e, state, kept, access = self._e, self._state, self._kept, self._access
        waits, store = Signal(), self._to(State.STORE)
        counts = self._counts
        open_ = (counts["missing"] != 0) | (counts["accepted"] != 0) | (counts["called"] != 0)
        m.d.comb += waits.eq(e.waiting & ~e.over & (e.ticket == kept["ticket"]))
        with m.Switch(state):
            with m.Case(State.LOAD):
                m.d.sync += self._to(State.WORK)
            with m.Case(State.WORK), m.Switch(self._task):
                with m.Case(Task.BACK):
                    m.d.comb += self.back.ready.eq(1)
                    m.d.sync += store
                    # What has ended otherwise has been answered by all: nobody wants the rest.
                    with m.If(e.waiting & (~e.over | (e.end == Status.UNDELIVERABLE))):
                        m.d.sync += [e.rest.eq(1), e.offset.eq(self.back.offset), e.odd.eq(self.back.odd)]
                with m.Case(Task.FAULT):
                    m.d.sync += [e.wrong.eq(e.wrong | (e.ticket == kept["ticket"])), store]
                with m.Case(Task.REPORT):
                    m.d.sync += store
                    with m.If(e.waiting & ~e.over):
                        self._conclude(m, Status.UNDELIVERABLE, doubt=1, rest=e.rest)
                with m.Case(Task.SCAN):
                    m.d.sync += store
                    with m.If(e.waiting & (e.queued | self._held)):
                        # What is not sent yet has no answer to come.
                        m.d.comb += self._touch.en.eq(1)
                    with m.Elif((self.timeout != 0) & (self._age > self.timeout)):
                        with m.If(e.waiting & (~self._b | open_)):
                            m.d.comb += self._finishes.eq(1)
                            m.d.sync += [e.doubt.eq(1), self._status.eq(Status.TIMEOUT)]
                        with m.Elif(e.waiting):
                            # Nodes have yet to call for it, and one that has may not have been heard.
                            m.d.comb += self._touch.en.eq(1)
                            m.d.sync += [self._round.eq(Round.AGAIN), e.mark.eq(1)]
                        with m.Elif(e.full & (e.stop | ~e.here)):
                            m.d.comb += self._touch.en.eq(1)
                            self._sweep(m, e.full)
                with m.Case(Task.ADD):
                    with m.If(e.full):
                        m.d.sync += self._to(State.APPEND)
                    with m.Else():
                        moves = self._moves
                        m.d.comb += [each.eq(1) for each in (moves.begins, moves.leads, moves.goes, moves.grows)]
                        m.d.sync += [
                            e.full.eq(1),
                            e.here.eq(1),
                            self._to(Mux(self._idle & ~e.stop, State.PART, State.STORE)),
                        ]
                        m.d.comb += self._offers.eq(self._idle & ~e.stop)
                with m.Case(Task.QUEUE):
                    m.d.sync += [e.queued.eq(0), self._to(State.FETCH)]
                    with m.If(e.rest):
                        m.d.sync += self._what.eq(What.REST)
                    with m.Elif(e.over):
                        m.d.comb += self._finishes.eq(1)
                        m.d.sync += self._status.eq(e.end)
                    with m.Elif(e.waiting & self._b & e.mark):
                        m.d.sync += self._what.eq(What.AGAIN)
                    with m.Elif(~e.waiting & e.here & ~e.stop):
                        m.d.comb += self._offers.eq(1)
                    with m.Else():
                        m.d.sync += store
                with m.Case(Task.ANSWER):
                    m.d.sync += store
                    with m.If(self._b), m.If(waits):
                        self._joint(m)
                    with m.Elif(kept["op"] == Op.REWIND):
                        with m.If(e.waiting):
                            m.d.sync += e.again.eq(1)
                        with m.Else():
                            self._sweep(m, e.full)
                    with m.Elif(waits):
                        self._unicast(m)
            with m.Case(State.APPEND):
                m.d.comb += access.writes.eq(1)
                with m.If(access.done & ~access.bad):
                    with m.If(~e.here):
                        m.d.comb += [self._moves.goes.eq(1), self._moves.passes.eq(1)]
                        m.d.sync += e.here.eq(1)
                    m.d.comb += self._moves.grows.eq(1)
                    m.d.sync += store
                with m.Elif(access.done):
                    alone = self._link[:PART_BITS] == 0
                    m.d.comb += self._moves.breaks.eq(1)
                    m.d.sync += self._status.eq(Status.MEMORY_ERROR)
                    m.d.sync += self._to(Mux(alone, State.FLAG, State.COUNT))
            with m.Case(State.STEP):
                m.d.comb += access.reads.eq(1)
                with m.If(access.done):
                    m.d.sync += store
                    with m.If(access.bad):
                        m.d.comb += [self._moves.shrinks.eq(1), self._moves.breaks.eq(1)]
                        m.d.sync += [
                            e.here.eq(0),
                            self._status.eq(Status.MEMORY_ERROR),
                            self._to(State.EVENT),
                        ]
            with m.Case(State.STORE):
                todo = e.over | e.rest | (self._b & e.waiting & e.mark) | (e.here & ~e.waiting & ~e.stop)
                m.d.comb += [
                    self._queue.push.eq(todo & ~e.queued),
                    self._store.en.eq(1),
                    self._store.data.queued.eq(e.queued | todo),
                ]
                m.d.sync += self._to(State.IDLE)

    def _unicast(self, m):
        """Take the answer to the offer of a unicast."""
        e, kept = self._e, self._kept
        with m.Switch(kept["op"]):
            with m.Case(Op.ACCEPT):
                m.d.sync += e.rest.eq(1)
            with m.Case(Op.DONE):
                m.d.comb += self.delivered.eq(1)
                # All of it is stored, and what went before it over this slot has come before it.
                with m.If(~kept["damaged"]):
                    m.d.sync += e.slots.eq(0)
                self._conclude(m, ended(kept["damaged"], e.wrong), doubt=kept["damaged"])
            with m.Case(Op.POSTPONE):
                m.d.comb += self._touch.en.eq(1)
                m.d.sync += [e.waiting.eq(0), e.rest.eq(0)]
                m.d.comb += self._moves.lifts.eq(~self._before)
                with m.If(e.again):
                    self._sweep(m, e.full)
                with m.Else():
                    m.d.comb += self._moves.passes.eq(1)
                    m.d.sync += e.stop.eq(kept["stop"])
                    with m.If(e.cursor == e.tail):
                        m.d.sync += e.here.eq(0)
                    with m.Else():
                        m.d.sync += self._to(State.STEP)

    def _joint(self, m):
        """Take an answer to the broadcast under way."""
        kept, counts, old, put = self._kept, self._counts, self._mark.data, self._put_mark
        first, rest = self._round == Round.FIRST, self._round == Round.REST

        def count(name, step):
            return counts[name].eq(counts[name] + step)

        m.d.comb += [put.en.eq(1), put.data.eq(old)]
        m.d.sync += self._to(State.JUDGE)
        with m.Switch(kept["op"]):
            with m.Case(Op.ACCEPT), m.If(first & ~old.done):
                m.d.comb += put.data.answered.eq(1)
                m.d.sync += [count("missing", -1), count("accepted", 1)]
            with m.Case(Op.POSTPONE), m.If(first):
                m.d.sync += count("missing", -1)
            with m.Case(Op.REWIND):
                m.d.comb += put.data.rewound.eq(1)
                m.d.sync += self._fresh.eq(1)
            with m.Case(Op.DONE), m.If(~old.done):
                m.d.comb += [self.delivered.eq(1), put.data.done.eq(1), put.data.called.eq(0)]
                m.d.sync += [
                    count("done", 1),
                    count("called", -old.called),
                    self._damage.eq(self._damage | kept["damaged"]),
                ]
                with m.If(rest | (first & old.answered)):
                    m.d.sync += count("accepted", -1)
                with m.Elif(first):
                    m.d.sync += count("missing", -1)

    def _send(self, m):
        """Offer a message, or send the rest of it; decide how a broadcast goes on."""
        config, e, state, access, part = self.config, self._e, self._state, self._access, self.part
        counts, put = self._counts, self._put_mark
        before = self._before
        kind, length, buffer = self._message.values()
        slots, free, what = Signal(config.dim), Signal(config.dim), self._what
        whole = config.first_bytes + (config.eager - 1) * config.packet_bytes
        reached, single, unasked = Signal(), Signal(), Signal(LENGTH_BITS)
        m.d.comb += [
            reached.eq(self._count.all()),
            # After an ACCEPT that nobody meant there is no rest.
            part.valid.eq((state == State.PART) & ((what != What.REST) | (length > e.offset))),
            single.eq(before | e.doubt),
            unasked.eq(Mux(single, config.first_bytes, whole)),
            part.destination.eq(self._d),
            part.rest.eq(what == What.REST),
            part.offset.eq(e.offset),
            part.odd.eq(e.odd),
            part.type.eq(kind),
            part.length.eq(length),
            part.buffer.eq(buffer),
            part.eager.eq(Mux(single, 1, config.eager)),
            # To a further round that nobody has to answer who has stored it before answers again.
            part.behind.eq((e.position != 0) | ((what == What.AGAIN) & (counts["called"] == 0))),
            part.others.eq(e.passed != before),
            part.mark.eq(e.mark & (what != What.REST)),
            part.ticket.eq(e.ticket),
            free.eq(slot_for(config, self._d ^ self.address, self.room)),
            # Packets of a message before may still be on their way there.
            slots.eq(Mux(self._b, ~C(0, config.dim), Mux(e.slots.any(), e.slots, free))),
            part.slots.eq(slots),
        ]
        with m.Switch(state):
            with m.Case(State.CLEAR):
                m.d.comb += [self._mark.addr.eq(self._count), put.en.eq(1), put.data.eq(0)]
                m.d.sync += self._count.eq(self._count + 1)
                m.d.comb += self._leaves.eq(reached)
            with m.Case(State.FETCH):
                m.d.comb += [
                    access.reads.eq(1),
                    self._word.eq(Word.TYPE),
                    access.beats.eq(Word.BUFFER - Word.TYPE),
                ]
                with m.If(access.done):
                    m.d.comb += self._finishes.eq(access.bad)
                    m.d.sync += self._to(State.PART)
                    with m.If(access.bad):
                        m.d.sync += [e.doubt.eq(1), self._status.eq(Status.MEMORY_ERROR)]
            with m.Case(State.START):
                m.d.comb += [
                    access.writes.eq(~self._spoilt),
                    access.posts.eq(1),
                    self._word.eq(Word.FLAG),
                    access.value.eq(1 << TAKEN_BIT | STARTED),
                ]
                with m.If(access.done):
                    m.d.sync += self._to(State.STORE)
            with m.Case(State.PART):
                starts = (what == What.OFFER) & ~before
                m.d.comb += self._touch.en.eq(1)
                m.d.sync += [
                    e.slots.eq(slots),
                    self._given.eq(self._d),
                    self._to(Mux(starts, State.START, State.STORE)),
                ]
                with m.If(what != What.REST):
                    m.d.sync += [e.offset.eq(unasked), e.odd.eq(part.eager[0])]
                with m.Switch(what):
                    with m.Case(What.OFFER):
                        m.d.sync += [e.waiting.eq(1), e.mark.eq(0)]
                    with m.Case(What.REST):
                        m.d.sync += e.rest.eq(0)
                    with m.Case(What.AGAIN):
                        m.d.sync += [e.mark.eq(0), e.rest.eq(length > unasked)]
            with m.Case(State.JUDGE):
                # Of the chain nothing has changed yet.
                m.d.sync += self._to(State.IDLE)
                accepted = counts["accepted"] != 0
                with m.If(counts["missing"] != 0):
                    pass
                with m.Elif((self._round == Round.FIRST) & accepted):
                    m.d.sync += [self._round.eq(Round.REST), e.rest.eq(1), self._to(State.STORE)]
                with m.Elif(accepted | (counts["called"] != 0)):
                    pass
                with m.Elif(counts["done"] == config.nodes - 1):
                    self._conclude(m, ended(self._damage, e.wrong), doubt=self._damage)
                with m.Elif(self._fresh):
                    m.d.sync += [self._fresh.eq(0), self._count.eq(0), self._to(State.CALL)]
            with m.Case(State.CALL):
                old, called = self._mark.data, Signal()
                m.d.comb += [
                    self._mark.addr.eq(self._count),
                    called.eq(old.rewound & ~old.done),
                    put.en.eq(called),
                    put.data.eq(old),
                    put.data.called.eq(1),
                ]
                m.d.sync += [self._count.eq(self._count + 1), counts["called"].eq(counts["called"] + called)]
                with m.If(reached):
                    m.d.sync += [
                        self._round.eq(Round.AGAIN),
                        e.mark.eq((counts["called"] != 0) | called),
                        self._to(State.STORE),
                    ]

    def _end(self, m):
        """Take a message out of its chain, and complete its block."""
        e, state, access, event = self._e, self._state, self._access, self.event
        status, last, told, tells = self._status, self._last, Signal(), Signal()
        first, reason = e.position == 0, Signal.like(event.reason)
        part, whole = self._block[:PART_BITS] != 0, Signal(STATUS_BITS)
        m.d.comb += [
            whole.eq(Mux(part & (self._earlier != 0), self._earlier, status)),
            # What would come next waits until it is told that a posted write has failed.
            tells.eq(self._spoilt & ((state == State.IDLE) | access.posts)),
            event.valid.eq(tells),
            event.reason.eq(Interrupt.MEMORY_ERROR),
            event.status.eq(Status.MEMORY_ERROR),
            event.source.eq(self._whose),
            event.value.eq(Cat(C(0, PART_BITS), self._flagged)),
        ]
        with m.If(access.posted & self.written & self.write_error):
            m.d.sync += self._spoilt.eq(1)
        with m.Elif(tells & event.ready):
            m.d.sync += self._spoilt.eq(0)
        with m.If(access.posts & access.done):
            m.d.sync += [self._whose.eq(self._d), self._flagged.eq(self._hand[PART_BITS:])]
        with m.Switch(state):
            with m.Case(State.NEXT):
                m.d.comb += access.reads.eq(1)
                with m.If(access.done):
                    m.d.sync += self._to(Mux(first, State.REMOVE, State.UNLINK))
                    with m.If(access.bad):
                        m.d.sync += [last.eq(1), status.eq(Status.MEMORY_ERROR), self._to(State.REMOVE)]
            with m.Case(State.UNLINK):
                m.d.comb += access.writes.eq(1)
                with m.If(access.done):
                    m.d.sync += self._to(State.REMOVE)
                    with m.If(access.bad):
                        m.d.sync += [last.eq(1), status.eq(Status.MEMORY_ERROR)]
            with m.Case(State.REMOVE):
                full = Signal()
                m.d.comb += [self._moves.leads.eq(first & ~last), self._moves.goes.eq(~last), full.eq(~(first & last))]
                m.d.sync += [
                    e.full.eq(full),
                    e.waiting.eq(0),
                    e.rest.eq(0),
                    e.wrong.eq(0),
                    self._to(Mux(part, State.COUNT, State.FLAG)),
                ]
                with m.If(last):
                    m.d.sync += e.here.eq(0)
                    with m.If(~first):
                        m.d.comb += self._moves.shrinks.eq(1)
                with m.If(self._b):
                    m.d.sync += e.mark.eq(0)
                with m.Elif(first & e.doubt):
                    # It got no answer, so its destination may have seen no MARK.
                    m.d.sync += e.mark.eq(1)
                with m.If(e.again):
                    self._sweep(m, full)
            with m.Case(State.COUNT):
                m.d.comb += [access.reads.eq(1), self._word.eq(Word.STATE)]
                with m.If(access.done):
                    m.d.sync += [
                        self._earlier.eq(self.word[LEFT_BITS:]),
                        self._to(Mux(self.word[:LEFT_BITS] == 1, State.FLAG, State.LEFT)),
                    ]
                    m.d.sync += self._repeated.eq(access.bad & ~self._repeated)
                    with m.If(access.bad):
                        # Other parts may be under way: the block is not complete.
                        m.d.sync += self._to(Mux(self._repeated, State.EVENT, State.COUNT))
                        with m.If(self._repeated):
                            m.d.sync += status.eq(Status.MEMORY_ERROR)
            with m.Case(State.LEFT):
                m.d.comb += [
                    access.writes.eq(1),
                    self._word.eq(Word.STATE),
                    access.value.eq(Cat(self._link[:LEFT_BITS], whole)),
                ]
                with m.If(access.done):
                    m.d.sync += self._to(State.EVENT)
                    with m.If(access.bad):
                        m.d.sync += status.eq(Status.MEMORY_ERROR)
            with m.Case(State.FLAG):
                m.d.comb += [
                    access.writes.eq(told | ~self._spoilt),
                    access.posts.eq(~told),
                    self._word.eq(Word.FLAG),
                    access.value.eq(COMPLETE | (whole << STATUS_LOW)),
                    self._leaves.eq(access.done & ~told),
                ]
                with m.If(access.done):
                    m.d.sync += self._to(State.EVENT)
                    with m.If(access.bad):
                        m.d.sync += status.eq(Status.MEMORY_ERROR)
            with m.Case(State.EVENT):
                m.d.comb += [
                    event.valid.eq(told),
                    event.reason.eq(reason),
                    event.status.eq(status),
                    event.source.eq(self._d),
                    event.value.eq(Cat(C(0, PART_BITS), self._block[PART_BITS:])),
                    self._leaves.eq(~told | event.ready),
                ]
        for each in (Interrupt.DAMAGED, Interrupt.TIMEOUT, Interrupt.MEMORY_ERROR):
            with m.If(status == Status[each.name]):
                m.d.comb += [told.eq(1), reason.eq(each)]

    def _conclude(self, m, status, doubt, rest=0):
        """End an offer; ``doubt``: some destination may wait for more of its message; ``rest`` is sent before."""
        m.d.comb += [self._ends.eq(1), self._end_as.eq(status), self._later.eq(self._held | rest)]
        m.d.sync += [self._e.doubt.eq(doubt), self._e.rest.eq(rest), self._status.eq(status)]

    def _follow(self, m):
        """End a message, begin one, or leave the chain: what several states lead to."""
        e, counts = self._e, self._counts
        with m.If(self._finishes | (self._ends & ~self._later)):
            last = e.cursor == e.tail
            m.d.comb += self._moves.breaks.eq(1)
            m.d.sync += [e.over.eq(0), self._last.eq(last), self._to(Mux(last, State.REMOVE, State.NEXT))]
        with m.Elif(self._ends):
            m.d.sync += [e.over.eq(1), e.end.eq(self._end_as), self._to(State.STORE)]
        with m.If(self._leaves):
            with m.If(e.waiting):
                m.d.sync += self._to(State.STORE)
            with m.Elif(self._b & (self._state != State.CLEAR)):
                m.d.sync += [self._count.eq(0), self._to(State.CLEAR)]
            with m.Elif(self._idle & e.here & ~e.stop):
                m.d.comb += self._offers.eq(1)
                m.d.sync += self._to(State.FETCH)
            with m.Else():
                m.d.sync += self._to(State.STORE)
        with m.If(self._offers):
            m.d.sync += [self._what.eq(What.OFFER), e.ticket.eq(e.ticket + 1), e.wrong.eq(0)]
            with m.If(self._b):
                m.d.sync += [
                    *(each.eq(0) for each in counts.values()),
                    counts["missing"].eq(self.config.nodes - 1),
                    self._round.eq(Round.FIRST),
                    self._fresh.eq(0),
                    self._damage.eq(0),
                ]


def ended(damaged, wrong):
    """Return the status of a message that a destination has stored."""
    return Mux(damaged, Status.DAMAGED, Mux(wrong, Status.MEMORY_ERROR, Status.OK))
