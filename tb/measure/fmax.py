"""Clock rate: what the message handling unit and small routers reach on an ECP5, and their slowest paths."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from cubecast.golden.multicast.contract.config import POLICIES, Config
from cubecast.tb.harness.pages import markdown, prose
from cubecast.tb.harness.verilog import verilog_of
from cubecast.tb.measure.designs import CHANNEL, DIMENSIONS, LISTS, MHU, ROUTER, configs, named
from cubecast.tb.measure.synthesis import Job, Progress, measure, place_and_route

__all__ = ["TITLE", "headline", "run", "table"]

TITLE = "Clock rate"

AIM = 100
"""Clock rate in MHz wanted of the unit of n = 6, m = 8."""

SLOWEST, FASTEST = 6, 8
"""Speed grades of the ECP5."""

ROUTERS = ((2, 2, "25k"), (3, 4, "85k"))
"""Routers that are placed: n, m and the device."""

UNITS = {"mhu": MHU, "channel": CHANNEL, "channel, one multicaster": CHANNEL, "router": ROUTER}
"""What is placed, by the name of the design."""


def run(quick: bool, progress: Progress) -> dict[str, Any]:
    """Place and route; return ``rows``, one per design and speed grade.

    Parameters
    ----------
    quick : bool
        Only the smallest unit.
    progress : function
        Takes a line that says what is done now.
    """
    found = configs(quick=quick)
    designs = [("mhu", config, "25k", SLOWEST) for config in found[: 1 if quick else None]]
    if not quick:
        aimed = [config for config in found if (config.dim, config.max_dest) == (DIMENSIONS[-1], LISTS[1])]
        designs += [("mhu", config, "25k", FASTEST) for config in aimed]
        smallest = [config for config in found if config.dim == DIMENSIONS[0]]
        slower = [dataclasses.replace(config, decision_latency=2) for config in (*smallest, *aimed)]
        designs += [("mhu", config, "25k", SLOWEST) for config in slower]
        designs += [("mhu", config, "25k", FASTEST) for config in slower[len(smallest) :]]
        for config in (aimed[0], dataclasses.replace(aimed[0], decision_latency=2)):
            shared = dataclasses.replace(config, multicasters="channel")
            designs += [("channel", config, "25k", SLOWEST), ("channel, one multicaster", shared, "25k", SLOWEST)]
        for n, m, device in ROUTERS:
            designs += [("router", Config(dim=n, max_dest=m, policy=policy), device, SLOWEST) for policy in POLICIES]
    results = measure([_job(*design) for design in designs], progress)
    return {
        "rows": [
            {
                "design": unit,
                **named(config),
                "latency": config.decision_latency,
                "device": device,
                "grade": grade,
                **result,
            }
            for (unit, config, device, grade), result in zip(designs, results, strict=True)
        ]
    }


def _job(unit: str, config: Config, device: str, grade: int) -> Job:
    """Return the placing of one design."""
    verilog = verilog_of(UNITS[unit], config)
    what = f"{unit} of n = {config.dim}, m = {config.max_dest}, {config.policy}, grade {grade}"
    what += ", two cycles per dimension" * (config.decision_latency > 1)
    return what, lambda: place_and_route(verilog, "top", device=device, grade=grade)


def table(result: Mapping[str, Any]) -> list[str]:
    """Return the table, and below it what is aimed at."""
    head = ["design", "n", "m", "policy", "cycles per dimension", "device", "grade", "MHz"]
    head += ["slowest path from", "to", "levels", "logic ns", "routing ns"]
    rows = []
    for row in result["rows"]:
        keys = ("design", "n", "m", "policy", "latency", "device", "grade", "mhz")
        path = [f"`{row['start']}`", f"`{row['end']}`", row["levels"], row["logic"], row["routing"]]
        rows.append([*(row[key] for key in keys), *path])
    lines = markdown(head, rows)
    reached, slower = (_reached(result, latency) for latency in (1, 2))
    if reached:
        text = f"Aim: {AIM} MHz for n = {DIMENSIONS[-1]}, m = {LISTS[1]}; measured ({POLICIES[0]}): {reached}"
        lines += ["", *prose(text + (f"; with two cycles per dimension {slower}." if slower else "."))]
    return lines


def _reached(result: Mapping[str, Any], latency: int) -> str:
    """Return what the unit for which there is an aim reaches with this decision latency."""
    reached = {row["grade"]: row["mhz"] for row in _aimed(result, latency)}
    return ", ".join(f"{mhz} MHz in grade {grade}" for grade, mhz in sorted(reached.items()))


def _aimed(result: Mapping[str, Any], latency: int = 1) -> list[dict[str, Any]]:
    """Return the rows of the unit for which there is an aim."""
    keys, wanted = ("design", "n", "m", "policy", "latency"), ("mhu", DIMENSIONS[-1], LISTS[1], POLICIES[0], latency)
    return [row for row in result["rows"] if tuple(row[key] for key in keys) == wanted]


def headline(result: Mapping[str, Any]) -> dict[str, str]:
    """Return the figures for the table of all runs."""
    return {f"MHU MHz, grade {row['grade']}": f"{row['mhz']}" for row in _aimed(result)}
