"""Load a packet network: ``python -m cubecast.tb.campaigns.load``."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from pathlib import Path
from typing import Any

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.options.arguments import Parser, folder_name, integer
from cubecast.options.files import output_file, write_file, write_files
from cubecast.options.inputs import objects_of
from cubecast.options.usage import UsageError, checked
from cubecast.tb.campaigns.command import add_packet_network, main_of
from cubecast.tb.campaigns.load.run import Load, LostError, points, rate_of
from cubecast.tb.campaigns.load.series import COLLISIONS, PLAN, measure, measure_collisions
from cubecast.tb.campaigns.load.tables import written
from cubecast.tb.harness.revision import need_clean, revision

__all__ = ["main"]

HELP = """\
Every node generates messages at random times for random nodes; the RTL network carries them. A line of JSON is printed
per offered load: words (heads included) per node and cycle that are offered and accepted, mean latency in cycles from
the generation of a message to its first packet and to its last, shares of lost and colliding messages, link use.

examples:
  python -m cubecast.tb.campaigns.load --dim 3 --quick
  python -m cubecast.tb.campaigns.load --link serial --packets 16 --burst 2 --offered 0.02,0.05
  python -m cubecast.tb.campaigns.load --out docs                     renew docs/packet_load.*, in a clean tree
  python -m cubecast.tb.campaigns.load --out docs --only rows         some of it

exit status: 0 all is well; 1 messages were lost in the network;
"""

OFFERED = {"parallel": (0.1, 0.3, 0.5, 0.7, 0.8, 0.9), "serial": (0.01, 0.03, 0.05, 0.07)}
"""By kind of link: what is offered unless said otherwise."""

FILE = "packet_load.jsonl"


PROG = "python -m cubecast.tb.campaigns.load"


def _add(parser: Parser) -> None:
    """Add the options."""
    add_packet_network(parser, dim=6)
    parser.add_argument("--packets", type=integer, default=1, metavar="N", help="packets of a message (default 1)")
    parser.add_argument("--burst", type=integer, default=1, metavar="N", help="messages generated together (default 1)")
    parser.add_argument("--words", type=integer, default=15, metavar="N", help="words after a head (default 15)")
    parser.add_argument("--offered", metavar="X,..", help="words per node and cycle (default: by kind of link)")
    parser.add_argument(
        "--cycles", "--clocks", type=integer, metavar="N", help="cycles of a point (default 16000, serial 100000)"
    )
    parser.add_argument("--seed", type=integer, default=1, metavar="N", help="of everything random (default 1)")
    parser.add_argument("--quick", action="store_true", help="a tenth of the cycles, compiled quickly")
    parser.add_argument(
        "--out", type=folder_name, metavar="DIR", help="measure the documented series, and write them here"
    )
    parser.add_argument("--only", metavar="NAME,..", help=f"with --out: of {_names()}")
    parser.add_argument("--dirty", action="store_true", help="with --out, in a tree with changes, too")


def _run(given: argparse.Namespace) -> int:
    """Do it; return the exit status."""
    try:
        if given.out is not None:
            _renew(given.out, given.only, dirty=given.dirty)
        elif given.only is not None or given.dirty:
            raise UsageError(f"--{'dirty' if given.only is None else 'only'} must come with --out")
        else:
            _print(given)
    except LostError as error:
        print(f"{PROG}: {error}", file=sys.stderr)
        return 1
    return 0


def _names() -> str:
    """Return the names of the series, as they are given."""
    return ", ".join(_plain(name) for name in (*PLAN, COLLISIONS))


def _plain(name: str) -> str:
    """Return a series' name as it is given on the command line."""
    return name.replace(",", "").replace(" ", "-")


def _print(given: Any) -> None:
    """Measure points of one network, and print them."""
    config = checked(
        PacketConfig,
        **{name: getattr(given, name) for name in ("dim", "link", "routing", "rows")},
        max_words=max(given.words, 3),
    )
    if config.width < 16 or given.words < 3:
        raise UsageError(f"words must be an integer from 3 to 63, not {given.words}")
    cycles = given.cycles
    if cycles is None:
        cycles = 16_000 if config.link == "parallel" else 100_000
    cycles //= 10 if given.quick else 1
    names = ("packets", "burst", "words", "seed")
    load = checked(
        Load,
        **{name: getattr(given, name) for name in names},
        cycles=cycles,
        warm=max(1, cycles // 4),
        drain=max(0, 2 * cycles),
    )
    offered = _numbers(given.offered) if given.offered is not None else OFFERED[config.link]
    rates = [rate_of(config, load, number) for number in offered]
    for point in points(config, load, rates, speed="build" if given.quick else "run"):
        print(json.dumps(point), flush=True)


def _numbers(text: str) -> list[float]:
    """Return the loads of a list."""
    try:
        numbers = [float(word) for word in text.split(",")]
    except ValueError:
        numbers = []
    if not numbers or not all(0 < number <= 100 for number in numbers):
        raise UsageError(f"--offered must be numbers above 0, with commas between, not {text!r}")
    return numbers


def _renew(folder: Path, only: str | None, *, dirty: bool) -> None:
    """Measure the documented series, or some of them, and write data and plots; ``dirty``: whatever has changed."""
    known = {_plain(name): name for name in (*PLAN, COLLISIONS)}
    chosen = list(known) if only is None else only.split(",")
    for name in chosen:
        if name not in known:
            raise UsageError(f"--only must be of {', '.join(known)}, not {name!r}")
    if not folder.is_dir():
        raise UsageError(f"--out must be a folder, not {str(folder)!r}")
    try:
        draw = importlib.import_module("cubecast.tb.campaigns.load.plots").draw
    except ModuleNotFoundError as error:
        raise UsageError(f"{error.name} is missing: pip install -e .[dev]") from None
    file = folder / FILE
    output_file(file)
    order = list(known.values())
    lines = objects_of(
        file,
        "figures",
        lambda line: line.get("series") in order and "revision" in line,
        "a point of a series, with its revision",
    )
    begun = revision()
    if not dirty:
        need_clean("--out", begun)
    for plain in chosen:
        name = known[plain]
        made = []
        rows = measure_collisions() if name == COLLISIONS else (row for one in PLAN[name] for row in measure(name, one))
        for row in ({**row, "revision": begun} for row in rows):
            print(json.dumps(row), file=sys.stderr, flush=True)
            made.append(row)
        lines = [line for line in lines if line["series"] != name] + made
        lines.sort(key=lambda line: order.index(line["series"]))
        write_file(file, "".join(json.dumps(line) + "\n" for line in lines))
        write_files(folder / file.stem, draw(lines))
        page = file.with_suffix(".md")
        if page.exists():
            write_file(page, written(lines, page.read_text()))


DESCRIPTION = "Measure latency and throughput of the RTL packet network against the load."

main = main_of(PROG, DESCRIPTION, HELP, _add, _run)
"""Run a command line; return the exit status."""


if __name__ == "__main__":
    sys.exit(main())
