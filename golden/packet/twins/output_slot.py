"""Output slot: the packets that a node sends by one dimension, one going out while the next is loaded."""

from __future__ import annotations

from typing import NamedTuple

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.common.twins.report_queue import ReportQueue
from cubecast.golden.packet.contract.config import PORT_BITS, PacketConfig
from cubecast.golden.packet.contract.packet import source_word
from cubecast.golden.packet.contract.reason import PacketReason
from cubecast.golden.packet.twins.buffer_ram import BufferRam
from cubecast.golden.packet.twins.flit import flit_outputs
from cubecast.golden.packet.twins.next_port import next_port
from cubecast.golden.packet.twins.output_controller import OutputController, Sending

__all__ = ["EMPTY", "Loaded", "OutputSlot"]

EMPTY, LOADING, DISCARD = range(3)

Report = tuple[int, int]


class Loaded(NamedTuple):
    """A word that a slot takes.

    Data, last, whether no other slot takes it too, whether no slot was named at all, the kind of the packet.
    """

    data: int
    last: int
    alone: int
    none: int
    kind: int = 0


class OutputSlot(Sending):
    """Twin of a buffer slot; a packet asks for its dimension in the cycle after its last word.

    After the edge ``committed`` says whether a packet became complete in the cycle.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.
    kinds : bool
        Whether words have a kind, which goes into the source word; else it is 0.

    Source: Buzzard 1988, section 5.4.4, figure 5.7.
    """

    def __init__(self, config: PacketConfig, kinds: bool = False) -> None:
        """Start in reset, as slot 0 of node 0."""
        self.config = config
        self.address = 0
        self.dimension = 0
        self._fixed = config.routing == "fixed"
        self.ram = BufferRam(config, count=2)
        self.sender = OutputController(config, rows=2)
        self.queue = ReportQueue(config.control)
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.sender.reset()
        self.queue.reset()
        self.state = EMPTY
        self.count = 0
        self.write_bank = 0
        self.read_bank = 0
        self.filled = 0
        self.length = [0, 0]
        self.destination = [0, 0]
        self.via = 0
        self.committed = 0

    @property
    def ready(self) -> int:
        """Whether a word is taken."""
        return int(not self.filled >> self.write_bank & 1 and not self.queue.entries)

    @property
    def resting(self) -> bool:
        """Whether it has no complete packet and no report, so that an edge without a word changes nothing."""
        return not self.filled and not self.queue.entries

    def request(self, fault: int, refusing: int) -> int:
        """Return whether the slot's own dimension is requested, given the fault vector and what its link refuses."""
        busy = self.sender.busy
        if not self.filled >> (self.read_bank ^ busy) & 1 or fault >> self.dimension & 1:
            return 0
        if (busy and self.sender.left) or (refusing and self._course(self.read_bank ^ busy) >> PORT_BITS):
            return 0
        return 1

    @property
    def away(self) -> int:
        """Mask of the dimensions that the packet in the read bank has to cross."""
        return self.destination[self.read_bank] ^ self.address

    def wants_detour(self, fault: int) -> bool:
        """Return whether another dimension is wanted because the slot's own is faulty."""
        waits = fault >> self.dimension & 1 and self.filled >> self.read_bank & 1 and not self.sender.busy
        return bool(waits and self.away & ~fault)

    def accept(self, request: int, grant: int, taken: int) -> int:
        """Return whether the next packet's sending begins in this cycle, in the slot's own dimension."""
        return int(bool(request and grant) and (not self.sender.busy or bool(self.sender.done(taken))))

    def edge(
        self,
        loaded: Loaded | None,
        fault: int,
        accept: int,
        taken: int,
        refused: int = 0,
        report_taken: int = 0,
        detour: int = -1,
    ) -> None:
        """Take a clock edge.

        Parameters
        ----------
        loaded : Loaded, optional
            The word for this slot.
        fault : int
            The fault vector.
        accept : int
            What :meth:`accept` said.
        taken, refused, report_taken : int
            Whether the flit offered goes, the packet being sent is refused, the report offered is taken.
        detour : int
            Next port and contrary bit (bit 4) with which sending begins in another dimension; -1: it does not.
        """
        sender = self.sender
        bank = self.read_bank ^ sender.busy
        write, put = None, None
        calm = not self.queue.entries
        filled = self.filled
        self.committed = 0
        start = None
        if accept or detour >= 0:
            start = bank, self.length[bank], self._head(bank, self._course(bank) if accept else detour)
            self.via = int(not accept)
        done = sender.done(taken) and not refused
        dropped = (
            bool(fault >> self.dimension & 1 and filled >> bank & 1)
            and not sender.busy
            and calm
            and not self.away & ~fault
        )
        if loaded is not None:
            write, put = self._load(loaded)
        read = None
        if start is not None or sender.busy:
            read = sender.edge(self.ram.data, taken, start, stop=refused)
        if done:
            self.filled &= ~(1 << self.read_bank)
            self.read_bank ^= 1
        elif dropped and put is None:
            put = PacketReason.UNDELIVERABLE, self.destination[bank]
            self.filled &= ~(1 << bank)
            self.read_bank ^= 1
        if write is not None or read is not None:
            self.ram.edge(write, read)
        if put is not None or report_taken:
            self.queue.edge(put, report_taken)

    def _course(self, bank: int) -> int:
        """Return next port and contrary bit of the packet in a bank when it leaves by the slot's own dimension."""
        config, destination, port = self.config, self.destination[bank], self.dimension
        broadcast = int(destination == self.address)
        wanted = next_port(config, self.address, destination, port, broadcast)
        away = destination ^ self.address
        contrary = int(not broadcast and config.contrary and away & -away != 1 << port)
        return contrary << PORT_BITS | wanted

    def _head(self, bank: int, course: int) -> int:
        """Return the head of the packet in a bank with this next port and contrary bit."""
        config = self.config
        return (course << config.length_bits | self.length[bank]) << config.width | self.destination[bank]

    def _leads(self, away: int) -> bool:
        """Return whether the slot's dimension may be the first of a packet that has to cross these dimensions."""
        own = 1 << self.dimension
        return away & -away == own if self._fixed else bool(away & own)

    def _load(self, loaded: Loaded) -> tuple[tuple[int, int, int] | None, Report | None]:
        """Take a word; return what is written to the RAM, and the report if the packet is bad."""
        bank, address, data = self.write_bank, self.address, loaded.data
        if self.state == DISCARD:
            if loaded.last:
                self.state = EMPTY
            return None, None
        reason = None
        if self.state == LOADING:
            destination = self.destination[bank]
            if self.count == self.config.max_words:
                reason = PacketReason.DATA_TOO_LONG
        else:
            destination, self.count = data & self.config.nodes - 1, 0
            away = destination ^ address
            if loaded.none:
                reason = PacketReason.BAD_SLOT
            elif data != destination:
                reason = PacketReason.ADDRESS_BITS
            elif away and not (loaded.alone and self._leads(away)):
                reason = PacketReason.BAD_SLOT
        if reason is not None:
            self.state = EMPTY if loaded.last else DISCARD
            return None, (reason, destination)
        if self.state == EMPTY:
            self.destination[bank] = destination
            data = source_word(self.config, self.dimension, address, loaded.kind)
        write = bank, self.count, data
        self.count += 1
        self.state = LOADING
        if loaded.last:
            self.length[bank] = self.count
            self.filled |= 1 << bank
            self.write_bank ^= 1
            self.state = EMPTY
            self.committed = 1
        return write, None

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get = inputs.get
        self.address, self.dimension = get("address", 0), get("dimension", 0)
        fault, refused, flit, report = get("fault", 0), get("refused", 0), self.flit, self.report
        taken = get("o__ready", 0) if flit is not None else 0
        request = self.request(fault, get("refusing", 0))
        starts = get("detour_contrary", 0) << PORT_BITS | get("detour_next", 0) if get("detour_start") else -1
        accept = self.accept(request, get("grant", 0), taken) if starts < 0 else 0
        outputs: Outputs = {
            "ready": self.ready,
            "request": request,
            "accept": accept,
            "closing": self.closing,
            "busy": self.busy,
            "report__valid": int(report is not None),
            **flit_outputs("o", flit),
        }
        outputs["report__reason"], outputs["report__destination"] = report if report is not None else (None, None)
        if self.config.fault_tolerant:
            outputs["detour_want"] = int(self.wants_detour(fault))
            outputs["away"] = self.away if outputs["detour_want"] else None
        loaded = Loaded(*(get(name, 0) for name in Loaded._fields)) if get("load") else None
        report_taken = get("report__ready", 0) if report is not None else 0
        self.edge(loaded, fault, accept, taken, refused, report_taken, starts)
        outputs["committed"] = self.committed
        if get("rst"):
            self.reset()
        return outputs
