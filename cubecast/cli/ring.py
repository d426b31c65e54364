"""``cubecast ring``: a group's ring with link-disjoint paths, as text, JSON or a picture."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from cubecast.cli.collective_simulation import LARGEST_DIM as LARGEST_SIMULATED
from cubecast.cli.collective_simulation import (
    RING_WORDS,
    add_simulator,
    choose_simulator,
    explore_simulation,
    simulate_ring,
)
from cubecast.cli.explore import HELP as EXPLORE
from cubecast.cli.explore import check_folder, where
from cubecast.cli.explore_steps import check_explored, check_members, explore_ring
from cubecast.cli.picture import LARGEST_DIM
from cubecast.cli.ring_picture import draw_ring
from cubecast.cli.saved import HELP as RUN
from cubecast.cli.saved import with_run
from cubecast.golden.collective.algorithms.group_ring import GroupRing, gray_ring, group_ring
from cubecast.golden.collective.algorithms.ring_path import ORDERS
from cubecast.options.arguments import Parser, addresses, examples, file_name, folder_name, integer
from cubecast.options.ending import STATUSES
from cubecast.options.files import output_file, write_file
from cubecast.options.text import listed, print_text, table
from cubecast.options.usage import checked

__all__ = ["add", "run", "summary"]

EXAMPLES = """\
cubecast ring --dim 4 --nodes 0,2,3,5,6,10,13,15
cubecast ring --dim 4 --nodes 0,2,3,5,6,10,13,15 --order ascending --svg ring.svg
cubecast ring --dim 4 --nodes 0,2,3,5,6,10,13,15 --explore build/circled
cubecast ring --dim 10 --nodes 1,77,500,1023 --json
cubecast ring --dim 3 --nodes 0,3,5,6 --simulate
"""

TEACHING = f"""\
Every member sends what it receives to the next member of the ring, so that after m - 1 rounds each of the m members
has the messages of all others. The ring is made so that no two of its paths use the same link in the same direction:
all members may send at once and no message waits for another (W. Lin and E. W. Chen, 1996). Each path has at most n
links.

order:
  descending  paths cross their highest dimension first, as in the paper
  ascending   lowest dimension first, as the routers here send a unicast under the policy greedy, and packets
              under fixed routing; take this order for them

With --simulate every member sends a message of {RING_WORDS} words round the ring on the RTL network, beside the golden
network (dim 2 to {LARGEST_SIMULATED}), and then along the Gray code of the cube, for comparison.

JSON: {{"ring": members in order, "paths": the nodes from each member to the next, "links_used": different links,
"max_hops": links of the longest path, "disjoint": whether no link is used by two paths}}; with --simulate "golden":
"match" or "mismatch", "simulation" and "gray": {{"clocks": cycles from the start to the first in which no node is busy,
"waited": cycles that words waited for links, "words": sent over links}}, of this ring and of one along the Gray code
{RUN}
"""

MOST_PATHS = 40
"""Paths listed in the text; a longer table would bury the rest."""


def add(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "ring",
        help="make a ring of a group's members with paths that share no link",
        description="Make a ring of some nodes of a hypercube, on which all of them can send at once without waiting.",
        epilog=f"{TEACHING}\n{examples(EXAMPLES)}\nexit status: 0; 1 if the simulation does not agree;\n{STATUSES}",
    )
    parser.set_defaults(run=run, parser=parser)
    parser.add_argument("--dim", type=integer, metavar="N", required=True, help="dimension n of the cube, 1 to 20")
    parser.add_argument(
        "--nodes",
        type=addresses,
        action="extend",
        metavar="NODE,..",
        required=True,
        help="the members, each once, in any order",
    )
    parser.add_argument(
        "--order",
        choices=ORDERS,
        help="order of dimensions, see below (default descending; ascending with --simulate, which needs it)",
    )
    add_simulator(parser)
    parser.add_argument("--json", action="store_true", help="print the ring as JSON")
    parser.add_argument(
        "--svg", type=file_name, metavar="FILE", help=f"draw the cube with the ring (dim 2 to {LARGEST_DIM})"
    )
    parser.add_argument("--explore", type=folder_name, metavar="DIR", help=EXPLORE)


def run(arguments: argparse.Namespace) -> int:
    """Make the ring and print it; return the exit status."""
    choose_simulator(arguments)
    if arguments.explore is not None:
        check_explored(arguments.dim)
        check_folder(arguments.explore, files=[arguments.svg])
    if arguments.svg is not None:
        output_file(arguments.svg)
    order = arguments.order or ("ascending" if arguments.simulate else ORDERS[0])
    ring = checked(group_ring, arguments.dim, arguments.nodes, order)
    if arguments.explore is not None:
        check_members(ring.ring)
    picture = None if arguments.svg is None else checked(draw_ring, ring)
    simulation = None
    if arguments.simulate:
        simulation = simulate_ring(ring, arguments)
    if picture is not None:
        write_file(arguments.svg, picture)
    pages = list[Path]()
    if simulation is not None and arguments.explore is not None:
        pages = explore_simulation(simulation, f"collective units, {len(ring.ring)} members in a ring", arguments)
    elif arguments.explore is not None:
        pages = explore_ring(arguments.explore, ring)
    if arguments.json:
        answer = ring.to_json() | (simulation.to_json() if simulation is not None else {})
        print(json.dumps(with_run(arguments, answer)))
    else:
        lines = [*summary(ring), "", *_paths(ring), "", *_closing(ring)]
        if simulation is not None:
            lines += ["", *simulation.lines(arguments)]
        print_text([*lines, *where(pages, arguments.svg)])
    return 0 if simulation is None else simulation.status(arguments)


def summary(ring: GroupRing) -> list[str]:
    """Return the lines above the paths."""
    first = {"descending": "highest", "ascending": "lowest"}[ring.order]
    use = "each used by one path" if ring.disjoint else f"{len(ring.proof.contended)} of them used more than once"
    return [
        f"ring of {_counted(len(ring.ring), 'member')} in a {ring.dim}-cube",
        f"ring          {listed(ring.ring)}, back to {ring.ring[0]}",
        f"order         {ring.order}: {first} dimension first",
        f"links used    {ring.links_used}, {use}",
        f"longest path  {_counted(ring.max_hops, 'link')}",
    ]


def _paths(ring: GroupRing) -> list[str]:
    """Return the table of the paths."""
    rows = []
    for (member, following), path in list(zip(ring.next_member.items(), ring.paths, strict=True))[:MOST_PATHS]:
        way = " → ".join(f"{node:0{ring.dim}b}" for node in path)
        rows.append((member, following, len(path) - 1, way))
    lines = table(("from", "to", "links", "path"), rows)
    left = len(ring.paths) - len(rows)
    return [*lines, f"... and {left} more (all with --json)"] if left else lines


def _closing(ring: GroupRing) -> list[str]:
    """Return the comparison below the paths."""
    rows = [
        ("this ring", ring),
        ("along the Gray code of the cube", gray_ring(ring.dim, ring.ring)),
        ("Gray-code sequence, shortest paths", gray_ring(ring.dim, ring.ring, ring.order)),
    ]
    return table(("for comparison", "links", "longest path"), [(text, each.hops, each.max_hops) for text, each in rows])


def _counted(count: int, noun: str) -> str:
    """Return a count with its noun."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
