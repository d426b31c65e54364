"""Collective registers: what the host tells the collectives of its node, and reads of them."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.common.contract.units import DATA_BITS
from cubecast.rtl.collective.operation_unit import OPERATION_BITS
from cubecast.rtl.collective.segment import ARGUMENT_BITS, HOPS_BITS, STAGE_BITS
from cubecast.rtl.common.register_port import RegisterPort, read

__all__ = ["ADDRESS_BITS", "DIMENSION_BITS", "ENTRY_BITS", "STATE_BITS", "CollectiveRegisters"]

ADDRESS_BITS = 6
STATE_BITS = 4
ENTRY_BITS = 5
DIMENSION_BITS = 4

COMMAND, STATUS, RECEIVE, EXPECT, SENDS, SPREAD, RELAYS, NEXT, ENABLE, RECEIVED, SENT, FINISHED, STRANGE, CLOCKS = (
    range(14)
)
ENDS, SEND, RELAY = 0x10, 0x20, 0x30


class CollectiveRegisters(wiring.Component):
    """Hold the tables of a node, begin and end its operations, and count.

    ``control__read_data`` is a register: what the address selects in clock t is there in clock t + 1. A write while
    ``busy`` does nothing but cut the operation short.

    Parameters
    ----------
    config : CollectiveConfig
        Gives the width of an address and the number of relay entries.

    Ports
    -----
    control__address, control__write, control__write_data, control__read_data : 6, 1, 32, 32
        Access by the host; see ``docs/collective_units.md``.
    busy, state, entry, failed, received : in, 1 and 4 and 5 and 1 and 16
        How far the operation is.
    sent_stage, sent_hops, strange : in, 4 and 8 and 16
        Stage and hops of the last own piece sent; messages that were not expected or not whole.
    finished : in
        An operation ends.
    start, cut_short : out
        Strobes, in the clock of the write.
    ring, operation, result, empty : out, 1 and 3 and 2 and 1
        Kind of the operation; in the clock of ``start`` already.
    receive, expected, sends, stage, way, detour, spread, relays, next_member, own, enable, ends, send_dim, send_place :
        out, n and 16 and 4 and 4 and 8 and 1 and n and 5 and n and 1 and 1 and 4n and 4n and 16n
        The tables; registers.
    relay_from, relay_to, relay_first, relay_end : out, 4R and 4R and R and R
        The relay entries; registers; none with R = 0.

    Source: Leu and Kuo, the tree merge; Lin and Chen, section 4, the ring; the registers are this project's.
    """

    def __init__(self, config: CollectiveConfig):
        self.config = config
        n, relays = config.dim, config.max_relays
        ports = {
            "control": In(RegisterPort(ADDRESS_BITS)),
            "busy": In(1),
            "state": In(STATE_BITS),
            "entry": In(ENTRY_BITS),
            "failed": In(1),
            "received": In(ARGUMENT_BITS),
            "sent_stage": In(STAGE_BITS),
            "sent_hops": In(HOPS_BITS),
            "strange": In(ARGUMENT_BITS),
            "finished": In(1),
            "start": Out(1),
            "cut_short": Out(1),
            "ring": Out(1),
            "operation": Out(OPERATION_BITS),
            "result": Out(2),
            "empty": Out(1),
            "receive": Out(n),
            "expected": Out(ARGUMENT_BITS),
            "sends": Out(4),
            "stage": Out(STAGE_BITS),
            "way": Out(HOPS_BITS),
            "detour": Out(1),
            "spread": Out(n),
            "relays": Out(ENTRY_BITS),
            "next_member": Out(n),
            "own": Out(1),
            "enable": Out(1),
            "ends": Out(DIMENSION_BITS * n),
            "send_dim": Out(DIMENSION_BITS * n),
            "send_place": Out(ARGUMENT_BITS * n),
        }
        if relays:
            ports |= {
                "relay_from": Out(DIMENSION_BITS * relays),
                "relay_to": Out(DIMENSION_BITS * relays),
                "relay_first": Out(relays),
                "relay_end": Out(relays),
            }
        super().__init__(ports)

    def elaborate(self, platform):
        """Build the command, the tables, the counters and the read multiplexer."""
        m = Module()
        kept = self._command(m)
        registers = {
            COMMAND: kept,
            STATUS: Cat(self.busy, self.failed, C(0, 2), self.state, self.entry),
            **self._tables(m),
            RECEIVED: self.received,
            SENT: Cat(C(0, 4), self.sent_stage, self.sent_hops),
            STRANGE: self.strange,
            **self._counters(m),
        }
        read(m, self.control, registers)
        return m

    def _command(self, m):
        """Build the strobes and the kind of the operation; return what COMMAND reads."""
        data = self.control.write_data
        written = Signal()
        kept = Signal(13)
        valid = Signal(13)
        m.d.comb += [
            written.eq(self.control.write & (self.control.address == COMMAND)),
            self.cut_short.eq(written & data[1]),
            self.start.eq(written & data[0] & ~data[1] & ~self.busy),
            # The sequencers look at the kind in the clock of start.
            valid.eq(Mux(self.start, data[:13] & 0x1374, kept)),
            self.ring.eq(valid[2]),
            self.operation.eq(valid[4:7]),
            self.result.eq(valid[8:10]),
            self.empty.eq(valid[12]),
        ]
        m.d.sync += kept.eq(valid)
        return kept

    def _tables(self, m):
        """Build the registers of the tables; return what they read, by address."""
        n, relays = self.config.dim, self.config.max_relays
        data = self.control.write_data
        count, entries = data[:4], data[:ENTRY_BITS]
        pieces = Mux(count > n, n, count)
        tables = {
            RECEIVE: [(self.receive, data[:n])],
            EXPECT: [(self.expected, data[:16])],
            SENDS: [(self.sends, pieces), (self.stage, data[4:8]), (self.way, data[8:16]), (self.detour, data[16])],
            SPREAD: [(self.spread, data[:n])],
            RELAYS: [(self.relays, Mux(entries > relays, relays, entries))],
            NEXT: [(self.next_member, data[:n]), (C(0, 16 - n), None), (self.own, data[16])],
            ENABLE: [(self.enable, data[0])],
        }
        for j in range(n):
            tables[ENDS + j] = [(self.ends.word_select(j, 4), data[:4])]
            dimension, place = self.send_dim.word_select(j, 4), self.send_place.word_select(j, 16)
            tables[SEND + j] = [(dimension, data[:4]), (C(0, 12), None), (place, data[16:])]
        for e in range(relays):
            tables[RELAY + e] = [
                (self.relay_from.word_select(e, 4), data[:4]),
                (self.relay_to.word_select(e, 4), data[4:8]),
                (self.relay_first[e], data[8]),
                (self.relay_end[e], data[9]),
            ]
        with m.If(self.control.write & ~self.busy), m.Switch(self.control.address):
            for address, parts in tables.items():
                with m.Case(address):
                    m.d.sync += [field.eq(value) for field, value in parts if value is not None]
        return {address: Cat(field for field, _ in parts) for address, parts in tables.items()}

    def _counters(self, m):
        """Build the counters of operations and of their clocks; return them by address."""
        operations = Signal(DATA_BITS)
        clocks = Signal(DATA_BITS)
        with m.If(self.finished):
            m.d.sync += operations.eq(operations + 1)
        with m.If(self.start):
            m.d.sync += clocks.eq(0)
        with m.Elif(self.busy):
            m.d.sync += clocks.eq(clocks + 1)
        return {FINISHED: operations, CLOCKS: clocks}
