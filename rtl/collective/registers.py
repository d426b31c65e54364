"""Collective registers: what the host tells the collectives of its node, and reads of them."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.registers import ADDRESS_BITS, Register, register_map
from cubecast.golden.collective.contract.segment import ARGUMENT_BITS
from cubecast.golden.collective.contract.states import State
from cubecast.rtl.collective.bundle import Bundle
from cubecast.rtl.collective.operation_unit import OPERATION_BITS
from cubecast.rtl.collective.segment import HOPS_BITS, STAGE_BITS
from cubecast.rtl.common.register_port import RegisterPort, packed, read

__all__ = ["ENTRY_BITS", "CollectiveRegisters"]

ENTRY_BITS = 5


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
    command__start, command__cut_short : out
        Strobes, in the cycle of the write.
    awaited__ring, operation, own__result, own__empty : out, 1 and 3 and 2 and 1
        Kind of the operation; in the cycle of ``start`` already.
    awaited__expected, own__*, enable, relay__* : out
        The tables; registers.

    Source: Leu and Kuo, the tree merge; Lin and Chen, section 4, the ring; the registers are this project's.
    """

    def __init__(self, config: CollectiveConfig):
        self.config = config
        super().__init__(
            {
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
                **{name: Out(Bundle(config, name)) for name in ("command", "awaited", "own", "relay")},
                "operation": Out(OPERATION_BITS),
                "enable": Out(1),
            }
        )

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
        command, own = self.command, self.own
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
            command.cut_short.eq(written & given["ABORT"]),
            command.start.eq(written & given["START"] & ~given["ABORT"] & ~self.busy),
            # The sequencers look at the kind in the cycle of start.
            valid.eq(Mux(command.start, self.control.write_data[:bits] & mask, kept)),
            self.awaited.ring.eq(shown["RING"]),
            self.operation.eq(shown["OPERATION"]),
            own.result.eq(shown["RESULT"]),
            own.empty.eq(shown["EMPTY"]),
        ]
        m.d.sync += kept.eq(valid)
        return kept

    def _tables(self, m):
        """Build the registers of the tables; return what they read, by address."""
        relay = self.relay
        n, most = self.config.dim, self.config.max_relays
        sends = self._written(Register.SENDS)["COUNT"]
        relays = self._written(Register.RELAYS)["COUNT"]
        limited = {Register.SENDS: Mux(sends > n, n, sends), Register.RELAYS: Mux(relays > most, most, relays)}
        tables = {
            Register.RECEIVE: {"MASK": self.own.receive},
            Register.EXPECT: {"COUNT": self.awaited.expected},
            Register.SENDS: {
                "COUNT": self.own.sends,
                "STAGE": self.own.stage,
                "WAY": self.own.way,
                "DETOUR": self.own.detour,
            },
            Register.SPREAD: {"MASK": self.own.spread},
            Register.RELAYS: {"COUNT": relay.relays},
            Register.NEXT: {"MEMBER": self.own.next_member, "OWN": self.own.own},
            Register.ENABLE: {"ENABLE": self.enable},
            Register.ENDS: {"COUNT": self.own.ends},
            Register.SEND: {"DIMENSION": self.own.send_dim, "PLACE": self.own.send_place},
        }
        if most:
            names = {
                "FROM": relay.relay_from,
                "TO": relay.relay_to,
                "FIRST": relay.relay_first,
                "END": relay.relay_end,
            }
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
        with m.If(self.command.start):
            m.d.sync += clocks.eq(0)
        with m.Elif(self.busy):
            m.d.sync += clocks.eq(clocks + 1)
        return {Register.STRANGE: self.strange, Register.FINISHED: operations, Register.CLOCKS: clocks}
