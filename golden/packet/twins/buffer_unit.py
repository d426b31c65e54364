"""Packet buffer unit: the packets that came over one link, until their next ports are free."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.common.twins.report_queue import ReportQueue
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.twins.buffer_ram import BufferRam
from cubecast.golden.packet.twins.cam import Cam, Load
from cubecast.golden.packet.twins.flit import flit_outputs
from cubecast.golden.packet.twins.input_controller import Accepted, Arrival, InputController
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
        self._local, self._length_bits, self._width = config.local, config.length_bits, config.width
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
        return cam.waiting if not sender.busy or not sender.left else cam.oldest

    def _starts(self, grant: int, taken: int) -> int:
        """Return the index in the CAM of the packet whose sending begins in this cycle, -1 if none does."""
        cam, sender = self.cam, self.sender
        if not grant & cam.waiting or (sender.busy and not sender.done(taken)):
            return -1
        return cam.find(grant)

    def ask(self, grant: int, taken: int) -> tuple[int, int]:
        """Return the masks of the ports requested and accepted, given those granted and whether the flit is taken."""
        index = self._starts(grant, taken)
        return self.request(), 1 << self.cam.rows[index].next if index >= 0 else 0

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
        free = sender.row if self.final and sender.done(taken) else -1
        coming, limit = receiver.receiving, receiver.count
        start, limited = None, 0
        index = self._starts(grant, taken)
        if index >= 0:
            _, port, length, destination, broadcast, after, row = cam.rows[index]
            start = row, length, (after << self._length_bits | length) << self._width | destination
            # What comes in was loaded last.
            limited = int(coming and row == cam.newest)
            self.final = int(not broadcast or port == self._local)
        elif coming:
            limited = int(sender.row == receiver.row)
        if coming or arrival is not None:
            accepted, write, put = receiver.edge(arrival, cut_short, cut, cam.free_rows, cam.ram_row, cam.all_contrary)
        else:
            accepted = write = put = None
        read = None
        if start is not None or sender.busy:
            read = sender.edge(ram.data, taken, start, limited, limit)
        ram.edge(write, read)
        cam.edge(self._load(accepted) if accepted is not None else None, index, free)
        self.queue.edge(put, report_taken)
        self.accepted = int(accepted is not None)

    def _load(self, accepted: Accepted) -> Load:
        """Return what the CAM loads for a head: with it, which port it wants after the next one."""
        _, port, _, destination = accepted
        address, dimension = self.address, self.dimension
        broadcast = (address ^ destination) >> dimension & 1
        return *accepted, broadcast, next_port(self.config, address, destination, port, broadcast)

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
