"""Transport simulator: events per second of each transport, on one core."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from cubecast.study.transport.machine import Machine
from cubecast.study.transport.simulation import simulate
from cubecast.study.transport.traffic import Messages, Traffic, draw
from cubecast.tb.harness.pages import markdown
from cubecast.tb.measure.synthesis import Progress

__all__ = ["TITLE", "headline", "rate", "run", "table"]

TITLE = "Transport simulator"

MACHINES = {
    "datagram": Machine("datagram"),
    "datagram, adaptive": Machine("datagram", adaptive=True),
    "cut-through": Machine("cut-through"),
    "cut-through, adaptive": Machine("cut-through", adaptive=True),
    "circuit": Machine("circuit"),
    "circuit, adaptive": Machine("circuit", adaptive=True),
    "wormhole": Machine("wormhole", byte=2, setup=4),
    "fixed-packet": Machine("fixed-packet", byte=2, setup=4),
    "quasi-adaptive": Machine("quasi-adaptive", byte=2, setup=4),
}
"""What is timed, by name."""

LOADS = {"flooded": "50", "moderate": "exp(2560)"}
"""Ticks between the messages of a node."""

DIMENSIONS = (6, 10)
"""Dimensions n of the cubes."""

MESSAGES = 1 << 12
"""Messages of a run, of all nodes together."""

TIMES = 3
"""Runs, of which the fastest counts: what else the machine does makes all others slower."""

AIM = 500_000
"""Events per second."""


def run(quick: bool, progress: Progress) -> dict[str, Any]:
    """Time simulations; return plain values.

    Parameters
    ----------
    quick : bool
        Only the smaller cube, one run each.
    progress : function
        Takes a line that says what is done now.
    """
    rows = []
    for n in DIMENSIONS[: 1 if quick else None]:
        for load, every in LOADS.items():
            progress(f"{load} traffic, n = {n}")
            traffic = Traffic(n, max(1, MESSAGES >> n), every, "exp(512)", "uni()")
            messages = draw(np.random.default_rng(1), traffic)
            for name, machine in MACHINES.items():
                found = rate(machine, messages, 1 if quick else TIMES)
                rows.append({"n": n, "load": load, "transport": name, **found})
    return {"rows": rows}


def rate(machine: Machine, messages: Messages, times: int) -> dict[str, int]:
    """Return the events of a simulation, and how many are handled in a second of processor time."""
    seconds = []
    for _ in range(times):
        start = time.process_time()
        record = simulate(machine, messages)
        seconds.append(time.process_time() - start)
    return {"events": record.events, "per_second": round(record.events / max(min(seconds), 1e-6))}


def table(result: Mapping[str, Any]) -> list[str]:
    """Return the table: a row for each transport, two columns for each load and cube."""
    found = {(row["transport"], row["n"], row["load"]): row for row in result["rows"]}
    columns = list(dict.fromkeys((n, load) for _, n, load in found))
    head = ["transport"]
    for n, load in columns:
        head += [f"n = {n}, {load}: events", "events/s"]
    rows: list[list[object]] = []
    for name in dict.fromkeys(name for name, _, _ in found):
        rows.append([name])
        for n, load in columns:
            row = found[name, n, load]
            rows[-1] += [row["events"], row["per_second"]]
    return markdown(head, rows)


def headline(result: Mapping[str, Any]) -> dict[str, str]:
    """Return the figure for the table of all runs: the slowest transport."""
    slowest = min((row["per_second"] for row in result["rows"]), default=0)
    return {"transport, least events/s": f"{slowest:,}"} if slowest else {}
