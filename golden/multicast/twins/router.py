"""Router: n channels, the injection unit, n + 1 output gateways, report queues and collector, control port."""

from __future__ import annotations

from collections.abc import Sequence

from cubecast.golden.common.contract.control import Register
from cubecast.golden.common.twins.control_port import ControlPort
from cubecast.golden.common.twins.cube import access, router_ports
from cubecast.golden.common.twins.ports import Inputs, Outputs, Word, bits, put, stream
from cubecast.golden.common.twins.report_collector import Collected, ReportCollector
from cubecast.golden.common.twins.report_queue import ReportQueue
from cubecast.golden.common.twins.sleep import Sleepers
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.twins.channel import Channel
from cubecast.golden.multicast.twins.mhu import Mhu
from cubecast.golden.multicast.twins.output_gateway import OutputGateway
from cubecast.golden.multicast.twins.policy import policy_of

__all__ = ["Link", "Router"]

Link = tuple[int, int, int, int, int]
"""What goes over a link with a word: valid, data, last, error and lane."""

WORD = ("data", "last", "error")
MESSAGES_IN, MESSAGES_OUT, WORDS_OUT, WAITED = (
    int(register) for register in (Register.MESSAGES_IN, Register.MESSAGES_OUT, Register.WORDS_OUT, Register.WAITED)
)


