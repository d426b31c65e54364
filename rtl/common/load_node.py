"""Load node: traffic source and checker of one node, to measure a network of any routers under load."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.common.contract.load import (
    BACKLOG_BITS,
    KIND_BITS,
    WORDS_BITS,
    Kind,
    LoadShape,
    Policy,
    settings,
)
from cubecast.rtl.common.traffic_pattern import follow, xorshift

__all__ = ["LoadNode", "signature"]


class Sent(wiring.Signature):
    """What a load node tells of the words that its router takes.

    Parameters
    ----------
    shape : LoadShape
        Gives the dimension and the nodes of a block.
    """

    def __init__(self, shape: LoadShape):
        n = shape.dim
        widths = {"valid": 1, "begins": 1, "closes": 1, "left": WORDS_BITS, "whom": KIND_BITS, "r1": n, "r2": n}
        widths |= {"everyone": 1, "block": shape.block}
        super().__init__({name: Out(bits) for name, bits in widths.items()})


class Came(wiring.Signature):
    """What a load node tells of the words that come, and of a packet in the cycle after its last word.

    Parameters
    ----------
    shape : LoadShape
        Gives the dimension and the bits of a number.
    """

    def __init__(self, shape: LoadShape):
        widths = {"valid": 1, "done": 1, "source": shape.dim, "number": shape.number_bits}
        widths |= {"words": WORDS_BITS, "bad": 1}
        super().__init__({name: Out(bits) for name, bits in widths.items()})


class Inject(wiring.Signature):
    """Stream of the words of a load node's packets; a word moves in a cycle with ``valid & ready``.

    ``kind``, ``r1``, ``r2`` and ``block`` say whom the packet is for, in all of its words. ``final``: the word is the
    message's last one to these nodes. A router whose packets begin with words of its own takes these with ``heading``,
    and the node's word stays; ``headed``: one of them has been taken, or a bitmap.

    Parameters
    ----------
    shape : LoadShape
        Gives the dimension, the width of a word and the nodes of a block.
    """

    def __init__(self, shape: LoadShape):
        n = shape.dim
        widths = {"valid": 1, "data": shape.width, "last": 1, "kind": KIND_BITS, "r1": n, "r2": n}
        widths |= {"block": shape.block, "final": 1, "headed": 1}
        super().__init__({**{name: Out(bits) for name, bits in widths.items()}, "heading": In(1), "ready": In(1)})


class Eject(wiring.Signature):
    """Stream of the words of packets that come; always taken. ``kind`` counts with the first word of a packet.

    Parameters
    ----------
    shape : LoadShape
        Gives the width of a word.
    """

    def __init__(self, shape: LoadShape):
        widths = {"valid": 1, "data": shape.width, "last": 1, "error": 1, "kind": KIND_BITS}
        super().__init__({**{name: Out(bits) for name, bits in widths.items()}, "ready": In(1)})


class LoadNode(wiring.Component):
    """Generate messages at random times, cut them into packets, and check the packets that come.

    Messages wait in a queue; while it is full, none arrives. A packet's first word (after the bitmap, if it has one)
    names its source and its number, the others follow from it, so that whoever gets it knows whether it is whole. What
    is drawn depends on the seeds alone and not on what the network does.

    Parameters
    ----------
    shape : LoadShape
        What the router takes.

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
        By relative destination, with ``tables``: a unicast can go there; on any way of the policy; else these are
        the bits k of r1; lists and broadcasts can go there.
    load, enable : in
        Take the seeds; let messages arrive.
    inject__valid, ..._data, ..._last, ..._kind, ..._r1, ..._r2, ..._block, ..._final, ..._headed : out
        1, w, 1, 2, n, n, nodes of a block, 1, 1 bits. Packets to the router; with ``inject__heading``, in, and
        ``inject__ready``, in.
    eject__valid, ..._data, ..._last, ..._error, ..._kind : in, 1, w, 1, 1, 2
        Packets from the router; ``eject__ready`` is 1.
    arrived, idle : out
        A message has arrived; none waits.
    draws, refused : out
        A message is drawn, by the settings of this cycle; one leaves without a packet, for nobody of it is reached.
    sent__valid, ..._begins, ..._closes, ..._left, ..._whom, ..._r1, ..._r2, ..._everyone, ..._block : out
        1, 1, 1, 8, 2, n, n, 1, nodes of a block bits. A word is taken, none of ``heading``; the first word of a packet,
        of those too; the packet is a message's final one; words of the message that are left; whom it is for; the
        message is a broadcast. 0 without a word.
    came__valid, ..._done, ..._source, ..._number, ..._words, ..._bad : out, 1, 1, n, 10 to 22, 8, 1
        A word came, none of the router's own. A packet ended in the cycle before: who sent it, its number, its words;
        whether any was wrong.
    """

    def __init__(self, shape: LoadShape):
        self.shape = shape
        super().__init__({**signature(shape), "inject": Out(Inject(shape)), "eject": In(Eject(shape))})

    def elaborate(self, platform):
        """Build source and sink."""
        m = Module()
        self._source(m)
        self._sink(m)
        return m

    def _source(self, m):
        """Build the queue of messages, what is drawn, and the packets."""
        shape, inject, sent = self.shape, self.inject, self.sent
        n = shape.dim
        x, y, z, q = Signal(32), Signal(32), Signal(32), Signal(32)
        seeded, new, draw, leaves = Signal(), Signal(), Signal(), Signal()
        backlog = Signal(BACKLOG_BITS)
        self.drawn, self.building, self.lost, self.everyone = Signal(), Signal(), Signal(), Signal()
        self.kind, self.r1, self.r2 = Signal(KIND_BITS), Signal(n), Signal(n)
        # From bit 0 on: the block that goes out, and whether another one does after it.
        self.block, self.block_r1, self.more, self.finish = Signal(shape.block), Signal(n), Signal(), Signal()
        m.d.comb += [
            # Where one more could not be counted none arrives: all that wait would be forgotten.
            new.eq(self.enable & (x[:24] < self.rate) & ~backlog.all()),
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
        left, index, number = Signal(WORDS_BITS), Signal(WORDS_BITS), Signal(shape.number_bits)
        whole, length = Signal(WORDS_BITS), Signal(WORDS_BITS)
        ready = Signal()
        word, headed = Signal(shape.width), Signal()
        listed, mapping, heading, moved, most = Signal(), Signal(), Signal(), Signal(), Signal(WORDS_BITS)
        m.d.comb += [
            listed.eq(self.kind == Kind.LIST),
            mapping.eq(listed & ~headed if shape.bitmaps else 0),
            heading.eq(mapping | inject.heading),
            most.eq(Mux(listed, shape.most(True), shape.most(False))),
            length.eq(Mux(q[:16] < self.other_share, self.other, self.length + (q[16:] * self.spread)[16:])),
            ready.eq(seeded & ~self.load & self.drawn & (backlog != 0)),
            self.refused.eq(ready & self.lost),
            inject.valid.eq(ready & ~self.lost),
            moved.eq(inject.valid & inject.ready),
            inject.data.eq(Mux(mapping, self.block, Mux(index == 0, Cat(number, self.address), word))),
            inject.last.eq(~mapping & (inject.final | (index == most - 1))),
            inject.kind.eq(self.kind),
            inject.r1.eq(Mux(listed, self.block_r1, self.r1)),
            inject.r2.eq(Mux(listed, 0, self.r2)),
            inject.block.eq(Mux(listed, self.block, 0)),
            inject.final.eq(~mapping & (left == 1)),
            inject.headed.eq(headed),
            self.finish.eq(moved & ~heading & inject.final),
            leaves.eq(self.refused | (self.finish & ~self.more)),
            sent.valid.eq(moved & ~inject.heading),
            sent.begins.eq(moved & (index == 0) & ~headed),
            sent.closes.eq(sent.begins & (left <= most) & ~self.more),
            sent.left.eq(Mux(sent.begins, left, 0)),
            sent.everyone.eq((moved | self.refused) & self.everyone),
            sent.whom.eq(Mux(moved, inject.kind, 0)),
            sent.block.eq(Mux(moved, inject.block, 0)),
        ]
        for name in ("r1", "r2"):
            m.d.comb += getattr(sent, name).eq(Mux(moved | self.refused, getattr(inject, name), 0))
        with m.If(moved & heading):
            m.d.sync += headed.eq(1)
        with m.Elif(moved):
            m.d.sync += [word.eq(follow(inject.data)), index.eq(index + 1), left.eq(left - 1)]
            with m.If(inject.last):
                m.d.sync += [index.eq(0), headed.eq(0), number.eq(number + 1)]
        with m.Elif(self.refused):
            m.d.sync += number.eq(number + 1)
        with m.If(draw):
            m.d.sync += [index.eq(0), headed.eq(0), left.eq(length), whole.eq(length)]
        with m.Elif(self.finish):
            m.d.sync += left.eq(whole)

    def _draw(self, m, draw, y, z):
        """Build what a message becomes: in one cycle, or with a list node by node."""
        shape = self.shape
        n = shape.dim
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
        if shape.tables:
            m.d.comb += reached.eq(self.reached.bit_select(relative, 1))
        if shape.runs == 2:
            with m.Switch(self.policy):
                with m.Case(Policy.EITHER):
                    m.d.comb += first.eq(Mux(z[31], relative, 0))
                with m.Case(Policy.RANDOM):
                    m.d.comb += first.eq(relative & some)
                with m.Case(Policy.VALIANT):
                    # Ones from the lowest bit of the relative address on.
                    m.d.comb += first.eq(some & (relative | -relative)[:n])
            if shape.tables:
                with m.If(~self.free.bit_select(relative, 1)):
                    ways = [getattr(self, f"way_{k}") for k in range(n)]
                    m.d.comb += first.eq(Cat(way.bit_select(relative, 1) for way in ways))
        with m.If(draw):
            m.d.sync += [
                self.drawn.eq(chosen | found),
                self.lost.eq(~reached),
                self.everyone.eq(0),
                self.kind.eq(Kind.ONE),
                self.r1.eq(first),
                self.r2.eq(relative ^ first),
            ]
        if shape.multicast:
            self._lists(m, draw, z[:16], random, found)

    def _lists(self, m, draw, choice, random, found):
        """Build broadcasts, and the lists with their blocks."""
        shape = self.shape
        n, b = shape.dim, shape.block_dims
        bitmap, lacking = Signal(shape.nodes), Signal(n)
        bit, named, added, still = Signal(shape.nodes), Signal(), Signal(), Signal(n)
        spanned = self.spanned if shape.tables else ~C(1, shape.nodes)
        blocks = shape.nodes >> b
        done_blocks, waiting, current = Signal(blocks), Signal(blocks), Signal(blocks)
        m.d.comb += [
            named.eq(found & spanned.bit_select(random, 1)),
            bit.eq(Mux(named, 1 << random, 0)),
            added.eq((bit & ~bitmap).any()),
            still.eq(Mux(self.building, lacking - added, self.members - named)),
            waiting.eq(Cat(bitmap.word_select(i, 1 << b).any() for i in range(blocks)) & ~done_blocks),
            current.eq(waiting & -waiting),
            self.more.eq((self.kind == Kind.LIST) & (waiting & ~current).any()),
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
                    self.kind.eq(Mux(spanned[1:].all(), Kind.ALL, Kind.LIST)),
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
                    self.kind.eq(Kind.LIST),
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
        shape = self.shape
        n, bits = shape.dim, shape.number_bits
        within, tagged, expected = Signal(), Signal(), Signal(shape.width)
        led, leading, skip, wrong = Signal(range(shape.lead + 1)), Signal(), Signal(), Signal()
        m.d.comb += [
            eject.ready.eq(1),
            leading.eq(led != shape.lead),
            came.valid.eq(eject.valid & ~leading),
            skip.eq(leading | (~within & (eject.kind == Kind.LIST) if shape.bitmaps else 0)),
        ]
        m.d.sync += came.done.eq(eject.valid & eject.last)
        with m.If(eject.valid):
            with m.If(skip):
                m.d.sync += came.words.eq(0)
            with m.Elif(~tagged):
                m.d.comb += wrong.eq(eject.data[bits + n :].any())
                m.d.sync += [
                    came.number.eq(eject.data[:bits]),
                    came.source.eq(eject.data[bits : bits + n]),
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
                led.eq(Mux(eject.last, 0, led + leading)),
            ]


def signature(shape: LoadShape) -> dict[str, wiring.Member]:
    """Return the ports of a load node beside those to its router.

    Parameters
    ----------
    shape : LoadShape
        What the router takes.
    """
    return {
        "address": In(shape.dim),
        **{name: In(bits) for name, bits in settings(shape).items()},
        "load": In(1),
        "enable": In(1),
        "arrived": Out(1),
        "idle": Out(1),
        "draws": Out(1),
        "refused": Out(1),
        "sent": Out(Sent(shape)),
        "came": Out(Came(shape)),
    }
