"""Price of multicast: area of the router against one whose units can send to one destination only."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from cubecast.golden.multicast.contract.config import POLICIES, Config
from cubecast.tb.harness.modules import module_of
from cubecast.tb.harness.pages import markdown
from cubecast.tb.harness.verilog import verilog_of
from cubecast.tb.measure.area import KEPT
from cubecast.tb.measure.designs import DIMENSIONS, LISTS, MHU, ROUTER, named
from cubecast.tb.measure.synthesis import Job, Progress, area, measure

__all__ = ["TITLE", "headline", "run", "table", "unicast_router"]

TITLE = "Price of multicast"

AIM = 15
"""Per cent of the unicast router's area that multicast is wanted to cost at most."""

UNIT = "cubecast.tb.measure.unicast_mhu:UnicastMhu"
"""What takes the place of the message handling unit."""

PARTS = (
    "multicaster",
    "output_module",
    "data_buffer",
    "store",
    "broadcaster_fault_tolerant",
    "reporter",
    "input_module",
    "controller",
    "eligibility",
    "input_port",
    "matching_checker",
    "type_checker",
)
"""Units of the message handling unit, each of which is synthesised alone to see where its area goes."""

RAM_LUTS = 4
"""LUTs that a distributed memory of 16 words of 4 bits occupies beside its share of a write port."""


def run(quick: bool, progress: Progress) -> dict[str, Any]:
    """Synthesise; return ``rows``, one per configuration.

    Parameters
    ----------
    quick : bool
        Only the smallest cube.
    progress : function
        Takes a line that says what is done now.

    Returns
    -------
    dict
        In each row: ``whole`` and ``unicast``, both with ``mhu`` and ``router`` and in them ``luts``, ``ffs`` and
        ``ram``; ``units``, how many message handling units a router has; and ``parts``, the figures of each unit in
        the whole one, all of its kind together.
    """
    pairs = [(n, min(LISTS[1], 2**n - 2)) for n in (DIMENSIONS[:1] if quick else DIMENSIONS)]
    found = [Config(dim=n, max_dest=m, policy=policy) for n, m in pairs for policy in POLICIES]
    jobs: list[Job] = [job for config in found for job in _jobs(config)]
    results = measure(jobs, progress)
    return {"rows": [_row(config, *results[3 * i : 3 * i + 3]) for i, config in enumerate(found)]}


def _jobs(config: Config) -> list[Job]:
    """Return the three syntheses of one configuration: whole router, unicast router, units of the whole unit."""
    whole, unit = verilog_of(ROUTER, config), verilog_of(MHU, config)
    single = unicast_router(config)
    what = f"n = {config.dim}, {config.policy}"
    parts = {name: f"multicast_{name}" for name in PARTS if f"module cubecast_multicast_{name}_" in unit}
    return [
        (f"router of {what}", lambda: area(whole, "top", KEPT)),
        (f"unicast router of {what}", lambda: area(single, "top", KEPT | {"mhu": "unicast_mhu"})),
        (f"units of {what}", lambda: area(unit, "top", parts)),
    ]


def unicast_router(config: Config) -> str:
    """Return the Verilog of a router of the same size whose units are :class:`UnicastMhu`."""
    one = Config.from_json({**config.to_json(), "max_dest": 1, "max_list": 1})
    router = verilog_of(ROUTER, one)
    unit = verilog_of(UNIT, one, name="cubecast_unicast_mhu")
    router = re.sub(rf"^(\s+){module_of(router, KEPT['mhu'])} ", r"\1cubecast_unicast_mhu ", router, flags=re.MULTILINE)
    present = set(re.findall(r"^module (\w+)", router, re.M))
    modules = re.findall(r"^module (\w+)(.*?)^endmodule\n", unit, re.M | re.S)
    return router + "".join(f"module {name}{body}endmodule\n" for name, body in modules if name not in present)


def _row(config: Config, whole: Mapping[str, Any], single: Mapping[str, Any], parts: Mapping[str, Any]) -> Any:
    """Return the figures of one configuration."""
    keys = ("luts", "ffs", "ram")

    def figures(found: Mapping[str, Any]) -> dict[str, dict[str, int]]:
        mine, total = found["modules"]["mhu"], found["total"]
        return {"mhu": {key: mine[key] for key in keys}, "router": {key: total[key] for key in keys}}

    inside = {name: {key: module[key] * module["count"] for key in keys} for name, module in parts["modules"].items()}
    return {
        **named(config),
        "units": config.units,
        "whole": figures(whole),
        "unicast": figures(single),
        "parts": inside,
    }


def _luts(figures: Mapping[str, int]) -> int:
    """Return logic and memory together, in LUTs."""
    return figures["luts"] + RAM_LUTS * figures["ram"]


def _more(row: Mapping[str, Any], what: str) -> str:
    """Return by how much the whole is larger, in per cent of the unicast one, memory included."""
    whole, single = (_luts(row[kind][what]) for kind in ("whole", "unicast"))
    return f"{100 * (whole - single) / single:+.0f} %"


def _multicaster(row: Mapping[str, Any]) -> str:
    """Return what the multicasters add to the rest of the whole router, in per cent."""
    mine = row["units"] * _luts(row["parts"]["multicaster"])
    return f"{100 * mine / (_luts(row['whole']['router']) - mine):+.0f} %"


def table(result: Mapping[str, Any]) -> list[str]:
    """Return the comparison, and for the largest router of each policy where the area of its units goes."""
    head = ["n", "m", "policy"]
    for what in ("MHU", "router"):
        head += [f"{what}: LUT4", "unicast", "RAM 16x4", "unicast", "in all"]
    head.append("multicasters alone")
    rows = []
    for row in result["rows"]:
        cells = [row["n"], row["m"], row["policy"]]
        for what in ("mhu", "router"):
            pairs = [row[kind][what][key] for key in ("luts", "ram") for kind in ("whole", "unicast")]
            cells += [*pairs, _more(row, what)]
        rows.append([*cells, _multicaster(row)])
    lines = [*markdown(head, rows), "", f"Aim: less than +{AIM} % for the router."]
    for policy in POLICIES:
        largest = [row for row in result["rows"] if row["policy"] == policy][-1:]
        for row in largest:
            lines += ["", *_parts(row)]
    return lines


def _parts(row: Mapping[str, Any]) -> list[str]:
    """Return where the area of one message handling unit goes."""
    parts = sorted(row["parts"].items(), key=lambda item: -_luts(item[1]))
    total = sum(_luts(figures) for _, figures in parts)
    rows = [
        [
            name if name != "top" else "(between the units)",
            f["luts"],
            f["ffs"],
            f["ram"],
            f"{100 * _luts(f) / total:.0f} %",
        ]
        for name, f in parts
    ]
    head = [f"unit (n = {row['n']}, m = {row['m']}, {row['policy']})", "LUT4", "FF", "RAM 16x4", "share"]
    return markdown(head, rows)


def headline(result: Mapping[str, Any]) -> dict[str, str]:
    """Return the figure for the table of all runs: that of the largest router."""
    mine = [row for row in result["rows"] if row["policy"] == POLICIES[0]][-1:]
    return {f"multicast, n = {row['n']}": _more(row, "router") for row in mine}
