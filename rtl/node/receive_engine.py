"""Receive engine: packets from the router, put together in memory."""

from amaranth import *
from amaranth.lib import data, memory, wiring
from amaranth.lib.enum import Enum
from amaranth.lib.wiring import In, Out

from cubecast.golden.node.contract.block import (
    BLOCK_BITS,
    COMPLETE,
    LENGTH_BITS,
    STARTED,
    STATUS_LOW,
    SYSTEM_BIT,
    TAKEN_BIT,
    TYPE_BITS,
    Status,
    Word,
)
from cubecast.golden.node.contract.config import PREFIX_BITS, NodeConfig
from cubecast.golden.node.contract.packet import CONTROL, ENVELOPE, TICKET_BITS, Kind, Op
from cubecast.golden.node.contract.registers import Interrupt
from cubecast.golden.packet.contract.config import PORT_BITS
from cubecast.golden.packet.contract.packet import KIND_BITS
from cubecast.rtl.common.instance import place
from cubecast.rtl.node.stream import (
    ADDRESS_BITS,
    STATUS_BITS,
    STROBES,
    WORD_BITS,
    Event,
    First,
    Prepare,
    Reply,
    Write,
    place_bits,
)
from cubecast.rtl.node.unasked import unasked
from cubecast.rtl.node.word_writer import WordWriter

__all__ = ["ReceiveEngine"]

LINES = 5
"""Words of a block that are written when its message begins."""


class Phase(Enum, shape=2):
    """What is known of a stream."""

    IDLE = 0
    STORE = 1
    HELD = 2
    READY = 3


class State(Enum, shape=5):
    """What is done with the packet in hand."""

    DEST = 0
    SOURCE = 1
    ANSWER = 2
    TELL = 3
    ENVELOPE = 4
    SKIP = 5
    LOOK = 6
    ASK = 7
    WAIT = 8
    PLACE = 9
    HEAD = 10
    OPEN = 11
    DATA = 12
    DRAIN = 13
    FINISH = 14
    FLAG = 15
    DONE = 16
    FAULT = 17
    NOTICE = 18


