"""Bench of the whole network with collectives: merges and rings with random faults, aborts, and the hosts' own traffic.

The hosts of a group of operations, :class:`Hosts`, are those of ``collective_playback`` too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any

from cubecast.golden.collective.algorithms.group_ring import gray_ring, group_ring
from cubecast.golden.collective.algorithms.merge_operations import wrapping_sum
from cubecast.golden.collective.algorithms.merge_run import run_merge
from cubecast.golden.collective.algorithms.merge_stages import MergePlan, plan_merge
from cubecast.golden.collective.algorithms.merge_tables import NO_RESULT, merge_tables, relays_needed
from cubecast.golden.collective.algorithms.result_spread import SPREAD, result_mode
from cubecast.golden.collective.algorithms.ring_tables import ring_tables
from cubecast.golden.collective.algorithms.sink_tree import NoSinkError
from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.registers import ADDRESS_BITS, OPERATION_CODES, Table, addresses, entries
from cubecast.golden.collective.contract.states import State
from cubecast.golden.collective.twins.network import CollectiveNetwork
from cubecast.golden.common.contract import units
from cubecast.golden.common.contract.control import Register
from cubecast.golden.common.twins.ports import bits, join, split
from cubecast.golden.multicast.contract.message import encode
from cubecast.tb.common.control_ports import write_all
from cubecast.tb.common.patterns import chance
from cubecast.tb.harness.bench import Bench

__all__ = [
    "BENCH",
    "READ",
    "Counts",
    "Hosts",
    "Steps",
    "stimulus",
    "waiting",
    "write_faults",
    "write_tables",
]

COUNTERS = {"messages": Register.MESSAGES_OUT, "words": Register.WORDS_OUT, "waited": Register.WAITED}
"""The first of the counters of each port, of those of the router's control port that are read back."""

READ = ("STATUS", "RECEIVED", "SENT", "FINISHED", "STRANGE", "CLOCKS")
"""Registers of the collectives that are read back after a group, as far as they are there."""

QUIET = 40
"""Cycles without a word on any link after which nothing is under way."""

KINDS = ("merge", "merge", "merge", "ring", "gray", "too long", "custom", "abort merge", "abort ring")
"""What a group of a random run may be."""

Steps = Generator[dict[str, int], Any, None]
Vectors = Mapping[int, Sequence[int]]


