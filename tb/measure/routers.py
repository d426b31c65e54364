"""Whole routers: what the presets take of three FPGA families, and the clock rate that they reach on an ECP5."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cubecast.golden.multicast.contract.config import Config
from cubecast.systems.multicast import PRESETS
from cubecast.systems.system import DEFAULT
from cubecast.tb.harness.pages import markdown
from cubecast.tb.harness.verilog import verilog_of
from cubecast.tb.measure.designs import ROUTER
from cubecast.tb.measure.synthesis import FAMILIES, Job, Progress, cells, measure, place_and_route

__all__ = ["TITLE", "headline", "run", "table"]

TITLE = "Whole routers"

SYNTHESISED = (("small", 2), ("small", 3), ("small", 4))
"""Routers that are synthesised for all families: the preset, and n."""

PLACED = (("small", 2, "25k"), ("small", 3, "25k"), ("small", 4, "25k"), (DEFAULT, 3, "85k"))
"""Routers that are placed: the preset, n, and the ECP5."""

GRADE = 6
"""Speed grade of the ECP5, the slowest."""

AIM = 80
"""Clock rate in MHz wanted of the default router of n = 3."""


def run(quick: bool, progress: Progress) -> dict[str, Any]:
    """Synthesise for each family, place and route; return ``rows`` and ``rates``, one per router.

    Parameters
    ----------
    quick : bool
        Only the smallest router, not placed.
    progress : function
        Takes a line that says what is done now.
    """
    designs, placed = SYNTHESISED[: 1 if quick else None], () if quick else PLACED
    families = tuple(FAMILIES)
    jobs = [_cells(preset, n, family) for preset, n in designs for family in families]
    results = measure([*jobs, *(_placed(*design) for design in placed)], progress)
    rows = []
    for index, (preset, n) in enumerate(designs):
        found = results[index * len(families) : (index + 1) * len(families)]
        rows.append({"preset": preset, "n": n, **dict(zip(families, found, strict=True))})
    rates = [
        {"preset": preset, "n": n, "device": device, "grade": GRADE, **result}
        for (preset, n, device), result in zip(placed, results[len(jobs) :], strict=True)
    ]
    return {"rows": rows, "rates": rates}


def config_of(preset: str, n: int) -> Config:
    """Return the parameters of a preset."""
    return Config(dim=n, **(PRESETS[preset](n, {}) if preset != DEFAULT else {}))


def _cells(preset: str, n: int, family: str) -> Job:
    """Return the synthesis of a router for a family."""
    verilog = verilog_of(ROUTER, config_of(preset, n))
    return f"{preset} router of n = {n}, {family}", lambda: cells(verilog, "top", family)


def _placed(preset: str, n: int, device: str) -> Job:
    """Return the placing of a router."""
    verilog = verilog_of(ROUTER, config_of(preset, n))
    return f"{preset} router of n = {n}, placed", lambda: place_and_route(verilog, "top", device=device, grade=GRADE)


def table(result: Mapping[str, Any]) -> list[str]:
    """Return the table of cells, that of clock rates, and what is aimed at."""
    rows = result["rows"]
    head = ["preset", "n", "ECP5: LUT4", "FF", "RAM 16x4", "iCE40: LUT4", "FF", "RAM 4k", "Xilinx 7: LUT", "FF"]
    head += ["distributed RAM cells", "RAMB"]
    columns: dict[str, tuple[str, ...]] = {"ecp5": ("luts", "ffs", "ram"), "ice40": ("luts", "ffs", "blocks")}
    columns |= {"xilinx": ("luts", "ffs", "ram", "blocks")}
    lines = markdown(
        head,
        [
            [row["preset"], row["n"], *(row[family][key] for family, keys in columns.items() for key in keys)]
            for row in rows
        ],
    )
    if result["rates"]:
        head = ["preset", "n", "device", "grade", "MHz", "slowest path from", "to", "levels", "logic ns", "routing ns"]
        keys = ("preset", "n", "device", "grade", "mhz", "start", "end", "levels", "logic", "routing")
        lines += ["", *markdown(head, [[row[key] for key in keys] for row in result["rates"]])]
    for row in _aimed(result):
        lines += ["", f"Aim: {AIM} MHz for the default router of n = 3; measured: {row['mhz']} MHz."]
    return lines


def _aimed(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the row of the router for which there is an aim, if it was placed."""
    return [row for row in result["rates"] if (row["preset"], row["n"]) == (DEFAULT, 3)]


def headline(result: Mapping[str, Any]) -> dict[str, str]:
    """Return the figures for the table of all runs."""
    return {name: f"{row['mhz']}" for row in _aimed(result) for name in ["router MHz, n = 3"]}
