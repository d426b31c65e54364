"""Testbench of the crosspoint network that plays given messages and records what becomes of each of their packets.

Which packet it is is followed from queue to queue: the driver announces every packet that it injects. The golden
network, compared with the RTL in every cycle, says which queues a word comes into and which it leaves; packets leave a
queue, and come over a link, in the order in which they went in. So identical packets are told apart as well.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict, deque
from collections.abc import Generator, Mapping, Sequence
from random import Random
from typing import Any

from cubecast.golden.common.twins.ports import bits
from cubecast.golden.crosspoint.algorithms.packets import Header, fault_of, tree
from cubecast.golden.crosspoint.algorithms.routes import Unreachable
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.word import KIND_BITS, CrosspointReason, Kind
from cubecast.golden.crosspoint.twins.network import CrosspointNetwork
from cubecast.tb.common.patterns import item
from cubecast.tb.common.playback import START, Outputs, Receiver, Recorder, play
from cubecast.tb.crosspoint.driver import Driver, Packet
from cubecast.tb.crosspoint.watching import CrosspointWatcher
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH", "Playback"]

INPUT, OUTPUT = range(2)
"""Lanes of the report streams; the injection's is that of an input."""

Queue = tuple[int, int, int]
"""Node, input and output."""


class Playback(Recorder):
    """Twin of the crosspoint network that also records starts, deliveries, crossings of links and reports of messages.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the network.
    probe : bool
        Always true: the links are recorded.
    network : twin, optional
        The network, if it is another one than one of crosspoint routers alone.
    """

    watcher = CrosspointWatcher

    def __init__(self, config: CrosspointConfig, probe: bool = True, network: Any = None) -> None:
        """Start in reset, with nothing recorded."""
        super().__init__(config, network or CrosspointNetwork(config, probe=probe))
        nodes = range(config.nodes)
        self.announced: list[deque[Packet]] = [deque() for _ in nodes]
        self.injecting: dict[int, Packet] = {}
        self.open: set[int] = set()
        # By queue: the packet of every word and whether it is the head; the packet that is not complete.
        self.queues: dict[Queue, deque[tuple[Packet, bool]]] = defaultdict(deque)
        self.filling: dict[Queue, Packet] = {}
        # By node and port: the packet whose head left last; the heads on the link; the packet that came last.
        self.sent: dict[tuple[int, int], Packet] = {}
        self.flying: dict[tuple[int, int], deque[Packet]] = defaultdict(deque)
        self.arrived: dict[tuple[int, int], Packet] = {}
        self.leaving: list[deque[Packet]] = [deque() for _ in nodes]
        self.coming: dict[int, tuple[int, bool, list[int]]] = {}
        self.telling: dict[tuple[int, int, int], deque[tuple[Packet, bool]]] = defaultdict(deque)
        self.relays: dict[int, list[Packet]] = defaultdict(list)
        self.receivers = [Receiver(node) for node in nodes]
        self.plans: dict[int, int] = {}
        self.injected: dict[int, int] = defaultdict(int)
        self.starts: dict[int, int] = {}
        self.unreachable: list[dict[str, Any]] = []

    def planned(
        self, message: int, node: int, packets: Sequence[Packet], unreachable: Mapping[int, Unreachable]
    ) -> None:
        """Take note of what a node makes of a message."""
        self.plans[message] = len(packets)
        for destination, reason in unreachable.items():
            record = {"message": message, "node": node, "reason": reason.name, "destination": destination}
            self.unreachable.append(record)

    def announce(self, packet: Packet) -> None:
        """Take note of the packet that a node will inject next."""
        self.announced[packet.source].append(packet)

    def foresee(self, node: int, message: int, destinations: Sequence[int]) -> None:
        """Take note of the packet that a node will inject next."""
        header = Header(Kind.UNICAST, 0, node ^ destinations[0])
        self.announce(Packet(message=message, source=node, header=header, words=()))

    def relayed(self, node: int) -> list[Packet]:
        """Return the packets that have come to a node in this cycle and are to be sent on."""
        return self.relays.pop(node, [])

    def before(self) -> tuple[set[int], list[tuple[int, int]]]:
        """Return the nodes in which something may happen by itself, and the unit whose report is taken, by node."""
        routers = self.network.routers
        awake = {node for node, router in enumerate(routers) if not router.resting}
        return awake, [(node, routers[node].reporting) for node in sorted(awake) if routers[node].reporting >= 0]

    def record(
        self, inputs: Mapping[str, int], outputs: Mapping[str, Any], before: tuple[set[int], list[tuple[int, int]]]
    ) -> None:
        """Record what moves in this cycle."""
        awake, reporting = before
        for node, _ in reporting:
            self._report(node)
        for node in bits(inputs["inject_valid"] & outputs["inject_ready"]):
            self._inject(node, inputs["inject_last"] >> node & 1)
        routers = self.network.routers
        moving = sorted(awake | {node for node, router in enumerate(routers) if not router.resting})
        for node in moving:
            for i, j in routers[node].popped:
                self._leave((node, i, j))
        for j in range(self.config.dim):
            for node in bits(outputs[f"link_{j}_head"]):
                self._cross(node, j, outputs)
        for node in moving:
            self._enter(node)
        for node in bits(outputs["eject_valid"] & inputs["eject_ready"]):
            self._eject(node, outputs)

    def _report(self, node: int) -> None:
        """Record a report that is taken from a unit; it comes out of the node in the next cycle."""
        reason, destination, port, lane = self.network.routers[node].report
        packet, lost = self.telling[node, port, lane].popleft()
        record = {"message": packet.message, "node": node, "port": port, "lane": lane, "reason": reason}
        record |= {"destination": destination, "lost": lost}
        self.reports.append(record | {"missed": self._missed(packet, node, port, lane) if lost else []})

    def _missed(self, packet: Packet, node: int, port: int, lane: int) -> list[int]:
        """Return the destinations that a copy would have come to which was lost on a link or at its source."""
        if fault_of(self.config, packet.header) is not None:
            return []
        if packet.onward is not None:
            header = packet.onward.header
            return [packet.onward.source ^ header.r1 ^ header.r2]
        way = tree(self.config, packet.source, packet.header)
        start = node if lane == OUTPUT else node ^ 1 << port
        reached = {start ^ 1 << port}
        for hop in way.hops:
            if hop.node in reached:
                reached.add(hop.node ^ 1 << hop.dimension)
        return sorted(reached & set(way.delivered))

    def _inject(self, node: int, last: int) -> None:
        """Follow a word that is taken from a node."""
        if node not in self.open:
            self.injecting[node] = packet = self.announced[node].popleft()
            self.starts.setdefault(packet.message, self.now)
            self.injected[packet.message] += 1
        if last:
            self.open.discard(node)
        else:
            self.open.add(node)

    def _leave(self, queue: Queue) -> None:
        """Follow a word that leaves a queue: onto a link, or to the node."""
        node, _, j = queue
        packet, head = self.queues[queue].popleft()
        if head and j == self.config.local:
            self.leaving[node].append(packet)
        elif head:
            self.sent[node, j] = packet
            self.flying[node, j].append(packet)

    def _cross(self, node: int, j: int, outputs: Mapping[str, Any]) -> None:
        """Follow a head on a link; without ``push`` it is one that a cut link refuses."""
        packet = self.flying[node, j].popleft()
        push = item(outputs[f"link_{j}_push"], node, self.config.ports)
        if push:
            self.arrived[node ^ 1 << j, j] = packet
            crossing = {"message": packet.message, "number": packet.number, "branch": packet.branch}
            crossing["ends"] = bool(push >> self.config.local) and packet.onward is None
            self.crossings.append(crossing | {"from": node, "dimension": j, "cycle": self.now})

    def _enter(self, node: int) -> None:
        """Follow the words that come into the queues of a node, and take note of whose its new reports are."""
        n, router = self.config.dim, self.network.routers[node]
        came: dict[int, Packet] = {}
        for (i, j), word in router.pushed.items():
            queue = node, i, j
            packet = self.filling.get(queue)
            head = packet is None
            if packet is None:
                packet = self.injecting[node] if i == n else self.arrived[node, i]
            self.queues[queue].append((packet, head))
            if word.last:
                self.filling.pop(queue, None)
            else:
                self.filling[queue] = packet
            came[i] = packet
        for j in range(n):
            unit = router.inputs[j]
            if unit.waiting:
                # A head that comes while the link is cut goes nowhere; else what has come ends with an error.
                lost = j not in came
                self._tell((node, j, INPUT), unit.waiting, self.arrived[node, j] if lost else came[j], lost)
            report = router.outputs[j].report
            if report is not None:
                self._tell((node, j, OUTPUT), 1, self.sent[node, j], report[0] == CrosspointReason.UNDELIVERABLE)
        if router.injection.report is not None:
            self._tell((node, n, INPUT), 1, self.injecting[node], False)

    def _tell(self, place: tuple[int, int, int], waiting: int, packet: Packet, lost: bool) -> None:
        """Take note of whose the latest of the reports is that wait in a unit, if it has just been made."""
        if waiting > len(self.telling[place]):
            self.telling[place].append((packet, lost))

    def _eject(self, node: int, outputs: Mapping[str, Any]) -> None:
        """Record a word that a node's processor takes; one with ``error`` is none."""
        kind = item(outputs["eject_kind"], node, KIND_BITS)
        first, bitmap, words = self.coming.setdefault(node, (self.now, kind == Kind.BITMAP, []))
        error = bool(outputs["eject_error"] >> node & 1)
        words.append(item(outputs["eject_data"], node, self.config.width))
        if not outputs["eject_last"] >> node & 1:
            return
        del self.coming[node]
        packet = self.leaving[node].popleft()
        if packet.onward is not None:
            self._relay(packet, node, words, error)
            return
        data = words[bitmap : len(words) - error] if packet.raw or packet.length else []
        length = len(data) if packet.raw else packet.length
        self.receivers[node].add(packet, data, first, self.now, error, length=length, stream=packet.stream)

    def _relay(self, packet: Packet, node: int, words: list[int], error: bool) -> None:
        """Hand a packet that has come to its relay to the driver there."""
        assert packet.onward is not None
        onward = {"source": node, "header": packet.onward.header, "onward": None, "error": error}
        words = [*words[:-1], 0] if error else words
        self.relays[node].append(dataclasses.replace(packet, words=tuple(words), **onward))
        self.plans[packet.message] += 1

    def inside(self) -> list[dict[str, Any]]:
        """Return the packets that have not left the network, and the queues that they are in."""
        found = []
        for (node, i, j), words in sorted(self.queues.items()):
            for packet in dict.fromkeys(packet for packet, _ in words):
                found.append({"message": packet.message, "node": node, "input": i, "output": j})
        return found

    def result(self) -> dict[str, Any]:
        """Return everything recorded."""
        self.put_together(self.receivers)
        return self.told() | {
            "inside": self.inside(),
            "unreachable": self.unreachable,
            "left": {str(message): count - self.injected[message] for message, count in self.plans.items()},
            "starts": [{"message": message, "cycle": cycle} for message, cycle in self.starts.items()],
        }


