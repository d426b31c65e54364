"""The files of a result: CSV, JSON, and the plot as SVG and PNG; the same to the byte for the same points."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict, fields, replace
from typing import Any, TypeVar

from cubecast.study.model import Claim, Point
from cubecast.study.run import Result

__all__ = ["claim_line", "csv_text", "json_text", "result_files", "rounded"]


SIGNIFICANT = 12
"""Digits of a number in the files: the last bits of a mean are not the same on every machine."""

Row = TypeVar("Row", Point, Claim)


def result_files(result: Result) -> dict[str, str | bytes]:
    """Return all files, name to content; plots too are drawn of the rounded numbers."""
    # Imported here: the workers of a study load this module too, and draw nothing.
    from cubecast.study.plot import pictures

    name = result.study.name
    result = replace(result, points=list(map(rounded, result.points)), claims=list(map(rounded, result.claims)))
    return {
        f"{name}.csv": csv_text(result),
        f"{name}.json": json_text(result),
        **{f"{name}.{kind}": content for kind, content in pictures(result).items()},
    }


def rounded(row: Row) -> Row:
    """Return a point or claim with numbers of :data:`SIGNIFICANT` digits."""
    return replace(row, **{field.name: _rounded(getattr(row, field.name)) for field in fields(row)})


def _rounded(value: Any) -> Any:
    """Return a number, or the numbers of a tuple, rounded; anything else as it is."""
    if isinstance(value, tuple):
        return tuple(map(_rounded, value))
    return float(f"{value:.{SIGNIFICANT}g}") if isinstance(value, float) else value


def csv_text(result: Result) -> str:
    """Return the points as a table with a header line."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(field.name for field in fields(Point))
    writer.writerows(asdict(point).values() for point in result.points)
    return text.getvalue()


def json_text(result: Result) -> str:
    """Return everything: ``parameters``, ``seed``, ``points``, ``claims``; a point and a claim are a line each."""
    claims = ({name: value for name, value in asdict(claim).items() if name != "places"} for claim in result.claims)
    rows = {"points": map(asdict, result.points), "claims": claims}
    parts = [f'"parameters": {json.dumps(result.parameters, allow_nan=False)}', f'"seed": {result.seed}']
    for name, entries in rows.items():
        lines = ",\n".join(f"  {json.dumps(entry, allow_nan=False)}" for entry in entries)
        parts.append(f'"{name}": [\n{lines}\n ]')
    return "{" + ",\n ".join(parts) + "}\n"


def claim_line(claim: Claim) -> str:
    """Return a claim as one line: claim, source, measurement with its interval, verdict."""
    interval = ""
    if claim.interval is not None:
        interval = f" [{claim.interval[0]:.4g}, {claim.interval[1]:.4g}]"
    return f"{claim.claim} ({claim.source}): {claim.measured:.4g}{interval}: {claim.verdict}"
