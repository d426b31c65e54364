"""Collective receiver: reads the header of what the ejection port brings."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.segment import ARGUMENT_BITS, Kind, Reading
from cubecast.rtl.collective.segment import HEADER, fields
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
    kind, is_final, stage, hops : out, 3 and 1 and 4 and 8
        Fields of the last first header word; registers.
    head, word, message_end, bad : out
        Strobes: the second header word is taken; a word of the piece is; a whole header's message ends; a message
        ends within its header or with ``error``.
    offered : out
        There is a word, and its message is not dropped.
    argument, data, last, error : out, 16 and w and 1 and 1
        The word; ``error`` only with ``last``.

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
                **fields(),
                "head": Out(1),
                "word": Out(1),
                "message_end": Out(1),
                "bad": Out(1),
                "offered": Out(1),
                "argument": Out(ARGUMENT_BITS),
                "data": Out(config.width),
                "last": Out(1),
                "error": Out(1),
            }
        )

    def elaborate(self, platform):
        """Build the phase and the fields."""
        m = Module()
        i, phase = self.i, self.phase
        taken, told, headed = Signal(), Signal(), Signal()
        dropping = Signal()
        following = Signal(Reading)
        m.d.comb += [
            headed.eq((phase == Reading.ARGUMENT) | (phase == Reading.BODY)),
            i.ready.eq(Mux((self.kind == Kind.RING) & headed, self.ring_ready | dropping, 1)),
            taken.eq(i.valid & i.ready),
            following.eq(phase),
            told.eq(taken & ~dropping),
            self.head.eq(told & (phase == Reading.ARGUMENT)),
            self.word.eq(told & (phase == Reading.BODY)),
            self.message_end.eq(told & i.last & headed),
            self.bad.eq(taken & i.last & (~headed | self.error)),
            self.offered.eq(i.valid & ~dropping),
            self.argument.eq(i.data),
            self.data.eq(i.data),
            self.last.eq(i.last),
            self.error.eq(i.error & i.last),
        ]
        with m.If(taken):
            with m.Switch(phase):
                with m.Case(Reading.CONTROL):
                    m.d.comb += following.eq(Reading.SOURCE if self.config.router.source_field else Reading.KIND)
                with m.Case(Reading.SOURCE):
                    m.d.comb += following.eq(Reading.KIND)
                with m.Case(Reading.KIND):
                    m.d.comb += following.eq(Reading.ARGUMENT)
                    m.d.sync += Cat(self.kind, self.is_final, self.stage, self.hops).eq(i.data[: HEADER.size])
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
