"""Packet router: packet buffer units, node ports, crossbar, links, report collector and control port."""

from __future__ import annotations

from collections.abc import Sequence

from cubecast.golden.common.contract.control import Register
from cubecast.golden.common.twins.control_port import ControlPort
from cubecast.golden.common.twins.ports import Inputs, Outputs, bits
from cubecast.golden.common.twins.report_collector import Collected, ReportCollector
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.twins.buffer_unit import PacketBufferUnit
from cubecast.golden.packet.twins.crossbar import Crossbar
from cubecast.golden.packet.twins.deserializer import Deserializer
from cubecast.golden.packet.twins.flit import Flit
from cubecast.golden.packet.twins.node_input_port import NodeInputPort
from cubecast.golden.packet.twins.node_output_port import NodeOutputPort, Word
from cubecast.golden.packet.twins.serializer import Serializer

__all__ = ["Arrival", "PacketRouter"]

Arrival = tuple[int, int]
"""What comes over a parallel link in a cycle: whether it is a head, and its bits."""


class PacketRouter:
    """Twin of the packet router of one node.

    All its outputs are functions of registers. By dimension: ``link_out``, what a parallel link carries (None:
    nothing), and the masks ``lines`` of serial links, ``ready`` and ``refusing`` for parallel links that come in,
    ``hold`` for serial ones. ``reporting`` is the unit whose report is taken. All stand for the coming cycle;
    :meth:`edge` takes its edge. Only units in which something happens are touched; unless ``awake``, a cycle in which
    nothing comes in and nothing is written needs no edge.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.
    address : int
        Address of the node.

    Source: Buzzard 1988, section 5.4, figure 5.1.
    """

    def __init__(self, config: PacketConfig, address: int = 0) -> None:
        """Start in reset."""
        self.config = config
        n = self._local = config.local
        self._serial = config.link == "serial"
        self.pbus = [PacketBufferUnit(config) for _ in range(n)]
        for i, pbu in enumerate(self.pbus):
            pbu.dimension = i
        self.node_output = NodeOutputPort(config)
        self.node_input = NodeInputPort(config)
        self.crossbar = Crossbar(config)
        self.serializers = [Serializer(config) for _ in range(n if self._serial else 0)]
        self.deserializers = [Deserializer(config) for _ in range(n if self._serial else 0)]
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
        self.link_out: list[Arrival | None] = [None] * n
        self.lines = 0
        self.ready = self.config.nodes - 1
        self.refusing = 0
        self.hold = 0
        self.reporting = -1
        # The serializers find out in the first cycle that they rest.
        self.awake = self._serial
        for i, pbu in enumerate(self.pbus):
            self._show(i, pbu)

    def quiet(self) -> bool:
        """Return whether nothing is anywhere in the router: no packet or part of one, and no report."""
        return (
            all(pbu.idle for pbu in self.pbus)
            and self.node_output.empty
            and not self.node_input.words
            and not any(self.link_out)
            and all(part.idle for part in self.serializers)
            and all(part.quiet for part in self.deserializers)
            and not self.crossbar.active
            and not self.crossbar.reports
            and self.collector.held is None
        )

    def report(self) -> Collected | None:
        """Return the report that the router makes in this cycle, if any: it was taken in the cycle before."""
        return self.collector.held

    def taken(self) -> Collected | None:
        """Return reason, destination, port and lane of the report taken in this cycle, if any."""
        if self.reporting < 0:
            return None
        j, lane = self.collector.origin(self.reporting)
        queue = (self.pbus[j].queue, self.crossbar.outputs[j].queue, self.node_output.slots[j].queue)[lane]
        return *queue.entries[0], j, lane

    def _show(self, i: int, pbu: PacketBufferUnit) -> None:
        """Bring what the far end of an incoming link sees up to date, after an edge of its unit."""
        ready, refusing, bit = pbu.ready(self._fault >> i & 1), pbu.refusing, 1 << i
        if self._serial:
            ready_bit = 1 - self.deserializers[i].hold(ready, refusing)
            self.hold = self.hold & ~bit if ready_bit else self.hold | bit
        self.ready = self.ready | bit if ready else self.ready & ~bit
        self.refusing = self.refusing | bit if refusing else self.refusing & ~bit
        if pbu.queue.entries:
            self._pbu_reports |= bit
        else:
            self._pbu_reports &= ~bit

    def edge(
        self,
        link_in: Sequence[Arrival | None],
        lines: int,
        opened: int,
        refused: int,
        eject_ready: int,
        word: Word | None = None,
        write: tuple[int, int] | None = None,
    ) -> None:
        """Take the edge of a cycle.

        Parameters
        ----------
        link_in : sequence
            What comes over parallel links, by dimension.
        lines : int
            Mask of the serial links that carry a 1.
        opened, refused : int
            Masks of the links that go out: parallel: ready, refusing; serial: 0, hold.
        eject_ready : int
            Whether the node takes a word.
        word : tuple, optional
            Data, last and slots of the word that the node offers.
        write : tuple, optional
            Address and data written to the control port.
        """
        n, crossbar, node_output, cut = self._local, self.crossbar, self.node_output, self._fault
        if not node_output.idle:
            node_output.offer(cut, 0 if self._serial else refused)
        flits = [*[pbu.sender.flit for pbu in self.pbus], *node_output.flits]
        sinks, hold, sent_back = -1, 0, 0
        if self._serial:
            hold = refused
            sinks, opened, refused = self._flow(flits, hold)
            sent_back = crossbar.sent_back(cut, refused) if refused else 0
        else:
            refused = 0
        opened |= self.node_input.open << n
        crossbar.offer(flits, cut, sinks)
        taken, grants = crossbar.taken, list(crossbar.grants)
        busy, closing = self._ask(grants, taken)
        if not node_output.idle:
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
        if self._serial:
            self._deserialize(lines, busy, grants, taken, reported[0])
            self._serialize(hold)
        else:
            self._receive(link_in, busy, grants, taken, reported[0])
            self.link_out = [None if flit is None else (flit.head, flit.data) for flit in crossbar.sent[:n]]
        if word is not None or not node_output.idle:
            node_output.edge(word, cut, reported[2])
            if node_output.committed:
                self.control.count(Register.MESSAGES_IN + n)
        local = crossbar.sent[n]
        if local is not None or eject_ready:
            self.node_input.edge(local, eject_ready and bool(self.node_input.words))
        self._control(write, report, full)
        self._finish()

    def _flow(self, flits: Sequence[Flit | None], hold: int) -> tuple[int, int, int]:
        """Return the masks of the outputs that take their flit, are open, and refuse their packet, for serial links."""
        sinks, opened, refused = 1 << self._local, 0, 0
        for j, serializer in enumerate(self.serializers):
            held = hold >> j & 1
            if serializer.idle:
                sinks |= 1 << j
                opened |= (1 - held) << j
                continue
            owner = self.crossbar.owner(j)
            flit = flits[owner] if owner >= 0 else None
            sinks |= serializer.ready(flit.head if flit is not None else 0) << j
            refused |= serializer.refused(held) << j
        return sinks, opened, refused

    def _ask(self, grants: Sequence[int], taken: int) -> tuple[set[int], int]:
        """Find what the packet buffer units request and accept; return those not idle and a mask of those closing."""
        requests, accepts, busy, closing = self._requests, self._accepts, set(), 0
        for i, pbu in enumerate(self.pbus):
            if pbu.idle:
                requests[i] = accepts[i] = 0
                continue
            busy.add(i)
            requests[i], accepts[i] = pbu.ask(grants[i], taken >> i & 1)
            closing |= pbu.closing << i
        return busy, closing

    def _receive(
        self, link_in: Sequence[Arrival | None], busy: set[int], grants: Sequence[int], taken: int, reported: int
    ) -> None:
        """Take the edge of the packet buffer units behind parallel links."""
        for i, pbu in enumerate(self.pbus):
            arrival = link_in[i]
            if arrival is not None or i in busy:
                cut_short = int(arrival is None and pbu.receiving)
                self._tick(i, pbu, arrival, cut_short, grants, taken, reported)
                self._show(i, pbu)

    def _tick(
        self,
        i: int,
        pbu: PacketBufferUnit,
        arrival: Arrival | None,
        cut_short: int,
        grants: Sequence[int],
        taken: int,
        reported: int,
    ) -> None:
        """Take the edge of a packet buffer unit, and count what it accepts."""
        pbu.edge(arrival, cut_short, self._fault >> i & 1, grants[i], taken >> i & 1, reported >> i & 1)
        if pbu.accepted:
            self.control.count(Register.MESSAGES_IN + i)

    def _deserialize(self, lines: int, busy: set[int], grants: Sequence[int], taken: int, reported: int) -> None:
        """Take the edge of the receiving sections of serial links, and of the packet buffer units behind them."""
        ready, refusing = self.ready, self.refusing
        for i, deserializer in enumerate(self.deserializers):
            rests = deserializer.quiet and not lines >> i & 1
            if rests and i not in busy:
                continue
            pbu, arrival = self.pbus[i], deserializer.arrival
            if arrival is not None or i in busy:
                self._tick(i, pbu, arrival, deserializer.cut_short, grants, taken, reported)
            if not rests:
                deserializer.edge(lines >> i & 1, ready >> i & 1, refusing >> i & 1)
            self._show(i, pbu)

    def _serialize(self, hold: int) -> None:
        """Take the edge of the sending sections of serial links."""
        lines, sent = 0, self.crossbar.sent
        for j, serializer in enumerate(self.serializers):
            flit = sent[j]
            if flit is not None or not serializer.idle:
                serializer.edge(flit, hold >> j & 1)
                lines |= serializer.line << j
        self.lines = lines

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
            if mask:
                for port in bits(mask):
                    control.count(register + port)
        if write is not None:
            control.write(*write)
        report = self.report()
        if report is not None:
            control.report(full, *report)
        if taken is not None:
            self.collector.take(self.reporting, *taken[:2])
        else:
            self.collector.rest()
        if control.fault != self._fault:
            self._fault = control.fault
            for i, pbu in enumerate(self.pbus):
                self._show(i, pbu)

    def _finish(self) -> None:
        """Find which report is taken in the coming cycle, and whether anything can happen then by itself."""
        crossbar, node_output, control = self.crossbar, self.node_output, self.control
        lane = self._lane
        reports = 0
        if self._pbu_reports or crossbar.reports or node_output.reports:
            reports = lane[self._pbu_reports] | lane[crossbar.reports] << 1 | lane[node_output.reports] << 2
        self.reporting = self.collector.choose(reports) if reports else -1
        self.awake = bool(
            crossbar.active
            or reports
            or self.collector.held
            or self.node_input.words
            or not node_output.idle
            or control.cut != control.fault
            or any(self.link_out)
            or any(not pbu.idle for pbu in self.pbus)
            or any(not part.quiet for part in self.deserializers)
            or any(not part.idle for part in self.serializers)
        )

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, control, n = inputs.get, self.control, self._local
        if get("address", 0) != self.address:
            self.strap(get("address", 0))
        dims = range(n)
        outputs: Outputs = {
            "inject__ready": self.node_output.ready,
            "control__read_data": control.read_data,
            "multiple_faults": control.multiple_faults,
            "report__valid": int(self.report() is not None),
            "eject__valid": int(bool(self.node_input.words)),
        }
        word = self.node_input.words[0] if self.node_input.words else (None, None, None)
        outputs["eject__data"], outputs["eject__last"], outputs["eject__error"] = word
        report = self.report() or (None, None, None, None)
        for field, value in zip(("reason", "destination", "port", "lane"), report, strict=True):
            outputs[f"report__{field}"] = value
        for j in dims:
            if self._serial:
                outputs[f"link_in__{j}__hold"] = self.hold >> j & 1
                outputs[f"link_out__{j}__line"] = self.lines >> j & 1
                continue
            outputs[f"link_in__{j}__ready"] = self.ready >> j & 1
            outputs[f"link_in__{j}__refusing"] = self.refusing >> j & 1
            sent = self.link_out[j]
            outputs[f"link_out__{j}__valid"] = int(sent is not None)
            outputs[f"link_out__{j}__head"], outputs[f"link_out__{j}__data"] = sent or (None, None)
        if get("rst"):
            self.reset()
            return outputs
        address = get("control__address", 0)
        control.read_data = control.read(address)
        lines, hold, opened, refusing = (
            sum(get(f"link_{name}", 0) << j for j, name in enumerate(names))
            for names in (
                [f"in__{j}__line" for j in dims],
                [f"out__{j}__hold" for j in dims],
                [f"out__{j}__ready" for j in dims],
                [f"out__{j}__refusing" for j in dims],
            )
        )
        arrivals = [
            (get(f"link_in__{j}__head", 0), get(f"link_in__{j}__data", 0)) if get(f"link_in__{j}__valid") else None
            for j in dims
        ]
        offered = (get("inject__data", 0), get("inject__last", 0), get("inject__slots", 0))
        self.edge(
            arrivals,
            lines,
            opened,
            hold if self._serial else refusing,
            get("eject__ready", 0),
            offered if get("inject__valid") else None,
            (address, get("control__write_data", 0)) if get("control__write") else None,
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
