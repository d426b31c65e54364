"""The golden network alone: what is delivered, where, when, and what is reported instead."""

from __future__ import annotations

import dataclasses
import functools
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from random import Random

import pytest

from cubecast.golden.common.algorithms.faults import (
    fault_sets,
    fault_vectors,
    obeys_rule,
    random_faults,
    random_obeying_faults,
)
from cubecast.golden.common.contract.control import Register
from cubecast.golden.common.twins.ports import bits
from cubecast.golden.multicast.algorithms.broadcast import broadcast_2_step, broadcast_by, source_step
from cubecast.golden.multicast.algorithms.multicast import policy_step
from cubecast.golden.multicast.algorithms.policy import POLICIES
from cubecast.golden.multicast.algorithms.route import route
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.message import encode
from cubecast.golden.multicast.contract.reason import Reason
from cubecast.golden.multicast.twins.broadcaster_fault_free import BroadcasterFaultFree
from cubecast.golden.multicast.twins.eligibility import Eligibility
from cubecast.golden.multicast.twins.multicaster import Multicaster
from cubecast.golden.multicast.twins.network import Network
from cubecast.golden.multicast.twins.router import Link


@dataclasses.dataclass(frozen=True)
class Passed:
    """A whole message as it passed through a port of a node, with the cycles of its words."""

    node: int
    port: int
    words: tuple[int, ...]
    error: int
    cycles: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class Reported:
    """A report of a node."""

    node: int
    reason: int
    destination: int
    port: int
    lane: int


@functools.cache
def network_of(config: Config) -> Network:
    """Return the network that all drivers with these parameters share: a reset takes a tenth of making it anew."""
    return Network(config, probe=True)


class Driver:
    """A network with a queue of messages at every node, and a record of all that leaves a node.

    The network is in reset, and another driver's when one with the same parameters is made.

    Parameters
    ----------
    config : Config
        Parameters of the network.
    faults : iterable of int
        Faulty nodes; their neighbours' fault vectors are written through the control ports.
    stall : float
        Chance that a local processor does not take a word.
    gap : float
        Chance that a processor with a message has no word ready.
    wait : int
        Cycle in which the processors begin to inject.

    ``cut_off`` records what passed over a link of a message that ended there because the link was cut.
    """

    def __init__(
        self,
        config: Config,
        faults: Iterable[int] = (),
        stall: float = 0.0,
        gap: float = 0.0,
        seed: int = 0,
        wait: int = 0,
    ) -> None:
        self.config = config
        self.network = network_of(config)
        self.network.reset()
        self.random, self.stall, self.gap, self.wait = Random(seed), stall, gap, wait
        self.queues: list[deque[tuple[list[int], int]]] = [deque() for _ in range(config.nodes)]
        self.position = [0] * config.nodes
        self.injected: list[tuple[int, int]] = []
        self.crossed: list[Passed] = []
        self.delivered: list[Passed] = []
        self.reports: list[Reported] = []
        self.cut_off: list[Passed] = []
        self._writes: dict[int, int] = {}
        self._open: dict[tuple[int, int], tuple[list[int], list[int]]] = {}
        self.moved = True
        vectors = fault_vectors(config.dim, faults)
        if any(vectors.values()):
            data = sum(vector << 32 * node for node, vector in vectors.items())
            every = (1 << config.nodes) - 1
            self.network.step({"control_write": every, "control_write_data": data})
        self.start = self.network.cycle

    def send(self, node: int, words: Sequence[int], error: int = 0) -> None:
        """Put a message into a node's queue."""
        self.queues[node].append((list(words), error))

    def fault(self, node: int, vector: int) -> None:
        """Write a fault vector in the next cycle."""
        self._writes[node] = vector

    def cycle(self) -> None:
        """Step one cycle."""
        config, network = self.config, self.network
        chance, now = self.random.random, network.cycle - self.start
        ready = valid = data = last = error = 0
        for node, queue in enumerate(self.queues):
            ready |= int(self.stall == 0.0 or chance() >= self.stall) << node
            if queue and now >= self.wait and (self.gap == 0.0 or chance() >= self.gap):
                words, bad = queue[0]
                final = self.position[node] == len(words) - 1
                valid |= 1 << node
                data |= words[self.position[node]] << config.width * node
                last |= int(final) << node
                error |= (bad & int(final)) << node
        writes, self._writes = self._writes, {}
        out = network.step(
            {
                "control_write": sum(1 << node for node in writes),
                "control_write_data": sum(vector << 32 * node for node, vector in writes.items()),
                "eject_ready": ready,
                "inject_valid": valid,
                "inject_data": data,
                "inject_last": last,
                "inject_error": error,
            }
        )
        taken = valid & out["inject_ready"]
        self.moved = bool(taken)
        for node in bits(taken):
            if self.position[node] == 0:
                self.injected.append((node, now))
            self.position[node] += 1
            if last >> node & 1:
                self.queues[node].popleft()
                self.position[node] = 0
        for port in range(config.ports):
            name = "eject" if port == config.local else f"link_{port}"
            moving = out[f"{name}_valid"] & (ready if port == config.local else -1)
            for node in bits(moving):
                self._word(node, port, *(out[f"{name}_{field}"] for field in ("data", "last", "error")), now)
        for node in bits(out["report_valid"]):
            fields = (("reason", 4), ("destination", config.dim), ("port", 4), ("lane", 4))
            self.reports.append(
                Reported(node, *(out[f"report_{name}"] >> width * node & (1 << width) - 1 for name, width in fields))
            )

        for node, port in list(self._open):
            if port != config.local and network.routers[node].control.cut >> port & 1:
                words, cycles = self._open.pop((node, port))
                self.cut_off.append(Passed(node, port, tuple(words), 0, tuple(cycles)))

    def _word(self, node: int, port: int, data: int, last: int, error: int, now: int) -> None:
        """Note a word that left a node."""
        self.moved = True
        words, cycles = self._open.setdefault((node, port), ([], []))
        words.append(data >> self.config.width * node & (1 << self.config.width) - 1)
        cycles.append(now)
        if last >> node & 1:
            del self._open[node, port]
            record = self.delivered if port == self.config.local else self.crossed
            record.append(Passed(node, port, tuple(words), error >> node & 1, tuple(cycles)))

    def run(self, limit: int = 20_000) -> Driver:
        """Step until all is quiet; no word may be left in the middle of a message."""
        for _ in range(limit):
            self.cycle()
            if self.network.quiet() and not any(self.queues):
                assert not self._open
                return self
        raise AssertionError(f"not quiet after {limit} cycles\n{self.network.trace()}")

    def stuck(self, limit: int, patience: int = 200) -> bool:
        """Step until all is quiet or nothing moves for ``patience`` cycles; return whether it is stuck."""
        still = 0
        for _ in range(limit):
            self.cycle()
            still = 0 if self.moved else still + 1
            if self.network.quiet() and not any(self.queues):
                return False
            if still == patience:
                return True
        raise AssertionError(f"neither quiet nor stuck after {limit} cycles")

    def read(self, node: int, register: int) -> int:
        """Return what a register reads, through the control port."""
        self.network.step({"control_address": register << 7 * node})
        return self.network.step({})["control_read_data"] >> 32 * node & 0xFFFFFFFF

    def register(self, node: int, register: int) -> int:
        """Return what a register holds."""
        return self.network.routers[node].control.registers[register]


