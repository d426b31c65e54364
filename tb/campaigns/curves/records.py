"""Records: what happens in a load network, run once, on the RTL or on the golden network; both write the same."""

from __future__ import annotations

import dataclasses
import enum
import importlib
import itertools
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from cubecast.golden.common.contract.control import Register
from cubecast.golden.common.contract.registers import cpp_header
from cubecast.golden.common.contract.units import ADDRESS_BITS, DATA_BITS
from cubecast.golden.common.twins.ports import bits, join, split
from cubecast.golden.crosspoint.contract.registers import REGISTERS
from cubecast.systems.load import STEP, Loads
from cubecast.tb.engine import programs
from cubecast.tb.engine.parallel import Network
from cubecast.tb.harness.verilog import verilog_of

__all__ = ["RECORD", "What", "golden_records", "rtl_records"]

Array = np.ndarray[Any, np.dtype[Any]]

RECORD = np.dtype([("cycle", "<u4"), ("what", "<u4"), ("value", "<u8")])
"""A record; ``what`` is the node, for a link with its dimension from bit 10 on, and from bit 16 on the kind."""

PATIENCE = 200
"""Cycles in which nothing moves after which all has come that will come."""

SHORT = 50_000
"""Cycles times nodes up to which the compiler takes longer to optimise than all points save."""


class What(enum.IntEnum):
    """Kinds of records, in the order that they have in a cycle; ``value`` of each."""

    ARRIVED = 0
    """A message arrives at a node: 0."""
    HEAD = 1
    """A router takes a packet: what the load node tells of it."""
    CAME = 2
    """A packet has come, the cycle before: source, number from bit 10 on, words from 32, whether it is bad in 40."""
    REPORT = 3
    """A router reports: the reason."""
    WORDS = 4
    """Words that a router has taken from its node, and from bit 32 on given to it, before this cycle."""
    LINK = 5
    """Words that a router has sent over a link before the last cycle."""


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
        Processor time of the RTL, without building; 0 for the golden network.
    """

    records: Array
    cycles: int
    seconds: float = 0.0


def rtl_records(
    loads: Loads, config: Any, values: Mapping[str, list[int]], cycles: int, limit: int, *, plain: bool = False
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
    plain : bool
        As Verilator translates the network, in place of the bit-parallel simulation.

    Raises
    ------
    SimulatorError
        A tool is missing or fails.
    """
    program = _program(loads, config, plain, "-O0" if cycles * config.nodes <= SHORT else "-O2")
    with tempfile.TemporaryDirectory() as folder:
        given, made = Path(folder) / "settings", Path(folder) / "records"
        np.array([values[name] for name in loads.settings(config)], dtype="<u8").tofile(given)
        answer = programs.run(program, {"cycles": cycles, "limit": limit, "settings": given, "out": made})
        return Ended(np.fromfile(made, dtype=RECORD), answer["cycles"], answer["seconds"])


def _program(loads: Loads, config: Any, plain: bool, optimise: str) -> Path:
    """Return the program that runs such a network, compiled with this option."""
    names = list(loads.settings(config))
    cases = [f"    case {place}: s.set(ports::{name}, node, value); break;" for place, name in enumerate(names)]
    facts = [
        f"enum : unsigned {{ {', '.join(f'{kind.name} = {kind.value}' for kind in What)} }};",
        f"static const unsigned SETTINGS = {len(names)}, STEP = {STEP}, PATIENCE = {PATIENCE}, BITMAP = 2;",
        "static void adjust(Simulation &s, unsigned which, unsigned node, uint64_t value)",
        "{",
        "    switch (which) {",
        *cases,
        "    }",
        "}",
        "",
    ]
    source = programs.Source(
        area="load",
        name=f"{type(config).__name__}-{config.dim}{'-plain' if plain else ''}",
        main=Path(__file__).with_name("curves.cpp"),
        constants={"DIM": config.dim},
        headers={"facts.h": cpp_header({"router": REGISTERS}) + "\n".join(facts)},
    )
    if plain:
        return programs.verilated(
            source, verilog_of(loads.network, config), optimise=optimise, flags=programs.FAST_FLAGS, flat=200_000
        )
    return programs.parallel(source, Network(config.dim, verilog_of(loads.node, config), "top", ""), optimise=optimise)


def golden_records(loads: Loads, config: Any, values: Mapping[str, list[int]], cycles: int, limit: int) -> Ended:
    """Run the golden network, as :func:`rtl_records` runs the RTL; for any dimension, and slowly."""
    module, _, name = loads.twin.partition(":")
    network = getattr(importlib.import_module(module), name)(config)
    everyone, nodes = (1 << config.nodes) - 1, config.nodes
    settings = {key: join(values[key], width) for key, width in loads.settings(config).items()}
    sent, came = [0] * nodes, [0] * nodes
    found: list[tuple[int, int, int]] = []
    moved = 0
    for cycle in itertools.count():
        j = cycle % STEP
        register = int(Register.WORDS_OUT) + j if j < config.dim else 0
        outputs = network.step(
            settings
            | {"load": everyone * (cycle == 0), "enable": everyone * (0 < cycle < cycles)}
            | {"control_address": join([register] * nodes, ADDRESS_BITS)}
        )
        found += ((cycle, What.ARRIVED << 16 | node, 0) for node in bits(outputs["arrived"]))
        found += ((cycle, What.HEAD << 16 | node, _head(config, outputs, node)) for node in bits(outputs["sent_head"]))
        found += ((cycle, What.CAME << 16 | node, _came(config, outputs, node)) for node in bits(outputs["came_done"]))
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
        if outputs["arrived"] | outputs["sent_valid"] | outputs["came_valid"]:
            moved = cycle
        idle = outputs["idle"] == everyone
        if cycle >= limit or (cycle >= cycles and idle and cycle - moved > PATIENCE):
            return Ended(np.array(found, dtype=RECORD), cycle + 1)
    raise AssertionError


def _item(outputs: Mapping[str, int], port: str, width: int, node: int) -> int:
    """Return what a vector says of a node."""
    return outputs[port] >> width * node & (1 << width) - 1


def _head(config: Any, outputs: Mapping[str, int], node: int) -> int:
    """Return the value of a record of a head."""
    n = config.dim
    kind = _item(outputs, "sent_kind", 2, node)
    first = _item(outputs, "sent_data", config.width, node) if kind == 2 else 0
    ways = _item(outputs, "sent_r1", n, node) | _item(outputs, "sent_r2", n, node) << 10
    return ways | kind << 20 | _item(outputs, "sent_closes", 1, node) << 22 | first << 23


def _came(config: Any, outputs: Mapping[str, int], node: int) -> int:
    """Return the value of a record of a packet that has come."""
    widths = (("source", config.dim, 0), ("number", 22, 10), ("words", 8, 32), ("bad", 1, 40))
    return sum(_item(outputs, f"came_{name}", width, node) << place for name, width, place in widths)
