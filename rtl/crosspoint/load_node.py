"""Load node: traffic source and checker of one node, to measure a crosspoint network under load."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.load import (
    BACKLOG_BITS,
    NUMBER_BITS,
    WORDS_BITS,
    Policy,
    check_load,
    settings,
)
from cubecast.golden.crosspoint.contract.word import KIND_BITS, Kind
from cubecast.rtl.common.traffic_pattern import follow, xorshift
from cubecast.rtl.crosspoint.link import Eject, Inject

__all__ = ["LoadNode", "signature"]


class Sent(wiring.Signature):
    """What a load node tells of the words that its router takes.

    Parameters
    ----------
    config : CrosspointConfig
        Gives the dimension and the width of a word.
    """

    def __init__(self, config: CrosspointConfig):
        n = config.dim
        widths = {"valid": 1, "head": 1, "closes": 1, "left": WORDS_BITS, "kind": KIND_BITS, "r1": n, "r2": n}
        widths |= {"everyone": 1, "data": config.width}
        super().__init__({name: Out(bits) for name, bits in widths.items()})


class Came(wiring.Signature):
    """What a load node tells of the words that come, and of a packet in the cycle after its last word.

    Parameters
    ----------
    config : CrosspointConfig
        Gives the dimension.
    """

    def __init__(self, config: CrosspointConfig):
        widths = {"valid": 1, "done": 1, "source": config.dim, "number": NUMBER_BITS, "words": WORDS_BITS, "bad": 1}
        super().__init__({name: Out(bits) for name, bits in widths.items()})


class LoadNode(wiring.Component):
    """Generate messages at random times, cut them into packets, and check the packets that come.

    Messages wait in a queue without end. A packet's first word (after the bitmap, if it has one) names its source and
    its number, the others follow from it, so that whoever gets it knows whether it is whole. What is drawn depends on
    the seeds alone and not on what the network does.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the router: words of at least 32 bits, and with multicast packets of at least 2 words.

    Ports
    -----
    address : in, n
        Strap: the node's address.
    arrival_seed, target_seed, way_seed, length_seed : in, 32
        Seeds, not 0: when messages arrive; where they go; what kind they are and which way they take; their words.
    rate : in, 25
        Messages per cycle, in 2**-24.
    length, spread, other, other_share : in, 8, 8, 8, 17
        Words of a message: ``other`` for this share in 2**-16, for the others so many numbers from ``length`` on.
    fixed, share : in, n, 17
        Relative destination of this share of the unicasts, in 2**-16; the others go to any other node.
    policy : in, 2
        How r1 and r2 of a unicast are chosen.
    broadcast, listed, members : in, 17, 17, n
        Shares of broadcasts, and of broadcasts and lists together; nodes of a list.
    reached, free, way_k, spanned : in, 2**n
        By relative destination, with fault tolerance: a unicast can go there; on any way of the policy; else these are
        the bits k of r1; lists and broadcasts can go there.
    load, enable : in
        Take the seeds; let messages arrive.
    inject__*, eject__*
        Packets to the router and from it; always taken.
    arrived, idle : out
        A message has arrived; none waits.
    draws, refused : out
        A message is drawn, by the settings of this cycle; one leaves without a packet, for nobody of it is reached.
    sent__valid, ..._head, ..._closes, ..._left, ..._kind, ..._r1, ..._r2, ..._everyone, ..._data : out
        1, 1, 1, 8, 2, n, n, 1, w bits. A word is taken; it is a packet's first; the packet is a message's final one;
        words of the message that are left; the word; the message is a broadcast. 0 without a word.
    came__valid, ..._done, ..._source, ..._number, ..._words, ..._bad : out, 1, 1, n, 22, 8, 1
        A word came. A packet ended in the cycle before: who sent it, its number, its words; whether any was wrong.

    Raises
    ------
    ValueError
        Words are too narrow or packets too short.
    """

    def __init__(self, config: CrosspointConfig):
        check_load(config)
        self.config = config
        router = {"inject": Out(Inject(config)), "eject": In(Eject(config))}
        super().__init__({**signature(config), **router})

    def elaborate(self, platform):
        """Build source and sink."""
        m = Module()
        self._source(m)
        self._sink(m)
        return m

    def _source(self, m):
        """Build the queue of messages, what is drawn, and the packets."""
        config, inject, sent = self.config, self.inject, self.sent
        n, limit = config.dim, config.packet_limit
        x, y, z, q = Signal(32), Signal(32), Signal(32), Signal(32)
        seeded, new, draw, leaves = Signal(), Signal(), Signal(), Signal()
        backlog = Signal(BACKLOG_BITS)
        self.drawn, self.building, self.lost, self.everyone = Signal(), Signal(), Signal(), Signal()
        self.kind, self.r1, self.r2 = Signal(KIND_BITS), Signal(n), Signal(n)
        # From bit 0 on: the block that goes out, and whether another one does after it.
        self.block, self.block_r1, self.more, self.finish = Signal(config.bitmap_bits), Signal(n), Signal(), Signal()
        m.d.comb += [
            new.eq(self.enable & (x[:24] < self.rate)),
            draw.eq(seeded & ~self.load & (leaves | (~self.drawn & ~self.building))),
            self.draws.eq(draw),
            self.idle.eq(backlog == 0),
        ]
        with m.If(self.load):
            seeds = (self.arrival_seed, self.target_seed, self.way_seed, self.length_seed)
            m.d.sync += [*(mine.eq(seed) for mine, seed in zip((x, y, z, q), seeds, strict=True)), seeded.eq(1)]
        with m.Else():
            with m.If(self.enable):
                m.d.sync += x.eq(xorshift(m, x))
            m.d.sync += [self.arrived.eq(new), backlog.eq(backlog + new - leaves)]
            with m.If(draw | self.building):
                m.d.sync += [y.eq(xorshift(m, y)), z.eq(xorshift(m, z))]
            with m.If(draw):
                m.d.sync += q.eq(xorshift(m, q))
        self._draw(m, draw, y, z)
        left, index, number = Signal(WORDS_BITS), Signal(WORDS_BITS), Signal(NUMBER_BITS)
        whole, length = Signal(WORDS_BITS), Signal(WORDS_BITS)
        ready = Signal()
        word, mapped = Signal(config.width), Signal()
        listed, mapping, moved, most = Signal(), Signal(), Signal(), Signal(WORDS_BITS)
        m.d.comb += [
            listed.eq(self.kind == Kind.BITMAP),
            mapping.eq(listed & ~mapped),
            most.eq(Mux(listed, limit - 1, limit)),
            length.eq(Mux(q[:16] < self.other_share, self.other, self.length + (q[16:] * self.spread)[16:])),
            ready.eq(seeded & ~self.load & self.drawn & (backlog != 0)),
            self.refused.eq(ready & self.lost),
            inject.valid.eq(ready & ~self.lost),
            moved.eq(inject.valid & inject.ready),
            inject.data.eq(Mux(mapping, self.block, Mux(index == 0, Cat(number, self.address), word))),
            inject.last.eq(~mapping & ((left == 1) | (index == most - 1))),
            inject.kind.eq(self.kind),
            inject.r1.eq(Mux(listed, self.block_r1, self.r1)),
            inject.r2.eq(Mux(listed, 0, self.r2)),
            self.finish.eq(moved & ~mapping & (left == 1)),
            leaves.eq(self.refused | (self.finish & ~self.more)),
            sent.valid.eq(moved),
            sent.head.eq(moved & (index == 0) & ~mapped),
            sent.closes.eq(sent.head & (left <= most) & ~self.more),
            sent.left.eq(Mux(sent.head, left, 0)),
            sent.everyone.eq((moved | self.refused) & self.everyone),
            sent.kind.eq(Mux(moved, inject.kind, 0)),
            sent.data.eq(Mux(moved, inject.data, 0)),
        ]
        for name in ("r1", "r2"):
            m.d.comb += getattr(sent, name).eq(Mux(moved | self.refused, getattr(inject, name), 0))
        with m.If(moved & mapping):
            m.d.sync += mapped.eq(1)
        with m.Elif(moved):
            m.d.sync += [word.eq(follow(inject.data)), index.eq(index + 1), left.eq(left - 1)]
            with m.If(inject.last):
                m.d.sync += [index.eq(0), mapped.eq(0), number.eq(number + 1)]
        with m.Elif(self.refused):
            m.d.sync += number.eq(number + 1)
        with m.If(draw):
            m.d.sync += [index.eq(0), mapped.eq(0), left.eq(length), whole.eq(length)]
        with m.Elif(self.finish):
            m.d.sync += left.eq(whole)

    def _draw(self, m, draw, y, z):
        """Build what a message becomes: in one cycle, or with a list node by node."""
        config = self.config
        n = config.dim
        random, found, relative, chosen = Signal(n), Signal(), Signal(n), Signal()
        for place in reversed(range(16 // n)):
            field = y[n * place : n * (place + 1)]
            with m.If(field.any()):
                m.d.comb += [random.eq(field), found.eq(1)]
        m.d.comb += [
            chosen.eq(y[16:] < self.share),
            relative.eq(Mux(chosen, self.fixed, random)),
        ]
        first, reached = Signal(n), Signal()
        some = z[16 : 16 + n]
        m.d.comb += [first.eq(relative), reached.eq(1)]
        if config.fault_tolerant:
            m.d.comb += reached.eq(self.reached.bit_select(relative, 1))
        if config.runs == 2:
            with m.Switch(self.policy):
                with m.Case(Policy.EITHER):
                    m.d.comb += first.eq(Mux(z[31], relative, 0))
                with m.Case(Policy.RANDOM):
                    m.d.comb += first.eq(relative & some)
                with m.Case(Policy.VALIANT):
                    # Ones from the lowest bit of the relative address on.
                    m.d.comb += first.eq(some & (relative | -relative)[:n])
            if config.fault_tolerant:
                with m.If(~self.free.bit_select(relative, 1)):
                    ways = [getattr(self, f"way_{k}") for k in range(n)]
                    m.d.comb += first.eq(Cat(way.bit_select(relative, 1) for way in ways))
        with m.If(draw):
            m.d.sync += [
                self.drawn.eq(chosen | found),
                self.lost.eq(~reached),
                self.everyone.eq(0),
                self.kind.eq(Kind.UNICAST),
                self.r1.eq(first),
                self.r2.eq(relative ^ first),
            ]
        if config.multicast:
            self._lists(m, draw, z[:16], random, found)

    def _lists(self, m, draw, choice, random, found):
        """Build broadcasts, and the lists with their blocks."""
        config = self.config
        n, b = config.dim, config.bitmap_dims
        bitmap, lacking = Signal(config.nodes), Signal(n)
        bit, named, added, still = Signal(config.nodes), Signal(), Signal(), Signal(n)
        spanned = self.spanned if config.fault_tolerant else ~C(1, config.nodes)
        blocks = config.nodes >> b
        done_blocks, waiting, current = Signal(blocks), Signal(blocks), Signal(blocks)
        m.d.comb += [
            named.eq(found & spanned.bit_select(random, 1)),
            bit.eq(Mux(named, 1 << random, 0)),
            added.eq((bit & ~bitmap).any()),
            still.eq(Mux(self.building, lacking - added, self.members - named)),
            waiting.eq(Cat(bitmap.word_select(i, 1 << b).any() for i in range(blocks)) & ~done_blocks),
            current.eq(waiting & -waiting),
            self.more.eq((self.kind == Kind.BITMAP) & (waiting & ~current).any()),
        ]
        for i in range(blocks):
            with m.If(current[i]):
                m.d.comb += [self.block.eq(bitmap.word_select(i, 1 << b)), self.block_r1.eq(i << b)]
        with m.If(self.finish):
            m.d.sync += done_blocks.eq(done_blocks | current)
        with m.If(draw):
            m.d.sync += done_blocks.eq(0)
            with m.If(choice < self.broadcast):
                m.d.sync += [
                    self.drawn.eq(1),
                    self.everyone.eq(1),
                    self.kind.eq(Mux(spanned[1:].all(), Kind.SUBCUBE, Kind.BITMAP)),
                    self.lost.eq(~spanned.any()),
                    self.r1.eq(0),
                    self.r2.eq(~0),
                    bitmap.eq(spanned),
                ]
            with m.Elif(choice < self.listed):
                m.d.sync += [
                    self.drawn.eq((still == 0) | ~spanned.any()),
                    self.building.eq((still != 0) & spanned.any()),
                    self.lost.eq(~spanned.any()),
                    self.kind.eq(Kind.BITMAP),
                    bitmap.eq(bit),
                    lacking.eq(still),
                ]
        with m.Elif(self.building & ~self.load):
            m.d.sync += [
                bitmap.eq(bitmap | bit),
                lacking.eq(still),
                self.building.eq(still != 0),
                self.drawn.eq(still == 0),
            ]

    def _sink(self, m):
        """Build what takes packets and checks their words."""
        eject, came = self.eject, self.came
        n = self.config.dim
        within, tagged, expected = Signal(), Signal(), Signal(self.config.width)
        skip, wrong = Signal(), Signal()
        m.d.comb += [
            eject.ready.eq(1),
            came.valid.eq(eject.valid),
            skip.eq(~within & (eject.kind == Kind.BITMAP)),
        ]
        m.d.sync += came.done.eq(eject.valid & eject.last)
        with m.If(eject.valid):
            with m.If(skip):
                m.d.sync += came.words.eq(0)
            with m.Elif(~tagged):
                m.d.comb += wrong.eq(eject.data[NUMBER_BITS + n :].any())
                m.d.sync += [
                    came.number.eq(eject.data[:NUMBER_BITS]),
                    came.source.eq(eject.data[NUMBER_BITS : NUMBER_BITS + n]),
                    came.words.eq(1),
                    expected.eq(follow(eject.data)),
                ]
            with m.Else():
                m.d.comb += wrong.eq(came.bad | (eject.data != expected))
                m.d.sync += [came.words.eq(came.words + 1), expected.eq(follow(expected))]
            m.d.sync += [
                came.bad.eq(wrong | (eject.last & (eject.error | skip))),
                within.eq(~eject.last),
                tagged.eq(~eject.last & ~skip),
            ]


def signature(config: CrosspointConfig) -> dict[str, wiring.Member]:
    """Return the ports of a load node beside those to its router.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the router.
    """
    return {
        "address": In(config.dim),
        **{name: In(bits) for name, bits in settings(config).items()},
        "load": In(1),
        "enable": In(1),
        "arrived": Out(1),
        "idle": Out(1),
        "draws": Out(1),
        "refused": Out(1),
        "sent": Out(Sent(config)),
        "came": Out(Came(config)),
    }
