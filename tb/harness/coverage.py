"""Coverage: what the lockstep runs executed and toggled of rtl/, told in lines of Python, and what happened in them.

With ``CUBECAST_COVERAGE`` set to a folder, :func:`cubecast.tb.harness.lockstep.lockstep` runs on Verilator with
counters and keeps those of every run there, with the revision; ``python -m cubecast.tb.harness.coverage`` merges them
and writes the report.
"""

from __future__ import annotations

import datetime
import functools
import json
import os
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cubecast.options.arguments import Parser
from cubecast.options.ending import STATUSES, concluded
from cubecast.options.files import write_files
from cubecast.options.inputs import tables_of
from cubecast.options.usage import UsageError
from cubecast.tb.harness.cache import digest, kept_json, put
from cubecast.tb.harness.constants import constants_of_all
from cubecast.tb.harness.pages import cell
from cubecast.tb.harness.points import Point, counts_of, points_of
from cubecast.tb.harness.revision import revision

__all__ = [
    "Hole",
    "Waiver",
    "aimed",
    "chosen",
    "holes_of",
    "keep",
    "known",
    "main",
    "merge",
    "share",
    "stale",
    "waivers_of",
]

ROOT = Path(__file__).resolve().parents[2]

KINDS = {"line": "lines", "branch": "branches", "toggle": "toggles"}
"""Every kind of point, and what many of them are called."""

AIM = 95
"""Of 100 toggles, how many the runs of all units were to reach, without any explanation."""


class Waiver(NamedTuple):
    """Why points of a unit are never reached, and what holds there: a test, ``tests/<file>.py::<name>``.

    ``what`` is a regular expression for the whole of ``Hole.label``.
    """

    unit: str
    kind: str
    what: str
    why: str
    by: str


class Hole(NamedTuple):
    """A point never reached, its name that stays when lines move, and why it is never reached (None: not known).

    ``why`` ends with the test that holds there.
    """

    point: Point
    label: str
    why: str | None


def chosen() -> Path | None:
    """Return the folder that ``$CUBECAST_COVERAGE`` names, None if there is to be no coverage."""
    name = os.environ.get("CUBECAST_COVERAGE")
    return Path(name).absolute() if name else None


def keep(
    folder: Path, counts: Path, verilog: Path, benches: Sequence[str], reports: Sequence[Mapping[str, Any]]
) -> None:
    """Keep what a process left: Verilator's ``coverage.dat``, where the Verilog is, and its runs with their benches.

    The revision is the one at the end of the runs. What was kept of the same runs, with other sources, is replaced.
    """
    name = _file_of(reports)
    put(folder / f"{name}.dat", counts.read_bytes())
    kept = {"verilog": str(verilog), "benches": list(benches), "reports": list(map(dict, reports))}
    kept |= {"revision": revision(), "sources": _sources(ROOT)}
    put(folder / f"{name}.json", json.dumps(kept).encode())


def known(folder: Path, jobs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]] | None:
    """Return the reports of runs that are there already: what is asked for twice, of the same sources, is run once."""
    path = folder / f"{_file_of(jobs)}.json"
    kept: dict[str, Any] = kept_json(path) or {}
    if kept.get("sources") != _sources(ROOT):
        return None
    reports: list[dict[str, Any]] = kept["reports"]
    return [report | {"events": Counter(report["events"])} for report in reports]


@functools.cache
def _sources(root: Path) -> str:
    """Return a digest of hardware, twins and testbenches: with others the same command is another run."""
    paths = [path for room in ("golden", "rtl", "tb") for path in sorted((root / room).rglob("*.py"))]
    return digest(*(path.read_text() for path in paths))


def _file_of(runs: Sequence[Mapping[str, Any]]) -> str:
    """Return the name of what is kept of a process: that of the commands of its runs."""
    return digest(*(run["command"] for run in runs))


