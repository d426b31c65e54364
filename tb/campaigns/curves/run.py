"""Run: one point of a curve."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cubecast.golden.common.algorithms.load import Lists, Traffic
from cubecast.systems import SYSTEMS
from cubecast.systems.load import Window
from cubecast.tb.campaigns.curves.figures import figures
from cubecast.tb.campaigns.curves.records import golden_records, rtl_records

__all__ = ["point"]

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

    Raises
    ------
    SimulatorError
        A tool is missing or fails.
    """
    of = SYSTEMS[system]
    assert of.loads is not None
    made, sent, lasts = of.config(**config), _traffic(traffic), Window(**window)
    values = of.loads.model.node_settings(made, sent, offered, seed)
    limit = DRAIN * lasts.whole
    if engine == "golden":
        ended = golden_records(of.loads, made, values, lasts.whole, limit)
    else:
        ended = rtl_records(of.loads, made, values, lasts.whole, limit, plain=engine == "verilator")
    found = {"rate": offered, **figures(of.loads, made, sent, lasts, ended.records, limit)}
    return found | {"cycles": ended.cycles, "seconds": round(ended.seconds, 3) if ended.seconds else None}


def _traffic(values: Mapping[str, Any]) -> Traffic:
    """Return the traffic that plain values describe."""
    return Traffic(**{**values, "lists": Lists(**values["lists"])})
