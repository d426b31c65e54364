"""``cubecast route``: one message's way through the cube, as text, JSON or a picture."""

from __future__ import annotations

import argparse
import json
from typing import Any

from cubecast.cli import explore
from cubecast.cli.explore import check_folder, where
from cubecast.cli.explore_steps import check_explored, explore_tree
from cubecast.cli.picture import LARGEST_DIM, draw
from cubecast.cli.route_crosspoint import run_crosspoint
from cubecast.cli.saved import HELP as RUN
from cubecast.cli.saved import with_run
from cubecast.cli.tree_text import tree_lines
from cubecast.golden.crosspoint.algorithms.routes import POLICIES as CROSSPOINT_POLICIES
from cubecast.golden.multicast.algorithms.route import ABOUT, POLICIES, route
from cubecast.golden.multicast.algorithms.tree import MulticastTree
from cubecast.options.arguments import Parser, addresses, examples, file_name, folder_name, integer, links
from cubecast.options.ending import STATUSES
from cubecast.options.files import output_file, write_file
from cubecast.options.text import address, listed, print_text
from cubecast.options.usage import UsageError, checked

__all__ = ["add", "run", "summary"]

EXAMPLES = """\
cubecast route --dim 5 --source 6 --dest 7,20,29,18,1,0
cubecast route --dim 5 --source 6 --dest 7,20,29,18,1,0 --fault 4 --svg tree.svg
cubecast route --dim 5 --source 6 --dest 7,20,29,18,1,0 --policy optimal --json
cubecast route --dim 4 --source 0 --broadcast --fault 3,7,8,12
cubecast route --dim 5 --source 6 --dest 7,20,29,18,1,0 --explore build/routed
cubecast route --router crosspoint --dim 6 --source 5 --dest 1,2,9,62
cubecast route --router crosspoint --dim 3 --source 0 --dest 4 --faulty-links 0-4 --json
"""

POLICY_LINES = "\n".join(f"  {name:<7}  {about}" for name, about in ABOUT.items())

POLICY_HELP = f"""\
policies:
{POLICY_LINES}

policies of the crosspoint router, for unicasts:
  e-cube   dimensions in descending order
  either   in descending, or in ascending order, at random
  random   a random part of them in descending order, then the others in ascending order
  valiant  over a random node

JSON of the multicast router:
  "dim", "source", "policy", "faults"  what was asked for
  "destinations"  in their order; of a broadcast to all the fault-free nodes but the source
  "traffic", "time"  links crossed, and steps until the last node has the message
  "edges"        links crossed, each [from, to]
  "nodes"        decisions of each node that the message comes to: "dimension", "to", the "destinations" sent along, and
                 in a broadcast by greedy or ordered the "control" vector
  "undeliverable"  destinations that are not reached

JSON of the crosspoint router:
  "router", "dim", "runs", "multicast", "width", "source", "policy", "faults", "faulty_links"  what was asked for
  "destinations"  ascending, without the source
  "packets"      each with its "destinations" and "legs", two of which over a relay: "source", "kind", "r1", "r2",
                 "bitmap" and "hops" ("from", "to", "dimension", "step")
  "unreachable"  each "node" that no packet goes to, and the "reason"
  "links", "steps"  links crossed by all packets, and by the longest path

with --json
  {RUN}
"""

ROUTERS = ("multicast", "crosspoint")
"""Routers whose messages can be routed."""

ONLY: dict[str, dict[str, Any]] = {
    "multicast": {"svg": None},
    "crosspoint": {"runs": None, "width": None, "no_multicast": False, "faulty_links": [], "seed": None},
}
"""Options of one router alone, and their values when they are not given."""


