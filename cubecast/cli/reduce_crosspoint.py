"""``cubecast reduce --router crosspoint``: a reduction by join units on a tree, as text or JSON, and simulated."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cubecast.cli.collective_simulation import LARGEST_DIM, check_simulator
from cubecast.cli.explore import where
from cubecast.cli.explore_reduction import check_explored, explore_reduction
from cubecast.cli.saved import with_run
from cubecast.explorer import MODEL
from cubecast.golden.common.algorithms.faults import faults_of
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.reduction.algorithms.operations import Collective
from cubecast.golden.reduction.algorithms.tree import (
    NoTreeError,
    ReductionTree,
    join_cycles,
    plan_contexts,
    plan_group,
)
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.golden.reduction.contract.word import Operation
from cubecast.options.text import address, listed, nested, print_text
from cubecast.options.usage import NoResultError, UsageError, checked
from cubecast.tb.harness.lockstep import Mismatch
from cubecast.tb.reduction.playback import group, play, play_golden

__all__ = ["OPERATIONS", "run_crosspoint"]

OPERATIONS = {
    "sum": Operation.ADD,
    "min": Operation.MIN_UNSIGNED,
    "max": Operation.MAX_UNSIGNED,
    "and": Operation.AND,
    "or": Operation.OR,
    "xor": Operation.XOR,
    "min-signed": Operation.MIN,
    "max-signed": Operation.MAX,
}
"""Operations by their names on the command line."""

MOST_WORDS = 4096
"""Words of the longest vectors that are simulated."""


def run_crosspoint(arguments: argparse.Namespace, vectors: Mapping[int, tuple[int, ...]]) -> int:
    """Reduce and print; return the exit status.

    Parameters
    ----------
    arguments : Namespace
        Options of the command.
    vectors : mapping
        Words of every node.
    """
    if arguments.simulate:
        if arguments.dim > LARGEST_DIM:
            raise UsageError(f"dim must be an integer from 2 to {LARGEST_DIM} with --simulate, not {arguments.dim}")
        check_simulator(arguments.simulator)
        if (length := len(next(iter(vectors.values())))) > MOST_WORDS:
            raise UsageError(f"vectors must have at most {MOST_WORDS} words with --simulate, not {length}")
    if arguments.svg is not None:
        raise UsageError("svg must be left out with --router crosspoint: its tree is in the text")
    if arguments.op not in OPERATIONS:
        raise UsageError(f"op must be one of {', '.join(OPERATIONS)} with --router crosspoint, not {arguments.op!r}")
    if not next(iter(vectors.values())):
        raise UsageError("values must have a word for each node with --router crosspoint, not none")
    if arguments.explore is not None:
        check_explored(arguments.dim, len(vectors[0]))
    config = checked(
        ReductionConfig,
        router=checked(CrosspointConfig, dim=arguments.dim, width=arguments.width, runs=1),
        contexts=arguments.contexts,
    )
    try:
        planned = _planned(config, arguments)
    except NoTreeError as error:
        raise NoResultError(f"no tree: {error}") from error
    except ValueError as error:
        raise UsageError(str(error)) from error
    kind = "all-reduce" if arguments.all else "reduce"
    jobs = [Job(context, tree, _operation(arguments, kind, tree, vectors)) for context, tree in planned]
    pages = list[Path]()
    cycles = [join_cycles(job.tree) + job.operation.length - 1 for job in jobs]
    problems = list[str]()
    if arguments.simulate:
        cycles, problems, pages = _simulate(config, jobs, arguments)
    elif arguments.explore is not None:
        record = play_golden(config, _groups(config, jobs), explore=True, **_faulty(config, arguments))
        pages = _explore(config, record, {"golden": MODEL}, arguments)
    if arguments.json:
        answer: dict[str, Any] = {"router": "crosspoint"}
        found = [_answer(config, job, took) for job, took in zip(jobs, cycles, strict=True)]
        if arguments.group:
            places = ({"context": job.context, "members": list(job.tree.members)} for job in jobs)
            answer |= {"cycles": max(cycles), "groups": [a | b for a, b in zip(places, found, strict=True)]}
        else:
            answer |= found[0]
        if arguments.simulate:
            answer["golden"] = "mismatch" if problems else "match"
        print(json.dumps(with_run(arguments, answer, values=[*vectors.values()] if arguments.values else None)))
        print(*problems, sep="\n", end="\n" * bool(problems), file=sys.stderr)
    else:
        lines = [line for job, took in zip(jobs, cycles, strict=True) for line in _lines(config, arguments, job, took)]
        found_lines = [*problems, f"golden: {'mismatch' if problems else 'match'}"] if arguments.simulate else []
        print_text([*lines[1:], *[""][: len(found_lines)], *found_lines, *where(pages)])
    return 1 if problems else 0


class Job(NamedTuple):
    """What the members of one tree do."""

    context: int
    tree: ReductionTree
    operation: Collective


def _planned(config: ReductionConfig, arguments: argparse.Namespace) -> Sequence[tuple[int, ReductionTree]]:
    """Return context and tree of every group; without groups, of all nodes."""
    links, faults = arguments.faulty_links, arguments.fault
    if not arguments.group:
        return [(0, plan_group(config.dim, links=links, faults=faults))]
    return plan_contexts(config.dim, arguments.group, links, faults, contexts=config.contexts)


def _operation(
    arguments: argparse.Namespace, kind: str, tree: ReductionTree, vectors: Mapping[int, tuple[int, ...]]
) -> Collective:
    """Return what the members of a tree do."""
    taking = {node: vectors[node] for node in tree.members}
    return Collective(kind, taking, OPERATIONS[arguments.op], node=tree.members[0])


def _answer(config: ReductionConfig, job: Job, cycles: int) -> dict[str, Any]:
    """Return what comes out of a tree, as plain values."""
    shown = job.tree.to_json()
    return {
        "result": list(job.operation.results(config.width)),
        "excluded": shown.pop("excluded"),
        "cycles": cycles,
        "tree": {name: shown[name] for name in ("root", "parent", "depth", "least")},
    }


def _groups(config: ReductionConfig, jobs: Sequence[Job]) -> list[dict[str, Any]]:
    """Return the trees and what their members do, as a playback takes them."""
    return [group(config, job.tree, [job.operation], context=job.context) for job in jobs]


def _faulty(config: ReductionConfig, arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the option of a playback that tells the routers what is faulty; none if nothing is."""
    if not (arguments.fault or arguments.faulty_links):
        return {}
    faults = faults_of(config.dim, arguments.fault, arguments.faulty_links)
    return {"faults": [faults.vector(node, config.dim) for node in range(config.nodes)]}


