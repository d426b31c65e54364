"""Packet maker: packets of words from memory, injected one after the other."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import bits_for

from cubecast.golden.node.contract.config import PREFIX_BITS, NodeConfig
from cubecast.golden.packet.contract.packet import KIND_BITS
from cubecast.rtl.node.fifo import Fifo
from cubecast.rtl.node.stream import WORD_ADDRESS_BITS, WORD_BITS, Job, Read

__all__ = ["PacketMaker"]

DEPTH = 32
"""Words of memory that are kept."""

MOST = 16
"""Words of one read."""


class PacketMaker(wiring.Component):
    """Inject the packet of a job, while the words of the next one are read.

    A job taken in cycle t has its destination offered in cycle t + 1, when nothing is before it, and its read too.

    Parameters
    ----------
    config : NodeConfig
        Gives the dimension, the width of a word and the longest packet.

    Ports
    -----
    job__valid, job__slots, job__destination, job__kind, job__prefix, job__prefix_words, job__address, job__bytes,
    job__ready : 1, n, n, 2, 48, 2, 32, 8, 1
        Packets to be made.
    reader__valid, reader__address, reader__beats, reader__ready : 1, 30, 4, 1
        Words that are wanted.
    served, word, word_error : in, 1 and 32 and 1
        Words that were wanted.
    inject__valid, inject__data, inject__last, inject__slots, inject__kind, inject__ready : 1, W, 1, n, 2, n
        Words of the packet, as the router takes them.
    sent, failed : out
        Strobe: the packet is injected; memory gave an error for some word of it.

    Source: Buzzard 1988, section 5.4.6 (sending of packets by the main control unit).
    """

    def __init__(self, config: NodeConfig):
        self.config = config
        n = config.dim
        inject = {
            "valid": Out(1),
            "data": Out(config.width),
            "last": Out(1),
            "slots": Out(n),
            "kind": Out(KIND_BITS),
            "ready": In(n),
        }
        super().__init__(
            {
                "job": In(Job(config)),
                "reader": Out(Read()),
                "served": In(1),
                "word": In(WORD_BITS),
                "word_error": In(1),
                "inject": Out(wiring.Signature(inject)),
                "sent": Out(1),
                "failed": Out(1),
            }
        )

    def elaborate(self, platform):
        """Keep two jobs: one that is injected, and one that is fetched."""
        m = Module()
        names = [name for name in self.job.signature.members if name not in ("valid", "ready")]
        following = {name: Signal(len(getattr(self.job, name)), name=f"next_{name}") for name in names}
        now = {name: Signal(len(getattr(self.job, name)), name=f"now_{name}") for name in names}
        loaded = {name: Signal(len(getattr(self.job, name)), name=f"loaded_{name}") for name in names}
        next_valid, now_valid, load, taken = Signal(), Signal(), Signal(), Signal()
        words = Fifo(m, "fetched", "distributed", shape=WORD_BITS + 1, depth=DEPTH)
        left = self._fetch(m, words)
        m.d.comb += [
            self.job.ready.eq(~next_valid & (left == 0)),
            taken.eq(self.job.valid & self.job.ready),
            load.eq((next_valid | taken) & (~now_valid | self.sent)),
            *(loaded[name].eq(Mux(next_valid, following[name], getattr(self.job, name))) for name in names),
        ]
        with m.If(taken):
            m.d.sync += [next_valid.eq(1), *(following[name].eq(getattr(self.job, name)) for name in names)]
        with m.If(load):
            m.d.sync += [next_valid.eq(0), now_valid.eq(1), *(now[name].eq(loaded[name]) for name in names)]
        with m.Elif(self.sent):
            m.d.sync += now_valid.eq(0)
        self._inject(m, words, now, now_valid, load, loaded)
        return m

    def _fetch(self, m, words):
        """Read the words of the job that was taken last; return how many are not yet asked for."""
        job, reader = self.job, self.reader
        at, left = Signal(WORD_ADDRESS_BITS), Signal(bits_for(64))
        promised, beats, asked = Signal(bits_for(DEPTH)), Signal(bits_for(MOST)), Signal()
        m.d.comb += [
            reader.valid.eq((left != 0) & (words.level + promised <= DEPTH - MOST)),
            reader.address.eq(at),
            beats.eq(Mux(left > MOST, MOST, left)),
            reader.beats.eq(beats - 1),
            asked.eq(reader.valid & reader.ready),
            words.push.eq(self.served),
            words.data.eq(Cat(self.word, self.word_error)),
        ]
        m.d.sync += promised.eq(promised + Mux(asked, beats, 0) - self.served)
        with m.If(job.valid & job.ready):
            m.d.sync += [
                at.eq(job.address[2:]),
                left.eq(Mux(job.bytes == 0, 0, (job.address[:2] + job.bytes + 3) >> 2)),
            ]
        with m.Elif(asked):
            m.d.sync += [at.eq(at + beats), left.eq(left - beats)]
        return left

    def _inject(self, m, words, now, now_valid, load, loaded):
        """Put destination, prefix and data together."""
        config, inject = self.config, self.inject
        width, size = config.width, config.word_bytes
        place, rest = Signal(range(config.router.max_words + 1)), Signal(len(now["bytes"]))
        half, fault = Signal(), Signal()
        early, moved, body = Signal(), Signal(), Signal()
        prefix = Cat(now["prefix"], C(0, 64 - PREFIX_BITS))
        word, data = Signal(width), Signal(width)
        m.d.comb += [
            word.eq(Mux(half, words.head[width : 2 * width], words.head[:width]) if width < WORD_BITS else words.head),
            early.eq(place <= now["prefix_words"]),
            inject.valid.eq(now_valid & (early | (words.level != 0))),
            inject.last.eq(Mux(early, (place == now["prefix_words"]) & (rest == 0), rest <= size)),
            inject.slots.eq(now["slots"]),
            inject.kind.eq(now["kind"]),
            moved.eq(inject.valid & ~(now["slots"] & ~inject.ready).any()),
            body.eq(moved & ~early),
            words.pop.eq(body & ((half | inject.last) if width < WORD_BITS else 1)),
            self.sent.eq(moved & inject.last),
            self.failed.eq(self.sent & (fault | (body & words.head[WORD_BITS]))),
        ]
        for byte in range(size):
            m.d.comb += data.word_select(byte, 8).eq(Mux(byte < rest, word.word_select(byte, 8), 0))
        with m.If(place == 0):
            m.d.comb += inject.data.eq(now["destination"])
        with m.Elif(early):
            m.d.comb += inject.data.eq(prefix.word_select((place - 1)[:2], width))
        with m.Else():
            m.d.comb += inject.data.eq(data)
        with m.If(moved):
            m.d.sync += place.eq(place + 1)
        with m.If(body):
            m.d.sync += [
                rest.eq(Mux(rest > size, rest - size, 0)),
                half.eq(~half if width < WORD_BITS else 0),
                fault.eq(fault | words.head[WORD_BITS]),
            ]
        with m.If(load):
            m.d.sync += [
                place.eq(0),
                half.eq(loaded["address"][1] if width < WORD_BITS else 0),
                rest.eq(loaded["bytes"]),
                fault.eq(0),
            ]
