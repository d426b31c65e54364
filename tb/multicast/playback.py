"""Testbench of the whole network that plays given messages and records what becomes of each of them.

Which message a word belongs to is followed from unit to unit: the n-th message injected at a node is the n-th one
given for it; it is in that node's injection unit until it has left. When a first word moves through a gateway, the
gateway's owner (golden network, compared with the RTL in every cycle) names the unit that sends it, and port and
lane name the unit that takes it. So identical messages are told apart as well.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from random import Random
from typing import Any

from cubecast.golden.common.contract.units import DATA_BITS
from cubecast.golden.common.twins.ports import bits, join
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.twins.network import Network
from cubecast.tb.harness.lockstep import RESET_CYCLES, Bench
from cubecast.tb.multicast.standstill import ring

__all__ = ["BENCH", "START", "Playback"]

START = RESET_CYCLES + 1
"""Cycle of the run in which the first message may start; the one before writes the fault vectors."""

FAULT, LOG_LOST, ROWS = 0x00, 0x03, (0x30, 0x40, 0x50)
"""Registers of the control port: fault vector, entries lost, and the first of messages out, words out, waited."""

INJECTION = -1
"""Stands for the injection port, beside the numbers of the ports that words leave through."""

Origin = tuple[int, int]
"""A message: its source, and how many were injected there before it."""


class Playback:
    """Twin of the network that also records starts, deliveries, crossings of links and reports, each with its message.

    Parameters
    ----------
    config : Config
        Parameters of the network.
    probe : bool
        Always true: the links are recorded.
    """

    def __init__(self, config: Config, probe: bool = True) -> None:
        """Start in reset, with nothing recorded."""
        self.config = config
        self.network = Network(config, probe=probe)
        self.cycle = 0
        self.injected = [0] * config.nodes
        self.starts: list[dict[str, Any]] = []
        self.held: dict[tuple[int, int, int], Origin] = {}
        self.reporting: dict[tuple[int, int, int], deque[tuple[int, Origin]]] = {}
        self.reported: Counter[tuple[int, int, int]] = Counter()
        self.open: set[tuple[int, int]] = set()
        self.coming: dict[int, dict[str, Any]] = {}
        self.deliveries: list[dict[str, Any]] = []
        self.crossings: list[dict[str, Any]] = []
        self.reports: list[dict[str, Any]] = []
        self.registers: dict[int, list[int]] = {}
        self.read_address = 0
        self.end: int | None = None

    def step(self, inputs: Mapping[str, int]) -> dict[str, int | None]:
        """Return this cycle's outputs, record what moves, and take the edge."""
        outputs = self.network.step(inputs)
        if not inputs["rst"]:
            self._record(inputs, outputs)
        # What is cut in the coming cycle ends in the middle.
        routers = self.network.routers
        self.open = {
            (node, port) for node, port in self.open if port == INJECTION or not routers[node].control.cut >> port & 1
        }
        self.cycle += 1
        return outputs

    def _record(self, inputs: Mapping[str, int], outputs: Mapping[str, Any]) -> None:
        """Record the words that move in this cycle; the network has already taken the edge."""
        config, node_count = self.config, self.config.nodes
        local = config.local
        started: dict[tuple[int, int, int], Origin] = {}
        for node in bits(inputs["inject_valid"] & outputs["inject_ready"]):
            if self._first(node, INJECTION, inputs["inject_last"]):
                started[node, local, 0] = origin = (node, self.injected[node])
                self.starts.append({"origin": origin, "cycle": self.cycle - START})
                self.injected[node] += 1
        for j in range(config.dim):
            for node in bits(outputs[f"link_{j}_valid"]):
                if self._first(node, j, outputs[f"link_{j}_last"]):
                    lane = outputs[f"link_{j}_lane"] >> node * config.lane_bits & (1 << config.lane_bits) - 1
                    to = node ^ 1 << j
                    started[to, j, lane] = origin = self._sender(node, j)
                    self.crossings.append({"origin": origin, "from": node, "to": to, "cycle": self.cycle - START})
        for node in bits(outputs["eject_valid"] & inputs["eject_ready"]):
            self._delivered(node, outputs)
        for node in bits(outputs["report_valid"]):
            port, lane, reason = (outputs[f"report_{name}"] >> 4 * node & 15 for name in ("port", "lane", "reason"))
            destination = outputs["report_destination"] >> config.dim * node & node_count - 1
            origin = self._reporter(node, port, lane)
            self.reports.append({"origin": origin, "node": node, "reason": reason, "destination": destination})
        if self.read_address:
            read = outputs["control_read_data"]
            self.registers[self.read_address] = [read >> 32 * node & 0xFFFFFFFF for node in range(node_count)]
        self.read_address = inputs["control_address"] & 127
        if self.read_address and self.end is None:
            self.end = self.cycle
        for (node, port, lane), origin in started.items():
            made = self.network.routers[node].made[port * self.config.lanes + lane]
            self.reporting.setdefault((node, port, lane), deque()).append((made, origin))
        self.held |= started

    def _reporter(self, node: int, port: int, lane: int) -> Origin:
        """Return the message that the next report of this unit is about: reports leave in the order they were made."""
        unit = node, port, lane
        begun = self.reporting[unit]
        while len(begun) > 1 and begun[1][0] <= self.reported[unit]:
            begun.popleft()
        self.reported[unit] += 1
        return begun[0][1]

    def _first(self, node: int, port: int, last: int) -> bool:
        """Return whether the word that moves here is the first of its message; note whether more follow."""
        first = (node, port) not in self.open
        if last >> node & 1:
            self.open.discard((node, port))
        else:
            self.open.add((node, port))
        return first

    def _sender(self, node: int, port: int) -> Origin:
        """Return the message whose word has just moved through a gateway."""
        channel, lane = divmod(self.network.routers[node].gateways[port].owner, self.config.lanes)
        return self.held[node, channel, lane]

    def _delivered(self, node: int, outputs: Mapping[str, Any]) -> None:
        """Record a word that a node's processor takes."""
        if node not in self.coming:
            origin = self._sender(node, self.config.local)
            self.coming[node] = {"origin": origin, "node": node, "first_cycle": self.cycle - START, "words": []}
        record = self.coming[node]
        record["words"].append(outputs["eject_data"] >> node * self.config.width & (1 << self.config.width) - 1)
        if outputs["eject_last"] >> node & 1:
            record |= {"last_cycle": self.cycle - START, "error": bool(outputs["eject_error"] >> node & 1)}
            self.deliveries.append(self.coming.pop(node))

    def inside(self) -> list[dict[str, Any]]:
        """Return the units that have not finished their message."""
        found = []
        for (node, port, lane), origin in sorted(self.held.items()):
            router = self.network.routers[node]
            unit = router.injection if port == self.config.local else router.channels[port].mhus[lane]
            if not unit.free:
                found.append({"origin": origin, "node": node, "port": port, "lane": lane})
        return found

    def result(self) -> dict[str, Any]:
        """Return everything recorded; counters that were not read, or wrap early, are the golden network's."""
        counters = [router.control.registers for router in self.network.routers]
        for address in _addresses(self.config):
            if address not in self.registers or self.config.counters < DATA_BITS:
                self.registers[address] = [registers[address] for registers in counters]
        return {
            "deliveries": self.deliveries,
            "crossings": self.crossings,
            "reports": self.reports,
            "registers": {str(address): values for address, values in self.registers.items()},
            "injected": self.injected,
            "starts": self.starts,
            "inside": self.inside(),
            "ring": [{"node": b.node, "port": b.channel, "lane": b.lane} for b in ring(self.network)],
            "cycles": max(0, (self.cycle if self.end is None else self.end) - START),
        }


