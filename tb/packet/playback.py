"""Testbench of the packet network that plays given messages and records what becomes of each of their packets.

Which packet it is is followed from unit to unit: the driver announces every packet that it injects; it is in a buffer
slot until that slot's banks move on. In the cycle after a head went through a crossbar output, the output's owner
(golden network, compared with the RTL in every cycle) names the unit that sends it; a packet buffer unit's row names
the packet, and a head that is accepted gets the row that is written. So identical packets are told apart as well.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Generator, Mapping, Sequence
from random import Random
from typing import Any

from cubecast.golden.common.twins.ports import bits
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.packet import split_source_word
from cubecast.golden.packet.contract.reason import PacketReason
from cubecast.golden.packet.twins.network import PacketNetwork
from cubecast.tb.common import playback
from cubecast.tb.common.playback import START, Outputs
from cubecast.tb.harness.bench import Bench
from cubecast.tb.packet.driver import Driver, Packet
from cubecast.tb.packet.watching import PacketWatcher

__all__ = ["BENCH", "START", "Playback"]

UNIT, OUTPUT, SLOT = range(3)
"""Lanes of the report streams: packet buffer unit, crossbar output, buffer slot."""


class Receiver(playback.Receiver):
    """Puts the packets that come to a node together again.

    A stream is what comes from one slot of one source, broadcasts apart: its packets come in the order in which they
    were sent, and the first data word of a message is its length.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the network.
    node : int
        Address of the node.
    """

    def __init__(self, config: PacketConfig, node: int) -> None:
        super().__init__(node)
        self.config = config

    def take(self, packet: Packet, words: list[int], first: int, last: int, error: bool) -> None:
        """Take a packet, which came in cycles ``first`` to ``last``: destination, source word, data."""
        data = words[2:]
        if packet.raw:
            self.add(packet, data, first, last, error, length=len(data))
            return
        slot, source = split_source_word(self.config, words[1]) if len(words) > 1 else (self.config.local, 0)
        length = data.pop(0) if packet.number == 0 and data else None
        self.add(packet, data, first, last, error, length=length, stream=(slot, source, words[0] != self.node))


class Playback(playback.Recorder):
    """Twin of the packet network that also records starts, deliveries, crossings of links and reports of messages.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the network.
    probe : bool
        Always true: the links are compared.
    """

    watcher = PacketWatcher

    def __init__(self, config: PacketConfig, probe: bool = True) -> None:
        """Start in reset, with nothing recorded."""
        super().__init__(config, PacketNetwork(config, probe=probe))
        nodes = range(config.nodes)
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
        self.injected: dict[int, set[Packet]] = defaultdict(set)
        self.starts: dict[int, int] = {}

    def announce(self, node: int, packet: Packet) -> None:
        """Take note of the packet that a node will inject next."""
        self.announced[node].append(packet)

    def foresee(self, node: int, message: int, destinations: Sequence[int]) -> None:
        """Take note of the packet that a node will inject next."""
        self.announce(node, Packet((destinations[0],), message))

    def before(self) -> list[tuple[int, tuple[int, int, int, int]]]:
        """Return the reports that are taken from units in this cycle, by node."""
        routers = self.network.routers
        return [(node, report) for node in sorted(self.awake) if (report := routers[node].taken()) is not None]

    def record(
        self, inputs: Mapping[str, int], outputs: Mapping[str, Any], before: list[tuple[int, tuple[int, int, int, int]]]
    ) -> None:
        """Record what moves in this cycle."""
        for node, report in before:
            self._report(node, *report)
        config = self.config
        for node in bits(inputs["inject_valid"]):
            self._inject(node, inputs, outputs)
        routers = self.network.routers
        awake = {node for node, router in enumerate(routers) if not router.resting}
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
            self.starts.setdefault(packet.message, self.now)
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
                    self.flying[place] = packet, self.now + 1
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
        width, cycle = self.config.width, self.now
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
        """Return everything recorded."""
        self.put_together(self.receivers)
        return self.told() | {
            "inside": self.inside(),
            "injected": {str(message): len(packets) for message, packets in self.injected.items()},
            "starts": [{"message": message, "cycle": cycle} for message, cycle in self.starts.items()],
        }


class Host:
    """The processor of a node: what a driver offers, as the network has it.

    Parameters
    ----------
    driver : Driver
        That of the node.
    """

    def __init__(self, driver: Driver) -> None:
        self.node, self.driver = driver.node, driver
        self._place, self._slots = driver.config.dim * driver.node, driver.config.nodes - 1

    @property
    def done(self) -> bool:
        """Whether everything has been injected."""
        return self.driver.done

    @property
    def resting(self) -> bool:
        """Whether nothing is to be injected before a later cycle."""
        return self.driver.resting

    def offer(self, cycle: int, vectors: Sequence[int], outputs: Outputs) -> tuple[int, int, int, int] | None:
        """Return valid, data, last and slots of the word offered, None if there is none; announce a new packet."""
        driver = self.driver
        driver.take(cycle, vectors[self.node])
        fresh = driver.packet is None
        word = driver.offer(self._ready(outputs))
        if word is not None and fresh:
            outputs.recorder.announce(self.node, driver.packet)
        return word

    def moved(self, outputs: Outputs) -> bool:
        """Take note of the outputs of the cycle; return whether the word offered was taken."""
        return self.driver.moved(self._ready(outputs))

    def _ready(self, outputs: Outputs) -> int:
        """Return the mask of the slots that have room."""
        ready: int = outputs["inject_ready"] >> self._place & self._slots
        return ready


def stimulus(
    random: Random,
    config: PacketConfig,
    messages: Sequence[Mapping[str, Any]] = (),
    explore: bool = False,
    **settings: Any,
) -> Generator[dict[str, int], Outputs, None]:
    """Play messages, see :func:`cubecast.tb.common.playback.play`, which takes the other settings.

    Parameters
    ----------
    random : Random
        Decides when receivers stall.
    config : PacketConfig
        Parameters of the network.
    messages : sequence of dict
        Each with "source", "cycle", "kind", "destinations", "data" and "slots", as :class:`PacketMessage` has them.
    explore : bool
        Whether the run is recorded cycle by cycle.
    """
    numbered = list(enumerate(messages))
    sent = ([(k, m) for k, m in numbered if m["source"] == node] for node in range(config.nodes))
    hosts = [Host(Driver(config, node, own)) for node, own in enumerate(sent)]
    wire = "line" if config.link == "serial" else "valid"
    yield from playback.play(
        random,
        config,
        [host for host in hosts if not host.done],
        {"valid": 1, "data": config.width, "last": 1, "slots": config.dim},
        tuple(f"link_{j}_{wire}" for j in range(config.dim)),
        lambda outputs, _: outputs.recorder.network.quiet(),
        watched=messages if explore else None,
        **settings,
    )


BENCH = Bench(
    unit="packet.network:PacketNetwork",
    twin="cubecast.tb.packet.playback:Playback",
    stimulus=stimulus,
    collect=Playback.result,
    extra={"probe": True},
    first=START,
)