def stimulus(
    random: Random,
    config: CrosspointConfig,
    messages: Sequence[Mapping[str, Any]] = (),
    faults: Sequence[int] = (),
    policy: str = "e-cube",
    explore: bool = False,
    **settings: Any,
) -> Generator[dict[str, int], Outputs, None]:
    """Play messages, see :func:`cubecast.tb.common.playback.play`, which also takes the other settings.

    Parameters
    ----------
    random : Random
        Decides when receivers stall, and what policies draw.
    config : CrosspointConfig
        Parameters of the network.
    messages : sequence of dict
        Each with "source", "cycle", "destinations", "data" and "header", as :class:`CrosspointMessage` has them.
    faults : sequence of int
        Faulty nodes.
    policy : str
        Routing policy of unicasts.
    explore : bool
        Whether the run is recorded cycle by cycle.
    """
    n = config.dim
    fields = {"valid": 1, "data": config.width, "last": 1, "error": 1, "r1": n, "r2": n, "kind": KIND_BITS}
    numbered, chance = list(enumerate(messages)), Random(random.getrandbits(32))
    hosts = [
        Driver(config, node, [(k, m) for k, m in numbered if m["source"] == node], faults, policy, chance)
        for node in range(config.nodes)
    ]
    yield from play(
        random,
        config,
        hosts,
        fields,
        tuple(f"link_{j}_push" for j in range(n)),
        lambda outputs, _: outputs.recorder.network.quiet(),
        faults=faults,
        watched=messages if explore else None,
        **settings,
    )


BENCH = Bench(
    unit="crosspoint.network:CrosspointNetwork",
    twin="cubecast.tb.crosspoint.playback:Playback",
    stimulus=stimulus,
    collect=Playback.result,
    extra={"probe": True},
    first=START,
)