CONFIGS = {
    "n2": Config(dim=2),
    "n2-m1": Config(dim=2, max_dest=1, width=2, max_data=3),
    "n3": Config(dim=3),
    "n3-m3": Config(dim=3, max_dest=3),
    "n3-m1-all-listed": Config(dim=3, max_dest=1, max_data=1, width=3),
    "n3-no-lists": Config(dim=3, max_dest=4, max_list=4),
    "n3-source-field": Config(dim=3, max_dest=3, source_field=True),
    "n3-fault-free": Config(dim=3, max_dest=3, fault_tolerant=False),
    "n3-one-lane": Config(dim=3, max_dest=4, lanes=1),
    "n3-empty": Config(dim=3, max_dest=3, max_data=0),
    "n4": Config(dim=4, max_dest=5),
    "n4-fault-free": Config(dim=4, max_dest=4, fault_tolerant=False),
    "n4-source-field": Config(dim=4, max_dest=6, source_field=True),
    "n5": Config(dim=5),
    "n2-ordered": Config(dim=2, policy="ordered"),
    "n3-ordered": Config(dim=3, policy="ordered"),
    "n3-ordered-m3": Config(dim=3, max_dest=3, policy="ordered", source_field=True),
    "n3-ordered-fault-free": Config(dim=3, max_dest=3, policy="ordered", fault_tolerant=False),
    "n4-ordered": Config(dim=4, max_dest=5, policy="ordered"),
    "n4-ordered-one-lane": Config(dim=4, max_dest=4, policy="ordered", lanes=1),
    "n5-ordered-fault-free": Config(dim=5, policy="ordered", fault_tolerant=False),
    "n3-latency2": Config(dim=3, decision_latency=2),
    "n4-latency2-source-field": Config(dim=4, max_dest=6, source_field=True, decision_latency=2),
    "n3-streamers1": Config(dim=3, max_dest=4, streamers=1),
    "n4-streamers2-ordered": Config(dim=4, max_dest=5, policy="ordered", streamers=2),
    "n4-latency2-ordered": Config(dim=4, max_dest=6, policy="ordered", decision_latency=2),
    "n3-shared": Config(dim=3, multicasters="channel"),
    "n4-shared-ordered": Config(dim=4, max_dest=5, policy="ordered", multicasters="channel"),
    "n3-shared-latency2": Config(dim=3, decision_latency=2, multicasters="channel"),
    "n3-shared-streamers1": Config(dim=3, max_dest=4, streamers=1, multicasters="channel"),
}

every_config = pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)


def random_payload(random: Random, config: Config) -> list[int]:
    """Return a payload of random length and content."""
    return [random.getrandbits(config.width) for _ in range(random.randint(0, config.max_data))]