class ReceiveEngine(wiring.Component):
    """Serve one packet after the other; a word per cycle while its data is written.

    Nothing but memory and matcher, the store of events, and whoever takes what control packets say, holds a packet up.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the node.

    Ports
    -----
    address : in, n
        Strap: the node's address.
    eject__valid, eject__data, eject__last, eject__error, eject__ready : 1, W, 1, 1, 1
        Packets for the node.
    first__*, verdict, placed, lost, stop, user, block, room, buffer, pooled, number
        Messages that begin, and what the matcher says of them.
    prepare__*
        Places for broadcasts that were refused.
    control__valid, control__source, control__b, control__op, control__stop, control__damaged, control__ticket,
    control__ready
        What control packets say.
    put__valid, put__source, put__b, put__op, put__stop, put__damaged, put__ticket : out
        To the reply store.
    event__*, writer__*, written, write_error
        Events; node memory.
    full, entry, open, open_next, open_last, move, move_entry, move_next, close, close_entry
        Of the arrival tracker.
    lend, lend_number : out
        A receive is complete that had no buffer of its own.
    kept, kept_number, kept_status : out
        A message is complete in a system buffer.
    received, completed, stray, ready : out
        A packet has come; a message is complete; a packet is dropped; the engine works.

    Source: Buzzard 1988, section 5.4.6 (receiving by the main control unit).
    """

    def __init__(self, config: NodeConfig):
        self.config = config
        n, number, entry = config.dim, config.buffer_bits, config.entry_bits
        eject = {"valid": Out(1), "data": Out(config.width), "last": Out(1), "error": Out(1), "ready": In(1)}
        super().__init__(
            {
                "address": In(n),
                "eject": In(wiring.Signature(eject)),
                "first": Out(First(config)),
                "verdict": In(1),
                "placed": In(1),
                "lost": In(1),
                "stop": In(1),
                **{name: In(bits) for name, bits in place_bits(config).items()},
                "prepare": In(Prepare(config)),
                "control": Out(Reply(config, answered=True)),
                "put": Out(Reply(config)),
                "event": Out(Event()),
                "writer": Out(Write()),
                "written": In(1),
                "write_error": In(1),
                "full": In(1),
                "entry": In(entry),
                "open": Out(1),
                "open_next": Out(ADDRESS_BITS),
                "open_last": Out(ADDRESS_BITS),
                "move": Out(1),
                "move_entry": Out(entry),
                "move_next": Out(ADDRESS_BITS),
                "close": Out(1),
                "close_entry": Out(entry),
                "lend": Out(1),
                "lend_number": Out(number),
                "kept": Out(1),
                "kept_number": Out(number),
                "kept_status": Out(STATUS_BITS),
                "received": Out(1),
                "completed": Out(1),
                "stray": Out(1),
                "ready": Out(1),
            }
        )

    def elaborate(self, platform):
        """Read the packet's beginning; then what follows of it."""
        m = Module()
        config, eject = self.config, self.eject
        n, width = config.dim, config.width
        shape = data.StructLayout(
            {
                "phase": Phase,
                "ticket": TICKET_BITS,
                "type": TYPE_BITS,
                "length": LENGTH_BITS,
                **place_bits(config),
                "left": LENGTH_BITS,
                "odd": 1,
                "short": 1,
                "wrong": 1,
                "tracked": 1,
                "entry": config.entry_bits,
                # What is IDLE has ended, as `wrong` says, and its DONE has been put.
                "done": 1,
            }
        )
        state = self._state = Signal(State)
        self._b, self._source, self._kind = Signal(), Signal(n), Signal(KIND_BITS)
        self._envelope, self._count = Signal(PREFIX_BITS), Signal(range(LINES + 1))
        self._ended, self._bad, self._again, self._more = Signal(), Signal(), Signal(), Signal()
        self._newest = Signal()
        self._status = Signal(STATUS_BITS)
        e = self._e = Signal(shape)
        # What is read in the cycle of a write to the same place is not looked at.
        m.submodules.streams = streams = memory.Memory(shape=shape, depth=2 << n, init=[], attrs={"no_rw_check": 1})
        read, self._write = streams.read_port(), streams.write_port()
        # Of broadcasts, as in the streams: whoever prepares a place is answered in the same cycle.
        m.submodules.tickets = tickets = memory.Memory(shape=TICKET_BITS, depth=1 << n, init=[])
        ticket, put_ticket = tickets.read_port(domain="comb"), tickets.write_port()
        cleared = Signal(n + 2)
        late = self._late = Signal()
        self._owed, self._flagged = Signal(range(LINES + 1), name="owed"), Signal(name="flagged")
        # Of the FLAG that was written last: it has failed, and nobody was told.
        self._spoilt = Signal(name="spoilt")
        self._flag_block, self._flag_source = Signal(BLOCK_BITS, name="flag_block"), Signal(n, name="flag_source")
        late_stream = Signal(n + 1)
        preparing = Signal()
        m.d.comb += [
            self.ready.eq(cleared[n + 1]),
            read.addr.eq(Cat(self._b, Mux(state == State.SOURCE, eject.data[:n], self._source))),
            ticket.addr.eq(self.prepare.source),
            put_ticket.en.eq(self._write.en & self._write.addr[0]),
            put_ticket.addr.eq(self._write.addr[1:]),
            put_ticket.data.eq(self._write.data.ticket),
            self._write.addr.eq(Cat(self._b, self._source)),
            self._write.data.eq(e),
            self.received.eq(eject.valid & eject.ready & eject.last),
            preparing.eq(self.prepare.valid & self.prepare.ready),
        ]
        with m.If(late):
            m.d.comb += self._write.addr.eq(late_stream)
        with m.Else():
            m.d.sync += late_stream.eq(Cat(self._b, self._source))
        # A stream whose packet is acknowledged in the cycle in which it is read stands in the register as it is now.
        m.d.sync += self._newest.eq(late & self._write.en & (late_stream == read.addr))
        self._old = read.data
        word = place(m, "word_writer", WordWriter, config)
        self._word = word
        envelope = {field.name.lower(): self._envelope[field.low :][: field.width] for field in ENVELOPE}
        control = {field.name.lower(): self._envelope[field.low :][: field.width] for field in CONTROL}
        put = self.put
        m.d.comb += [
            put.source.eq(self._source),
            put.b.eq(self._b),
            put.ticket.eq(e.ticket),
            self.first.source.eq(self._source),
            self.first.b.eq(self._b),
            *(getattr(self.first, name).eq(envelope[name]) for name in ("type", "length", "behind", "rest", "mark")),
            self.control.source.eq(self._source),
            *(getattr(self.control, name).eq(control[name]) for name in ("b", "op", "stop", "damaged", "ticket")),
            word.i.data.eq(eject.data),
            word.i.last.eq(eject.last),
        ]

        def leave():
            m.d.sync += state.eq(Mux(self._ended, State.DEST, State.SKIP))

        def drop():
            m.d.comb += self.stray.eq(1)
            leave()

        taken, passes = eject.valid & eject.ready, Signal()
        with m.Switch(state):
            with m.Case(State.DEST):
                m.d.comb += [
                    self.prepare.ready.eq(self.ready & ~late),
                    eject.ready.eq(self.ready & ~self.prepare.valid),
                ]
                with m.If(taken):
                    m.d.sync += [self._b.eq(eject.data != self.address), self._bad.eq(0)]
                    m.d.comb += self.stray.eq(eject.last)
                    m.d.sync += state.eq(Mux(eject.last, State.DEST, State.SOURCE))
            with m.Case(State.SOURCE):
                m.d.comb += eject.ready.eq(1)
                kind = eject.data[width - PORT_BITS - KIND_BITS :][:KIND_BITS]
                begins = (kind == Kind.FIRST) | (kind == Kind.CONTROL)
                with m.If(taken):
                    m.d.sync += [
                        self._source.eq(eject.data),
                        self._kind.eq(kind),
                        self._count.eq(0),
                        self._ended.eq(eject.last),
                    ]
                    with m.If(eject.error | (begins & eject.last)):
                        m.d.comb += self.stray.eq(1)
                        m.d.sync += state.eq(State.DEST)
                    with m.Elif(~begins):
                        m.d.sync += state.eq(State.LOOK)
                    with m.Else():
                        m.d.sync += state.eq(Mux(kind == Kind.FIRST, State.ENVELOPE, State.ANSWER))
            with m.Case(State.ANSWER):
                m.d.comb += eject.ready.eq(1)
                with m.If(taken):
                    m.d.sync += self._envelope.eq(eject.data)
                    m.d.comb += self.stray.eq(~eject.last | eject.error)
                    m.d.sync += state.eq(
                        Mux(eject.last, Mux(eject.error, State.DEST, State.TELL), State.SKIP),
                    )
            with m.Case(State.TELL):
                m.d.comb += self.control.valid.eq(1)
                with m.If(self.control.ready):
                    m.d.sync += state.eq(State.DEST)
            with m.Case(State.ENVELOPE):
                m.d.comb += eject.ready.eq(1)
                final = self._count == config.prefix_words - 1
                with m.If(taken):
                    for i in range(config.prefix_words):
                        with m.If(self._count == i):
                            m.d.sync += self._envelope[i * width :][:width].eq(eject.data)
                    m.d.sync += [self._ended.eq(eject.last), self._count.eq(self._count + 1)]
                    with m.If(eject.error | (eject.last & ~final)):
                        m.d.comb += self.stray.eq(1)
                        m.d.sync += state.eq(State.DEST)
                    with m.Elif(final):
                        m.d.sync += state.eq(State.LOOK)
            with m.Case(State.SKIP):
                m.d.comb += eject.ready.eq(1)
                with m.If(taken & eject.last):
                    m.d.sync += state.eq(State.DEST)
            with m.Case(State.LOOK):
                follows = (late_stream == Cat(self._b, self._source)) & (self._kind != Kind.FIRST)
                with m.If(~late):
                    self._look(m, envelope, drop)
                with m.Elif(follows & (e.odd == (self._kind == Kind.MORE))):
                    m.d.sync += state.eq(State.OPEN)
            with m.Case(State.ASK):
                m.d.comb += [self.first.valid.eq(1), self.prepare.ready.eq(1)]
                with m.If(self.first.ready):
                    m.d.sync += state.eq(State.WAIT)
            with m.Case(State.WAIT):
                with m.If(self.verdict & self.placed):
                    self._placed(m, envelope, {name: getattr(self, name) for name in place_bits(config)})
                with m.Elif(self.verdict):
                    m.d.comb += [
                        put.valid.eq(1),
                        put.op.eq(Mux(self.lost, Op.DONE, Op.POSTPONE)),
                        put.damaged.eq(self.lost),
                        put.stop.eq(self.stop & ~self.lost),
                        put.ticket.eq(envelope["ticket"]),
                        self._write.en.eq(self._b),
                        self._write.data.phase.eq(Mux(self.lost, Phase.IDLE, Phase.HELD)),
                        self._write.data.wrong.eq(1),
                        self._write.data.done.eq(1),
                        self._write.data.ticket.eq(envelope["ticket"]),
                    ]
                    leave()
            with m.Case(State.PLACE):
                # A message of more than a packet has bytes; there may be no room for any.
                tracked = e.user & (e.length > config.first_bytes) & (e.room != 0) & ~self.full
                m.d.comb += [
                    put.valid.eq(self._more),
                    put.op.eq(Op.ACCEPT),
                    self.open.eq(tracked),
                    self.open_next.eq(e.buffer),
                    self.open_last.eq(e.buffer + Mux(e.short, e.room, e.length) - 1),
                ]
                m.d.sync += [
                    e.tracked.eq(tracked),
                    e.entry.eq(self.entry),
                    self._count.eq(0),
                    state.eq(Mux(e.user, State.HEAD, State.OPEN)),
                ]
            with m.Case(State.DATA):
                m.d.comb += [
                    word.i.valid.eq(eject.valid & ~eject.error),
                    eject.ready.eq(eject.error | word.i.ready),
                ]
                with m.If(taken & eject.error):
                    m.d.sync += self._bad.eq(1)
                with m.If(taken & eject.last):
                    m.d.sync += [self._ended.eq(1), state.eq(State.DRAIN)]
                    m.d.comb += passes.eq(~self._bad & ~eject.error)
        self._store(m, passes)
        self._finish(m, leave)
        with m.If(preparing):
            m.d.comb += [
                self._write.en.eq(1),
                self._write.addr.eq(Cat(C(1, 1), self.prepare.source)),
                self._write.data.phase.eq(Phase.READY),
                self._write.data.ticket.eq(ticket.data),
                *(getattr(self._write.data, name).eq(getattr(self.prepare, name)) for name in place_bits(config)),
                put.valid.eq(1),
                put.source.eq(self.prepare.source),
                put.b.eq(1),
                put.op.eq(Op.REWIND),
                put.ticket.eq(ticket.data),
            ]
        with m.If(~self.ready):
            m.d.sync += cleared.eq(cleared + 1)
            m.d.comb += [
                self._write.en.eq(1),
                self._write.addr.eq(cleared),
                self._write.data.phase.eq(Phase.IDLE),
            ]
        return m

    def _look(self, m, envelope, drop):
        """Decide by what is known of the stream."""
        old, state, newest = self._old, self._state, self._newest
        with m.If(~newest):
            m.d.sync += self._e.eq(old)
        storing = newest | (old.phase == Phase.STORE)
        with m.If(self._kind == Kind.FIRST):
            with m.If(storing):
                m.d.sync += [self._bad.eq(1), self._again.eq(1), state.eq(State.FINISH)]
            with m.Elif(self._b & envelope["mark"]):
                # What has a place may be a broadcast that its source has given up, and not this one.
                with m.If((old.phase == Phase.READY) & (old.ticket == envelope["ticket"])):
                    self._placed(m, envelope, {name: getattr(old, name) for name in place_bits(self.config)})
                with m.Else():
                    ended = (old.phase == Phase.IDLE) & old.done
                    # Its source waits for nobody: an answer from here may be lost.
                    m.d.comb += [
                        self.put.valid.eq(ended & envelope["behind"] & (old.ticket == envelope["ticket"])),
                        self.put.op.eq(Op.DONE),
                        self.put.damaged.eq(old.wrong),
                        self.put.ticket.eq(envelope["ticket"]),
                    ]
                    drop()
            with m.Elif(self._b & (old.phase == Phase.READY)):
                # The source has given up what was promised a place: that ends without a byte.
                e = self._e
                m.d.sync += [*(getattr(e, name).eq(0) for name in ("type", "length", "left", "tracked"))]
                m.d.sync += [self._bad.eq(1), self._again.eq(1), self._count.eq(0)]
                m.d.sync += state.eq(Mux(old.user, State.HEAD, State.FINISH))
            with m.Elif(self._b & (old.phase == Phase.HELD)):
                m.d.comb += [
                    self.put.valid.eq(1),
                    self.put.op.eq(Op.DONE),
                    self.put.damaged.eq(1),
                    self.put.ticket.eq(envelope["ticket"]),
                    # Its own ticket comes again.
                    self._write.en.eq(1),
                    self._write.data.phase.eq(Phase.HELD),
                    self._write.data.ticket.eq(envelope["ticket"] ^ 1 << TICKET_BITS - 1),
                ]
                drop()
            with m.Else():
                m.d.sync += state.eq(State.ASK)
        with m.Elif(~storing):
            drop()
        with m.Elif(Mux(newest, self._e.odd, old.odd) != (self._kind == Kind.MORE)):
            m.d.sync += [self._bad.eq(1), self._again.eq(0), state.eq(State.FINISH)]
        with m.Else():
            m.d.sync += state.eq(State.OPEN)

    def _placed(self, m, envelope, where):
        """Begin a message whose place is known."""
        e, length = self._e, envelope["length"]
        m.d.sync += [
            self._more.eq(length > unasked(self.config, envelope["eager"])),
            e.phase.eq(Phase.STORE),
            *(getattr(e, name).eq(envelope[name]) for name in ("ticket", "type", "length")),
            *(getattr(e, name).eq(value) for name, value in where.items()),
            e.left.eq(length),
            e.short.eq(length > where["room"]),
            e.odd.eq(1),
            e.wrong.eq(0),
            e.tracked.eq(0),
            self._state.eq(State.PLACE),
        ]

    def _store(self, m, passes):
        """Write the first words of the block, and the data of a packet; ``passes``: it ends in this cycle, whole."""
        config, e, state, word, writer = self.config, self._e, self._state, self._word, self.writer
        lines = (
            (Word.PARTNER, self._source, C(1, 1)),
            (Word.TYPE, e.type, C(1, 1)),
            (Word.LENGTH, e.length, C(1, 1)),
            (Word.BUFFER, e.buffer, e.pooled),
            (Word.FLAG, C(1 << TAKEN_BIT | STARTED, WORD_BITS), e.tracked),
        )
        own, taken = Signal(), Signal()
        owed, flagged, spoilt = self._owed, self._flagged, self._spoilt
        free = ~flagged & ~spoilt
        target, value = Signal(WORD_BITS.bit_length()), Signal(WORD_BITS)
        wanted, count = Signal(), self._count
        m.d.comb += wanted.eq(1)
        for name in ("address", "data", "strobe"):
            m.d.comb += getattr(writer, name).eq(getattr(word.writer, name))
        m.d.comb += [
            writer.valid.eq(word.writer.valid),
            word.writer.ready.eq(writer.ready),
            word.written.eq(self.written & ~flagged & (owed == 0)),
            word.write_error.eq(self.write_error),
            own.eq((state == State.HEAD) | (state == State.FLAG)),
        ]
        with m.Switch(count):
            for i, (line, what, there) in enumerate(lines):
                with m.Case(i):
                    m.d.comb += [target.eq(line), value.eq(what), wanted.eq(there)]
        with m.If(state == State.FLAG):
            m.d.comb += [target.eq(Word.FLAG), value.eq(COMPLETE | (self._status << STATUS_LOW)), wanted.eq(1)]
        with m.If(own):
            m.d.comb += [
                writer.valid.eq(wanted & ((state != State.FLAG) | free) & ~((target == Word.FLAG) & (owed != 0))),
                writer.address.eq(Cat(target[:3], e.block)),
                writer.data.eq(value),
                writer.strobe.eq((1 << STROBES) - 1),
            ]
            m.d.comb += taken.eq(writer.valid & writer.ready)
        ours = self.written & ~flagged & (owed != 0)
        m.d.sync += owed.eq(owed + (taken & (state == State.HEAD)) - ours)
        with m.If(taken & (state == State.FLAG)):
            m.d.sync += [flagged.eq(1), self._flag_block.eq(e.block), self._flag_source.eq(self._source)]
        with m.Elif(self.written):
            m.d.sync += flagged.eq(0)
        with m.If(flagged & self.written & self.write_error):
            m.d.sync += spoilt.eq(1)
        with m.Elif(self.event.ready):
            m.d.sync += spoilt.eq(0)
        # The word after the one that is taken may be one that is left out.
        after = Signal(range(LINES + 1))
        m.d.comb += after.eq(LINES)
        for i, (_, _, there) in reversed(list(enumerate(lines))[1:]):
            with m.If((count < i) & there):
                m.d.comb += after.eq(i)
        room = Signal(LENGTH_BITS)
        share = Mux(self._kind == Kind.FIRST, config.first_bytes, config.packet_bytes)
        part, stored = Signal(LENGTH_BITS), Signal(LENGTH_BITS)
        # Neither the place of the next byte nor how much is left of it is kept: both follow from the bytes that came.
        before, place_left = (e.length - e.left)[:LENGTH_BITS], Signal(LENGTH_BITS)
        opened = Signal()
        m.d.comb += [
            room.eq(share),
            part.eq(Mux(e.left < room, e.left, room)),
            place_left.eq(Mux(e.room > before, e.room - before, 0)),
            stored.eq(Mux(e.short & (place_left < part), place_left, part)),
            word.open_address.eq(e.buffer + before),
            word.open_bytes.eq(stored),
            self.move_entry.eq(e.entry),
            # Of a packet that is late the register has what is left behind it.
            self.move_next.eq(e.buffer + before + Mux(self._late, 0, part)),
        ]
        counted = {"left": e.left - part}
        counted["odd"] = Mux(self._kind == Kind.FIRST, e.odd, ~e.odd)
        wrong = e.wrong | (opened & word.error)
        with m.If(passes & (e.left != part)):
            m.d.sync += [getattr(e, name).eq(given) for name, given in counted.items()]
            m.d.sync += [self._late.eq(1), state.eq(State.DEST)]
        acknowledged = (word.waiting == 0) & (owed == 0)
        with m.If(ours & self.write_error):
            m.d.sync += e.wrong.eq(1)
        with m.If(self._late & acknowledged):
            m.d.comb += [self.move.eq(e.tracked), self._write.en.eq(1), self._write.data.wrong.eq(wrong)]
            m.d.sync += [e.wrong.eq(wrong), self._late.eq(0)]
        with m.Switch(state):
            with m.Case(State.HEAD), m.If(taken):
                m.d.sync += count.eq(after)
                with m.If(after == LINES):
                    m.d.sync += state.eq(Mux(self._again, State.DRAIN, State.OPEN))
            with m.Case(State.OPEN), m.If(~self._late | acknowledged):
                m.d.comb += word.open.eq(~self._ended)
                m.d.sync += opened.eq(~self._ended)
                m.d.sync += state.eq(Mux(self._ended, State.DRAIN, State.DATA))
            with m.Case(State.DRAIN), m.If(acknowledged):
                after_e = counted | {"wrong": wrong}
                m.d.comb += self.move.eq(e.tracked)
                m.d.sync += [getattr(e, name).eq(given) for name, given in after_e.items()]
                m.d.comb += [getattr(self._write.data, name).eq(given) for name, given in after_e.items()]
                with m.If((e.left == part) | self._bad):
                    m.d.sync += state.eq(State.FINISH)
                with m.Else():
                    m.d.comb += self._write.en.eq(1)
                    m.d.sync += state.eq(State.DEST)
            with m.Case(State.FLAG), m.If(taken):
                m.d.sync += state.eq(State.DONE)

    def _finish(self, m, leave):
        """Complete a message, and tell of it."""
        e, state, put, event, spoilt = self._e, self._state, self.put, self.event, self._spoilt
        free = ~self._flagged & ~spoilt
        status, found = self._status, Signal(STATUS_BITS)
        m.d.comb += [
            self.close_entry.eq(e.entry),
            self.lend_number.eq(e.number),
            self.kept_number.eq(e.number),
            self.kept_status.eq(status),
            event.status.eq(status),
            event.source.eq(self._source),
        ]
        with m.If(self._bad):
            m.d.comb += found.eq(Status.DAMAGED)
        with m.Elif(e.wrong):
            m.d.comb += found.eq(Status.MEMORY_ERROR)
        with m.Elif(e.short):
            m.d.comb += found.eq(Status.TRUNCATED)
        tells = Signal()
        damaged, failed = status == Status.DAMAGED, status == Status.MEMORY_ERROR
        with m.Switch(state):
            with m.Case(State.FINISH):
                m.d.comb += self.close.eq(e.tracked)
                m.d.sync += [status.eq(found), state.eq(Mux(e.user, State.FLAG, State.DONE))]
            with m.Case(State.DONE):
                m.d.comb += [
                    put.valid.eq(1),
                    put.op.eq(Op.DONE),
                    put.damaged.eq(damaged | failed),
                    self.completed.eq(1),
                    self.lend.eq(e.user & e.pooled),
                    self.kept.eq(~e.user),
                    self._write.en.eq(1),
                    self._write.data.phase.eq(Phase.IDLE),
                    self._write.data.wrong.eq(damaged | failed),
                    self._write.data.done.eq(1),
                ]
                m.d.sync += state.eq(State.FAULT)
            with m.Case(State.FAULT):
                m.d.comb += [
                    tells.eq((damaged | failed) & free),
                    event.reason.eq(Mux(damaged, Interrupt.DAMAGED, Interrupt.MEMORY_ERROR)),
                    event.value.eq(Mux(e.user, e.block << ADDRESS_BITS - BLOCK_BITS, e.number)),
                ]
                with m.If(~(damaged | failed) | (tells & event.ready)):
                    m.d.sync += state.eq(State.NOTICE)
            with m.Case(State.NOTICE):
                m.d.comb += [
                    tells.eq(e.type[SYSTEM_BIT] & free),
                    event.reason.eq(Interrupt.SYSTEM_MESSAGE),
                    event.value.eq(e.type),
                ]
                with m.If(~e.type[SYSTEM_BIT] | (tells & event.ready)):
                    m.d.sync += [self._bad.eq(0), self._again.eq(0)]
                    with m.If(self._again):
                        m.d.sync += state.eq(State.LOOK)
                    with m.Else():
                        leave()
        m.d.comb += event.valid.eq(tells | spoilt)
        with m.If(spoilt):
            m.d.comb += [
                event.reason.eq(Interrupt.MEMORY_ERROR),
                event.status.eq(Status.MEMORY_ERROR),
                event.source.eq(self._flag_source),
                event.value.eq(self._flag_block << ADDRESS_BITS - BLOCK_BITS),
            ]
