"""Run: one point of a curve."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from cubecast.golden.common.algorithms.load import TRACE, Lists, Traced, Traffic, read_trace
from cubecast.golden.reduction.algorithms.load import Reductions, joined
from cubecast.golden.reduction.algorithms.tree import plan_group
from cubecast.options.inputs import text_of
from cubecast.systems import SYSTEMS
from cubecast.systems.load import Window
from cubecast.systems.reduction import SYSTEM as REDUCTION
from cubecast.tb.campaigns.curves.figures import figures, reduced
from cubecast.tb.campaigns.curves.records import Joining, golden_records, rtl_records

__all__ = ["digest_of", "joining_of", "point", "traced"]

DRAIN = 20
"""Times as many cycles as messages arrive in that all may take to come."""


def point(
    seed: int,
    system: str,
    config: Mapping[str, Any],
    traffic: Mapping[str, Any],
    window: Mapping[str, Any],
    engine: str,
    offered: float,
    reductions: Mapping[str, Any] | None = None,
    attach: Callable[[Any], None] | None = None,
) -> dict[str, Any]:
    """Run one point; return its figures, all arguments being plain values.

    Parameters
    ----------
    seed : int
        Of everything random.
    system : str
        Name of the system.
    config, traffic, window : dict
        Members of its configuration, of :class:`Traffic` and of :class:`Window`.
    engine : str
        One of :data:`cubecast.systems.load.ENGINES`.
    offered : float
        Words that each sending node makes the network deliver per cycle.
    reductions : dict, optional
        Members of :class:`Reductions`: what the nodes reduce beside it, with join units at their routers.
    attach : function, optional
        Called with the golden network before it is run; with that engine alone.

    Raises
    ------
    SimulatorError
        A tool is missing or fails.
    """
    of = SYSTEMS[system]
    assert of.loads is not None
    made, sent, lasts = of.config(**config), _traffic(traffic), Window(**window)
    values = of.loads.model.node_settings(made, sent, offered, seed)
    trace = None
    if sent.pattern == TRACE:
        trace = of.loads.model.traced(traced(sent.trace, sent.dim, sent.digest))
    limit = DRAIN * lasts.whole
    loads, around, joining = of.loads, made, None
    if reductions is not None:
        assert REDUCTION.loads is not None
        loads, around = REDUCTION.loads, joined(made)
        joining = joining_of(traffic, window, reductions)
    if engine == "golden":
        more = {} if attach is None else {"attach": attach}
        ended = golden_records(loads, around, values, lasts.whole, limit, trace, joining, **more)
    else:
        plain = engine == "verilator"
        ended = rtl_records(loads, around, values, lasts.whole, limit, trace=trace, joining=joining, plain=plain)
    found = {"rate": None if trace else offered, **figures(of.loads, made, sent, lasts, ended.records, limit)}
    if joining is not None:
        found["reductions"] = reduced(joining, ended.records, found["warmup"], lasts)
    return found | {"cycles": ended.cycles, "seconds": round(ended.seconds, 3)}


def joining_of(traffic: Mapping[str, Any], window: Mapping[str, Any], reductions: Mapping[str, Any]) -> Joining:
    """Return what the nodes of a point reduce; the arguments are those of :func:`point`."""
    sent, given = _traffic(traffic), Reductions(**reductions)
    tree = plan_group(sent.dim, links=sent.faulty_links, faults=sent.faults)
    return Joining(given=given, tree=tree, count=given.number(Window(**window).whole))


def _traffic(values: Mapping[str, Any]) -> Traffic:
    """Return the traffic that plain values describe."""
    pairs = tuple((a, b) for a, b in values["faulty_links"])
    lists = Lists(**values["lists"])
    return Traffic(**{**values, "lists": lists, "faults": tuple(values["faults"]), "faulty_links": pairs})


def traced(path: str, dim: int, digest: str | None = None) -> list[Traced]:
    """Return the messages of a trace's file, if its text has this digest.

    Raises
    ------
    ValueError
        The file cannot be read, holds something else, or is not what it was.
    """
    text = text_of(Path(path), "trace file")
    if digest is not None and digest_of(text) != digest:
        raise ValueError(f"trace file {path!r} must stay as it is while it is measured")
    return read_trace(text, dim)


def digest_of(text: str) -> str:
    """Return the digest of a trace's text."""
    return hashlib.sha256(text.encode()).hexdigest()
