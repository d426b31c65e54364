"""The golden network alone: when packets arrive, that each arrives once, books over faults, and what one flag does."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Mapping
from random import Random

import pytest

from cubecast.golden.common.contract.control import Register
from cubecast.golden.common.contract.units import ADDRESS_BITS, DATA_BITS, REASON_BITS
from cubecast.golden.common.twins.ports import bits
from cubecast.golden.crosspoint.algorithms.packets import Header, destinations, members, tree
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.word import KIND_BITS, CrosspointReason, Kind
from cubecast.golden.crosspoint.twins import router as router_twin
from cubecast.golden.crosspoint.twins.flit import Reduced
from cubecast.golden.crosspoint.twins.network import CrosspointNetwork
from cubecast.golden.crosspoint.twins.output import Output
from cubecast.tb.crosspoint.packets import header

Link = tuple[int, int]
"""The node that sends, and the dimension."""


class Driver:
    """A network with a queue of words at every node, and a record of what leaves the nodes and of what they report.

    ``arrived`` and ``expected`` are packets by node, without a bitmap, with ``error`` of their last word; ``hops`` the
    packets that the trees say for each link. ``first`` is the cycle of the first word at each node, ``taken`` that in
    which the first word of all was taken. ``reports`` are counted by node, port, lane and reason; by link, ``heads``
    are those that its output let go, ``whole`` packets whose own last word came to an input in use.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the network.
    """

    def __init__(self, config: CrosspointConfig) -> None:
        self.config = config
        self.network = CrosspointNetwork(config)
        self.words: list[deque[tuple[int, ...]]] = [deque() for _ in range(config.nodes)]
        self.open: list[list[int]] = [[] for _ in range(config.nodes)]
        self.arrived: Counter[tuple[int, tuple[int, ...], int]] = Counter()
        self.expected: Counter[tuple[int, tuple[int, ...], int]] = Counter()
        self.hops: Counter[Link] = Counter()
        self.first: dict[int, int] = {}
        self.taken: int | None = None
        self.reports: Counter[tuple[int, int, int, int]] = Counter()
        self.heads: Counter[Link] = Counter()
        self.whole: Counter[Link] = Counter()
        self.number = self.ejected = 0

    def send(self, node: int, head: Header, count: int) -> None:
        """Let a node send a packet of so many words, which tell the packet and their place in it."""
        self.number += 1
        data = [self.number << 4 | place for place in range(count)]
        words = [head.bitmap, *data] if head.kind == Kind.BITMAP else data
        for place, word in enumerate(words):
            last = place == len(words) - 1
            self.words[node].append((word, int(last), 0, head.r1, head.r2, int(head.kind)))
        way = tree(self.config, node, head)
        self.expected.update((there, tuple(data), 0) for there in way.delivered)
        self.hops.update((hop.node, hop.dimension) for hop in way.hops)

    def draw(self, random: Random, node: int, kinds: Iterable[int] = tuple(Kind)) -> None:
        """Let a node send a random legal packet."""
        while True:
            r1, r2, kind, bitmap = header(random, self.config)
            if kind in kinds and not (bitmap is not None and self.config.packet_limit == 1):
                break
        most = self.config.packet_limit - (bitmap is not None)
        self.send(node, Header(kind, r1, r2, bitmap or 0), random.choice((1, random.randint(1, most), most)))

    def step(self, ready: int | None = None, faults: Mapping[int, int] | None = None, pauses: int = 0) -> None:
        """Pass one cycle.

        Parameters
        ----------
        ready, pauses : int
            Masks of the nodes that take words (None: all), and of those that offer none.
        faults : mapping
            What FAULT registers become, by node.
        """
        config, network = self.config, self.network
        everybody = (1 << config.nodes) - 1
        ready = everybody if ready is None else ready
        valid = sum(1 << node for node, words in enumerate(self.words) if words) & ~pauses
        inputs = {"inject_valid": valid, "eject_ready": ready}
        widths = config.width, 1, 1, config.dim, config.dim, KIND_BITS
        for place, (name, width) in enumerate(zip(("data", "last", "error", "r1", "r2", "kind"), widths, strict=True)):
            inputs[f"inject_{name}"] = sum(self.words[node][0][place] << width * node for node in bits(valid))
        for node, vector in (faults or {}).items():
            inputs["control_write"] = inputs.get("control_write", 0) | 1 << node
            data = inputs.get("control_write_data", 0)
            inputs["control_write_data"] = data | vector << DATA_BITS * node
            inputs["control_address"] = inputs.get("control_address", 0) | Register.FAULT << ADDRESS_BITS * node
        cut = [router.control.cut for router in network.routers]
        cycle = network.cycle
        outputs = network.step(inputs)
        for node in bits(valid & outputs["inject_ready"]):
            self.words[node].popleft()
            self.taken = cycle if self.taken is None else self.taken
        self._eject(outputs, ready, cycle)
        names = ("port", "lane", "reason")
        for node in bits(outputs["report_valid"]):
            found = (outputs[f"report_{name}"] >> REASON_BITS * node & 15 for name in names)
            self.reports[node, *found] += 1
        for node, router in enumerate(network.routers):
            for j, link in enumerate(router.link_out):
                self.heads[node, j] += link.head
                self.whole[node, j] += bool(link.push and link.last and not cut[node ^ 1 << j] >> j & 1)

    def _eject(self, outputs: Mapping[str, int], ready: int, cycle: int) -> None:
        """Take note of what the nodes take."""
        for node in bits(outputs["eject_valid"] & ready):
            self.first.setdefault(node, cycle)
            if not self.open[node]:
                self.open[node].append(int(outputs["eject_kind"] >> KIND_BITS * node & 3 == Kind.BITMAP))
            self.open[node].append(outputs["eject_data"] >> self.config.width * node & (1 << self.config.width) - 1)
            if outputs["eject_last"] >> node & 1:
                bitmap, *data = self.open[node]
                self.arrived[node, tuple(data[bitmap:]), outputs["eject_error"] >> node & 1] += 1
                self.open[node] = []
                self.ejected += 1

    def levels(self) -> tuple[int, int]:
        """Return the most words that any queue before a link, and any before a node, holds."""
        n, found = self.config.dim, ([0], [0])
        for router in self.network.routers:
            for (_, j), point in router._points.items():
                found[j == n].append(point.queue.level)
        return max(found[0]), max(found[1])

    def counted(self, register: Register, link: Link) -> int:
        """Return a counter of a node's port."""
        node, port = link
        return self.network.routers[node].control.registers[register + port]

    def drain(self, cycles: int) -> bool:
        """Return whether everything leaves within so many cycles, all nodes taking what comes."""
        for _ in range(cycles):
            if not any(self.words) and self.network.quiet():
                return True
            self.step()
        return False


