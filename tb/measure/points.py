"""Points: routers of many parameters, measured for ``cubecast synth --estimate``, and their history.

``python -m cubecast.tb.measure.points`` measures at the revision that is checked out, appends a line for each point to
``points.jsonl``, tells every figure that became worse, and writes the table of `docs/synthesis.md`.
"""

from __future__ import annotations

import datetime
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cubecast.options.arguments import Parser
from cubecast.options.ending import STATUSES, concluded
from cubecast.options.usage import UsageError
from cubecast.systems import units
from cubecast.systems.system import DEFAULT
from cubecast.tb.harness.pages import markdown, replace
from cubecast.tb.harness.revision import clean, revision
from cubecast.tb.measure import history, routers
from cubecast.tb.measure.estimate import KINDS, POINTS, latest, read_points
from cubecast.tb.measure.synth import Design, design_of_unit, synthesise

__all__ = ["MEASURED", "Point", "main", "measured", "table", "worse"]

PROG = "python -m cubecast.tb.measure.points"

TARGET = "ecp5"
"""Target of the points."""

LIMIT = 0.03
"""Part by which a figure has to be worse to be told."""

SHOWN = 4
"""Measurements of a point in the table, the latest ones."""

ROOT = Path(__file__).resolve().parents[2]


class Point(NamedTuple):
    """What is measured.

    Parameters
    ----------
    unit : str
        What it is called on the command line.
    dim : int
        n.
    preset : str
        Its preset.
    given : dict
        Parameters that win over it.
    placed : bool
        Whether its clock rate is measured too, with seed 1.
    """

    unit: str
    dim: int
    preset: str = "small"
    given: Mapping[str, Any] = {}
    placed: bool = False

    def config(self) -> Any:
        """Return its configuration."""
        system = units()[self.unit][0]
        values = {} if self.preset == DEFAULT else system.presets[self.preset](self.dim, self.given)
        return system.config(**{"dim": self.dim, **values, **self.given})


CROSSPOINT = "crosspoint-router"
PACKET = "packet-router"
MULTICAST = "router"

MEASURED = (
    Point(CROSSPOINT, 2, placed=True),
    Point(CROSSPOINT, 3, placed=True),
    Point(CROSSPOINT, 4, placed=True),
    Point(CROSSPOINT, 2, given={"runs": 2}, placed=True),
    Point(CROSSPOINT, 3, given={"runs": 2}),
    Point(CROSSPOINT, 3, given={"width": 32}),
    Point(CROSSPOINT, 3, given={"depth": 32}),
    Point(CROSSPOINT, 3, given={"eject_depth": 128}),
    Point(CROSSPOINT, 3, given={"multicast": False}),
    Point(CROSSPOINT, 3, given={"fault_tolerant": True}),
    Point(CROSSPOINT, 3, given={"counters": 32, "log_depth": 16}),
    Point(CROSSPOINT, 3, DEFAULT),
    Point(PACKET, 2, placed=True),
    Point(PACKET, 3, placed=True),
    Point(PACKET, 2, given={"width": 32}, placed=True),
    Point(PACKET, 2, given={"rows": 8}, placed=True),
    Point(PACKET, 2, given={"fault_tolerant": True}),
    Point(PACKET, 2, given={"counters": 32, "log_depth": 16}),
    Point(PACKET, 2, DEFAULT),
    Point(MULTICAST, 2, placed=True),
    Point(MULTICAST, 3, placed=True),
    Point(MULTICAST, 2, given={"width": 32}, placed=True),
    Point(MULTICAST, 2, given={"counters": 32, "log_depth": 16}),
    Point(MULTICAST, 3, DEFAULT),
)
"""The points, those that take the least time first."""


def measured(point: Point, *, seeds: int) -> dict[str, Any]:
    """Return a point's figures, with so many seeds of the placer; 0: area alone."""
    config = point.config()
    unit = units()[point.unit][1]
    design: Design = design_of_unit(unit, config)
    figures, _ = synthesise(design, TARGET, seeds=seeds)
    rate = figures["mhz"]
    about = {"unit": point.unit, "target": TARGET, "parameters": config.to_json()}
    about |= {kind: figures[kind] for kind in KINDS}
    return about | {"mhz": rate and rate["median"], "device": figures["device"]}


