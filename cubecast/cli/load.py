"""``cubecast load``: latency and throughput of a network of routers against its load."""

from __future__ import annotations

import argparse
import json
import os
import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from cubecast.api.loading import (
    CYCLES,
    DEFAULT_RATES,
    FIXED,
    KEPT,
    LOADED,
    MOST_CYCLES,
    MOST_JOBS,
    MOST_RATE,
    are_rates,
    check_load,
    loaded,
    measure,
    traced_window,
    window_of,
)
from cubecast.cli.explore import HELP as EXPLORE
from cubecast.cli.explore import check_folder, where
from cubecast.cli.explore_load import check_explored, explore_load
from cubecast.cli.saved import HELP as RUN
from cubecast.cli.saved import with_run
from cubecast.golden.common.algorithms.load import MOST_WORDS, PATTERNS, TRACE, Lists, Traffic
from cubecast.golden.reduction.algorithms.load import Reductions
from cubecast.golden.reduction.algorithms.tree import NoTreeError
from cubecast.options.arguments import Parser, addresses, decimal, examples, folder_name, integer, links
from cubecast.options.ending import STATUSES
from cubecast.options.files import output_folder, write_files
from cubecast.options.inputs import text_of
from cubecast.options.progress import Progress
from cubecast.options.text import print_text, table
from cubecast.options.usage import NoResultError, ToolError, UsageError, checked, shown
from cubecast.systems import System
from cubecast.systems.load import ENGINES, SATURATED, STEP, ZERO_LOAD
from cubecast.systems.parameters import add_config, config_of, given_parameters, playing_of
from cubecast.tb.engine.parallel import LARGEST

__all__ = ["add", "is_point", "needs_plots", "point_lines", "run", "write_drawn"]

EXAMPLES = """\
cubecast load --router crosspoint --dim 3
cubecast load --router crosspoint --dim 6 --length 20 --rates 0.1,0.5,0.8 -o build/load
cubecast load --router crosspoint --dim 6 --traffic transpose --policy valiant --saturation --json
cubecast load --router crosspoint --dim 4 --multicast 0.1:5 --broadcast 0.02 --saturation
cubecast load --router crosspoint --dim 4 --fault 3 --faulty-links 0-8,4-6 --broadcast 0.02 --length 1-20
cubecast load --router crosspoint --dim 4 --traffic trace:examples/trace.txt --json
cubecast load --router crosspoint --dim 4 --length 5 --rates 0.3,0.6 --reduce 256:1000
cubecast load --router packet --dim 4 --routing fixed --traffic transpose --length 20 --saturation
cubecast load --router multicast --dim 3 --policy ordered --length 5 --broadcast 0.1 --rates 0.05,0.1 --json
cubecast load --router crosspoint --dim 2 --engine golden --cycles 500
cubecast load --router packet --dim 3 --engine golden --cycles 200 --rates 0.5 --length 5 --explore build/loaded
cubecast load compare build/short build/long -o build/both
"""

