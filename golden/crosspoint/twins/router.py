"""Crosspoint router: a queue for every input and output that are joined, an arbiter for every output."""

from __future__ import annotations

from collections.abc import Sequence

from cubecast.golden.common.contract.control import Register
from cubecast.golden.common.twins.control_port import ControlPort
from cubecast.golden.common.twins.cube import access, router_ports
from cubecast.golden.common.twins.ports import Inputs, Outputs, put, stream
from cubecast.golden.common.twins.report_collector import Collected, ReportCollector
from cubecast.golden.common.twins.sleep import Sleepers
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.units import Crosspoint, Port, queue_shape
from cubecast.golden.crosspoint.contract.word import CONTEXTS, has_queue, inputs_of, kept, outputs_of
from cubecast.golden.crosspoint.twins.block_queue import BlockQueue
from cubecast.golden.crosspoint.twins.ejection import Ejected, Ejection
from cubecast.golden.crosspoint.twins.flit import (
    IDLE,
    Head,
    Link,
    Reduced,
    Stored,
    absent_of,
    link_input,
    link_outputs,
)
from cubecast.golden.crosspoint.twins.injection import Injection
from cubecast.golden.crosspoint.twins.input import Input
from cubecast.golden.crosspoint.twins.link_guard import LinkGuard
from cubecast.golden.crosspoint.twins.link_pipe import Pipe
from cubecast.golden.crosspoint.twins.next_set import NextSet
from cubecast.golden.crosspoint.twins.output import Output
from cubecast.golden.crosspoint.twins.queue import Queue
from cubecast.golden.crosspoint.twins.run_end import RunEnd

__all__ = ["CrosspointRouter", "far_flags"]

NOWHERE = (0, 0, 0)
NO_ENDS = (0, 0)
NO_WORD = Head()
FLAGS = ("ready", "ready_up", *(f"ready_r{context}" for context in CONTEXTS))


class _Crosspoint:
    """A queue, what it keeps of a word, its run end and next set, and its number at the output."""

    def __init__(self, config: CrosspointConfig, i: int, j: int) -> None:
        """Start in reset."""
        shape, keeps = queue_shape(config, i, j), kept(config, i, j)
        place = Crosspoint(router=config, input=i, output=j)
        self.queue: Queue[Stored] = (BlockQueue if shape.block else Queue)(shape)
        self.next_set = NextSet(place) if j < config.dim else None
        self._run_end = RunEnd(place) if keeps.over else None
        self._r1 = (1 << keeps.r1) - 1
        self._r2 = (1 << keeps.r2) - 1 << keeps.r2_low
        self._kind = 3 if keeps.kind else 0
        self.requester = inputs_of(config, j).index(i)

    def kept(self, data: int, last: int, error: int, r1: int, r2: int, kind: int) -> Stored:
        """Return a word as it will be at the head of the queue."""
        over, turns = NO_ENDS if self._run_end is None else self._run_end.find(r1, r2, kind)
        return Stored(data, last, error, r1 & self._r1, r2 & self._r2, kind & self._kind, over, turns)


