"""Node registers: what the processor tells its interface, and what it is told."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import bits_for

from cubecast.golden.common.contract.units import DATA_BITS
from cubecast.golden.node.contract.block import Instruction
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.contract.registers import ADDRESS_BITS, Counter, Interrupt, Register, register_map
from cubecast.rtl.common.register_port import RegisterPort, packed, read
from cubecast.rtl.node.stream import NODE_BITS, REASON_BITS, STATUS_BITS, VISITED_BITS

__all__ = ["NodeRegisters"]


class NodeRegisters(wiring.Component):
    """Hold settings and counters; a write counts from the next cycle on.

    ``control__read_data`` is a register: what the address selects in cycle t is there in cycle t + 1.

    Parameters
    ----------
    config : NodeConfig
        Gives numbers of buffers and doorbells.

    Ports
    -----
    control__address, control__write, control__write_data, control__read_data : 8, 1, 32, 32
        Access by the processor.
    places, free, least : in
        Doorbells that have room; buffers that are free; the fewest there were.
    pending, lost, event__valid, event__reason, event__status, event__source, event__value : in, 7, 32, 1, 4, 8, 16, 32
        The event log.
    count, visit, visited : in, 8 and 1 and 5
        Strobes of the counters; blocks were compared, so many.
    enable, first, last, base, timeout : out, 1 and 32 each
        Settings.
    irq_enable, irq_clear, event_pop : out, 7 and 7 and 1
        To the event log; the latter two are strobes.

    Source: Buzzard 1988, section 4.1.1, has instructions of a coprocessor; the registers are this project's.
    """

    def __init__(self, config: NodeConfig):
        self.config = config
        event = {"valid": 1, "reason": REASON_BITS, "status": STATUS_BITS, "source": NODE_BITS, "value": DATA_BITS}
        super().__init__(
            {
                "control": In(RegisterPort(ADDRESS_BITS)),
                "places": In(bits_for(config.instructions)),
                "free": In(bits_for(config.buffers)),
                "least": In(bits_for(config.buffers)),
                "pending": In(len(Interrupt)),
                "lost": In(DATA_BITS),
                "event": In(wiring.Signature({name: Out(bits) for name, bits in event.items()})),
                "count": In(len(Counter)),
                "visit": In(1),
                "visited": In(VISITED_BITS),
                "enable": Out(1),
                **dict.fromkeys(("first", "last", "base", "timeout"), Out(DATA_BITS)),
                "irq_enable": Out(len(Interrupt)),
                "irq_clear": Out(len(Interrupt)),
                "event_pop": Out(1),
            }
        )

    def elaborate(self, platform):
        """Build the registers and the read multiplexer."""
        m = Module()
        control, event = self.control, self.event
        entries = {entry.address: entry for entry in register_map(self.config)}
        given = control.write_data
        settings = {
            Register.MEMORY_FIRST: self.first,
            Register.MEMORY_LAST: self.last,
            Register.BUFFERS: self.base,
            Register.TIMEOUT: self.timeout,
        }
        counters = [Signal(DATA_BITS, name=f"count_{each.name.lower()}") for each in Counter]
        visited = Signal(DATA_BITS)
        for number, setting in settings.items():
            with m.If(self._written(number) & ~self.enable):
                m.d.sync += setting.eq(given)
        with m.If(self._written(Register.ENABLE) & given[0]):
            m.d.sync += self.enable.eq(1)
        with m.If(self._written(Register.IRQ_ENABLE)):
            m.d.sync += self.irq_enable.eq(given)
        m.d.comb += [
            self.irq_clear.eq(Mux(self._written(Register.IRQ_STATUS), given, 0)),
            self.event_pop.eq(self._written(Register.EVENT)),
        ]
        for counter, strobe in zip(counters, self.count, strict=True):
            with m.If(strobe):
                m.d.sync += counter.eq(counter + 1)
        with m.If(self.visit):
            m.d.sync += visited.eq(visited + self.visited)
        fields = {name: getattr(event, name) for name in ("valid", "reason", "status", "source")}
        head = packed(entries[Register.EVENT], **fields)
        shown = {
            **{Register.PLACES + each: self.places for each in Instruction},
            Register.ENABLE: self.enable,
            **settings,
            Register.IRQ_STATUS: self.pending,
            Register.IRQ_ENABLE: self.irq_enable,
            Register.EVENT: Mux(event.valid, head, 0),
            Register.EVENT_VALUE: Mux(event.valid, event.value, 0),
            Register.EVENTS_LOST: self.lost,
            **{Register.COUNTER + k: counter for k, counter in enumerate(counters)},
            Register.FREE: self.free,
            Register.LEAST_FREE: self.least,
            Register.VISITED: visited,
        }
        read(m, control, shown)
        return m

    def _written(self, number):
        """Return whether a register is written."""
        return self.control.write & (self.control.address == number)