LATENCIES = {
    "wires": {"eject_depth": 16},
    "block": {"eject_depth": 512},
    "registers": {"link_regs": 1, "eject_depth": 16},
    "output_register": {"output_register": True, "eject_depth": 512},
    "far": {"link_regs": 3, "output_register": True, "eject_depth": 32},
}
"""Name to parameters."""


@pytest.mark.parametrize("name", LATENCIES)
def test_zero_load_latency(name: str) -> None:
    """A word taken in cycle t is at a node h hops away in t + h (1 + f) + 2, one later with block RAM."""
    config = CrosspointConfig(dim=4, **LATENCIES[name])
    late = 2 + config.block_eject
    heads = [Header(Kind.SUBCUBE, 0, 15), Header(Kind.UNICAST, 15, 0), Header(Kind.UNICAST, 0, 15)]
    heads += [Header(Kind.UNICAST, 0b1010, 0b1101), Header(Kind.BITMAP, 0, 0, 0xFFFE), Header(Kind.UNICAST, 4, 0)]
    driver = Driver(config)
    for _ in range(config.backward + 3):
        driver.step()
    for head in heads:
        driver.first, driver.taken = {}, None
        driver.send(5, head, 2)
        assert driver.drain(60)
        hops = len(members(head.r1)) + len(members(head.r2))
        assert set(driver.first) == destinations(head, 5)
        for node, cycle in driver.first.items():
            distance = hops if head.kind == Kind.UNICAST else (node ^ 5).bit_count()
            assert cycle - driver.taken == distance * (1 + config.forward) + late
        assert driver.arrived == driver.expected