def stimulus(
    random: Random,
    config: Config,
    messages: Sequence[Mapping[str, Any]] = (),
    faults: Sequence[int] = (),
    events: Sequence[Mapping[str, int]] = (),
    stall: float = 0.0,
    most: int = 100_000,
) -> Generator[dict[str, int], dict[str, Any], None]:
    """Write the fault vectors, inject the messages and write the events, wait until all is quiet, read the counters.

    Parameters
    ----------
    random : Random
        Decides when receivers stall.
    config : Config
        Parameters of the network.
    messages : sequence of dict
        Each with "source", "words" and "cycle", the earliest cycle; those of one source go in this order.
    faults : sequence of int
        Faulty nodes.
    events : sequence of dict
        Each with "cycle", "node" and "vector", the fault vector written then.
    stall : float
        Part of the cycles in which a receiver is not ready.
    most : int
        Cycles after which the run ends even if it is not quiet.
    """
    everyone = (1 << config.nodes) - 1
    vectors = [sum((node ^ 1 << j in faults) << j for j in range(config.dim)) for node in range(config.nodes)]
    yield {
        "control_address": join([FAULT] * config.nodes, 7),
        "control_write": everyone if faults else 0,
        "control_write_data": join(vectors, 32),
        "eject_ready": everyone,
    }
    sources = [_Source(node, [m for m in messages if m["source"] == node]) for node in range(config.nodes)]
    playing = [source for source in sources if source.waiting]
    change: dict[str, int] = {"control_write": 0, "control_write_data": 0}
    injection = dict.fromkeys(("inject_valid", "inject_data", "inject_last"), 0)
    links = range(config.dim)
    coming = deque(sorted(events, key=lambda event: event["cycle"]))
    idle, patience = 0, 200 + 8 * config.nodes
    for cycle in range(most):
        offered = dict.fromkeys(injection, 0)
        for source in playing:
            source.offer(cycle, offered, config.width)
        change |= {name: value for name, value in offered.items() if injection[name] != value}
        injection = offered
        if coming and coming[0]["cycle"] == cycle:
            written = {}
            while coming and coming[0]["cycle"] == cycle:
                event = coming.popleft()
                vectors[event["node"]] = event["vector"]
                written[event["node"]] = event["vector"]
            change["control_write"] = sum(1 << node for node in written)
            change["control_write_data"] = sum(vector << 32 * node for node, vector in written.items())
        if stall:
            change["eject_ready"] = sum((random.random() >= stall) << node for node in range(config.nodes))
        outputs = yield change
        change = {"control_write": 0, "control_write_data": 0} if "control_write" in change else {}
        moved = injection["inject_valid"] & outputs["inject_ready"]
        if moved:
            playing = [source for source in playing if not source.moved(moved)]
        busy = moved or outputs["report_valid"] or any(outputs[f"link_{j}_valid"] for j in links)
        leaving = outputs["eject_valid"]
        at_rest = not (busy or leaving or playing) and outputs["inject_ready"] == everyone
        if at_rest and all(outputs[f"link_{j}_ready"] == _free(config, vectors, j) for j in links):
            break
        later = coming or any(source.later(cycle) for source in playing)
        idle = 0 if busy or leaving or later else idle + 1
        if idle > patience:
            break
    yield from _registers(config)


