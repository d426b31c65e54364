"""Control unit: instructions of the processor, and copies out of system buffers."""

from amaranth import *
from amaranth.lib import data, memory, wiring
from amaranth.lib.enum import Enum
from amaranth.lib.wiring import In, Out

from cubecast.golden.node.contract.block import (
    BLOCK_BITS,
    COMPLETE,
    LENGTH_BITS,
    LENT_LOW,
    STATUS_LOW,
    SYSTEM_BIT,
    TAKEN_BIT,
    TYPE_BITS,
    Instruction,
    Status,
    Word,
)
from cubecast.golden.node.contract.config import BLOCK_BYTES, NodeConfig
from cubecast.golden.node.contract.registers import Interrupt
from cubecast.golden.node.contract.units import How
from cubecast.rtl.node.access import Access
from cubecast.rtl.node.fifo import Fifo
from cubecast.rtl.node.stream import (
    ADDRESS_BITS,
    INSTRUCTION_BITS,
    NODE_BITS,
    PLACE_BITS,
    STATUS_BITS,
    STROBES,
    WORD_ADDRESS_BITS,
    WORD_BITS,
    WORD_OF_BLOCK_BITS,
    Add,
    Doorbell,
    Event,
    Read,
    Stream,
    Write,
    place_bits,
)

__all__ = ["ControlUnit"]

MOST = 16
"""Words that are copied at a time."""

LISTED = 2
"""Words of a block for each neighbour."""


class State(Enum, shape=5):
    """What is done for an instruction, or for a message in a system buffer."""

    IDLE = 0
    CHECK = 1
    RELEASE = 2
    READ = 3
    JUDGE = 4
    LIST = 5
    OPERANDS = 6
    GRAB = 7
    TAKE = 8
    NAME = 9
    COUNT = 10
    ADD = 11
    POST = 12
    BACK = 13
    HEAD = 14
    CLAIM = 15
    RESUME = 16
    FETCH = 17
    COPY = 18
    PUT = 19
    LEND = 20
    FLAG = 21
    CLOSE = 22
    EVENT = 23


