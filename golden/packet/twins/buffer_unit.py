"""Packet buffer unit: the packets that came over one link, until their next ports are free."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.common.twins.report_queue import ReportQueue
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.packet import NONE
from cubecast.golden.packet.twins.buffer_ram import BufferRam
from cubecast.golden.packet.twins.cam import Cam
from cubecast.golden.packet.twins.flit import flit_outputs
from cubecast.golden.packet.twins.input_controller import Arrival, InputController
from cubecast.golden.packet.twins.next_port import next_port
from cubecast.golden.packet.twins.output_controller import OutputController, Sending

__all__ = ["PacketBufferUnit"]


class PacketBufferUnit(Sending):
    """Twin of the packet buffer unit; a head requests its port in the cycle after it came.

    A packet is sent while it still comes in; a broadcast one goes out by one port after the other.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.

    Source: Buzzard 1988, section 5.4.2, figure 5.4.
    """

    def __init__(self, config: PacketConfig) -> None:
        """Start in reset, as the unit of dimension 0 in node 0."""
        self.config = config
        self.cam = Cam(config)
        self.ram = BufferRam(config, count=config.rows)
        self.receiver = InputController(config)
        self.sender = OutputController(config, rows=config.rows)
        self.queue = ReportQueue(config.control)
        self.address = 0
        self.dimension = 0
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        for part in (self.cam, self.receiver, self.sender, self.queue):
            part.reset()
        self.final = 0
        self.accepted = 0

    @property
    def address(self) -> int:
        """Address of the node."""
        return self.receiver.address

    @address.setter
    def address(self, value: int) -> None:
        """Set the strap."""
        self.receiver.address = value

    @property
    def dimension(self) -> int:
        """Dimension of the link."""
        return self.receiver.dimension

    @dimension.setter
    def dimension(self, value: int) -> None:
        """Set the strap."""
        self.receiver.dimension = value

    @property
    def refusing(self) -> int:
        """Whether no contrary packet is taken now."""
        return self.receiver.refusing(self.cam.free_rows, self.cam.all_contrary)

    @property
    def receiving(self) -> int:
        """Whether a packet is coming in."""
        return self.receiver.receiving

    @property
    def free_rows(self) -> int:
        """Number of packets that there is room for."""
        return self.cam.free_rows

    @property
    def resting(self) -> bool:
        """Whether there is nothing in it, so that an edge without an arrival changes nothing."""
        return not (self.cam.rows or self.receiver.receiving or self.sender.busy or self.queue.entries)

    def ready(self, cut: int) -> int:
        """Return whether a whole packet can be taken."""
        return self.receiver.ready(self.cam.free_rows, cut, self.queue.calm)

    def request(self) -> int:
        """Return the mask of the ports requested: while a packet is sent, only that of the oldest one waiting."""
        cam, sender = self.cam, self.sender
        if not sender.busy or not sender.left:
            return cam.waiting
        return cam.waiting & (1 << cam.oldest)

    def _starts(self, grant: int, taken: int) -> int:
        """Return the port for which the next packet's sending begins in this cycle, -1 if none does."""
        granted = grant & self.cam.waiting
        if not granted or (self.sender.busy and not self.sender.done(taken)):
            return -1
        oldest = self.cam.oldest
        return oldest if granted >> oldest & 1 else (granted & -granted).bit_length() - 1

    def ask(self, grant: int, taken: int) -> tuple[int, int]:
        """Return the masks of the ports requested and accepted, given those granted and whether the flit is taken."""
        port = self._starts(grant, taken)
        return self.request(), 1 << port if port >= 0 else 0

    def edge(
        self, arrival: Arrival | None, cut_short: int, cut: int, grant: int, taken: int, report_taken: int
    ) -> None:
        """Take a clock edge.

        Parameters
        ----------
        arrival : tuple or None
            What comes over the link: whether it is a head, and its bits.
        cut_short : int
            Whether the packet coming in ends early.
        cut : int
            Whether the link's fault bit is set.
        grant : int
            Mask of the ports granted.
        taken, report_taken : int
            Whether the flit offered, and the report offered, is taken.
        """
        cam, ram, sender, receiver = self.cam, self.ram, self.sender, self.receiver
        free = sender.done(taken) and self.final
        coming, coming_row, limit = receiver.receiving, receiver.row, receiver.count
        start, rewrite = None, None
        port = self._starts(grant, taken)
        if port >= 0:
            start, rewrite = self._start(port)
            self.final = int(rewrite[1] == NONE)
        if coming or arrival is not None:
            load, write, put = receiver.edge(arrival, cut_short, cut, cam.free_rows, cam.ram_row, cam.all_contrary)
        else:
            load = write = put = None
        read = None
        if start is not None or sender.busy:
            row = start[0] if start is not None else sender.row
            limited = int(coming and row == coming_row)
            read = sender.edge(ram.data, taken, start, limited, limit)
        ram.edge(write, read)
        cam.edge(load, rewrite, free)
        self.queue.edge(put, report_taken)
        self.accepted = int(load is not None)

    def _start(self, port: int) -> tuple[tuple[int, int, int], tuple[int, int]]:
        """Return what starts the output controller for a packet to ``port``, and how the packet's row is rewritten."""
        cam, config = self.cam, self.config
        index = cam.find(port)
        _, _, length, destination, row = cam.rows[index]
        broadcast = (self.address ^ destination) >> self.dimension & 1
        wanted = next_port(config, self.address, destination, port, broadcast)
        head = (wanted << config.length_bits | length) << config.width | destination
        return (row, length, head), (index, port + 1 if broadcast and port != config.dim else NONE)

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get = inputs.get
        self.address, self.dimension = get("address", 0), get("dimension", 0)
        cut, grant = get("cut", 0), get("grant", 0)
        flit, report = self.flit, self.report
        taken = get("o__ready", 0) if flit is not None else 0
        request, accept = self.ask(grant, taken)
        outputs: Outputs = {
            "ready": self.ready(cut),
            "refusing": self.refusing,
            "receiving": self.receiving,
            "request": request,
            "accept": accept,
            "closing": self.closing,
            "free_rows": self.free_rows,
            "report__valid": int(report is not None),
        }
        outputs |= flit_outputs("o", flit)
        outputs["report__reason"], outputs["report__destination"] = report if report is not None else (None, None)
        arrival = (get("head", 0), get("data", 0)) if get("valid") else None
        report_taken = get("report__ready", 0) if report is not None else 0
        self.edge(arrival, get("cut_short", 0), cut, grant, taken, report_taken)
        outputs["accepted"] = self.accepted
        if get("rst"):
            self.reset()
        return outputs
