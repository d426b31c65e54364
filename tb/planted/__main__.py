"""Plant the bugs of the lists and see whether their tests find them: ``python -m cubecast.tb.planted --help``."""

from __future__ import annotations

import argparse
import datetime
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cubecast.options.arguments import Parser, file_name, up_to
from cubecast.options.ending import DONE, MISMATCH, STATUSES, concluded
from cubecast.options.files import output_file, write_file
from cubecast.options.usage import UsageError
from cubecast.tb.harness.revision import clean, need_clean, revision
from cubecast.tb.mutants.runs import ROOT
from cubecast.tb.planted.bugs import Bug, bugs_of, systems
from cubecast.tb.planted.page import DOCS, renew
from cubecast.tb.planted.record import read, text_of
from cubecast.tb.planted.runs import OUTCOMES, tried
from cubecast.tb.planted.trial import CAUGHT

__all__ = ["main"]

PROG = "python -m cubecast.tb.planted"

HELP = f"""\
outcomes:
{chr(10).join(f"  {name:12}{what}" for name, what in OUTCOMES.items())}

examples:
  python -m cubecast.tb.planted crosspoint --only 3,7-9
  python -m cubecast.tb.planted --resume --docs

exit status: 0; 1 if a bug is not caught;
"""

DEFAULT = Path("build") / "planted.jsonl"


def _numbers(text: str) -> set[int]:
    """Return the numbers of an option's value such as ``3,7-9``."""
    if not re.fullmatch(r"\d{1,6}(-\d{1,6})?(,\d{1,6}(-\d{1,6})?)*", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"must be numbers of bugs such as 3,7-9, not {text[:40]!r}")
    ends = [list(map(int, part.split("-"))) for part in text.split(",")]
    return {number for end in ends for number in range(end[0], end[-1] + 1)}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line ``argv``; return the exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    return concluded(PROG, lambda: _planted(words), words)


def _planted(argv: Sequence[str]) -> int:
    """Do it; return the exit status."""
    known = systems()
    parser = Parser(prog=PROG, description="Plant bugs; see whether their tests find them.", epilog=HELP + STATUSES)
    parser.add_argument("systems", nargs="*", metavar="SYSTEM", help=f"of {', '.join(known)} (default: all)")
    parser.add_argument("--only", type=_numbers, metavar="N", help="these numbers of each list, such as 3,7-9")
    parser.add_argument("--jobs", type=up_to(256), default=1, help="bugs that are planted at a time (default: 1)")
    parser.add_argument("-o", "--output", type=file_name, metavar="FILE", help=f"the record (default: {DEFAULT})")
    parser.add_argument("--resume", action="store_true", help="leave out what the record has, nothing having changed")
    parser.add_argument(
        "--docs",
        action="store_true",
        help="take the bugs into docs/planted_bugs.jsonl and renew the page; from a clean tree",
    )
    given = parser.parse_args(argv)
    if not known:
        raise UsageError(f"bugs must be planted in a checkout, which has {str(ROOT / 'tests')!r}")
    for system in given.systems:
        if system not in known:
            raise UsageError(f"system must be one of {', '.join(known)}, not {system!r}")
    now = {"revision": revision(), "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d")}
    if given.docs:
        need_clean("--docs", now["revision"])
    if given.output is None:
        (ROOT / DEFAULT).parent.mkdir(exist_ok=True)
    path = output_file(given.output or ROOT / DEFAULT, "record")
    lists = {system: bugs_of(system) for system in known}
    asked = [
        bug
        for system in given.systems or known
        for bug in lists[system]
        if given.only is None or bug.number in given.only
    ]
    if not asked:
        raise UsageError("--only must leave some bugs of the lists, not none")
    record = {line["key"]: line for line in read(path)}
    left = [bug for bug in asked if not (given.resume and _known(bug, record.get(bug.key), others=given.docs))]
    order = {bug.key: place for place, bug in enumerate(bug for system in known for bug in lists[system])}
    for bug, answer in tried(left, given.jobs, _say) if left else ():
        facts = {"system": bug.system, "what": bug.what, "file": bug.file, "line": answer["line"], "test": bug.test}
        facts |= {"outcome": answer["outcome"], "by": answer["by"], "key": bug.key, "sources": bug.sources}
        record[bug.key] = facts | now
        write_file(path, text_of(_sorted(record, order)))
        _say(f"{bug.place}, {answer['outcome']}: {bug.what} ({answer['by']})")
    found = [record[bug.key] for bug in asked]
    counts = Counter(line["outcome"] for line in found)
    print(", ".join(f"{counts[name]} {name}" for name in OUTCOMES if counts[name]))
    if given.docs:
        renew(_sorted({line["key"]: line for line in [*read(DOCS), *found]}, order))
    return DONE if set(counts) == {CAUGHT} else MISMATCH


def _known(bug: Bug, line: Mapping[str, Any] | None, *, others: bool) -> bool:
    """Return whether a line of the record is of a bug as it is; ``others``: and of a revision that others have."""
    return line is not None and line["sources"] == bug.sources and (not others or clean(line["revision"]))


def _sorted(record: Mapping[str, dict[str, Any]], order: Mapping[str, int]) -> list[dict[str, Any]]:
    """Return the bugs of a record in the order of the lists; those that are in no list any more are left out."""
    return sorted((line for line in record.values() if line["key"] in order), key=lambda line: order[line["key"]])


def _say(line: str) -> None:
    """Print a line of progress."""
    print(f"planted: {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
