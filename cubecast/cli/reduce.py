"""``cubecast reduce``: a global merge over a cube with faults, as text, JSON or a picture, and on the RTL network."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cubecast.api.collectives import MOST_WIDTH, check_vectors, listed_vectors
from cubecast.cli.collective_simulation import (
    Simulation,
    add_simulator,
    choose_simulator,
    explore_simulation,
    simulate_merge,
)
from cubecast.cli.explore import HELP as EXPLORE
from cubecast.cli.explore import check_folder, where
from cubecast.cli.explore_steps import check_explored, explore_merge
from cubecast.cli.picture import LARGEST_DIM
from cubecast.cli.reduce_crosspoint import OPERATIONS as JOIN_OPERATIONS
from cubecast.cli.reduce_crosspoint import run_crosspoint
from cubecast.cli.reduce_picture import draw_stages
from cubecast.cli.saved import HELP as RUN
from cubecast.cli.saved import with_run
from cubecast.golden.collective.algorithms.merge_operations import OPERATIONS, Vector, wrapping_sum
from cubecast.golden.collective.algorithms.merge_run import MergeRun, run_merge
from cubecast.golden.collective.algorithms.merge_stages import DETOUR, DIRECT, PART, MergePlan, plan_merge
from cubecast.golden.collective.algorithms.result_spread import result_mode, spread
from cubecast.golden.collective.algorithms.sink_tree import NoSinkError
from cubecast.golden.common.algorithms.address import MAX_DIM
from cubecast.golden.reduction.algorithms.tree import LARGEST_DIM as LARGEST_ROUTER
from cubecast.options.arguments import Parser, addresses, examples, file_name, folder_name, input_name, integer, links
from cubecast.options.ending import STATUSES
from cubecast.options.files import output_file, write_file
from cubecast.options.text import address, listed, print_text, table
from cubecast.options.usage import NoResultError, UsageError, checked
from cubecast.systems.messages import load

__all__ = ["add", "run", "values"]

EXAMPLES = """\
cubecast reduce --dim 4 --op sum
cubecast reduce --dim 4 --op sum --faulty-links 0-4,1-5,0-8 --fault 2
cubecast reduce --dim 3 --op max --values examples/vectors.json --fault 5 --all --json
cubecast reduce --dim 3 --op sum --faulty-links 2-3,6-7 --all --simulate
cubecast reduce --dim 4 --op max --faulty-links 0-4,1-5,0-8 --fault 2 --explore build/merged
cubecast reduce --router crosspoint --dim 4 --op max-signed --fault 2 --all --simulate
cubecast reduce --router crosspoint --dim 3 --fault 5 --all --explore build/joined
cubecast reduce --router crosspoint --dim 2 --contexts 2 --group 0,1 --group 1,3 --all --simulate
"""

TEACHING = """\
All nodes have vectors of one length, which are merged word by word on the way to one node, the sink (Y.-R. Leu and
S.-Y. Kuo). There are as many stages as dimensions; in each one half of the nodes left send to the other half. A node
whose link is faulty divides its data among neighbours that send in the same stage (parts), or sends it on a detour.
Nodes that good links do not connect to the sink are excluded.

values file: a JSON list with one vector, a list of integers from 0 to 2^width - 1, for each node in the order of the
addresses. The vectors have one length; those of faulty and excluded nodes are left out. Without a file each node
gives its own address.

JSON: {"sink", "order": the dimension of each stage, "stages": [{"stage", "dimension", "active", "passive", "helpers",
"partitions": [{"from", "to", "part", "parts"}], "detours": [[node, ..]]}], "steps": parallel steps, "result": words in
the sink, "excluded": nodes that take no part}; with --all "spread": {"mode": "broadcast" or "spread", "steps",
"parents": by node the neighbour that it gets the result from}; with --simulate "golden": "match" or "mismatch",
"simulation": {"clocks": cycles from the start to the first in which no node is busy, "steps", "waited": cycles that
words waited for links, "words": sent over links}

