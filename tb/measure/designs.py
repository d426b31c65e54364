"""Designs: which routers are measured, and tables of what was found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cubecast.golden.multicast.contract.config import POLICIES, Config

__all__ = ["DIMENSIONS", "LISTS", "MHU", "ROUTER", "configs", "markdown", "named"]

DIMENSIONS = (3, 4, 5, 6)
"""Dimensions n of the cubes."""

LISTS = (4, 8, 16)
"""Longest lists m that the multicaster splits; those that a cube is large enough for."""

MHU, ROUTER = "cubecast.rtl.multicast.mhu:Mhu", "cubecast.rtl.multicast.router:Router"
"""What is synthesised."""


def configs(*, quick: bool) -> list[Config]:
    """Return the configurations of which area and clock rate are measured."""
    pairs = [(n, m) for n in DIMENSIONS for m in LISTS if m <= 2**n - 2]
    return [Config(dim=n, max_dest=m, policy=policy) for n, m in (pairs[:1] if quick else pairs) for policy in POLICIES]


def named(config: Config) -> dict[str, int | str]:
    """Return what tells a measured configuration from the others."""
    return {"n": config.dim, "m": config.max_dest, "policy": config.policy, "lanes": config.lanes}


def markdown(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Return a table in Markdown; numbers are grouped by thousands, and in columns of numbers set to the right."""
    body = [list(row) for row in rows]
    right = [all(isinstance(row[i], int | float) for row in body) for i in range(len(head))]
    lines = [f"| {' | '.join(head)} |", "|" + "|".join("--:" if number else "---" for number in right) + "|"]
    return lines + [f"| {' | '.join(map(_cell, row))} |" for row in body]


def _cell(value: object) -> str:
    """Return the text of one value."""
    if isinstance(value, float):
        return f"{value:,.1f}"
    return f"{value:,}" if type(value) is int else str(value)