class CrosspointRouter:
    """Twin of the crosspoint router of one node.

    A cycle has two halves: :meth:`offer` finds what goes over the links (``link_out``) and to the node, given what the
    far ends say, :meth:`edge` takes the edge, given what comes. ``shown`` (``ready`` and ``ready_up`` of the links that
    come in, by dimension), ``down``, ``inject_ready``, ``ejected`` and ``report`` are functions of registers and stand
    for the coming cycle. ``resting``: an edge changes nothing unless something comes or is written. After the edge
    ``popped`` are the queues (i, j) that a word has left in the cycle, ``pushed`` the words that have come, by queue;
    ``offering`` is, by output, the mask of the requesters that have a word.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the router.
    address : int
        Address of the node.
    adapter : bool
        Whether a network adapter stands beside it, whose report for the coming cycle is ``beside``.
    reduce : int
        Join units beside it. By link, ``offered`` are their words in a cycle, empty where none of them has one. By
        unit, ``reduced`` are the links over which its word goes (masks), ``reduce_ready`` the flags that it shows in
        the coming cycle (masks).
    """

    def __init__(self, config: CrosspointConfig, address: int = 0, *, adapter: bool = False, reduce: int = 0) -> None:
        """Start in reset."""
        self.config = config
        self.address = address
        self.beside: tuple[int, int] | None = None
        n = self._dim = config.dim
        ports = range(config.ports)
        self._points = {(i, j): _Crosspoint(config, i, j) for i in ports for j in ports if has_queue(config, i, j)}
        self.reduce = reduce
        self.outputs = [Output(Port(router=config, port=j), reduce=reduce) for j in range(n)]
        self.ejection = Ejection(config)
        self.inputs = [Input(Port(router=config, port=j)) for j in range(n)]
        self.injection = Injection(config)
        injected = Crosspoint(router=config, input=n, output=n)
        self._injected, self._run_end = NextSet(injected), RunEnd(injected)
        self.forward: list[Pipe[Link]] = [Pipe(config.forward, IDLE) for _ in range(n)]
        self.faults = Pipe(config.forward, 0)
        self.backward: Pipe[tuple[int, ...]] = Pipe(config.backward, (0,) * (2 + reduce))
        self.guard = LinkGuard(config)
        self.collector = ReportCollector(config.reporting(adapter=adapter))
        self.control = ControlPort(config.control)
        self._into = [[(k, self._points[i, k]) for k in outputs_of(config, i)] for i in ports]
        self._places = list(self._points)
        self._numbers = {place: number for number, place in enumerate(self._places)}
        self._queues = Sleepers([point.queue for point in self._points.values()])
        self._sending = Sleepers(self.outputs)
        absent = {
            "link_out__{}__r2": not config.carries_r2,
            "link_out__{}__kind": not config.multicast,
            "link_out__{}__down": not config.fault_tolerant,
            "link_in__{}__ready_up": config.runs == 1,
            **{f"link_out__{{}}__{name}": True for name in absent_of(reduce)},
        }
        self._absent = [name for name, there_is_none in absent.items() if there_is_none]
        self._clear()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        for point in self._points.values():
            point.queue.reset()
        for output, unit, pipe in zip(self.outputs, self.inputs, self.forward, strict=True):
            output.reset()
            unit.reset()
            pipe.reset()
        self.ejection.reset()
        self.injection.reset()
        self.faults.reset()
        self.backward.reset()
        self.guard.reset()
        self.collector.reset()
        self.control.reset()
        self._clear()

    def _clear(self) -> None:
        """Set what is kept beside the units to its reset value."""
        n = self._dim
        for members in (self._queues, self._sending):
            members.reset()
        self.link_out = [IDLE] * n
        # By output: which requesters have a word. By input: which queues have room.
        self.offering = [0] * (n + 1)
        self._room = [(1 << n + 1) - 1] * (n + 1)
        self.popped: list[tuple[int, int]] = []
        self.pushed: dict[tuple[int, int], Stored] = {}
        self.reporting = -1
        self._taken: tuple[int, int, int, int] | None = None
        self._flags = 0, 0
        self.beside = None
        self.offered: list[Sequence[Reduced | None]] = [()] * n
        self.reduced = [0] * self.reduce
        self.reduce_ready = [0] * self.reduce

    @property
    def inject_ready(self) -> int:
        """Whether a word is taken from the node in the coming cycle."""
        return int(self.injection.ready)

    @property
    def report(self) -> Collected | None:
        """The report that the router makes in the coming cycle: it was taken in the cycle before."""
        return self.collector.held

    @property
    def shown(self) -> list[tuple[int, ...]]:
        """What the far ends of the links that come in are shown in the coming cycle: ``ready`` and ``ready_up``.

        With join units also ``ready_r`` of each.
        """
        flags = self.backward.out(self._told)
        return [tuple(flag >> j & 1 for flag in flags) for j in range(self._dim)]

    @property
    def _told(self) -> tuple[int, ...]:
        """The flags before the registers of the links: masks of ``ready``, ``ready_up`` and each ``ready_r``."""
        return (*self._flags, *self.reduce_ready) if self.reduce else self._flags

    @property
    def down(self) -> int:
        """The FAULT bits as they go over the links in the coming cycle."""
        return self.faults.out(self.control.fault)

    @property
    def resting(self) -> bool:
        """Whether an edge changes nothing unless something comes or is written."""
        return (
            self.reporting < 0
            and self.report is None
            and not any(self.offering)
            and not self._queues.awake
            and not self._sending.awake
            and not (self.control.fault or self.control.cut)
            and not any(self.guard.past)
            and self.injection.resting
            and self.ejection.word is None
            and all(unit.resting for unit in self.inputs)
            and all(link is IDLE for link in self.link_out)
            and not any(pipe.unlike(IDLE) for pipe in self.forward)
            and not self.faults.unlike(0)
            and not self.backward.unlike(self._told)
        )

    @property
    def takes_beside(self) -> bool:
        """Whether the adapter's report is taken in the coming cycle."""
        return self.reporting == 2 * self._dim + 1

    @property
    def ejected(self) -> Ejected | None:
        """The word that the node is shown in the coming cycle."""
        return self.ejection.word

    def quiet(self) -> bool:
        """Return whether nothing is anywhere in the router: no word, no packet begun, and no report."""
        return not (
            any(self.offering)
            or self._queues.awake
            or any(pipe.unlike(IDLE) for pipe in self.forward)
            or self.injection.inside
            or self.ejection.word is not None
            or self.reporting >= 0
            or self.report is not None
        )

    def offer(self, far: Sequence[tuple[int, ...]], eject_ready: int) -> None:
        """Find what goes out in this cycle.

        Parameters
        ----------
        far : sequence
            ``ready`` and ``ready_up`` of the far ends of the links, with join units also ``ready_r`` of each.
        eject_ready : int
            Whether the node takes a word.
        """
        self.popped = []
        self._eject_ready = eject_ready
        self._raw = [IDLE] * self._dim
        self.reduced = [0] * self.reduce
        for j in self._sending.due(j for j in range(self._dim) if self.offering[j] or self.offered[j]):
            self._raw[j] = self._send(j, *far[j])
        self._sending.settle()
        self.link_out = [pipe.out(link) for pipe, link in zip(self.forward, self._raw, strict=True)]
        self._eject(eject_ready)

    def _send(self, j: int, ready: int, ready_up: int, *ready_r: int) -> Link:
        """Return what output j puts on its link, and take its edge."""
        output, control, ne, cut = self.outputs[j], self.control, self.offering[j], self.control.cut >> j & 1
        output.choose(ne, ready, ready_up, cut, self.offered[j], ready_r)
        if output.reduced is not None:
            self.reduced[output.context] |= 1 << j
        word, found = None, NOWHERE
        if output.going >= 0:
            i = output.requesters[output.going]
            point = self._points[i, j]
            word = point.queue.words[0]
            if point.next_set is not None:
                found = point.next_set.find(word.data, word.r1, word.r2, word.kind, word.over, word.turns)
            self.popped.append((i, j))
            ne &= ~(1 << output.going)
        link = output.send(word, found, cut, self.address, self.reporting == 2 * j + 1)
        if output.word_out:
            control.count(Register.WORDS_OUT + j)
        if output.message_out:
            control.count(Register.MESSAGES_OUT + j)
        if ne:
            control.count(Register.WAITED + j)
        return link

    def _eject(self, ready: int) -> None:
        """Let the ejection choose."""
        n, ejection, control = self._dim, self.ejection, self.control
        ne = self.offering[n]
        ejection.choose(ne, ready)
        if ejection.going >= 0:
            self.popped.append((ejection.going, n))
            ne &= ~(1 << ejection.going)
        if ne:
            control.count(Register.WAITED + n)
        if ejection.word is not None and ready:
            control.count(Register.WORDS_OUT + n)
            if ejection.word.last:
                control.count(Register.MESSAGES_OUT + n)

    def edge(
        self,
        arriving: Sequence[Link],
        down: int = 0,
        word: Sequence[int] | None = None,
        write: tuple[int, int] | None = None,
    ) -> None:
        """Take the edge of the cycle of :meth:`offer`.

        Parameters
        ----------
        arriving : sequence of Link
            What comes over the links, by dimension.
        down : int
            Mask of the neighbours' FAULT bits, as they come with the links.
        word : sequence, optional
            Whether the node offers a word, and what is on its wires; an error tail takes data from there that mean
            nothing.
        write : tuple, optional
            Address and data written to the control port.
        """
        n, control, ejection = self._dim, self.control, self.ejection
        report, full = self.report, control.full()
        going = ejection.going
        gone = self._points[going, n].queue.words[0] if going >= 0 else None
        left = None if gone is None else Ejected(gone.data, gone.last, gone.error, gone.kind)
        ejection.edge(left, self._eject_ready)
        self.faults.edge(control.fault)
        self.backward.edge(self._told)
        for pipe, link in zip(self.forward, self._raw, strict=True):
            pipe.edge(link)
        valid, *wires = word or (0, *NO_WORD)
        self.pushed = self._receive(arriving) | self._inject(Head(*wires), valid)
        self._move()
        cut = self.guard.down(down)
        self.guard.edge(control.fault, down)
        control.links(cut)
        if write is not None:
            control.write(*write)
        if report is not None:
            control.report(full, *report)
        self.collector.edge(self.reporting, self._taken and self._taken[:2])
        self._begin()

    def _receive(self, arriving: Sequence[Link]) -> dict[tuple[int, int], Stored]:
        """Take the edge of the inputs; return what is pushed, by queue."""
        pushed: dict[tuple[int, int], Stored] = {}
        cut, young, control = self.control.cut, self.guard.young, self.control
        for i, (unit, link) in enumerate(zip(self.inputs, arriving, strict=True)):
            cut_off = cut >> i & 1
            push, last, error = unit.accept(link, cut_off)
            if push:
                fields = link.data, last, error, link.r1, link.r2, link.kind
                pushed |= {(i, k): point.kept(*fields) for k, point in self._into[i] if push >> k & 1}
            if unit.counts(link, cut_off):
                control.count(Register.MESSAGES_IN + i)
            unit.edge(link, cut_off, young >> i & 1, self._room[i], self.reporting == 2 * i)
        return pushed

    def _inject(self, word: Head, valid: int) -> dict[tuple[int, int], Stored]:
        """Take the edge of the injection; return what is pushed, by queue."""
        n, unit = self._dim, self.injection
        push_set = 0
        if valid:
            ends = self._run_end.find(word.r1, word.r2, word.kind)
            push_set = self._injected.find(word.data, word.r1, word.r2, word.kind, *ends)[0]
        offered = word if valid else None
        found = unit.edge(offered, push_set, self._room[n], self.address, self.reporting == 2 * n)
        if unit.message_in:
            self.control.count(Register.MESSAGES_IN + n)
        if not found.push:
            return {}
        fields = word.data, found.last, found.error, word.r1, word.r2, word.kind
        return {(n, k): point.kept(*fields) for k, point in self._into[n] if found.push >> k & 1}

    def _move(self) -> None:
        """Take the edge of the queues."""
        for number in self._queues.due(self._numbers[place] for place in (*self.pushed, *self.popped)):
            place = i, j = self._places[number]
            queue = self._points[place].queue
            queue.edge(self.pushed.get(place), place in self.popped)
            self.offering[j] = put(self.offering[j], self._points[place].requester, queue.words)
            self._room[i] = put(self._room[i], j, queue.room)
        self._queues.settle()

    def _begin(self) -> None:
        """Find the flags of the coming cycle, and whose report is taken in it."""
        ready = ready_up = 0
        offered = (self.injection.report is not None) << 2 * self._dim
        if self.beside is not None:
            offered |= 2 << 2 * self._dim
        for j, (unit, output) in enumerate(zip(self.inputs, self.outputs, strict=True)):
            ready |= unit.ready << j
            ready_up |= unit.ready_up << j
            offered |= bool(unit.waiting) << 2 * j | (output.report is not None) << 2 * j + 1
        self._flags = ready, ready_up
        self.reporting = self.collector.choose(offered) if offered else -1
        self._taken = self._chosen()

    def _chosen(self) -> tuple[int, int, int, int] | None:
        """Return reason, destination, port and lane of the report that is taken in the coming cycle."""
        if self.reporting < 0:
            return None
        port, lane = self.collector.origin(self.reporting)
        if port == self._dim:
            found = self.beside if lane else self.injection.report
        else:
            found = self.outputs[port].report if lane else self.inputs[port].report(self.address)
        return (*found, port, lane) if found is not None else None

    def trace(self) -> str:
        """Return the queues that have words, with their number."""
        full = ", ".join(
            f"{i} to {j}: {point.queue.level}" for (i, j), point in self._points.items() if point.queue.level
        )
        return f"node {self.address}: {full or 'no words in queues'}"

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, n = inputs.get, self._dim
        self.address = get("address", 0)
        far = far_flags(n, inputs, self.reduce)
        down = sum(get(f"link_in__{j}__down", 0) << j for j in range(n))
        if self.reduce:
            self._hear(inputs)
        # Before the events of this cycle are counted.
        read_data = self.control.read(get("control__address", 0))
        self.offer(far, get("eject__ready", 0))
        arriving = [link_input(f"link_in__{j}", inputs) for j in range(n)]
        outputs = self.ports()
        if self.reduce:
            outputs |= self._reduce_ports(arriving)
        if get("rst"):
            self.reset()
            return outputs
        self.control.read_data = read_data
        self.edge(
            arriving,
            down,
            [get(f"inject__{name}", 0) for name in ("valid", *Head._fields)],
            access(inputs),
        )
        return outputs

    def _hear(self, inputs: Inputs) -> None:
        """Take what the join units offer and show in this cycle."""
        get = inputs.get
        contexts = CONTEXTS[: self.reduce]
        self.reduce_ready = [get(f"reduce_ready{context}", 0) for context in contexts]
        self.offered = []
        for j in range(self._dim):
            words = [
                Reduced(*(get(f"reduce{context}__{j}__{name}", 0) for name in Reduced._fields))
                if get(f"reduce{context}__{j}__request")
                else None
                for context in contexts
            ]
            self.offered.append(words if any(word is not None for word in words) else ())

    def heard(self, arriving: Sequence[Link], context: int = 0) -> list[Reduced | None]:
        """Return what a join unit gets of what comes over the links."""
        cut = self.control.cut
        return [
            Reduced(link.data, link.rop, link.last, link.error)
            if (link.push_r_1 if context else link.push_r) and not cut >> j & 1
            else None
            for j, link in enumerate(arriving)
        ]

    def _reduce_ports(self, arriving: Sequence[Link]) -> Outputs:
        """Return the outputs that lead to the join units."""
        outputs: Outputs = {}
        for place, context in enumerate(CONTEXTS[: self.reduce]):
            for j, (link, word) in enumerate(zip(arriving, self.heard(arriving, place), strict=True)):
                outputs |= {f"reduce_in{context}__{j}__{name}": getattr(link, name) for name in Reduced._fields}
                outputs[f"reduce_in{context}__{j}__push_r"] = int(word is not None)
                outputs[f"reduce{context}__{j}__taken"] = self.reduced[place] >> j & 1
        if self.config.loses_words:
            outputs["cut"] = self.control.cut
        return outputs

    def ports(self) -> Outputs:
        """Return the outputs of a cycle."""
        outputs = router_ports(self) | stream("eject", Ejected._fields, self.ejected)
        for j, link in enumerate(self.link_out):
            outputs |= link_outputs(f"link_out__{j}", link)
            outputs[f"link_out__{j}__down"] = self.down >> j & 1
            outputs |= {f"link_in__{j}__{name}": flag for name, flag in zip(FLAGS, self.shown[j], strict=False)}
            for name in self._absent:
                del outputs[name.format(j)]
        return outputs


def far_flags(dim: int, inputs: Inputs, reduce: int = 0) -> list[tuple[int, ...]]:
    """Return what the far ends of the links show at the ports of a router; ``reduce``: with so many join units."""
    names = FLAGS[: 2 + reduce]
    return [tuple(inputs.get(f"link_out__{j}__{name}", 0) for name in names) for j in range(dim)]
