"""History: one line of JSON per run, and the tables in the documentation that are made of it."""

from __future__ import annotations

import datetime
import json
import os
import platform
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cubecast.tb.harness.pages import markdown
from cubecast.tb.harness.revision import revision

__all__ = ["append", "entry", "overview", "read"]

SHOWN = 12
"""Runs in the table of all runs, the latest ones."""


def entry(sections: Mapping[str, Any], headlines: Mapping[str, str], *, quick: bool) -> dict[str, Any]:
    """Return the record of a run: when, of which revision, on what, and all that was measured."""
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M"),
        "revision": revision(),
        "cpu": _cpu(),
        "python": platform.python_version(),
        "quick": quick,
        "headlines": dict(headlines),
        "sections": dict(sections),
    }


def append(path: Path, record: Mapping[str, Any]) -> None:
    """Add a run to the history."""
    with path.open("a") as file:
        file.write(json.dumps(record, separators=(",", ":")) + "\n")


def read(path: Path) -> list[dict[str, Any]]:
    """Return all runs of the history, the earliest first.

    Raises
    ------
    ValueError
        A line is not a run; one line with its number.
    """
    runs = []
    for number, line in enumerate(path.read_text().splitlines() if path.exists() else [], 1):
        try:
            record = json.loads(line)
            runs.append({key: record[key] for key in ("date", "revision", "cpu", "quick", "headlines", "sections")})
        except (ValueError, KeyError, TypeError):
            raise ValueError(f"{path.name} must have one run per line, not {line[:40]!r} (line {number})") from None
    return runs


def overview(runs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the table of the latest runs: their headlines."""
    latest = [run for run in runs if run["headlines"]][-SHOWN:]
    names = list(dict.fromkeys(name for run in latest for name in run["headlines"]))
    rows = [
        [run["date"], run["revision"], run["cpu"], *(run["headlines"].get(name, "") for name in names)]
        for run in latest
    ]
    return markdown(["UTC", "revision", "processor", *names], rows)


def _cpu() -> str:
    """Return the name of the processor and the number of its cores."""
    name = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists() and (found := re.search(r"^model name\s*: (.*)$", info.read_text(), re.M)):
        name = found.group(1)
    return f"{name}, {os.cpu_count()} cores"
