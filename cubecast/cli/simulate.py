"""``cubecast simulate``: given messages, or programs, on the RTL network, in lockstep with the golden network."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from cubecast.api.simulation import check_run, check_waves, play
from cubecast.cli import explore, program_simulation
from cubecast.cli.explore import check_folder, where
from cubecast.cli.program_simulation import refuse_options, simulate_programs
from cubecast.cli.saved import HELP as RUN
from cubecast.cli.saved import with_run
from cubecast.options.arguments import Parser, addresses, examples, file_name, folder_name, input_name, integer
from cubecast.options.ending import STATUSES
from cubecast.options.text import listed, print_text, table
from cubecast.options.usage import UsageError
from cubecast.systems import SYSTEMS, System, system_of
from cubecast.systems.messages import Event, load
from cubecast.systems.parameters import add_config, config_of, faulty_nodes, playing_of
from cubecast.tb.harness.netlists import FAMILIES
from cubecast.tb.harness.simulators import SIMULATORS
from cubecast.tb.harness.unset import MOST_START

__all__ = ["add", "run"]

EXAMPLES = """\
cubecast simulate --dim 3 --messages examples/mixed.json
cubecast simulate --dim 5 --max-dest 6 --messages examples/tree.json
cubecast simulate --dim 5 --max-dest 6 --messages examples/tree.json --fault 4 --json
cubecast simulate --dim 3 --messages examples/malformed.json --simulator icarus --waves waves.fst
cubecast simulate --dim 3 --router packet --messages examples/packets.json
cubecast simulate --dim 3 --router crosspoint --netlist ecp5 --messages examples/subcubes.json
cubecast simulate --dim 3 --router packet --link serial --routing fixed --rows 4 --messages examples/packets.json
cubecast simulate --dim 3 --router crosspoint --messages examples/subcubes.json
cubecast simulate --dim 4 --router crosspoint --policy valiant --link-regs 1 --messages examples/subcubes.json --json
"""

HELP = """\
messages file: a JSON list of objects
  "source"        node that sends the message
  "destinations"  list of nodes; or
  "broadcast"     true; or
  "raw"           all words of the message as they are, header included, well-formed or not
  "data"          payload words (default none; not with raw)
  "cycle"         earliest cycle of its first word (default 0)
Messages of one source are sent one after the other, in the order of the file.
Among them there may be objects that change a node's fault vector while messages are under way:
  "cycle"         cycle in which it is written
  "node"          whose vector
  "fault"         list of its faulty dimensions, from then on; [] repairs all of them
A link is cut, in both directions, as long as one of its ends has it in its vector.
"""
"""What all routers have in a file of messages."""

HELP_OF_JSON = f"""\
with --json
  "cycles"        cycles that the run took; 0 is the first in which a message may start
  "golden"        "match" or "mismatch"
  "messages"      every message with its "source" and its "start_cycle", in which its first word was taken from the
                  source's processor, null if none was
  "deliveries"    a "message" at a "node": "first_cycle" and "last_cycle" of its words there, "data", "error" (cut off)
  "links"         each link "from" a node "to" another: "words" and "messages" (other routers than multicast:
                  "packets") that crossed it, and the cycles in which one "waited" for it
  "errors"        "reason" and "node" of each, with the "message" and the "destinations" or nodes it concerns
  A message goes by its place in the file, from 0.
  {RUN}

