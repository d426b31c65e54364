"""Packet router: area and clock rate of its parts, memory, and speed of simulation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cubecast.golden.packet.contract.config import LINKS, PacketConfig
from cubecast.tb.campaigns.flood.run import Flood
from cubecast.tb.campaigns.flood.run import run as run_flood
from cubecast.tb.harness.pages import markdown
from cubecast.tb.harness.simulators import SimulatorError
from cubecast.tb.harness.verilog import verilog_of
from cubecast.tb.measure.synthesis import Job, Progress, area, measure, place_and_route

__all__ = ["TITLE", "headline", "run", "table"]

TITLE = "Packet router"

DIMENSIONS = (3, 4, 5, 6, 10)
"""Dimensions n of the cubes of which the area is measured."""

PLACED = 6
"""Dimension of the cube whose parts are placed."""

KEPT = {
    "packet_buffer_unit": "packet_buffer_unit",
    "crossbar": "packet_crossbar",
    "node_output_port": "packet_node_output_port",
    "node_input_port": "packet_node_input_port",
    "report_collector": "report_collector",
    "control_port": "control_port",
}
"""Units of a router that are synthesised once each; the rest of it is flattened."""

PARTS = {
    "packet_buffer_unit": "cubecast.rtl.packet.buffer_unit:PacketBufferUnit",
    "crossbar": "cubecast.rtl.packet.crossbar:Crossbar",
    "node_output_port": "cubecast.rtl.packet.node_output_port:NodeOutputPort",
}
"""Units that are placed and routed alone."""

ROUTER = "cubecast.rtl.packet.router:PacketRouter"

SLOWEST, FASTEST = 6, 8
"""Speed grades of the ECP5."""

CYCLES = {3: 200_000, 6: 50_000}
"""Cycles of the floods that the speed is measured with, by n."""


def run(quick: bool, progress: Progress) -> dict[str, Any]:
    """Synthesise, place and simulate; return plain values.

    Parameters
    ----------
    quick : bool
        Only the smallest cube, and nothing placed.
    progress : function
        Takes a line that says what is done now.
    """
    found = [PacketConfig(dim=n, link=link) for n in DIMENSIONS for link in LINKS][: 1 if quick else None]
    placed = [] if quick else [(part, grade) for part in PARTS for grade in (SLOWEST, FASTEST)]
    results = measure([*(_area(config) for config in found), *(_place(*design) for design in placed)], progress)
    rates = [
        {"design": part, "n": PLACED, "grade": grade, **result}
        for (part, grade), result in zip(placed, results[len(found) :], strict=True)
    ]
    rows = [_row(config, result) for config, result in zip(found, results, strict=False)]
    return {"rows": rows, "rates": rates, "speed": [_speed(n, progress) for n in CYCLES if n == 3 or not quick]}


def _area(config: PacketConfig) -> Job:
    """Return the synthesis of one router."""
    verilog = verilog_of(ROUTER, config)
    return f"packet router of n = {config.dim}, {config.link}", lambda: area(verilog, "top", KEPT)


def _place(part: str, grade: int) -> Job:
    """Return the placing of one part."""
    verilog = verilog_of(PARTS[part], PacketConfig(dim=PLACED))
    return f"{part} of n = {PLACED}, grade {grade}", lambda: place_and_route(verilog, "top", device="85k", grade=grade)


def _row(config: PacketConfig, router: Mapping[str, Any]) -> dict[str, Any]:
    """Return the figures of one router."""
    keys = ("luts", "ffs", "ram", "blocks")
    parts = {name: {key: router["modules"][name][key] for key in keys} for name in KEPT}
    return {
        "n": config.dim,
        "link": config.link,
        "rows": config.rows,
        "parts": parts,
        "router": {key: router["total"][key] for key in keys},
        "buffer_bits": config.dim * config.rows * (1 << config.word_bits) * (config.width + 1),
    }


def _speed(dim: int, progress: Progress) -> dict[str, Any]:
    """Measure how fast a flooded network is simulated."""
    progress(f"flood of n = {dim}")
    result = run_flood(PacketConfig(dim=dim), Flood(cycles=CYCLES[dim]))
    if result["outcome"] != "drained":
        raise SimulatorError(f"the flood of n = {dim} did not drain: {result['text']}")
    rate = round(result["clocks"] / max(result["seconds"], 0.1))
    words = round(result["words"] / result["clocks"] / (1 << dim), 3)
    return {"n": dim, "clocks": result["clocks"], "clocks_per_second": rate, "words": words}


def table(result: Mapping[str, Any]) -> list[str]:
    """Return the tables."""
    head = ["n", "link", "PBU: LUT4", "FF", "RAM 16x4", "crossbar: LUT4", "FF", "node output port: LUT4"]
    head += ["router: LUT4", "FF", "RAM 16x4", "DP16KD", "buffer RAM bits"]
    rows = []
    for row in result["rows"]:
        unit, crossbar, node = (row["parts"][name] for name in tuple(KEPT)[:3])
        rows.append([row["n"], row["link"], *(unit[key] for key in ("luts", "ffs", "ram"))])
        rows[-1] += [crossbar["luts"], crossbar["ffs"], node["luts"]]
        rows[-1] += [*(row["router"][key] for key in ("luts", "ffs", "ram", "blocks")), row["buffer_bits"]]
    lines = markdown(head, rows)
    if result["rates"]:
        head = ["design", "n", "grade", "MHz", "slowest path from", "to", "levels", "logic ns", "routing ns"]
        keys = ("design", "n", "grade", "mhz", "start", "end", "levels", "logic", "routing")
        lines += ["", *markdown(head, [[row[key] for key in keys] for row in result["rates"]])]
    head = ["nodes", "words delivered per node and cycle", "its gates with drivers and scoreboard, cycles/s"]
    speed = [[1 << row["n"], f"{row['words']:.3f}", row["clocks_per_second"]] for row in result["speed"]]
    return [*lines, "", *markdown(head, speed)]


def headline(result: Mapping[str, Any]) -> dict[str, str]:
    """Return the figures for the table of all runs: those of n = 6 with parallel links."""
    found = {
        f"PBU MHz, grade {rate['grade']}": f"{rate['mhz']}"
        for rate in result["rates"]
        if rate["design"] == "packet_buffer_unit"
    }
    for row in result["rows"]:
        if (row["n"], row["link"]) == (PLACED, LINKS[0]):
            found["packet router LUT4"] = f"{row['router']['luts']:,}"
    return found
