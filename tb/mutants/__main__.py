"""Plant bugs in units and see whether their benches find them: ``python -m cubecast.tb.mutants --help``."""

from __future__ import annotations

import datetime
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cubecast.options.arguments import Parser, file_name, up_to
from cubecast.options.ending import DONE, MISMATCH, STATUSES, concluded
from cubecast.options.files import output_file
from cubecast.tb.harness.revision import revision
from cubecast.tb.mutants.inner import through_inner
from cubecast.tb.mutants.netlist import MOST
from cubecast.tb.mutants.page import known_reasons, renew
from cubecast.tb.mutants.proofs import through_proofs
from cubecast.tb.mutants.record import Record, by_unit, living, overview, score, survivors
from cubecast.tb.mutants.runs import OUTCOMES, ROOT, examine, named, plan, units
from cubecast.tb.mutants.surroundings import through_surroundings

__all__ = ["main"]

PROG = "python -m cubecast.tb.mutants"

HELP = f"""\
outcomes:
{chr(10).join(f"  {name:14}{what}" for name, what in OUTCOMES.items())}
The score is the share of killed ones among all but same, masked, parameters and
surroundings.
What lives goes through the proofs of the unit, if it has some at this corner, and
what is inside of a unit that it places through bench and proofs of that one. Then
the solver is asked again, with what the neighbours of its unit give.

examples:
  python -m cubecast.tb.mutants packet/cam common --count 40
  python -m cubecast.tb.mutants packet/router --modules
  python -m cubecast.tb.mutants node/node_interface --own
  python -m cubecast.tb.mutants --resume --docs

exit status: 0; 1 if a mutant lives that is not proven equivalent;
"""

INNER = 10
"""Runs of a unit inside, each with another seed, for a mutant in it that lives: they are short."""

DEFAULT = Path("build") / "mutants.jsonl"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line ``argv``; return the exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    return concluded(PROG, lambda: _mutants(words), words)


def _mutants(argv: Sequence[str]) -> int:
    """Do it; return the exit status."""
    parser = Parser(
        prog=PROG, description="Plant bugs in units; see whether their benches find them.", epilog=HELP + STATUSES
    )
    parser.add_argument("units", nargs="*", metavar="UNIT", help="packet/cam, cam, or a system; default: all units")
    parser.add_argument("--count", type=up_to(MOST), default=40, help="mutants per unit and corner (default: 40)")
    parser.add_argument("--corners", type=up_to(100), default=1, help="of each unit's line, that many (default: 1)")
    parser.add_argument("--seed", type=up_to(2**31 - 1), default=1, help="chooses mutants (default: 1)")
    parser.add_argument(
        "--jobs", type=up_to(256), default=os.cpu_count() or 1, help="that run at a time (default: one per processor)"
    )
    parser.add_argument("--seconds", type=up_to(86_400), default=20, help="of the solver for a mutant (default: 20)")
    parser.add_argument(
        "--modules",
        action="store_true",
        help="ask the solver of the modules inside a unit alone, not of the whole, which takes minutes for a router",
    )
    parser.add_argument(
        "--own",
        action="store_true",
        help="plant in a unit's own module alone: its cells, and the ports of the units that it places",
    )
    parser.add_argument(
        "--seeds",
        type=up_to(1000),
        default=1,
        help="run what lives with seeds 2, 3, ... too, so many in all (default: 1), and if that is more than one on "
        "the unit's other benches; with --resume also what the record has, in the place of asking the solver again",
    )
    parser.add_argument("--record", type=file_name, metavar="FILE", help=f"where mutants are kept (default: {DEFAULT})")
    parser.add_argument("--resume", action="store_true", help="leave out what the record has, nothing having changed")
    parser.add_argument("--json", action="store_true", help="print figures and survivors as JSON")
    parser.add_argument("--docs", action="store_true", help="take the units into docs/mutants.jsonl and renew the page")
    given = parser.parse_args(argv)
    known = units()
    asked = named(given.units, list(known)) or list(known)
    if given.record is None:
        (ROOT / DEFAULT).parent.mkdir(exist_ok=True)
    reasons = known_reasons()
    record = Record(output_file(given.record or ROOT / DEFAULT, "record"))
    now = {
        "seed": given.seed,
        "revision": revision(),
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d"),
    }
    if given.own:
        now["places"] = "own"
    for unit in asked:
        start = time.monotonic()
        line, configs = known[unit]
        earlier = {}
        if given.resume:
            earlier = record.known(unit, without=()) if given.seeds > 1 else record.known(unit)
        mutants: list[dict[str, Any]] = []
        for each in plan(unit, line, configs, given.corners):
            found = examine(
                each,
                given.count,
                given.seed,
                jobs=given.jobs,
                seconds=given.seconds,
                known=earlier,
                say=_say,
                whole=not given.modules,
                own=given.own,
                seeds=given.seeds,
            )
            proven = through_proofs(each, found, _say)
            outside = through_inner(each, proven, jobs=given.jobs, seeds=max(given.seeds, INNER), say=_say)
            for mutant in through_surroundings(each, outside, seconds=given.seconds, say=_say):
                before = earlier.get(mutant["key"])
                if before is None or before["outcome"] != mutant["outcome"]:
                    mutant = {**mutant, **now}
                    record.add(mutant)
                mutants.append(mutant)
        record.replace(unit, mutants)
        _say(f"{unit}: {_summary(mutants)}, {time.monotonic() - start:.0f} s")
    lines = [line for line in record.lines if line["unit"] in asked]
    if given.json:
        print(
            json.dumps(
                {"units": {unit: _figures(some) for unit, some in by_unit(lines).items()}, "living": living(lines)}
            )
        )
    else:
        print("\n".join([*overview(lines, reasons), "", *survivors(lines, reasons)]))
    if given.docs:
        renew(lines)
    return MISMATCH if living(lines) else DONE


def _figures(mutants: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return how many mutants of a unit came to which end, and the score."""
    return {**Counter(line["outcome"] for line in mutants), "mutants": len(mutants), "score": score(mutants)}


def _summary(mutants: Sequence[dict[str, Any]]) -> str:
    """Return the same as text."""
    counts = Counter(line["outcome"] for line in mutants)
    return ", ".join(f"{counts[name]} {name}" for name in OUTCOMES if counts[name])


def _say(line: str) -> None:
    """Print a line of progress."""
    print(f"mutants: {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
