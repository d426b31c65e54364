"""Page: the tables of docs/mutants.md, which are made of the record beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from cubecast.options.files import write_file
from cubecast.options.usage import checked
from cubecast.tb.harness.pages import markdown, replace
from cubecast.tb.mutants.record import Explanation, Record, by_unit, explanations, living, overview, score, survivors
from cubecast.tb.mutants.runs import ROOT

__all__ = ["known_reasons", "renew", "tables"]


def renew(lines: Iterable[dict[str, Any]]) -> None:
    """Take the mutants of some units or modules into the record of the docs, and make the tables of the page again."""
    page = ROOT / "docs" / "mutants.md"
    kept = Record(ROOT / "docs" / "mutants.jsonl")
    for unit, mutants in by_unit(lines).items():
        kept.replace(unit, mutants)
    write_file(page, checked(replace, page.read_text(), tables(kept)))


def known_reasons() -> list[Explanation]:
    """Return why some mutants live, as the docs have it."""
    return explanations((ROOT / "docs" / "mutants_explained.toml").read_text())


def tables(record: Record) -> dict[str, list[str]]:
    """Return the tables of the page, of all that is in the record."""
    units = [line for line in record.lines if not line["unit"].endswith(".py")]
    modules = [line for line in record.lines if line["unit"].endswith(".py")]
    reasons = known_reasons()
    return {
        "scores": [_said(units, "units; no others are in this record"), "", *overview(units, reasons)],
        "survivors": survivors(units, reasons),
        "modules": [_said(modules, "modules; no others are in this record"), "", *_of_modules(modules)],
        "overlooked": survivors(modules, reasons),
    }


def _said(lines: Sequence[dict[str, Any]], what: str) -> str:
    """Return the sentence over a table."""
    dates = sorted(line["date"] for line in lines)
    return (
        f"{len(lines):,} mutants of {len(by_unit(lines))} {what}. From {dates[0]} to {dates[-1]}."
        if dates
        else "None yet."
    )


def _of_modules(lines: Sequence[dict[str, Any]]) -> list[str]:
    """Return the table of modules."""
    rows = []
    for unit, mutants in by_unit(lines).items():
        corners, revisions = ({line[key]: None for line in mutants} for key in ("corner", "revision"))
        figures = [
            len(mutants),
            len(mutants) - len(living(mutants)),
            len(living(mutants)),
            f"{score(mutants) or 0:.1f} %",
        ]
        rows.append([f"`{unit}`", ", ".join(corners), *figures, ", ".join(revisions)])
    head = ["module", "tests", "mutants", "killed", "alive", "score", "revision"]
    return markdown(head, rows, [False, False, True, True, True, True, False])
