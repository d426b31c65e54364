"""Input controller: checks the packets that come over a link, and puts them into CAM and buffer RAM."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.packet import NONE
from cubecast.golden.packet.contract.reason import PacketReason
from cubecast.golden.packet.twins.next_port import lowbit

__all__ = ["Accepted", "Actions", "Arrival", "InputController"]

Accepted = tuple[int, int, int, int]
"""Fields of a head that is taken: contrary, next port, length, destination."""

Arrival = tuple[int, int]
"""What comes over a link in a cycle: whether it is a head, and its bits."""

Actions = tuple[Accepted | None, tuple[int, int, int] | None, tuple[int, int] | None]
"""Strobes of a cycle: what the CAM loads; row, word, value that the RAM writes; reason, destination reported."""


class InputController:
    """Twin of the input controller; a head is in the CAM, a word in the RAM, from the cycle after it came.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.

    Source: Buzzard 1988, section 5.4.2; contrary packets: section 5.3.
    """

    def __init__(self, config: PacketConfig) -> None:
        """Start in reset, as the unit of dimension 0 in node 0."""
        self.config = config
        self.address = 0
        self.dimension = 0
        self._word = (1 << config.width) - 1
        self._early = 1 << config.width
        self._length = (1 << config.length_bits) - 1
        self._next_at = config.width + config.length_bits
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.receiving = 0
        self.row = 0
        self.count = 0
        self.length = 0
        self.destination = 0

    @staticmethod
    def ready(free_rows: int, cut: int, calm: int) -> int:
        """Return whether a whole packet can be taken."""
        return int(bool(calm and (free_rows or cut)))

    def refusing(self, free_rows: int, all_contrary: int) -> int:
        """Return whether the last free row is kept for a packet that is not contrary."""
        config = self.config
        return int(config.contrary and config.contrary_rule and free_rows == 1 and all_contrary == 1)

    def malformed(self, head: int, free_rows: int, all_contrary: int) -> bool:
        """Return whether no router sends such a head over this link, or not now."""
        config = self.config
        destination = head & self._word
        length = head >> config.width & self._length
        wanted = head >> self._next_at & NONE
        contrary = head >> self._next_at + 4
        if not 1 <= length <= config.max_words or destination >> config.dim or not free_rows:
            return True
        away = self.address ^ destination
        if wanted != (self.dimension + 1 if away >> self.dimension & 1 else lowbit(config, away)):
            return True
        # After the fixed choice, and of a broadcast, nothing is left to cross below; after other hops something is.
        if contrary != (wanted < self.dimension):
            return True
        return bool(contrary and (not config.contrary or self.refusing(free_rows, all_contrary)))

    def edge(
        self, arrival: Arrival | None, cut_short: int, cut: int, free_rows: int, ram_row: int, all_contrary: int
    ) -> Actions:
        """Take the edge of a cycle and return its strobes.

        Parameters
        ----------
        arrival : tuple or None
            What comes over the link.
        cut_short : int
            Whether the packet coming in ends early.
        cut : int
            Whether the link's fault bit is set.
        free_rows, ram_row, all_contrary : int
            From the CAM.
        """
        if self.receiving:
            write = None
            if cut or cut_short or (arrival is not None and arrival[0]):
                write = self.row, self.count, self._early
                self.receiving = 0
                reason = PacketReason.INPUT_CUT if cut else PacketReason.TRUNCATED
                return None, write, (int(reason), self.destination)
            if arrival is not None:
                write = self.row, self.count, arrival[1] & self._word
                self.count += 1
                if self.count == self.length:
                    self.receiving = 0
            return None, write, None
        if arrival is None or not arrival[0]:
            return None, None, None
        head = arrival[1]
        destination = head & self.config.nodes - 1
        if cut:
            return None, None, (int(PacketReason.INPUT_CUT), destination)
        if self.malformed(head, free_rows, all_contrary):
            return None, None, (int(PacketReason.LINK_PROTOCOL), destination)
        self.receiving = 1
        self.row = ram_row
        self.count = 0
        self.length = head >> self.config.width & self._length
        self.destination = destination
        return (head >> self._next_at + 4, head >> self._next_at & NONE, self.length, destination), None, None

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get = inputs.get
        self.address, self.dimension = get("address", 0), get("dimension", 0)
        free_rows, all_contrary, cut = get("free_rows", 0), get("all_contrary", 0), get("cut", 0)
        outputs: Outputs = {
            "ready": self.ready(free_rows, cut, get("calm", 0)),
            "refusing": self.refusing(free_rows, all_contrary),
            "receiving": self.receiving,
            "row": self.row,
            "count": self.count,
        }
        arrival = (get("head", 0), get("data", 0)) if get("valid") else None
        actions = self.edge(arrival, get("cut_short", 0), cut, free_rows, get("ram_row", 0), all_contrary)
        names = (
            ("load", ("load_contrary", "load_next", "load_length", "load_destination")),
            ("write", ("write_row", "write_word", "write_data")),
            ("report", ("reason", "report_destination")),
        )
        for (strobe, fields), values in zip(names, actions, strict=True):
            outputs[strobe] = int(values is not None)
            outputs |= zip(fields, values if values is not None else [None] * len(fields), strict=True)
        if get("rst"):
            self.reset()
        return outputs
