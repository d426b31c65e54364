"""CAM: the packets in a packet buffer unit, oldest first, found by the port they want next."""

from __future__ import annotations

from typing import NamedTuple

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.packet import NONE

__all__ = ["Cam", "Load", "Row"]

Load = tuple[int, int, int, int]
"""Fields of a packet that comes in: contrary, next port, length, destination."""


class Row(NamedTuple):
    """An occupied row: what is known of a packet."""

    contrary: int
    next: int
    length: int
    destination: int
    ram_row: int


class Cam:
    """Twin of the CAM; a search is answered in the same cycle, every change is seen in the next.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.

    Source: Buzzard 1988, section 5.4.2, figure 5.4 (CAM).
    """

    def __init__(self, config: PacketConfig) -> None:
        """Start in reset."""
        self.config = config
        self.reset()

    def reset(self) -> None:
        """Free all rows; row i has RAM row i again."""
        self.rows: list[Row] = []
        self._spare = list(range(self.config.rows))
        self._summarise()

    def _summarise(self) -> None:
        """Note which ports are wanted, which by the oldest packet, and whether all packets are contrary."""
        self.waiting = 0
        self.oldest = NONE
        self.all_contrary = 1
        for row in self.rows:
            wanted = row.next
            if self.oldest == NONE:
                self.oldest = wanted
            self.waiting |= 1 << wanted
            if not row.contrary:
                self.all_contrary = 0
        self.waiting &= (1 << self.config.ports) - 1

    @property
    def count(self) -> int:
        """Number of occupied rows."""
        return len(self.rows)

    @property
    def free_rows(self) -> int:
        """Number of free rows."""
        return len(self._spare)

    @property
    def ram_row(self) -> int:
        """RAM row of the packet that would be loaded now."""
        return self._spare[0] if self._spare else 0

    def find(self, search: int) -> int:
        """Return the index of the lowest occupied row whose next port is ``search``, -1 if there is none."""
        for index, row in enumerate(self.rows):
            if row.next == search:
                return index
        return -1

    def edge(self, load: Load | None, rewrite: tuple[int, int] | None, free: int) -> None:
        """Take the edge of a cycle.

        Parameters
        ----------
        load : tuple or None
            Fields of a packet that comes in; not done when all rows are occupied.
        rewrite : tuple or None
            Index of an occupied row, and its new next port.
        free : int
            Whether the lowest row with nothing more to send leaves.
        """
        rows, spare = self.rows, self._spare
        leaves = self.find(NONE) if free else -1
        if load is None and rewrite is None and leaves < 0:
            return
        ram_row = spare.pop(0) if load is not None and spare else -1
        if rewrite is not None:
            index, wanted = rewrite
            rows[index] = rows[index]._replace(next=wanted)
        if leaves >= 0:
            spare.append(rows.pop(leaves).ram_row)
        if load is not None and ram_row >= 0:
            rows.append(Row(*load, ram_row))
        self._summarise()

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get = inputs.get
        index = self.find(get("search", 0))
        found = self.rows[index] if index >= 0 else None
        outputs: Outputs = {
            "found": int(found is not None),
            "found_length": found.length if found else None,
            "found_destination": found.destination if found else None,
            "found_ram_row": found.ram_row if found else None,
            "waiting": self.waiting,
            "oldest": self.oldest,
            "free_rows": self.free_rows,
            "ram_row": self.ram_row,
            "all_contrary": self.all_contrary,
        }
        if get("rst"):
            self.reset()
            return outputs
        load: Load | None = None
        if get("load"):
            fields = get("load_contrary", 0), get("load_next", 0), get("load_length", 0)
            load = *fields, get("load_destination", 0)
        rewrite = (index, get("rewrite_next", 0)) if get("rewrite") and found else None
        self.edge(load, rewrite, get("free", 0))
        return outputs
