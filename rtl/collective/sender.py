"""Collective sender: composes router messages of segments."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.segment import ARGUMENT_BITS, Sending
from cubecast.rtl.collective.segment import HOPS_BITS, KIND_BITS, STAGE_BITS, asked
from cubecast.rtl.common.pointed_memory import Foreseen
from cubecast.rtl.multicast.link import Words

__all__ = [
    "CollectiveSender",
]


class CollectiveSender(wiring.Component):
    """Send one segment at a time, a word in every cycle in which one can move.

    Parameters
    ----------
    config : CollectiveConfig
        Gives the format of a message.

    Ports
    -----
    address : in, n
        Strap: the node's address.
    start : in
        Take what is to be sent; only while ``idle``.
    broadcast, distant, targets, destination : in, 1 and 1 and n and n
        To all nodes; to ``destination``; else to the neighbours in the dimensions of ``targets``.
    kind, is_final, stage, hops, argument : in, 3 and 1 and 4 and 8 and 16
        The header of the segment.
    body, from_pass, offset, length : in, 1 and 1 and c and c
        Words follow: those of the pass buffer up to one with ``last``, or ``length`` from place ``offset`` on.
    cut_short : in
        End the message, with ``error`` if a word of it has moved, and be idle.
    memory_data : in, w
        The word at ``pointer``.
    pass_valid, pass_data, pass_last, pass_error : in, 1 and w and 1 and 1
        The oldest word of the pass buffer; its message came with ``error``.
    idle : out
        Nothing is being sent.
    pointer : out, c
        Place of the word that is sent; a register.
    ahead : out, c
        What ``pointer`` will be in the next cycle if there is no reset; with ``memories`` = block.
    pop, done : out
        Strobes: a word of the pass buffer has moved; a message's last word has.
    o__valid, o__data, o__last, o__error, o__ready
        The messages, for the injection port.

    Source: Lan 1988, section 6.2 (message format); Leu and Kuo, the tree merge; segments are this project's.
    """

    def __init__(self, config: CollectiveConfig):
        self.config = config
        super().__init__(
            {
                "address": In(config.dim),
                "start": In(1),
                **asked(config),
                "cut_short": In(1),
                "memory_data": In(config.width),
                "pass_valid": In(1),
                "pass_data": In(config.width),
                "pass_last": In(1),
                "pass_error": In(1),
                "idle": Out(1),
                "pointer": Out(config.count_bits),
                **({"ahead": Out(config.count_bits)} if config.reads_ahead else {}),
                "pop": Out(1),
                "done": Out(1),
                "o": Out(Words(config.router)),
            }
        )

    def elaborate(self, platform):
        """Build the registers of the request, the steps, and what cuts them short."""
        m = Module()
        o = self.o
        step = Signal(Sending)
        moved = Signal()
        m.d.comb += [
            moved.eq(o.valid & o.ready),
            self.idle.eq(step == Sending.IDLE),
            self.done.eq(moved & o.last & (step != Sending.CUT)),
        ]
        self._steps(m, step, moved)
        with m.If(self.cut_short):
            with m.If((step == Sending.IDLE) | (moved & o.last) | ((step == Sending.COUNT) & ~moved)):
                m.d.sync += step.eq(Sending.IDLE)
            with m.Else():
                m.d.sync += step.eq(Sending.CUT)
        return m

    def _steps(self, m, step, moved):
        """Offer a word in each step, and go on when it moves."""
        config, o = self.config, self.o
        broadcast = Signal()
        distant = Signal()
        remaining = Signal(config.dim)
        destination = Signal(config.dim)
        header = Signal(KIND_BITS + 1 + STAGE_BITS + HOPS_BITS)
        argument = Signal(ARGUMENT_BITS)
        body = Signal()
        from_pass = Signal()
        torn = Signal()
        left = Signal(config.count_bits)
        rest = Signal(config.dim)
        reading = Foreseen(m, self.pointer, getattr(self, "ahead", None))
        m.d.comb += [rest.eq(remaining & (remaining - 1)), o.valid.eq(step != Sending.IDLE)]
        with m.Switch(step):
            with m.Case(Sending.IDLE), m.If(self.start):
                m.d.sync += [
                    broadcast.eq(self.broadcast),
                    distant.eq(self.distant),
                    remaining.eq(self.targets),
                    destination.eq(self.destination),
                    header.eq(Cat(self.kind, self.is_final, self.stage, self.hops)),
                    argument.eq(self.argument),
                    body.eq(self.body),
                    from_pass.eq(self.from_pass),
                    torn.eq(self.from_pass & self.pass_error),
                ]
                reading.becomes(self.offset)
                m.d.sync += [left.eq(self.length), step.eq(Sending.COUNT)]
            with m.Case(Sending.COUNT):
                ones = sum(remaining)
                m.d.comb += o.data.eq(Mux(broadcast, config.router.broadcast_k, Mux(distant, 1, ones)))
                with m.If(moved):
                    m.d.sync += step.eq(Mux(broadcast, Sending.CONTROL, Sending.LIST))
            with m.Case(Sending.LIST):
                m.d.comb += o.data.eq(Mux(distant, destination, self.address ^ (remaining & ~rest)))
                with m.If(moved):
                    m.d.sync += remaining.eq(rest)
                    with m.If(distant | (rest == 0)):
                        m.d.sync += step.eq(Sending.CONTROL)
            with m.Case(Sending.CONTROL):
                if config.router.fault_tolerant:
                    m.d.comb += o.data.eq(broadcast.replicate(config.dim))
                else:
                    m.d.comb += o.data.eq(self.address)
                with m.If(moved):
                    m.d.sync += step.eq(Sending.SOURCE if config.router.source_field else Sending.KIND)
            if config.router.source_field:
                with m.Case(Sending.SOURCE):
                    m.d.comb += o.data.eq(self.address)
                    with m.If(moved):
                        m.d.sync += step.eq(Sending.KIND)
            with m.Case(Sending.KIND):
                m.d.comb += o.data.eq(header)
                with m.If(moved):
                    m.d.sync += step.eq(Sending.ARGUMENT)
            with m.Case(Sending.ARGUMENT):
                m.d.comb += [o.data.eq(argument), o.last.eq(~body), o.error.eq(~body & torn)]
                with m.If(moved):
                    m.d.sync += step.eq(Mux(body, Sending.BODY, Sending.IDLE))
            with m.Case(Sending.BODY):
                m.d.comb += [
                    o.valid.eq(~from_pass | self.pass_valid),
                    o.data.eq(Mux(from_pass, self.pass_data, self.memory_data)),
                    o.last.eq(Mux(from_pass, self.pass_last, left == 1)),
                    o.error.eq(from_pass & self.pass_last & self.pass_error),
                    self.pop.eq(moved & from_pass),
                ]
                with m.If(moved & ~from_pass):
                    reading.becomes(self.pointer + 1)
                    m.d.sync += left.eq(left - 1)
                with m.If(moved & o.last):
                    m.d.sync += step.eq(Sending.IDLE)
            with m.Case(Sending.CUT):
                m.d.comb += [o.last.eq(1), o.error.eq(1)]
                with m.If(moved):
                    m.d.sync += step.eq(Sending.IDLE)
