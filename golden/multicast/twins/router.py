"""Router: n channels, the injection unit, n + 1 output gateways, report queues and collector, control port."""

from __future__ import annotations

from collections.abc import Sequence

from cubecast.golden.common.contract.control import Register
from cubecast.golden.common.twins.control_port import ControlPort
from cubecast.golden.common.twins.ports import Inputs, Outputs, Word, bits
from cubecast.golden.common.twins.report_collector import Collected, ReportCollector
from cubecast.golden.common.twins.report_queue import ReportQueue
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.twins.channel import Channel
from cubecast.golden.multicast.twins.mhu import Mhu
from cubecast.golden.multicast.twins.output_gateway import OutputGateway
from cubecast.golden.multicast.twins.policy import policy_of

__all__ = ["Router", "Sent"]

Sent = tuple[Word, int, int]
"""What a gateway offers: the word, its lane, and its unit."""


class Router:
    """Twin of the router of one node.

    A cycle has two halves. :meth:`offer` finds what goes out in this cycle (``sent`` by port, and ``reporting``, the
    unit whose queue gives a report), from registers and the ready lanes of the links. Then the edge: :meth:`receive`
    for each word that comes in, :meth:`edge` for the rest. Only units in which something happens are touched;
    unless ``awake``, a cycle needs no :meth:`offer`, and no :meth:`edge` if nothing comes in and nothing is written.
    Each edge appends to ``changed`` the (channel, lane mask) whose ``ready`` it turned over. ``down`` holds the
    neighbours' FAULT bits for our links, as they stand in this cycle; a change of it wakes the router. ``made`` counts
    the reports of each unit that its queue has taken since the reset.

    Parameters
    ----------
    config : Config
        Parameters of the router.
    address : int
        Address of the node.

    Source: Lan 1988, section 6.3, figure 6.1.
    """

    def __init__(self, config: Config, address: int = 0) -> None:
        """Start in reset."""
        self.config = config
        self._local = config.local
        self._lanes = config.lanes
        self.channels = [Channel(config) for _ in range(config.dim)]
        self.injection = Mhu(config, inject=True)
        self.mhus = [mhu for channel in self.channels for mhu in channel.mhus] + [self.injection]
        self.gateways = [OutputGateway(config, local=port == config.local) for port in range(config.ports)]
        self.queues = [ReportQueue(config.control) for _ in self.mhus]
        self.made = [0] * config.units
        self.collector = ReportCollector(config.control)
        self.control = ControlPort(config.control)
        self.down = 0
        self.want = [0] * config.ports
        self.sent: list[Sent | None] = [None] * config.ports
        self.changed: list[tuple[int, int]] = []
        self._events: list[int] = []
        self._counting: list[int] = []
        self._moved: dict[int, int] = {}
        self._arriving: dict[int, Word] = {}
        self._busy: set[int] = set()
        self._offering = self._reports = 0
        self.reporting = -1
        self.awake = False
        self.strap(address)

    def strap(self, address: int) -> None:
        """Set the address of the node."""
        self.address = address
        self.injection.strap(address, 0)
        for j, channel in enumerate(self.channels):
            channel.strap(address, address >> j & 1)
        self._offering = sum(mhu.item.valid << unit for unit, mhu in enumerate(self.mhus))
        for j, gateway in enumerate(self.gateways):
            gateway.strap(policy_of(self.config).gateway_strap(address, j))

    def reset(self) -> None:
        """Set all registers to their reset values."""
        for channel in self.channels:
            channel.reset()
        for gateway in self.gateways:
            gateway.reset()
        self.injection.reset()
        for queue in self.queues:
            queue.reset()
        self.made[:] = [0] * len(self.made)
        self.collector.reset()
        self.control.reset()
        self._cut()
        self.want[:] = [0] * len(self.want)
        self.sent[:] = [None] * len(self.sent)
        self._events.clear()
        self._counting.clear()
        self._moved.clear()
        self._arriving.clear()
        self._busy.clear()
        self.changed.clear()
        self._offering = self._reports = 0
        self.reporting = -1
        self.awake = False

    def _cut(self) -> None:
        """Tell all units which links are cut from the coming cycle on."""
        cut = self.control.cut
        for j, channel in enumerate(self.channels):
            ready = channel.ready
            channel.links(cut, cut >> j & 1)
            self.gateways[j].link(cut >> j & 1)
            if ready != channel.ready:
                self.changed.append((j, ready ^ channel.ready))
        self.injection.links(cut, 0)
        self._busy = {unit for unit, mhu in enumerate(self.mhus) if mhu.busy}
        self._offering = sum(mhu.item.valid << unit for unit, mhu in enumerate(self.mhus))

    def offer(self, ready: Sequence[int], eject_ready: int) -> None:
        """Find what goes out in this cycle.

        Parameters
        ----------
        ready : sequence of int
            The ready lanes of each link.
        eject_ready : int
            Whether the local processor takes a word.
        """
        local, moved = self._local, self._moved
        for port, want in enumerate(self.want):
            if not want:
                self.sent[port] = None
                continue
            gateway = self.gateways[port]
            unit = gateway.choose(want, 0 if port == local else ready[port])
            if unit < 0:
                self.sent[port] = None
                continue
            word = self.mhus[unit].words[port]
            if word is None:
                raise AssertionError(f"node {self.address}: port {port} chose unit {unit}, which has no word")
            self.sent[port] = word, gateway.lane(unit), unit
            if port != local or eject_ready:
                moved[unit] = moved.get(unit, 0) | 1 << port
        self.reporting = self.collector.choose(self._reports) if self._reports else -1

    def report(self) -> Collected | None:
        """Return the report that the router makes in this cycle, if any: it was taken in the cycle before."""
        return self.collector.held

    def quiet(self) -> bool:
        """Return whether no message is in the router, and all reports have left, all events been counted."""
        waiting = self._reports or self._counting or self.collector.held
        return all(mhu.free for mhu in self.mhus) and not waiting

    def receive(self, port: int, lane: int, word: Word) -> None:
        """Take a word that comes in over link ``port`` (n: from the local processor) in this cycle."""
        unit = port * self._lanes + lane
        if lane >= self._lanes:
            return
        mhu = self.mhus[unit]
        if mhu.accept:
            if mhu.free:
                self._events.append(Register.MESSAGES_IN + port)
            self._arriving[unit] = word
            self.awake = True

    def edge(self, eject_ready: int, write: tuple[int, int] | None = None) -> None:
        """Take the edge of a cycle, in which ``write`` is the address and data written to the control port."""
        control, report, full = self.control, self.report(), self.control.full()
        cut_changes = control.cut != control.fault | self.down
        if cut_changes:
            control.links(self.down)
        if write is not None:
            control.write(*write)
        for register in self._counting:
            control.count(register)
        if report is not None:
            control.report(full, *report)
        reported = self._report_edge()
        for port, want in enumerate(self.want):
            if want:
                self._gateway_edge(port, want, eject_ready)
        moved, arriving = self._moved, self._arriving
        for unit in self._busy.union(moved, arriving, bits(reported)):
            self._tick(unit, arriving.get(unit), moved.get(unit, 0), bool(reported >> unit & 1))
        moved.clear()
        arriving.clear()
        self.reporting = -1
        if cut_changes:
            self._cut()
        self._counting, self._events = self._events, []
        written = write is not None and control.cut != control.fault | self.down
        reports = self._offering or self._reports or self.collector.held
        self.awake = bool(self._busy or reports or self._counting or any(self.want) or written)

    def _report_edge(self) -> int:
        """Take the edge of queues and collector; return the mask of the units whose report a queue has taken."""
        reporting, taken = self.reporting, 0
        oldest = self.queues[reporting].oldest if reporting >= 0 else None
        if oldest is None:
            self.collector.rest()
        else:
            self.collector.take(reporting, *oldest)
        for unit in bits(self._offering | self._reports):
            queue, item = self.queues[unit], self.mhus[unit].item
            if item.valid and queue.room:
                taken |= 1 << unit
                self.made[unit] += 1
            queue.edge((item.reason, item.destination) if item.valid else None, unit == reporting)
            if queue.calm:
                self._reports &= ~(1 << unit)
            else:
                self._reports |= 1 << unit
        return taken

    def _gateway_edge(self, port: int, want: int, eject_ready: int) -> None:
        """Take the edge of a gateway that some unit wants, and count."""
        sent, count = self.sent[port], self._events.append
        moves = unit = 0
        if sent is not None:
            (_, last, _), _, unit = sent
            moves = 1 if port != self._local else eject_ready
            self.gateways[port].edge(unit, moves, last)
            if moves:
                count(Register.WORDS_OUT + port)
                if last:
                    count(Register.MESSAGES_OUT + port)
        if OutputGateway.waited(want, unit, moves):
            count(Register.WAITED + port)

    def _tick(self, unit: int, word: Word | None, moved: int, reported: bool) -> None:
        """Take the edge of one unit, and tell the rest of the router what changed."""
        mhu = self.mhus[unit]
        valid, ready = mhu.valid, mhu.free & mhu.accept
        mhu.tick(word, moved, reported)
        if valid != mhu.valid:
            for port in bits(valid ^ mhu.valid):
                self.want[port] ^= 1 << unit
        if mhu.busy:
            self._busy.add(unit)
        else:
            self._busy.discard(unit)
        if mhu.item.valid:
            self._offering |= 1 << unit
        else:
            self._offering &= ~(1 << unit)
        if ready != mhu.free & mhu.accept and mhu is not self.injection:
            port, lane = divmod(unit, self._lanes)
            self.channels[port].ready ^= 1 << lane
            self.changed.append((port, 1 << lane))

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, control = inputs.get, self.control
        if get("address", 0) != self.address:
            self.strap(get("address", 0))
        dims = range(self.config.dim)
        eject_ready = get("eject__ready", 0)
        if self.config.fault_tolerant:
            self.down = sum(get(f"link_in__{j}__down", 0) << j for j in dims)
        self.offer([get(f"link_out__{j}__ready", 0) for j in dims], eject_ready)
        outputs: Outputs = {
            "inject__ready": self.injection.accept,
            "control__read_data": control.read_data,
            "multiple_faults": control.multiple_faults,
            "report__valid": int(self.report() is not None),
        }
        report = self.report() or (None, None, None, None)
        for field, value in zip(("reason", "destination", "port", "lane"), report, strict=True):
            outputs[f"report__{field}"] = value
        for port, sent in enumerate(self.sent):
            name = "eject" if port == self._local else f"link_out__{port}"
            outputs[f"{name}__valid"] = int(sent is not None)
            word, lane, _ = sent or ((None, None, None), None, 0)
            outputs[f"{name}__data"], outputs[f"{name}__last"], outputs[f"{name}__error"] = word
            if port != self._local:
                outputs[f"{name}__lane"] = lane
                outputs[f"link_in__{port}__ready"] = self.channels[port].ready
                if self.config.fault_tolerant:
                    outputs[f"link_out__{port}__down"] = control.fault >> port & 1
        if get("rst"):
            self.reset()
            return outputs
        address = get("control__address", 0)
        control.read_data = control.read(address)
        for port in range(self.config.ports):
            name = "inject" if port == self._local else f"link_in__{port}"
            if get(f"{name}__valid"):
                word = get(f"{name}__data", 0), get(f"{name}__last", 0), get(f"{name}__error", 0)
                self.receive(port, get(f"{name}__lane", 0), word)
        self.edge(eject_ready, (address, get("control__write_data", 0)) if get("control__write") else None)
        self.changed.clear()
        return outputs

    def trace(self) -> str:
        """Return the units that have a message, in one line."""
        texts = [f"{port}: {channel.trace()}" for port, channel in enumerate(self.channels) if channel.trace()]
        if not self.injection.free:
            texts.append(f"inject: {self.injection.trace()}")
        return f"node {self.address:0{self.config.dim}b} " + (" | ".join(texts) or "idle")
