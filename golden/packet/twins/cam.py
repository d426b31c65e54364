"""CAM: the packets in a packet buffer unit, oldest first, found by the ports that they are granted."""

from __future__ import annotations

from typing import NamedTuple

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.packet import NONE

__all__ = ["Cam", "Load", "Row"]

Load = tuple[int, int, int, int, int, int]
"""Fields of a packet that comes in: contrary, next port, length, destination, broadcast, port after the next."""


class Row(NamedTuple):
    """An occupied row: what is known of a packet; ``next`` is NONE when it has nothing more to send."""

    contrary: int
    next: int
    length: int
    destination: int
    broadcast: int
    after: int
    ram_row: int


class Cam:
    """Twin of the CAM; a grant is answered in the same cycle, every change is seen in the next.

    ``rows`` are the occupied rows, oldest first, each with its number ``ram_row``. Functions of them, found anew at
    every change: ``free_rows``, how many are free; ``ram_row``, the lowest of those; ``waiting``, the mask of the ports
    wanted; ``oldest``, that of the port which the oldest packet that wants one wants; ``all_contrary``. ``newest`` is
    the number of the row loaded last, whether it is still occupied or not.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.

    Source: Buzzard 1988, section 5.4.2, figure 5.4 (CAM).
    """

    def __init__(self, config: PacketConfig) -> None:
        """Start in reset."""
        self.config = config
        self._ports = (1 << config.ports) - 1
        self.reset()

    def reset(self) -> None:
        """Free all rows."""
        self.rows: list[Row] = []
        self.newest = 0
        self._free = (1 << self.config.rows) - 1
        self._summarise()

    def _summarise(self) -> None:
        """Note which rows are free, which ports are wanted, by the oldest packet too, and whether all are contrary."""
        free, ports = self._free, self._ports
        self.free_rows = self.config.rows - len(self.rows)
        self.ram_row = (free & -free).bit_length() - 1 if free else 0
        waiting = oldest = 0
        contrary = 1
        for row in self.rows:
            wanted = 1 << row.next & ports
            oldest = oldest or wanted
            waiting |= wanted
            contrary &= row.contrary
        self.waiting, self.oldest, self.all_contrary = waiting, oldest, contrary

    @property
    def count(self) -> int:
        """Number of occupied rows."""
        return len(self.rows)

    def find(self, grant: int) -> int:
        """Return the index in ``rows`` of the oldest packet that wants a port granted, -1 if there is none."""
        for index, row in enumerate(self.rows):
            if grant >> row.next & 1:
                return index
        return -1

    def edge(self, load: Load | None, rewrite: int, free: int) -> None:
        """Take the edge of a cycle.

        Parameters
        ----------
        load : tuple or None
            Fields of a packet that comes in; not done when all rows are occupied.
        rewrite : int
            Index in ``rows`` of the packet that is sent to the port it wants; -1: none is.
        free : int
            Number of the row that becomes free, if it is occupied; -1: none does.
        """
        if load is None and rewrite < 0 and free < 0:
            return
        rows, place, room = self.rows, self.ram_row, self.free_rows
        if rewrite >= 0:
            rows[rewrite] = self._rewritten(rows[rewrite])
        if free >= 0:
            for index, row in enumerate(rows):
                if row.ram_row == free:
                    del rows[index]
                    self._free |= 1 << free
                    break
        if load is not None and room:
            row = Row(*load, place)
            rows.append(row if row.next <= self.config.local else row._replace(next=NONE))
            self._free ^= 1 << place
            self.newest = place
        self._summarise()

    def _rewritten(self, row: Row) -> Row:
        """Return the row of a packet that is sent to the port it wants: a broadcast one wants the port after it."""
        local, wanted, after = self.config.local, row.next, row.after
        return row._replace(
            next=wanted + 1 if row.broadcast and wanted != local else NONE,
            after=after if after == local else after + 1 & NONE,
        )

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get = inputs.get
        index = self.find(get("grant", 0))
        found = self.rows[index] if index >= 0 else None
        outputs: Outputs = {
            "found": int(found is not None),
            "found_next": 1 << found.next if found else 0,
            "found_length": found.length if found else None,
            "found_destination": found.destination if found else None,
            "found_broadcast": found.broadcast if found else None,
            "found_after": found.after if found else None,
            "found_row": found.ram_row if found else None,
            "found_newest": int(found.ram_row == self.newest) if found else None,
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
            load = *fields, get("load_destination", 0), get("load_broadcast", 0), get("load_after", 0)
        self.edge(load, index if get("rewrite") else -1, get("free_row", 0) if get("free") else -1)
        return outputs
