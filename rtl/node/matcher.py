"""Matcher: places for messages, messages for receives."""

from amaranth import *
from amaranth.lib import data, memory, wiring
from amaranth.lib.enum import Enum
from amaranth.lib.wiring import In, Out
from amaranth.utils import bits_for

from cubecast.golden.node.contract.block import BLOCK_BITS, LENGTH_BITS, LENT_LOW, SYSTEM_BIT, TYPE_BITS, Status
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.contract.registers import Interrupt
from cubecast.golden.node.contract.units import How
from cubecast.rtl.common.instance import place
from cubecast.rtl.node.envelope_list import EnvelopeList
from cubecast.rtl.node.expected_queues import ExpectedQueues
from cubecast.rtl.node.stream import (
    ADDRESS_BITS,
    PLACE_BITS,
    VISITED_BITS,
    WORD_BITS,
    Event,
    First,
    Prepare,
    Read,
    Stream,
    Write,
    place_bits,
)

__all__ = ["Matcher"]

CLASSES = 2
"""Of types: the user's, and the system's."""


class State(Enum, shape=4):
    """What is done for a request."""

    IDLE = 0
    LOOK = 1
    FIND = 2
    VERDICT = 3
    GRABBED = 4
    CLAIM = 5
    SERVE = 6
    SCAN = 7
    ENQUEUE = 8
    PREPARE = 9
    SETTLED = 10
    NEXT = 11
    FAULT = 12


