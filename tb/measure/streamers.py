"""Price of streamers: area of the message handling unit with one streamer for each port, and with fewer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cubecast.golden.multicast.contract.config import Config
from cubecast.tb.harness.pages import markdown
from cubecast.tb.harness.verilog import verilog_of
from cubecast.tb.measure.designs import MHU
from cubecast.tb.measure.synthesis import Job, Progress, area, measure
from cubecast.tb.measure.unicast import RAM_LUTS

__all__ = ["TITLE", "run", "table"]

TITLE = "Price of streamers"

CONFIGS = tuple(Config(dim=n, streamers=s) for n in (3, 6) for s in (1, 2, n + 1))
"""The smallest and the largest cube measured, with the default parameters but one."""


def run(quick: bool, progress: Progress) -> dict[str, Any]:
    """Synthesise; return ``rows``, one per configuration: ``n``, ``m``, ``streamers``, ``luts``, ``ffs``, ``ram``.

    Parameters
    ----------
    quick : bool
        Only the smallest cube.
    progress : function
        Takes a line that says what is done now.
    """
    found = [config for config in CONFIGS if not quick or config.dim == CONFIGS[0].dim]
    results = measure([_job(config) for config in found], progress)
    keys = ("luts", "ffs", "ram")
    return {
        "rows": [
            {"n": config.dim, "m": config.max_dest, "streamers": config.streamers}
            | {key: result["total"][key] for key in keys}
            for config, result in zip(found, results, strict=True)
        ]
    }


def _job(config: Config) -> Job:
    """Return the synthesis of one configuration."""
    verilog = verilog_of(MHU, config)
    return f"unit of n = {config.dim}, {config.streamers} streamers", lambda: area(verilog, "top")


def table(result: Mapping[str, Any]) -> list[str]:
    """Return the table; memories count as LUTs in its last columns."""
    rows = []
    for row in result["rows"]:
        all_of_it = {each["streamers"]: _all(each) for each in result["rows"] if each["n"] == row["n"]}
        share = 100 * _all(row) / all_of_it[row["n"] + 1]
        figures = [row[key] for key in ("n", "m", "streamers", "luts", "ffs", "ram")]
        rows.append([*figures, _all(row), f"{share:.0f} %"])
    return markdown(["n", "m", "streamers", "LUT4", "FF", "RAM 16x4", "in all", "of the default"], rows)


def _all(row: Mapping[str, int]) -> int:
    """Return LUTs and memories."""
    return row["luts"] + RAM_LUTS * row["ram"]
