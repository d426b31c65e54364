"""Generation: how long ``cubecast generate`` takes for routers and networks."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cubecast.tb.harness.pages import markdown
from cubecast.tb.measure.synthesis import Progress

__all__ = ["TITLE", "headline", "run", "table"]

TITLE = "Generation"

AIM = 5
"""Seconds wanted for a router."""

SIZES = {"router": (3, 6, 8, 10), "network": (3, 6, 8, 10)}
"""Dimensions, by what is generated."""

QUICK = {"router": (3, 6, 10), "network": (3, 6)}
"""Those of a quick run."""


def run(quick: bool, progress: Progress) -> dict[str, Any]:
    """Run the command; return ``rows``: seconds of wall time, and seconds of processor time.

    Parameters
    ----------
    quick : bool
        Leave out what takes long.
    progress : function
        Takes a line that says what is done now.
    """
    rows = []
    for unit, dimensions in (QUICK if quick else SIZES).items():
        for n in dimensions:
            progress(f"{unit} of n = {n}")
            rows.append({"unit": unit, "n": n, **_timed(unit, n)})
    return {"rows": rows}


def _timed(unit: str, n: int) -> dict[str, Any]:
    """Generate into a scratch folder; return times and the size of the Verilog, or what went wrong."""
    with tempfile.TemporaryDirectory(prefix="cubecast-") as folder:
        command = [sys.executable, "-m", "cubecast", "generate", unit, "--dim", str(n), "-o", folder]
        before, start = _processor(), time.monotonic()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        seconds, processor = time.monotonic() - start, _processor() - before
        if done.returncode:
            return {"failed": done.stderr.strip().rpartition("\n")[2] or f"status {done.returncode}"}
        size = (Path(folder) / f"cubecast_{unit}.v").stat().st_size
    return {"seconds": round(seconds, 2), "processor": round(processor, 2), "kilobytes": round(size / 1000)}


def _processor() -> float:
    """Return the processor time in seconds that ended children of this process have used."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def table(result: Mapping[str, Any]) -> list[str]:
    """Return the table."""
    head = ["what", "n", "seconds", "of processor time", "Verilog, kB", "aim"]
    rows = []
    for row in result["rows"]:
        aim = f"{AIM} s" if row["unit"] == "router" else ""
        if "failed" in row:
            figures = [f"failed: {row['failed']}", "", ""]
        else:
            figures = [f"{row['seconds']:.1f}", f"{row['processor']:.1f}", f"{row['kilobytes']:,}"]
        rows.append([row["unit"], row["n"], *figures, aim])
    return markdown(head, rows)


def headline(result: Mapping[str, Any]) -> dict[str, str]:
    """Return the figure for the table of all runs."""
    largest = [row for row in result["rows"] if row["unit"] == "router" and "seconds" in row][-1:]
    return {f"router n = {row['n']}, s": f"{row['seconds']:.1f}" for row in largest}