def merge(folder: Path, sources: Mapping[str, list[str]]) -> tuple[Counter[Point], dict[str, dict[str, Any]]]:
    """Return the counts of all points over all runs kept in a folder, and what happened on each testbench.

    Parameters
    ----------
    folder : Path
        Where :func:`keep` put them.
    sources : dict
        Unit, ``system/unit``, to the lines of ``rtl/<unit>.py``.

    Returns
    -------
    points : Counter
        Of all configurations together; a point never reached is there with 0.
    benches : dict
        Name to the number of runs and cycles, and the count of every event.

    Raises
    ------
    ValueError
        A file in the folder is not what a run leaves.
    """
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    benches: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.glob("*.json")):
        try:
            kept = json.loads(path.read_text())
            counted = counts_of(path.with_suffix(".dat").read_text())
            counts[kept["verilog"]].update(counted)
        except (ValueError, KeyError, TypeError, FileNotFoundError):
            raise ValueError(f"folder must hold runs alone, each whole, not {str(path)!r}") from None
        for name, report in zip(kept["benches"], kept["reports"], strict=True):
            bench = benches.setdefault(name, {"runs": 0, "cycles": 0, "events": Counter()})
            bench["runs"] += 1
            bench["cycles"] += report["cycles"]
            bench["events"].update(report["events"])
    points: Counter[Point] = Counter()
    texts = [Path(verilog).read_text() for verilog in counts]
    for text, found, constants in zip(texts, counts.values(), constants_of_all(texts), strict=True):
        points.update(points_of(found, text, sources.get, constants))
    return _same(points), benches


def _made(folder: Path) -> dict[str, str]:
    """Return of which revision, or which ones, the runs kept in a folder are, and the date of today."""
    revisions = {json.loads(path.read_text())["revision"] for path in folder.glob("*.json")}
    date = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d")
    return {"revision": ", ".join(sorted(revisions)), "date": date}


def _same(points: Counter[Point]) -> Counter[Point]:
    """Return the points with each signal's bits drawn together, whatever the configuration makes of it.

    A signal of one bit has a bit 0 where it is wider, and a port may come from elsewhere where nothing drives it.
    """
    lines: dict[tuple[str, str], int] = {}
    for unit, kind, line, what in points:
        if kind == "toggle":
            lines[unit, what] = max(line, lines.get((unit, what), 0))
    found: Counter[Point] = Counter()
    for point, count in points.items():
        if point.kind == "toggle":
            name, _, way = point.what.rpartition(" ")
            zero = f"{name}[0] {way}"
            what = zero if (point.unit, zero) in lines else point.what
            point = point._replace(what=what, line=lines[point.unit, what])
        found[point] += count
    return found


def waivers_of(text: str) -> list[Waiver]:
    """Read the explanations from TOML: tables ``[[hole]]`` with ``unit``, ``kind``, ``what``, ``why`` and ``by``.

    Raises
    ------
    ValueError
        It is no TOML with such tables, or a table lacks a key, or has another one.
    """
    waivers = []
    for table in tables_of(text, "hole", "explanations"):
        if table.keys() != set(Waiver._fields) or table["kind"] not in KINDS:
            raise ValueError(f"hole must have unit, kind (one of {', '.join(KINDS)}), what, why and by, not {table!r}")
        waivers.append(Waiver(**table))
    return waivers


def _label(point: Point, source: Sequence[str]) -> str:
    """Return how a point is called: a signal and its bit, or the text of its line and the alternative."""
    if point.kind == "toggle":
        return point.what
    text = source[point.line - 1].strip() if 0 < point.line <= len(source) else "?"
    return f"{text} {point.what}".strip()


def _explains(waiver: Waiver, point: Point, label: str) -> bool:
    """Return whether a waiver is about this point."""
    return (waiver.unit, waiver.kind) == (point.unit, point.kind) and bool(re.fullmatch(waiver.what, label))