class ControlUnit(wiring.Component):
    """Execute one instruction after the other; messages that are complete in a buffer and claimed come before the next.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the node.

    Ports
    -----
    address : in, n
        Strap: the node's address.
    enable, first, last, base : in, 1 and 32 and 32 and 32
        The interface works; first and last byte of blocks and buffers; first byte of the system buffers.
    i__valid, i__instruction, i__address, i__ready : 1, 3, 32, 1
        Doorbells.
    reader__*, served, word, word_error, writer__*, written, write_error
        Node memory.
    add__valid, add__destination, add__reference, add__type, add__length, add__buffer, add__ready : 1, n, 32, 16, 20,
    32, 1
        Messages for the send scheduler.
    grab__*, grabbed, granted, post__*, settled, how, number, source, message_type, length, failed
        Buffers and receives at the matcher, and what became of them.
    release__valid, release__address, release__ready, released, accepted, lend__valid, lend__number, lend__ready, put,
    put_number
        Of the buffer pool.
    kept, kept_number, kept_status : in
        A message is complete in a system buffer.
    event__valid, event__reason, event__status, event__source, event__value, event__ready
        Instructions that are refused, and errors of the memory.

    Source: Buzzard 1988, sections 4.1 and 5.1.1 (instructions, main control unit).
    """

    def __init__(self, config: NodeConfig):
        self.config = config
        n, number = config.dim, config.buffer_bits
        place = place_bits(config)
        post = Stream(
            block=BLOCK_BITS,
            source=n,
            any_source=1,
            type=TYPE_BITS,
            any_type=1,
            only=1,
            **{name: place[name] for name in ("room", "buffer", "pooled", "number")},
        )
        super().__init__(
            {
                "address": In(n),
                "enable": In(1),
                **dict.fromkeys(("first", "last", "base"), In(ADDRESS_BITS)),
                "i": In(Doorbell()),
                "reader": Out(Read()),
                "served": In(1),
                "word": In(WORD_BITS),
                "word_error": In(1),
                "writer": Out(Write()),
                "written": In(1),
                "write_error": In(1),
                "add": Out(Add(config)),
                "grab": Out(Stream(system=1)),
                "grabbed": In(1),
                "granted": In(1),
                "post": Out(post),
                "settled": In(1),
                "how": In(How),
                "number": In(number),
                "source": In(n),
                "message_type": In(TYPE_BITS),
                "length": In(LENGTH_BITS),
                "failed": In(1),
                "release": Out(Stream(address=ADDRESS_BITS)),
                "released": In(1),
                "accepted": In(1),
                "lend": Out(Stream(number=number)),
                "put": Out(1),
                "put_number": Out(number),
                "kept": In(1),
                "kept_number": In(number),
                "kept_status": In(STATUS_BITS),
                "event": Out(Event()),
            }
        )

    def elaborate(self, platform):
        """Keep what is known of the buffers, and build the steps."""
        m = Module()
        config = self.config
        n, buffers = config.dim, max(1, config.buffers)
        claim = data.StructLayout(
            {"a": ADDRESS_BITS, "system": 1, "buffer": ADDRESS_BITS, "faulty": 1, **claim_bits(n)}
        )
        m.submodules.results = results = memory.Memory(shape=STATUS_BITS, depth=buffers, init=[])
        m.submodules.claims = claims = memory.Memory(shape=claim, depth=buffers, init=[])
        result, put_result = results.read_port(domain="comb"), results.write_port()
        self._claim, self._put_claim = claims.read_port(domain="comb"), claims.write_port()
        self._result = result.data
        self._state, self._instruction, self._a = Signal(State), Signal(INSTRUCTION_BITS), Signal(ADDRESS_BITS)
        names = ("partner", "kind", "length", "buffer", "flag")
        self._words = {name: Signal(WORD_BITS, name=f"block_{name}") for name in names}
        self._status, self._i = Signal(STATUS_BITS), Signal(range(n + 1))
        self._system, self._pooled, self._only = Signal(), Signal(), Signal()
        self._own, self._x = Signal(config.buffer_bits), Signal(config.buffer_bits)
        self._of = {name: Signal(bits, name=f"of_{name}") for name, bits in claim_bits(n).items()}
        self._faulty, self._seen = Signal(), Signal(n)
        self._spoilt, self._marked = Signal(), Signal(BLOCK_BITS)
        self._whole, self._attached = Signal(buffers), Signal(buffers)
        self._from, self._at = Signal(WORD_ADDRESS_BITS), Signal(WORD_ADDRESS_BITS)
        self._more = Signal(LENGTH_BITS)
        self._inside, self._place = Signal(name="inside"), Signal(ADDRESS_BITS, name="place")
        of = self._of
        m.d.comb += [
            result.addr.eq(self._x),
            put_result.addr.eq(self.kept_number),
            put_result.data.eq(self.kept_status),
            put_result.en.eq(self.kept),
            self._claim.addr.eq(self._x),
            self._put_claim.addr.eq(self._x),
            self._put_claim.data.a.eq(self._a),
            self._put_claim.data.system.eq(self._system),
            self._put_claim.data.buffer.eq(self._words["buffer"]),
            self._put_claim.data.faulty.eq(self._faulty),
            *(getattr(self._put_claim.data, name).eq(of[name]) for name in of),
        ]
        self._access = Access(m, self)
        with m.If(self._access.posted & self.written & self.write_error):
            m.d.sync += self._spoilt.eq(1)
        asks = Mux(self._state == State.POST, self._own, self._x)
        m.d.comb += self._place.eq(self.base + asks * config.buffer_bytes)
        self._compare(m)
        self._begin(m)
        self._check(m)
        self._hand_over(m)
        self._receive(m)
        self._copy(m)
        self._close(m)
        with m.If(self.kept):
            m.d.sync += self._whole.bit_select(self.kept_number, 1).eq(1)
        return m

    def _to(self, state):
        """Return the assignment of the next state."""
        return self._state.eq(state)

    def _ends(self, status, state):
        """Return the assignments with which an instruction ends badly."""
        return [self._status.eq(status), self._to(state)]

    def _word(self, number):
        """Return the word address of a word of the block, which is aligned when it is read or written."""
        return Cat(C(number, WORD_OF_BLOCK_BITS), self._a[PLACE_BITS:])

    def _begin(self, m):
        """Take what is to be done next."""
        state, due = self._state, self._whole & self._attached
        with m.Switch(state):
            with m.Case(State.IDLE):
                m.d.comb += self.i.ready.eq(~due.any() & ~self._spoilt)
                m.d.sync += [self._instruction.eq(self.i.instruction), self._a.eq(self.i.address)]
                cleared = (
                    self._status,
                    self._pooled,
                    self._only,
                    self._faulty,
                    self._seen,
                    self._i,
                    self._of["source"],
                )
                m.d.sync += [each.eq(0) for each in cleared]
                with m.If(self._spoilt):
                    self._tell(m)
                with m.Elif(due.any()):
                    for k in reversed(range(len(due))):
                        with m.If(due[k]):
                            m.d.sync += self._x.eq(k)
                    m.d.sync += self._to(State.RESUME)
                with m.Elif(self.i.valid):
                    m.d.sync += self._to(State.CHECK)
            with m.Case(State.CHECK):
                with m.If(~self.enable):
                    m.d.sync += self._ends(Status.DISABLED, State.EVENT)
                with m.Elif(self._instruction == Instruction.RELEASE):
                    m.d.sync += self._to(State.RELEASE)
                with m.Elif(~self._inside | self._a[:PLACE_BITS].any()):
                    m.d.sync += self._ends(Status.BAD_BLOCK, State.EVENT)
                with m.Else():
                    m.d.sync += self._to(State.READ)
            with m.Case(State.RELEASE):
                asked = Signal(name="release_asked")
                m.d.comb += [self.release.valid.eq(~asked), self.release.address.eq(self._a)]
                with m.If(self.release.valid & self.release.ready):
                    m.d.sync += asked.eq(1)
                with m.If(asked & self.released):
                    m.d.sync += [asked.eq(0), self._status.eq(Status.BAD_RELEASE)]
                    m.d.sync += self._to(Mux(self.accepted, State.IDLE, State.EVENT))

    def _compare(self, m):
        """Tell whether block, block with its list, or data lie in the memory, whichever it is about."""
        partner, _, length, buffer, _ = self._words.values()
        start, more, end = Signal(ADDRESS_BITS), Signal(LENGTH_BITS), Signal(ADDRESS_BITS + 1)
        m.d.comb += [start.eq(self._a), more.eq(BLOCK_BYTES - 1)]
        with m.If(self._state == State.JUDGE):
            m.d.comb += more.eq(BLOCK_BYTES - 1 + (partner[: self.config.dim.bit_length()] << 3))
        with m.Elif(self._state == State.OPERANDS):
            m.d.comb += [start.eq(buffer), more.eq(length[:LENGTH_BITS] - 1)]
        m.d.comb += [end.eq(start + more), self._inside.eq((start >= self.first) & (end <= self.last))]

    def _check(self, m):
        """Read the block, and judge its operands."""
        state, access, words, status = self._state, self._access, self._words, self._status
        n, nodes = self.config.dim, self.config.nodes
        partner, kind, length, buffer = (words[name] for name in ("partner", "kind", "length", "buffer"))
        receives = self._instruction == Instruction.RECEIVE
        other = (partner >= nodes) | (partner == self.address)
        with m.Switch(state):
            with m.Case(State.READ):
                m.d.comb += [
                    access.reads.eq(~access.posted),
                    access.address.eq(self._word(Word.PARTNER)),
                    access.beats.eq(Word.FLAG - Word.PARTNER),
                ]
                with m.If(access.comes):
                    names = list(words)
                    for name, following in zip(names, [*names[1:], None], strict=True):
                        m.d.sync += words[name].eq(words[following] if following else self.word)
                with m.If(access.done):
                    several = self._instruction == Instruction.NEIGHBOURS
                    m.d.sync += self._to(Mux(several, State.JUDGE, State.OPERANDS))
                    with m.If(access.bad):
                        m.d.sync += self._ends(Status.MEMORY_ERROR, State.CLOSE)
            with m.Case(State.JUDGE):
                with m.If(words["flag"][TAKEN_BIT]):
                    m.d.sync += self._ends(Status.BUSY, State.EVENT)
                with m.Elif((partner == 0) | (partner > n)):
                    m.d.sync += self._ends(Status.BAD_LIST, State.CLOSE)
                with m.Elif(~self._inside):
                    m.d.sync += self._ends(Status.BAD_BLOCK, State.EVENT)
                with m.Else():
                    m.d.sync += self._to(State.LIST)
            with m.Case(State.LIST):
                way = Signal(n)
                wrong = (self.word >= nodes) | (way == 0) | (way & (way - 1)).any() | (way & self._seen).any()
                m.d.comb += [
                    access.reads.eq(1),
                    access.address.eq(self._a[2:] + (Word.NEIGHBOUR + LISTED * self._i)),
                    way.eq(self.word ^ self.address),
                ]
                with m.If(access.done):
                    m.d.sync += [self._seen.eq(self._seen | way), self._i.eq(self._i + 1)]
                    with m.If(access.bad):
                        m.d.sync += self._ends(Status.MEMORY_ERROR, State.CLOSE)
                    with m.Elif(wrong):
                        m.d.sync += self._ends(Status.BAD_LIST, State.CLOSE)
                    with m.Elif(self._i + 1 == partner):
                        m.d.sync += self._to(State.OPERANDS)
            with m.Case(State.OPERANDS):
                system = Signal(name="asks_for_buffer")
                above = kind[TYPE_BITS:]
                outside = (length != 0) & ~self._inside
                m.d.comb += system.eq(receives & (buffer == 0))
                m.d.sync += [self._system.eq(system), self._to(State.CLOSE)]
                with m.If(words["flag"][TAKEN_BIT]):
                    m.d.sync += self._ends(Status.BUSY, State.EVENT)
                with m.Elif((self._instruction == Instruction.SEND) & other):
                    m.d.sync += status.eq(Status.BAD_DESTINATION)
                with m.Elif(receives & (partner[TYPE_BITS:] != 1) & other):
                    m.d.sync += status.eq(Status.BAD_SOURCE)
                with m.Elif(Mux(receives, above > 1, above != 0)):
                    m.d.sync += status.eq(Status.BAD_TYPE)
                with m.Elif(~system & length[LENGTH_BITS:].any()):
                    m.d.sync += status.eq(Status.BAD_LENGTH)
                with m.Elif(~system & (buffer[:2].any() | outside)):
                    m.d.sync += status.eq(Status.BAD_BUFFER)
                with m.Else():
                    m.d.sync += self._to(Mux(system, State.GRAB, State.TAKE))

    def _tell(self, m):
        """Tell that a block could not be marked as taken."""
        event = self.event
        m.d.comb += [
            event.valid.eq(1),
            event.reason.eq(Interrupt.MEMORY_ERROR),
            event.status.eq(Status.MEMORY_ERROR),
            event.value.eq(self._marked << PLACE_BITS),
        ]
        with m.If(event.ready):
            m.d.sync += self._spoilt.eq(0)

    def _write(self, m, number, value, following):
        """Write a word of the block, then go on."""
        access = self._access
        m.d.comb += [access.writes.eq(1), access.address.eq(self._word(number)), access.value.eq(value)]
        with m.If(access.done):
            m.d.sync += self._to(following)

    def _hand_over(self, m):
        """Mark the block as taken, and give what is sent to the scheduler."""
        state, instruction, words, add = self._state, self._instruction, self._words, self.add
        single, block = Signal(self.config.dim), self._a[PLACE_BITS:]
        several = instruction == Instruction.NEIGHBOURS
        m.d.comb += single.eq(self._seen & (~self._seen + 1))
        with m.Switch(state):
            with m.Case(State.TAKE):
                receive = Mux(self._pooled, State.NAME, State.POST)
                send = Mux(several, State.COUNT, State.ADD)
                following = Mux(instruction == Instruction.RECEIVE, receive, send)
                with m.If(self._spoilt):
                    self._tell(m)
                with m.Else():
                    m.d.comb += self._access.posts.eq(1)
                    m.d.sync += self._marked.eq(block)
                    self._write(m, Word.FLAG, 1 << TAKEN_BIT, following)
            with m.Case(State.NAME):
                self._write(m, Word.BUFFER, 1 | (self._own << LENT_LOW), State.POST)
                with m.If(self._access.done & self._access.bad):
                    m.d.sync += self._ends(Status.MEMORY_ERROR, State.BACK)
            with m.Case(State.COUNT):
                m.d.sync += self._i.eq(0)
                self._write(m, Word.STATE, words["partner"], State.ADD)
                with m.If(self._access.done & self._access.bad):
                    m.d.sync += self._ends(Status.MEMORY_ERROR, State.CLOSE)
            with m.Case(State.ADD):
                m.d.comb += [add.valid.eq(1), add.reference.eq(self._a), add.destination.eq(words["partner"])]
                m.d.comb += [add.type.eq(words["kind"]), add.length.eq(words["length"]), add.buffer.eq(words["buffer"])]
                with m.If(instruction == Instruction.BROADCAST):
                    m.d.comb += add.destination.eq(self.address)
                with m.If(several):
                    m.d.comb += [
                        add.destination.eq(self.address ^ single),
                        add.reference.eq(Cat((self._i + C(1, PLACE_BITS))[:PLACE_BITS], block)),
                    ]
                with m.If(add.ready):
                    m.d.sync += [self._seen.eq(self._seen & ~single), self._i.eq(self._i + 1)]
                    with m.If(~several | (self._seen == single)):
                        m.d.sync += self._to(State.IDLE)

    def _receive(self, m):
        """Take a buffer, post the receive, and see what became of it."""
        state, words, post, of = self._state, self._words, self.post, self._of
        length = words["length"][:LENGTH_BITS]
        asked = Signal(name="matcher_asked")
        m.d.comb += [
            self.grab.system.eq(words["kind"][SYSTEM_BIT]),
            post.block.eq(self._a[PLACE_BITS:]),
            post.source.eq(words["partner"]),
            post.any_source.eq(words["partner"][NODE_BITS]),
            post.type.eq(words["kind"]),
            post.any_type.eq(words["kind"][TYPE_BITS]),
            post.only.eq(self._only),
            post.room.eq(Mux(self._pooled, self.config.buffer_bytes, length)),
            post.buffer.eq(Mux(self._pooled, self._place, words["buffer"])),
            post.pooled.eq(self._pooled),
            post.number.eq(self._own),
        ]
        with m.Switch(state):
            with m.Case(State.GRAB):
                m.d.comb += self.grab.valid.eq(~asked)
                with m.If(self.grab.valid & self.grab.ready):
                    m.d.sync += asked.eq(1)
                with m.If(asked & self.grabbed):
                    m.d.sync += [
                        asked.eq(0),
                        self._own.eq(Mux(self.granted, self.number, self._own)),
                        self._pooled.eq(self.granted),
                        self._only.eq(~self.granted),
                        self._to(State.TAKE),
                    ]
            with m.Case(State.POST):
                m.d.comb += post.valid.eq(~asked)
                faulty = self._faulty | self.failed
                with m.If(post.valid & post.ready):
                    m.d.sync += asked.eq(1)
                with m.If(asked):
                    m.d.sync += self._faulty.eq(faulty)
                with m.If(asked & self.settled):
                    m.d.sync += asked.eq(0)
                    with m.Switch(self.how):
                        with m.Case(How.POSTED):
                            m.d.sync += self._to(State.IDLE)
                            with m.If(faulty):
                                m.d.sync += self._ends(Status.MEMORY_ERROR, State.BACK)
                        with m.Case(How.HELD):
                            m.d.sync += self._to(State.IDLE)
                        with m.Case(How.NOTHING):
                            m.d.sync += self._ends(Status.NO_BUFFER, State.CLOSE)
                        with m.Case(How.UNCLAIMED):
                            cut = self.length > length
                            m.d.sync += [
                                self._x.eq(self.number),
                                of["source"].eq(self.source),
                                of["bytes"].eq(Mux(self._system, 0, Mux(cut, length, self.length))),
                                of["short"].eq(~self._system & cut),
                                words["length"].eq(self.length),
                                words["kind"].eq(self.message_type),
                                self._faulty.eq(0),
                                self._to(State.BACK),
                            ]
            with m.Case(State.BACK):
                m.d.comb += [self.put.eq(self._pooled), self.put_number.eq(self._own)]
                m.d.sync += [self._i.eq(0), self._to(Mux(self._status != 0, State.CLOSE, State.HEAD))]

    def _copy(self, m):
        """Give a receive its message that is in a system buffer."""
        state, words, of, x = self._state, self._words, self._of, self._x
        from_, at, more, access = self._from, self._at, self._more, self._access
        whole, attached = self._whole, self._attached
        line = Signal(2)
        fifo = Fifo(m, "copied", "distributed", shape=WORD_BITS, depth=MOST)
        beats, chunk, acked = Signal(range(MOST + 1)), Signal(range(MOST + 1)), Signal(range(MOST + 1))
        asked, part = Signal(name="copy_asked"), Signal(range(STROBES + 1))
        few = more[: (STROBES * MOST).bit_length()]
        m.d.comb += [
            beats.eq(Mux(more > STROBES * MOST, MOST, (few + STROBES - 1) >> 2)),
            part.eq(Mux(more > STROBES, STROBES, more)),
            fifo.push.eq((state == State.COPY) & self.served),
            fifo.data.eq(self.word),
        ]
        with m.Switch(state):
            with m.Case(State.HEAD):
                lines = (
                    (Word.PARTNER, of["source"]),
                    (Word.TYPE, words["kind"][:TYPE_BITS]),
                    (Word.LENGTH, words["length"][:LENGTH_BITS]),
                    (Word.BUFFER, self._place),
                )
                m.d.comb += access.writes.eq(1)
                with m.Switch(line):
                    for k, (number, value) in enumerate(lines):
                        with m.Case(k):
                            m.d.comb += [access.address.eq(self._word(number)), access.value.eq(value)]
                with m.If(access.done):
                    m.d.sync += [line.eq(line + 1), self._faulty.eq(self._faulty | access.bad)]
                    with m.If(line == len(lines) - 2 + self._system):
                        m.d.sync += [line.eq(0), self._to(State.CLAIM)]
            with m.Case(State.CLAIM):
                m.d.sync += self._to(State.FETCH)
                with m.If(~whole.bit_select(x, 1)):
                    m.d.comb += self._put_claim.en.eq(1)
                    m.d.sync += [attached.bit_select(x, 1).eq(1), self._to(State.IDLE)]
            with m.Case(State.RESUME):
                m.d.sync += [
                    self._a.eq(self._claim.data.a),
                    self._system.eq(self._claim.data.system),
                    words["buffer"].eq(self._claim.data.buffer),
                    *(of[name].eq(getattr(self._claim.data, name)) for name in of),
                    attached.bit_select(x, 1).eq(0),
                    self._faulty.eq(self._claim.data.faulty),
                    self._to(State.FETCH),
                ]
            with m.Case(State.FETCH):
                m.d.sync += [
                    whole.bit_select(x, 1).eq(0),
                    self._status.eq(self._result),
                    from_.eq(self._place[2:]),
                    at.eq(words["buffer"][2:]),
                    more.eq(of["bytes"]),
                    self._to(Mux(self._system, State.LEND, Mux(of["bytes"] == 0, State.PUT, State.COPY))),
                ]
            with m.Case(State.COPY):
                m.d.comb += [
                    self.reader.valid.eq(~asked),
                    self.reader.address.eq(from_),
                    self.reader.beats.eq(beats - 1),
                    self.writer.valid.eq(fifo.level != 0),
                    self.writer.address.eq(at),
                    self.writer.data.eq(fifo.head),
                    self.writer.strobe.eq((1 << part) - 1),
                    fifo.pop.eq(self.writer.valid & self.writer.ready),
                ]
                with m.If(self.reader.valid & self.reader.ready):
                    m.d.sync += [asked.eq(1), chunk.eq(beats), acked.eq(0)]
                with m.If(fifo.pop):
                    m.d.sync += [at.eq(at + 1), more.eq(more - part)]
                with m.If((self.served & self.word_error) | (access.written & self.write_error)):
                    m.d.sync += self._faulty.eq(1)
                with m.If(access.written):
                    m.d.sync += acked.eq(acked + 1)
                    with m.If(acked + 1 == chunk):
                        m.d.sync += [asked.eq(0), from_.eq(from_ + MOST)]
                        with m.If(more == 0):
                            m.d.sync += self._to(State.PUT)
            with m.Case(State.PUT):
                m.d.comb += [self.put.eq(1), self.put_number.eq(x)]
                m.d.sync += self._to(State.FLAG)
            with m.Case(State.LEND):
                m.d.comb += [self.lend.valid.eq(1), self.lend.number.eq(x)]
                with m.If(self.lend.ready):
                    m.d.sync += self._to(State.FLAG)
        with m.If(((state == State.PUT) | (state == State.LEND)) & (self._status == Status.OK)):
            worse = Mux(of["short"], Status.TRUNCATED, Status.OK)
            m.d.sync += self._status.eq(Mux(self._faulty, Status.MEMORY_ERROR, worse))

    def _close(self, m):
        """Complete a block, and tell of what went wrong."""
        state, status, faulty, event = self._state, self._status, self._faulty, self.event
        wrong = faulty | (status == Status.MEMORY_ERROR)
        flag, bad = COMPLETE | (status << STATUS_LOW), self._access.bad
        with m.Switch(state):
            with m.Case(State.FLAG):
                self._write(m, Word.FLAG, flag, Mux(faulty | bad, State.EVENT, State.IDLE))
            with m.Case(State.CLOSE):
                self._write(m, Word.FLAG, flag, State.EVENT)
            with m.Case(State.EVENT):
                m.d.comb += [
                    event.valid.eq(1),
                    event.reason.eq(Mux(wrong, Interrupt.MEMORY_ERROR, Interrupt.BAD_OPERAND)),
                    event.status.eq(status),
                    event.source.eq(Mux(faulty, self._of["source"], 0)),
                    event.value.eq(self._a),
                ]
                with m.If(event.ready):
                    m.d.sync += self._to(State.IDLE)
        with m.If(((state == State.FLAG) | (state == State.CLOSE)) & self._access.done & bad):
            m.d.sync += faulty.eq(1)


def claim_bits(n):
    """Return the bits of what is kept of a message that is claimed, beside block and buffer."""
    return {"source": n, "bytes": LENGTH_BITS, "short": 1}