@pytest.mark.parametrize("name", ["default", "one_run", "short", "far"])
def test_every_packet_arrives_once(name: str) -> None:
    """Random packets and nodes that stall: what comes, and over which links, is what the trees say."""
    parameters = {
        "default": {"eject_depth": 16},
        "one_run": {"runs": 1, "eject_depth": 128},
        "short": {"depth": 4, "eject_depth": 4},
        "far": {"link_regs": 1, "output_register": True, "eject_depth": 16},
    }
    config = CrosspointConfig(dim=3, **parameters[name])
    random, driver = Random(name), Driver(config)
    stall, most = 0, (0, 0)
    for cycle in range(250):
        if not cycle % 60:
            stall = random.getrandbits(config.nodes) & random.getrandbits(config.nodes)
        for node, words in enumerate(driver.words):
            if not words:
                driver.draw(random, node)
        driver.step(~stall & (random.getrandbits(config.nodes) | random.getrandbits(config.nodes)))
        most = tuple(map(max, zip(most, driver.levels(), strict=True)))
    assert driver.drain(2000)
    assert driver.arrived == driver.expected
    assert driver.number > 100 and not driver.reports
    for node in range(config.nodes):
        for j in range(config.dim):
            assert driver.counted(Register.MESSAGES_OUT, (node, j)) == driver.hops[node, j]
    # Queues were filled as far as their rooms let them be, and no further.
    assert config.depth // 2 <= most[0] <= config.depth
    assert config.eject_depth // 2 <= most[1] <= config.eject_depth


@pytest.mark.parametrize("kinds", [(Kind.UNICAST,), tuple(Kind)], ids=["unicast", "all"])
@pytest.mark.parametrize("far", [0, 1])
def test_books_balance_over_faults(far: int, kinds: tuple[Kind, ...]) -> None:
    """Every copy that an output let go came whole, or was reported once by one end of its link."""
    config = CrosspointConfig(dim=3, eject_depth=16, link_regs=far)
    n, random, driver = config.dim, Random(far), Driver(config)
    faults = [0] * config.nodes
    for _ in range(300):
        for node, words in enumerate(driver.words):
            if not words:
                driver.draw(random, node, kinds)
        change = {}
        for node in range(config.nodes):
            if random.random() < 0.02:
                faults[node] = change[node] = 0 if faults[node] else 1 << random.randrange(n)
        ready, pauses = (random.getrandbits(config.nodes) | random.getrandbits(config.nodes) for _ in range(2))
        driver.step(ready, change, ~pauses)
    driver.step(faults=dict.fromkeys(range(config.nodes), 0))
    assert driver.drain(2000)
    lost, reasons = 0, Counter()
    for node in range(config.nodes):
        for j in range(n):
            there = node ^ 1 << j
            refused = driver.reports[node, j, 1, CrosspointReason.UNDELIVERABLE]
            known = driver.reports[node, j, 1, CrosspointReason.PACKET_CUT]
            ended = driver.reports[there, j, 0, CrosspointReason.INPUT_CUT]
            came = driver.counted(Register.MESSAGES_IN, (there, j))
            heads, whole = driver.heads[node, j], driver.whole[node, j]
            in_vain = heads - refused - came
            assert heads == refused + ended + whole
            assert ended == in_vain + came - whole
            assert in_vain >= 0 and (far or not in_vain)
            # Without registers both ends of a link see a cut in the same cycle.
            assert known <= ended if far else known == ended
            lost += refused + in_vain
            reasons += Counter(refused=refused, known=known, ended=ended, in_vain=in_vain)
    assert reasons["refused"] and reasons["known"] and reasons["ended"] and (reasons["in_vain"] or not far)
    assert driver.reports.total() == reasons["refused"] + reasons["known"] + reasons["ended"]
    good = Counter({key: count for key, count in driver.arrived.items() if not key[2]})
    assert good.total() and good <= driver.expected
    if kinds == (Kind.UNICAST,):
        assert driver.ejected == driver.number - lost


def taken_out(config: CrosspointConfig, phase: int, cycles: int) -> tuple[int, int]:
    """Reset node 1 alone while node 0 sends to it, with its links cut before; count what comes wrong without a word.

    ``cycles`` of the reset come after that of the writes to its neighbours' FAULT registers. The second count is of
    packets that node 1 takes whole once its links are back.
    """
    driver = Driver(config)
    network = driver.network
    for _ in range(40):
        driver.send(0, Header(Kind.UNICAST, 1), config.packet_limit)
    for _ in range(20 + phase):
        driver.step()
    driver.step(faults={0: 1, 3: 2})
    for _ in range(cycles):
        driver.step(ready=0b1101)
        network.routers[1].reset()
        network.members.reset()
        network._spread(1)
    driver.open[1] = []
    for _ in range(10):
        driver.step()
    before = driver.arrived.copy()
    driver.step(faults={0: 0, 3: 0})
    assert driver.drain(2000)
    wrong = Counter({packet: count for packet, count in driver.arrived.items() if not packet[2]}) - driver.expected
    return wrong.total(), (driver.arrived - before).total()