def holes_of(points: Mapping[Point, int], waivers: Iterable[Waiver], sources: Mapping[str, list[str]]) -> list[Hole]:
    """Return all points that were never reached, each with its explanation, if there is one."""
    holes = []
    for point in sorted(point for point, count in points.items() if not count):
        label = _label(point, sources.get(point.unit, []))
        why = next((f"{waiver.why} (`{waiver.by}`)" for waiver in waivers if _explains(waiver, point, label)), None)
        holes.append(Hole(point, label, why))
    return holes


def stale(holes: Iterable[Hole], waivers: Iterable[Waiver]) -> list[Waiver]:
    """Return the explanations of what is no hole any more."""
    return [waiver for waiver in waivers if not any(_explains(waiver, hole.point, hole.label) for hole in holes)]


def share(points: Mapping[Point, int], kind: str, unit: str | None = None) -> tuple[int, int]:
    """Return how many points of a kind were reached, and how many there are, in one unit or in all."""
    counts = [count for point, count in points.items() if point.kind == kind and unit in (None, point.unit)]
    return sum(count > 0 for count in counts), len(counts)


def _percent(reached: int, of: int) -> str:
    """Return a share as text, rounded down, so that 100 means all."""
    return f"{reached * 1000 // of / 10:g} %" if of else "-"


def _summary(points: Mapping[Point, int], holes: Sequence[Hole]) -> list[str]:
    """Return the table of all units."""
    units = sorted({point.unit for point in points})
    lines = ["| unit | lines | branches | toggles | toggles but for explained holes |", "|---|---|---|---|---|"]
    for unit in [*units, None]:
        shares = [share(points, kind, unit) for kind in KINDS]
        cells = [f"{_percent(*shown)} of {shown[1]}" if shown[1] else "-" for shown in shares]
        explained = [
            hole for hole in holes if hole.point.kind == "toggle" and hole.why and unit in (None, hole.point.unit)
        ]
        reached, of = shares[-1]
        cells.append(_percent(reached, of - len(explained)))
        lines.append(f"| {f'`{unit}`' if unit else '**all**'} | {' | '.join(cells)} |")
    return lines


def aimed(points: Mapping[Point, int]) -> str:
    """Return whether the runs reach as many toggles as was aimed at."""
    reached, of = share(points, "toggle")
    found = "reached" if reached * 100 >= AIM * of else "missed"
    return f"Aimed at were {AIM} % of the toggles without any explanation: {found}, with {_percent(reached, of)}."


def _ranges(labels: Iterable[str]) -> str:
    """Return toggles with bits of one signal drawn together: ``data[31:12]``, ``lost[2] rises``."""
    ways: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for label in labels:
        name, _, way = label.rpartition(" ")
        base, _, bit = name.partition("[")
        ways[base, bit.rstrip("]")].add(way)
    groups: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for (base, bit), found in ways.items():
        groups[base, "" if len(found) > 1 else f" {found.pop()}"].append(bit)
    texts = []
    for (base, way), bits in groups.items():
        numbers = sorted(int(bit) for bit in bits if bit.isdigit())
        runs: list[list[int]] = []
        for number in numbers:
            if runs and runs[-1][0] == number - 1:
                runs[-1][0] = number
            else:
                runs.append([number, number])
        shown = [str(high) if high == low else f"{high}:{low}" for high, low in runs]
        shown += [bit for bit in bits if bit and not bit.isdigit()]
        texts.append(f"{base}[{', '.join(shown)}]{way}" if shown else f"{base}{way}")
    return ", ".join(f"`{text}`" for text in texts)


def _grouped(holes: Iterable[Hole]) -> list[tuple[str, str, str | None, str]]:
    """Return unit, kind, explanation and what it is about, one entry for each explanation."""
    groups: defaultdict[tuple[str, str, str | None], list[str]] = defaultdict(list)
    for hole in holes:
        groups[hole.point.unit, hole.point.kind, hole.why].append(hole.label)
    return [
        (unit, kind, why, _ranges(labels) if kind == "toggle" else ", ".join(f"`{label}`" for label in labels))
        for (unit, kind, why), labels in groups.items()
    ]


