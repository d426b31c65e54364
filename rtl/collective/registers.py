"""Collective registers: what the host tells the collectives of its node, and reads of them."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.registers import ADDRESS_BITS, Register, register_map
from cubecast.golden.collective.contract.segment import ARGUMENT_BITS
from cubecast.golden.collective.contract.states import State
from cubecast.rtl.collective.operation_unit import OPERATION_BITS
from cubecast.rtl.collective.segment import HOPS_BITS, STAGE_BITS
from cubecast.rtl.common.register_port import RegisterPort, packed, read

__all__ = ["DIMENSION_BITS", "ENTRY_BITS", "CollectiveRegisters"]

ENTRY_BITS = 5
DIMENSION_BITS = 4


class CollectiveRegisters(wiring.Component):
    """Hold the tables of a node, begin and end its operations, and count.

    ``control__read_data`` is a register: what the address selects in cycle t is there in cycle t + 1. A write while
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
    sent_stage, sent_hops : in, 4 and 8
        Stage and hops of the last own piece sent.
    strange : in, config.strange_bits
        Messages that were not expected or not whole; only with counters.
    finished : in
        An operation ends.
    start, cut_short : out
        Strobes, in the cycle of the write.
    ring, operation, result, empty : out, 1 and 3 and 2 and 1
        Kind of the operation; in the cycle of ``start`` already.
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
            "state": In(State),
            "entry": In(ENTRY_BITS),
            "failed": In(1),
            "received": In(ARGUMENT_BITS),
            "sent_stage": In(STAGE_BITS),
            "sent_hops": In(HOPS_BITS),
            **({"strange": In(config.strange_bits)} if config.counters else {}),
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
        self._entries = {entry.name: entry for entry in register_map(self.config)}
        status = {name: getattr(self, name) for name in ("busy", "failed", "state", "entry")}
        kept = self._command(m)
        registers = {
            Register.COMMAND: kept,
            Register.STATUS: packed(self._entries["STATUS"], **status),
            **self._tables(m),
            Register.RECEIVED: self.received,
            Register.SENT: packed(self._entries["SENT"], stage=self.sent_stage, hops=self.sent_hops),
            **(self._counters(m) if self.config.counters else {}),
        }
        read(m, self.control, registers)
        return m

    def _written(self, register):
        """Return what a write gives the fields of a register, by their names."""
        data, entry = self.control.write_data, self._entries[register.name]
        return {field.name: data[field.low :][: field.width] for field in entry.fields}

    def _command(self, m):
        """Build the strobes and the kind of the operation; return what COMMAND reads."""
        entry, given = self._entries["COMMAND"], self._written(Register.COMMAND)
        lasting = {field.name: field for field in entry.fields if field.name not in ("START", "ABORT")}
        bits = max(field.low + field.width for field in lasting.values())
        written = Signal()
        kept = Signal(bits)
        valid = Signal(bits)
        mask = sum(field.mask for field in lasting.values())
        shown = {name: valid[field.low :][: field.width] for name, field in lasting.items()}
        m.d.comb += [
            written.eq(self.control.write & (self.control.address == Register.COMMAND)),
            self.cut_short.eq(written & given["ABORT"]),
            self.start.eq(written & given["START"] & ~given["ABORT"] & ~self.busy),
            # The sequencers look at the kind in the cycle of start.
            valid.eq(Mux(self.start, self.control.write_data[:bits] & mask, kept)),
            self.ring.eq(shown["RING"]),
            self.operation.eq(shown["OPERATION"]),
            self.result.eq(shown["RESULT"]),
            self.empty.eq(shown["EMPTY"]),
        ]
        m.d.sync += kept.eq(valid)
        return kept

    def _tables(self, m):
        """Build the registers of the tables; return what they read, by address."""
        n, most = self.config.dim, self.config.max_relays
        sends = self._written(Register.SENDS)["COUNT"]
        relays = self._written(Register.RELAYS)["COUNT"]
        limited = {Register.SENDS: Mux(sends > n, n, sends), Register.RELAYS: Mux(relays > most, most, relays)}
        tables = {
            Register.RECEIVE: {"MASK": self.receive},
            Register.EXPECT: {"COUNT": self.expected},
            Register.SENDS: {"COUNT": self.sends, "STAGE": self.stage, "WAY": self.way, "DETOUR": self.detour},
            Register.SPREAD: {"MASK": self.spread},
            Register.RELAYS: {"COUNT": self.relays},
            Register.NEXT: {"MEMBER": self.next_member, "OWN": self.own},
            Register.ENABLE: {"ENABLE": self.enable},
            Register.ENDS: {"COUNT": self.ends},
            Register.SEND: {"DIMENSION": self.send_dim, "PLACE": self.send_place},
        }
        if most:
            names = {"FROM": self.relay_from, "TO": self.relay_to, "FIRST": self.relay_first, "END": self.relay_end}
            tables[Register.RELAY] = names
        arrays = (Register.ENDS, Register.SEND)
        order = [(register, 0) for register in tables if register not in (*arrays, Register.RELAY)]
        order += [(register, place) for place in range(n) for register in arrays]
        order += [(Register.RELAY, place) for place in range(most)]
        shown = {}
        with m.If(self.control.write & ~self.busy), m.Switch(self.control.address):
            for register, place in order:
                entry, given = self._entries[register.name], self._written(register)
                if register in limited:
                    given["COUNT"] = limited[register]
                own = {}
                for field in entry.fields:
                    port = tables[register][field.name]
                    own[field.name] = port.word_select(place, field.width) if entry.index else port
                with m.Case(entry.addresses[place]):
                    m.d.sync += [own[name].eq(given[name]) for name in own]
                shown[entry.addresses[place]] = packed(entry, **{name.lower(): value for name, value in own.items()})
        return shown

    def _counters(self, m):
        """Build the counters of operations and of their cycles; return them by address."""
        operations = Signal(self.config.counters)
        clocks = Signal(self.config.counters)
        with m.If(self.finished):
            m.d.sync += operations.eq(operations + 1)
        with m.If(self.start):
            m.d.sync += clocks.eq(0)
        with m.Elif(self.busy):
            m.d.sync += clocks.eq(clocks + 1)
        return {Register.STRANGE: self.strange, Register.FINISHED: operations, Register.CLOCKS: clocks}
