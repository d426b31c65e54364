"""Message cutter: parts of messages, cut into packets."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.node.contract.block import LENGTH_BITS
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.contract.packet import EAGER_BITS, ENVELOPE, TURN, Kind
from cubecast.rtl.node.stream import Back, Job, Part

__all__ = ["MessageCutter"]


class MessageCutter(wiring.Component):
    """Give out the packets of a part, one per cycle at most, the first in the cycle after the part was taken.

    Parameters
    ----------
    config : NodeConfig
        Gives the dimension, the width of a word and the longest packet.

    Ports
    -----
    part__valid, part__slots, part__destination, part__rest, part__offset, part__odd, part__type, part__length,
    part__eager, part__behind, part__others, part__mark, part__ticket, part__buffer, part__ready
        An offer, or the rest of a message from some byte on.
    preempt : in
        Others wait: a rest gives way to them, when it has had its turn.
    job__valid, job__slots, job__destination, job__kind, job__prefix, job__prefix_words, job__address, job__bytes,
    job__ready
        Its packets.
    back__valid, back__offset, back__odd, back__ready : out, 1, 20, 1; in, 1
        Where a rest has stopped that gives way.
    cut : out
        Strobe: the final packet of the part is taken, or the part gives way.

    Source: Buzzard 1988, sections 4.1.1 and 5.1.1 (first packets and later ones).
    """

    def __init__(self, config: NodeConfig):
        self.config = config
        super().__init__(
            {
                "part": In(Part(config)),
                "preempt": In(1),
                "job": Out(Job(config)),
                "back": Out(Back()),
                "cut": Out(1),
            }
        )

    def elaborate(self, platform):
        """Count bytes and packets."""
        m = Module()
        config, part, job = self.config, self.part, self.job
        names = [name for name in part.signature.members if name not in ("valid", "ready", "offset", "odd")]
        kept = {name: Signal(len(getattr(part, name)), name=f"part_{name}") for name in names}
        busy, first, odd = Signal(), Signal(), Signal()
        offset, count = Signal(LENGTH_BITS + 1), Signal(EAGER_BITS)
        ahead, room, taken, stops = Signal(LENGTH_BITS + 1), Signal(8), Signal(), Signal()
        envelope = {"rest": kept["others"]}
        prefix = Cat(envelope.get(field.name.lower(), kept.get(field.name.lower())) for field in ENVELOPE)
        final = (ahead <= room) | (~kept["rest"] & (count == 0))
        m.d.comb += [
            part.ready.eq(~busy & ~self.back.valid),
            ahead.eq(kept["length"] - offset),
            room.eq(Mux(first, config.first_bytes, config.packet_bytes)),
            stops.eq(busy & kept["rest"] & self.preempt & (count == 0)),
            self.back.offset.eq(offset),
            self.back.odd.eq(odd),
            job.valid.eq(busy & ~stops),
            job.slots.eq(kept["slots"]),
            job.destination.eq(kept["destination"]),
            job.kind.eq(Mux(first, Kind.FIRST, Mux(odd, Kind.MORE, Kind.EVEN))),
            job.prefix.eq(Mux(first, prefix, 0)),
            job.prefix_words.eq(Mux(first, config.prefix_words, 0)),
            job.address.eq(kept["buffer"] + offset),
            job.bytes.eq(Mux(ahead < room, ahead, room)),
            taken.eq(job.valid & job.ready),
            self.cut.eq(stops | (taken & final)),
        ]
        with m.If(part.valid & part.ready):
            m.d.sync += [kept[name].eq(getattr(part, name)) for name in names]
            m.d.sync += [
                busy.eq(1),
                first.eq(~part.rest),
                offset.eq(Mux(part.rest, part.offset, 0)),
                count.eq(Mux(part.rest, TURN, part.eager - 1)),
                odd.eq(part.odd),
            ]
        with m.If(taken):
            m.d.sync += [first.eq(0), odd.eq(first | ~odd), offset.eq(offset + job.bytes)]
            m.d.sync += count.eq(Mux(count == 0, 0, count - 1))
        with m.If(self.cut):
            m.d.sync += busy.eq(0)
        with m.If(stops):
            m.d.sync += self.back.valid.eq(1)
        with m.Elif(self.back.ready):
            m.d.sync += self.back.valid.eq(0)
        return m
