"""Page: docs/planted_bugs.md, whose tables are made of the record beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from cubecast.options.files import write_file
from cubecast.options.usage import checked
from cubecast.tb.harness.pages import markdown, replace
from cubecast.tb.mutants.runs import ROOT
from cubecast.tb.planted.record import text_of
from cubecast.tb.planted.runs import OUTCOMES

__all__ = ["DOCS", "renew", "tables"]

DOCS = ROOT / "docs" / "planted_bugs.jsonl"
"""The record of the docs."""


def renew(lines: Sequence[Mapping[str, Any]]) -> None:
    """Let these be the record of the docs, and make the tables of the page of it."""
    page = ROOT / "docs" / "planted_bugs.md"
    text = checked(replace, page.read_text(), tables(lines))
    write_file(DOCS, text_of(lines))
    write_file(page, text)


def tables(lines: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return the tables of the page: the sums, and all bugs of each system by unit."""
    systems: dict[str, list[Mapping[str, Any]]] = {}
    for line in lines:
        systems.setdefault(line["system"], []).append(line)
    bugs = []
    for system, some in systems.items():
        rows = [_row(line) for line in some]
        bugs += [f"### {system}", "", *markdown(["unit", "bug", "line", "caught by", "how"], rows, [False] * 5), ""]
    return {"sums": _sums(systems), "bugs": bugs[:-1] or ["None yet."]}


def _sums(systems: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
    """Return the table of systems."""
    rows: list[list[object]] = []
    for system, lines in systems.items():
        units = {_unit(line) for line in lines}
        counts = [sum(line["outcome"] == outcome for line in lines) for outcome in OUTCOMES]
        rows.append([system, len(units), len(lines), *counts, _all(lines, "revision"), _all(lines, "date")])
    return markdown(
        ["system", "files", "bugs", *OUTCOMES, "revision", "date"], rows, [False, *[True] * 7, False, False]
    )


def _all(lines: Iterable[Mapping[str, Any]], key: str) -> str:
    """Return the values that some lines have."""
    return ", ".join({line[key]: None for line in lines})


def _unit(line: Mapping[str, Any]) -> str:
    """Return the unit whose file a bug is in."""
    path = PurePath(line["file"])
    return f"{path.parent.name}/{path.stem}"


def _row(line: Mapping[str, Any]) -> list[object]:
    """Return the row of one bug."""
    caught = line["outcome"] == "caught"
    test = f"`{line['test']}`"
    how = line["by"] if caught else f"**{line['outcome']}** {line['by']}"
    return [f"`{_unit(line)}`", line["what"], line["line"], test if caught else f"not by {test}", how]
