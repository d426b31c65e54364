"""Renew the documented figures of ``docs/load.md``: ``python -m cubecast.tb.campaigns.curves --out docs``."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from cubecast.options.arguments import Parser, folder_name, integer
from cubecast.options.ending import STATUSES, concluded
from cubecast.options.files import output_file, write_file, write_files
from cubecast.options.inputs import objects_of
from cubecast.options.usage import UsageError
from cubecast.tb.campaigns.curves.plan import PLAN, Planned, curves, routers, tables
from cubecast.tb.campaigns.curves.plots import draw
from cubecast.tb.campaigns.curves.run import point
from cubecast.tb.harness.pages import replace
from cubecast.tb.harness.revision import need_clean, revision

__all__ = ["main"]

PROG = "python -m cubecast.tb.campaigns.curves"

FILE = "load.jsonl"

SEED = 1

KEPT = (
    *("offered", "accepted", "delivered", "messages", "latency", "steady", "warmup"),
    *("flits", "worst_node", "mean_node", "best_node", "link_use", "exactly_once", "in_order", "drained"),
)
"""Figures of a point that are kept in the file."""


NEEDED = {*KEPT, "revision"}
"""What every line has."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line ``argv``; return the exit status."""
    words = sys.argv[1:] if argv is None else argv
    return concluded(PROG, lambda: _renew(words), words)


def _renew(argv: Sequence[str]) -> int:
    """Measure what is missing in the file, and write file, plot and tables; return the exit status."""
    parser = Parser(
        prog=PROG,
        description="Measure networks of 64 routers of all kinds, and golden networks of 8 routers, under load, "
        "for docs/load.md; what is in load.jsonl already is not measured again. Each point says its revision: begun in "
        "a folder below build/, which is no change of the tree, the measurement can be stopped and go on.",
        epilog=f"exit status: 0; 1 words were lost, doubled, wrong or out of order;\n{STATUSES}",
    )
    parser.add_argument("--out", type=folder_name, required=True, metavar="DIR", help="folder of the page")
    parser.add_argument("--first", type=integer, metavar="N", help="measure so many points, and stop")
    parser.add_argument("--dirty", action="store_true", help="measure in a tree with changes, too")
    given = parser.parse_args(argv)
    folder: Path = given.out
    if not folder.is_dir():
        raise UsageError(f"--out must be a folder, not {str(folder)!r}")
    if given.first is not None and not 0 <= given.first <= len(PLAN):
        raise UsageError(f"first must be an integer from 0 to {len(PLAN)}, not {given.first}")
    file = output_file(folder / FILE)
    order = [_key(_about(planned)) for planned in PLAN]
    lines = objects_of(
        file, "figures", lambda line: _key(line) in order and line.keys() >= NEEDED, "a point that is planned"
    )
    known = {_key(line) for line in lines}
    missing = [planned for planned in PLAN if _key(_about(planned)) not in known][: given.first]
    begun = revision()
    if missing and not given.dirty:
        need_clean("--out", begun)
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for line in _lines(pool, missing):
            line["revision"] = begun
            lines.append(line)
            lines.sort(key=lambda each: order.index(_key(each)))
            write_file(file, "".join(json.dumps(each) + "\n" for each in lines))
            print(json.dumps(line), file=sys.stderr, flush=True)
    drawn = {"uniform.svg": curves(lines), "routers.svg": routers(lines)}
    write_files(folder / "load", {name: draw(each)["svg"] for name, each in drawn.items() if each})
    page = folder / "load.md"
    if page.exists():
        write_file(page, replace(page.read_text(), tables(lines)))
    return 0 if all(map(_good, lines)) else 1


def _lines(pool: ThreadPoolExecutor, missing: Sequence[Planned]) -> Iterator[dict[str, Any]]:
    """Yield the lines of points, those with the same routers after each other: the first one builds what they run."""
    for config in dict.fromkeys(planned.config for planned in missing):
        first, *others = (planned for planned in missing if planned.config == config)
        yield _measured(first)
        yield from pool.map(_measured, others)


def _good(line: dict[str, Any]) -> bool:
    """Return whether all came once, and in order where the router promises one."""
    return line["exactly_once"] and line["in_order"] is not False and line["drained"]


def _about(planned: Planned) -> dict[str, Any]:
    """Return what a line of the file says of a point beside its figures."""
    return {"series": planned.series, **planned.label, "rate": planned.offered}


def _key(line: dict[str, Any]) -> str:
    """Return what tells a line from all others."""
    names = ("series", "words", "eject", "policy", "router", "pattern", "traffic", "rate")
    return json.dumps([line.get(name) for name in names])


def _measured(planned: Planned) -> dict[str, Any]:
    """Measure a point; return its line."""
    found = point(SEED, **planned.arguments())
    return {**_about(planned), "seed": SEED, **{name: found[name] for name in KEPT}}


if __name__ == "__main__":
    sys.exit(main())