TEACHING = """\
Beside every router stands a load node in hardware: messages arrive at random times and wait in a queue; each becomes
packets; what comes is checked word by word. The RTL is run, until all that was sent has come, from reset for each
offered load.

engine, all with the same figures:
  rtl        the RTL in the bit-parallel engine
  verilator  the RTL as Verilator translates it
  golden     the golden network, slowly

traffic, where a node sends:
  uniform      to any other node
  complement   to the node with all bits of its address inverted
  transpose    to the one with the halves of its address exchanged (even n)
  reverse      to the one with its bits in reverse
  shuffle      to the one with its bits rotated left by one
  tornado      2^(n-1) - 1 addresses on
  neighbour    one address on
  permutation:SEED    to the one that it has in a permutation drawn by this seed; no node has itself
  hotspot:NODE:SHARE  this share of all unicasts to one node, the others to any other
  trace:FILE          the messages of a file, one a line: "cycle source destination words", destination "all" for a
                      broadcast; in place of --length, --multicast, --broadcast, and of loads and window

Faulty nodes send nothing. With faults a unicast goes as the policy says if no way that it may choose meets one, else by
the shortest two-run route; lists are drawn among the nodes that they reach in descending order, and a broadcast goes to
all of these as a list. What is not reached so is counted and not sent: load nodes do not send on for others. That is of
crosspoint routers. A packet router is given what comes by all ways that it may choose, and no broadcasts. Multicast
routers reach all nodes that work, with a faulty neighbour each at most; their links are not faulty, and a broadcast is
a list of all of them.

With --reduce a join unit stands beside every router, and all nodes that work begin an all-reduce (sum) of so many words
in cycle 100 and each PERIOD cycles from then on, at once or when the one before lets them, but those that faults cut
off from most of the others; words and period are integers. Its cycles are from there to the last word at the last node,
each word being checked; those that begin in the window count.

Routers differ in what becomes of a message. Crosspoint: packets of packet-limit words; a list takes packets with a
bitmap, a word that counts as one. Packet: packets of max-words - 1 words behind their heads; a list is a message to
each of its nodes; the source's slot is the lowest useful one, or with quasi-adaptive routing the lowest useful one that
is free. Multicast: messages of max-data words, each with a header; lists of up to max-list nodes. --policy of ways and
--reduce are for crosspoint routers alone.

Words are per node and cycle, and count once for each node that gets them; headers do not, which are in "flits". A node
whose pattern leads to itself sends nothing. Latency is in cycles, from the arrival of a message until its last word is
taken by the last of its destinations; over the messages that arrive in the window.

JSON: {"parameters", "points": [{"rate", "offered", "accepted", "delivered", "flits": {"accepted", "delivered"}: words
of headers too, by the routers and by the nodes, "messages", "unreachable": destinations of theirs that faults keep from
being reached, "latency": {"mean", "interval": half of its 95 % confidence interval, "p50", "p95", "p99", "max",
"queue": {"mean", "p50", "p95", "p99", "max"} until the first word is taken, "network": the same from then on,
"unicast", "multicast": all this of these messages alone}, "steady": whether the mean has settled, "warmup": cycles
before the window, "worst_node", "mean_node", "best_node": words that a sending node gives its router, "link_use":
{"mean", "max"}, "exactly_once", "in_order": null where the router promises no order of packets (multicast), "drained",
"cycles", "seconds": of processor time, "reductions": with --reduce {"words", "operations",
"cycles": {"mean", "min", "max"}, "right"}}]}
With -o the same in load.json, a plot in load.svg and load.png; points that are done are kept in points.jsonl, so that a
run that was stopped goes on from there. The same seed gives the same figures on any machine.

"cubecast load compare RESULT RESULT .." draws several results in one plot; "cubecast load compare --help" tells more.
"""