class Hosts:
    """The hosts of all nodes during one group: a set of tables and some rounds of the operation they stand for.

    A node begins its next round as soon as it has ended one, whatever the others do.

    Parameters
    ----------
    random : Random
        Decides when a host stalls.
    config : CollectiveConfig
        Parameters of the network.
    tables : mapping
        Register values by node and name; only COMMAND is written here.
    rounds : sequence of mapping
        For every round the words of each node that has any.
    stall : float
        Part of the cycles in which a host offers no word, or takes none.
    """

    def __init__(
        self,
        random: Random,
        config: CollectiveConfig,
        tables: Mapping[int, Table],
        rounds: Sequence[Vectors],
        stall: float = 0.0,
    ) -> None:
        self.random, self.config, self.tables, self.stall = random, config, tables, stall
        self.left = dict.fromkeys(tables, len(rounds))
        self.words: dict[int, deque[tuple[int, int]]] = {}
        for node in tables:
            vectors = [vectors.get(node, ()) for vectors in rounds]
            words = [(word, place == len(v) - 1) for v in vectors for place, word in enumerate(v)]
            if words:
                self.words[node] = deque(words)
        self.running = 0
        self.inside = 0
        self.cycle = 0
        self.offered = self.data = self.last = 0
        self.open: dict[int, list[int]] = {}
        self.vectors: list[list[list[int]]] = [[] for _ in range(config.nodes)]
        self.ended: list[list[int]] = [[] for _ in range(config.nodes)]
        self.errors: list[int] = []
        self.reports: list[list[int]] = []
        self.ejected = 0

    @property
    def pending(self) -> list[int]:
        """Nodes that have not ended all rounds."""
        return sorted({*bits(self.running), *(node for node, left in self.left.items() if left)})

    def run(self, most: int) -> Steps:
        """Start every node as often as there are rounds, till all are idle or so many cycles are over."""
        count = self.config.nodes
        everyone = (1 << count) - 1
        shown: dict[str, int] = {}
        ready = everyone
        writing = False
        while self.pending and self.cycle < most:
            starts = sum(1 << node for node, left in self.left.items() if left and not self.running >> node & 1)
            change: dict[str, int] = {}
            if starts:
                values = (self.tables[node]["COMMAND"] if starts >> node & 1 else 0 for node in range(count))
                change |= {"collective_address": 0, "collective_write_data": join(values, units.DATA_BITS)}
            if starts or writing:
                change["collective_write"] = starts
            writing = bool(starts)
            for node in bits(starts):
                self.left[node] -= 1
            self._offer()
            if self.stall:
                ready = sum((self.random.random() >= self.stall) << node for node in range(count))
            inputs = {"vector_in_valid": self.offered, "vector_in_data": self.data, "vector_in_last": self.last}
            inputs["vector_out_ready"] = ready
            change |= {name: value for name, value in inputs.items() if shown.get(name) != value}
            shown = inputs
            outputs = yield change
            self._take(outputs, ready, starts)
            self.cycle += 1
        yield {
            **dict.fromkeys(("vector_in_valid", "vector_in_data", "vector_in_last", "collective_write"), 0),
            "vector_out_ready": everyone,
        }

    def rest(self) -> Steps:
        """Give the rest of every vector that is begun: after an abort it is dropped."""
        while self.inside:
            self._offer()
            outputs = yield {"vector_in_valid": self.offered, "vector_in_data": self.data, "vector_in_last": self.last}
            self._take(outputs, 0, 0)
        yield dict.fromkeys(("vector_in_valid", "vector_in_data", "vector_in_last"), 0)

    def _offer(self) -> None:
        """Offer the next word of every node that has one and offers none, now and then not."""
        width = self.config.width
        for node, words in self.words.items():
            bit = 1 << node
            if words and not self.offered & bit and (not self.stall or self.random.random() >= self.stall):
                word, last = words[0]
                self.offered |= bit
                self.data |= word << width * node
                self.last |= last << node

    def _take(self, outputs: Mapping[str, Any], ready: int, starts: int) -> None:
        """Take note of what has moved in a cycle."""
        width = self.config.width
        for node in bits(self.offered & outputs["vector_in_ready"]):
            word, last = self.words[node].popleft()
            self.inside = self.inside & ~(1 << node) | (not last) << node
            self.offered ^= 1 << node
            self.data ^= word << width * node
            self.last ^= last << node
        for node in bits(outputs["vector_out_valid"] & ready):
            self.open.setdefault(node, []).append(outputs["vector_out_data"] >> width * node & (1 << width) - 1)
            if outputs["vector_out_last"] >> node & 1:
                self.vectors[node].append(self.open.pop(node))
                if outputs["vector_out_error"] >> node & 1:
                    self.errors.append(node)
        for node in bits(outputs["report_valid"]):
            self.reports.append(
                [node, outputs["report_reason"] >> units.REASON_BITS * node & (1 << units.REASON_BITS) - 1]
            )
        self.ejected += int(outputs["eject_valid"]).bit_count()
        busy = outputs["busy"]
        for node in bits(self.running & ~busy):
            self.ended[node].append(self.cycle)
        # busy rises in the cycle after the start
        self.running = self.running & busy | starts


def write_faults(config: CollectiveConfig, vectors: Sequence[int]) -> Iterator[dict[str, int]]:
    """Write the fault vectors of all routers; all hosts are ready to take words from then on."""
    everyone = (1 << config.nodes) - 1
    yield {
        **write_all(Register.FAULT, vectors),
        "vector_out_ready": everyone,
        "eject_ready": everyone,
    }
    yield {"control_write": 0, "control_write_data": 0}


def write_tables(config: CollectiveConfig, tables: Mapping[int, Table]) -> Iterator[dict[str, int]]:
    """Write the tables, a register of all nodes in a cycle; COMMAND comes later."""
    places = addresses(config)
    names = {name: None for table in tables.values() for name in table if name != "COMMAND"}
    for name in names:
        values = [tables.get(node, {}).get(name, 0) for node in range(config.nodes)]
        yield {
            "collective_address": join([places[name]] * config.nodes, ADDRESS_BITS),
            "collective_write": sum(1 << node for node in tables),
            "collective_write_data": join(values, units.DATA_BITS),
        }
    yield {"collective_write": 0, "collective_write_data": 0}


