"""Output slot: the packets that a node sends by one dimension, one going out while the next is loaded."""

from __future__ import annotations

from typing import NamedTuple

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.common.twins.report_queue import ReportQueue
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.packet import PacketReason, source_word
from cubecast.golden.packet.twins.buffer_ram import BufferRam
from cubecast.golden.packet.twins.flit import flit_outputs
from cubecast.golden.packet.twins.next_port import lowbit, next_port
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

    def contrary(self, port: int) -> int:
        """Return whether the next packet would be contrary if sent by this port."""
        away = self.destination[self.read_bank ^ self.sender.busy] ^ self.address
        return int(away != 0 and self.config.contrary and away & -away != 1 << port)

    def request(self, fault: int, refusing: int) -> int:
        """Return whether the slot's own dimension is requested, given the fault vector and what its link refuses."""
        busy = self.sender.busy
        if not self.filled >> (self.read_bank ^ busy) & 1 or fault >> self.dimension & 1:
            return 0
        if (busy and self.sender.left) or (refusing and self.contrary(self.dimension)):
            return 0
        return 1

    def _around(self, fault: int) -> int:
        """Return the fault-free dimensions that lead the next packet closer, a mask."""
        return (self.destination[self.read_bank ^ self.sender.busy] ^ self.address) & ~fault

    def detour(self, fault: int) -> int:
        """Return the dimension wanted because the slot's own is faulty, -1 if none is."""
        if not fault >> self.dimension & 1 or not self.filled >> self.read_bank & 1 or self.sender.busy:
            return -1
        around = self._around(fault)
        return lowbit(self.config, around) if around else -1

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
            The dimension in which sending begins instead of the slot's own; -1: none.
        """
        sender = self.sender
        bank = self.read_bank ^ sender.busy
        write, put = None, None
        calm = not self.queue.entries
        filled = self.filled
        self.committed = 0
        start = None
        if accept or detour >= 0:
            start = bank, self.length[bank], self._head(bank, self.dimension if accept else detour)
            self.via = int(not accept)
        done = sender.done(taken) and not refused
        dropped = (
            bool(fault >> self.dimension & 1 and filled >> bank & 1)
            and not sender.busy
            and calm
            and (self.destination[bank] == self.address or not self._around(fault))
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

    def _head(self, bank: int, port: int) -> int:
        """Return the head of the packet in a bank when it leaves by this port."""
        config, destination = self.config, self.destination[bank]
        broadcast = int(destination == self.address)
        wanted = next_port(config, self.address, destination, port, broadcast)
        away = destination ^ self.address
        contrary = int(not broadcast and config.contrary and away & -away != 1 << port)
        return ((contrary << 4 | wanted) << config.length_bits | self.length[bank]) << config.width | destination

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
        starts = get("detour_dimension", 0) if get("detour_start") else -1
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
            choice = self.detour(fault)
            outputs["detour_want"] = int(choice >= 0)
            outputs["detour_choice"] = choice if choice >= 0 else None
            outputs["detour_contrary"] = self.contrary(choice) if choice >= 0 else None
        loaded = Loaded(*(get(name, 0) for name in Loaded._fields)) if get("load") else None
        report_taken = get("report__ready", 0) if report is not None else 0
        self.edge(loaded, fault, accept, taken, refused, report_taken, starts)
        outputs["committed"] = self.committed
        if get("rst"):
            self.reset()
        return outputs
