"""Seeds of the load nodes of a board."""

from __future__ import annotations

__all__ = ["SEEDS", "seed_of"]

SEEDS = ("arrival_seed", "target_seed", "way_seed", "length_seed")
"""Settings that are seeds."""


def seed_of(name: str, node: int) -> int:
    """Return a seed of a node: another one for each, never 0."""
    return (0x9E3779B1 * (len(SEEDS) * node + SEEDS.index(name) + 1)) % (1 << 32)