class Matcher(wiring.Component):
    """Serve one request at a time, messages and the processor's in turns; so each finds what came before it.

    A message that finds an empty list and a free buffer has its verdict 6 cycles after it was taken.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the node.

    Ports
    -----
    first__valid, first__source, first__b, first__type, first__length, first__behind, first__rest, first__mark,
    first__ready
        A message that looks for a place.
    verdict, placed, lost, stop : out
        Strobe: it is decided; it has one; memory has failed twice; no receive is posted.
    user, block, room, buffer, pooled : out, 1 and 27 and 20 and 32 and 1
        The place: that of a receive, or a system buffer; the receive has lent its buffer.
    number : out, bits of 0..B-1
        A buffer's number, of verdict, grab or settlement.
    grab__valid, grab__system, grab__ready : in, 1 and 1; out, 1
        A buffer is wanted for a receive.
    grabbed, granted : out
        Strobe: that is decided; ``number`` is the receive's.
    post__valid, post__block, post__source, post__any_source, post__type, post__any_type, post__only, post__room,
    post__buffer, post__pooled, post__number, post__ready
        A receive that looks for a message; ``only``: it is not posted if none is in a buffer.
    settled, how, source, message_type, length, broadcast : out, 1 and 2 and n and 16 and 20 and 1
        Strobe: that is decided; how, and the message.
    prepare__valid, prepare__source, prepare__user, prepare__block, prepare__room, prepare__buffer, prepare__pooled,
    prepare__number, prepare__ready
        A place for a broadcast that was refused.
    rewind__valid, rewind__source, rewind__ready : out, 1 and n; in, 1
        A source that is to offer again what was postponed.
    event__valid, event__reason, event__status, event__source, event__value, event__ready
        Memory gave an error while a message looked for its receive.
    reader__*, served, word, word_error, writer__*, written, write_error
        Node memory.
    freed : in
        A system buffer is free again.
    base, free, pool_number, pool_address, take : in, 32 and bits of 0..B and bits of 0..B-1 and 32; out, 1
        Of the buffer pool.
    failed, visit, visited, ready : out, 1 and 1 and 5 and 1
        Memory gave an error; blocks were compared; the matcher works.

    Source: Buzzard 1988, section 5.1.1 (expected and unexpected messages).
    """

    def __init__(self, config: NodeConfig):
        self.config = config
        n, number = config.dim, config.buffer_bits
        where = place_bits(config)
        post = Stream(
            block=BLOCK_BITS,
            source=n,
            any_source=1,
            type=TYPE_BITS,
            any_type=1,
            only=1,
            room=LENGTH_BITS,
            buffer=ADDRESS_BITS,
            pooled=1,
            number=number,
        )
        super().__init__(
            {
                "first": In(First(config)),
                "grab": In(Stream(system=1)),
                "post": In(post),
                "prepare": Out(Prepare(config)),
                "rewind": Out(Stream(source=n)),
                "event": Out(Event()),
                "reader": Out(Read()),
                "served": In(1),
                "word": In(WORD_BITS),
                "word_error": In(1),
                "writer": Out(Write()),
                "written": In(1),
                "write_error": In(1),
                "freed": In(1),
                "base": In(ADDRESS_BITS),
                "free": In(bits_for(config.buffers)),
                "pool_number": In(number),
                "pool_address": In(ADDRESS_BITS),
                "take": Out(1),
                "ready": Out(1),
                "verdict": Out(1),
                "placed": Out(1),
                "lost": Out(1),
                "stop": Out(1),
                **{name: Out(bits) for name, bits in where.items()},
                "grabbed": Out(1),
                "granted": Out(1),
                "settled": Out(1),
                "how": Out(How),
                "source": Out(n),
                "message_type": Out(TYPE_BITS),
                "length": Out(LENGTH_BITS),
                "broadcast": Out(1),
                "failed": Out(1),
                "visit": Out(1),
                "visited": Out(VISITED_BITS),
            }
        )

    def elaborate(self, platform):
        """Place the lists, and lead each request through them."""
        m = Module()
        config = self.config
        n = config.dim
        expected = self._expected = place(m, "expected", ExpectedQueues, config)
        unclaimed = self._unclaimed = place(m, "unclaimed", EnvelopeList, config)
        held = self._held = place(m, "held", EnvelopeList, config, held=True)
        names = [name for name in self.first.signature.members if name not in ("valid", "ready")]
        message = {name: Signal(len(getattr(self.first, name)), name=f"first_{name}") for name in names}
        names = [name for name in self.post.signature.members if name not in ("valid", "ready")]
        receive = {name: Signal(len(getattr(self.post, name)), name=f"post_{name}") for name in names}
        self._state, self._kind = Signal(State), Signal(range(CLASSES + 1))
        self._asked, self._available, self._scanned = Signal(), Signal(), Signal(n)
        state, kind, asked, available, scanned = self._state, self._kind, self._asked, self._available, self._scanned
        turn, fresh, again = Signal(), Signal(), Signal()
        how = self._how = Signal(How)
        marks = self._marks(m)
        okay = Array([self.free > config.reserved, self.free.any()])
        m.d.sync += fresh.eq(fresh | self.freed)

        def place_of_pool():
            return [
                self.user.eq(0),
                self.pooled.eq(0),
                self.number.eq(self.pool_number),
                self.buffer.eq(self.pool_address),
                self.room.eq(config.buffer_bytes),
            ]

        finding = state == State.FIND
        m.d.comb += [
            expected.request.valid.eq((finding | (state == State.ENQUEUE)) & ~asked),
            expected.request.post.eq(~finding),
            expected.request.block.eq(receive["block"]),
            expected.request.source.eq(Mux(finding, message["source"], receive["source"])),
            expected.request.any_source.eq(~finding & receive["any_source"]),
            expected.request.type.eq(Mux(finding, message["type"], receive["type"])),
            expected.request.any_type.eq(~finding & receive["any_type"]),
            self.failed.eq(expected.answer & expected.failed),
            self.visit.eq(expected.answer & finding),
            self.visited.eq(expected.visited),
            unclaimed.search.valid.eq((state == State.CLAIM) & ~asked),
            held.search.valid.eq((state == State.SERVE) & ~asked),
            held.append_index.eq(message["source"]),
            unclaimed.append_index.eq(self.pool_number),
            self.prepare.valid.eq(state == State.PREPARE),
            self.prepare.source.eq(self.source),
            *(getattr(self.prepare, name).eq(getattr(self, name)) for name in place_bits(config)),
            self.rewind.source.eq(scanned),
            self.event.valid.eq(state == State.FAULT),
            self.event.reason.eq(Interrupt.MEMORY_ERROR),
            self.event.status.eq(Status.MEMORY_ERROR),
            self.event.source.eq(message["source"]),
            self.event.value.eq(self.block << PLACE_BITS),
            self.verdict.eq(state == State.VERDICT),
            self.grabbed.eq(state == State.GRABBED),
            self.settled.eq(state == State.SETTLED),
            self.how.eq(how),
        ]
        for each, wide in ((unclaimed, 0), (held, available)):
            m.d.comb += [
                each.search.source.eq(receive["source"]),
                each.search.any_source.eq(receive["any_source"] | wide),
                each.search.type.eq(Mux(wide, kind << SYSTEM_BIT, receive["type"])),
                each.search.any_type.eq(receive["any_type"] | wide),
                each.search.short.eq(wide),
            ]
        m.d.comb += [
            held.append_type.eq(message["type"]),
            held.append_length.eq(message["length"]),
            unclaimed.append_source.eq(Mux(finding, message["source"], held.index)),
            unclaimed.append_type.eq(Mux(finding, message["type"], held.message_type)),
            unclaimed.append_length.eq(Mux(finding, message["length"], held.length)),
            unclaimed.append_broadcast.eq(~finding | message["b"]),
        ]
        for port in ("reader", "writer"):
            inner, outer = getattr(expected, port), getattr(self, port)
            for name in inner.signature.members:
                if name == "ready":
                    m.d.comb += inner.ready.eq(outer.ready)
                else:
                    m.d.comb += getattr(outer, name).eq(getattr(inner, name))
        for name in ("served", "word", "word_error", "written", "write_error"):
            m.d.comb += getattr(expected, name).eq(getattr(self, name))
        for request in (expected.request, unclaimed.search, held.search):
            with m.If(request.valid & request.ready):
                m.d.sync += asked.eq(1)

        with m.Switch(state):
            with m.Case(State.IDLE):
                others = Signal()
                m.d.comb += others.eq(self.grab.valid | self.post.valid)
                with m.If(self.ready & fresh):
                    m.d.sync += [fresh.eq(self.freed), kind.eq(0), available.eq(1), state.eq(State.NEXT)]
                with m.Elif(self.ready):
                    m.d.sync += available.eq(0)
                    with m.If(self.first.valid & (~turn | ~others)):
                        m.d.comb += self.first.ready.eq(1)
                        m.d.sync += [*(message[name].eq(getattr(self.first, name)) for name in message)]
                        m.d.sync += [turn.eq(1), state.eq(State.LOOK)]
                    with m.Elif(self.grab.valid):
                        m.d.comb += [self.grab.ready.eq(1), self.take.eq(okay[self.grab.system])]
                        m.d.sync += [
                            turn.eq(0),
                            self.granted.eq(self.take),
                            self.number.eq(self.pool_number),
                            state.eq(State.GRABBED),
                        ]
                    with m.Elif(self.post.valid):
                        m.d.comb += self.post.ready.eq(1)
                        m.d.sync += [*(receive[name].eq(getattr(self.post, name)) for name in receive)]
                        m.d.sync += turn.eq(0)
                        self._miss(m, marks, self.post.only, self.post.any_source, self.post.source)
                        with m.If(unclaimed.level != 0):
                            m.d.sync += state.eq(State.CLAIM)
            with m.Case(State.LOOK):
                m.d.comb += marks["at"].eq(message["source"])
                m.d.sync += [self.lost.eq(0), again.eq(0), state.eq(State.FIND)]
                with m.If(~message["b"] & message["mark"]):
                    m.d.comb += [marks["write"].eq(1), marks["rewinding"].eq(0)]
                with m.Elif(~message["b"] & marks["old"].rewinding):
                    m.d.comb += [marks["write"].eq(1), marks["postponed"].eq(1)]
                    m.d.sync += [self.placed.eq(0), self.stop.eq(0), state.eq(State.VERDICT)]
            with m.Case(State.FIND):
                m.d.comb += marks["at"].eq(message["source"])
                with m.If(expected.answer & expected.failed):
                    m.d.sync += [asked.eq(0), self.block.eq(expected.block), state.eq(State.FAULT)]
                with m.Elif(expected.answer):
                    m.d.comb += [marks["write"].eq(~message["b"]), marks["postponed"].eq(message["rest"])]
                    m.d.sync += [asked.eq(0), self.placed.eq(1), self.stop.eq(0), state.eq(State.VERDICT)]
                    with m.If(expected.found):
                        self._of_receive(m, expected)
                    with m.Elif(
                        ~message["behind"]
                        & (message["length"] <= config.buffer_bytes)
                        & okay[message["type"][SYSTEM_BIT]]
                    ):
                        m.d.comb += [self.take.eq(1), unclaimed.append.eq(1)]
                        m.d.sync += place_of_pool()
                    with m.Else():
                        m.d.comb += [marks["postponed"].eq(1), held.append.eq(message["b"])]
                        m.d.sync += [self.placed.eq(0), self.stop.eq(~message["b"] & ~expected.posted)]
            with m.Case(State.FAULT):
                m.d.comb += [marks["at"].eq(message["source"]), marks["postponed"].eq(message["rest"])]
                with m.If(self.event.ready):
                    m.d.sync += [again.eq(1), state.eq(State.FIND)]
                    with m.If(again):
                        m.d.comb += marks["write"].eq(~message["b"])
                        m.d.sync += [self.placed.eq(0), self.stop.eq(0), self.lost.eq(1), state.eq(State.VERDICT)]
            with m.Case(State.CLAIM):
                with m.If(unclaimed.found):
                    m.d.sync += [
                        how.eq(How.UNCLAIMED),
                        self.number.eq(unclaimed.index),
                        self.source.eq(unclaimed.source),
                        self.message_type.eq(unclaimed.message_type),
                        self.length.eq(unclaimed.length),
                        self.broadcast.eq(unclaimed.broadcast),
                        state.eq(State.SETTLED),
                    ]
                with m.Elif(unclaimed.missing):
                    self._miss(m, marks, receive["only"], receive["any_source"], receive["source"])
                with m.If(unclaimed.found | unclaimed.missing):
                    m.d.sync += asked.eq(0)
            with m.Case(State.SERVE):
                with m.If(held.found):
                    m.d.comb += [self.take.eq(available), unclaimed.append.eq(available)]
                    m.d.sync += [self.source.eq(held.index), how.eq(How.HELD), state.eq(State.PREPARE)]
                    with m.If(available):
                        m.d.sync += place_of_pool()
                    with m.Else():
                        m.d.sync += self.user.eq(1)
                        m.d.sync += [
                            getattr(self, name).eq(receive[name])
                            for name in ("block", "room", "buffer", "pooled", "number")
                        ]
                with m.Elif(held.missing & available):
                    m.d.sync += [kind.eq(kind + 1), state.eq(State.NEXT)]
                with m.Elif(held.missing):
                    m.d.sync += state.eq(State.SCAN)
                with m.If(held.found | held.missing):
                    m.d.sync += asked.eq(0)
            with m.Case(State.SCAN):
                m.d.comb += [
                    marks["at"].eq(scanned),
                    self.rewind.valid.eq(marks["old"].postponed & ~marks["old"].rewinding),
                    marks["rewinding"].eq(1),
                    marks["write"].eq(self.rewind.valid & self.rewind.ready),
                ]
                with m.If(~self.rewind.valid | self.rewind.ready):
                    m.d.sync += scanned.eq(scanned + 1)
                    with m.If(scanned.all() | ~(available | receive["any_source"])):
                        m.d.sync += state.eq(Mux(available, State.IDLE, State.ENQUEUE))
            with m.Case(State.ENQUEUE), m.If(expected.answer):
                m.d.comb += [self.settled.eq(1), self.how.eq(How.POSTED)]
                m.d.sync += [asked.eq(0), state.eq(State.IDLE)]
            with m.Case(State.PREPARE), m.If(self.prepare.ready):
                m.d.sync += state.eq(Mux(available, State.NEXT, State.SETTLED))
            with m.Case(State.NEXT):
                with m.If(kind == CLASSES):
                    m.d.sync += [
                        scanned.eq(0),
                        state.eq(Mux(okay[0] | okay[1], State.SCAN, State.IDLE)),
                    ]
                with m.Elif(okay[kind[0]]):
                    m.d.sync += state.eq(State.SERVE)
                with m.Else():
                    m.d.sync += kind.eq(kind + 1)
            with m.Case(State.VERDICT, State.GRABBED, State.SETTLED):
                m.d.sync += state.eq(State.IDLE)
        return m

    def _miss(self, m, marks, only, wide, source):
        """Go on with a receive that no message in a buffer waits for."""
        scans = Signal()
        m.d.comb += [marks["at"].eq(source), scans.eq(wide | (marks["old"].postponed & ~marks["old"].rewinding))]
        m.d.sync += [
            self._how.eq(How.NOTHING),
            self._scanned.eq(Mux(wide, 0, source)),
            self._state.eq(Mux(scans, State.SCAN, State.ENQUEUE)),
        ]
        with m.If(only):
            m.d.sync += self._state.eq(State.SETTLED)
        with m.Elif(self._held.level != 0):
            m.d.sync += self._state.eq(State.SERVE)

    def _marks(self, m):
        """Build the memory of the bits P and R; return its address, what is there, and what is written."""
        n = self.config.dim
        shape = data.StructLayout({"postponed": 1, "rewinding": 1})
        m.submodules.marks = marks = memory.Memory(shape=shape, depth=self.config.nodes, init=[])
        read, write = marks.read_port(domain="comb"), marks.write_port()
        cleared, at, put = Signal(n + 1), Signal(n), Signal()
        postponed, rewinding = Signal(), Signal()
        m.d.comb += [
            self.ready.eq(cleared[n]),
            read.addr.eq(at),
            postponed.eq(read.data.postponed),
            rewinding.eq(read.data.rewinding),
            write.en.eq(put | ~self.ready),
            write.addr.eq(Mux(self.ready, at, cleared[:n])),
            write.data.postponed.eq(postponed & self.ready),
            write.data.rewinding.eq(rewinding & self.ready),
        ]
        with m.If(~self.ready):
            m.d.sync += cleared.eq(cleared + 1)
        return {"at": at, "old": read.data, "write": put, "postponed": postponed, "rewinding": rewinding}

    def _of_receive(self, m, expected):
        """Take the place of a posted receive, which may have a system buffer."""
        size = self.config.buffer_bytes
        number = expected.buffer[LENT_LOW : LENT_LOW + self.config.buffer_bits]
        pooled = expected.buffer[0]
        m.d.sync += [
            self.user.eq(1),
            self.block.eq(expected.block),
            self.pooled.eq(pooled),
            self.number.eq(number),
            self.buffer.eq(Mux(pooled, self.base + number * size, expected.buffer)),
            self.room.eq(Mux(pooled, size, expected.room)),
        ]