class Router:
    """Twin of the router of one node.

    A cycle has two halves. :meth:`offer` finds what goes out: ``link_out`` by dimension, and ``ejected``.
    :meth:`edge` takes the edge. ``inject_ready``, ``report``, ``shown`` (the lanes that are ready, by dimension) and
    ``down`` (the FAULT bits) are functions of registers. ``made`` counts the reports of each unit that its queue has
    taken since the reset. By port, ``wanted`` is the mask of the units that offer a word and ``chosen`` the unit whose
    word is offered (-1: none); by unit, ``moved`` is the mask of the ports through which its word moves.

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
        self.channels = [Channel(config) for _ in range(config.dim)]
        self.injection = Mhu(config, inject=True)
        self.mhus = [mhu for channel in self.channels for mhu in channel.mhus] + [self.injection]
        self.gateways = [OutputGateway(config, local=port == config.local) for port in range(config.ports)]
        self.queues = [ReportQueue(config.control) for _ in self.mhus]
        self.collector = ReportCollector(config.control)
        self.control = ControlPort(config.control)
        self._units = Sleepers(self.mhus)
        self._shares = config.shares_multicaster
        self.strap(address)
        self._clear()

    def strap(self, address: int) -> None:
        """Set the address of the node."""
        self.address = address
        self.injection.strap(address, 0)
        for j, channel in enumerate(self.channels):
            channel.strap(address, address >> j & 1)
        for j, gateway in enumerate(self.gateways):
            gateway.strap(policy_of(self.config).gateway_strap(address, j))
        self._look()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        parts: tuple[Channel | Mhu | OutputGateway | ReportQueue | ReportCollector | ControlPort, ...]
        parts = *self.channels, self.injection, *self.gateways, *self.queues, self.collector, self.control
        for part in parts:
            part.reset()
        self._clear()

    def _clear(self) -> None:
        """Set what is kept beside the units to its reset value."""
        self.made = [0] * len(self.mhus)
        # Registers: the counters of what happened in the cycle before.
        self._events: list[int] = []
        # By port the units that offer a word; the units whose queue holds a report; the neighbours' FAULT bits.
        self.wanted = [0] * self.config.ports
        self._queued = self._down = 0
        # Whether the turn at a shared multicaster needs an edge.
        self._turning = any(channel.turning for channel in self.channels)
        self._link()
        self.offer(self.shown, 0)

    def _link(self) -> None:
        """Tell all units which links are cut from the coming cycle on."""
        cut = self.control.cut
        for j, channel in enumerate(self.channels):
            channel.links(cut, cut >> j & 1)
            self.gateways[j].link(cut >> j & 1)
        self.injection.links(cut, 0)
        self._look()

    def _look(self) -> None:
        """Find anew which units offer a report, and which are ready."""
        self._reporting = sum(mhu.item.valid << unit for unit, mhu in enumerate(self.mhus))
        self.shown = [(channel.ready,) for channel in self.channels]
        self._units.reset()

    @property
    def inject_ready(self) -> int:
        """Whether a word is taken from the local processor."""
        return self.injection.accept

    @property
    def down(self) -> int:
        """The FAULT bits, which the neighbours see."""
        return self.control.fault

    @property
    def report(self) -> Collected | None:
        """The report that the router makes in this cycle, if any: it was taken in the cycle before."""
        return self.collector.held

    @property
    def resting(self) -> bool:
        """Whether an edge changes nothing unless a word comes in, or FAULT bits here or at a neighbour change."""
        control = self.control
        reports = self._reporting or self._queued or self.collector.held
        cuts = control.cut != control.fault | self._down
        return not (self._units.awake or reports or self._events or any(self.wanted) or cuts or self._turning)

    def quiet(self) -> bool:
        """Return whether no message is in the router, and all reports have left, all events been counted."""
        waiting = self._queued or self._events or self.collector.held
        return all(mhu.free for mhu in self.mhus) and not waiting

    def offer(self, far: Sequence[tuple[int]], eject_ready: int) -> None:
        """Find what goes out in this cycle.

        Parameters
        ----------
        far : sequence
            The ready lanes of each link.
        eject_ready : int
            Whether the local processor takes a word.
        """
        local = self.config.local
        self.link_out: list[Link | None] = [None] * local
        self.ejected: Word | None = None
        # By port the unit chosen, -1 if none is; by unit the ports through which its word moves.
        self.chosen = [-1] * (local + 1)
        self.moved: dict[int, int] = {}
        for port, want in enumerate(self.wanted):
            if not want:
                continue
            unit = self.chosen[port] = self.gateways[port].choose(want, far[port][0] if port < local else 0)
            if unit < 0:
                continue
            word = self.mhus[unit].words[port]
            if word is None:
                raise AssertionError(f"node {self.address}: port {port} chose unit {unit}, which has no word")
            if port < local:
                self.link_out[port] = (1, *word, self.gateways[port].lane(unit))
            else:
                self.ejected = word
            if port < local or eject_ready:
                self.moved[unit] = self.moved.get(unit, 0) | 1 << port

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
            Mask of the neighbours' FAULT bits for these links.
        word : tuple, optional
            The word that the local processor offers.
        write : tuple, optional
            Address and data written to the control port.
        """
        cut = self.control.cut
        self._control_edge(down, write)
        reported = self._report_edge()
        for port, want in enumerate(self.wanted):
            if want:
                self._gateway_edge(port, want)
        words = self._receive(arriving, word)
        # A unit that asks is awake, so that one that sleeps neither waits for its turn nor takes it.
        asks = [channel.asks for channel in self.channels] if self._shares else []
        decided = 0
        for unit in self._units.due({*words, *self.moved, *bits(reported)}):
            mhu = self.mhus[unit]
            valid, ready, report = mhu.valid, mhu.ready, mhu.item.valid
            if mhu.edge(words.get(unit), self.moved.get(unit, 0), reported >> unit & 1):
                decided |= 1 << unit
            for port in bits(valid ^ mhu.valid):
                self.wanted[port] ^= 1 << unit
            if report != mhu.item.valid:
                self._reporting ^= 1 << unit
            if ready != mhu.ready and mhu is not self.injection:
                port, lane = divmod(unit, self.config.lanes)
                self.shown[port] = (self.shown[port][0] ^ 1 << lane,)
        self._units.settle()
        if self._shares:
            self._turn_edge(arriving, asks, decided)
        if cut != self.control.cut:
            self._link()

    def _control_edge(self, down: int, write: tuple[int, int] | None) -> None:
        """Take the edge of the control port, which counts what happened in the cycle before."""
        control, report = self.control, self.collector.held
        full = report is not None and control.full()
        self._down = down
        if control.cut != control.fault | down:
            control.links(down)
        if write is not None:
            control.write(*write)
        for register in self._events:
            control.count(register)
        self._events = []
        if report is not None:
            control.report(full, *report)

    def _report_edge(self) -> int:
        """Take the edge of queues and collector; return the mask of the units whose report a queue has taken."""
        if not (self._reporting or self._queued or self.collector.held):
            return 0
        chosen = self.collector.choose(self._queued) if self._queued else -1
        oldest = self.queues[chosen].oldest if chosen >= 0 else None
        self.collector.edge(chosen, oldest)
        taken = 0
        for unit in bits(self._reporting | self._queued):
            queue, item = self.queues[unit], self.mhus[unit].item
            if item.valid and queue.room:
                taken |= 1 << unit
                self.made[unit] += 1
            queue.edge((item.reason, item.destination) if item.valid else None, unit == chosen)
            self._queued = put(self._queued, unit, not queue.calm)
        return taken

    def _gateway_edge(self, port: int, want: int) -> None:
        """Take the edge of a gateway that some unit wants, and note what happens."""
        unit, moves = self.chosen[port], 0
        if unit >= 0:
            word = self.mhus[unit].words[port]
            moves, last = self.moved.get(unit, 0) >> port & 1, word[1] if word else 0
            self.gateways[port].edge(unit, moves, last)
            if moves:
                self._events.append(WORDS_OUT + port)
                if last:
                    self._events.append(MESSAGES_OUT + port)
        if OutputGateway.waited(want, unit, moves):
            self._events.append(WAITED + port)

    def _turn_edge(self, arriving: Sequence[Link | None], asks: Sequence[int], decided: int) -> None:
        """Take the edge of the turns at the multicasters that units share; ``decided``: which units have."""
        lanes = self.config.lanes
        for port, channel in enumerate(self.channels):
            link = arriving[port]
            decides = decided >> port * lanes & (1 << lanes) - 1
            channel.turn_edge(asks[port], decides, link[4] if link else None)
        self._turning = any(channel.turning for channel in self.channels)

    def _receive(self, arriving: Sequence[Link | None], word: Word | None) -> dict[int, Word]:
        """Return the words that units take, and note which of them begin a message."""
        lanes, taken = self.config.lanes, {}
        for port, link in enumerate((*arriving, word and (1, *word, 0))):
            if link is None or link[4] >= lanes:
                continue
            unit = port * lanes + link[4]
            if self.mhus[unit].accept:
                taken[unit] = link[1:4]
                if self.mhus[unit].free:
                    self._events.append(MESSAGES_IN + port)
        return taken

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        if inputs.get("address", 0) != self.address:
            self.strap(inputs.get("address", 0))
        self.offer(self.far(inputs), inputs.get("eject__ready", 0))
        outputs = self.ports()
        if inputs.get("rst"):
            self.reset()
            return outputs
        self.control.read_data = self.control.read(inputs.get("control__address", 0))
        injected = _offered(inputs, "inject")
        self.edge(*self.near(inputs), injected and injected[1:4], access(inputs))
        return outputs

    def far(self, inputs: Inputs) -> list[tuple[int]]:
        """Return what the far ends of the links show at this router's ports."""
        return [(inputs.get(f"link_out__{j}__ready", 0),) for j in range(self.config.dim)]

    def near(self, inputs: Inputs) -> tuple[list[Link | None], int]:
        """Return what comes over the links at this router's ports: words, and FAULT bits."""
        dims = range(self.config.dim)
        down = sum(inputs.get(f"link_in__{j}__down", 0) << j for j in dims) if self.config.fault_tolerant else 0
        return [_offered(inputs, f"link_in__{j}") for j in dims], down

    def ports(self) -> Outputs:
        """Return the outputs of a cycle."""
        outputs = router_ports(self) | stream("eject", WORD, self.ejected)
        for j, link in enumerate(self.link_out):
            outputs |= stream(f"link_out__{j}", (*WORD, "lane"), link and link[1:])
            outputs[f"link_in__{j}__ready"] = self.shown[j][0]
            if self.config.fault_tolerant:
                outputs[f"link_out__{j}__down"] = self.down >> j & 1
        return outputs

    def trace(self) -> str:
        """Return the units that have a message, in one line."""
        texts = [f"{port}: {channel.trace()}" for port, channel in enumerate(self.channels) if channel.trace()]
        if not self.injection.free:
            texts.append(f"inject: {self.injection.trace()}")
        return f"node {self.address:0{self.config.dim}b} " + (" | ".join(texts) or "idle")


def _offered(inputs: Inputs, name: str) -> Link | None:
    """Return the word at an input; the local port has no lane."""
    data, last, error, lane = (inputs.get(f"{name}__{field}", 0) for field in (*WORD, "lane"))
    return (1, data, last, error, lane) if inputs.get(f"{name}__valid") else None
