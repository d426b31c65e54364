"""Crosspoint router: cycles of injection, hop and ejection on the RTL, wires of a link, and speed of simulation."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping
from typing import Any

from cubecast.golden.common.algorithms.load import Traffic
from cubecast.golden.crosspoint.algorithms.routes import POLICIES
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.word import link_wires
from cubecast.systems.load import Window
from cubecast.tb.campaigns.curves.run import point
from cubecast.tb.harness.bench import load
from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.harness.modules import ports_of
from cubecast.tb.harness.pages import markdown
from cubecast.tb.harness.simulators import SimulatorError
from cubecast.tb.harness.verilog import verilog_of
from cubecast.tb.measure.synthesis import Progress

__all__ = ["TITLE", "headline", "latency", "run", "table", "wires"]

TITLE = "Crosspoint router"

ROUTER = "cubecast.rtl.crosspoint.router:CrosspointRouter"

LATENCIES: dict[str, dict[str, Any]] = {
    "default": {},
    "ejection queues of 16": {"eject_depth": 16},
    "a register on each link": {"link_regs": 1},
    "output register": {"output_register": True},
}
"""Parameters of the routers of which the latency is measured, by what the table calls them."""

APART = 40
"""Cycles between two messages, so that none is in the way of another."""

LOAD = 0.3
"""Words per node and cycle that the load nodes offer."""

SPEEDS = {3: (2,), 6: (1, 2)}
"""Networks whose speed is measured: ``runs`` by n."""

WINDOWS = {3: 40_000, 6: 10_000}
"""Cycles of the window by n."""

AIM = 20_000
"""Cycles per second of 64 routers."""

WIRED = ((6, 2, True), (6, 1, True), (6, 1, False), (3, 2, True))
"""n, ``runs`` and ``multicast`` of the links whose wires are counted."""


def run(quick: bool, progress: Progress) -> dict[str, Any]:
    """Simulate and count; return plain values.

    Parameters
    ----------
    quick : bool
        One kind of routers, and a network of 8.
    progress : function
        Takes a line that says what is done now.
    """
    latencies = []
    for name in itertools.islice(LATENCIES, 1 if quick else None):
        progress(f"latency, {name}")
        latencies.append({"options": name, **latency(CrosspointConfig(dim=3, **LATENCIES[name]))})
    links = [
        wires(CrosspointConfig(dim=n, runs=runs, multicast=multicast))
        for n, runs, multicast in (WIRED[-1:] if quick else WIRED)
    ]
    speeds = []
    for n, all_runs in SPEEDS.items():
        for runs in () if quick and n > 3 else all_runs:
            progress(f"speed, n = {n}, runs = {runs}")
            speeds.append(_speed(n, runs))
    return {"latency": latencies, "wires": links, "speed": speeds}


def latency(config: CrosspointConfig) -> dict[str, Any]:
    """Return the cycles of a network in which one word at a time is under way, in lockstep with the golden network.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the routers.

    Returns
    -------
    dict
        ``hop``: from link to link, at all hops of words that go 1, 2 and more of them, and what each hop adds to all;
        ``ejection``: from the cycle in which the word is in an ejection queue, the one after the last link's, to that
        in which the node is shown it; ``injection``: what is left, from the cycle in which the router takes the word to
        that in which it is in a queue; ``all``: all cycles of a word by the number of hops, from 1 on.

    Raises
    ------
    SimulatorError
        Not all hops, or not all ejections, take the same.
    """
    ways = [(1 << distance) - 1 for distance in range(1, config.dim + 1)]
    messages = [
        {"source": 0, "destinations": [way], "data": [way], "cycle": APART * i, "header": None}
        for i, way in enumerate(ways)
    ]
    bench = load("crosspoint.playback")
    seen = lockstep(bench, config, cycles=APART * (len(ways) + 2), options={"messages": messages}).collected
    took, hops, ejections = [], set(), set()
    for message, _ in enumerate(ways):
        (start,) = (each["cycle"] for each in seen["starts"] if each["message"] == message)
        links = sorted(each["cycle"] for each in seen["crossings"] if each["message"] == message)
        (there,) = (each["first_cycle"] for each in seen["deliveries"] if each["message"] == message)
        took.append(there - start)
        hops |= {later - link for link, later in itertools.pairwise(links)}
        ejections.add(there - links[-1] - 1)
    hops |= {longer - shorter for shorter, longer in itertools.pairwise(took)}
    if len(hops) != 1 or len(ejections) != 1:
        raise SimulatorError(f"hops took {sorted(hops)} and ejections {sorted(ejections)} cycles, not all the same")
    (hop,), (ejection,) = hops, ejections
    return {"injection": took[0] - hop - ejection, "hop": hop, "ejection": ejection, "all": took}


def wires(config: CrosspointConfig) -> dict[str, Any]:
    """Return the wires of a link, counted in the Verilog, and what they carry in each cycle.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the router.

    Returns
    -------
    dict
        ``forward`` and ``back``, wires of a link; ``read``, those of the link in each dimension that somebody reads, a
        tool being free to drop the others; ``beside``, bits of payload per wire and cycle; ``ahead``, the same if the
        header were a word of its own before each packet, by words of the packet.
    """
    ports = ports_of(verilog_of(ROUTER, config), "top")
    forward = sum(bits for name, bits in ports.outputs.items() if name.startswith("link_out__0__"))
    back = sum(bits for name, bits in ports.inputs.items() if name.startswith("link_out__0__"))
    # Data, valid, last, error and the FAULT bit: a header of its own has n bits for each run, and the kind.
    fewer = config.width + 3 + int(config.fault_tolerant) + back
    lengths = (1, config.packet_limit)
    return {
        "n": config.dim,
        "runs": config.runs,
        "multicast": config.multicast,
        "width": config.width,
        "forward": forward,
        "back": back,
        "read": [sum(link_wires(config, j)) for j in range(config.dim)],
        "beside": round(config.width / (forward + back), 3),
        "ahead": {str(words): round(config.width / fewer * words / (words + 1), 3) for words in lengths},
    }


def _speed(dim: int, runs: int) -> dict[str, Any]:
    """Measure how fast a network under load is simulated; all that is sent has to come, once and whole."""
    config = CrosspointConfig(dim=dim, runs=runs, log_depth=0)
    window = Window(warmup=2000, found=True, cycles=WINDOWS[dim], tail=1000)
    found = point(
        1,
        "crosspoint",
        dataclasses.asdict(config),
        dataclasses.asdict(Traffic(dim=dim, policy=POLICIES[0])),
        dataclasses.asdict(window),
        "rtl",
        LOAD,
    )
    if not all(found[name] for name in ("exactly_once", "in_order", "drained")):
        raise SimulatorError(f"not all that was sent came once, whole and in order: {found}")
    rate = round(found["cycles"] / max(found["seconds"], 0.1))
    keys = ("delivered", "cycles", "seconds")
    return {"n": dim, "runs": runs, **{key: found[key] for key in keys}, "clocks_per_second": rate}


def table(result: Mapping[str, Any]) -> list[str]:
    """Return the tables: latency, wires, speed."""
    rows: list[list[object]] = []
    for row in result["latency"]:
        every = ", ".join(map(str, row["all"]))
        rows.append([row["options"], *(row[key] for key in ("injection", "hop", "ejection")), every])
    lines = markdown(["routers", "injection", "hop", "ejection", "1, 2, .. hops in all"], rows)
    rows = []
    for row in result["wires"]:
        read = sorted(set(row["read"]))
        used = f"{read[0]} to {read[-1]}"
        kind = [row["n"], row["runs"], "yes" if row["multicast"] else "no", row["width"]]
        ahead = (f"{words}: {share:.2f}" for words, share in row["ahead"].items())
        rows.append([*kind, row["forward"], row["back"], used, f"{row['beside']:.2f}", ", ".join(ahead)])
    head = ["n", "runs", "multicast", "bits of a word", "wires forward", "back", "of them read, by dimension"]
    head += ["bits of payload per wire and cycle", "with the header in a word, by words of the packet"]
    lines += ["", *markdown(head, rows)]
    rows = [
        [
            1 << row["n"],
            row["runs"],
            f"{row['delivered']:.3f}",
            row["cycles"],
            f"{row['clocks_per_second']:,}" + f" (aim {AIM:,})" * (row["n"] == 6),
        ]
        for row in result["speed"]
    ]
    head = ["nodes", "runs", "words delivered per node and cycle", "cycles", "cycles/s of a core"]
    return [*lines, "", *markdown(head, rows)]


def headline(result: Mapping[str, Any]) -> dict[str, str]:
    """Return the figures for the table of all runs: the slower network of 64 nodes."""
    rates = [row["clocks_per_second"] for row in result["speed"] if row["n"] == 6]
    return {"64 crosspoint routers, cycles/s": f"{min(rates):,}"} if rates else {}
