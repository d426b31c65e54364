"""Output controller: reads one packet from a buffer RAM and offers it as a stream of flits."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.common.twins.report_queue import ReportQueue
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.twins.flit import Flit, flit_outputs

__all__ = ["OutputController", "Sending"]


class OutputController:
    """Twin of the output controller; the head is offered in the cycle after ``start``, the words follow without a gap.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.
    rows : int
        Rows of the RAM that it reads; only the width of the RTL's row ports depends on it.

    Source: Buzzard 1988, section 5.4.2.
    """

    def __init__(self, config: PacketConfig, rows: int = 1) -> None:
        """Start in reset."""
        self.config = config
        self.rows = rows
        self._mask = (1 << config.width) - 1
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.busy = 0
        self.row = 0
        self.word = 0
        self.left = 0
        self.fetched = 0
        self.fetched_last = 0
        self.flit: Flit | None = None

    @property
    def closing(self) -> int:
        """Whether all words of the packet being sent are read."""
        return int(self.busy and not self.left)

    def done(self, taken: int) -> int:
        """Return whether the packet's last flit goes, given whether the flit offered is taken."""
        return int(taken and self.flit is not None and self.flit.last)

    def edge(
        self,
        ram_data: int,
        taken: int,
        start: tuple[int, int, int] | None,
        limited: int = 0,
        limit: int = 0,
        stop: int = 0,
    ) -> tuple[int, int] | None:
        """Take the edge of a cycle, and return the row and word that the RAM reads in it.

        Parameters
        ----------
        ram_data : int
            The RAM's register in this cycle.
        taken : int
            Whether the flit offered is taken.
        start : tuple or None
            Row, length and head of a packet whose sending begins.
        limited, limit : int
            Whether the row's packet is still coming in, and how many of its words are there.
        stop : int
            Whether the attempt was refused.
        """
        fetched, flit = self.fetched, self.flit
        bad = fetched and ram_data > self._mask
        move = fetched and (taken or flit is None)
        done = taken and flit is not None and flit.last
        if move:
            self.flit = Flit(0, 1, 1, 0) if bad else Flit(0, self.fetched_last, 0, ram_data)
        elif taken:
            self.flit = None
        if start is not None:
            self.row, left, head = start
            word, active = 0, 1
            self.flit = Flit(1, 0, 0, head)
        else:
            word, left = self.word, self.left
            active = self.busy and not done and (move or not fetched)
        read = None
        if active and left and not bad and (not limited or word < limit):
            read = self.row, word
            self.fetched = 1
            self.fetched_last = int(left == 1)
            word += 1
            left -= 1
        elif move:
            self.fetched = 0
        self.word = word
        self.left = 0 if move and bad else left
        if start is not None:
            self.busy = 1
        elif done:
            self.busy = 0
        if stop:
            self.busy = self.fetched = self.left = 0
            self.flit = None
        return read

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, flit = inputs.get, self.flit
        taken = get("o__ready", 0) if flit is not None else 0
        outputs: Outputs = {"row": self.row, "busy": self.busy, "closing": self.closing, "done": self.done(taken)}
        outputs |= flit_outputs("o", flit)
        start = (get("start_row", 0), get("start_length", 0), get("start_head", 0)) if get("start") else None
        limits = get("limited", 0), get("limit", 0)
        read = self.edge(get("ram_data", 0), taken, start, *limits, stop=get("stop", 0))
        outputs["read"] = int(read is not None)
        outputs["read_row"], outputs["read_word"] = read if read is not None else (None, None)
        if get("rst"):
            self.reset()
        return outputs


class Sending:
    """What every unit shows that sends packets by an output controller, ``sender``, and keeps reports in a queue."""

    sender: OutputController
    queue: ReportQueue

    @property
    def flit(self) -> Flit | None:
        """The flit offered."""
        return self.sender.flit

    @property
    def busy(self) -> int:
        """Whether a packet is being sent."""
        return self.sender.busy

    @property
    def closing(self) -> int:
        """Whether all words of the packet being sent are read."""
        return self.sender.closing

    @property
    def report(self) -> tuple[int, int] | None:
        """The report offered: reason and destination."""
        return self.queue.oldest