def random_destinations(random: Random, config: Config) -> list[int] | None:
    """Return a destination list, with repetitions and the source now and then, or None for a broadcast."""
    if random.random() < 0.2:
        return None
    most = config.max_list if random.random() < 0.3 else config.max_dest
    return [random.randrange(config.nodes) for _ in range(random.randint(1, most))]


def check_against_tree(
    config: Config, source: int, destinations: list[int] | None, payload: list[int], faults: Iterable[int] = ()
) -> Driver:
    """Send one message and compare all that happens with the algorithm level."""
    driver = Driver(config, faults)
    driver.send(source, encode(config, source, destinations, payload))
    driver.run()
    spread = destinations is None or len(destinations) > config.max_dest
    tree = route(config.dim, source, destinations or (), policy=config.policy, faults=faults, broadcast=spread)

    crossings: dict[int, list[Passed]] = {}
    for passed in sorted(driver.crossed, key=lambda passed: passed.cycles):
        crossings.setdefault(passed.node, []).append(passed)
    assert set(crossings) == {node for node, decisions in tree.nodes.items() if decisions}
    arrived = {source: config.nodes - 1 if spread else 0}
    for node, passages in crossings.items():
        if spread:
            passages.sort(key=lambda passed: passed.port)
        decisions = tree.nodes[node]
        if spread:
            decisions = tuple(sorted(decisions, key=lambda decision: decision.dimension))
        assert [passed.port for passed in passages] == [decision.dimension for decision in decisions]
        for passed, decision in zip(passages, decisions, strict=True):
            arrived[decision.to] = (decision.control or 0) if spread else 0
            if destinations is None:
                header = [config.broadcast_k]
            else:
                header = [len(decision.destinations), *decision.destinations]
            tail = tail_of(config, source, arrived[decision.to])
            assert passed.words == (*header, *tail, *payload)
            assert not passed.error
    assert len(driver.crossed) == tree.traffic

    assert sorted(passed.node for passed in driver.delivered) == list(tree.delivered)
    for passed in driver.delivered:
        assert passed.words == (*tail_of(config, source, arrived[passed.node]), *payload)
        assert not passed.error
    reported = {report.destination for report in driver.reports}
    if destinations is None:
        others = sorted(set(range(config.nodes)) - {source} - set(tree.delivered))
        assert sorted(report.destination for report in driver.reports) == others
    else:
        assert reported == set(tree.undeliverable)
    assert {report.reason for report in driver.reports} <= {Reason.UNDELIVERABLE}
    return driver


def tail_of(config: Config, source: int, control: int) -> list[int]:
    """Return the header words after the destination list."""
    if not config.fault_tolerant:
        return [source]
    return [control, source] if config.source_field else [control]


