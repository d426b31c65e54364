"""Expected queues: posted receives, in lists of blocks in node memory."""

from amaranth import *
from amaranth.lib import data, memory, wiring
from amaranth.lib.enum import Enum
from amaranth.lib.wiring import In, Out

from cubecast.golden.node.contract.block import (
    ANY_BIT,
    BLOCK_BITS,
    LENGTH_BITS,
    POST_BITS,
    SYSTEM_BIT,
    TYPE_BITS,
    Word,
)
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.rtl.node.stream import (
    ADDRESS_BITS,
    NODE_BITS,
    PLACE_BITS,
    STROBES,
    VISITED_BITS,
    WORD_BITS,
    WORD_OF_BLOCK_BITS,
    Post,
    Read,
    Write,
)

__all__ = ["ExpectedQueues"]

CANDIDATES = 2
"""The first match of the bucket, and that of the special queue."""


class State(Enum, shape=4):
    """What is done to the lists."""

    IDLE = 0
    LINK = 1
    NUMBER = 2
    ENTER = 3
    WALK = 4
    NUMBERS = 5
    FETCH = 6
    UNLINK = 7
    ANSWER = 8


class ExpectedQueues(wiring.Component):
    """Append a receive to its list, or take the receive out that was posted first of those that match a message.

    Parameters
    ----------
    config : NodeConfig
        Gives the number of lists.

    Ports
    -----
    request__valid, request__post, request__block, request__source, request__any_source, request__type,
    request__any_type, request__ready : 1, 1, 27, 16, 1, 16, 1, 1
        A receive to be posted, or a message that looks for one.
    reader__valid, reader__address, reader__beats, reader__ready : 1, 30, 4, 1
        Words of blocks that are wanted.
    served, word, word_error : in, 1 and 32 and 1
        These words.
    writer__valid, writer__address, writer__data, writer__strobe, writer__ready : 1, 30, 32, 4, 1
        Links and numbers.
    written, write_error : in
        They are written, or could not be.
    answer, found, failed : out
        Strobe: the request is served; a receive was found; the memory gave an error.
    block, room, buffer : out, 27 and 20 and 32
        The receive that was found, and its words LENGTH and BUFFER; where memory failed, the receive in hand.
    visited : out, 5
        Blocks that were compared, 31 at most.
    posted : out
        Some receive is posted.

    Source: Buzzard 1988, section 5.1.1 (expected message queues).
    """

    def __init__(self, config: NodeConfig):
        self.config = config
        super().__init__(
            {
                "request": In(Post()),
                "reader": Out(Read()),
                "served": In(1),
                "word": In(WORD_BITS),
                "word_error": In(1),
                "writer": Out(Write()),
                "written": In(1),
                "write_error": In(1),
                "answer": Out(1),
                "found": Out(1),
                "failed": Out(1),
                "block": Out(BLOCK_BITS),
                "room": Out(LENGTH_BITS),
                "buffer": Out(ADDRESS_BITS),
                "visited": Out(VISITED_BITS),
                "posted": Out(1),
            }
        )

    def elaborate(self, platform):
        """Build the ends of the lists, the accesses to memory, and the steps."""
        m = Module()
        bits = self.config.hash_bits
        queues = (1 << bits) + 1
        special = queues - 1
        candidate = data.StructLayout(
            {
                "there": 1,
                "block": BLOCK_BITS,
                "link": WORD_BITS,
                "before": BLOCK_BITS,
                "first": 1,
                "tail": 1,
                "number": POST_BITS,
            }
        )
        request = self.request
        state, queue, full = Signal(State), Signal(range(queues)), Signal(queues)
        names = ("post", "block", "source", "type")
        kept = {name: Signal(len(getattr(request, name)), name=f"kept_{name}") for name in names}
        number = Signal(POST_BITS)
        current, before, link, first = Signal(BLOCK_BITS), Signal(BLOCK_BITS), Signal(WORD_BITS), Signal()
        found = [Signal(candidate, name=f"candidate_{c}") for c in range(CANDIDATES)]
        which, partner = Signal(), Signal()
        m.submodules.heads = heads = memory.Memory(shape=BLOCK_BITS, depth=queues, init=[])
        m.submodules.tails = tails = memory.Memory(shape=BLOCK_BITS, depth=queues, init=[])
        head, tail = heads.read_port(domain="comb"), tails.read_port(domain="comb")
        put_head, put_tail = heads.write_port(), tails.write_port()
        is_full, is_tail, ended, fault = Signal(), Signal(), Signal(), Signal()
        at_queue = C(1, queues) << queue
        m.d.comb += [
            head.addr.eq(queue),
            tail.addr.eq(queue),
            put_head.addr.eq(queue),
            put_tail.addr.eq(queue),
            is_full.eq(full.bit_select(queue, 1)),
            is_tail.eq(current == tail.data),
            request.ready.eq(state == State.IDLE),
            self.posted.eq(full.any()),
            self.answer.eq(state == State.ANSWER),
        ]

        def hashed(source, kind):
            mixed = source ^ kind ^ (kind >> bits - 1)
            return Cat(mixed[: bits - 1], kind[SYSTEM_BIT])

        asked, count, comes, final, done = Signal(), Signal(2), Signal(), Signal(), Signal()
        reads, writes, beats, place = Signal(), Signal(), Signal(2), Signal(WORD_OF_BLOCK_BITS)
        target, value = Signal(BLOCK_BITS), Signal(WORD_BITS)
        bad = Signal()
        m.d.comb += [
            self.reader.valid.eq(reads & ~asked),
            self.reader.address.eq(Cat(place, target)),
            self.reader.beats.eq(beats),
            self.writer.valid.eq(writes & ~asked),
            self.writer.address.eq(Cat(place, target)),
            self.writer.data.eq(value),
            self.writer.strobe.eq((1 << STROBES) - 1),
            comes.eq(reads & self.served),
            final.eq(comes & (count == beats)),
            done.eq(final | (writes & self.written)),
            bad.eq(fault | (comes & self.word_error) | (writes & self.written & self.write_error)),
        ]
        with m.If((self.reader.valid & self.reader.ready) | (self.writer.valid & self.writer.ready)):
            m.d.sync += asked.eq(1)
        with m.If(comes):
            m.d.sync += [count.eq(count + 1), fault.eq(bad)]
        with m.If(done):
            m.d.sync += [asked.eq(0), count.eq(0), fault.eq(0)]

        chosen, by_number = Signal(candidate), Signal()
        m.d.comb += chosen.eq(Mux(which, found[1].as_value(), found[0].as_value()))
        match = Signal()
        m.d.comb += match.eq(
            partner
            & Mux(
                self.word[ANY_BIT],
                self.word[SYSTEM_BIT] == kept["type"][SYSTEM_BIT],
                self.word[:TYPE_BITS] == kept["type"],
            )
        )
        with m.Switch(state):
            with m.Case(State.IDLE):
                m.d.sync += [kept[name].eq(getattr(request, name)) for name in names]
                m.d.sync += [each.there.eq(0) for each in found]
                m.d.sync += [which.eq(0), self.found.eq(0), self.failed.eq(0)]
                bucket = hashed(request.source, request.type)
                wild = request.post & (request.any_source | request.any_type)
                into = Signal(range(queues))
                m.d.comb += into.eq(Mux(wild, special, bucket))
                m.d.sync += queue.eq(into)
                with m.If(request.valid):
                    with m.If(~request.post):
                        m.d.sync += [self.visited.eq(0), state.eq(State.ENTER)]
                    with m.Else():
                        m.d.sync += state.eq(Mux(full.bit_select(into, 1), State.LINK, State.NUMBER))
            with m.Case(State.LINK):
                m.d.comb += [
                    writes.eq(1),
                    target.eq(tail.data),
                    place.eq(Word.LINK),
                    value.eq(kept["block"] << PLACE_BITS),
                ]
                with m.If(done):
                    m.d.sync += state.eq(State.NUMBER)
            with m.Case(State.NUMBER):
                m.d.comb += [writes.eq(1), target.eq(kept["block"]), place.eq(Word.STATE), value.eq(number)]
                with m.If(done):
                    m.d.sync += state.eq(State.ANSWER)
                    with m.If(~bad):
                        m.d.comb += [
                            put_tail.en.eq(1),
                            put_tail.data.eq(kept["block"]),
                            put_head.en.eq(~is_full),
                            put_head.data.eq(kept["block"]),
                        ]
                        m.d.sync += [number.eq(number + 1), full.eq(full | at_queue)]
            with m.Case(State.ENTER):
                m.d.sync += [current.eq(head.data), first.eq(1), state.eq(State.WALK)]
                m.d.comb += ended.eq(~is_full)
            with m.Case(State.WALK):
                m.d.comb += [reads.eq(1), target.eq(current), place.eq(Word.LINK), beats.eq(2)]
                with m.If(comes & (count == Word.LINK)):
                    m.d.sync += link.eq(self.word)
                with m.If(comes & (count == Word.PARTNER)):
                    m.d.sync += partner.eq(self.word[ANY_BIT] | (self.word[:NODE_BITS] == kept["source"]))
                with m.If(final & ~bad):
                    m.d.sync += self.visited.eq(self.visited + ~self.visited.all())
                    m.d.comb += ended.eq(match | is_tail)
                    m.d.sync += [before.eq(current), first.eq(0), current.eq(link[PLACE_BITS:])]
                    for c, each in enumerate(found):
                        with m.If(match & (which == c)):
                            m.d.sync += [
                                each.there.eq(1),
                                each.block.eq(current),
                                each.link.eq(link),
                                each.before.eq(before),
                                each.first.eq(first),
                                each.tail.eq(is_tail),
                            ]
            with m.Case(State.NUMBERS):
                m.d.comb += [reads.eq(1), target.eq(chosen.block), place.eq(Word.STATE)]
                with m.If(final):
                    m.d.sync += found[0].number.eq(self.word)
                    m.d.sync += which.eq(1)
                    with m.If(which):
                        m.d.sync += [which.eq(by_number), state.eq(State.FETCH)]
                        m.d.sync += queue.eq(Mux(by_number, special, hashed(kept["source"], kept["type"])))
                difference = Signal(POST_BITS)
                m.d.comb += [
                    difference.eq(self.word[:POST_BITS] - found[0].number),
                    by_number.eq(difference[POST_BITS - 1]),
                ]
            with m.Case(State.FETCH):
                m.d.comb += [reads.eq(1), target.eq(chosen.block), place.eq(Word.LENGTH), beats.eq(1)]
                with m.If(comes & ~count[0]):
                    m.d.sync += self.room.eq(self.word)
                with m.If(final):
                    m.d.sync += [self.buffer.eq(self.word), self.block.eq(chosen.block)]
                    with m.If(~bad & (chosen.first | chosen.tail)):
                        m.d.sync += [self.found.eq(1), state.eq(State.ANSWER)]
                        m.d.sync += full.eq(full & ~Mux(chosen.first & chosen.tail, at_queue, 0))
                        m.d.comb += [
                            put_head.en.eq(~chosen.tail),
                            put_head.data.eq(chosen.link[PLACE_BITS:]),
                            put_tail.en.eq(~chosen.first),
                            put_tail.data.eq(chosen.before),
                        ]
                    with m.Else():
                        m.d.sync += state.eq(State.UNLINK)
            with m.Case(State.UNLINK):
                m.d.comb += [
                    writes.eq(1),
                    target.eq(chosen.before),
                    place.eq(Word.LINK),
                    value.eq(chosen.link),
                ]
                with m.If(done):
                    m.d.sync += state.eq(State.ANSWER)
                    m.d.sync += self.found.eq(~bad)
            with m.Case(State.ANSWER):
                m.d.sync += state.eq(State.IDLE)
        # The end of a list: the special queue comes after the bucket.
        there = [each.there for each in found]
        now = (state == State.WALK) & match
        with m.If(ended):
            with m.If(~which):
                m.d.sync += [which.eq(1), queue.eq(special), state.eq(State.ENTER)]
            with m.Elif(there[0] & now):
                m.d.sync += [which.eq(0), state.eq(State.NUMBERS)]
            with m.Elif(there[0]):
                m.d.sync += [
                    which.eq(0),
                    queue.eq(hashed(kept["source"], kept["type"])),
                    state.eq(State.FETCH),
                ]
            with m.Else():
                m.d.sync += state.eq(Mux(now, State.FETCH, State.ANSWER))
        with m.If(done & bad):
            m.d.sync += [self.failed.eq(1), state.eq(State.ANSWER)]
            m.d.sync += self.block.eq(Mux(state == State.WALK, current, chosen.block))
        return m