def add(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "load",
        help="measure latency and throughput of a network against its load",
        description="Measure latency and throughput of a network of routers against its load.",
        epilog=f"{TEACHING}\nin the JSON, too, {RUN}\n\n{examples(EXAMPLES)}\nexit status: 0; 1 something was lost, "
        f"doubled, wrong or out of order, or did not come in the end,\nor faults leave --reduce no tree;\n{STATUSES}",
    )
    parser.set_defaults(run=run, parser=parser)
    parser.add_argument("--router", choices=LOADED, required=True, help="which router")
    add_config(parser, LOADED.values(), played=True, fixed=FIXED)
    group = parser.add_argument_group("traffic")
    group.add_argument("--traffic", default=PATTERNS[0], metavar="PATTERN", help="see below (default %(default)s)")
    group.add_argument(
        "--length",
        default="1",
        metavar="N",
        help="words of a message, 1 to 255 (default 1); A-B: any number from A to B; bimodal:A:B:SHARE: A, or B for "
        "this share",
    )
    group.add_argument(
        "--multicast", dest="lists", metavar="SHARE:K", help="this share of messages goes to K nodes, drawn evenly"
    )
    group.add_argument("--broadcast", type=decimal, default=0.0, metavar="SHARE", help="this share goes to all nodes")
    group.add_argument(
        "--reduce", metavar="WORDS:PERIOD", help="all-reduces by join units beside the packets, see below"
    )
    group.add_argument("--fault", type=addresses, action="extend", metavar="F,..", default=[], help="faulty nodes")
    group.add_argument(
        "--faulty-links", type=links, action="extend", metavar="A-B,..", default=[], help="faulty links, by their ends"
    )
    group = parser.add_argument_group("measurement")
    which = group.add_mutually_exclusive_group()
    which.add_argument("--rates", type=_numbers, metavar="X,..", help="offered loads (default 0.1 to 1.0)")
    which.add_argument("--saturation", action="store_true", help=f"one point of load {SATURATED}")
    which.add_argument("--zero-load", action="store_true", help=f"one point of load {ZERO_LOAD}")
    group.add_argument(
        "--cycles",
        type=integer,
        metavar="N",
        help=f"cycles of the window, a multiple of {STEP} from {STEP} to {MOST_CYCLES} (default {CYCLES})",
    )
    group.add_argument(
        "--warmup",
        type=integer,
        metavar="N",
        help=f"cycles before it, a multiple of {STEP} from 0 to {MOST_CYCLES} (default: found, up to half of --cycles)",
    )
    group.add_argument(
        "--seed", type=integer, default=1, metavar="N", help="of everything random, 0 to 2**64 - 1 (default 1)"
    )
    group.add_argument(
        "--engine",
        choices=ENGINES,
        default=ENGINES[0],
        help=f"what is run (default %(default)s); beyond n = {LARGEST} golden alone",
    )
    group.add_argument(
        "--jobs",
        type=integer,
        metavar="N",
        help=f"points at a time, 1 to {MOST_JOBS} (default: one for each processor)",
    )
    parser.add_argument("-o", "--out", type=folder_name, metavar="DIR", help="folder for results, made if needed")
    parser.add_argument(
        "--booksim",
        type=folder_name,
        metavar="DIR",
        help="measure nothing: write files by which BookSim 2.0 simulates the same cube, traffic and loads",
    )
    parser.add_argument("--explore", type=folder_name, metavar="DIR", help=f"{EXPLORE}; of one offered load")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def needs_plots() -> None:
    """Raise ``ToolError`` unless plots can be drawn here."""
    if find_spec("matplotlib") is None:
        raise ToolError("load needs matplotlib: pip install 'cubecast[study]'")


def write_drawn(
    folder: Path, name: str, result: object, curves: dict[str, list[dict[str, Any]]], inputs: Sequence[Path] = ()
) -> list[Path]:
    """Write a result and its plot, but over no file that is read; return the files."""
    from cubecast.tb.campaigns.curves.plots import draw

    files: dict[str, str | bytes] = {f"{name}.json": json.dumps(result, indent=1) + "\n"}
    files |= {f"{name}.{kind}": content for kind, content in draw(curves).items()}
    return write_files(folder, files, inputs)


