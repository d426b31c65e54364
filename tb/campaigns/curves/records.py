"""Records: what happens in a load network, run once, on the RTL or on the golden network; both write the same."""

from __future__ import annotations

import dataclasses
import enum
import functools
import importlib
import itertools
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cubecast.golden.common.algorithms.load_packets import REFUSED
from cubecast.golden.common.contract.control import REGISTERS, Register
from cubecast.golden.common.contract.load import WORDS_BITS, Kind, LoadShape, settings
from cubecast.golden.common.contract.registers import cpp_header
from cubecast.golden.common.contract.units import ADDRESS_BITS, DATA_BITS
from cubecast.golden.common.twins.ports import bits, join, split
from cubecast.golden.reduction.algorithms.load import BEGIN, FACTOR, WRITTEN, Reductions, tables_of
from cubecast.golden.reduction.algorithms.tree import ReductionTree
from cubecast.golden.reduction.contract.registers import Register as Joined
from cubecast.golden.reduction.contract.registers import register_map
from cubecast.systems.load import STEP, Loads
from cubecast.tb.campaigns.curves.members import Members
from cubecast.tb.engine import programs
from cubecast.tb.engine.parallel import Network
from cubecast.tb.harness.modules import module_of
from cubecast.tb.harness.verilog import verilog_of

__all__ = ["RECORD", "Joining", "What", "golden_records", "rtl_records"]

Array = np.ndarray[Any, np.dtype[Any]]

RECORD = np.dtype([("cycle", "<u4"), ("what", "<u4"), ("value", "<u8")])
"""A record; ``what`` is the node, with a dimension or a place from bit 10 on, and from bit 16 on the kind."""

PATIENCE = 200
"""Cycles in which nothing moves after which all has come that will come."""

SHORT = 50_000
"""Cycles times nodes up to which the compiler takes longer to optimise than all points save."""


class What(enum.IntEnum):
    """Kinds of records, in the order that they have in a cycle; ``value`` of each."""

    ARRIVED = 0
    """A message arrives at a node: 0."""
    HEAD = 1
    """A router takes a packet, or a message leaves without one: what the load node tells of it."""
    CAME = 2
    """A packet has come, the cycle before: source, number from bit 10 on, words from 32, whether it is bad in 40."""
    REPORT = 3
    """A router reports: the reason."""
    WORDS = 4
    """Words that a router has taken from its node, and from bit 32 on given to it, before this cycle."""
    LINK = 5
    """Words that a router has sent over the link of a dimension before the last cycle."""
    JOINED = 6
    """The last word of an all-reduce has come to a node: its number, and whether any of its words is bad in bit 32."""
    BLOCK = 7
    """Bits of the block of a packet to a list, 64 for each place, after its head."""


@dataclasses.dataclass(frozen=True)
class Ended:
    """A run.

    Parameters
    ----------
    records : array
        What happened.
    cycles : int
        How many cycles it took.
    seconds : float
        Processor time, without building.
    """

    records: Array
    cycles: int
    seconds: float


