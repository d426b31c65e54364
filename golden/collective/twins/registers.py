"""Collective registers: what a host tells the collective unit of its node, and what it reads of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.registers import Register, register_map
from cubecast.golden.collective.twins.bundled import by_bundles
from cubecast.golden.common.twins.ports import Inputs, Outputs

__all__ = ["STATUS", "CollectiveRegisters"]

STATUS = ("state", "entry", "failed", "received", "sent_stage", "sent_hops", "strange", "finished")
"""What the registers take from the other units, besides ``busy``."""


WRITTEN: dict[Register, dict[str, str]] = {
    Register.COMMAND: {"RING": "ring", "OPERATION": "operation", "RESULT": "result", "EMPTY": "empty"},
    Register.RECEIVE: {"MASK": "receive"},
    Register.EXPECT: {"COUNT": "expected"},
    Register.SENDS: {"COUNT": "sends", "STAGE": "stage", "WAY": "way", "DETOUR": "detour"},
    Register.SPREAD: {"MASK": "spread"},
    Register.RELAYS: {"COUNT": "relays"},
    Register.NEXT: {"MEMBER": "next_member", "OWN": "own"},
    Register.ENABLE: {"ENABLE": "enable"},
    Register.ENDS: {"COUNT": "ends"},
    Register.SEND: {"DIMENSION": "send_dim", "PLACE": "send_place"},
    Register.RELAY: {"FROM": "relay_from", "TO": "relay_to", "FIRST": "relay_first", "END": "relay_end"},
}
"""The port that gives out a field which is written; that of an array is a packed vector."""


class Written(NamedTuple):
    """Bits ``low`` and up of a register: ``width`` bits, at bit ``place`` of the port ``name``."""

    name: str
    low: int
    width: int
    place: int


def _layout(config: CollectiveConfig) -> dict[int, tuple[Written, ...]]:
    """Return the fields of the registers that are written, by address."""
    return {
        address: tuple(
            Written(WRITTEN[Register(entry.address)][field.name], field.low, field.width, place * field.width)
            for field in entry.fields
            if field.name in WRITTEN[Register(entry.address)]
        )
        for entry in register_map(config)
        if "W" in entry.access
        for place, address in enumerate(entry.addresses)
    }


class CollectiveRegisters:
    """Twin of the collective registers; what is read is there in the cycle after its address.

    ``fields`` holds what was written, by the names of the ports, arrays as packed vectors. A cycle: :meth:`command`
    gives the strobes, :meth:`shown` the fields as they are given out, :meth:`edge` takes the edge.

    Parameters
    ----------
    config : CollectiveConfig
        Parameters of the node.
    """

    def __init__(self, config: CollectiveConfig) -> None:
        """Start in reset."""
        self.config = config
        self._layout = _layout(config)
        self._entries = {entry.name: entry for entry in register_map(config)}
        self._mask = (1 << config.counters) - 1
        self._most = {"sends": config.dim, "relays": config.max_relays}
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.fields = {field.name: 0 for fields in self._layout.values() for field in fields}
        self.read_data = 0
        self.finished = 0
        self.cycles = 0

    def command(self, address: int, write: int, data: int, busy: int) -> tuple[int, int]:
        """Return the strobes ``start`` and ``cut_short`` of a cycle with this access."""
        if not write or address != Register.COMMAND:
            return 0, 0
        cut_short = data >> 1 & 1
        return int(data & 1 and not cut_short and not busy), cut_short

    def shown(self, start: int, data: int) -> dict[str, int]:
        """Return the fields that are given out; those that a ``start`` writes are given out in its cycle already."""
        return self.fields | self._written(Register.COMMAND, data) if start else self.fields

    def _written(self, address: int, data: int) -> dict[str, int]:
        """Return the values of the fields after a write."""
        written = {}
        for name, low, width, place in self._layout[address]:
            mask = (1 << width) - 1
            value = min(data >> low & mask, self._most.get(name, mask))
            written[name] = self.fields[name] & ~(mask << place) | value << place
        return written

    def _read(self, address: int, busy: int, status: Mapping[str, int]) -> int:
        """Return what an address reads."""
        match address:
            case Register.STATUS:
                shown = {name: status[name] for name in ("failed", "state", "entry")}
                return self._entries["STATUS"].pack(busy=busy, **shown)
            case Register.RECEIVED:
                return status["received"]
            case Register.SENT:
                return self._entries["SENT"].pack(stage=status["sent_stage"], hops=status["sent_hops"])
            case Register.FINISHED:
                return self.finished
            case Register.STRANGE:
                return status["strange"]
            case Register.CLOCKS:
                return self.cycles
        value = 0
        for name, low, width, place in self._layout.get(address, ()):
            value |= (self.fields[name] >> place & (1 << width) - 1) << low
        return value

    def edge(self, address: int, write: int, data: int, busy: int, status: Mapping[str, int]) -> None:
        """Take the edge of a cycle.

        Parameters
        ----------
        address, write, data : int
            Access to the registers.
        busy : int
            The input of this name.
        status : mapping
            The inputs named in :data:`STATUS`.
        """
        self.read_data = self._read(address, busy, status)
        start, _ = self.command(address, write, data, busy)
        if status["finished"]:
            self.finished = self.finished + 1 & self._mask
        if start:
            self.cycles = 0
        elif busy:
            self.cycles = self.cycles + 1 & self._mask
        if start or (write and not busy and address in self._layout and address != Register.COMMAND):
            self.fields |= self._written(address, data)

    @by_bundles("command", "awaited", "own", "relay")
    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get = inputs.get
        address, write, data = (get(f"control__{name}", 0) for name in ("address", "write", "write_data"))
        busy = get("busy", 0)
        start, cut_short = self.command(address, write, data, busy)
        outputs: Outputs = {
            "control__read_data": self.read_data,
            "start": start,
            "cut_short": cut_short,
            **self.shown(start, data),
        }
        if get("rst"):
            self.reset()
        else:
            self.edge(address, write, data, busy, {name: get(name, 0) for name in STATUS})
        return outputs