@every_config
def test_single_messages_go_the_way_of_the_algorithm(config: Config) -> None:
    """Decisions and their order, sublists, control vectors, deliveries and words equal those of the algorithm level."""
    random = Random(config.dim)
    for _ in range(240 // config.dim**2):
        destinations = random_destinations(random, config)
        check_against_tree(config, random.randrange(config.nodes), destinations, random_payload(random, config))


@pytest.mark.parametrize("policy", ["greedy", "ordered"])
def test_every_destination_set_n3(policy: str) -> None:
    """All destination sets of the 3-cube, from an even and an odd source, split and carried along."""
    for max_dest, source in ((6, 0), (6, 7), (2, 4)):
        config = Config(dim=3, max_dest=max_dest, policy=policy)
        others = [node for node in range(8) if node != source]
        for chosen in range(1, 127):
            check_against_tree(config, source, [others[i] for i in bits(chosen)], [chosen])
        check_against_tree(config, source, None, [source])


@pytest.mark.parametrize("policy", ["greedy", "ordered"])
def test_every_fault_set_that_obeys_the_rule_n3(policy: str) -> None:
    """With at most one faulty neighbour per node, every fault-free destination gets its message."""
    config = Config(dim=3, max_dest=3, policy=policy)
    random = Random(5)
    for faults in fault_sets(3):
        for source in random.sample(sorted(set(range(8)) - faults), min(3, 8 - len(faults))):
            for destinations in (None, random.sample(range(8), 3), random.sample(range(8), 6)):
                driver = check_against_tree(config, source, destinations, [1, 2], faults)
                assert {report.destination for report in driver.reports} <= faults


@pytest.mark.parametrize("name", ["n3-m3", "n3-source-field", "n4", "n4-source-field", "n5"])
def test_random_fault_sets(name: str) -> None:
    """Also where the rule is broken: what the algorithm cannot reach is reported, everything else delivered."""
    config, random = CONFIGS[name], Random(7)
    reports = 0
    for _ in range(60 if config.dim < 5 else 20):
        faults = random_faults(config.dim, random.randint(1, config.nodes // 3), random)
        source = random.choice(sorted(set(range(config.nodes)) - faults))
        driver = check_against_tree(config, source, random_destinations(random, config), [3], faults)
        reports += len(driver.reports)
    assert reports > 10


@pytest.mark.parametrize("name", ["n3-ordered-m3", "n4-ordered"])
def test_random_fault_sets_that_obey_the_rule(name: str) -> None:
    """The paths of ``ordered`` around faults turn at most once, so that two lanes are enough."""
    config, random = CONFIGS[name], Random(8)
    for _ in range(60):
        faults = random_obeying_faults(config.dim, random.randint(1, config.dim // 2), random)
        assert obeys_rule(config.dim, faults)
        source = random.choice(sorted(set(range(config.nodes)) - faults))
        check_against_tree(config, source, random_destinations(random, config), [3], faults)


def test_the_seed_example() -> None:
    """Node 6 sends to seven nodes of the 5-cube: dimensions 1, 0, 2 with these sublists, traffic 10 (L1)."""
    config = Config(dim=5)
    driver = check_against_tree(config, 6, [4, 7, 20, 29, 18, 1, 0], [99])
    first = sorted((passed for passed in driver.crossed if passed.node == 6), key=lambda passed: passed.cycles)
    assert [(passed.port, passed.words) for passed in first] == [
        (1, (5, 4, 20, 29, 1, 0, 0, 99)),
        (0, (1, 7, 0, 99)),
        (2, (1, 18, 0, 99)),
    ]
    assert len(driver.crossed) == 10


@every_config
def test_timing(config: Config) -> None:
    """The first copy when ``Config.first_copy`` says so, then one per decision, and each at one word per cycle."""
    random, apart = Random(3), config.decision_latency
    for _ in range(160 // config.dim**2):
        source = random.randrange(config.nodes)
        destinations = random_destinations(random, config)
        driver = Driver(config)
        payload = random_payload(random, config)
        driver.send(source, encode(config, source, destinations, payload))
        driver.run()
        length = 0 if destinations is None else len(destinations)
        taken, k = driver.injected[0][1], config.broadcast_k if destinations is None else length
        first = taken + config.first_copy(k)
        started = sorted(passed.cycles[0] for passed in driver.crossed if passed.node == source)
        if config.shares_streamers:
            continue
        if destinations is None or length > config.max_dest:
            assert set(started) == {first}
        else:
            assert started == list(range(first, first + apart * len(started), apart))
        for passed in driver.crossed:
            stream = passed.cycles
            held = len(stream) - 1 - len(payload)
            assert stream[: held + 1] == tuple(range(stream[0], stream[0] + held + 1))
        for passed in driver.delivered:
            if passed.node == source:
                assert passed.cycles[0] == taken + config.header_latency(k) + 1


@pytest.mark.parametrize("streamers", [1, 2])
def test_copies_take_turns_at_the_streamers(streamers: int) -> None:
    """The first copy leaves as ever; as many at once as there are streamers; the next one with no cycle between."""
    config, random = Config(dim=3, max_dest=5, streamers=streamers), Random(streamers)
    waited = 0
    for _ in range(40):
        source, destinations = random.randrange(config.nodes), random_destinations(random, config)
        driver = Driver(config)
        driver.send(source, encode(config, source, destinations, random_payload(random, config)))
        driver.run()
        copies = [passed.cycles for passed in (*driver.crossed, *driver.delivered) if passed.node == source]
        k = config.broadcast_k if destinations is None else len(destinations)
        started = sorted(passed.cycles[0] for passed in driver.crossed if passed.node == source)
        assert started[:1] in ([], [driver.injected[0][1] + config.first_copy(k)])
        ends = [cycles[-1] for cycles in copies]
        for cycles in copies:
            assert sum(other[0] <= cycles[0] <= other[-1] for other in copies) <= streamers
        for cycles in sorted(copies)[streamers:]:
            # Copies of a list that is split are decided one after the other, and may come when the first have gone.
            before = sum(other[0] < cycles[0] <= other[-1] + 1 for other in copies)
            assert cycles[0] - 1 in ends or (k <= config.max_dest and before < streamers)
            waited += cycles[0] - 1 in ends
    assert waited


def test_figures_of_the_contract() -> None:
    """Those in docs/architecture.md: unicast, broadcast and a list, with and without ``source_field``, d = 1 and 2."""
    found = [
        [Config(dim=4, max_dest=4, source_field=s, decision_latency=d).first_copy(k) for k in (1, 4, 6, 15)]
        for d in (1, 2)
        for s in (False, True)
    ]
    assert found == [[3, 6, 8, 2], [4, 7, 9, 3], [4, 7, 8, 2], [4, 7, 9, 3]]


@pytest.mark.parametrize(("latency", "hop"), [(1, 3), (2, 4)])
def test_unicast_over_n_hops_takes_three_cycles_a_hop(latency: int, hop: int) -> None:
    """The head needs k + 2 = 3 cycles in each router (4 with two per decision), and no gap follows."""
    for dim in (2, 3, 4, 5):
        config = Config(dim=dim, decision_latency=latency)
        driver = Driver(config)
        driver.send(0, encode(config, 0, [config.nodes - 1], list(range(10))))
        driver.run()
        (passed,) = driver.delivered
        assert config.first_copy(1) == hop
        start = driver.injected[0][1] + hop * dim + config.header_latency(1) + 1
        assert passed.cycles == tuple(range(start, start + 11))


def test_a_word_leaves_in_the_cycle_after_it_came() -> None:
    """Cut-through: with a sender that has gaps, a payload word taken in cycle t is on the link in t + 1."""
    config = Config(dim=2)
    driver = Driver(config)
    driver.send(0, encode(config, 0, [1], [7, 8]))
    while driver.position[0] != 4:
        driver.cycle()
    held = driver.queues[0]
    driver.queues[0] = deque()
    for _ in range(10):
        driver.cycle()
    driver.queues[0] = held
    resumed = driver.network.cycle - driver.start
    driver.run()
    (crossed,) = driver.crossed
    assert crossed.words == (1, 1, 0, 7, 8)
    assert crossed.cycles[-1] == resumed + 1


def malformed(config: Config, source: int) -> Iterable[tuple[Reason, list[int]]]:
    """Yield one message of every malformed kind, with what must be reported."""
    high = 1 << config.dim
    good = encode(config, source, [source ^ 1, source ^ 2], [])
    yield Reason.K_ZERO, [0, 1, 2, 3]
    yield Reason.K_ZERO, [0]
    if config.max_list < config.broadcast_k - 1:
        yield Reason.LIST_TOO_LONG, [config.max_list + 1, *range(12)]
    for length in range(1, len(good)):
        yield Reason.HEADER_SHORT, good[:length]
    for index in range(len(good)):
        yield Reason.ADDRESS_BITS, [word | (high if place == index else 0) for place, word in enumerate(good)] + [5, 6]
    yield Reason.DATA_TOO_LONG, good + [0] * (config.max_data + 1)
    yield Reason.DATA_TOO_LONG, good + [0] * (config.max_data + 9)


@pytest.mark.parametrize(
    "config",
    [
        Config(dim=3, max_dest=2, max_list=4, max_data=4),
        Config(dim=3, max_dest=2, max_list=2, max_data=0),
        Config(dim=3, max_dest=1, max_list=4, max_data=1, source_field=True),
        Config(dim=3, max_dest=2, max_list=4, max_data=0, source_field=True),
        Config(dim=4, max_dest=3, max_list=6, max_data=2, fault_tolerant=False),
        Config(dim=3, max_dest=2, max_list=4, fault_tolerant=False, max_data=0),
    ],
)
def test_malformed_messages(config: Config) -> None:
    """Each is discarded, counted and logged; nothing of it leaves, but a poisoned end of one that is too long."""
    source = config.nodes - 2
    for reason, words in malformed(config, source):
        driver = Driver(config)
        driver.send(source, words)
        after = encode(config, source, [source ^ 3], [1] if config.max_data else [])
        driver.send(source, after)
        driver.run()
        assert driver.reports == [Reported(source, reason, 0, config.local, 0)], (reason, words)
        assert driver.read(source, Register.REPORTS + reason) == 1
        assert driver.read(source, Register.LOG) == 1 << 31 | config.local << 16 | reason << 12
        assert driver.read(source, Register.STATUS) == 2
        poisoned = [passed for passed in driver.delivered if passed.error]
        if reason == Reason.DATA_TOO_LONG:
            assert sorted(passed.node for passed in poisoned) == sorted([source ^ 1, source ^ 2])
            tail = len(encode(config, source, [1, 2])) - 3
            assert {len(passed.words) for passed in poisoned} == {tail + config.max_data}
        else:
            assert not poisoned
        (good,) = [passed for passed in driver.delivered if not passed.error]
        assert good.node == source ^ 3
        assert good.words == tuple(after[2:])


def test_an_error_of_the_sender_arrives_with_the_last_word() -> None:
    """``error`` goes with ``last`` to every receiver, also when the message is a header alone."""
    config = Config(dim=3, max_dest=3)
    for destinations in ([1, 2, 7], [1, 2, 3, 4, 5], None):
        for payload in ([], [1], [1, 2]):
            driver = Driver(config)
            driver.send(0, encode(config, 0, destinations, payload), error=1)
            driver.run()
            assert len(driver.delivered) == (7 if destinations is None else len(destinations))
            assert all(passed.error for passed in (*driver.delivered, *driver.crossed))


def test_undeliverable_destinations_are_named() -> None:
    """000 to 111 with 011 and 101 faulty (L13): alone it meets two faulty dimensions at 001, with 010 it does not."""
    driver = Driver(Config(dim=3), [0b011, 0b101])
    driver.send(0, encode(driver.config, 0, [0b111, 0b010], [5]))
    driver.run()
    assert sorted(passed.node for passed in driver.delivered) == [0b010, 0b111]
    assert driver.reports == []
    driver = Driver(Config(dim=3), [0b011, 0b101])
    driver.send(0, encode(driver.config, 0, [0b111], [5]))
    driver.run()
    assert driver.reports == [Reported(0b001, Reason.UNDELIVERABLE, 0b111, 0, 0)]
    assert driver.delivered == []
    assert driver.read(0b001, Register.STATUS) == 0b011
    assert driver.read(0b001, Register.FAULT) == 0b110
    driver.network.step({"control_address": Register.LOG << 7, "control_write": 0b10})
    assert driver.read(0b001, Register.LOG) == 0


def test_a_full_log_counts_what_it_loses() -> None:
    """The oldest entries stay; the rest is counted."""
    config = Config(dim=3, log_depth=3)
    driver = Driver(config)
    for k in (0, 0, 0, 0, 0):
        driver.send(4, [k])
    driver.run()
    assert driver.read(4, Register.LOG_LOST) == 2
    assert driver.read(4, Register.STATUS) == 0b110
    for left in (1, 1, 0):
        driver.network.step({"control_address": Register.LOG << 28, "control_write": 1 << 4})
        assert driver.read(4, Register.LOG) >> 31 == left


def receive_and_report(config: Config, node: int, port: int, lane: int, words: Sequence[int]) -> tuple[list, list]:
    """Let a router take a message over a link; return its reports, and (port, lane) of the copies it sends."""
    router = Network(config).routers[node]
    reports, copies = [], []
    for index, word in enumerate([*words, *[0] * 40]):
        arriving: list[Link | None] = [None] * config.dim
        if index < len(words):
            arriving[port] = 1, word, int(index == len(words) - 1), 0, lane
        router.offer([((1 << config.lanes) - 1,)] * config.dim, 1)
        if router.report is not None:
            reports.append(router.report)
        copies += [(j, link[4]) for j, link in enumerate(router.link_out) if link and link[2]]
        router.edge(arriving)
    return reports, copies


def test_reports_of_all_units_at_once_are_all_counted() -> None:
    """Units that report faster than a router can tell wait, and no report is lost, doubled, or changes its place."""
    config, random = Config(dim=3), Random(5)
    router, waits = Network(config).routers[0], 0
    made: dict[tuple[int, int], list[int]] = {}
    found: dict[tuple[int, int], list[int]] = {}
    words = {Reason.K_ZERO: 0, Reason.HEADER_SHORT: 1, Reason.ADDRESS_BITS: config.nodes}
    for cycle in range(500):
        came: list[Link | None] = [None] * config.ports
        for port in range(config.ports if cycle < 400 else 0):
            lane = cycle % config.lanes if port < config.dim else 0
            mhu = router.mhus[port * config.lanes + lane]
            if mhu.free and mhu.accept:
                reason = random.choice([*words])
                came[port] = 1, words[reason], 1, 0, lane
                made.setdefault((port, lane), []).append(reason)
        router.offer([(0,)] * config.dim, 0)
        report = router.report
        if report is not None:
            found.setdefault(report[2:], []).append(report[0])
        waits += any(mhu.item.valid and not queue.room for mhu, queue in zip(router.mhus, router.queues, strict=True))
        injected = came.pop()
        router.edge(came, word=injected and injected[1:4])
    assert found == made and len(made) == config.units
    counts = Counter(reason for reasons in made.values() for reason in reasons)
    assert {reason: router.control.read(Register.REPORTS + reason) for reason in words} == counts
    assert router.control.read(Register.LOG_LOST) == counts.total() - config.log_depth
    assert waits > 300 and 395 < counts.total() < 500


def test_no_lane_is_reported() -> None:
    """A message that comes over the last lane to an odd node cannot go on; all its destinations are reported."""
    config = Config(dim=3, max_dest=2)
    for destinations, control in (([0b110, 0b011], 0), ([0b010, 0b100, 0b110, 0b111], 0b110), (None, 0b110)):
        words = encode(config, 0, destinations, [1])
        words[-2] = control
        found, copies = receive_and_report(config, 0b010, 0, config.lanes - 1, words)
        wanted = {0b110, 0b011} if destinations and len(destinations) == 2 else {0b100, 0b110}
        if destinations is None:
            wanted = {0b000, 0b100, 0b110}
        assert {report[1] for report in found} == wanted
        assert {report[0] for report in found} == {Reason.NO_LANE}
        assert {report[2:] for report in found} == {(0, config.lanes - 1)}
        assert not copies


def test_no_lane_of_ordered_is_reported() -> None:
    """After a 0 -> 1 hop in the last lane no bit can be cleared; where another way is left, it is taken."""
    config = Config(dim=3, max_dest=2, policy="ordered")
    # 010 to 011 set bit 0: clearing bit 1 would be a turn, a second one in lane 1
    for port, lane, destinations, no_lane, copies in (
        (0, 1, [0b001], {0b001}, []),
        (0, 1, [0b111], set(), [(2, 1)]),
        (0, 1, [0b101], set(), [(2, 1)]),
        (0, 1, [0b001, 0b111], {0b001}, [(2, 1)]),
        (0, 0, [0b001, 0b111], set(), [(1, 1), (2, 0)]),
        # 111 to 011 cleared bit 2: clearing another is no turn
        (2, 1, [0b001], set(), [(1, 1)]),
        (2, 0, [0b001], set(), [(1, 0)]),
    ):
        words = encode(config, 0, destinations, [1])
        found, went = receive_and_report(config, 0b011, port, lane, words)
        assert found == [(Reason.NO_LANE, target, port, lane) for target in no_lane]
        assert sorted(went) == copies


def test_no_lane_of_an_ordered_broadcast_is_handed_on() -> None:
    """A dimension without a lane is left to the other copies, as a cut one is; what none can reach is reported."""
    config = Config(dim=3, max_dest=2, policy="ordered")
    words = [config.broadcast_k, 0b110, 7]
    found, went = receive_and_report(config, 0b011, 0, 1, words)
    assert [(report[0], report[1]) for report in found] == [(Reason.NO_LANE, 0b001)]
    assert went == [(2, 1)]


def load(driver: Driver, random: Random, messages: int, faulty: Iterable[int] = (), k: int | None = None) -> dict:
    """Queue random messages, the first payload word being their number; return source and destinations of each."""
    config, sent = driver.config, {}
    sources = sorted(set(range(config.nodes)) - set(faulty))
    for number in range(messages):
        source = random.choice(sources)
        if k is None:
            destinations = random_destinations(random, config)
            if destinations is not None and faulty:
                # a destination that stands twice in the list is reported twice
                destinations = list(dict.fromkeys(destinations))
        else:
            destinations = random.sample([node for node in range(config.nodes) if node != source], k)
        payload = [random.getrandbits(config.width) for _ in range(random.randint(1, config.max_data))]
        payload[0] = number
        driver.send(source, encode(config, source, destinations, payload))
        sent[number] = source, destinations, payload
    return sent


def check_books(driver: Driver, sent: dict, faulty: Iterable[int] = ()) -> None:
    """Check that everything was delivered once or reported, and that counters agree with what was seen."""
    config, dim = driver.config, driver.config.dim
    due: Counter[tuple[int, int]] = Counter()
    for number, (source, destinations, _) in sent.items():
        targets = set(range(config.nodes)) - {source} if destinations is None else set(destinations)
        due.update((number, target) for target in targets)
    tail = 2 if config.source_field else 1
    got: Counter[tuple[int, int]] = Counter()
    for passed in driver.delivered:
        number = passed.words[tail]
        got[number, passed.node] += 1
        assert list(passed.words[tail:]) == sent[number][2]
        if config.source_field or not config.fault_tolerant:
            assert passed.words[tail - 1] == sent[number][0]
    assert max(got.values(), default=0) <= 1
    assert not got - due
    missing = Counter(target for _, target in (due - got).elements())
    assert missing == Counter(report.destination for report in driver.reports)
    assert {report.reason for report in driver.reports} <= {Reason.UNDELIVERABLE, Reason.NO_LANE}
    if not set(faulty):
        assert not driver.reports

    out = Counter((passed.node, passed.port) for passed in (*driver.crossed, *driver.delivered))
    words = Counter()
    for passed in (*driver.crossed, *driver.delivered):
        words[passed.node, passed.port] += len(passed.words)
    for node in range(config.nodes):
        for port in range(config.ports):
            assert driver.register(node, Register.MESSAGES_OUT + port) == out[node, port]
            assert driver.register(node, Register.WORDS_OUT + port) == words[node, port]
        for j in range(dim):
            assert driver.register(node, Register.MESSAGES_IN + j) == out[node ^ 1 << j, j]
        injected = sum(1 for source, _, _ in sent.values() if source == node)
        assert driver.register(node, Register.MESSAGES_IN + dim) == injected
        for reason in Reason:
            reports = [report for report in driver.reports if (report.node, report.reason) == (node, reason)]
            assert driver.register(node, Register.REPORTS + reason) == len(reports)


SATURATED = {
    "n2": 400,
    "n3": 500,
    "n3-m3": 300,
    "n3-source-field": 300,
    "n3-fault-free": 300,
    "n4": 250,
    "n5": 120,
    "n3-ordered": 500,
    "n3-ordered-fault-free": 300,
    "n4-ordered-one-lane": 250,
    "n3-streamers1": 300,
    "n4-streamers2-ordered": 250,
    "n3-shared": 300,
    "n4-shared-ordered": 250,
    "n3-shared-latency2": 300,
    "n3-shared-streamers1": 300,
}
"""Messages with which networks of these parameters are saturated at length."""


@pytest.mark.parametrize(
    ("name", "messages"),
    [
        *((name, max(messages // 4, 60)) for name, messages in SATURATED.items()),
        *(pytest.param(*entry, marks=pytest.mark.soak) for entry in SATURATED.items()),
    ],
)
def test_saturated_network_delivers_everything_once_and_drains(name: str, messages: int) -> None:
    """Random messages of all kinds, all injected as fast as possible, with stalling receivers and gaps."""
    for seed in (1, 2):
        driver = Driver(CONFIGS[name], stall=0.3 * (seed - 1), gap=0.1 * (seed - 1), seed=seed)
        sent = load(driver, Random(seed), messages)
        driver.run(60_000)
        check_books(driver, sent)


@pytest.mark.parametrize("messages", [60, pytest.param(150, marks=pytest.mark.soak)])
@pytest.mark.parametrize(
    "name",
    [
        *("n3", "n3-m3", "n3-source-field", "n4", "n3-ordered-m3", "n3-streamers1", "n4-ordered"),
        *("n3-shared", "n4-shared-ordered", "n3-shared-latency2", "n3-shared-streamers1"),
    ],
)
def test_books_balance_with_faults(name: str, messages: int) -> None:
    """Under load, with fault sets that break the rule: every destination delivered once or reported."""
    config = CONFIGS[name]
    for seed in (1, 2, 3):
        random = Random(seed)
        faulty = random_faults(config.dim, config.nodes // 4 + 1, random)
        driver = Driver(config, faulty, stall=0.2, seed=seed)
        sent = load(driver, random, messages, faulty)
        driver.run(60_000)
        check_books(driver, sent, faulty)


@pytest.mark.core
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in (1, 2))])
def test_one_lane_deadlocks_where_the_default_does_not(seed: int) -> None:
    """The dissertation's router, one MHU per channel, comes to a standstill; the same traffic drains with lanes."""
    outcomes = []
    for lanes in (1, 3):
        driver = Driver(Config(dim=3, lanes=lanes), seed=seed)
        load(driver, Random(seed), messages=300, k=5)
        outcomes.append(driver.stuck(100_000))
    assert outcomes == [True, False]


def test_neighbours_take_turns_at_a_gateway() -> None:
    """Three neighbours send long messages to one node, as fast as they can: they are served in turn."""
    config = Config(dim=3)
    driver = Driver(config)
    for source in (1, 2, 4):
        for number in range(12):
            driver.send(source, encode(config, source, [0], [source, number, *range(12)]))
    driver.run()
    order = [passed.words[1] for passed in driver.delivered]
    assert order == order[:3] * 12
    assert [passed.words[2] for passed in driver.delivered] == [number for number in range(12) for _ in range(3)]


def test_fault_written_while_traffic_runs_holds_for_later_decisions() -> None:
    """A node routes around a fault that was written."""
    config = Config(dim=3)
    driver = Driver(config)
    driver.send(0, encode(config, 0, [0b011], [1]))
    driver.run()
    driver.network.step({"control_write": 1, "control_write_data": 0b001})
    driver.send(0, encode(config, 0, [0b011], [2]))
    driver.run()
    assert [(passed.node, passed.port) for passed in driver.crossed] == [(0, 0), (1, 1), (0, 1), (2, 0)]
    driver.network.step({"control_write": 1, "control_write_data": 0b110})
    assert driver.network.step({})["multiple_faults"] == 0
    assert driver.network.step({})["multiple_faults"] == 1


def test_reset_in_the_middle_forgets_everything() -> None:
    """After a reset the network behaves as a new one."""
    config = Config(dim=3)
    fresh, again, used = Driver(config), Driver(config), Driver(config, [3], stall=0.5)
    fresh.network = Network(config, probe=True)
    load(used, Random(1), 50)
    for _ in range(150):
        used.cycle()
    used.network.step({"rst": 1})
    assert again.network is used.network
    for driver in (fresh, again):
        load(driver, Random(2), 60)
        driver.run()
    assert fresh.delivered == again.delivered
    assert fresh.crossed == again.crossed


def test_multicaster_equals_the_algorithm() -> None:
    """The unit's choice is the algorithm's for random reference arrays and fault vectors, under both policies."""
    random = Random(11)
    for config in (CONFIGS["n2"], CONFIGS["n3"], CONFIGS["n5"]):
        eligibility, multicaster = Eligibility(config), Multicaster(config)
        for ordered in (False, True) * 300:
            rows, local = (
                [random.getrandbits(config.dim) for _ in range(config.max_dest)],
                random.getrandbits(config.dim),
            )
            live, fault = list(rows), random.getrandbits(config.dim) & random.getrandbits(config.dim)
            split = policy_step(POLICIES["ordered" if ordered else "greedy"], config.dim, rows, local, fault)
            for wanted in (*split.choices, None):
                votes = eligibility.votes(live, local, fault) if ordered else live
                choice = multicaster.choose(votes, fault)
                if wanted is None:
                    assert choice == (1, 0, 0, 0)
                    break
                assert (choice.y, list(bits(choice.r)), choice.k) == (
                    1 << wanted.dimension,
                    list(wanted.rows),
                    len(wanted.rows),
                )
                live = [0 if choice.r >> index & 1 else row for index, row in enumerate(live)]


@pytest.mark.parametrize("dim", [2, 3, 4, 5])
def test_broadcast_by_source_address_is_the_broadcast_by_control_vectors(dim: int) -> None:
    """Without faults, ``ordered``: every node sends to the same dimensions in both formats, and so does the unit."""
    unit = BroadcasterFaultFree(Config(dim=dim, policy="ordered", fault_tolerant=False))
    for source in range(1 << dim):
        tree = broadcast_by("ordered", dim, source)
        for node, decisions in tree.nodes.items():
            dimensions = source_step(POLICIES["ordered"], dim, node ^ source, node)
            assert list(dimensions) == sorted(decision.dimension for decision in decisions)
            assert unit.send(node ^ source, node) == sum(1 << j for j in dimensions)
    for relative in range(1 << dim):
        assert source_step(POLICIES["ordered"], dim, relative, relative) == broadcast_2_step(dim, relative)
