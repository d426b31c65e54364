"""Series: which loads of which networks the documented figures are of."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from cubecast.golden.packet.algorithms.routing import collision_rate, fixed_collision, quasi_adaptive_collision
from cubecast.golden.packet.contract.config import ROUTINGS, PacketConfig
from cubecast.tb.campaigns.load.run import Load, collisions, points, rate_of

__all__ = ["COLLISIONS", "PLAN", "Series", "measure", "measure_collisions"]

PAIRS = 4_000
"""Pairs of messages per dimension and routing."""

COLLISIONS = "collisions"
"""Name of the series of pairs of messages at a source."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Series:
    """Points of one network with one kind of messages.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the network.
    load : Load
        What is sent.
    offered : tuple of float
        Offered loads, in words per node and cycle.
    of : Load, optional
        The rates are those at which these messages make the offered loads, so that different ways to send the same
        data are compared at the same number of messages.
    """

    config: PacketConfig
    load: Load
    offered: tuple[float, ...]
    of: Load | None = None


def _plan() -> dict[str, list[Series]]:
    """Return the series by name."""
    six = {routing: PacketConfig(dim=6, routing=routing) for routing in ROUTINGS}
    serial = {routing: dataclasses.replace(config, link="serial") for routing, config in six.items()}
    adaptive = six["quasi-adaptive"]
    one = Load(warm=1_500, cycles=4_000, drain=4_000)
    many = Load(packets=16, burst=2, warm=3_000, cycles=8_000, drain=8_000)
    slow = dataclasses.replace(many, warm=8_000, cycles=20_000, drain=60_000)
    # Far above saturation, where only what is accepted means anything.
    full = dataclasses.replace(slow, drain=0)
    halves = Load(packets=15, warm=3_000, cycles=6_000, drain=6_000)
    whole = dataclasses.replace(halves, packets=7, words=31)
    light = (0.01, 0.05, 0.2, 0.4, 0.6, 0.75, 0.8, 0.85, 0.9, 1.1)
    sizes = (
        (adaptive, halves),
        (dataclasses.replace(adaptive, rows=26), halves),
        (dataclasses.replace(adaptive, max_words=31, fifo_depth=-1), whole),
    )
    return {
        "one packet, parallel": [Series(config=config, load=one, offered=light) for config in six.values()],
        "16 packets, parallel": [
            Series(config=config, load=many, offered=(0.1, 0.3, 0.5, 0.7, 0.85)) for config in six.values()
        ],
        "16 packets, serial": [
            Series(config=config, load=load, offered=offered)
            for config in serial.values()
            for load, offered in ((slow, (0.01, 0.025, 0.04, 0.055)), (full, (0.12,)))
        ],
        "rows": [
            Series(config=dataclasses.replace(adaptive, rows=rows), load=one, offered=(0.4, 0.75, 0.85, 1.1))
            for rows in (4, 6, 8, 12, 13)
        ],
        "packet length": [
            Series(config=config, load=load, offered=(0.1, 0.4, 0.6, 0.75), of=halves) for config, load in sizes
        ],
    }


PLAN = _plan()
"""Series of points by name, all of n = 6."""


def measure(name: str, series: Series) -> Iterator[dict[str, Any]]:
    """Run a series; yield its points, each with all that it is of, as plain values."""
    config, load = series.config, series.load
    rates = [rate_of(config, series.of or load, offered) for offered in series.offered]
    what = {key: getattr(config, key) for key in ("dim", "link", "routing", "rows", "max_words")}
    what |= {key: getattr(load, key) for key in ("packets", "burst", "words", "warm", "seed")}
    for point in points(config, load, rates):
        yield {"series": name, **what, **point}


def measure_collisions(dims: tuple[int, ...] = (2, 3, 4, 5, 6), pairs: int = PAIRS) -> Iterator[dict[str, Any]]:
    """Measure how often the second of two messages waits for the first, beside the equations and exact enumeration."""
    for routing in ROUTINGS:
        for dim in dims:
            config = PacketConfig(dim=dim, routing=routing)
            raw = collisions(config, Load(packets=16), pairs)
            equation = fixed_collision if routing == "fixed" else quasi_adaptive_collision
            yield {
                "series": COLLISIONS,
                "dim": dim,
                "routing": routing,
                **raw,
                "measured": round(raw["collisions"] / raw["pairs"], 5),
                "exact": round(float(collision_rate(dim, routing)), 5),
                "equation": round(float(equation(dim)), 5),
            }