def run(arguments: argparse.Namespace) -> int:
    """Measure the points; return the exit status."""
    system = LOADED[arguments.router]
    config = loaded(config_of(arguments, system, arguments.router, played=True))
    traffic = _traffic(arguments, system, config)
    traces = traffic.pattern == TRACE
    if arguments.booksim is not None:
        _refuse_unused(arguments, WRITTEN_ALONE, "booksim, which measures nothing")
        parameters = [name for name in (*given_parameters(arguments), "preset") if name != "dim"]
        _refuse_unused(arguments, parameters, "booksim, which has routers of its own")
    window = traced_window(traffic) if traces else window_of(arguments.cycles, arguments.warmup)
    reductions = _reductions(arguments)
    engine = "golden" if arguments.booksim is not None else arguments.engine
    try:
        check_load(config, traffic, engine, arguments.seed, reductions)
    except NoTreeError as error:
        raise NoResultError(f"no tree: {error}") from error
    rates = arguments.rates or DEFAULT_RATES
    if arguments.saturation or arguments.zero_load:
        rates = (SATURATED,) if arguments.saturation else (ZERO_LOAD,)
    if traces:
        rates = (SATURATED,)
    if arguments.booksim is not None:
        return _write_booksim(arguments, traffic, rates)
    names = [f"load.{kind}" for kind in ("json", "svg", "png")]
    read = [Path(traffic.trace)] if traces else []
    if arguments.out is not None:
        output_folder(arguments.out, [*names, KEPT], read)
    if arguments.explore is not None:
        check_explored(config, window, rates)
        results = [] if arguments.out is None else [arguments.out / name for name in (*names, KEPT)]
        check_folder(arguments.explore, read, results, "out")
    if arguments.out is not None:
        needs_plots()
    pages = list[Path]()
    with Progress(arguments.parser.prog, "starting") as progress:
        result = measure(
            config,
            traffic,
            window,
            rates,
            engine=arguments.engine,
            seed=arguments.seed,
            jobs=arguments.jobs,
            folder=arguments.out,
            progress=progress.stage,
            reductions=reductions,
        )
        if arguments.explore is not None:
            progress.stage("the run is recorded on the golden network")
            pages = explore_load(arguments.explore, config, result, rates[0])
    points = result["points"]
    result = with_run(arguments, result, ["--traffic", f"trace:{traffic.trace}"] if traces else [])
    written = [] if arguments.out is None else write_drawn(arguments.out, "load", result, {"": points})
    if arguments.json:
        print(json.dumps(result))
    else:
        lines = [*point_lines(points, reduces=reductions is not None), _speed(arguments.engine, points)]
        print_text([*lines, *(f"wrote {path}" for path in written), *where(pages)])
    good = all(each["exactly_once"] and each["in_order"] is not False and each["drained"] for each in points)
    good = good and all(each["reductions"]["right"] for each in points if reductions is not None)
    return 0 if good else 1


def _write_booksim(arguments: argparse.Namespace, traffic: Traffic, rates: tuple[float, ...]) -> int:
    """Write files for BookSim; return the exit status."""
    from cubecast.tb.campaigns.curves.booksim import booksim

    written = write_files(arguments.booksim, checked(booksim, traffic, rates, arguments.seed))
    if arguments.json:
        print(json.dumps({"written": [str(path) for path in written]}))
    else:
        print_text([*(f"wrote {path}" for path in written), f"run: sh {arguments.booksim / 'run.sh'} path/to/booksim"])
    return 0


