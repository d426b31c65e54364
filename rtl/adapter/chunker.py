"""Chunker: messages of the node, checked and cut into the words of packets."""

from amaranth import *
from amaranth.lib import memory, wiring
from amaranth.lib.enum import Enum
from amaranth.lib.wiring import In, Out

from cubecast.golden.adapter.contract.config import LEAST_PACKET, AdapterConfig
from cubecast.golden.adapter.contract.word import AdapterReason, header_places
from cubecast.golden.common.contract.units import REASON_BITS
from cubecast.golden.crosspoint.contract.word import KIND_BITS, Kind
from cubecast.rtl.adapter.stream import Chunk, Send
from cubecast.rtl.common.report import Report

__all__ = ["Chunker"]

BANKS = 2
"""Chunks that can be there at a time."""


class State(Enum, shape=3):
    """What the next word of the node is; SPAN: a cycle without one."""

    HEADER = 0
    ROWS = 1
    SPAN = 2
    DATA = 3
    SKIP = 4


class Chunker(wiring.Component):
    """Store a packet's worth of words in either of two banks; swallow and report messages that are illegal.

    A chunk whose last word is taken in cycle t is offered from cycle t + 1 on.

    Parameters
    ----------
    config : AdapterConfig
        Parameters of the node.

    Ports
    -----
    send__valid, send__data, send__last, send__error, send__ready
        Messages of the node.
    known : in
        Some fault is known.
    address : in, n
        Strap: the node's address.
    row_index, row : in and out, n - b (at least 1) and 2**b
        A word of the bitmap of the message whose chunk is offered; combinational.
    word_row, word : in and out, q + 1 and w
        Bank and number of a word, and the word; combinational.
    chunk__valid, chunk__bank, chunk__kind, chunk__node, chunk__mask, chunk__serial, chunk__first, chunk__final,
    chunk__error, chunk__count, chunk__ordinal
        The oldest chunk that was not taken.
    chunk_taken : in
        It is taken; its words stay.
    freed, freed_bank : in
        The words of a bank have been sent.
    report__valid, report__reason, report__destination, report__ready
        Reports about messages that are illegal.
    """

    def __init__(self, config: AdapterConfig):
        self.config = config
        super().__init__(
            {
                "send": In(Send(config)),
                "known": In(1),
                "address": In(config.dim),
                "row_index": In(config.row_index_bits),
                "row": Out(config.router.bitmap_bits),
                "word_row": In(config.index_bits + 1),
                "word": Out(config.width),
                "chunk": Out(Chunk(config)),
                "chunk_taken": In(1),
                "freed": In(1),
                "freed_bank": In(1),
                "report": Out(Report(config.dim)),
            }
        )

    def elaborate(self, platform):
        """Build the memories, the banks, and the state of the message that comes in."""
        m = Module()
        config, send = self.config, self.send
        n = config.dim
        places = header_places(config)
        header = {name: send.data[place.low :][: place.width] for name, place in places.items()}
        beyond = send.data[max(place.low + place.width for place in places.values()) :].any()
        message = {
            "kind": Signal(KIND_BITS),
            "node": Signal(n),
            "mask": Signal(n),
            "serial": Signal(),
            "first": Signal(),
        }
        state, taken, full = Signal(State), Signal(), Signal(BANKS)
        bank, count = Signal(), Signal(config.count_bits)
        reason = Signal(REASON_BITS)
        next_state = Signal(State)
        m.d.comb += [taken.eq(send.valid & send.ready), next_state.eq(state)]
        m.d.sync += state.eq(next_state)
        with m.If(self.freed):
            m.d.sync += full.bit_select(self.freed_bank, 1).eq(0)
        bitmap = header["kind"] == Kind.BITMAP
        with m.Switch(state):
            with m.Case(State.HEADER):
                m.d.comb += send.ready.eq(~self.report.valid)
                with m.If(taken):
                    m.d.sync += [message[name].eq(value) for name, value in header.items()]
                    several = header["kind"] != Kind.UNICAST
                    if config.router.multicast:
                        several = several & self.known
                    m.d.sync += [message["serial"].eq(several), message["first"].eq(1)]
                    own = header["node"] == self.address
                    one = (header["kind"] == Kind.UNICAST) | ~header["mask"].any()
                    with m.If(send.last):
                        m.d.comb += reason.eq(AdapterReason.SHORT_MESSAGE)
                    with m.Else():
                        m.d.comb += next_state.eq(State.SKIP)
                        with m.If(beyond):
                            m.d.comb += reason.eq(AdapterReason.ADDRESS_BITS)
                        with m.Elif(header["kind"] > Kind.BITMAP):
                            m.d.comb += reason.eq(AdapterReason.BAD_KIND)
                        with m.Elif(bitmap):
                            m.d.comb += next_state.eq(State.ROWS)
                        with m.Elif(own & one):
                            m.d.comb += reason.eq(AdapterReason.EMPTY)
                        with m.Else():
                            m.d.comb += next_state.eq(State.DATA)
            with m.Case(State.ROWS):
                m.d.comb += send.ready.eq(~full.any())
            with m.Case(State.DATA):
                m.d.comb += send.ready.eq(~full.bit_select(bank, 1))
            with m.Case(State.SKIP):
                m.d.comb += send.ready.eq(1)
                with m.If(taken & send.last):
                    m.d.comb += next_state.eq(State.HEADER)
        named = self._rows(m, state, taken, reason, next_state)
        with m.If(state == State.SPAN):
            m.d.comb += next_state.eq(State.DATA)
            if config.router.multicast:
                self._span(m, message, *named)
        self._words(m, state, taken, message, bank, count, full, next_state)
        self._report(m, reason, Mux(state == State.HEADER, header["node"], message["node"]))
        return m

    def _rows(self, m, state, taken, reason, next_state):
        """Store the words of a bitmap; return how many they name, and which bits are 0 and which 1 in some address."""
        config, data = self.config, self.send.data
        bits, rows = config.router.bitmap_bits, config.rows
        m.submodules.rows = stored = memory.Memory(shape=bits, depth=rows, init=[])
        write, read = stored.write_port(), stored.read_port(domain="comb")
        number = Signal(config.row_index_bits)
        above, any_above, any_named = Signal(), Signal(), Signal()
        found, some = Signal(config.dim), [Signal(config.dim, name=f"some_{value}") for value in range(2)]
        high, low = self.address[config.router.bitmap_dims :], self.address[: config.router.bitmap_dims]
        own = Mux(number == high, C(1, bits) << low, 0)[:bits] if rows > 1 else (C(1, bits) << low)[:bits]
        others = Signal(bits)
        m.d.comb += [
            write.en.eq(taken & (state == State.ROWS)),
            write.addr.eq(number),
            write.data.eq(data),
            read.addr.eq(self.row_index),
            self.row.eq(read.data),
            any_above.eq(above | data[bits:].any()),
            others.eq(data[:bits] & ~own),
            any_named.eq(found.any() | others.any()),
        ]
        with m.If(taken & (state == State.HEADER)):
            m.d.sync += [register.eq(0) for register in (number, above, found, *some)]
        with m.If(write.en):
            m.d.sync += [number.eq(number + 1), above.eq(any_above), found.eq(found + _total(list(others)))]
            for value, register in enumerate(some):
                m.d.sync += register.eq(register | self._with(others, number, value))
            with m.If(self.send.last):
                m.d.comb += [reason.eq(AdapterReason.SHORT_MESSAGE), next_state.eq(State.HEADER)]
            with m.Elif(number == rows - 1):
                m.d.comb += next_state.eq(Mux(any_named & ~any_above, State.SPAN, State.SKIP))
                with m.If(any_above):
                    m.d.comb += reason.eq(AdapterReason.ADDRESS_BITS)
                with m.Elif(~any_named):
                    m.d.comb += reason.eq(AdapterReason.EMPTY)
        return found, *some

    def _with(self, others, number, value):
        """Return for each dimension whether a node that is named in a row has this value of the bit."""
        low = self.config.router.bitmap_dims
        bits = [Cat(bit for x, bit in enumerate(others) if x >> k & 1 == value).any() for k in range(low)]
        row = number if value else ~number
        return Cat(*bits, *(row[k] & others.any() for k in range(self.config.dim - low)))

    def _span(self, m, message, found, zeros, ones):
        """Make a subcube of a list that is one, without the sender or with it."""
        mask = zeros & ones
        size = C(1) << _total(list(mask))
        elsewhere = ((self.address ^ ones) & ~mask).any()
        with m.If(~message["serial"] & ((found == size) | ((found + 1 == size) & ~elsewhere))):
            m.d.sync += [
                message["kind"].eq(Kind.SUBCUBE),
                message["node"].eq(ones),
                message["mask"].eq(mask),
            ]
        if self.config.router.packet_limit == LEAST_PACKET:
            with m.Elif(~message["serial"]):
                m.d.sync += message["serial"].eq(1)

    def _words(self, m, state, taken, message, bank, count, full, next_state):
        """Store data, chunk by chunk, and offer the chunks in turn."""
        config, send = self.config, self.send
        limit = config.router.packet_limit
        m.submodules.words = stored = memory.Memory(shape=config.width, depth=BANKS << config.index_bits, init=[])
        write, read = stored.write_port(), stored.read_port(domain="comb")
        todo, shown, complete, ordinal = Signal(BANKS), Signal(), Signal(), Signal(config.ordinal_bits)
        most = Mux((message["kind"] == Kind.BITMAP) & ~message["serial"], limit - 3, limit - 2) if limit > 2 else 0
        m.d.comb += [
            write.en.eq(taken & (state == State.DATA)),
            write.addr.eq(Cat(count[: config.index_bits] | C(0, config.index_bits), bank)),
            write.data.eq(send.data),
            read.addr.eq(self.word_row),
            self.word.eq(read.data),
            complete.eq(write.en & (send.last | (count == most))),
            self.chunk.valid.eq(todo.bit_select(shown, 1)),
            self.chunk.bank.eq(shown),
        ]
        with m.If(self.chunk_taken):
            m.d.sync += [todo.bit_select(shown, 1).eq(0), shown.eq(~shown)]
        with m.If(write.en):
            m.d.sync += count.eq(count + 1)
        given = message | {"final": send.last, "error": send.last & send.error, "count": (count + 1)[: len(count)]}
        given["ordinal"] = ordinal
        with m.If(complete):
            m.d.sync += [full.bit_select(bank, 1).eq(1), todo.bit_select(bank, 1).eq(1), message["first"].eq(0)]
            m.d.sync += [count.eq(0), bank.eq(~bank), ordinal.eq(ordinal + 1)]
            with m.If(send.last):
                m.d.comb += next_state.eq(State.HEADER)
        for name, value in given.items():
            kept = [Signal(len(value), name=f"{name}_{k}") for k in range(BANKS)]
            for k, register in enumerate(kept):
                with m.If(complete & (bank == k)):
                    m.d.sync += register.eq(value)
            m.d.comb += getattr(self.chunk, name).eq(Mux(shown, kept[1], kept[0]))

    def _report(self, m, reason, destination):
        """Keep a report until it is taken."""
        report = self.report
        with m.If(report.valid & report.ready):
            m.d.sync += report.valid.eq(0)
        with m.If(reason.any()):
            m.d.sync += [report.valid.eq(1), report.reason.eq(reason), report.destination.eq(destination)]


def _total(bits):
    """Return how many bits are set, as a tree of adders."""
    if len(bits) == 1:
        return bits[0]
    half = len(bits) // 2
    return _total(bits[:half]) + _total(bits[half:])
