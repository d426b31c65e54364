"""Designs: which routers are measured."""

from __future__ import annotations

from cubecast.golden.multicast.contract.config import POLICIES, Config

__all__ = ["CHANNEL", "DIMENSIONS", "LISTS", "MHU", "ROUTER", "configs", "named"]

DIMENSIONS = (3, 4, 5, 6)
"""Dimensions n of the cubes."""

LISTS = (4, 8, 16)
"""Longest lists m that the multicaster splits; those that a cube is large enough for."""

MHU, ROUTER = "cubecast.rtl.multicast.mhu:Mhu", "cubecast.rtl.multicast.router:Router"
CHANNEL = "cubecast.rtl.multicast.channel:Channel"
"""What is synthesised."""


def configs(*, quick: bool) -> list[Config]:
    """Return the configurations of which area and clock rate are measured."""
    pairs = [(n, m) for n in DIMENSIONS for m in LISTS if m <= 2**n - 2]
    return [Config(dim=n, max_dest=m, policy=policy) for n, m in (pairs[:1] if quick else pairs) for policy in POLICIES]


def named(config: Config) -> dict[str, int | str]:
    """Return what tells a measured configuration from the others."""
    return {"n": config.dim, "m": config.max_dest, "policy": config.policy, "lanes": config.lanes}