def _traffic(arguments: argparse.Namespace, system: System, config: Any) -> Traffic:
    """Return what the options say of the traffic."""
    assert system.loads is not None
    pattern, *more = arguments.traffic.split(":")
    values: dict[str, Any] = {"pattern": pattern}
    if pattern == "hotspot":
        values |= dict(
            zip(("hotspot", "share"), _parted("traffic", arguments.traffic, "hotspot:NODE:SHARE"), strict=True)
        )
        values["hotspot"] = _whole("hotspot", values["hotspot"])
    elif pattern == TRACE:
        from cubecast.tb.campaigns.curves.run import digest_of

        place = Path(":".join(more))
        if not any(more):
            raise UsageError(f"traffic must be {TRACE}:FILE, not {shown(arguments.traffic)}")
        # Of a name that cannot be these are false, and it is told when it is read.
        if os.path.exists(place) and not os.path.isfile(place):
            raise UsageError(f"trace must be a file, which is read for each point, not {shown(str(place))}")
        values["trace"] = str(place.absolute())
        values["digest"] = digest_of(text_of(Path(values["trace"]), "trace file"))
        _refuse_unused(arguments, TRACED_ALONE, f"traffic {TRACE}, whose file says it")
    elif pattern == "permutation":
        (seed,) = _parted("traffic", arguments.traffic, "permutation:SEED")
        # As it was given: a fraction has fewer digits than a seed may have.
        exact = re.fullmatch(r"\d{1,20}", more[0], re.ASCII)
        values["permutation"] = int(more[0]) if exact else _whole("seed of the permutation", seed)
    elif more:
        raise UsageError(f"traffic must be one of {', '.join((*PATTERNS, TRACE))}, not {shown(arguments.traffic)}")
    if arguments.lists is not None:
        share, members = _parted("multicast", arguments.lists, "SHARE:K")
        values["lists"] = Lists(share=share, members=_whole("nodes of a list", members))
    policy = playing_of(arguments, system, config).get("policy") or "".join(system.loads.policies[:1])
    return checked(  # type: ignore[no-any-return]
        Traffic,
        dim=arguments.dim,
        broadcast=arguments.broadcast,
        faults=tuple(sorted({*arguments.fault})),
        faulty_links=tuple(sorted({*arguments.faulty_links})),
        policy=policy,
        **values,
        **_lengths(arguments.length),
    )


def _reductions(arguments: argparse.Namespace) -> Reductions | None:
    """Return what the option says of reductions, if it is given."""
    if arguments.reduce is None:
        return None
    words, period = _parted("reduce", arguments.reduce, "WORDS:PERIOD")
    return checked(  # type: ignore[no-any-return]
        Reductions, words=_whole("words of a reduction", words), period=_whole("period of reductions", period)
    )


def _lengths(text: str) -> dict[str, Any]:
    """Return what the option says of the words of a message."""
    form = "length must be N, A-B or bimodal:A:B:SHARE"
    if found := re.fullmatch(r"(\d{1,9})(?:-(\d{1,9}))?", text, re.ASCII):
        least = int(found[1])
        most = int(found[2] or least)
        if most < least:
            raise UsageError(f"{form}, B at least A, not {shown(text)}")
        if 1 <= least <= MOST_WORDS < most:
            # The traffic would name its spread, which is no option.
            raise UsageError(f"greatest length must be an integer from {least} to {MOST_WORDS}, not {most}")
        return {"length": least, "spread": most - least + 1}
    if text.split(":")[0] != "bimodal":
        raise UsageError(f"{form}, not {shown(text)}")
    short, other, share = _parted("length", text, "bimodal:A:B:SHARE")
    return {"length": _whole("length", short), "other": _whole("length", other), "other_share": share}


TRACED_ALONE = ("length", "lists", "broadcast", "rates", "saturation", "zero_load", "cycles", "warmup", "booksim")
"""Options that a trace has no use for."""

WRITTEN_ALONE = ("reduce", "cycles", "warmup", "engine", "jobs", "policy", "out", "explore")
"""Options that files for BookSim have no use for."""


def _refuse_unused(arguments: argparse.Namespace, unused: Sequence[str], what: str) -> None:
    """Raise ``UsageError`` if an option is given that something else has no use for."""
    for name in unused:
        if getattr(arguments, name) != arguments.parser.get_default(name):
            option = {"lists": "multicast"}.get(name, name.replace("_", "-"))
            raise UsageError(f"{option} must not be given with {what}")


