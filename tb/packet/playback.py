"""Testbench of the packet network that plays given messages and records what becomes of each of their packets.

Which packet it is is followed from unit to unit: the driver announces every packet that it injects; it is in a buffer
slot until that slot's banks move on. In the cycle after a head went through a crossbar output, the output's owner
(golden network, compared with the RTL in every cycle) names the unit that sends it; a packet buffer unit's row names
the packet, and a head that is accepted gets the row that is written. So identical packets are told apart as well.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from random import Random
from typing import Any

from cubecast.golden.common.contract.units import DATA_BITS
from cubecast.golden.common.twins.ports import bits, join
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.packet import PacketReason, split_source_word
from cubecast.golden.packet.twins.network import PacketNetwork
from cubecast.tb.harness.lockstep import RESET_CYCLES, Bench
from cubecast.tb.packet.driver import Driver, Packet

__all__ = ["BENCH", "START", "Playback"]

START = RESET_CYCLES + 1
"""Cycle of the run in which the first message may start; the one before writes the fault vectors."""

FAULT, LOG_LOST, ROWS = 0x00, 0x03, (0x30, 0x40, 0x50)
"""Registers of the control port: fault vector, entries lost, and the first of packets out, words out, waited."""

UNIT, OUTPUT, SLOT = range(3)
"""Lanes of the report streams: packet buffer unit, crossbar output, buffer slot."""


class Outputs(dict[str, Any]):
    """Outputs of a cycle, with the recorder that they come from: the driver announces its packets to it."""

    recorder: Playback


class Receiver:
    """Puts the packets that come to a node together again.

    A stream is what comes from one slot of one source, broadcasts apart: its packets come in the order in which they
    were sent, and the first data word of a message is its length. A message of which packets were lost, or came in
    another order while fault vectors changed, is delivered with ``error``.
    """

    def __init__(self, config: PacketConfig, node: int) -> None:
        self.config, self.node = config, node
        self.open: dict[int, dict[str, Any]] = {}
        self.streams: dict[tuple[int, int, bool], int] = {}
        self.deliveries: list[dict[str, Any]] = []

    def take(self, packet: Packet, words: list[int], first: int, last: int, error: bool) -> None:
        """Take a packet, which came in cycles ``first`` to ``last``: destination, source word, data."""
        number, data = packet.message, words[2:]
        slot, source = split_source_word(self.config, words[1]) if len(words) > 1 else (self.config.local, 0)
        new = {"first_cycle": first, "data": [], "length": -1, "packets": 0, "error": False, "ordered": True}
        message = self.open.setdefault(number, new)
        if packet.raw:
            message["length"] = len(data)
        else:
            stream = slot, source, words[0] != self.node
            before = self.streams.get(stream, number)
            if before != number and before in self.open:
                self.open[before]["ordered"] = False
            self.streams[stream] = number
            if packet.number == 0 and data:
                message["length"], *data = data
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


class Playback:
    """Twin of the packet network that also records starts, deliveries, crossings of links and reports of messages.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the network.
    probe : bool
        Always true: the links are compared.
    """

    def __init__(self, config: PacketConfig, probe: bool = True) -> None:
        """Start in reset, with nothing recorded."""
        self.config = config
        self.network = PacketNetwork(config, probe=probe)
        nodes = range(config.nodes)
        self.cycle = 0
        self.announced: list[deque[Packet]] = [deque() for _ in nodes]
        self.injecting: list[Packet | None] = [None for _ in nodes]
        self.loading: dict[tuple[int, int], Packet] = {}
        self.banks: dict[tuple[int, int], tuple[int, int]] = {}
        self.waiting: dict[tuple[int, int], deque[Packet]] = defaultdict(deque)
        self.outgoing: dict[tuple[int, int], Packet] = {}
        self.flying: dict[tuple[int, int], tuple[Packet, int]] = {}
        self.held: dict[tuple[int, int, int], Packet] = {}
        self.receiving: dict[tuple[int, int], Packet] = {}
        self.leaving: list[deque[Packet]] = [deque() for _ in nodes]
        self.coming: dict[int, tuple[int, list[int]]] = {}
        self.reported: dict[tuple[int, int, int], int] = defaultdict(int)
        self.telling: dict[tuple[int, int, int], deque[tuple[Packet, bool]]] = defaultdict(deque)
        self.awake: set[int] = set()
        self.receivers = [Receiver(config, node) for node in nodes]
        self.deliveries: list[dict[str, Any]] = []
        self.crossings: list[dict[str, Any]] = []
        self.reports: list[dict[str, Any]] = []
        self.injected: dict[int, set[Packet]] = defaultdict(set)
        self.starts: dict[int, int] = {}
        self.registers: dict[int, list[int]] = {}
        self.read_address = 0
        self.end: int | None = None

    def announce(self, node: int, packet: Packet) -> None:
        """Take note of the packet that a node will inject next."""
        self.announced[node].append(packet)

    def step(self, inputs: Mapping[str, int]) -> Outputs:
        """Return this cycle's outputs, record what moves, and take the edge."""
        routers = self.network.routers
        taken = [(node, report) for node in sorted(self.awake) if (report := routers[node].taken()) is not None]
        outputs = Outputs(self.network.step(inputs))
        outputs.recorder = self
        if not inputs["rst"]:
            for node, report in taken:
                self._report(node, *report)
            self._record(inputs, outputs)
        self.cycle += 1
        return outputs

    def _record(self, inputs: Mapping[str, int], outputs: Mapping[str, Any]) -> None:
        """Record what moves in this cycle; the network has already taken the edge."""
        config = self.config
        for node in bits(inputs["inject_valid"]):
            self._inject(node, inputs, outputs)
        routers = self.network.routers
        awake = {node for node, router in enumerate(routers) if router.awake}
        for node in sorted(awake | self.awake):
            router = routers[node]
            for j in range(config.dim):
                self._unit(node, j, router.pbus[j])
                self._slot(node, j, router.node_output.slots[j])
            for port in range(config.ports):
                self._output(node, port, router.crossbar.outputs[port])
        self.awake = awake
        for node in bits(outputs["eject_valid"] & inputs["eject_ready"]):
            self._eject(node, outputs)
        if self.read_address:
            read = outputs["control_read_data"]
            self.registers[self.read_address] = [read >> 32 * node & 0xFFFFFFFF for node in range(config.nodes)]
        self.read_address = inputs["control_address"] & 127
        if self.read_address and self.end is None:
            self.end = self.cycle

    def _report(self, node: int, reason: int, destination: int, port: int, lane: int) -> None:
        """Record a report that is taken from a unit; it comes out of the node in the next cycle."""
        self.reported[node, port, lane] -= 1
        packet, lost = self.telling[node, port, lane].popleft()
        record = {"message": packet.message, "node": node, "port": port, "lane": lane, "reason": reason}
        self.reports.append(record | {"destination": destination, "lost": lost})

    def _tell(self, place: tuple[int, int, int], queued: int, packet: Packet | None, lost: bool) -> None:
        """Take note of whose the report is that has been put into a unit's queue, if one has."""
        if queued > self.reported[place] and packet is not None:
            self.telling[place].append((packet, lost))
            self.reported[place] = queued

    def _inject(self, node: int, inputs: Mapping[str, int], outputs: Mapping[str, Any]) -> None:
        """Follow a word that a node offers."""
        config = self.config
        shift, mask = config.dim * node, (1 << config.dim) - 1
        slots = inputs["inject_slots"] >> shift & mask or 1
        if slots & ~(outputs["inject_ready"] >> shift):
            return
        packet = self.injecting[node]
        if packet is None:
            packet = self.announced[node].popleft()
            self.injected[packet.message].add(packet)
            self.starts.setdefault(packet.message, self.cycle - START)
        self.injecting[node] = None if inputs["inject_last"] >> node & 1 else packet
        for j in bits(slots):
            self.loading[node, j] = packet

    def _slot(self, node: int, j: int, slot: Any) -> None:
        """Follow the packets of a buffer slot."""
        place = node, j
        before = self.banks.get(place, (0, 0))
        self.banks[place] = now = slot.write_bank, slot.read_bank
        queue = self.waiting[place]
        left = queue[0] if queue else None
        queued = len(slot.queue.entries)
        undeliverable = queued and slot.queue.entries[-1][0] == PacketReason.UNDELIVERABLE
        packet = left if undeliverable else self.loading.get(place)
        self._tell((node, j, SLOT), queued, packet, bool(undeliverable))
        if now[0] != before[0]:
            queue.append(self.loading[place])
        if now[1] != before[1]:
            queue.popleft()

    def _output(self, node: int, port: int, output: Any) -> None:
        """Follow the packets that go through a crossbar output."""
        place = node, port
        if output.held and output.head_gone and not output.head_seen:
            self.outgoing[place] = packet = self._owner(node, port, output.owner)
            if not output.dropping:
                if port == self.config.local:
                    self.leaving[node].append(packet)
                else:
                    self.flying[place] = packet, self.cycle + 1 - START
        if port != self.config.local:
            queued = output.queue.entries
            lost = bool(queued) and queued[-1][0] == PacketReason.UNDELIVERABLE
            self._tell((node, port, OUTPUT), len(queued), self.outgoing.get(place), lost)

    def _owner(self, node: int, port: int, owner: int) -> Packet:
        """Return the packet that a requester of an output is sending."""
        dim, router = self.config.dim, self.network.routers[node]
        requester = router.crossbar.members[port][owner]
        if requester < dim:
            return self.held[node, requester, router.pbus[requester].sender.row]
        slot = requester - dim if requester < 2 * dim else router.node_output.who
        return self.waiting[node, slot][0]

    def _unit(self, node: int, i: int, unit: Any) -> None:
        """Follow the packets that come to a packet buffer unit."""
        place = node, i
        link = node ^ 1 << i, i
        queued = len(unit.queue.entries)
        if queued > self.reported[(*place, UNIT)]:
            # A head that is not accepted is lost; a packet that is being received goes on as far as it came.
            lost = place not in self.receiving
            packet = self.flying.pop(link, (None, 0))[0] if lost else self.receiving[place]
            self._tell((*place, UNIT), queued, packet, lost)
        if unit.accepted and link in self.flying:
            packet, cycle = self.flying.pop(link)
            self.held[node, i, unit.receiver.row] = self.receiving[place] = packet
            crossing = {"message": packet.message, "number": packet.number, "to": packet.words[0]}
            self.crossings.append(crossing | {"from": link[0], "dimension": i, "cycle": cycle})
        if not unit.receiver.receiving:
            self.receiving.pop(place, None)

    def _eject(self, node: int, outputs: Mapping[str, Any]) -> None:
        """Record a word that a node's processor takes."""
        width, cycle = self.config.width, self.cycle - START
        first, words = self.coming.setdefault(node, (cycle, []))
        error = bool(outputs["eject_error"] >> node & 1)
        if not error:
            words.append(outputs["eject_data"] >> node * width & (1 << width) - 1)
        if outputs["eject_last"] >> node & 1:
            del self.coming[node]
            self.receivers[node].take(self.leaving[node].popleft(), words, first, cycle, error)

    def inside(self) -> list[dict[str, Any]]:
        """Return the packets that have not left the network, and where they are."""
        config, found = self.config, []
        for node, router in enumerate(self.network.routers):
            for j in range(config.dim):
                for packet in self.waiting[node, j]:
                    found.append({"message": packet.message, "node": node, "slot": j})
                for row in router.pbus[j].cam.rows:
                    packet = self.held[node, j, row[-1]]
                    found.append({"message": packet.message, "node": node, "unit": j})
        return found

    def result(self) -> dict[str, Any]:
        """Return everything recorded; counters that were not read, or wrap early, are the golden network's."""
        for receiver in self.receivers:
            receiver.close()
        counters = [router.control.registers for router in self.network.routers]
        for address in _addresses(self.config):
            if address not in self.registers or self.config.counters < DATA_BITS:
                self.registers[address] = [registers[address] for registers in counters]
        deliveries = [record for receiver in self.receivers for record in receiver.deliveries]
        return {
            "deliveries": sorted(deliveries, key=lambda record: (record["last_cycle"], record["node"])),
            "crossings": self.crossings,
            "reports": self.reports,
            "registers": {str(address): values for address, values in self.registers.items()},
            "inside": self.inside(),
            "injected": {str(message): len(packets) for message, packets in self.injected.items()},
            "starts": [{"message": message, "cycle": cycle} for message, cycle in self.starts.items()],
            "cycles": max(0, (self.cycle if self.end is None else self.end) - START),
        }