def _free(config: Config, vectors: Sequence[int], dimension: int) -> int:
    """Return what the ready lanes of a dimension's links are when nothing is in the network."""
    cut = (vectors[node] | vectors[node ^ 1 << dimension] for node in range(config.nodes))
    return join([0 if vector >> dimension & 1 else (1 << config.lanes) - 1 for vector in cut], config.lanes)


class _Source:
    """The processor of one node: injects its messages word by word."""

    def __init__(self, node: int, messages: Sequence[Mapping[str, Any]]) -> None:
        self.node = node
        self.waiting = deque((message["cycle"], deque(message["words"])) for message in messages)
        self.started = False

    def offer(self, cycle: int, inputs: dict[str, int], width: int) -> None:
        """Offer the next word, if the cycle for it has come."""
        start, words = self.waiting[0]
        if self.started or start <= cycle:
            self.started = True
            inputs["inject_valid"] |= 1 << self.node
            inputs["inject_data"] |= words[0] << self.node * width
            inputs["inject_last"] |= (len(words) == 1) << self.node

    def moved(self, mask: int) -> bool:
        """Take note of which words moved; return whether nothing is left to be sent."""
        if mask >> self.node & 1:
            words = self.waiting[0][1]
            words.popleft()
            if not words:
                self.waiting.popleft()
                self.started = False
        return not self.waiting

    def later(self, cycle: int) -> bool:
        """Return whether the next message is yet to start."""
        return not self.started and self.waiting[0][0] > cycle


def _registers(config: Config) -> Iterator[dict[str, int]]:
    """Read the counters of all routers at once, one register per cycle."""
    off = {"inject_valid": 0, "inject_data": 0, "inject_last": 0}
    for address in (*_addresses(config), 0, 0):
        yield {"control_address": join([address] * config.nodes, 7), **off}
        off = {}


def _addresses(config: Config) -> list[int]:
    """Return the addresses of the counters that are read."""
    return [LOG_LOST, *(row + port for row in ROWS for port in range(config.ports))]


BENCH = Bench(
    name="playback",
    component="cubecast.rtl.multicast.network:Network",
    twin="cubecast.tb.multicast.playback:Playback",
    stimulus=stimulus,
    collect=Playback.result,
    extra={"probe": True},
    first=START,
)