def _explore(
    config: ReductionConfig, record: Mapping[str, Any], simulated: Mapping[str, Any], arguments: argparse.Namespace
) -> list[Path]:
    """Write recording and page of a run; return the files."""
    title, faulty = f"join units that reduce ({arguments.op})", (arguments.fault, arguments.faulty_links)
    return explore_reduction(arguments.explore, config, record, title, simulated, *faulty)


def _simulate(
    config: ReductionConfig, jobs: Sequence[Job], arguments: argparse.Namespace
) -> tuple[list[int], list[str], list[Path]]:
    """Run the operations on the RTL network, beside the golden one; return cycles, lines about errors, and the page."""
    simulator, exploring = arguments.simulator, arguments.explore is not None
    options = _faulty(config, arguments) | ({"explore": True} if exploring else {})
    pages = list[Path]()
    try:
        record = play(config, _groups(config, jobs), simulator=simulator, **options)
    except Mismatch as error:
        if exploring and "recording" in (error.collected or {}):
            pages = _explore(config, error.collected, {"golden": "mismatch", "simulator": simulator}, arguments)
        return [0] * len(jobs), str(error).splitlines(), pages
    if exploring:
        pages = _explore(config, record, {"golden": "match", "simulator": simulator}, arguments)
    problems = ["not all results came"] if record["stalled"] else []
    cycles = []
    for job in jobs:
        results, last = job.operation.results(config.width), -1
        for node in job.tree.members:
            words = record[f"results{config.endings[job.context]}"][str(node)]
            came = tuple(word for _, word, _, error in words if not error)
            last = max([last, *(cycle for cycle, *_ in words)])
            if came != results:
                problems.append(f"node {node} gets {list(came)}, not {list(results)}")
        cycles.append(last + 1)
    return cycles, problems, pages


def _lines(config: ReductionConfig, arguments: argparse.Namespace, job: Job, cycles: int) -> Iterator[str]:
    """Yield the text about one tree, an empty line first."""
    tree = job.tree
    alone = "this tree alone" if config.contexts > 1 and len(arguments.group) > 1 else "without other traffic"
    how = f"simulated on {arguments.simulator}" if arguments.simulate else alone
    yield ""
    yield f"reduction ({arguments.op}) by join units in a {tree.dim}-cube"
    if arguments.group:
        yield f"group         {listed(tree.members)}" + f", context {job.context}" * (config.contexts > 1)
    yield f"root          {address(tree.root, tree.dim)}"
    if arguments.faulty_links:
        yield f"faulty links  {listed([f'{a}-{b}' for a, b in arguments.faulty_links])}"
    if arguments.fault:
        yield f"faulty nodes  {listed(sorted(set(arguments.fault)))}"
    if tree.excluded:
        yield f"excluded      {listed(tree.excluded)}"
    yield f"depth         {tree.depth}" + (f", where {tree.least} is a bound" if tree.depth > tree.least else "")
    yield f"cycles        {cycles}, {how}"
    yield f"result        {listed(job.operation.results(config.width))}"
    yield ""
    yield from tree_lines(tree)


def tree_lines(tree: ReductionTree) -> Iterator[str]:
    """Yield the tree as indented text: the dimension of the link, and the node behind it."""
    below: dict[int, list[int]] = {node: [] for node in tree.nodes}
    for node, parent in sorted(tree.parents.items()):
        below[parent].append(node)

    def ends(node: int) -> list[tuple[str, int]]:
        """Return the children of a node, labelled."""
        return [(f"{(node ^ end).bit_length() - 1}→ {address(end, tree.dim)}", end) for end in below[node]]

    yield address(tree.root, tree.dim)
    yield from nested(ends(tree.root), ends)
