"""Tables: the documented figures as Markdown, between marks in their page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cubecast.tb.campaigns.load.series import COLLISIONS
from cubecast.tb.harness.pages import markdown, replace
from cubecast.tb.harness.revision import points_by_revision

__all__ = ["file_name", "label_of", "written"]

Line = dict[str, Any]

FIGURES = ("offered", "accepted", "first", "message", "largest", "lost", "collisions", "utilisation")

HEADS = ("offered", "accepted", "first packet", "message", "largest", "lost", "collisions", "link use")

DIGITS = {"offered": 3, "accepted": 3, "first": 1, "message": 1, "lost": 4, "collisions": 3, "utilisation": 3}


def file_name(series: str) -> str:
    """Return the name of a series as that of a file: ``16_packets_serial``."""
    return series.replace(",", "").replace(" ", "_")


def label_of(series: str) -> Callable[[Line], str]:
    """Return what tells the lines of a series apart."""
    if series == "rows":
        return lambda line: f"{line['rows']} rows"
    if series == "packet length":
        return lambda line: f"{line['rows']} rows of {line['words']} words"
    return lambda line: str(line["routing"])


def written(lines: Sequence[Line], page: str) -> str:
    """Return the page with the table of every series between its marks: ``<!-- rows begin -->``, ``<!-- rows end -->``.

    Of which revisions the points are stands between such marks, too.

    Raises
    ------
    ValueError
        The page has no place for a series.
    """
    tables = {"revisions": points_by_revision(lines)}
    for series in dict.fromkeys(line["series"] for line in lines):
        mine = [line for line in lines if line["series"] == series]
        tables[file_name(series)] = _collisions(mine) if series == COLLISIONS else _points(mine, label_of(series))
    return replace(page, tables)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a table of which the first column alone is no number."""
    return markdown(head, rows, [False, *[True] * (len(head) - 1)])


def _points(lines: Sequence[Line], label: Callable[[Line], str]) -> list[str]:
    """Return the table of a series of points."""
    rows = [[label(line), *(_shown(name, line[name]) for name in FIGURES)] for line in lines]
    return _table(["", *HEADS], rows)


def _shown(name: str, value: float | None) -> str:
    """Return a figure as it stands in a table."""
    if value is None:
        return "-"
    return f"{value:,.{DIGITS[name]}f}" if name in DIGITS else f"{value:,}"


def _collisions(lines: Sequence[Line]) -> list[str]:
    """Return the table of the pairs at a source."""
    rows = []
    for line in lines:
        numbers = [f"{line[name]:.4f}" for name in ("measured", "exact", "equation")]
        rows.append([line["routing"], str(line["dim"]), f"{line['pairs']:,}", *numbers])
    return _table(["routing", "n", "pairs", "measured", "exact", "equation"], rows)
