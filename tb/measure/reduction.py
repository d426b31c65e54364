"""Reduction: cycles of all-reduces on the RTL network, alone and beside packets, and what packets notice of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cubecast.golden.common.algorithms.load import Traffic
from cubecast.golden.crosspoint.algorithms.routes import POLICIES
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.reduction.algorithms.load import BEGIN, Reductions, joined
from cubecast.golden.reduction.algorithms.tree import plan_group
from cubecast.systems.crosspoint import SYSTEM as CROSSPOINT
from cubecast.systems.load import STEP, Window
from cubecast.systems.reduction import SYSTEM as REDUCTION
from cubecast.tb.campaigns.curves.figures import figures, reduced
from cubecast.tb.campaigns.curves.records import Ended, Joining, What, golden_records, rtl_records
from cubecast.tb.harness.pages import markdown
from cubecast.tb.harness.simulators import SimulatorError
from cubecast.tb.measure.synthesis import Progress

__all__ = ["TITLE", "alone", "beside", "headline", "late", "run", "table"]

TITLE = "Reduction in the network"

DIMS = (3, 4, 6)

WORDS = (1, 16, 256)
"""Words of the all-reduces; a barrier is one of a word."""

BACK_TO_BACK = 64
"""All-reduces of one word that follow each other without a gap."""

LOADS = (0.3, 0.6)
"""Words of packets per node and cycle, beside all-reduces of the most words."""

PACKET_WORDS = 5

RUNS, APART = 16, 2000
"""All-reduces beside packets, and cycles from one to the next."""

WARM = 400
"""Cycles of packets before what is measured."""

LATE = 4000
"""Cycles that a member is late."""

AIMS = {1: 42, 16: 58, 256: 300, BACK_TO_BACK: 105}
"""Of n = 6: cycles by the words of an all-reduce, and of those back to back."""

AIMS_BESIDE = {0.3: 600, 0.6: 1000}
"""Of n = 6: cycles of an all-reduce of the most words, by the load of packets."""

MORE = 10**6
"""Cycles after which a run is given up."""


def run(quick: bool, progress: Progress) -> dict[str, Any]:
    """Simulate; return plain values.

    Parameters
    ----------
    quick : bool
        The 3-cube alone, without packets.
    progress : function
        Takes a line that says what is done now.
    """
    result: dict[str, Any] = {"alone": [], "beside": [], "late": []}
    for dim in DIMS[:1] if quick else DIMS:
        progress(f"all-reduces of n = {dim}")
        result["alone"] += [alone(dim, Reductions(words=words, period=1, count=1)) for words in WORDS]
        result["alone"].append(alone(dim, Reductions(words=1, period=1, count=BACK_TO_BACK)))
        if not quick:
            progress(f"all-reduces beside packets, n = {dim}")
            result["beside"] += [beside(dim, load) for load in LOADS]
            result["late"].append(late(dim))
    return result


def alone(dim: int, given: Reductions, *, golden: bool = False) -> dict[str, Any]:
    """Return the cycles of all-reduces without packets.

    Parameters
    ----------
    dim : int
        n.
    given : Reductions
        Which.
    golden : bool
        On the golden network.

    Raises
    ------
    SimulatorError
        A result is wrong or does not come.
    """
    ended = _records(dim, 0.0, STEP, given, golden=golden)
    over = ended.records[ended.records["what"] >> 16 == What.JOINED]
    return {"n": dim, "words": given.words, "count": given.count, "cycles": int(over["cycle"].max()) - BEGIN + 1}


def beside(dim: int, load: float) -> dict[str, Any]:
    """Return the cycles of all-reduces beside packets, and the latency of packets with and without them.

    Parameters
    ----------
    dim : int
        n.
    load : float
        Words of packets per node and cycle.

    Raises
    ------
    SimulatorError
        A result is wrong, or a packet is lost.
    """
    window = Window(warmup=WARM, found=False, cycles=RUNS * APART, tail=APART)
    now_and_then = Reductions(words=WORDS[-1], period=APART, count=RUNS + 1)
    without_pause = Reductions(words=WORDS[-1], period=1, count=window.whole // WORDS[-1])
    found = {given: _point(dim, load, window, given) for given in (None, now_and_then, without_pause)}
    packets = [each["latency"] for each in found.values()]
    names = ("latency_alone", "latency", "latency_without_pause")
    means = {name: latency["mean"] for name, latency in zip(names, packets, strict=True)}
    return {"n": dim, "load": load, "runs": RUNS, **found[now_and_then]["reductions"]["cycles"], **means}


def late(dim: int) -> dict[str, Any]:
    """Return the words of packets that come while a member is late, and without a reduction; errors as `beside`'s.

    Parameters
    ----------
    dim : int
        n.
    """
    window = Window(warmup=WARM, found=False, cycles=LATE - WARM, tail=STEP)
    given = Reductions(words=WORDS[-1], period=1, count=1, late=LATE)
    waiting, without = (_point(dim, LOADS[-1], window, each)["delivered"] for each in (given, None))
    return {"n": dim, "load": LOADS[-1], "late": LATE, "delivered": waiting, "delivered_alone": without}


def _point(dim: int, load: float, window: Window, given: Reductions | None) -> dict[str, Any]:
    """Return the figures of packets, and of reductions if there are any."""
    assert CROSSPOINT.loads is not None
    ended = _records(dim, load, window.whole, given)
    found = figures(CROSSPOINT.loads, _router(dim), _traffic(dim), window, ended.records, MORE)
    if not all(found[name] for name in ("exactly_once", "in_order", "drained")):
        raise SimulatorError(f"not all that was sent came once, whole and in order: {found}")
    if given is not None:
        found["reductions"] = reduced(_joining(dim, given), ended.records, found["warmup"], window)
    return found


def _records(dim: int, load: float, cycles: int, given: Reductions | None, *, golden: bool = False) -> Ended:
    """Run packets and reductions, the latter with join units at the routers; all results must be right."""
    loads, router = (CROSSPOINT if given is None else REDUCTION).loads, _router(dim)
    assert loads is not None
    config = router if given is None else joined(router)
    values = loads.model.node_settings(router, _traffic(dim), load or 1.0, 1)
    if not load:
        values["rate"] = [0] * router.nodes
    joining = None if given is None else _joining(dim, given)
    ended = (golden_records if golden else rtl_records)(loads, config, values, cycles, MORE, joining=joining)
    if joining is not None:
        whole = Window(warmup=0, found=False, cycles=MORE, tail=0)
        if not reduced(joining, ended.records, 0, whole)["right"]:
            raise SimulatorError(f"not all results of {given} came, or one of them is wrong")
    return ended


def _router(dim: int) -> CrosspointConfig:
    """Return the parameters of the routers."""
    return CrosspointConfig(dim=dim, runs=1, log_depth=0)


def _traffic(dim: int) -> Traffic:
    """Return the packets."""
    return Traffic(dim=dim, policy=POLICIES[0], length=PACKET_WORDS)


def _joining(dim: int, given: Reductions) -> Joining:
    """Return all-reduces of all nodes."""
    return Joining(given=given, tree=plan_group(dim), count=given.count)


def table(result: Mapping[str, Any]) -> list[str]:
    """Return the tables: alone, beside packets, with a late member."""
    rows: list[list[object]] = []
    for row in result["alone"]:
        many = row["count"] > 1
        what = f"1 word, {row['count']} times, back to back" if many else f"{row['words']} words" * (row["words"] > 1)
        limit = row["count"] * row["words"] + 2 * row["n"]
        aim = AIMS[row["count"] if many else row["words"]] if row["n"] == DIMS[-1] else ""
        rows.append([row["n"], what or "1 word, barrier", limit, row["cycles"], aim])
    lines = markdown(["n", "all-reduce of", "limit", "cycles", "aim"], rows, [True, False, *[True] * 3])
    if not result["beside"]:
        return lines
    rows = [
        [
            row["n"],
            row["load"],
            f"{row['mean']:.0f} ({row['min']} to {row['max']})",
            AIMS_BESIDE[row["load"]] if row["n"] == DIMS[-1] else "",
            *(f"{row[name]:.1f}" for name in ("latency_alone", "latency", "latency_without_pause")),
        ]
        for row in result["beside"]
    ]
    head = ["n", "words of packets per node and cycle", f"all-reduce of {WORDS[-1]} words: mean of {RUNS}", "aim"]
    head += ["latency of a packet without it", f"with one every {APART} cycles", "with one after the other"]
    lines += ["", *markdown(head, rows, [True] * len(head))]
    rows = [
        [row["n"], row["load"], f"{row['delivered']:.4f}", f"{row['delivered_alone']:.4f}"] for row in result["late"]
    ]
    head = ["n", "words offered", f"delivered while a member is {LATE:,} cycles late", "delivered without a reduction"]
    return [*lines, "", *markdown(head, rows, [True] * len(head))]


def headline(result: Mapping[str, Any]) -> dict[str, str]:
    """Return the figures for the table of all runs: an all-reduce of 16 words in the largest cube."""
    found = [row["cycles"] for row in result["alone"] if (row["n"], row["words"]) == (DIMS[-1], 16)]
    return {"all-reduce by join units, 64 nodes, cycles": f"{found[0]}"} if found else {}
