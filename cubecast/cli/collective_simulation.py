"""What ``cubecast reduce`` and ``cubecast ring`` share to run collectives on the RTL network, and to tell of it."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cubecast.cli.explore import check_words, write_summed_up
from cubecast.golden.collective.algorithms.group_ring import GroupRing, gray_ring
from cubecast.golden.collective.algorithms.merge_operations import Vector
from cubecast.golden.collective.algorithms.merge_stages import MergePlan
from cubecast.golden.collective.algorithms.merge_tables import NO_RESULT, merge_tables, relays_needed
from cubecast.golden.collective.algorithms.result_spread import result_mode
from cubecast.golden.collective.algorithms.ring_tables import ring_tables
from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.multicast.contract.config import Config
from cubecast.options.arguments import Parser
from cubecast.options.text import table
from cubecast.options.usage import UsageError, checked
from cubecast.tb.collective.pieces import told_of_merge, told_of_ring
from cubecast.tb.collective.playback import group, play
from cubecast.tb.harness.lockstep import Mismatch
from cubecast.tb.harness.simulators import SIMULATORS, simulators

__all__ = [
    "LARGEST_DIM",
    "RING_WORDS",
    "Part",
    "Simulation",
    "add_simulator",
    "check_simulator",
    "choose_simulator",
    "explore_simulation",
    "simulate_merge",
    "simulate_ring",
]

LARGEST_DIM = 6
"""Largest cube that is simulated: 64 nodes."""

RING_WORDS = 16
"""Words of every message of a ring."""

DEFAULT_VECTOR, DEFAULT_RELAYS = 64, 4


@dataclasses.dataclass(frozen=True)
class Part:
    """What the network did in one operation.

    Parameters
    ----------
    name : str
        What it is called in a table.
    cycles : int
        From the start till all nodes are idle.
    steps : int
        Parallel steps of a merge; 0 for a ring.
    waited : int
        Cycles that words waited for links, all links together.
    words : int
        Words sent over links.
    """

    name: str
    cycles: int
    steps: int
    waited: int
    words: int


@dataclasses.dataclass(frozen=True)
class Simulation:
    """What came of a simulation.

    Parameters
    ----------
    parts : tuple of Part
        The operations; the first is the one asked for. None if the two sides differed.
    problems : tuple of str
        What is wrong, line by line.
    config : CollectiveConfig
        Parameters of the network.
    recording : mapping, optional
        Of the first operation, with ``--explore``.
    """

    parts: tuple[Part, ...]
    problems: tuple[str, ...]
    config: CollectiveConfig
    recording: Mapping[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """Return "golden" and, for each operation, its numbers."""
        found: dict[str, Any] = {"golden": "mismatch" if self.problems else "match"}
        for part in self.parts:
            numbers = {"clocks": part.cycles, "steps": part.steps, "waited": part.waited, "words": part.words}
            if not part.steps:
                del numbers["steps"]
            found[part.name] = numbers
        return found

    def lines(self, arguments: argparse.Namespace) -> Iterator[str]:
        """Yield the text."""
        if self.parts:
            names = {"simulation": "this operation", "gray": "along the Gray code"}
            head = [f"simulated on {arguments.simulator}", "cycles", "words over links", "cycles waited for links"]
            rows: list[Sequence[object]] = [(names[p.name], p.cycles, p.words, p.waited) for p in self.parts]
            if self.parts[0].steps:
                head.append("steps")
                rows = [(*row, part.steps) for row, part in zip(rows, self.parts, strict=True)]
            yield from table(head, rows)
        yield from self.problems
        yield f"golden: {'mismatch' if self.problems else 'match'}"

    def status(self, arguments: argparse.Namespace) -> int:
        """Return the exit status; with --json the problems go to standard error."""
        if arguments.json:
            for line in self.problems:
                print(line, file=sys.stderr)
        return 1 if self.problems else 0


def add_simulator(parser: Parser) -> None:
    """Add the options of a simulation."""
    parser.add_argument(
        "--simulate",
        action="store_true",
        help=f"run it on the RTL network, beside the golden one (dim 2 to {LARGEST_DIM})",
    )
    parser.add_argument("--simulator", choices=SIMULATORS, help=f"with --simulate (default {SIMULATORS[0]})")


def choose_simulator(arguments: argparse.Namespace) -> None:
    """Set the simulator that is not named.

    Raises
    ------
    UsageError
        One is named, and nothing is simulated.
    """
    if arguments.simulator is not None and not arguments.simulate:
        raise UsageError(f"simulator must be left out without --simulate, not {arguments.simulator}")
    arguments.simulator = arguments.simulator or SIMULATORS[0]


def check_simulator(name: str) -> None:
    """Raise ``UsageError`` unless a simulator is installed."""
    if name not in simulators():
        present = ", ".join(simulators()) or "none"
        raise UsageError(f"simulator must be one that is installed ({present}), not {name!r}")


def simulate_merge(
    plan: MergePlan, vectors: Mapping[int, Vector], result: Vector, arguments: argparse.Namespace
) -> Simulation:
    """Run a merge on the RTL network; the result must be this one.

    Parameters
    ----------
    plan : MergePlan
        The stage tables.
    vectors : mapping
        Words by node.
    result : tuple of int
        What has to come out.
    arguments : Namespace
        With ``width``, ``op``, ``all``, ``simulator`` and ``explore``.
    """
    length = len(result)
    if arguments.explore is not None:
        check_words(1 << plan.tree.dim, length)
    config = _config(arguments, plan.tree.dim, arguments.width, length, relays_needed(plan))
    mode = result_mode(plan) if arguments.all else NO_RESULT
    tables = checked(merge_tables, plan, config, length, mode, arguments.op)
    taking = {node: vectors[node] for node in plan.members}
    told = told_of_merge(plan, everybody=arguments.all)
    found = _play(config, [group(tables, [taking])], plan.words, told, arguments)
    if isinstance(found, Simulation):
        return found
    problems = []
    for node in plan.members:
        wanted = [list(result)] if length and (arguments.all or node == plan.tree.sink) else []
        if found[0]["vectors"][node] != wanted:
            problems.append(f"node {node} gives {found[0]['vectors'][node]}, not {wanted}")
    return Simulation((_part("simulation", found[0], config),), tuple(problems), config, found[0].get("recording"))


def simulate_ring(ring: GroupRing, arguments: argparse.Namespace) -> Simulation:
    """Send a message of every member round a ring on the RTL network, and then round the Gray code of the cube.

    Parameters
    ----------
    ring : GroupRing
        The ring.
    arguments : Namespace
        With ``simulator`` and ``explore``.
    """
    config = _config(arguments, ring.dim, Config(dim=2).width, RING_WORDS, 0)
    messages = {node: [node << 8 | place for place in range(RING_WORDS)] for node in ring.ring}
    whole = gray_ring(ring.dim, range(1 << ring.dim))
    rings = [checked(ring_tables, ring, config, RING_WORDS), ring_tables(whole, config, RING_WORDS, ring.ring)]
    found = _play(config, [group(tables, [messages]) for tables in rings], (), told_of_ring(ring), arguments)
    if isinstance(found, Simulation):
        return found
    problems = []
    for part in found:
        for node in ring.ring:
            wanted = sorted([origin, *words] for origin, words in messages.items() if origin != node)
            if sorted(part["vectors"][node]) != wanted:
                problems.append(f"node {node} has not got the messages of all others")
    parts = (_part("simulation", found[0], config), _part("gray", found[1], config))
    return Simulation(parts, tuple(problems), config, found[0].get("recording"))


def explore_simulation(
    simulation: Simulation,
    title: str,
    arguments: argparse.Namespace,
    faults: Iterable[int] = (),
    links: Iterable[Sequence[int]] = (),
) -> list[Path]:
    """Write recording and page of a simulation, if it came to a recording; return the files.

    Parameters
    ----------
    simulation : Simulation
        What came of it.
    title : str
        What was done.
    arguments : Namespace
        With ``explore`` and ``simulator``.
    faults, links : iterable
        Faulty nodes and links.
    """
    if simulation.recording is None:
        return []
    simulated = {"golden": "match" if simulation.parts else "mismatch", "simulator": arguments.simulator}
    recorded, config = simulation.recording, simulation.config
    return write_summed_up(arguments.explore, "collective", config, title, recorded, simulated, faults, links)


def _config(arguments: argparse.Namespace, dim: int, width: int, length: int, relays: int) -> CollectiveConfig:
    """Return a configuration with room for vectors of this length and for so many relay entries."""
    if not 2 <= dim <= LARGEST_DIM:
        raise UsageError(f"dim must be an integer from 2 to {LARGEST_DIM} with --simulate, not {dim}")
    check_simulator(arguments.simulator)
    if length > 4096:
        raise UsageError(f"vectors must have at most 4096 words with --simulate, not {length}")
    longest = max(DEFAULT_VECTOR, 1 << max(0, length - 1).bit_length())
    router = checked(Config, dim=dim, width=width)
    found: CollectiveConfig = checked(
        CollectiveConfig, router=router, max_vector=longest, max_relays=max(DEFAULT_RELAYS, relays)
    )
    return found


def _play(
    config: CollectiveConfig,
    groups: Sequence[Mapping[str, Any]],
    faults: Sequence[int],
    told: Mapping[str, Any],
    arguments: argparse.Namespace,
) -> list[dict[str, Any]] | Simulation:
    """Return what was recorded, or what to tell if the two sides differ; ``told`` is said of the first group."""
    options: dict[str, Any] = {} if arguments.explore is None else {"explore": told}
    try:
        return play(config, groups, faults, simulator=arguments.simulator, **options)
    except Mismatch as error:
        first = (error.collected or [{}])[0]
        return Simulation((), tuple(str(error).splitlines()), config, first.get("recording"))


def _part(name: str, found: Mapping[str, Any], config: CollectiveConfig) -> Part:
    """Return the numbers of an operation."""
    waited, words = (sum(sum(ports[: config.dim]) for ports in found[name]) for name in ("waited", "words"))
    return Part(name, found["clocks"], found["steps"], waited, words)
