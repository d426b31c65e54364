"""Collective receiver: reads the header of what the ejection port brings."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.segment import Kind, Reading
from cubecast.rtl.collective.bundle import Bundle
from cubecast.rtl.collective.segment import HEADER
from cubecast.rtl.multicast.link import Words

__all__ = ["CollectiveReceiver"]


class CollectiveReceiver(wiring.Component):
    """Follow the words of a delivery, keep the fields of the first header word, and tell what each word is.

    Only a ring's words can wait; all others are taken in the cycle in which they are offered.

    Parameters
    ----------
    config : CollectiveConfig
        Gives the format of a message.

    Ports
    -----
    i__valid, i__data, i__last, i__error, i__ready
        Deliveries, from the ejection port.
    ring_ready : in
        A word of a ring's message can be taken.
    cut_short : in
        The operation ends: the rest of a message is dropped.
    phase : out, 3
        Which word comes next; a register.
    arrival__* : out
        ``kind``, ``is_final``, ``stage`` and ``hops``, fields of the last first header word, are registers; strobes
        ``head``, the second header word is taken, ``word``, a word of the piece is, and ``message_end``, a whole
        header's message ends; ``argument``, the low bits of the word.
    bad : out
        Strobe: a message ends within its header or with ``error``.
    offer__* : out
        ``offered``, there is a word, and its message is not dropped; ``data``, ``last`` and ``error``, which is the
        word's only with ``last``.

    Source: Leu and Kuo, the tree merge; Lin and Chen, section 1, the ring; segments are this project's.
    """

    def __init__(self, config: CollectiveConfig):
        self.config = config
        super().__init__(
            {
                "i": In(Words(config.router)),
                "ring_ready": In(1),
                "cut_short": In(1),
                "phase": Out(Reading),
                "arrival": Out(Bundle(config, "arrival")),
                "bad": Out(1),
                "offer": Out(Bundle(config, "offer")),
            }
        )

    def elaborate(self, platform):
        """Build the phase and the fields."""
        m = Module()
        i, phase, arrival, offer = self.i, self.phase, self.arrival, self.offer
        taken, told, headed = Signal(), Signal(), Signal()
        dropping = Signal()
        following = Signal(Reading)
        m.d.comb += [
            headed.eq((phase == Reading.ARGUMENT) | (phase == Reading.BODY)),
            i.ready.eq(Mux((arrival.kind == Kind.RING) & headed, self.ring_ready | dropping, 1)),
            taken.eq(i.valid & i.ready),
            following.eq(phase),
            told.eq(taken & ~dropping),
            arrival.head.eq(told & (phase == Reading.ARGUMENT)),
            arrival.word.eq(told & (phase == Reading.BODY)),
            arrival.message_end.eq(told & i.last & headed),
            self.bad.eq(taken & i.last & (~headed | offer.error)),
            offer.offered.eq(i.valid & ~dropping),
            arrival.argument.eq(i.data),
            offer.data.eq(i.data),
            offer.last.eq(i.last),
            offer.error.eq(i.error & i.last),
        ]
        with m.If(taken):
            with m.Switch(phase):
                with m.Case(Reading.CONTROL):
                    m.d.comb += following.eq(Reading.SOURCE if self.config.router.source_field else Reading.KIND)
                with m.Case(Reading.SOURCE):
                    m.d.comb += following.eq(Reading.KIND)
                with m.Case(Reading.KIND):
                    m.d.comb += following.eq(Reading.ARGUMENT)
                    m.d.sync += Cat(getattr(arrival, name) for name, _ in HEADER).eq(i.data[: HEADER.size])
                with m.Default():
                    m.d.comb += following.eq(Reading.BODY)
            with m.If(i.last):
                m.d.comb += following.eq(Reading.CONTROL)
        m.d.sync += phase.eq(following)
        with m.If(self.cut_short & ((following == Reading.ARGUMENT) | (following == Reading.BODY))):
            m.d.sync += dropping.eq(1)
        with m.Elif(taken & i.last):
            m.d.sync += dropping.eq(0)
        return m
