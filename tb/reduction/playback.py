"""Testbench of a whole network with join units that runs given operations, with packets beside them, and records them.

A run configures the nodes, then all begin in one cycle. It ends when every node has had the results that it waits for,
or when nothing has moved for :data:`PATIENCE` cycles.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Mapping, Sequence
from random import Random
from typing import Any

from cubecast.golden.common.contract.control import Register as RouterRegister
from cubecast.golden.common.contract.parameters import integer
from cubecast.golden.common.contract.units import DATA_BITS
from cubecast.golden.common.twins.ports import Inputs, bits, join, split
from cubecast.golden.crosspoint.contract.word import OPERATION_BITS
from cubecast.golden.reduction.algorithms.operations import Collective
from cubecast.golden.reduction.algorithms.tables import tree_tables
from cubecast.golden.reduction.algorithms.tree import ReductionTree
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.golden.reduction.contract.registers import ADDRESS_BITS, Register, register_map
from cubecast.golden.reduction.twins.network import ReductionNetwork
from cubecast.tb.common.control_ports import write_all
from cubecast.tb.common.playback import Outputs
from cubecast.tb.harness.bench import Bench
from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.reduction.watching import ReductionWatcher

__all__ = ["BENCH", "PATIENCE", "Playback", "group", "play", "play_golden", "stimulus"]

PATIENCE = 1000
"""Cycles without a word offered or a result after which a run is given up."""

SETTLE = 20
"""Cycles until the flags of all nodes are up, whatever registers the links have."""

SAYING = (("own", "_valid"), ("reduction", "_write"))
"""What a node says to a join unit."""

Steps = Generator[dict[str, int], Any]


class Playback:
    """Twin of the network that also keeps what the stimulus records.

    Parameters
    ----------
    config : ReductionConfig
        Parameters of the network.
    probe : bool
        Whether the links can be seen, as they must when :meth:`watch` is called.
    """

    def __init__(self, config: ReductionConfig, probe: bool = False) -> None:
        """Start in reset, with nothing recorded."""
        self.config, self.network = config, ReductionNetwork(config, probe=probe)
        self.record: dict[str, Any] = {}
        self.now = 0
        self._watching: ReductionWatcher | None = None

    def watch(self, groups: Sequence[Mapping[str, Any]]) -> None:
        """Record the run cycle by cycle from now on, which is cycle 0; ``groups`` are those that work."""
        self._watching = ReductionWatcher(self, groups)

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        watching = self._watching
        if watching is not None:
            watching.look()
        outputs = Outputs(self.network.step(inputs))
        outputs.recorder = self
        if watching is not None:
            watching.show(inputs, outputs)
            self.now += 1
        return outputs

    def result(self) -> dict[str, Any]:
        """Return the record, with the ``recording`` of a run that was watched."""
        watching = self._watching
        if watching is None:
            return self.record
        return self.record | {"recording": watching.result()}


def group(
    config: ReductionConfig,
    tree: ReductionTree,
    operations: Sequence[Collective],
    *,
    orders: Mapping[int, Sequence[int]] | None = None,
    starts: Mapping[int, int] | None = None,
    context: int = 0,
) -> dict[str, Any]:
    """Return one tree and what its members do, as plain values.

    Parameters
    ----------
    config : ReductionConfig
        Parameters of the network.
    tree : ReductionTree
        The tree.
    operations : sequence of Collective
        Over the members of the tree, one after the other.
    orders : mapping, optional
        By node, the order in which it begins them, if not this one. An operation left out never comes.
    starts : mapping, optional
        By node, the cycle from which on it offers words; default 0.
    context : int
        The join units that work for it.

    Raises
    ------
    ValueError
        There is no such context, or the units wait for operators, and there are none.
    """
    config.without_operators()
    integer("context", context, 0, config.contexts - 1)
    offers, orders, starts = [], orders or {}, starts or {}
    for node in tree.members:
        words: list[list[int]] = []
        for place in orders.get(node, range(len(operations))):
            operation = operations[place]
            found = operation.offered(node)
            words += [[data, operation.rop, int(at == len(found) - 1)] for at, data in enumerate(found)]
        offers.append([node, starts.get(node, 0), words])
    return {
        "tables": [[node, table] for node, table in tree_tables(config, tree).items()],
        "offers": offers,
        "words": sum(operation.length for operation in operations),
        "context": context,
    }


def play(
    config: ReductionConfig, groups: Sequence[Mapping[str, Any]], *, simulator: str = "verilator", **options: Any
) -> dict[str, Any]:
    """Run groups on the RTL network in lockstep with its twin; return the record of :func:`stimulus`.

    Parameters
    ----------
    config : ReductionConfig
        Parameters of the network.
    groups : sequence of dict
        Of :func:`group`, over nodes that are disjoint within a context.
    simulator : str
        As for :func:`cubecast.tb.harness.lockstep.lockstep`.
    options
        Of :func:`stimulus`.

    Raises
    ------
    Mismatch
        The two sides differ.
    """
    options = {"groups": list(groups), "most": 100_000, **options}
    extra, most = {"probe": True} if options.get("explore") else {}, options["most"] + 4 * PATIENCE
    found = lockstep(BENCH, config, simulator=simulator, cycles=most, options=options, extra=extra)
    record: dict[str, Any] = found.collected
    return record


def play_golden(
    config: ReductionConfig, groups: Sequence[Mapping[str, Any]], *, seed: int = 1, **options: Any
) -> dict[str, Any]:
    """Run groups on the golden network alone; parameters and result as those of :func:`play`."""
    twin, inputs = Playback(config, probe=bool(options.get("explore"))), dict[str, int]()
    steps = stimulus(Random(seed), config, groups, **options)
    try:
        inputs |= next(steps)
        while True:
            inputs |= steps.send(twin.step(inputs))
    except StopIteration:
        return twin.result()


def stimulus(
    random: Random,
    config: ReductionConfig,
    groups: Sequence[Mapping[str, Any]] = (),
    again: Sequence[Mapping[str, Any]] = (),
    faults: Sequence[int] = (),
    load: float = 0.0,
    packet_words: int = 5,
    warm: int = 0,
    least: int = 0,
    most: int = 100_000,
    timeout: int = 0,
    explore: bool = False,
) -> Steps:
    """Configure the nodes, let them offer their words and take their results, send packets, and read what happened.

    The record has ``cycles`` (from the first word offered to the last result, both included), ``results`` (by node, the
    list of [cycle, data, last, error]), ``stalled`` (whether the run was given up), ``registers`` (by name, then node),
    ``packets`` (``words`` that came while the run was watched, ``cycles`` watched, ``latencies`` of their messages).
    ``results_1`` and ``registers_1`` are those of the second context.

    Parameters
    ----------
    random : Random
        Draws the packets.
    config : ReductionConfig
        Parameters of the network.
    groups : sequence of dict
        Of :func:`group`.
    again : sequence of dict
        Others, which are run when these have ended, or hang and have been aborted; their record is ``again``.
    faults : sequence of int
        Fault vectors of all routers, which are written first; none are faulty if not given.
    load : float
        Words of packets that each node sends in a cycle, on the average, to any other node.
    packet_words : int
        Words of a packet.
    warm : int
        Cycles with packets alone before the nodes begin.
    least : int
        Cycles from then on that the run is watched at least.
    most : int
        Cycles from then on after which the run is given up.
    timeout : int
        Value of TIMEOUT.
    explore : bool
        Whether what ``groups`` do is recorded cycle by cycle, on a network whose links can be seen: ``recording``.
        Packets are not recorded.

    Raises
    ------
    ValueError
        There are packets in a run that is recorded.
    """
    if explore and load:
        raise ValueError(f"load must be 0 in a run that is recorded, not {load}")
    traffic = _Traffic(random, config, load, packet_words)
    if faults:
        yield write_all(RouterRegister.FAULT, faults)
        yield {"control_write": 0}
    outputs = yield from _configure(config, groups, timeout)
    if explore:
        outputs.recorder.watch(groups)
    for _ in range(warm):
        outputs = yield traffic.offer()
        traffic.saw(outputs)
    traffic.watch()
    record = yield from _operate(config, groups, traffic, least, most)
    if again:
        yield from _abort(config, groups, traffic)
        yield from _configure(config, again, timeout)
        record["again"] = yield from _operate(config, again, traffic, 0, most)
    outputs = yield {}
    outputs.recorder.record = record


def _operate(
    config: ReductionConfig, groups: Sequence[Mapping[str, Any]], traffic: _Traffic, least: int, most: int
) -> Generator[dict[str, int], Any, dict[str, Any]]:
    """Let the members offer their words and take their results; return the record."""
    contexts = {ending: _Members(config, groups, ending) for ending in config.endings}
    cycle, moved = 0, max(members.begins for members in contexts.values())
    while cycle < least or (_waiting(contexts) and cycle - moved < PATIENCE and cycle < most):
        change = traffic.offer()
        for members in contexts.values():
            change |= members.offer(cycle)
        outputs = yield change
        traffic.saw(outputs)
        if any([members.saw(outputs, cycle) for members in contexts.values()]):
            moved = max(moved, cycle)
        cycle += 1
    came = [words for members in contexts.values() for words in members.results.values() if words]
    record: dict[str, Any] = {
        "cycles": max((words[-1][0] for words in came), default=-1) + 1,
        "stalled": _waiting(contexts),
        "packets": {"words": traffic.words, "cycles": cycle, "latencies": list(traffic.latencies)},
    }
    for ending, members in contexts.items():
        record[f"results{ending}"] = {str(node): words for node, words in members.results.items()}
        record[f"registers{ending}"] = yield from _read(config, ending)
    return record


def _waiting(contexts: Mapping[str, _Members]) -> bool:
    """Return whether a member has not had all its results."""
    return any(members.waiting for members in contexts.values())


def _of(groups: Iterable[Mapping[str, Any]], config: ReductionConfig, ending: str) -> list[Mapping[str, Any]]:
    """Return the groups of a context."""
    return [each for each in groups if config.endings[each["context"]] == ending]


def _abort(config: ReductionConfig, groups: Sequence[Mapping[str, Any]], traffic: _Traffic) -> Steps:
    """Let all nodes of the trees drop what they hold, and wait until they have."""
    abort = {entry.name: entry for entry in register_map(config)}["CTRL"].pack(abort=1)
    silent = _silent(config)
    for ending in config.endings:
        nodes = [node for each in _of(groups, config, ending) for node, _ in each["tables"]]
        yield silent | _write(config, "CTRL", dict.fromkeys(nodes, abort), ending)
    for _ in range(4 * config.dim + config.reduce_depth + SETTLE):
        outputs = yield traffic.offer() | silent
        traffic.saw(outputs)


def _silent(config: ReductionConfig) -> dict[str, int]:
    """Return what a node that says nothing drives."""
    return {f"{name}{ending}{what}": 0 for ending in config.endings for name, what in SAYING}


def _write(config: ReductionConfig, name: str, values: Mapping[int, int], ending: str) -> dict[str, int]:
    """Return what writes a register of some nodes."""
    port = f"reduction{ending}"
    return {
        f"{port}_write": sum(1 << node for node in values),
        f"{port}_address": join([int(Register[name])] * config.nodes, ADDRESS_BITS),
        f"{port}_write_data": join([values.get(node, 0) for node in range(config.nodes)], DATA_BITS),
    }


def _configure(
    config: ReductionConfig, groups: Sequence[Mapping[str, Any]], timeout: int
) -> Generator[dict[str, int], Any, Outputs]:
    """Write the registers of all nodes, and wait until the flags are up; return the outputs of the last cycle."""
    everybody = (1 << config.nodes) - 1
    silent = _silent(config)
    taking = {f"result{ending}_ready": everybody for ending in config.endings}
    yield {**silent, **taking, "inject_valid": 0, "eject_ready": everybody}
    for ending in config.endings:
        tables = {node: table for each in _of(groups, config, ending) for node, table in each["tables"]}
        yield silent | _write(config, "TIMEOUT", dict.fromkeys(tables, timeout), ending)
        for name in ("TREE", "CTRL"):
            yield _write(config, name, {node: table[name] for node, table in tables.items()}, ending)
    for _ in range(SETTLE - 1):
        yield silent
    last: Outputs = yield silent
    return last


def _read(config: ReductionConfig, ending: str) -> Generator[dict[str, int], Any, dict[str, list[int]]]:
    """Read all registers of all nodes; return them by name."""
    found, names = {}, [entry.name for entry in register_map(config)]
    for place, name in enumerate([*names, names[0]]):
        address = join([int(Register[name])] * config.nodes, ADDRESS_BITS)
        outputs = yield {**_silent(config), f"reduction{ending}_address": address, "inject_valid": 0}
        if place:
            found[names[place - 1]] = split(outputs[f"reduction{ending}_read_data"], DATA_BITS, config.nodes)
    return found


class _Members:
    """What the members of all groups of a context offer, and the results that they get."""

    def __init__(self, config: ReductionConfig, groups: Iterable[Mapping[str, Any]], ending: str) -> None:
        """Keep the words by node."""
        self._width = config.width
        self._own, self._result = f"own{ending}", f"result{ending}"
        self._offers: dict[int, tuple[int, deque[list[int]]]] = {}
        self._left: dict[int, int] = {}
        self.results: dict[int, list[list[int]]] = {}
        for each in _of(groups, config, ending):
            for node, start, words in each["offers"]:
                self._offers[node] = start, deque(words)
                self._left[node] = each["words"]
                self.results[node] = []
        self._offered: dict[int, list[int]] = {}
        self.begins = max((start for start, _ in self._offers.values()), default=0)

    @property
    def waiting(self) -> bool:
        """Whether a member has not had all its results."""
        return any(self._left.values())

    def offer(self, cycle: int) -> dict[str, int]:
        """Return what is offered in this cycle."""
        self._offered = {node: words[0] for node, (start, words) in self._offers.items() if words and cycle >= start}
        found = dict.fromkeys(("valid", "data", "rop", "last"), 0)
        for node, (data, rop, last) in self._offered.items():
            found["valid"] |= 1 << node
            found["data"] |= data << self._width * node
            found["rop"] |= rop << OPERATION_BITS * node
            found["last"] |= last << node
        return {f"{self._own}_{name}": value for name, value in found.items()}

    def saw(self, outputs: Mapping[str, Any], cycle: int) -> bool:
        """Take what moved in the cycle; return whether anything did."""
        moved = False
        for node in self._offered:
            if outputs[f"{self._own}_ready"] >> node & 1:
                self._offers[node][1].popleft()
                moved = True
        result = self._result
        for node in bits(outputs[f"{result}_valid"]):
            data = outputs[f"{result}_data"] >> self._width * node & (1 << self._width) - 1
            last, error = (outputs[f"{result}_{name}"] >> node & 1 for name in ("last", "error"))
            self.results[node].append([cycle, data, last, error])
            self._left[node] -= 1
            moved = True
        return moved


class _Traffic:
    """Packets to any other node: a source without end of room at each node, and what comes."""

    def __init__(self, random: Random, config: ReductionConfig, load: float, words: int) -> None:
        """Start without packets."""
        self._random, self._rate, self._length = random, load / words, words
        self._nodes, self._dim, self._width = config.nodes, config.dim, config.width
        self._waiting: list[deque[tuple[int, int]]] = [deque() for _ in range(self._nodes)]
        self._sent = [0] * self._nodes
        self._born: list[int] = []
        self._cycle = 0
        self.watch()

    def watch(self) -> None:
        """Count what comes from now on."""
        self.words, self.latencies = 0, list[int]()

    def offer(self) -> dict[str, int]:
        """Draw new packets and return what is offered in this cycle."""
        if not self._rate:
            return {}
        found = dict.fromkeys(("inject_valid", "inject_data", "inject_last", "inject_r1"), 0)
        for node, waiting in enumerate(self._waiting):
            if self._random.random() < self._rate:
                waiting.append((self._random.randrange(1, self._nodes), len(self._born)))
                self._born.append(self._cycle)
            if waiting:
                ways, number = waiting[0]
                found["inject_valid"] |= 1 << node
                found["inject_data"] |= (number & (1 << self._width) - 1) << self._width * node
                found["inject_last"] |= (self._sent[node] + 1 == self._length) << node
                found["inject_r1"] |= ways << self._dim * node
        self._offered = found["inject_valid"]
        return found

    def saw(self, outputs: Mapping[str, Any]) -> None:
        """Take what moved in the cycle."""
        if not self._rate:
            return
        for node in bits(self._offered & outputs["inject_ready"]):
            self._sent[node] += 1
            if self._sent[node] == self._length:
                self._sent[node] = 0
                self._waiting[node].popleft()
        self.words += outputs["eject_valid"].bit_count()
        for node in bits(outputs["eject_valid"] & outputs["eject_last"]):
            number = outputs["eject_data"] >> self._width * node & (1 << self._width) - 1
            self.latencies.append(self._cycle - self._born[number])
        self._cycle += 1


BENCH = Bench(
    unit="reduction.network:ReductionNetwork",
    twin="cubecast.tb.reduction.playback:Playback",
    stimulus=stimulus,
    collect=Playback.result,
)
"""Of the run that its options describe."""