def recorded(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the points among whole routers that ``make bench`` measured with links that end in registers."""
    names = {"multicast": MULTICAST, "packet": PACKET, "crosspoint": CROSSPOINT}
    designs = {design.name: design for design in routers.DESIGNS if design.system in names}
    section = record["sections"].get("routers", {"rows": [], "rates": []})
    rates = {row["name"]: row for row in section["rates"] if row["grade"] and not row["looped"] and not row["bare"]}
    for row in section["rows"]:
        design, found = designs.get(row.get("name")), row.get(TARGET)
        if design is None or found is None:
            continue
        rate = rates.get(design.name)
        yield {
            "unit": names[design.system],
            "target": TARGET,
            "parameters": Point(names[design.system], design.dim, design.preset, dict(design.given)).config().to_json(),
            **dict(zip(KINDS, (found["luts"], found["ffs"], found["ram"], found["blocks"], None), strict=True)),
            "mhz": rate and min(run["mhz"] for run in rate["runs"]),
            "device": rate and rate["device"],
            "revision": found.get("revision", record["revision"]),
            "date": record["date"],
        }


def worse(before: Sequence[Mapping[str, Any]], point: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each figure of a point that is more than 3 % worse than it was measured last."""
    same = [p for p in latest(before) if all(p[key] == point[key] for key in ("unit", "target", "parameters"))]
    for old in same:
        for kind in (*KINDS, "mhz"):
            was, now = old[kind], point[kind]
            if not was or now is None:
                continue
            change = (was - now if kind == "mhz" else now - was) / was
            if change > LIMIT:
                about = f"{point['unit']}, {_parameters(point, before)}"
                yield f"worse by {100 * change:.1f} %: {kind} of {about}: {was} at {old['revision']}, {now} now"


def _parameters(point: Mapping[str, Any], others: Sequence[Mapping[str, Any]]) -> str:
    """Return the parameters that tell a point from the others of its unit."""
    family = [other["parameters"] for other in others if other["unit"] == point["unit"]]
    mine = point["parameters"]
    return ", ".join(f"{key}={value}" for key, value in mine.items() if any(f.get(key) != value for f in family))


def table(points: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the table of the docs: each point with its latest measurements, the last one first."""
    rows = []
    for point in latest(points):
        runs = [p for p in points if all(p[key] == point[key] for key in ("unit", "target", "parameters"))][-SHOWN:]
        told = [
            f"{run['lut']:,}" + (f"; {run['mhz']} MHz" if run["mhz"] else "") + f" ({run['revision']})"
            for run in reversed(runs)
        ]
        rows.append([point["unit"], _parameters(point, points), point["ff"], point["lutram"], ", ".join(told)])
    return markdown(["unit", "parameters", "FF", "RAM 16x4", "LUTs, rate and revision, the latest first"], rows)


def main(argv: list[str] | None = None) -> int:
    """Run the command line ``argv``; return the exit status."""
    words = sys.argv[1:] if argv is None else argv
    return concluded(PROG, lambda: _run(words), words)


def _run(argv: list[str]) -> int:
    """Measure; return the exit status."""
    parser = Parser(
        prog=PROG,
        description="Measure the points that estimates are made of, at a revision without changes.",
        epilog=f"exit status: 0; {STATUSES}",
    )
    parser.add_argument("--only", metavar="UNIT", choices=sorted({point.unit for point in MEASURED}), help="one unit")
    parser.add_argument("--area", action="store_true", help="place nothing")
    parser.add_argument("--recorded", action="store_true", help="take what make bench recorded instead")
    parser.add_argument("--table", action="store_true", help="only write the table of the docs again")
    given = parser.parse_args(argv)
    if not given.table:
        _append(_taken() if given.recorded else _fresh(given.only, area=given.area))
    page = ROOT / "docs" / "synthesis.md"
    page.write_text(replace(page.read_text(), {"points": table(read_points())}))
    return 0


def _append(points: Iterator[dict[str, Any]]) -> None:
    """Append points to the file one by one, and tell what became worse."""
    for point in points:
        before = read_points()
        for line in worse(before, point):
            print(line)
        with POINTS.open("a") as file:
            file.write(json.dumps(point, separators=(",", ":")) + "\n")


def _fresh(only: str | None, *, area: bool) -> Iterator[dict[str, Any]]:
    """Measure and yield points.

    Raises
    ------
    UsageError
        Files differ from the revision that is checked out.
    """
    asked = revision()
    if not clean(asked):
        raise UsageError(f"revision must be one without changes, so that figures can be made again, not {asked}")
    for point in MEASURED:
        if only in (None, point.unit):
            figures = measured(point, seeds=int(point.placed and not area))
            now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M")
            print(
                f"{point.unit}, n = {point.dim}, {point.preset} {dict(point.given)}: {figures['lut']:,} LUTs",
                flush=True,
            )
            yield figures | {"revision": asked, "date": now}


def _taken() -> Iterator[dict[str, Any]]:
    """Yield what the records of ``make bench`` have last, and the file has not."""
    known = [(p["unit"], p["parameters"], p["revision"]) for p in read_points()]
    last = history.read(ROOT / "docs" / "benchmarks.jsonl")
    record = next((run for run in reversed(last) if "routers" in run["sections"]), None)
    for point in recorded(record) if record else ():
        if (point["unit"], point["parameters"], point["revision"]) not in known:
            yield point


if __name__ == "__main__":
    sys.exit(main())