def _read_back(
    config: CollectiveConfig, registers: dict[str, list[int]], counters: dict[str, list[list[int]]]
) -> Steps:
    """Read :data:`READ` of all nodes into ``registers``, and :data:`COUNTERS` of all ports into ``counters``."""
    places = addresses(config)
    names = [name for name in READ if name in places]
    rows = [(name, first + port) for name, first in COUNTERS.items() for port in range(config.router.ports)]
    for place in range(max(len(names), len(rows)) + 1):
        change = {}
        if place < len(names):
            change["collective_address"] = join([places[names[place]]] * config.nodes, ADDRESS_BITS)
        if place < len(rows):
            change["control_address"] = join([rows[place][1]] * config.nodes, units.ADDRESS_BITS)
        outputs = yield change
        if 0 < place <= len(names):
            registers[names[place - 1]] = split(outputs["collective_read_data"], units.DATA_BITS, config.nodes)
        if 0 < place <= len(rows):
            for node, value in enumerate(split(outputs["control_read_data"], units.DATA_BITS, config.nodes)):
                counters[rows[place - 1][0]][node].append(value)


class Counts:
    """Counters of the routers' ports, of which each reading returns what has been added since the one before.

    Parameters
    ----------
    config : CollectiveConfig
        Parameters of the network.
    """

    def __init__(self, config: CollectiveConfig) -> None:
        """Start with zeros, as the routers do."""
        self.config = config
        self._before = {name: [[0] * config.router.ports for _ in range(config.nodes)] for name in COUNTERS}

    def read(self, registers: dict[str, list[int]]) -> Generator[dict[str, int], Any, dict[str, list[list[int]]]]:
        """Read the counters and, into ``registers``, :data:`READ` of all nodes."""
        now: dict[str, list[list[int]]] = {name: [[] for _ in range(self.config.nodes)] for name in COUNTERS}
        yield from _read_back(self.config, registers, now)
        before, self._before = self._before, now
        return {
            name: [[a - b for a, b in zip(*ports, strict=True)] for ports in zip(now[name], before[name], strict=True)]
            for name in COUNTERS
        }


def waiting(hosts: Hosts, registers: Mapping[str, Sequence[int]]) -> str:
    """Return which nodes wait, in which state, and for how much."""
    layout, texts = entries(hosts.config), []
    for node in hosts.pending:
        status, table = layout["STATUS"].unpack(registers["STATUS"][node]), hosts.tables[node]
        state, received = State(status["state"]).name, registers["RECEIVED"][node]
        text = f"node {node} in {state}, {received} of {table['EXPECT']} received"
        passed = f", {status['entry']} of {table['RELAYS']} passed on" if table["RELAYS"] else ""
        texts.append(text + passed)
    return "; ".join(texts)


