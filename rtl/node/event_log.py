"""Event log: what interrupts tell of, and which of them are pending."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.contract.registers import Interrupt
from cubecast.rtl.node.fifo import Fifo
from cubecast.rtl.node.stream import NODE_BITS, REASON_BITS, STATUS_BITS, WORD_BITS, Event

__all__ = ["EventLog"]

PUTS = 2
"""Units that tell of something."""


class EventLog(wiring.Component):
    """Keep events in order, count those without room, and hold a bit for each reason.

    An event that is taken in cycle t is pending, and in the log, from cycle t + 1 on.

    Parameters
    ----------
    config : NodeConfig
        Gives the number of entries.

    Ports
    -----
    put__k__valid, put__k__reason, put__k__status, put__k__source, put__k__value, put__k__ready : 1, 4, 8, 16, 32, 1
        Events; those of ``put__0`` are always taken, and go first.
    enable, clear : in, 7 and 7
        Reasons that interrupt; reasons that are no longer pending.
    pop : in
        Remove the oldest event.
    irq, pending : out, 1 and 7
        Interrupt; reasons that have come since they were cleared.
    lost : out, 32
        Events that found no room.
    event__valid, event__reason, event__status, event__source, event__value : out
        The oldest event.

    Source: Buzzard 1988, section 4.1.1 (interrupts); the log is this project's.
    """

    def __init__(self, config: NodeConfig):
        self.config = config
        bits = {"valid": 1, "reason": REASON_BITS, "status": STATUS_BITS, "source": NODE_BITS, "value": WORD_BITS}
        reasons = len(Interrupt)
        super().__init__(
            {
                "put": In(Event()).array(PUTS),
                "enable": In(reasons),
                "clear": In(reasons),
                "pop": In(1),
                "irq": Out(1),
                "pending": Out(reasons),
                "lost": Out(WORD_BITS),
                "event": Out(wiring.Signature({name: Out(width) for name, width in bits.items()})),
            }
        )

    def elaborate(self, platform):
        """Choose an event, and keep or count it."""
        m = Module()
        depth = self.config.events
        bits = REASON_BITS + STATUS_BITS + NODE_BITS + WORD_BITS
        fifo = Fifo(m, "log", self.config.router.memories, shape=bits, depth=depth)
        first, second = self.put
        payloads = [Cat(each.reason, each.status, each.source, each.value) for each in self.put]
        event, comes, room, lost = Signal(bits), Signal(), Signal(), Signal()
        came = Signal(len(Interrupt))
        m.d.comb += [
            first.ready.eq(1),
            second.ready.eq(~first.valid),
            comes.eq(first.valid | second.valid),
            event.eq(Mux(first.valid, *payloads)),
            room.eq((fifo.level != depth) | self.pop),
            lost.eq(comes & ~room),
            fifo.push.eq(comes & room),
            fifo.data.eq(event),
            fifo.pop.eq(self.pop & (fifo.level != 0)),
            came.eq(Mux(comes, 1 << event[:REASON_BITS], 0)),
            self.irq.eq((self.pending & self.enable).any()),
            self.event.valid.eq(fifo.level != 0),
            Cat(self.event.reason, self.event.status, self.event.source, self.event.value).eq(fifo.head),
        ]
        m.d.sync += [
            self.pending.eq((self.pending & ~self.clear) | came | (lost << Interrupt.EVENT_LOST)),
            self.lost.eq(self.lost + lost),
        ]
        return m
