"""Tables: the documented figures as Markdown, between marks in their page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cubecast.tb.campaigns.load.series import COLLISIONS

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

    Raises
    ------
    ValueError
        The page has no place for a series.
    """
    for series in dict.fromkeys(line["series"] for line in lines):
        name = file_name(series)
        mine = [line for line in lines if line["series"] == series]
        table = _collisions(mine) if series == COLLISIONS else _points(mine, label_of(series))
        begin, end = f"<!-- {name} begin -->\n", f"<!-- {name} end -->\n"
        if page.count(begin) != 1 or page.count(end) != 1:
            raise ValueError(f"page must have {begin.strip()} and {end.strip()} once")
        before, rest = page.split(begin)
        page = before + begin + table + end + rest.split(end)[1]
    return page


def _points(lines: Sequence[Line], label: Callable[[Line], str]) -> str:
    """Return the table of a series of points."""
    rows = [["", *HEADS], ["---", *["--:"] * len(HEADS)]]
    rows += [[label(line), *(_shown(name, line[name]) for name in FIGURES)] for line in lines]
    return _joined(rows)


def _shown(name: str, value: float | None) -> str:
    """Return a figure as it stands in a table."""
    if value is None:
        return "-"
    return f"{value:,.{DIGITS[name]}f}" if name in DIGITS else f"{value:,}"


def _collisions(lines: Sequence[Line]) -> str:
    """Return the table of the pairs at a source."""
    rows = [["routing", "n", "pairs", "measured", "exact", "equation"], ["---", *["--:"] * 5]]
    for line in lines:
        numbers = [f"{line[name]:.4f}" for name in ("measured", "exact", "equation")]
        rows.append([line["routing"], str(line["dim"]), f"{line['pairs']:,}", *numbers])
    return _joined(rows)


def _joined(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as lines of Markdown."""
    return "".join(
        "|" + "|".join(cell if cell[-2:] in ("--", "-:") else f" {cell} " for cell in row) + "|\n" for row in rows
    )
