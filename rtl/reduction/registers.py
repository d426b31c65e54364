"""Registers of the join unit: what the host configures, and what it can know."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from cubecast.golden.common.contract.units import DATA_BITS
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.golden.reduction.contract.registers import ADDRESS_BITS, TICK, TREE_RESET, Register, register_map
from cubecast.rtl.common.register_port import packed, read

__all__ = ["Registers"]


class Registers(wiring.Component):
    """Hold configuration, status and counters; a write counts from the next cycle on.

    ``read_data`` is a register: what the address selects in cycle t is there in cycle t + 1.

    Parameters
    ----------
    config : ReductionConfig
        Gives the dimension, and the width of the counters.

    Ports
    -----
    address, write, write_data, read_data : 4, 1, 32, 32
        Access by the host.
    late_wait : in, 3
        A word waits for an operand: the node's, child a's, child b's.
    down_wait, link_wait : in
        A result waits for those that get it; a word for the link to the parent.
    mismatch, bad_result : in
        Operands differ; a result with ``error`` leaves queue d.
    up, down : in
        A word leaves towards the root; a result leaves queue d.
    idle : in
        No word is in the unit.
    running, abort, member, deliver : out
        What the unit does.
    parent, a, b : out, n
        Links of the tree, one-hot or 0.
    alarm : out
        Something is wrong: LATE, MISMATCH or ERROR.
    """

    def __init__(self, config: ReductionConfig):
        self.config = config
        n = config.dim
        events = ("down_wait", "mismatch", "bad_result", "up", "down", "link_wait", "idle")
        super().__init__(
            {
                "address": In(ADDRESS_BITS),
                "write": In(1),
                "write_data": In(DATA_BITS),
                "read_data": Out(DATA_BITS),
                "late_wait": In(3),
                **{name: In(1) for name in events},
                **{name: Out(1) for name in ("running", "abort", "member", "deliver")},
                **{name: Out(n) for name in ("parent", "a", "b")},
                "alarm": Out(1),
            }
        )

    def elaborate(self, platform):
        """Build the registers and the read multiplexer."""
        m = Module()
        entries = {entry.name: entry for entry in register_map(self.config)}
        ctrl = self._written(m, entries["CTRL"])
        tree = self._written(m, entries["TREE"], init=TREE_RESET)
        timeout = self._written(m, entries["TIMEOUT"])
        status = self._status(m, entries["STATUS"], self._late(m, timeout["ticks"], self._write(entries["TIMEOUT"])))
        m.d.comb += [
            self.abort.eq(ctrl["abort"]),
            self.member.eq(ctrl["member"]),
            self.deliver.eq(ctrl["deliver"]),
            self.alarm.eq(Cat(status.values()).any()),
        ]
        self._decoded(m, entries)
        own, a, b = self.late_wait
        values = {
            "CTRL": packed(entries["CTRL"], **ctrl),
            "TREE": packed(entries["TREE"], **tree),
            "TIMEOUT": packed(entries["TIMEOUT"], **timeout),
            "STATUS": packed(entries["STATUS"], idle=self.idle, **status),
            "WAIT": packed(entries["WAIT"], own=own, a=a, b=b, down=self.down_wait),
        }
        counted = {"UP": self.up, "DOWN": self.down}
        counted |= {f"STALL_{name}": event for name, event in zip(("OWN", "A", "B"), self.late_wait, strict=True)}
        counted["STALL_LINK"] = self.link_wait
        for name, event in counted.items():
            called = name if name.startswith("STALL") else f"COUNT_{name}"
            if called in entries:
                counter = Signal(self.config.router.counters, name=called.lower())
                m.d.sync += counter.eq(counter + event)
                values[called] = counter
        read(m, self, {Register[name]: value for name, value in values.items()})
        return m

    def _write(self, entry):
        """Return whether a register is written in this cycle."""
        return self.write & (self.address == entry.address)

    def _written(self, m, entry, init=0):
        """Build the fields of a register that a write sets; return them by their names in lower case."""
        fields = {}
        for field in entry.fields:
            name = field.name.lower()
            fields[name] = Signal(
                field.width, init=init >> field.low & (1 << field.width) - 1, name=f"{entry.name}_{name}"
            )
            with m.If(self._write(entry)):
                m.d.sync += fields[name].eq(self.write_data[field.low :])
        return fields

    def _decoded(self, m, entries):
        """Decode what is written, so that the arbiters of the outputs start from registers."""
        data, places = (
            self.write_data,
            {field.name: field.low for name in ("CTRL", "TREE") for field in entries[name].fields},
        )
        with m.If(self._write(entries["CTRL"])):
            m.d.sync += self.running.eq(data[places["ENABLE"]] & ~data[places["ABORT"]])
        with m.If(self._write(entries["TREE"])):
            for name, links in (("PARENT", self.parent), ("A", self.a), ("B", self.b)):
                number = data[places[name] : places[name] + entries["TREE"].field(name).width]
                m.d.sync += links.eq(Cat(number == j for j in range(self.config.dim)))

    def _late(self, m, ticks, restarts):
        """Count for how long an operand has been waited for; return whether it is too long in this cycle.

        ``restarts``: a limit is written, which is to be ahead of the timer.
        """
        timer, late = Signal(len(ticks) + exact_log2(TICK)), Signal()
        following = Signal.like(timer)
        m.d.comb += [
            following.eq(timer + 1),
            late.eq(self.late_wait.any() & ticks.any() & (following == Cat(C(0, exact_log2(TICK)), ticks))),
        ]
        m.d.sync += timer.eq(Mux(self.late_wait.any() & ~late & ~restarts, following, 0))
        return late

    def _status(self, m, entry, late):
        """Build the bits that stay until they are cleared; what happens in that cycle is not."""
        bits = {}
        places = {field.name: field.low for field in entry.fields}
        for name, event in (("LATE", late), ("MISMATCH", self.mismatch), ("ERROR", self.bad_result)):
            bits[name.lower()] = bit = Signal(name=f"status_{name.lower()}")
            with m.If(event):
                m.d.sync += bit.eq(1)
            with m.Elif(self._write(entry) & self.write_data[places[name]]):
                m.d.sync += bit.eq(0)
        return bits
