"""Registers of the join unit: how it is configured, what happened in it, and counters."""

from __future__ import annotations

from typing import NamedTuple

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.golden.reduction.contract.registers import TICK, TREE_RESET, Register, register_map
from cubecast.golden.reduction.twins.join import Setting

__all__ = ["NOTHING", "Happened", "Registers"]

TIMER_MASK = (1 << 24) - 1
ALARMS = ("LATE", "MISMATCH", "ERROR")
STALLS = (Register.STALL_OWN, Register.STALL_A, Register.STALL_B)


class Happened(NamedTuple):
    """Events of a cycle; ``waits`` are those of own, a and b, as a mask."""

    waits: int = 0
    mismatch: int = 0
    bad_result: int = 0
    up: int = 0
    down: int = 0
    link_wait: int = 0


NOTHING = Happened()
"""A cycle without events."""


class Registers:
    """Twin of the registers; ``setting``, ``parent``, ``a`` and ``b`` (-1: none) follow from CTRL and TREE.

    Parameters
    ----------
    config : ReductionConfig
        Parameters of the node.
    """

    def __init__(self, config: ReductionConfig) -> None:
        """Start in reset."""
        self.config = config
        self._fields = {entry.name: {field.name: field for field in entry.fields} for entry in register_map(config)}
        self._counted = (1 << config.router.counters) - 1
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.values = {register: 0 for register in (Register.CTRL, Register.TIMEOUT, *self._counters())}
        self.values[Register.TREE] = TREE_RESET
        self.alarms = 0
        self.timer = 0
        self.read_data = 0
        self._update()

    def _counters(self) -> list[Register]:
        """Return the counters that there are."""
        return [Register[name] for name in self._fields if Register[name] >= Register.COUNT_UP]

    def _update(self) -> None:
        """Find what follows from CTRL and TREE."""
        control = {name: self._field(Register.CTRL, name) for name in self._fields["CTRL"]}
        self.abort = control["ABORT"]
        links = {name: self._field(Register.TREE, name) for name in self._fields["TREE"]}
        self.parent, self.a, self.b = (link if link < self.config.dim else -1 for link in links.values())
        self.setting = Setting(
            running=int(control["ENABLE"] and not control["ABORT"]),
            member=control["MEMBER"],
            deliver=control["DELIVER"],
            has_a=int(self.a >= 0),
            has_b=int(self.b >= 0),
        )

    def _field(self, register: Register, name: str) -> int:
        """Return the value of a field."""
        field = self._fields[register.name][name]
        return (self.values[register] & field.mask) >> field.low

    @property
    def alarm(self) -> int:
        """Whether anything happened that the host should look at."""
        return int(self.alarms != 0)

    def read(self, address: int, waits: int, down_wait: int, idle: int) -> int:
        """Return what a register reads in this cycle."""
        if address == Register.STATUS:
            return self.alarms | idle << self._fields["STATUS"]["IDLE"].low
        if address == Register.WAIT:
            return waits | down_wait << self._fields["WAIT"]["DOWN"].low
        return {int(register): value for register, value in self.values.items()}.get(address, 0)

    def edge(self, happened: Happened, write: tuple[int, int] | None) -> None:
        """Take the edge of a cycle with these events, and a write of data to an address, but for ``read_data``."""
        places = self._fields["STATUS"]
        address, data = write or (-1, 0)
        if address == Register.STATUS:
            self.alarms &= ~data
        self._time(happened.waits)
        self.alarms |= happened.mismatch << places["MISMATCH"].low | happened.bad_result << places["ERROR"].low
        counts = {
            Register.COUNT_UP: happened.up,
            Register.COUNT_DOWN: happened.down,
            **{stall: happened.waits >> place & 1 for place, stall in enumerate(STALLS)},
            Register.STALL_LINK: happened.link_wait,
        }
        for register, event in counts.items():
            if event and register in self.values:
                self.values[register] = self.values[register] + 1 & self._counted
        if address in (Register.CTRL, Register.TREE, Register.TIMEOUT):
            written = Register(address)
            if written is Register.TIMEOUT:
                self.timer = 0
            self.values[written] = data & sum(field.mask for field in self._fields[written.name].values())
            self._update()

    def _time(self, waits: int) -> None:
        """Count how long a word waits for an absent operand."""
        if not waits:
            self.timer = 0
            return
        limit = TICK * self.values[Register.TIMEOUT]
        self.timer = self.timer + 1 & TIMER_MASK
        if limit and self.timer == limit:
            self.timer = 0
            self.alarms |= 1 << self._fields["STATUS"]["LATE"].low

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get = inputs.get
        waits, down_wait, idle = get("late_wait", 0), get("down_wait", 0), get("idle", 0)
        outputs: Outputs = {"read_data": self.read_data, "alarm": self.alarm, "abort": self.abort}
        outputs |= {name: getattr(self.setting, name) for name in ("running", "member", "deliver")}
        for name in ("parent", "a", "b"):
            link = getattr(self, name)
            outputs[name] = 1 << link if link >= 0 else 0
        address = get("address", 0)
        read_data = self.read(address, waits, down_wait, idle)
        happened = Happened(waits, *(get(name, 0) for name in Happened._fields[1:]))
        self.edge(happened, (address, get("write_data", 0)) if get("write") else None)
        self.read_data = read_data
        if get("rst"):
            self.reset()
        return outputs