exit status: 0; 1 if anything was not delivered, or the golden network disagrees;
"""

ROUTERS = {system.name: system for system in SYSTEMS.values() if system.playback}
"""Systems whose network plays messages, by the name of their router."""

MOST_TREES = 4
"""Number of messages up to which their trees are printed."""


def add(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "simulate",
        help="send messages through the RTL network, or run programs on it",
        description="Simulate the RTL network with given messages or programs, all outputs compared with the golden "
        "network's.",
        epilog=f"{_help()}{STATUSES}\n\n{program_simulation.HELP}\n{examples(EXAMPLES + program_simulation.EXAMPLES)}",
    )
    parser.set_defaults(run=run, parser=parser)
    parser.add_argument(
        "--router", choices=tuple(ROUTERS), default=next(iter(ROUTERS)), help="kind of router (default %(default)s)"
    )
    parser.add_argument("--messages", type=input_name, metavar="FILE", help="JSON file, see below")
    parser.add_argument("--programs", type=input_name, metavar="FILE", help="JSON file of programs of nodes, see below")
    parser.add_argument("--fault", type=addresses, action="extend", metavar="NODE,..", default=[], help="faulty nodes")
    parser.add_argument("--simulator", choices=SIMULATORS, default=SIMULATORS[0], help="default %(default)s")
    parser.add_argument(
        "--netlist",
        choices=tuple(FAMILIES),
        help="simulate what Yosys makes of the routers for this family, of its cells (default: the RTL)",
    )
    parser.add_argument(
        "--start",
        type=integer,
        metavar="N",
        help="registers and memories begin with random values of this seed, not with their initial ones (Verilator)",
    )
    parser.add_argument(
        "--waves", type=file_name, metavar="FILE.fst", help="write waves, and views for GTKWave and Surfer beside them"
    )
    parser.add_argument("--explore", type=folder_name, metavar="DIR", help=explore.HELP)
    parser.add_argument(
        "--seed", type=integer, metavar="N", default=1, help="seed of all random choices, 0 to 2**64 - 1 (default 1)"
    )
    parser.add_argument(
        "--stall",
        type=integer,
        metavar="PERCENT",
        default=0,
        help="cycles a receiver, or with --programs a memory, is not ready, 0 to 90 (default 0)",
    )
    parser.add_argument(
        "--max-cycles", type=integer, metavar="N", default=100_000, help="cycles to run at most (default %(default)s)"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    add_config(parser, ROUTERS.values(), played=True)
    program_simulation.add_options(parser)


def _help() -> str:
    """Return what the help text says of files and results."""
    own = {name: system.messages_help for name, system in ROUTERS.items() if system.messages_help}
    return "\n".join([HELP, *(f"with --router {name}\n{text}" for name, text in own.items()), HELP_OF_JSON])


def run(arguments: argparse.Namespace) -> int:
    """Simulate and print; return the exit status."""
    _check(arguments)
    return _simulate_messages(arguments) if arguments.programs is None else simulate_programs(arguments)


def _simulate_messages(arguments: argparse.Namespace) -> int:
    """Simulate messages and print; return the exit status."""
    refuse_options(arguments)
    system = ROUTERS[arguments.router]
    config = config_of(arguments, system, "--messages", played=True)
    playing = playing_of(arguments, system, config)
    faults = faulty_nodes(arguments, config)
    values = load(arguments.messages)
    messages, events = system.messages.parse(values, config, faults)
    played = play(
        config,
        messages,
        events,
        faults,
        simulator=arguments.simulator,
        seed=arguments.seed,
        stall=arguments.stall,
        most=arguments.max_cycles,
        waves=arguments.waves,
        netlist=arguments.netlist,
        start=arguments.start,
        **playing,
        **({} if arguments.explore is None else {"explore": True}),
    )
    found, seen = played.found, played.seen
    pages = list[Path]()
    if arguments.explore is not None and seen is not None:
        pages = _explore(arguments, system, config, messages, events, faults, found, seen)
    if arguments.json:
        print(json.dumps(with_run(arguments, found, messages=values)))
        for line in [*played.mismatch.splitlines(), *played.inside]:
            print(line, file=sys.stderr)
    else:
        remarks = [*played.inside, *played.mismatch.splitlines()]
        report = _report(config, messages, events, faults, found, seen, remarks, arguments)
        print_text([*report, *where(pages)])
    return 1 if played.mismatch or found["errors"] or played.inside else 0


def _explore(
    arguments: argparse.Namespace,
    system: System,
    config: Any,
    messages: Sequence[Any],
    events: Sequence[Event],
    faults: frozenset[int],
    found: dict[str, Any],
    seen: dict[str, Any],
) -> list[Path]:
    """Write recording and page of the run; return the files."""
    changes = [{"cycle": event.cycle, "node": event.node, "vector": event.vector} for event in events]
    more = {"system": system.name, "simulator": arguments.simulator, "seed": arguments.seed, "stall": arguments.stall}
    title = f"{_made(arguments)} {system.report.title(config)}"
    more |= {"faults": sorted(faults), "changes": changes}
    return explore.write(arguments.explore, config, title, messages, found, seen, more)


def _made(arguments: argparse.Namespace) -> str:
    """Return what the routers are made of, in words."""
    return "RTL" if arguments.netlist is None else f"{arguments.netlist} netlist"


def _check(arguments: argparse.Namespace) -> None:
    """See that the options that are no parameters are in range.

    Raises
    ------
    UsageError
        One is not, or there are neither messages nor programs, or both.
    """
    if (arguments.messages is None) == (arguments.programs is None):
        given = "neither" if arguments.messages is None else "both"
        raise UsageError(f"one of --messages and --programs must be given, not {given}")
    check_run(arguments.simulator, arguments.seed, arguments.stall, arguments.max_cycles)
    if arguments.start is not None:
        if not 1 <= arguments.start <= MOST_START:
            raise UsageError(f"start must be an integer from 1 to {MOST_START}, not {arguments.start}")
        if arguments.simulator != "verilator":
            raise UsageError(f"start must be given with simulator verilator, not {arguments.simulator}")
    if arguments.waves is not None:
        check_waves(arguments.waves, [arguments.messages or arguments.programs])
    if arguments.explore is not None:
        check_folder(arguments.explore, [arguments.messages or arguments.programs], [arguments.waves], "waves")


def _report(
    config: Any,
    messages: Sequence[Any],
    events: Sequence[Event],
    faults: frozenset[int],
    found: dict[str, Any],
    seen: dict[str, Any] | None,
    remarks: Sequence[str],
    arguments: argparse.Namespace,
) -> Iterator[str]:
    """Yield the lines of the report."""
    report = system_of(config).report
    begun = "" if arguments.start is None else f", start {arguments.start}"
    yield f"{config.dim}-cube of {_made(arguments)} {report.title(config)}, {arguments.simulator}, " + (
        f"seed {arguments.seed}{begun}"
    )
    if faults:
        yield f"faulty nodes  {listed(sorted(faults))}"
    for event in sorted(events, key=lambda event: event.cycle):
        dimensions = [j for j in range(config.dim) if event.vector >> j & 1]
        yield f"cycle {event.cycle}: node {event.node} has " + (
            f"faulty dimensions {listed(dimensions)}" if dimensions else "no faulty dimensions"
        )
    yield ""
    if seen is not None and len(messages) <= MOST_TREES:
        for place in range(len(messages)):
            yield from report.tree(config, messages, place, found, seen)
            yield ""
    head = ("message", "node", "first cycle", "last cycle", "data words", "cut off")
    yield from table(
        head,
        [
            (d["message"], d["node"], d["first_cycle"], d["last_cycle"], len(d["data"]), "yes" if d["error"] else "no")
            for d in found["deliveries"]
        ],
    )
    yield ""
    used = [link for link in found["links"] if link["words"]]
    words, waited = (sum(link[name] for link in found["links"]) for name in ("words", "waited"))
    yield f"links: {len(used)} of {len(found['links'])} used, {words} words, {waited} cycles waited"
    for error in found["errors"]:
        to = "".join(f", {key} {listed(error[key])}" for key in ("destinations", "to") if key in error)
        yield f"error: message {error['message']}, {error['reason']} at node {error['node']}{to}"
    yield from remarks
    yield f"cycles: {found['cycles']}"
    yield f"golden: {found['golden']}"