@pytest.mark.parametrize(("link_regs", "output_register"), [(0, False), (0, True), (1, False), (3, True)])
def test_a_node_is_taken_out(link_regs: int, output_register: bool) -> None:
    """After f + 1 cycles nothing is under way that a router which has been reset takes wrongly; f are too few."""
    config = CrosspointConfig(dim=2, depth=16, packet_limit=4, link_regs=link_regs, output_register=output_register)
    phases = range(config.packet_limit)
    found = [taken_out(config, phase, config.forward + 1) for phase in phases]
    assert not any(wrong for wrong, _ in found) and all(good for _, good in found)
    if config.forward:
        assert any(taken_out(config, phase, config.forward)[0] for phase in phases)


@pytest.mark.parametrize(("eject_depth", "link_regs"), [(16, 0), (32, 1), (128, 0)])
def test_a_node_that_takes_nothing_stops_what_passes_it_when_a_link_closes(eject_depth: int, link_regs: int) -> None:
    """Until one ejection queue of node 0 shuts its link all passes; then what needs the link waits, all others go."""
    config = CrosspointConfig(dim=3, eject_depth=eject_depth, link_regs=link_regs)
    random, driver = Random(eject_depth), Driver(config)
    flags, queue = driver.network.routers[0].inputs[2], driver.network.routers[0]._points[2, 3].queue
    most = eject_depth - config.packet_limit - (2 if config.block_eject else 1) - 2 * link_regs
    others, passing, closed = set[int](), dict[int, int](), 0
    for cycle in range(2 * eject_depth + 80):
        # Node 4 sends to node 0 and over it to node 2, the rest to each other, some over node 0, too.
        if not driver.words[4]:
            driver.send(4, Header(Kind.UNICAST, 4 if cycle % 3 else 6, 0), 1)
            passing |= {} if cycle % 3 else {driver.number: cycle}
        for node in (1, 2, 3, 5, 6, 7):
            head = Header(Kind.UNICAST, *random.choice(((random.randrange(1, 8), 0), (0, 3))))
            if head.r1 == node or head.r2 == node or driver.words[node]:
                continue
            if (4, 2) not in {(hop.node, hop.dimension) for hop in tree(config, node, head).hops}:
                driver.send(node, head, 1)
                others.add(driver.number)
        counted = len(queue.words)
        driver.step(254)
        assert flags.ready_up == (counted <= most) and flags.ready <= flags.ready_up
        closed = closed or cycle * (not flags.ready_up)
    for _ in range(60):
        driver.step(254)
    came = {data[0] >> 4 for _, data, _ in driver.arrived}
    assert closed and others and others <= came
    assert passing.keys() & came == {number for number, cycle in passing.items() if cycle < closed} < passing.keys()
    assert driver.drain(400) and driver.arrived == driver.expected


class OneWire(Output):
    """An output whose requesters all heed the flag for all queues."""

    def choose(
        self, ne: int, ready: int, ready_up: int, cut: int, word: Reduced | None = None, ready_r: int = 0
    ) -> None:
        """Hide the other flag."""
        super().choose(ne, ready, ready, cut, word, ready_r)


@pytest.mark.parametrize("one_wire", [False, True])
def test_one_ready_wire_comes_to_a_standstill(one_wire: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """With two runs, under overload; with both flags, or one run, everything drains."""
    if one_wire:
        monkeypatch.setattr(router_twin, "Output", OneWire)
    for runs in (1, 2) if one_wire else (2,):
        config = CrosspointConfig(dim=3, runs=runs, depth=4, eject_depth=4)
        random, driver = Random(1), Driver(config)
        for _ in range(200):
            for node, words in enumerate(driver.words):
                if not words:
                    driver.draw(random, node, (Kind.UNICAST,))
            driver.step()
        stuck = not driver.drain(300)
        assert stuck == (one_wire and runs == 2)
        if stuck:
            before = driver.ejected
            assert not driver.drain(100) and driver.ejected == before
        else:
            assert driver.arrived == driver.expected
