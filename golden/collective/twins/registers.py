"""Collective registers: what a host tells the collective unit of its node, and what it reads of it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import NamedTuple

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.common.twins.ports import Inputs, Outputs

__all__ = ["STATUS", "CollectiveRegister", "CollectiveRegisters"]

MASK = 0xFFFFFFFF

STATUS = ("state", "entry", "failed", "received", "sent_stage", "sent_hops", "strange", "finished")
"""What the registers take from the other units, besides ``busy``."""


class CollectiveRegister(IntEnum):
    """Addresses of the registers; the last three are the first of a row."""

    COMMAND = 0x00
    STATUS = 0x01
    RECEIVE = 0x02
    EXPECT = 0x03
    SENDS = 0x04
    SPREAD = 0x05
    RELAYS = 0x06
    NEXT = 0x07
    ENABLE = 0x08
    RECEIVED = 0x09
    SENT = 0x0A
    FINISHED = 0x0B
    STRANGE = 0x0C
    CLOCKS = 0x0D
    ENDS = 0x10
    SEND = 0x20
    RELAY = 0x30


class Field(NamedTuple):
    """Bits ``low`` and up of a register: ``width`` bits, at bit ``place`` of the port ``name``."""

    name: str
    low: int
    width: int
    place: int = 0


def _layout(config: CollectiveConfig) -> dict[int, tuple[Field, ...]]:
    """Return the fields of the registers that are written, by address."""
    n = config.dim
    layout: dict[int, tuple[Field, ...]] = {
        CollectiveRegister.COMMAND: (
            Field("ring", 2, 1),
            Field("operation", 4, 3),
            Field("result", 8, 2),
            Field("empty", 12, 1),
        ),
        CollectiveRegister.RECEIVE: (Field("receive", 0, n),),
        CollectiveRegister.EXPECT: (Field("expected", 0, 16),),
        CollectiveRegister.SENDS: (
            Field("sends", 0, 4),
            Field("stage", 4, 4),
            Field("way", 8, 8),
            Field("detour", 16, 1),
        ),
        CollectiveRegister.SPREAD: (Field("spread", 0, n),),
        CollectiveRegister.RELAYS: (Field("relays", 0, 5),),
        CollectiveRegister.NEXT: (Field("next_member", 0, n), Field("own", 16, 1)),
        CollectiveRegister.ENABLE: (Field("enable", 0, 1),),
    }
    for j in range(n):
        layout[CollectiveRegister.ENDS + j] = (Field("ends", 0, 4, 4 * j),)
        layout[CollectiveRegister.SEND + j] = (Field("send_dim", 0, 4, 4 * j), Field("send_place", 16, 16, 16 * j))
    for e in range(config.max_relays):
        layout[CollectiveRegister.RELAY + e] = (
            Field("relay_from", 0, 4, 4 * e),
            Field("relay_to", 4, 4, 4 * e),
            Field("relay_first", 8, 1, e),
            Field("relay_end", 9, 1, e),
        )
    return layout


class CollectiveRegisters:
    """Twin of the collective registers; what is read is there in the clock after its address.

    ``fields`` holds what was written, by the names of the ports, arrays as packed vectors. A clock: :meth:`command`
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
        self._most = {"sends": config.dim, "relays": config.max_relays}
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.fields = {field.name: 0 for fields in self._layout.values() for field in fields}
        self.read_data = 0
        self.finished = 0
        self.clocks = 0

    def command(self, address: int, write: int, data: int, busy: int) -> tuple[int, int]:
        """Return the strobes ``start`` and ``cut_short`` of a clock with this access."""
        if not write or address != CollectiveRegister.COMMAND:
            return 0, 0
        cut_short = data >> 1 & 1
        return int(data & 1 and not cut_short and not busy), cut_short

    def shown(self, start: int, data: int) -> dict[str, int]:
        """Return the fields that are given out; those that a ``start`` writes are given out in its clock already."""
        return self.fields | self._written(CollectiveRegister.COMMAND, data) if start else self.fields

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
            case CollectiveRegister.STATUS:
                return busy | status["failed"] << 1 | status["state"] << 4 | status["entry"] << 8
            case CollectiveRegister.RECEIVED:
                return status["received"]
            case CollectiveRegister.SENT:
                return status["sent_stage"] << 4 | status["sent_hops"] << 8
            case CollectiveRegister.FINISHED:
                return self.finished
            case CollectiveRegister.STRANGE:
                return status["strange"]
            case CollectiveRegister.CLOCKS:
                return self.clocks
        value = 0
        for name, low, width, place in self._layout.get(address, ()):
            value |= (self.fields[name] >> place & (1 << width) - 1) << low
        return value

    def edge(self, address: int, write: int, data: int, busy: int, status: Mapping[str, int]) -> None:
        """Take the edge of a clock.

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
            self.finished = self.finished + 1 & MASK
        if start:
            self.clocks = 0
        elif busy:
            self.clocks = self.clocks + 1 & MASK
        if start or (write and not busy and address in self._layout and address != CollectiveRegister.COMMAND):
            self.fields |= self._written(address, data)

    def step(self, inputs: Inputs) -> Outputs:
        """Return this clock's outputs and take the edge."""
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
