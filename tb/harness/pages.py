"""Pages: tables in Markdown, and their places in the pages of the documentation."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence

__all__ = ["cell", "markdown", "prose", "replace"]


def markdown(head: Sequence[str], rows: Iterable[Sequence[object]], right: Sequence[bool] | None = None) -> list[str]:
    """Return a table, line by line; numbers are grouped by thousands, floating-point ones have one digit.

    Parameters
    ----------
    head : sequence of str
        Names of the columns.
    rows : iterable of sequence
        The cells.
    right : sequence of bool
        Which columns are set to the right; None: those of numbers.
    """
    body = [list(row) for row in rows]
    if right is None:
        right = [all(isinstance(row[i], int | float) for row in body) for i in range(len(head))]
    lines = [f"| {' | '.join(head)} |", "|" + "|".join("--:" if number else "---" for number in right) + "|"]
    return lines + [f"| {' | '.join(map(cell, row))} |" for row in body]


def cell(value: object) -> str:
    """Return the text of one value, in which a bar, in code too, does not end the cell."""
    if isinstance(value, float):
        return f"{value:,.1f}"
    return f"{value:,}" if type(value) is int else str(value).replace("|", "\\|")


def prose(text: str) -> list[str]:
    """Return sentences line by line, as the pages have them."""
    return textwrap.wrap(text, 120, break_long_words=False, break_on_hyphens=False)


def replace(page: str, tables: Mapping[str, Sequence[str]]) -> str:
    """Return a page with new lines between the marks ``<!-- name begin -->`` and ``<!-- name end -->``.

    Raises
    ------
    ValueError
        The page lacks a mark.
    """
    for name, lines in tables.items():
        begin, end = f"<!-- {name} begin -->", f"<!-- {name} end -->"
        before, _, rest = page.partition(f"{begin}\n")
        _, found, after = rest.partition(end)
        if not found or page.count(begin) != 1 or page.count(end) != 1:
            raise ValueError(f"page must have {begin} and {end} once, in this order")
        page = before + "\n".join([begin, *lines, end]) + after
    return page
