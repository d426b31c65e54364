"""Playing given messages on a network, whatever its routers are: the run, and what is recorded of it.

A system's playback has a :class:`Recorder`, the twin of its network that follows messages through the units, and hosts,
the processors of the nodes; :func:`play` drives the network for them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from random import Random
from typing import Any, Protocol

from cubecast.golden.common.contract.control import Register
from cubecast.golden.common.contract.units import ADDRESS_BITS, DATA_BITS
from cubecast.golden.common.twins.ports import join
from cubecast.tb.common.control_ports import write_all
from cubecast.tb.common.recording import Watcher
from cubecast.tb.harness.bench import RESET_CYCLES

__all__ = ["START", "Host", "Outputs", "Receiver", "Recorder", "fault_vectors", "pieces", "play"]

START = RESET_CYCLES + 1
"""Cycle of the run in which the first message may start; the one before writes the fault vectors."""

ROWS = (Register.MESSAGES_OUT, Register.WORDS_OUT, Register.WAITED)
"""Registers that are read at the end besides the entries lost: the first of each row, one for every port."""


class Outputs(dict[str, Any]):
    """Outputs of a cycle, with the recorder that they come from: hosts tell it what they are about to inject."""

    recorder: Any


class Recorder:
    """Twin of a network that also records; what is followed, a system's own recorder says in :meth:`record`.

    ``cycle`` counts the cycles of the run, ``deliveries``, ``crossings`` and ``reports`` are what has been recorded.
    ``watcher`` is the system's class that records a run cycle by cycle, once :meth:`watch` has asked for it.

    Parameters
    ----------
    config : configuration
        Parameters of the network.
    network
        Its golden twin, with ``routers``.
    """

    watcher: type[Watcher]

    def __init__(self, config: Any, network: Any) -> None:
        """Start in reset, with nothing recorded."""
        self.config, self.network = config, network
        self.cycle = 0
        self.deliveries: list[dict[str, Any]] = []
        self.crossings: list[dict[str, Any]] = []
        self.reports: list[dict[str, Any]] = []
        self._registers: dict[int, list[int]] = {}
        self._address = 0
        self._end: int | None = None
        self._watching: Watcher | None = None

    def watch(self, messages: Sequence[Mapping[str, Any]]) -> None:
        """Record the run cycle by cycle from now on; ``messages`` are those that are played."""
        self._watching = self.watcher(self, messages)

    @property
    def watching(self) -> Watcher:
        """What records the run, which :meth:`watch` has begun."""
        assert self._watching is not None
        return self._watching

    def foresee(self, node: int, message: int, destinations: Sequence[int]) -> None:
        """Take note of the packet that a node will inject next: of which message it is, and whom it is for."""
        raise NotImplementedError

    @property
    def now(self) -> int:
        """The cycle, counted as results do."""
        return self.cycle - START

    def step(self, inputs: Mapping[str, int]) -> Outputs:
        """Return this cycle's outputs, record what moves, and take the edge."""
        before, watching = self.before(), self._watching
        if watching is not None:
            if not inputs["rst"]:
                watching.begin()
            watching.look()
        outputs = Outputs(self.network.step(inputs))
        outputs.recorder = self
        if not inputs["rst"]:
            self.record(inputs, outputs, before)
            if watching is not None:
                watching.show(inputs, outputs)
            self._read(inputs, outputs)
        self.settle()
        self.cycle += 1
        return outputs

    def before(self) -> Any:
        """Return what has to be known of the cycle before its edge."""

    def record(self, inputs: Mapping[str, int], outputs: Mapping[str, Any], before: Any) -> None:
        """Record what moves in this cycle; the network has already taken the edge."""
        raise NotImplementedError

    def settle(self) -> None:
        """Bring up to date what depends on the registers after the edge, in reset too."""

    def _read(self, inputs: Mapping[str, int], outputs: Mapping[str, Any]) -> None:
        """Keep the register that is read; the first one that is not 0 ends the run."""
        if self._address:
            read, mask = outputs["control_read_data"], (1 << DATA_BITS) - 1
            self._registers[self._address] = [read >> DATA_BITS * node & mask for node in range(self.config.nodes)]
        self._address = inputs["control_address"] & (1 << ADDRESS_BITS) - 1
        if self._address and self._end is None:
            self._end = self.cycle

    def put_together(self, receivers: Sequence[Receiver]) -> None:
        """Let the deliveries be those of some receivers, in the order in which they ended."""
        for receiver in receivers:
            receiver.close()
        found = [record for receiver in receivers for record in receiver.deliveries]
        self.deliveries = sorted(found, key=lambda record: (record["last_cycle"], record["node"]))

    def told(self) -> dict[str, Any]:
        """Return what all results have; counters that were not read, or wrap early, are the golden network's."""
        counters = [router.control.registers for router in self.network.routers]
        for address in _addresses(self.config):
            if address not in self._registers or self.config.counters < DATA_BITS:
                self._registers[address] = [registers[address] for registers in counters]
        return {
            **({"recording": self._watching.result()} if self._watching else {}),
            "deliveries": self.deliveries,
            "crossings": self.crossings,
            "reports": self.reports,
            "registers": {str(address): values for address, values in self._registers.items()},
            "cycles": max(0, (self.cycle if self._end is None else self._end) - START),
        }