Arrivals = Sequence[tuple[int, int, Mapping[str, int]]]
"""Messages of a trace in the order of their cycles: cycle, node, and the settings that the message is drawn by."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Joining:
    """All-reduces in a network.

    Parameters
    ----------
    given : Reductions
        Which.
    tree : ReductionTree
        Along which tree.
    count : int
        How many.
    """

    given: Reductions
    tree: ReductionTree
    count: int


OWN = ("fixed", "length", "broadcast", "listed")
"""The settings that each message of a trace has for itself."""


def rtl_records(
    loads: Loads,
    config: Any,
    values: Mapping[str, list[int]],
    cycles: int,
    limit: int,
    *,
    trace: Arrivals | None = None,
    joining: Joining | None = None,
    plain: bool = False,
) -> Ended:
    """Run the RTL: messages arrive for so many cycles; then until all has come, or ``limit`` cycles are over.

    Parameters
    ----------
    loads : Loads
        The system's load network.
    config : configuration
        Its parameters; at most 64 nodes.
    values : dict
        Settings by name, an item for each node.
    cycles, limit : int
        See above.
    trace : list, optional
        Messages that arrive; in place of random ones.
    joining : Joining, optional
        With a load network with join units, what its nodes reduce.
    plain : bool
        As Verilator translates the network, in place of the bit-parallel simulation.

    Raises
    ------
    SimulatorError
        A tool is missing or fails.
    """
    program = _program(loads, config, plain, "-O0" if cycles * config.nodes <= SHORT else "-O1")
    with tempfile.TemporaryDirectory() as folder:
        given, made = Path(folder) / "settings", Path(folder) / "records"
        names = (*settings(loads.shape(config)), "fault_vector")
        np.array([values.get(name, [0] * config.nodes) for name in names], dtype="<u8").tofile(given)
        options: dict[str, Any] = {"cycles": cycles, "limit": limit, "settings": given, "out": made}
        if trace is not None:
            options["trace"] = Path(folder) / "trace"
            lines = [[cycle, node, *(drawn[name] for name in OWN)] for cycle, node, drawn in trace]
            np.array(lines, dtype="<u8").tofile(options["trace"])
        if joining is not None:
            options |= {"tables": Path(folder) / "tables", "count": joining.count}
            options |= {name: getattr(joining.given, name) for name in ("words", "period", "late")}
            tables = tables_of(config, joining.tree)
            np.array([tables[register.name] for register in WRITTEN], dtype="<u8").tofile(options["tables"])
        answer = programs.run(program, options)
        return Ended(np.fromfile(made, dtype=RECORD), answer["cycles"], answer["seconds"])


@functools.cache
def _program(loads: Loads, config: Any, plain: bool, optimise: str) -> Path:
    """Return the program that runs such a network, compiled with this option."""
    names = list(settings(loads.shape(config)))
    cases = [f"    case {place}: s.set(ports::{name}, node, value); break;" for place, name in enumerate(names)]
    facts = [
        f"enum : unsigned {{ {', '.join(f'{kind.name} = {kind.value}' for kind in What)} }};",
        f"static const unsigned SETTINGS = {len(names)}, STEP = {STEP}, PATIENCE = {PATIENCE};",
        f"static const unsigned LIST = {Kind.LIST}, NOBODY = {REFUSED};",
        f"static const unsigned OWN[] = {{ {', '.join(str(names.index(name)) for name in OWN)} }};",
        "static void adjust(Simulation &s, unsigned which, unsigned node, uint64_t value)",
        "{",
        "    switch (which) {",
        *cases,
        "    }",
        "}",
        "",
    ]
    if loads.joins:
        ctrl = {entry.name: entry for entry in register_map(config)}["CTRL"]
        facts += [
            "#define REDUCES",
            f"static const unsigned WRITTEN[] = {{ {', '.join(str(int(register)) for register in WRITTEN)} }};",
            f"static const unsigned WRITTEN_COUNT = {len(WRITTEN)}, CTRL_PLACE = {WRITTEN.index(Joined.CTRL)};",
            f"static const uint64_t BEGIN = {BEGIN}, FACTOR = {FACTOR}, MEMBER_MASK = {ctrl.field('MEMBER').mask};",
            f"static const unsigned WIDTH = {config.width};",
            "",
        ]
    source = programs.Source(
        area="load",
        name=f"{type(config).__name__}-{config.dim}{'-plain' if plain else ''}",
        main=Path(__file__).with_name("curves.cpp"),
        constants={"DIM": config.dim},
        headers={
            "facts.h": cpp_header({"router": REGISTERS}) + "\n".join(facts),
            "members.h": Path(__file__).with_name("members.h").read_text(),
        },
    )
    if plain:
        return programs.verilated(
            source, verilog_of(loads.network, config), optimise=optimise, flags=programs.FAST_FLAGS, flat=200_000
        )
    verilog = verilog_of(loads.node, config)
    box = module_of(verilog, loads.box) if loads.box else ""
    return programs.parallel(source, Network(config.dim, verilog, "top", box), optimise=optimise)


def golden_records(
    loads: Loads,
    config: Any,
    values: Mapping[str, list[int]],
    cycles: int,
    limit: int,
    trace: Arrivals | None = None,
    joining: Joining | None = None,
    attach: Callable[[Any], None] = lambda network: None,
) -> Ended:
    """Run the golden network, as :func:`rtl_records` runs the RTL; for any dimension, and slowly.

    ``attach`` is called with the network before it is run.
    """
    module, _, name = loads.twin.partition(":")
    network = getattr(importlib.import_module(module), name)(config)
    attach(network)
    everyone, nodes = (1 << config.nodes) - 1, config.nodes
    shape = loads.shape(config)
    widths = settings(shape)
    given = {key: join(values[key], width) for key, width in widths.items()}
    faults = join(values.get("fault_vector", [0] * nodes), DATA_BITS)
    source = None if trace is None else _Trace(nodes, trace)
    members = None if joining is None else Members(config, joining.given, joining.tree, joining.count)
    sent, came = [0] * nodes, [0] * nodes
    found: list[tuple[int, int, int]] = []
    moved = 0
    begin = time.thread_time()
    for cycle in itertools.count():
        j = cycle % STEP
        register = int(Register.WORDS_OUT) + j if j < config.dim else int(Register.FAULT)
        enable = everyone * (0 < cycle < cycles)
        if source is not None:
            enable = source.arrive(cycle)
            given |= {key: join(source.drawn(key, values[key]), widths[key]) for key in OWN}
        outputs = network.step(
            given
            | {"load": everyone * (cycle == 0), "enable": enable}
            | {"control_write": everyone * (cycle == 0), "control_write_data": faults}
            | {"control_address": join([register if cycle else int(Register.FAULT)] * nodes, ADDRESS_BITS)}
            | (members.drive(cycle) if members else {})
        )
        if source is not None:
            source.draw(bits(outputs["draws"]))
        found += ((cycle, What.ARRIVED << 16 | node, 0) for node in bits(outputs["arrived"]))
        heads = outputs["sent_begins"] | outputs["refused"]
        for node in bits(heads):
            found.append((cycle, What.HEAD << 16 | node, _head(shape, outputs, node)))
            found += (
                (cycle, What.BLOCK << 16 | place << 10 | node, value) for place, value in _blocks(shape, outputs, node)
            )
        found += ((cycle, What.CAME << 16 | node, _came(shape, outputs, node)) for node in bits(outputs["came_done"]))
        reasons = split(outputs["report_reason"], 4, nodes)
        found += ((cycle, What.REPORT << 16 | node, reasons[node]) for node in bits(outputs["report_valid"]))
        if j == 0:
            found += ((cycle, What.WORDS << 16 | node, sent[node] | came[node] << 32) for node in range(nodes))
        if 1 <= j <= config.dim:
            told = split(outputs["control_read_data"], DATA_BITS, nodes)
            found += ((cycle, What.LINK << 16 | j - 1 << 10 | node, told[node]) for node in range(nodes))
        for node in bits(outputs["sent_valid"]):
            sent[node] += 1
        for node in bits(outputs["came_valid"]):
            came[node] += 1
        if members:
            found += ((cycle, What.JOINED << 16 | node, value) for node, value in members.saw(outputs))
        if outputs["arrived"] | outputs["sent_valid"] | outputs["came_valid"] or (members and members.moved):
            moved = cycle
        idle = outputs["idle"] == everyone and not (members and members.waiting)
        if cycle >= limit or (cycle >= cycles and idle and cycle - moved > PATIENCE):
            return Ended(np.array(found, dtype=RECORD), cycle + 1, time.thread_time() - begin)
    raise AssertionError


class _Trace:
    """The messages of a trace, as their nodes draw them.

    Parameters
    ----------
    nodes : int
        How many nodes there are.
    messages : list
        The messages.
    """

    def __init__(self, nodes: int, messages: Arrivals) -> None:
        self._messages = messages
        self._arrived = 0
        self._queues: list[list[Mapping[str, int]]] = [[] for _ in range(nodes)]
        for _, node, drawn in messages:
            self._queues[node].append(drawn)
        self._next = [0] * nodes

    def arrive(self, cycle: int) -> int:
        """Return the nodes where a message arrives in this cycle, the one after that of the trace."""
        found = 0
        while self._arrived < len(self._messages) and self._messages[self._arrived][0] < cycle:
            found |= 1 << self._messages[self._arrived][1]
            self._arrived += 1
        return found

    def drawn(self, name: str, others: list[int]) -> list[int]:
        """Return a setting of the message that each node draws next; ``others`` where there is none."""
        places = zip(self._queues, self._next, others, strict=True)
        return [queue[place][name] if place < len(queue) else other for queue, place, other in places]

    def draw(self, nodes: Iterable[int]) -> None:
        """Go on to the next message of these nodes."""
        for node in nodes:
            self._next[node] += 1


def _item(outputs: Mapping[str, int], port: str, width: int, node: int) -> int:
    """Return what a vector says of a node."""
    return outputs[port] >> width * node & (1 << width) - 1


def _head(shape: LoadShape, outputs: Mapping[str, int], node: int) -> int:
    """Return the value of a record of a head."""
    n = shape.dim
    refused = _item(outputs, "refused", 1, node)
    kind = REFUSED if refused else _item(outputs, "sent_whom", 2, node)
    closes, everyone = refused | _item(outputs, "sent_closes", 1, node), _item(outputs, "sent_everyone", 1, node)
    ways = _item(outputs, "sent_r1", n, node) | _item(outputs, "sent_r2", n, node) << 10
    left = _item(outputs, "sent_left", WORDS_BITS, node)
    return ways | kind << 20 | closes << 22 | left << 55 | everyone << 63


def _blocks(shape: LoadShape, outputs: Mapping[str, int], node: int) -> Iterator[tuple[int, int]]:
    """Yield the places and values of the records of a packet's block."""
    if not _item(outputs, "refused", 1, node) and _item(outputs, "sent_whom", 2, node) == Kind.LIST:
        block = _item(outputs, "sent_block", shape.block, node)
        yield from enumerate(split(block, 64, -(-shape.block // 64)))


def _came(shape: LoadShape, outputs: Mapping[str, int], node: int) -> int:
    """Return the value of a record of a packet that has come."""
    widths = (("source", shape.dim, 0), ("number", shape.number_bits, 10), ("words", WORDS_BITS, 32), ("bad", 1, 40))
    return sum(_item(outputs, f"came_{name}", width, node) << place for name, width, place in widths)