With --router crosspoint join units beside the routers do it: words meet on a tree with two children at most on their
way to its root, and results run down the same tree to all nodes. JSON: {"router", "result", "excluded", "cycles": from
the first word offered to the last result at the last node, "tree": {"root", "parent": by node,
"depth", "least": a bound of the depth}}; with --simulate "cycles" are counted there, and "golden" is "match" or
"mismatch". With --group "cycles" are those until the last group has ended, and "groups" the other answers by group,
each with its "context" and its "members". Without --simulate "cycles" are those of each tree alone: groups of two
contexts whose trees share links take longer together.
"""

ROUTERS = ("multicast", "crosspoint")
"""Routers whose networks reduce: with collective units, and with join units."""

MOST_MESSAGES = 40
"""Messages listed in the text; a longer table would bury the rest."""

KINDS = {DIRECT: "all", PART: "part", DETOUR: "detour"}


def add(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "reduce",
        help="merge the vectors of all nodes, around faults",
        description="Merge the vectors of all nodes of a hypercube into one node, around faulty links and nodes.",
        epilog=f"{TEACHING}\nwith --json {RUN}\n\n{examples(EXAMPLES)}\nexit status: 0; 1 if there is no sink, or the "
        f"simulation does not agree;\n{STATUSES}",
    )
    parser.set_defaults(run=run, parser=parser)
    parser.add_argument(
        "--dim",
        type=integer,
        metavar="N",
        required=True,
        help=f"dimension n of the cube, 1 to {MAX_DIM}; crosspoint: 2 to {LARGEST_ROUTER}",
    )
    parser.add_argument("--router", choices=ROUTERS, default=ROUTERS[0], help="what merges (default %(default)s)")
    parser.add_argument(
        "--op",
        choices=list(dict.fromkeys((*OPERATIONS, *JOIN_OPERATIONS))),
        default="sum",
        help="operation (default %(default)s); the signed ones with --router crosspoint alone",
    )
    parser.add_argument("--values", type=input_name, metavar="FILE", help="JSON file, see below")
    parser.add_argument(
        "--width",
        type=integer,
        metavar="N",
        default=32,
        help=f"bits of a word, 1 to {MOST_WIDTH}, with --simulate 16 to {MOST_WIDTH}; crosspoint: 8 to 64; without "
        "--values n at least (default 32)",
    )
    parser.add_argument(
        "--faulty-links", type=links, action="extend", metavar="A-B,..", default=[], help="faulty links, by their ends"
    )
    parser.add_argument("--fault", type=addresses, action="extend", metavar="NODE,..", default=[], help="faulty nodes")
    parser.add_argument(
        "--group",
        type=addresses,
        action="append",
        metavar="NODE,..",
        default=[],
        help="with --router crosspoint: nodes that reduce among themselves; several groups do so at the same time",
    )
    parser.add_argument(
        "--contexts",
        type=integer,
        metavar="N",
        default=1,
        help="with --router crosspoint: join units of a node, 1 or 2; groups with a common node need two (default 1)",
    )
    parser.add_argument("--all", action="store_true", help="give the result to all nodes that take part")
    add_simulator(parser)
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")
    parser.add_argument("--svg", type=file_name, metavar="FILE", help=f"draw the stages (dim 2 to {LARGEST_DIM})")
    parser.add_argument("--explore", type=folder_name, metavar="DIR", help=EXPLORE)


def run(arguments: argparse.Namespace) -> int:
    """Merge and print; return the exit status."""
    choose_simulator(arguments)
    if arguments.explore is not None:
        check_explored(arguments.dim)
        check_folder(arguments.explore, [arguments.values] if arguments.values else [], [arguments.svg])
    if arguments.router == "crosspoint":
        if not 2 <= arguments.dim <= LARGEST_ROUTER:
            allowed = f"an integer from 2 to {LARGEST_ROUTER} with --router crosspoint"
            raise UsageError(f"dim must be {allowed}, not {arguments.dim}")
        return run_crosspoint(arguments, values(arguments.values, 1 << arguments.dim, arguments.width))
    if arguments.op not in OPERATIONS:
        raise UsageError(f"op must be one of {', '.join(OPERATIONS)} with --router multicast, not {arguments.op!r}")
    if arguments.group or arguments.contexts != 1:
        name = "group" if arguments.group else "contexts"
        raise UsageError(f"{name} must be left out without --router crosspoint")
    inputs = [] if arguments.values is None else [arguments.values]
    if arguments.svg is not None:
        output_file(arguments.svg, inputs=inputs)
    try:
        plan = plan_merge(arguments.dim, arguments.faulty_links, arguments.fault)
    except NoSinkError as error:
        raise NoResultError(f"no sink: {error}") from error
    except ValueError as error:
        raise UsageError(str(error)) from error
    vectors = values(arguments.values, 1 << arguments.dim, arguments.width)
    operation = checked(wrapping_sum, arguments.width) if arguments.op == "sum" else arguments.op
    merged: MergeRun = checked(
        run_merge, plan, vectors, operation, events=arguments.explore is not None and not arguments.simulate
    )
    assert merged.result is not None, "a repaired plan always comes to its end"
    picture = None if arguments.svg is None else checked(draw_stages, plan, arguments.faulty_links)
    simulation = None
    if arguments.simulate:
        if arguments.op == "sorted":
            raise UsageError("op must be one of those of the hardware with --simulate, not 'sorted'")
        simulation = simulate_merge(plan, vectors, merged.result, arguments)
    if picture is not None:
        write_file(arguments.svg, picture, inputs)
    pages = list[Path]()
    if simulation is not None and arguments.explore is not None:
        title = f"collective units that merge ({arguments.op})"
        pages = explore_simulation(simulation, title, arguments, arguments.fault, arguments.faulty_links)
    elif arguments.explore is not None:
        faulty = arguments.faulty_links, arguments.fault
        pages = explore_merge(arguments.explore, merged, vectors, arguments.op, *faulty, back=arguments.all)
    if arguments.json:
        answer = _answer(merged, simulation, everybody=arguments.all)
        print(json.dumps(with_run(arguments, answer, values=[*vectors.values()] if arguments.values else None)))
    else:
        print_text([*_lines(arguments, merged, simulation), *where(pages, arguments.svg)])
    return 0 if simulation is None else simulation.status(arguments)


def values(path: Path | None, nodes: int, width: int) -> dict[int, Vector]:
    """Return the vector of every node: those of a file, or its address.

    Raises
    ------
    UsageError
        The file cannot be read or is not what it should be.
    """
    content: object = [[node] for node in range(nodes)] if path is None else load(path, "values")
    least, why = (1, "") if path else ((nodes - 1).bit_length(), " for the addresses that are merged without --values")
    if not least <= width <= MOST_WIDTH:
        raise UsageError(f"width must be an integer from {least} to {MOST_WIDTH}{why}, not {width}")
    return check_vectors(listed_vectors(content, nodes), width)


def _answer(merged: MergeRun, simulation: Simulation | None, *, everybody: bool) -> dict[str, Any]:
    """Return the answer as plain values."""
    plan = merged.plan
    shown_plan = plan.to_json()
    answer = {name: shown_plan[name] for name in ("sink", "order", "stages")}
    answer |= {"steps": merged.steps, "result": list(merged.result or ()), "excluded": list(plan.excluded)}
    if everybody:
        tree = spread(plan)
        answer["spread"] = {
            "mode": result_mode(plan),
            "steps": tree.steps,
            "parents": {str(node): parent for node, parent in sorted(tree.parents.items())},
        }
    return answer if simulation is None else answer | simulation.to_json()


def _lines(arguments: argparse.Namespace, merged: MergeRun, simulation: Simulation | None) -> Iterator[str]:
    """Yield the text."""
    plan = merged.plan
    dim, faulty = plan.tree.dim, plan.faulty_stages
    yield f"global merge ({arguments.op}) in a {dim}-cube"
    yield f"sink          {address(plan.tree.sink, dim)}"
    yield f"dimensions    {listed(plan.tree.order)}: one for each stage"
    if arguments.faulty_links:
        yield f"faulty links  {listed([f'{a}-{b}' for a, b in arguments.faulty_links])}"
    if arguments.fault:
        yield f"faulty nodes  {listed(sorted(set(arguments.fault)))}"
    if plan.excluded:
        yield f"excluded      {listed(plan.excluded)}"
    stages = f"{dim} {'stage' if dim == 1 else 'stages'}, {faulty or 'none'} of them faulty"
    yield f"steps         {merged.steps}: {stages}"
    yield f"result        {_words(merged.result or ())}"
    if arguments.all:
        tree = spread(plan)
        way = "by broadcast" if result_mode(plan) == "broadcast" else "from neighbour to neighbour"
        yield f"to all nodes  {tree.steps} more {'step' if tree.steps == 1 else 'steps'}, {way}"
    yield ""
    yield from _stage_table(plan, merged.stage_steps)
    yield ""
    yield from _message_table(plan)
    if arguments.all and any(plan.words):
        yield ""
        yield from _spread_table(plan)
    if simulation is not None:
        yield ""
        yield from simulation.lines(arguments)


def _words(words: Sequence[int]) -> str:
    """Return the words of a vector."""
    return listed(words) if words else "a vector without words"


def _stage_table(plan: MergePlan, steps: Sequence[int]) -> list[str]:
    """Return the table of the stages: how many nodes do what."""
    rows = []
    for stage, count in zip(plan.to_json()["stages"], steps, strict=True):
        counts = [len(stage[name]) for name in ("active", "passive", "helpers", "partitions", "detours")]
        rows.append((stage["stage"], stage["dimension"], count, *counts))
    return table(("stage", "dimension", "steps", "active", "passive", "helpers", "parts", "detours"), rows)


def _message_table(plan: MergePlan) -> list[str]:
    """Return the table of the messages."""
    dim = plan.tree.dim
    rows = []
    messages = [(stage.index, hop) for stage in plan.stages for hop in stage.messages]
    for index, hop in messages[:MOST_MESSAGES]:
        what = f"{KINDS[hop.kind]} {hop.part + 1} of {hop.parts}" if hop.kind == PART else KINDS[hop.kind]
        way = " → ".join(f"{node:0{dim}b}" for node in hop.path)
        rows.append((index, hop.sender, hop.receiver, what, way))
    lines = table(("stage", "from", "to", "data", "path"), rows)
    left = len(messages) - len(rows)
    return [*lines, f"... and {left} more"] if left else lines


def _spread_table(plan: MergePlan) -> list[str]:
    """Return the table of the way back."""
    children: Mapping[int, Sequence[int]] = spread(plan).children
    rows = [(node, listed(ends)) for node, ends in children.items() if ends]
    lines = table(("result from", "to"), rows[:MOST_MESSAGES])
    left = len(rows) - MOST_MESSAGES
    return [*lines, f"... and {left} more (all with --json)"] if left > 0 else lines
