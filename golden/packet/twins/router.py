"""Packet router: packet buffer units, node ports, crossbar, links, report collector and control port."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cubecast.golden.common.contract.control import Register
from cubecast.golden.common.twins.control_port import ControlPort
from cubecast.golden.common.twins.cube import access, router_ports
from cubecast.golden.common.twins.ports import Inputs, Outputs, bits, put, stream
from cubecast.golden.common.twins.report_collector import Collected, ReportCollector
from cubecast.golden.common.twins.sleep import Sleepers
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.twins.buffer_unit import PacketBufferUnit
from cubecast.golden.packet.twins.crossbar import Crossbar
from cubecast.golden.packet.twins.deserializer import Deserializer
from cubecast.golden.packet.twins.flit import Flit
from cubecast.golden.packet.twins.input_controller import Arrival
from cubecast.golden.packet.twins.node_input_port import NodeInputPort
from cubecast.golden.packet.twins.node_output_port import NodeOutputPort, Word
from cubecast.golden.packet.twins.serializer import Serializer

__all__ = ["Link", "PacketRouter"]

Link = tuple[int, ...]
"""What goes over a link in a cycle: valid, whether it is a head, and its bits; for a serial link a 1."""


class PacketRouter:
    """Twin of the packet router of one node.

    All its outputs are functions of registers: by dimension ``link_out``, what the link carries (None: nothing), and
    ``shown``, what is said back over the link that comes in: ready and refusing, for serial links hold; ``ejected``,
    ``inject_ready`` and ``report``. ``flags``, by dimension: whether the packet buffer unit is ready, and refuses
    contrary packets. ``reporting`` is the unit whose report is taken. All stand for the coming cycle:
    :meth:`offer` tells it what the far ends say, and :meth:`edge` takes its edge. ``resting``: an edge changes nothing
    unless something comes in or is written.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.
    address : int
        Address of the node.
    kinds : bool
        Whether packets have a kind.

    Source: Buzzard 1988, sections 5.1 to 5.4, figure 5.1.
    """

    def __init__(self, config: PacketConfig, address: int = 0, kinds: bool = False) -> None:
        """Start in reset."""
        self.config = config
        n = self._local = config.local
        self._serial = config.link == "serial"
        self.pbus = [PacketBufferUnit(config) for _ in range(n)]
        for i, pbu in enumerate(self.pbus):
            pbu.dimension = i
        self.node_output = NodeOutputPort(config, kinds)
        self.node_input = NodeInputPort(config)
        self.crossbar = Crossbar(config)
        self.serializers = [Serializer(config) for _ in range(n if self._serial else 0)]
        self.deserializers = [Deserializer(config) for _ in range(n if self._serial else 0)]
        self._units, self._senders = Sleepers(self.pbus), Sleepers(self.serializers)
        self._receivers = Sleepers(self.deserializers)
        self.collector = ReportCollector(config.control)
        self.control = ControlPort(config.control)
        self._lane = [sum(1 << config.lanes * j for j in bits(mask)) for mask in range(config.nodes)]
        self.strap(address)
        self._clear()

    def strap(self, address: int) -> None:
        """Set the address of the node."""
        self.address = address
        self.node_output.strap(address)
        for pbu in self.pbus:
            pbu.address = address

    def reset(self) -> None:
        """Set all registers to their reset values."""
        for pbu in self.pbus:
            pbu.reset()
        for serializer, deserializer in zip(self.serializers, self.deserializers, strict=True):
            serializer.reset()
            deserializer.reset()
        self.node_output.reset()
        self.node_input.reset()
        self.crossbar.reset()
        self.collector.reset()
        self.control.reset()
        self._clear()

    def _clear(self) -> None:
        """Set what is kept beside the units to its reset value."""
        n = self._local
        self._requests = [0] * n
        self._accepts = [0] * n
        self._pbu_reports = 0
        self._fault = 0
        self.link_out: list[Link | None] = [None] * n
        self.flags: list[tuple[int, ...]] = [(1, 0)] * n
        self.shown = [(0,)] * n if self._serial else self.flags
        self.reporting = -1
        for i, pbu in enumerate(self.pbus):
            self._show(i, pbu)
        for members in (self._units, self._senders, self._receivers):
            members.reset()
        self.offer(self.shown, 0)

    def quiet(self) -> bool:
        """Return whether nothing is anywhere in the router: no packet or part of one, and no report."""
        return (
            all(pbu.resting for pbu in self.pbus)
            and self.node_output.empty
            and not self.node_input.words
            and not any(self.link_out)
            and all(part.resting for part in self.serializers)
            and all(part.resting for part in self.deserializers)
            and self.crossbar.resting
            and self.collector.held is None
        )

    @property
    def inject_ready(self) -> int:
        """Mask of the slots that take a word from the node."""
        return self.node_output.ready

    @property
    def ejected(self) -> tuple[int, int, int] | None:
        """The word that the node is shown, if any."""
        return self.node_input.words[0] if self.node_input.words else None

    @property
    def report(self) -> Collected | None:
        """The report that the router makes in this cycle, if any: it was taken in the cycle before."""
        return self.collector.held

    @property
    def down(self) -> int:
        """No FAULT bit goes over a link."""
        return 0

    def taken(self) -> Collected | None:
        """Return reason, destination, port and lane of the report taken in this cycle, if any."""
        if self.reporting < 0:
            return None
        j, lane = self.collector.origin(self.reporting)
        queue = (self.pbus[j].queue, self.crossbar.outputs[j].queue, self.node_output.slots[j].queue)[lane]
        return *queue.entries[0], j, lane

    def _show(self, i: int, pbu: PacketBufferUnit) -> None:
        """Bring what the far end of an incoming link sees up to date, after an edge of its unit."""
        flags = self.flags[i] = pbu.ready(self._fault >> i & 1), pbu.refusing
        if self._serial:
            self.shown[i] = (self.deserializers[i].hold(*flags),)
        self._pbu_reports = put(self._pbu_reports, i, pbu.queue.entries)

    def offer(self, far: Sequence[tuple[int, ...]], eject_ready: int) -> None:
        """Begin a cycle: nothing goes out but what registers say.

        Parameters
        ----------
        far : sequence
            What the far ends of the links that go out say, by dimension: parallel: ready and refusing; serial: hold.
        eject_ready : int
            Whether the node takes a word.
        """
        self._far, self._eject_ready = far, eject_ready

    def edge(
        self,
        arriving: Sequence[Link | None],
        down: int = 0,
        word: Word | None = None,
        write: tuple[int, int] | None = None,
    ) -> None:
        """Take the edge of a cycle.

        Parameters
        ----------
        arriving : sequence
            What comes over the links, by dimension.
        down : int
            Not used, as no FAULT bit goes over a link.
        word : tuple, optional
            Data, last, slots and, if it has one, kind of the word that the node offers.
        write : tuple, optional
            Address and data written to the control port.
        """
        n, crossbar, node_output, cut = self._local, self.crossbar, self.node_output, self._fault
        far, eject_ready = self._far, self._eject_ready
        opened = refused = hold = 0
        if self._serial:
            hold = sum(held << j for j, (held,) in enumerate(far))
        else:
            for j, (ready, refusing) in enumerate(far):
                opened |= ready << j
                refused |= refusing << j
        node_output.offer(cut, refused)

        # What goes through the crossbar.
        flits = [*[pbu.sender.flit for pbu in self.pbus], *node_output.flits]
        sinks, refused, sent_back = -1, 0, 0
        if self._serial:
            sinks, opened, refused = self._flow(flits, hold)
            sent_back = crossbar.sent_back(cut, refused) if refused else 0
        opened |= self.node_input.open << n
        crossbar.offer(flits, cut, sinks)
        taken, grants = crossbar.taken, crossbar.grants
        closing = self._ask(grants, taken)
        if not node_output.resting:
            node_output.answer(grants[n:], taken >> n, sent_back >> n)
        report, full, reported = self.taken(), self.control.full(), [0, 0, 0]
        if report is not None:
            reported[report[3]] = 1 << report[2]
        crossbar.edge(
            flits,
            self._requests + node_output.requests,
            self._accepts + node_output.accepts,
            closing | node_output.closing << n,
            opened,
            cut,
            refused,
            reported[1],
        )

        # What comes in and goes out.
        if self._serial:
            self._deserialize(arriving, grants, taken, reported[0])
            self._serialize(hold)
        else:
            came = {i: (link[1], link[2]) for i, link in enumerate(arriving) if link is not None}
            cut_short = [i not in came and pbu.receiving for i, pbu in enumerate(self.pbus)]
            self._receive(came, cut_short, grants, taken, reported[0])
            self.link_out = [None if flit is None else (1, flit.head, flit.data) for flit in crossbar.sent[:n]]
        if word is not None or not node_output.resting:
            node_output.edge(word, cut, reported[2])
            if node_output.committed:
                self.control.count(Register.MESSAGES_IN + n)
        local = crossbar.sent[n]
        if local is not None or eject_ready:
            self.node_input.edge(local, eject_ready and bool(self.node_input.words))
        self._control(write, report, full)

        reports = self._reports()
        self.reporting = self.collector.choose(reports) if reports else -1

    def _flow(self, flits: Sequence[Flit | None], hold: int) -> tuple[int, int, int]:
        """Return the masks of the outputs that take their flit, are open, and refuse their packet, for serial links."""
        sinks, opened, refused = 1 << self._local, 0, 0
        for j, serializer in enumerate(self.serializers):
            held = hold >> j & 1
            if serializer.resting:
                sinks |= 1 << j
                opened |= (1 - held) << j
                continue
            owner = self.crossbar.owner(j)
            flit = flits[owner] if owner >= 0 else None
            sinks |= serializer.ready(flit.head if flit is not None else 0) << j
            refused |= serializer.refused(held) << j
        return sinks, opened, refused

    def _ask(self, grants: Sequence[int], taken: int) -> int:
        """Find what the packet buffer units request and accept; return a mask of those closing."""
        closing = 0
        for i in self._units.stirred:
            pbu = self.pbus[i]
            self._requests[i], self._accepts[i] = pbu.ask(grants[i], taken >> i & 1)
            closing |= pbu.closing << i
        return closing

    def _receive(
        self,
        came: Mapping[int, Arrival],
        cut_short: Sequence[int],
        grants: Sequence[int],
        taken: int,
        reported: int,
    ) -> None:
        """Take the edge of the packet buffer units, and count what they accept."""
        for i in self._units.due(came):
            pbu = self.pbus[i]
            pbu.edge(
                came.get(i),
                cut_short[i],
                self._fault >> i & 1,
                grants[i],
                taken >> i & 1,
                reported >> i & 1,
            )
            if pbu.accepted:
                self.control.count(Register.MESSAGES_IN + i)
            self._show(i, pbu)
        self._units.settle()

    def _deserialize(self, arriving: Sequence[Link | None], grants: Sequence[int], taken: int, reported: int) -> None:
        """Take the edge of the receiving sections of serial links, and of the packet buffer units behind them."""
        came = {i: part.arrival for i, part in enumerate(self.deserializers) if part.arrival is not None}
        flags = list(self.flags)
        self._receive(came, [part.cut_short for part in self.deserializers], grants, taken, reported)
        for i in self._receivers.due({i for i, link in enumerate(arriving) if link is not None}):
            ready, refusing = flags[i]
            self.deserializers[i].edge(int(arriving[i] is not None), ready, refusing)
            self._show(i, self.pbus[i])
        self._receivers.settle()

    def _serialize(self, hold: int) -> None:
        """Take the edge of the sending sections of serial links."""
        sent = self.crossbar.sent
        for j in self._senders.due({j for j in range(self._local) if sent[j] is not None}):
            serializer = self.serializers[j]
            serializer.edge(sent[j], hold >> j & 1)
            self.link_out[j] = (1,) if serializer.line else None
        self._senders.settle()

    def _control(self, write: tuple[int, int] | None, taken: Collected | None, full: bool) -> None:
        """Take the edge of control port and collector; ``full``: the log was full at the start of the cycle."""
        control, crossbar = self.control, self.crossbar
        if control.cut != self._fault:
            control.links(0)
        for mask, register in (
            (crossbar.word_out, Register.WORDS_OUT),
            (crossbar.packet_out, Register.MESSAGES_OUT),
            (crossbar.waited, Register.WAITED),
        ):
            for port in bits(mask):
                control.count(register + port)
        if write is not None:
            control.write(*write)
        report = self.report
        if report is not None:
            control.report(full, *report)
        self.collector.edge(self.reporting, taken and taken[:2])
        if control.fault != self._fault:
            self._fault = control.fault
            for i, pbu in enumerate(self.pbus):
                self._show(i, pbu)

    def _reports(self) -> int:
        """Return the mask of the units that have a report."""
        lane, own, crossbar, slots = self._lane, self._pbu_reports, self.crossbar.reports, self.node_output.reports
        return lane[own] | lane[crossbar] << 1 | lane[slots] << 2

    @property
    def resting(self) -> bool:
        """Whether an edge changes nothing unless something comes in or is written."""
        return not (
            not self.crossbar.resting
            or self.reporting >= 0
            or self.report
            or self.node_input.words
            or not self.node_output.resting
            or self.control.cut != self.control.fault
            or any(self.link_out)
            or self._units.awake
            or self._receivers.awake
            or self._senders.awake
        )

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, control, dims = inputs.get, self.control, range(self._local)
        if get("address", 0) != self.address:
            self.strap(get("address", 0))
        sent, heard = (("line",), ("hold",)) if self._serial else (("valid", "head", "data"), ("ready", "refusing"))
        self.offer([tuple(get(f"link_out__{j}__{name}", 0) for name in heard) for j in dims], get("eject__ready", 0))
        outputs = router_ports(self)
        outputs |= stream("eject", ("data", "last", "error"), self.ejected)
        for j, (link, shown) in enumerate(zip(self.link_out, self.shown, strict=True)):
            silence = (0, *(None,) * (len(sent) - 1))
            outputs |= {f"link_out__{j}__{name}": value for name, value in zip(sent, link or silence, strict=True)}
            outputs |= {f"link_in__{j}__{name}": value for name, value in zip(heard, shown, strict=True)}
        if get("rst"):
            self.reset()
            return outputs
        control.read_data = control.read(get("control__address", 0))
        links = [tuple(get(f"link_in__{j}__{name}", 0) for name in sent) for j in dims]
        names = ("data", "last", "slots", "kind")
        data, last, slots, kind = (get(f"inject__{name}", 0) for name in names)
        self.edge(
            [link if link[0] else None for link in links],
            word=(data, last, slots, kind) if get("inject__valid") else None,
            write=access(inputs),
        )
        return outputs

    def trace(self) -> str:
        """Return where packets are, in one line."""
        texts = [f"{i}: {pbu.cam.count} rows" for i, pbu in enumerate(self.pbus) if pbu.cam.count]
        slots = self.node_output.pending()
        if slots:
            texts.append("slots " + " ".join(map(str, slots)))
        if self.node_input.words:
            texts.append(f"eject: {len(self.node_input.words)} words")
        return f"node {self.address:0{self._local}b} " + (" | ".join(texts) or "idle")