def stimulus(
    random: Random,
    config: PacketConfig,
    messages: Sequence[Mapping[str, Any]] = (),
    faults: Sequence[int] = (),
    events: Sequence[Mapping[str, int]] = (),
    stall: float = 0.0,
    most: int = 100_000,
) -> Generator[dict[str, int], Outputs, None]:
    """Write the fault vectors, inject the messages and write the events, wait until all is quiet, read the counters.

    Parameters
    ----------
    random : Random
        Decides when receivers stall.
    config : PacketConfig
        Parameters of the network.
    messages : sequence of dict
        Each with "source", "cycle", "kind", "destinations", "data" and "slots", as :class:`PacketMessage` has them.
    faults : sequence of int
        Faulty nodes.
    events : sequence of dict
        Each with "cycle", "node" and "vector", the fault vector written then.
    stall : float
        Part of the cycles in which a receiver is not ready.
    most : int
        Cycles after which the run ends even if it is not quiet.
    """
    nodes, dim, width = range(config.nodes), config.dim, config.width
    everyone, slots = (1 << config.nodes) - 1, (1 << dim) - 1
    vectors = [sum((node ^ 1 << j in faults) << j for j in range(dim)) for node in nodes]
    outputs = yield {
        "control_address": join([FAULT] * config.nodes, 7),
        "control_write": everyone if faults else 0,
        "control_write_data": join(vectors, 32),
        "eject_ready": everyone,
    }
    numbered = list(enumerate(messages))
    drivers = [Driver(config, node, [(k, m) for k, m in numbered if m["source"] == node]) for node in nodes]
    drivers = [driver for driver in drivers if not driver.done]
    change: dict[str, int] = {"control_write": 0, "control_write_data": 0}
    injection = dict.fromkeys(("inject_valid", "inject_data", "inject_last", "inject_slots"), 0)
    wire = "line" if config.link == "serial" else "valid"
    moving = ("eject_valid", "report_valid", *(f"link_{j}_{wire}" for j in range(dim)))
    coming = deque(sorted(events, key=lambda event: event["cycle"]))
    idle, patience = 0, 300 + 8 * config.nodes
    for cycle in range(most):
        offered = dict.fromkeys(injection, 0)
        for driver in drivers:
            node = driver.node
            driver.take(cycle, vectors[node])
            fresh = driver.packet is None
            word = driver.offer(outputs["inject_ready"] >> dim * node & slots)
            if word is not None:
                if fresh:
                    outputs.recorder.announce(node, driver.packet)
                for name, size, value in zip(offered, (1, width, 1, dim), word, strict=True):
                    offered[name] |= value << size * node
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
            change["eject_ready"] = sum((random.random() >= stall) << node for node in nodes)
        outputs = yield change
        change = {"control_write": 0, "control_write_data": 0} if "control_write" in change else {}
        moved = [driver.moved(outputs["inject_ready"] >> dim * driver.node & slots) for driver in drivers]
        drivers = [driver for driver in drivers if not driver.done]
        busy = any(moved) or any(outputs[name] for name in moving)
        if not (busy or drivers or coming) and outputs.recorder.network.quiet():
            break
        later = coming or any(driver.resting for driver in drivers)
        idle = 0 if busy or later else idle + 1
        if idle > patience:
            break
    yield from _registers(config)


def _registers(config: PacketConfig) -> Iterator[dict[str, int]]:
    """Read the counters of all routers at once, one register per cycle."""
    off = dict.fromkeys(("inject_valid", "inject_data", "inject_last", "inject_slots"), 0)
    for address in (*_addresses(config), 0, 0):
        yield {"control_address": join([address] * config.nodes, 7), **off}
        off = {}


def _addresses(config: PacketConfig) -> list[int]:
    """Return the addresses of the counters that are read."""
    return [LOG_LOST, *(row + port for row in ROWS for port in range(config.ports))]


BENCH = Bench(
    name="packet_playback",
    component="cubecast.rtl.packet.network:PacketNetwork",
    twin="cubecast.tb.packet.playback:Playback",
    stimulus=stimulus,
    collect=Playback.result,
    extra={"probe": True},
    config="cubecast.golden.packet.contract.config:PacketConfig",
    first=START,
)
