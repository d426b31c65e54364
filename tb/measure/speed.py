"""Speed of simulation: cycles per second of whole networks under load, in three ways."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from cubecast.golden.multicast.contract.config import POLICIES, Config
from cubecast.tb.harness.bench import load
from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.harness.pages import markdown, prose
from cubecast.tb.harness.simulators import SimulatorError
from cubecast.tb.measure import programs
from cubecast.tb.measure.synthesis import Progress

__all__ = ["TITLE", "run", "table"]

TITLE = "Speed of simulation"

LOAD = 0.3
"""Words per node and cycle that the generators offer."""

MULTICAST = 51
"""Share of multicasts in 1/256; the rest are unicasts."""

DESTINATIONS = 4
PAYLOAD = 8
WARM = 2000
DRAIN = 20_000

AIM = 20_000
"""Cycles per second of 64 routers."""


def traffic(config: Config) -> dict[str, int]:
    """Return the registers that make the benchmark's traffic."""
    head = 2 + int(config.source_field) + PAYLOAD
    mean = head + 1 + (DESTINATIONS - 1) * MULTICAST / 256
    return {
        "seed": 1,
        "load": round(65536 * LOAD / mean),
        "mix": MULTICAST,
        "multicast": DESTINATIONS,
        "length": PAYLOAD,
        "warm": WARM,
        "drain": DRAIN,
    }


def run(quick: bool, progress: Progress) -> dict[str, Any]:
    """Measure; return plain values.

    Parameters
    ----------
    quick : bool
        Only 8 nodes.
    progress : function
        Is told what is under way.
    """
    rows = []
    for dim in (3,) if quick else (3, 4, 6):
        for policy in POLICIES:
            config = Config(dim=dim, policy=policy)
            rows.append(_network(config, policy == POLICIES[0] and not quick, progress))
    dims = (2,) if quick else (2, 3, 4)
    return {
        "load": LOAD,
        "multicast": MULTICAST,
        "destinations": DESTINATIONS,
        "payload": PAYLOAD,
        "networks": rows,
        "equal": _equal(Config(dim=2 if quick else 3), 500 if quick else 5000, progress),
        "lockstep": [_lockstep(dim, progress) for dim in dims],
    }


def _network(config: Config, plain: bool, progress: Progress) -> dict[str, Any]:
    """Measure one network."""
    name = f"n={config.dim} {config.policy}"
    progress(f"{name}: building")
    program = programs.parallel(config)
    progress(f"{name}: running")
    cycles = 40_000 if config.dim == 6 else 100_000
    row = {
        "dim": config.dim,
        "policy": config.policy,
        "lanes": config.lanes,
        "units": config.units,
        "parallel": _measure(program, config, cycles),
    }
    if plain:
        progress(f"{name}: building with Verilator")
        program = programs.plain(config)
        progress(f"{name}: running with Verilator")
        row["plain"] = _measure(program, config, {3: 20_000, 4: 5000, 6: 300}[config.dim])
    return row


def _measure(program: Path, config: Config, cycles: int) -> dict[str, Any]:
    """Run a program, and see that all that was sent has arrived."""
    values = traffic(config)
    if cycles < WARM:
        values["warm"] = 200
    result = programs.run(program, values | {"clocks": cycles})
    arrived = all(result[f"expected{what}"] == result[f"delivered{what}"] for what in ("", "_words", "_signature"))
    if not arrived or result["payload_errors"] or result["errors"]:
        raise SimulatorError(f"not all that was sent has arrived: {result}")
    return {
        "clocks": cycles,
        "seconds": result["seconds"],
        "clocks_per_second": round(cycles / result["seconds"]),
        "accepted": round(result["words_injected"] / cycles / config.nodes, 4),
        "messages": result["messages"],
        "deliveries": result["delivered"],
    }


def _equal(config: Config, cycles: int, progress: Progress) -> dict[str, Any]:
    """Compare the parallel simulation with the plain one in every cycle."""
    progress(f"n={config.dim}: building both, to be compared")
    both = programs.parallel(config), programs.plain(config, probe=True)
    progress(f"n={config.dim}: comparing")
    values = traffic(config) | {"mix": 0x10_20_33, "listed": 2, "length": 0x7_0000, "stall": 40, "clocks": cycles}
    with tempfile.TemporaryDirectory() as folder:
        traces = [Path(folder) / name for name in ("parallel", "plain")]
        for program, trace in zip(both, traces, strict=True):
            programs.run(program, values | {"warm": 0}, trace)
        agree, length = programs.same_traces(*traces), traces[0].stat().st_size // 8
    if agree < length:
        raise SimulatorError(f"the parallel simulation is not that of Verilator in cycle {agree}")
    return {"dim": config.dim, "clocks": agree}


def _lockstep(dim: int, progress: Progress) -> dict[str, Any]:
    """Measure the lockstep run of a network: Verilator, golden twin, and the comparison of all outputs."""
    progress(f"n={dim}: lockstep")
    cycles = 4000 if dim < 4 else 1500
    report = lockstep(load("multicast.network"), Config(dim=dim), cycles=cycles, speed="run", require_events=False)
    return {
        "dim": dim,
        "clocks": report.cycles,
        "seconds": round(report.loop_seconds, 3),
        "clocks_per_second": round(report.cycles / report.loop_seconds),
    }


def table(result: dict[str, Any]) -> list[str]:
    """Return the Markdown lines of what :func:`run` returned."""
    unicast = 100 - round(result["multicast"] / 2.56)
    rows = []
    for row in result["networks"]:
        parallel, plain = row["parallel"], row.get("plain")
        nodes = 1 << row["dim"]
        aim = f" (aim {AIM:,})" if nodes == 64 else ""
        other = f"{plain['clocks_per_second']:,}" if plain else "not measured"
        cells = [str(nodes), row["policy"], str(row["units"]), f"{parallel['accepted']:.3f}"]
        rows.append([*cells, f"{parallel['clocks_per_second']:,}{aim}", other])
    head = ["nodes", "policy", "units per router", "words accepted", "parallel, cycles/s", "Verilator, cycles/s"]
    equal = result["equal"]
    lockstep_rows = [[f"{1 << row['dim']}", f"{row['clocks_per_second']:,}"] for row in result["lockstep"]]
    return [
        *prose(
            f"Every node offers {result['load']} words per cycle: {unicast} % unicast, the rest to "
            f"{result['destinations']} destinations, {result['payload']} payload words each. Every run ends when all "
            "has arrived, and the sums of what was sent and delivered are equal. Seconds are of processor time, one "
            "core."
        ),
        "",
        *markdown(head, rows),
        "",
        f"Both simulations of {1 << equal['dim']} nodes agreed in all of {equal['clocks']:,} cycles, in every link, "
        "register and report.",
        "",
        *markdown(["nodes", "lockstep with the golden network, cycles/s"], lockstep_rows),
    ]