class Piece(Protocol):
    """What a receiver has to know of a packet."""

    @property
    def message(self) -> int:
        """Number of its message."""

    @property
    def number(self) -> int:
        """Its place among the packets of the message for this destination."""

    @property
    def count(self) -> int:
        """How many these are."""


class Receiver:
    """Puts the packets that come to a node together again.

    A message of which packets were lost, or came in another order while fault vectors changed, is delivered with
    ``error``.

    Parameters
    ----------
    node : int
        Address of the node.
    """

    def __init__(self, node: int) -> None:
        self.node = node
        self.open: dict[int, dict[str, Any]] = {}
        self.streams: dict[Any, int] = {}
        self.deliveries: list[dict[str, Any]] = []

    def add(
        self,
        packet: Piece,
        data: Sequence[int],
        first: int,
        last: int,
        error: bool,
        *,
        length: int | None = None,
        stream: Any = None,
    ) -> None:
        """Take a packet.

        Parameters
        ----------
        packet : Piece
            Which.
        data : sequence of int
            Words that it brings.
        first, last : int
            Cycles in which its words came.
        error : bool
            Whether it ended early.
        length : int, optional
            Words of the whole message, if this packet says so.
        stream : hashable, optional
            What has to come in order: a message that another one of the same stream interrupts is out of order.
        """
        number = packet.message
        new = {"first_cycle": first, "data": [], "length": -1, "packets": 0, "error": False, "ordered": True}
        message = self.open.setdefault(number, new)
        if length is not None:
            message["length"] = length
        if stream is not None:
            before = self.streams.get(stream, number)
            if before != number and before in self.open:
                self.open[before]["ordered"] = False
            self.streams[stream] = number
        if packet.number != message["packets"]:
            message["ordered"] = False
        message["data"] += data
        message |= {"packets": message["packets"] + 1, "error": message["error"] or error, "last_cycle": last}
        if message["packets"] == packet.count:
            self._deliver(number, whole=True)

    def _deliver(self, number: int, *, whole: bool) -> None:
        """Record a delivery; ``whole``: all packets of the message came."""
        message = self.open.pop(number)
        ordered = message["ordered"]
        good = whole and ordered and not message["error"] and len(message["data"]) == message["length"]
        record = {"message": number, "node": self.node}
        record |= {name: message[name] for name in ("first_cycle", "last_cycle", "data")}
        self.deliveries.append(record | {"error": not good, "whole": whole, "ordered": ordered})

    def close(self) -> None:
        """Deliver what there is of messages whose end has not come."""
        for number in list(self.open):
            self._deliver(number, whole=False)


class Host(Protocol):
    """The processor of a node."""

    @property
    def node(self) -> int:
        """Address of the node."""

    @property
    def done(self) -> bool:
        """Whether it has nothing to inject any more."""

    @property
    def resting(self) -> bool:
        """Whether it has nothing to inject before a later cycle."""

    def offer(self, cycle: int, vectors: Sequence[int], outputs: Outputs) -> Sequence[int] | None:
        """Return what stands at the injection port in a cycle, in the order of its fields; None: no word.

        ``vectors`` are the fault vectors of all nodes, ``outputs`` those of the cycle before.
        """

    def moved(self, outputs: Outputs) -> bool:
        """Take note of the outputs of the cycle; return whether the word offered was taken."""


def pieces(data: Sequence[int], room: int) -> list[tuple[int, ...]]:
    """Return data as parts of ``room`` words, the last one shorter; there is one part at least."""
    return [tuple(data[start : start + room]) for start in range(0, max(1, len(data)), room)]