def is_point(value: object) -> bool:
    """Return whether this has all that the table and the plot of points need."""

    def numbers(values: object, *names: str) -> bool:
        found = [values.get(name) if isinstance(values, dict) else None for name in names]
        return all(
            isinstance(each, int | float) and not isinstance(each, bool) and 0 <= each < _LARGEST for each in found
        )

    if not isinstance(value, dict) or not isinstance(latency := value.get("latency"), dict):
        return False
    rates, known = (
        ("offered", "accepted", "delivered", "worst_node", "best_node"),
        [n for n in _LATENCIES if latency.get(n) is not None],
    )
    return (
        numbers(value, *rates)
        and numbers(value.get("link_use"), "mean")
        and numbers(latency, *known)
        and {*_LATENCIES} <= latency.keys()
        and all(isinstance(value.get(name), bool) for name in _MARKS.keys() - {"in_order"})
        and isinstance(value.get("in_order", ""), bool | None)
        and type(value.get("unreachable", 0)) is int
    )


def point_lines(points: list[dict[str, Any]], *, reduces: bool = False) -> list[str]:
    """Return the table of the points; ``reduces``: with their reductions."""
    figures = ("offered", "accepted", "delivered", "mean", "+-", "p50", "p95", "p99", "max", "worst", "best", "links")
    head = (*figures, *(("all-reduce", "") if reduces else ("",)))
    rows = []
    for each in points:
        latency = ("-" if (value := each["latency"][name]) is None else value for name in _LATENCIES)
        marks = [text for name, text in _MARKS.items() if each[name] is False]
        if reduces and not each["reductions"]["right"]:
            marks.append("wrong or missing results")
        if missed := each.get("unreachable"):
            marks.append(f"{missed} destinations not reached")
        rows.append(
            [
                *(f"{each[name]:.4f}" for name in ("offered", "accepted", "delivered")),
                *latency,
                *(f"{each[name]:.4f}" for name in ("worst_node", "best_node")),
                f"{each['link_use']['mean']:.3f}",
                *((_reduced(each["reductions"]),) if reduces else ()),
                ", ".join(marks),
            ]
        )
    return [*table(head, rows), f"(words per node and cycle; latency{' and all-reduces' * reduces} in cycles)"]


def _speed(engine: str, points: list[dict[str, Any]]) -> str:
    """Return how fast all points were run; those that another run has measured count as they did there."""
    cycles, seconds = (sum(each[name] for each in points) for name in ("cycles", "seconds"))
    return f"(engine {engine}: {cycles:,} cycles, {cycles / max(seconds, 0.001):,.0f} per second of a core)"


def _reduced(reductions: dict[str, Any]) -> str:
    """Return the mean cycles of all-reduces, for the table."""
    return f"{cycles['mean']:.1f}" if (cycles := reductions["cycles"]) else "-"


_LARGEST = 10**12
"""No figure of a point is as large as this."""

_LATENCIES = ("mean", "interval", "p50", "p95", "p99", "max")

_MARKS = {
    "steady": "not steady",
    "drained": "not all has come",
    "exactly_once": "lost, doubled or wrong words",
    "in_order": "out of order",
}
"""What is said of a point that is not so."""


def _numbers(text: str) -> tuple[float, ...]:
    """Return the offered loads of an option's value.

    Raises
    ------
    argparse.ArgumentTypeError
        One of them is none.
    """
    found = tuple(decimal(part) for part in text.split(","))
    if not are_rates(found):
        wanted = f"must be different numbers above 0, up to {MOST_RATE:g}, with commas between"
        raise argparse.ArgumentTypeError(f"{wanted}, not {shown(text)}")
    return found


def _parted(name: str, text: str, form: str) -> list[float]:
    """Return the numbers of an option's value, one for each capital word of its form."""
    words = form.split(":")
    numbers = sum(word.isupper() for word in words)
    try:
        found = [decimal(part) for part in text.split(":")[len(words) - numbers :]]
    except argparse.ArgumentTypeError:
        found = []
    if len(found) != numbers:
        raise UsageError(f"{name} must be {form}, not {shown(text)}")
    return found


def _whole(name: str, value: float) -> int:
    """Return a number that must be whole."""
    if value != int(value):
        raise UsageError(f"{name} must be an integer, not {value}")
    return int(value)
