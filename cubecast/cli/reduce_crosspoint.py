"""``cubecast reduce --router crosspoint``: a reduction by join units on a tree, as text or JSON, and simulated."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from cubecast.cli.collective_simulation import LARGEST_DIM, check_simulator
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.reduction.algorithms.operations import Collective
from cubecast.golden.reduction.algorithms.tree import NoTreeError, ReductionTree, join_cycles, plan_group
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.golden.reduction.contract.word import Operation
from cubecast.options.text import address, listed, nested, print_text
from cubecast.options.usage import UsageError, checked
from cubecast.tb.harness.lockstep import Mismatch
from cubecast.tb.reduction.playback import group, play

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
    if arguments.svg is not None:
        raise UsageError("svg must be left out with --router crosspoint: its tree is in the text")
    if arguments.op not in OPERATIONS:
        raise UsageError(f"op must be one of {', '.join(OPERATIONS)} with --router crosspoint, not {arguments.op!r}")
    if not next(iter(vectors.values())):
        raise UsageError("values must have a word for each node with --router crosspoint, not none")
    config = checked(
        ReductionConfig, router=checked(CrosspointConfig, dim=arguments.dim, width=arguments.width, runs=1)
    )
    try:
        tree = plan_group(config.dim, links=arguments.faulty_links, faults=arguments.fault)
    except NoTreeError as error:
        print(f"cubecast reduce: no tree: {error}", file=sys.stderr)
        if arguments.json:
            print(json.dumps({"error": f"no tree: {error}"}))
        return 1
    except ValueError as error:
        raise UsageError(str(error)) from error
    taking = {node: vectors[node] for node in tree.members}
    kind = "all-reduce" if arguments.all else "reduce"
    operation = Collective(kind, taking, OPERATIONS[arguments.op], node=tree.members[0])
    results = operation.results(config.width)
    cycles, problems = join_cycles(tree) + operation.length - 1, list[str]()
    if arguments.simulate:
        cycles, problems = _simulate(config, tree, operation, arguments.simulator)
    if arguments.json:
        shown = tree.to_json()
        answer: dict[str, Any] = {
            "router": "crosspoint",
            "result": list(results),
            "excluded": shown.pop("excluded"),
            "cycles": cycles,
            "tree": {name: shown[name] for name in ("root", "parent", "depth")},
        }
        if arguments.simulate:
            answer["golden"] = "mismatch" if problems else "match"
        print(json.dumps(answer))
        print(*problems, sep="\n", end="\n" * bool(problems), file=sys.stderr)
    else:
        found = [*problems, f"golden: {'mismatch' if problems else 'match'}"] if arguments.simulate else []
        print_text([*_lines(arguments, tree, results, cycles), *[""][: len(found)], *found])
    return 1 if problems else 0


def _simulate(
    config: ReductionConfig, tree: ReductionTree, operation: Collective, simulator: str
) -> tuple[int, list[str]]:
    """Run the operation on the RTL network, beside the golden one; return its cycles and what is wrong, by line."""
    if config.dim > LARGEST_DIM:
        raise UsageError(f"dim must be an integer from 2 to {LARGEST_DIM} with --simulate, not {config.dim}")
    check_simulator(simulator)
    if operation.length > MOST_WORDS:
        raise UsageError(f"vectors must have at most {MOST_WORDS} words with --simulate, not {operation.length}")
    try:
        record = play(config, [group(config, tree, [operation])], simulator=simulator)
    except Mismatch as error:
        return 0, str(error).splitlines()
    problems = ["not all results came"] if record["stalled"] else []
    results = operation.results(config.width)
    for node in tree.members:
        came = tuple(word for _, word, _, error in record["results"][str(node)] if not error)
        if came != results:
            problems.append(f"node {node} gets {list(came)}, not {list(results)}")
    return record["cycles"], problems


def _lines(arguments: argparse.Namespace, tree: ReductionTree, results: tuple[int, ...], cycles: int) -> Iterator[str]:
    """Yield the text."""
    how = f"simulated on {arguments.simulator}" if arguments.simulate else "without other traffic"
    yield f"reduction ({arguments.op}) by join units in a {tree.dim}-cube"
    yield f"root          {address(tree.root, tree.dim)}"
    if arguments.faulty_links:
        yield f"faulty links  {listed([f'{a}-{b}' for a, b in arguments.faulty_links])}"
    if arguments.fault:
        yield f"faulty nodes  {listed(sorted(set(arguments.fault)))}"
    if tree.excluded:
        yield f"excluded      {listed(tree.excluded)}"
    yield f"depth         {tree.depth}" + (f", where {tree.least} is a bound" if tree.depth > tree.least else "")
    yield f"cycles        {cycles}, {how}"
    yield f"result        {listed(results)}"
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