def _markdown(
    points: Mapping[Point, int], holes: Sequence[Hole], benches: Mapping[str, dict[str, Any]], made: Mapping[str, str]
) -> str:
    """Return the report as a page of the documentation."""
    runs, cycles = (sum(bench[key] for bench in benches.values()) for key in ("runs", "cycles"))
    lines = [
        "# Coverage",
        "",
        f"Written by `make coverage` at {made['revision']}, {made['date']}; the reasons are kept in",
        "[coverage_holes.toml](coverage_holes.toml).",
        f"{runs} lockstep runs on {len(benches)} testbenches, {cycles:,} cycles; what any configuration or any",
        "instance of a unit reached counts as reached. What is said of runs here is of these revisions; hardware and",
        "testbenches may have changed since.",
        "",
        "- line: the body of an `m.If`, `m.Elif`, `m.Else` or `m.Case` was in force. What stands under none of them is",
        "  always in force and not counted.",
        "- branch: the same for each copy of a body that a Python loop makes; that a condition was passed over with no",
        "  body in force; and both arms of each `Mux`.",
        "- toggle: a bit of a port or a named signal rose, and that it fell. Memories and expressions are not counted,",
        "  nor are bits that have one value whatever the inputs are: straps, and what a configuration leaves out, as",
        "  far as Yosys finds them by propagating constants (`tb/harness/constants.py`). The nodes of a network are",
        "  instances: items of its packed vectors count as one, and each is its node's port",
        "  (`tests/common/test_formal_cube.py`, with AXI ports `tests/common/test_formal_axi_ports.py`). A port that",
        "  is whole a port of a unit inside, with nothing between (`tb/harness/wires.py`), is a wire: its bits are the",
        "  same nets and are counted there, and here only that any of them rose, and that any fell.",
        "",
        aimed(points),
        "",
        *_summary(points, holes),
        "",
        "## Holes",
        "",
    ]
    entries = _grouped(holes)
    unexplained = [entry for entry in entries if entry[2] is None]
    if unexplained:
        lines += ["Not explained yet:", "", "| unit | kind | what |", "|---|---|---|"]
        lines += [f"| `{unit}` | {kind} | {cell(what)} |" for unit, kind, _, what in unexplained]
        lines.append("")
    if len(unexplained) < len(entries):
        lines += ["| unit | kind | what | why |", "|---|---|---|---|"]
        lines += [f"| `{unit}` | {kind} | {cell(what)} | {why} |" for unit, kind, why, what in entries if why]
        lines.append("")
    lines += ["## Events", "", "How often what happened, over all runs of a testbench.", ""]
    lines += ["| testbench | runs | cycles | events |", "|---|---|---|---|"]
    for name, bench in sorted(benches.items()):
        counts = ", ".join(f"{event} {count:,}" for event, count in sorted(bench["events"].items()))
        lines.append(f"| `{name}` | {bench['runs']} | {bench['cycles']:,} | {cell(counts)} |")
    return "\n".join([*lines, ""])


def _json(
    points: Mapping[Point, int], holes: Sequence[Hole], benches: Mapping[str, dict[str, Any]], made: Mapping[str, str]
) -> str:
    """Return the report for programs: revision and date, reached and all of each kind, holes with reasons, events."""
    units = sorted({point.unit for point in points})
    counted = {unit: {name: share(points, kind, unit) for kind, name in KINDS.items()} for unit in units}
    listed = [
        {"unit": unit, "kind": kind, "what": what.replace("`", ""), "why": why}
        for unit, kind, why, what in _grouped(holes)
    ]
    events = {name: bench | {"events": dict(sorted(bench["events"].items()))} for name, bench in benches.items()}
    found = {**made, "units": counted, "holes": listed, "benches": dict(sorted(events.items()))}
    return json.dumps(found, indent=1) + "\n"