def fault_vectors(dim: int, faults: Sequence[int]) -> list[int]:
    """Return the fault vectors of all nodes if some nodes are faulty."""
    return [sum((node ^ 1 << j in faults) << j for j in range(dim)) for node in range(1 << dim)]


def play(
    random: Random,
    config: Any,
    hosts: Sequence[Host],
    fields: Mapping[str, int],
    links: Sequence[str],
    at_rest: Callable[[Outputs, Sequence[int]], bool],
    *,
    patience: int = 300,
    faults: Sequence[int] = (),
    events: Sequence[Mapping[str, int]] = (),
    stall: float = 0.0,
    most: int = 100_000,
    watched: Sequence[Mapping[str, Any]] | None = None,
) -> Generator[dict[str, int], Outputs, None]:
    """Write the fault vectors, inject the messages and write the events, wait until all is quiet, read the counters.

    Parameters
    ----------
    random : Random
        Decides when receivers stall.
    config : configuration
        Parameters of the network.
    hosts : sequence of Host
        Those of the nodes that send.
    fields : mapping
        Bits that a node has of each input of the injection ports, by its name without ``inject_``.
    links : sequence of str
        Outputs that are 0 while nothing is on a link.
    at_rest : function
        ``at_rest(outputs, vectors)``: whether the network is empty; asked when nothing moves.
    patience : int
        Cycles without a move after which the run ends, besides 8 for each node.
    faults : sequence of int
        Faulty nodes.
    events : sequence of dict
        Each with "cycle", "node" and "vector", the fault vector written then.
    stall : float
        Part of the cycles in which a receiver is not ready.
    most : int
        Cycles after which the run ends even if it is not quiet; no counters are read then.
    watched : sequence of dict, optional
        The messages, if the run is to be recorded cycle by cycle.
    """
    nodes, everyone = range(config.nodes), (1 << config.nodes) - 1
    vectors = fault_vectors(config.dim, faults)
    outputs = yield {
        **write_all(Register.FAULT, vectors),
        "control_write": everyone if faults else 0,
        "eject_ready": everyone,
    }
    if watched is not None:
        outputs.recorder.watch(watched)
    change: dict[str, int] = {"control_write": 0, "control_write_data": 0}
    injection = {f"inject_{name}": 0 for name in fields}
    coming = deque(sorted(events, key=lambda event: event["cycle"]))
    moving = ("eject_valid", "report_valid", *links)
    idle = 0
    for cycle in range(most):
        offered = dict.fromkeys(injection, 0)
        for host in hosts:
            word = None if host.done else host.offer(cycle, vectors, outputs)
            if word is not None:
                for name, size, value in zip(offered, fields.values(), word, strict=True):
                    offered[name] |= value << size * host.node
        change |= {name: value for name, value in offered.items() if injection[name] != value}
        injection = offered
        written = {}
        while coming and coming[0]["cycle"] == cycle:
            event = coming.popleft()
            vectors[event["node"]] = written[event["node"]] = event["vector"]
        if written:
            change["control_write"] = sum(1 << node for node in written)
            change["control_write_data"] = sum(vector << DATA_BITS * node for node, vector in written.items())
        if stall:
            change["eject_ready"] = sum((random.random() >= stall) << node for node in nodes)
        outputs = yield change
        change = {"control_write": 0, "control_write_data": 0} if written else {}
        moved = [host.moved(outputs) for host in hosts]
        playing = [host for host in hosts if not host.done]
        busy = any(moved) or any(outputs[name] for name in moving)
        if not (busy or playing or coming) and at_rest(outputs, vectors):
            break
        later = coming or any(host.resting for host in playing)
        idle = 0 if busy or later else idle + 1
        if idle > patience + 8 * config.nodes:
            break
    else:
        # The counters are the golden network's of this cycle: while they are read, more would go on.
        return
    yield from _registers(config, injection)


def _registers(config: Any, injection: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Read the counters of all routers at once, one register per cycle; nothing is injected any more."""
    off = dict.fromkeys(injection, 0)
    for address in (*_addresses(config), 0, 0):
        yield {"control_address": join([address] * config.nodes, ADDRESS_BITS), **off}
        off = {}


def _addresses(config: Any) -> list[int]:
    """Return the addresses of the counters that are read."""
    return [int(Register.LOG_LOST), *(row + port for row in ROWS for port in range(config.ports))]