def add(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "route",
        help="route one message and print its tree",
        description="Route one message through a hypercube and print the tree: traffic, time, every node's decisions.",
        epilog=f"{POLICY_HELP}\n{examples(EXAMPLES)}\nexit status: 0; 1 if a destination is undeliverable;\n{STATUSES}",
    )
    parser.set_defaults(run=run, parser=parser)
    parser.add_argument("--router", choices=ROUTERS, default=ROUTERS[0], help="kind of router (default %(default)s)")
    parser.add_argument(
        "--dim", type=integer, metavar="N", required=True, help="dimension n of the cube, 1 to 20; crosspoint: 2 to 10"
    )
    parser.add_argument("--source", type=integer, metavar="NODE", required=True, help="address of the source node")
    parser.add_argument(
        "--dest",
        type=addresses,
        action="extend",
        metavar="NODE,..",
        default=[],
        help="destination list, in header order",
    )
    parser.add_argument(
        "--broadcast", action="store_true", help="to all nodes; with --dest: deliver to these, by broadcast"
    )
    parser.add_argument("--fault", type=addresses, action="extend", metavar="NODE,..", default=[], help="faulty nodes")
    parser.add_argument(
        "--policy",
        choices=(*POLICIES, *CROSSPOINT_POLICIES),
        help=f"see below (default {POLICIES[0]}; crosspoint: {CROSSPOINT_POLICIES[0]})",
    )
    parser.add_argument("--json", action="store_true", help="print the tree as JSON")
    parser.add_argument(
        "--svg", type=file_name, metavar="FILE", help=f"draw the cube with the tree (dim 2 to {LARGEST_DIM})"
    )
    parser.add_argument("--explore", type=folder_name, metavar="DIR", help=explore.HELP)
    group = parser.add_argument_group("options of the crosspoint router")
    group.add_argument("--runs", type=integer, metavar="1|2", help="runs of dimensions (default 2)")
    group.add_argument("--width", type=integer, metavar="BITS", help="bits of a word, 8 to 512 (default 32)")
    group.add_argument("--no-multicast", action="store_true", help="unicasts alone")
    group.add_argument(
        "--faulty-links", type=links, action="extend", metavar="A-B,..", default=[], help="faulty links, by their ends"
    )
    group.add_argument("--seed", type=integer, metavar="N", help="of what policies draw, 0 to 2**64 - 1 (default 0)")


def run(arguments: argparse.Namespace) -> int:
    """Route and print; return the exit status."""
    _check(arguments)
    if not arguments.dest and not arguments.broadcast:
        raise UsageError("one of --dest and --broadcast is required")
    if arguments.explore is not None:
        check_explored(arguments.dim)
        check_folder(arguments.explore, files=[arguments.svg])
    if arguments.router == "crosspoint":
        return run_crosspoint(arguments)
    if arguments.svg is not None:
        output_file(arguments.svg)
    tree = checked(
        route,
        arguments.dim,
        arguments.source,
        arguments.dest,
        policy=arguments.policy or POLICIES[0],
        faults=arguments.fault,
        broadcast=arguments.broadcast,
    )
    if arguments.svg is not None:
        write_file(arguments.svg, checked(draw, tree))
    pages = [] if arguments.explore is None else explore_tree(arguments.explore, tree)
    if arguments.json:
        print(json.dumps(with_run(arguments, tree.to_json())))
    else:
        print_text([*summary(tree), "", *tree_lines(tree), "", *_closing(tree), *where(pages, arguments.svg)])
    return 1 if tree.undeliverable else 0


def _check(arguments: argparse.Namespace) -> None:
    """Raise :class:`UsageError` for an option of another router."""
    for router, options in ONLY.items():
        for name, unset in options.items():
            if router != arguments.router and getattr(arguments, name) != unset:
                option = name.replace("_", "-")
                raise UsageError(
                    f"{option} must be given with the {router} router only, not with the {arguments.router} router"
                )
    allowed = CROSSPOINT_POLICIES if arguments.router == "crosspoint" else POLICIES
    if arguments.policy is not None and arguments.policy not in allowed:
        raise UsageError(
            f"policy must be one of {', '.join(allowed)} with the {arguments.router} router, not {arguments.policy!r}"
        )


def summary(tree: MulticastTree) -> list[str]:
    """Return the lines above a tree."""
    lines = [
        f"{tree.policy} in a {tree.dim}-cube",
        f"source        {address(tree.source, tree.dim)}",
        f"destinations  {listed(tree.destinations)}",
    ]
    if tree.faults:
        lines.append(f"faulty nodes  {listed(sorted(tree.faults))}")
    lines.append(f"traffic       {tree.traffic} {_plural(tree.traffic, 'link')}")
    lines.append(f"time          {tree.time} {_plural(tree.time, 'step')}")
    return lines


def _closing(tree: MulticastTree) -> list[str]:
    """Return the lines below a tree."""
    lines = ["(number: dimension of the link; *: delivered here; braces: destination list sent along)"]
    lines.append(f"undeliverable: {listed(tree.undeliverable)}" if tree.undeliverable else "all destinations reached")
    return lines


def _plural(count: int, noun: str) -> str:
    """Return the noun for this count."""
    return noun if count == 1 else f"{noun}s"