def _listing(source: Sequence[str], unit: str, points: Mapping[Point, int], holes: Sequence[Hole]) -> str:
    """Return a unit's source with how often each choice was taken, and its holes below their lines."""
    here = [(point, count) for point, count in points.items() if point.unit == unit]
    taken = {point.line: count for point, count in here if point.kind == "line"}
    below: defaultdict[int, list[str]] = defaultdict(list)
    for hole in holes:
        if hole.point.unit == unit and hole.point.kind != "line":
            reason = f"  ({hole.why})" if hole.why else ""
            below[hole.point.line].append(f"{'never':>12}  {hole.point.what}{reason}")
    lines = [f"ports of nested signatures in {unit}:", *below[0], ""] if below[0] else []
    for number, text in enumerate(source, 1):
        lines += [f"{taken.get(number, ''):>12}  {number:4} {text}".rstrip(), *below[number]]
    return "\n".join([*lines, ""])


PROG = "python -m cubecast.tb.harness.coverage"


def main(argv: list[str] | None = None) -> int:
    """Merge the runs kept in a folder and write the report; return 1 if a hole or an explanation stands alone."""
    words = sys.argv[1:] if argv is None else argv
    return concluded(PROG, lambda: _merged(words), words)


def _merged(argv: list[str]) -> int:
    """Do it; return the exit status."""
    parser = Parser(prog=PROG, description=main.__doc__, epilog=f"exit status: 0; 1 as above; {STATUSES}")
    parser.add_argument("folder", type=Path, help="what CUBECAST_COVERAGE named")
    parser.add_argument("--unit", action="append", help="system/unit: show only this one, and write no page")
    parser.add_argument("--holes", type=Path, default=ROOT / "docs" / "coverage_holes.toml", help="explanations")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs", help="folder of coverage.md and coverage.json")
    parser.add_argument("--listings", type=Path, default=ROOT / "build" / "coverage", help="folder of the listings")
    given = parser.parse_args(argv)
    rtl = ROOT / "rtl"
    sources = {
        str(path.relative_to(rtl).with_suffix("")): path.read_text().splitlines() for path in sorted(rtl.rglob("*.py"))
    }
    try:
        waivers = waivers_of(given.holes.read_text()) if given.holes.exists() else []
        points, benches = merge(given.folder, sources)
        if not points:
            raise ValueError(f"folder must hold runs that were made with CUBECAST_COVERAGE, not {given.folder}")
        if given.unit:
            points, waivers = _only(given.unit, points, waivers)
    except ValueError as error:
        raise UsageError(str(error)) from error
    holes = holes_of(points, waivers, sources)
    if not given.unit:
        made = _made(given.folder)
        report = points, holes, benches, made
        write_files(given.docs, {"coverage.md": _markdown(*report), "coverage.json": _json(*report)})
    for unit in {point.unit for point in points}:
        listing = given.listings / f"{unit}.txt"
        write_files(listing.parent, {listing.name: _listing(sources[unit], unit, points, holes)})
    print("\n".join(_summary(points, holes)))
    unexplained = [hole for hole in holes if hole.why is None]
    for hole in unexplained:
        print(f"not explained: rtl/{hole.point.unit}.py:{hole.point.line}: {hole.point.kind}: {hole.label}")
    old = stale(holes, waivers)
    for waiver in old:
        print(f"no hole any more: {waiver.unit}: {waiver.kind}: {waiver.what}")
    return 1 if unexplained or old else 0


def _only(units: Sequence[str], points: Counter[Point], waivers: list[Waiver]) -> tuple[Counter[Point], list[Waiver]]:
    """Return the points and the explanations of some units.

    Raises
    ------
    ValueError
        The runs have no point of one.
    """
    there = sorted({point.unit for point in points})
    for unit in units:
        if unit not in there:
            raise ValueError(f"unit must be one of those that were run ({', '.join(there)}), not {unit!r}")
    kept = Counter({point: count for point, count in points.items() if point.unit in units})
    return kept, [waiver for waiver in waivers if waiver.unit in units]


if __name__ == "__main__":
    sys.exit(main())
