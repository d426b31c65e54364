"""Message cutter: parts of messages, cut into packets."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.node.contract.block import LENGTH_BITS
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.contract.packet import EAGER_BITS, ENVELOPE, Kind
from cubecast.rtl.node.stream import Job, Part
from cubecast.rtl.node.unasked import unasked

__all__ = ["MessageCutter"]


class MessageCutter(wiring.Component):
    """Give out the packets of a part, one per cycle at most, the first in the cycle after the part was taken.

    Parameters
    ----------
    config : NodeConfig
        Gives the dimension, the width of a word and the longest packet.

    Ports
    -----
    part__valid, part__slots, part__destination, part__rest, part__type, part__length, part__eager, part__behind,
    part__others, part__mark, part__ticket, part__buffer, part__ready
        An offer, or the rest of a message.
    job__valid, job__slots, job__destination, job__kind, job__prefix, job__prefix_words, job__address, job__bytes,
    job__ready
        Its packets.
    cut : out
        Strobe: the final packet of the part is taken.

    Source: Buzzard 1988, sections 4.1.1 and 5.1.1 (first packets and later ones).
    """

    def __init__(self, config: NodeConfig):
        self.config = config
        super().__init__({"part": In(Part(config)), "job": Out(Job(config)), "cut": Out(1)})

    def elaborate(self, platform):
        """Count bytes and packets."""
        m = Module()
        config, part, job = self.config, self.part, self.job
        names = [name for name in part.signature.members if name not in ("valid", "ready")]
        kept = {name: Signal(len(getattr(part, name)), name=f"part_{name}") for name in names}
        busy, first, odd = Signal(), Signal(), Signal()
        offset, count = Signal(LENGTH_BITS + 1), Signal(EAGER_BITS)
        ahead, room, taken = Signal(LENGTH_BITS + 1), Signal(8), Signal()
        envelope = {"rest": kept["others"]}
        prefix = Cat(envelope.get(field.name.lower(), kept.get(field.name.lower())) for field in ENVELOPE)
        final = (ahead <= room) | (~kept["rest"] & (count == 0))
        m.d.comb += [
            part.ready.eq(~busy),
            ahead.eq(kept["length"] - offset),
            room.eq(Mux(first, config.first_bytes, config.packet_bytes)),
            job.valid.eq(busy),
            job.slots.eq(kept["slots"]),
            job.destination.eq(kept["destination"]),
            job.kind.eq(Mux(first, Kind.FIRST, Mux(odd, Kind.MORE, Kind.EVEN))),
            job.prefix.eq(Mux(first, prefix, 0)),
            job.prefix_words.eq(Mux(first, config.prefix_words, 0)),
            job.address.eq(kept["buffer"] + offset),
            job.bytes.eq(Mux(ahead < room, ahead, room)),
            taken.eq(job.valid & job.ready),
            self.cut.eq(taken & final),
        ]
        with m.If(part.valid & part.ready):
            m.d.sync += [kept[name].eq(getattr(part, name)) for name in names]
            m.d.sync += [
                busy.eq(1),
                first.eq(~part.rest),
                offset.eq(Mux(part.rest, unasked(config, part.eager), 0)),
                count.eq(part.eager - 1),
                odd.eq(part.eager[0]),
            ]
        with m.If(taken):
            m.d.sync += [first.eq(0), odd.eq(first | ~odd), offset.eq(offset + job.bytes), count.eq(count - 1)]
        with m.If(self.cut):
            m.d.sync += busy.eq(0)
        return m