def stimulus(
    random: Random,
    config: CollectiveConfig,
    groups: int = 12,
    kinds: Sequence[str] = KINDS,
    stalls: Sequence[float] = (0.0, 0.0, 0.3, 0.8),
    patience: int = 20_000,
) -> Steps:
    """Run groups of operations of all kinds, one after the other, and check what comes out at ``vector_out``.

    Parameters
    ----------
    random : Random
        Draws everything.
    config : CollectiveConfig
        Parameters of the network.
    groups : int
        Their number; every kind comes in its turn.
    kinds : sequence of str
        Of :data:`KINDS`; rings are merges where the routers cannot carry them.
    stalls : sequence of float
        Parts of the cycles in which hosts stall, one of which a group has.
    patience : int
        Cycles that a group may take.
    """
    yield {"rst": 1}
    yield {"rst": 0, "eject_ready": (1 << config.nodes) - 1}
    yield from _host_traffic(random, config)
    unpack, order = entries(config)["STATUS"].unpack, list(kinds)
    random.shuffle(order)
    for index in range(groups):
        kind = order[index % len(order)]
        if config.router.policy != "greedy" and kind in ("ring", "gray", "abort ring"):
            kind = "merge"
        plan = _plan(random, config, faulty="ring" not in kind and kind != "gray")
        if config.router.fault_tolerant:
            yield from write_faults(config, plan.words)
        most = config.max_vector
        length = random.choice([0, 1, most, random.randint(1, most), random.randint((most + 1) // 2, most)])
        if kind in ("too long", "abort ring"):
            length = most
        tables, rounds = _group(random, config, plan, kind, length)
        yield from write_tables(config, tables)
        given = rounds
        if kind == "too long":
            node = random.choice(plan.members)
            given = [{**vectors, node: [*vectors[node], 1, 2, 3]} for vectors in rounds]
        hosts = Hosts(random, config, tables, given, random.choice(stalls))
        if kind.startswith("abort"):
            yield from hosts.run(random.randint(1, 150))
            yield from _abort(config, ring=kind == "abort ring")
            yield from hosts.rest()
            continue
        run = hosts.run(patience) if kind != "custom" else _with_custom(random, config, hosts.run(patience))
        yield from run
        registers: dict[str, list[int]] = {}
        yield from Counts(config).read(registers)
        assert not hosts.pending, waiting(hosts, registers)
        assert not hosts.errors and not hosts.ejected and not hosts.reports
        failed = [
            node for node, status in enumerate(registers["STATUS"]) if unpack(status)["failed"] and node in tables
        ]
        assert failed == ([node] if kind == "too long" else [])
        if kind != "custom":
            _check(config, plan, kind, tables, rounds, hosts.vectors)


def _plan(random: Random, config: CollectiveConfig, *, faulty: bool) -> MergePlan:
    """Return a plan with random faults, if there may be any, that fits into the registers."""
    n = config.dim
    while faulty and config.router.fault_tolerant:
        every = [(v, v | 1 << j) for v in range(config.nodes) for j in range(n) if not v >> j & 1]
        links = random.sample(every, random.randint(0, min(len(every), 3 * n - 4)))
        nodes = random.sample(range(config.nodes), random.randint(0, 2))
        try:
            plan = plan_merge(n, links, nodes)
        except NoSinkError:
            continue
        if relays_needed(plan) <= config.max_relays:
            return plan
    return plan_merge(n)


def _group(
    random: Random, config: CollectiveConfig, plan: MergePlan, kind: str, length: int
) -> tuple[dict[int, Table], list[dict[int, list[int]]]]:
    """Return the tables and rounds of a group."""
    count = random.randint(1, 3)
    nodes: Sequence[int] = plan.members
    if kind in ("ring", "gray", "abort ring"):
        nodes = random.sample(range(config.nodes), random.randint(2, config.nodes))
        if kind == "gray":
            tables = ring_tables(gray_ring(config.dim, range(config.nodes)), config, length, nodes)
        else:
            tables = ring_tables(group_ring(config.dim, nodes, "ascending"), config, length)
    else:
        operation = "custom" if kind == "custom" else random.choice([*OPERATION_CODES][:-1])
        result = random.choice([NO_RESULT, result_mode(plan), SPREAD])
        tables = merge_tables(plan, config, length, result, operation)
    rounds = [{node: [random.getrandbits(config.width) for _ in range(length)] for node in nodes} for _ in range(count)]
    return tables, rounds


def _with_custom(random: Random, config: CollectiveConfig, steps: Steps) -> Steps:
    """Give own results to the operation units while a group runs."""
    change = next(steps)
    while True:
        outputs = yield {**change, "custom_result": random.getrandbits(config.width * config.nodes)}
        try:
            change = steps.send(outputs)
        except StopIteration:
            return


def _check(
    config: CollectiveConfig,
    plan: MergePlan,
    kind: str,
    tables: Mapping[int, Table],
    rounds: Sequence[Vectors],
    vectors: Sequence[Sequence[Sequence[int]]],
) -> None:
    """Check what has come out at ``vector_out``."""
    if kind in ("ring", "gray"):
        for node in tables:
            wanted = [sorted([o, *words] for o, words in given.items() if o != node) for given in rounds]
            place = 0
            for messages in wanted:
                assert sorted(map(list, vectors[node][place : place + len(messages)])) == messages, (kind, node)
                place += len(messages)
            assert place == len(vectors[node])
        return
    command = entries(config)["COMMAND"].unpack(tables[plan.tree.sink]["COMMAND"])
    name = [*OPERATION_CODES][command["operation"]]
    operation = wrapping_sum(config.width) if name == "sum" else name
    results = [list(run_merge(plan, given, operation).result or ()) for given in rounds]
    for node in tables:
        has = not command["empty"] and (node == plan.tree.sink or command["result"])
        assert vectors[node] == (results if has else []), (kind, node)


def _abort(config: CollectiveConfig, *, ring: bool) -> Steps:
    """End the operation of all nodes; when nothing is under way, do so again, to drop credits that have come late.

    Messages of a ring that nobody takes any more go to the hosts, which have the local ports meanwhile; the second
    time drops those that wait half taken.
    """
    layout = entries(config)
    enable, command = layout["ENABLE"].address, layout["COMMAND"]
    abort = (command.address, command.pack(abort=1))
    for address, value in [abort, (enable, 0), abort, (enable, 1)] if ring else [abort, abort]:
        yield {
            "collective_address": join([address] * config.nodes, ADDRESS_BITS),
            "collective_write": (1 << config.nodes) - 1,
            "collective_write_data": join([value] * config.nodes, units.DATA_BITS),
        }
        quiet, change = 0, {"collective_write": 0, "collective_write_data": 0}
        while quiet < QUIET:
            outputs = yield change
            moving = outputs["eject_valid"] or any(outputs[f"link_{j}_valid"] for j in range(config.dim))
            quiet = 0 if outputs["busy"] or moving else quiet + 1
            change = {}


def _host_traffic(random: Random, config: CollectiveConfig) -> Steps:
    """Let each host send a message to another one, while the local ports are still theirs; check that all arrive."""
    width, nodes = config.width, range(config.nodes)
    messages = {}
    for node in nodes:
        to = random.choice([other for other in nodes if other != node])
        messages[node] = deque(encode(config.router, node, [to], [node, random.getrandbits(width)]))
    got: dict[int, list[int]] = {node: [] for node in nodes}
    sent = {node: list(words)[-2:] for node, words in messages.items()}
    came = 0
    while came < config.nodes:
        offering = {node: words for node, words in messages.items() if words and chance(random, 0.7)}
        outputs = yield {
            "inject_valid": sum(1 << node for node in offering),
            "inject_data": sum(words[0] << width * node for node, words in offering.items()),
            "inject_last": sum((len(words) == 1) << node for node, words in offering.items()),
        }
        for node in bits(outputs["inject_ready"]):
            if node in offering:
                offering[node].popleft()
        for node in bits(outputs["eject_valid"]):
            got[node].append(outputs["eject_data"] >> width * node & (1 << width) - 1)
            if outputs["eject_last"] >> node & 1:
                origin, _ = words = got[node][-2:]
                assert words == sent[origin]
                came += 1
    yield dict.fromkeys(("inject_valid", "inject_data", "inject_last"), 0)


def watch(inputs: Mapping[str, int], outputs: Mapping[str, Any], twin: CollectiveNetwork) -> Iterable[str]:
    """Name what happens in the network."""
    if outputs["vector_in_ready"]:
        yield "load"
    if outputs["vector_out_valid"]:
        yield "vector out"
        if outputs["vector_out_error"]:
            yield "vector cut short"
    if outputs["failed"]:
        yield "failed"
    if outputs["eject_valid"]:
        yield "words to a host"
    if outputs["custom_own"] | outputs["custom_other"]:
        yield "merge"
    if inputs["rst"]:
        yield "reset"


def events(config: CollectiveConfig, extra: Mapping[str, Any], options: Mapping[str, Any]) -> Sequence[str]:
    """Return what can happen in these runs."""
    happen = ["load", "vector out", "words to a host", "merge", "reset"]
    if "too long" in options.get("kinds", KINDS) and options.get("groups", 12) >= len(KINDS):
        happen.append("failed")
    return happen


BENCH = Bench(
    unit="collective.network:CollectiveNetwork",
    stimulus=stimulus,
    events=events,
    watch=watch,
    extra={"probe": True},
)
