"""Area: LUTs, flip-flops and memory of the message handling unit and of the router, and how they grow with m."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

from cubecast.golden.multicast.contract.config import POLICIES, Config
from cubecast.tb.harness.pages import markdown
from cubecast.tb.harness.verilog import verilog_of
from cubecast.tb.measure.designs import DIMENSIONS, LISTS, MHU, ROUTER, configs, named
from cubecast.tb.measure.synthesis import Job, Progress, area, depth, measure

__all__ = ["KEPT", "TITLE", "headline", "run", "table"]

TITLE = "Area"

KEPT = {
    "mhu": "multicast_mhu",
    "output_gateway": "multicast_output_gateway",
    "output_gateway_local": "multicast_output_gateway_local",
    "report_collector": "report_collector",
    "control_port": "control_port",
}
"""Units of a router that are synthesised once each, with the names of their modules; the rest is flattened."""

LONGER = 32
"""One more list length, for the growth of the message handling unit only."""

SAME_BUFFER: dict[str, Any] = {"max_list": LONGER + 1, "max_data": 15}
"""Parameters that give its data buffer the 48 words that the others of the largest cube have."""


def run(quick: bool, progress: Progress) -> dict[str, Any]:
    """Synthesise; return ``rows``, one per configuration, and ``growth``, LUTs of the unit by m.

    Parameters
    ----------
    quick : bool
        Only the smallest cube, and no growth.
    progress : function
        Takes a line that says what is done now.
    """
    found = configs(quick=quick)
    largest = DIMENSIONS[-1]
    longer = (
        [] if quick else [Config(dim=largest, max_dest=LONGER, policy=policy, **SAME_BUFFER) for policy in POLICIES]
    )
    jobs: list[Job] = [job for config in found for job in _jobs(config)]
    jobs += [(f"unit of n = {c.dim}, m = {c.max_dest}, {c.policy}", _unit(c)) for c in longer]
    results = measure(jobs, progress)
    rows = [_row(config, *results[2 * i : 2 * i + 2]) for i, config in enumerate(found)]
    growth: dict[str, dict[str, int]] = {}
    if not quick:
        for policy in POLICIES:
            mine = [row for row in rows if row["n"] == largest and row["policy"] == policy]
            growth[policy] = {str(row["m"]): row["mhu"]["luts"] for row in mine}
        for config, result in zip(longer, results[2 * len(found) :], strict=True):
            growth[config.policy][str(LONGER)] = result["total"]["luts"]
    return {"rows": rows, "growth": growth}


def _jobs(config: Config) -> list[Job]:
    """Return the two syntheses of one configuration."""
    what = f"n = {config.dim}, m = {config.max_dest}, {config.policy}"
    router = verilog_of(ROUTER, config)
    unit = verilog_of(MHU, config)
    return [(f"router of {what}", lambda: area(router, "top", KEPT)), (f"depth of {what}", lambda: depth(unit, "top"))]


def _unit(config: Config) -> Any:
    """Return the synthesis of one message handling unit."""
    verilog = verilog_of(MHU, config)
    return lambda: area(verilog, "top")


def _row(config: Config, router: Mapping[str, Any], levels: Mapping[str, int]) -> dict[str, Any]:
    """Return the figures of one configuration."""
    unit = router["modules"]["mhu"]
    parts = {name: router["modules"][name]["luts"] for name in KEPT}
    keys = ("luts", "ffs", "ram", "blocks")
    return {
        **named(config),
        "units": unit["count"],
        "mhu": {key: unit[key] for key in keys} | dict(levels),
        "router": {key: router["total"][key] for key in keys},
        "parts": parts,
    }


def table(result: Mapping[str, Any]) -> list[str]:
    """Return the tables."""
    head = ["n", "m", "policy", "lanes", "MHU: LUT4", "FF", "RAM 16x4", "LUT6", "LUT6 deep"]
    head += ["MHUs", "router: LUT4", "FF", "RAM 16x4"]
    rows = []
    for row in result["rows"]:
        unit, router = row["mhu"], row["router"]
        mine = [unit[key] for key in ("luts", "ffs", "ram", "lut6", "depth")]
        rows.append([*(row[key] for key in ("n", "m", "policy", "lanes")), *mine, row["units"]])
        rows[-1] += [router[key] for key in ("luts", "ffs", "ram")]
    lines = markdown(head, rows)
    for policy, points in result["growth"].items():
        lines += ["", *_growth(policy, {int(m): luts for m, luts in points.items()})]
    return lines


def _growth(policy: str, points: Mapping[int, int]) -> list[str]:
    """Return the table of the growth with m, and how it compares with m log m."""
    order = sorted(points)
    steps = [points[b] - points[a] for a, b in itertools.pairwise(order)]
    wanted = [b * math.log2(b) - a * math.log2(a) for a, b in itertools.pairwise(order)]
    rows: list[Sequence[object]] = [[order[0], points[order[0]], "", "", ""]]
    for i, m in enumerate(order[1:]):
        grown = f"{steps[i] / steps[i - 1]:.2f}" if i else ""
        limit = f"{wanted[i] / wanted[i - 1]:.2f}" if i else ""
        rows.append([m, points[m], steps[i], grown, limit])
    n = DIMENSIONS[-1]
    head = [f"m (n = {n}, {policy})", "MHU: LUT4", "more than before", "times the step before", "aim: m log m gives"]
    return markdown(head, rows)


def headline(result: Mapping[str, Any]) -> dict[str, str]:
    """Return the figures for the table of all runs: those of n = 6 and m = 8."""
    for row in result["rows"]:
        if (row["n"], row["m"], row["policy"]) == (DIMENSIONS[-1], LISTS[1], POLICIES[0]):
            return {"MHU LUT4": f"{row['mhu']['luts']:,}", "router LUT4": f"{row['router']['luts']:,}"}
    return {}
