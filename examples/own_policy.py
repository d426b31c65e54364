"""A routing policy of one's own in the golden model, against the ones that exist: links that a multicast crosses.

Run: python examples/own_policy.py
"""

import random
from collections.abc import Sequence

import numpy as np

import cubecast as cc


class Highest(cc.Policy):
    """Every destination votes for one dimension alone: the highest that brings it nearer, as dimension order does."""

    name = "highest"

    def votes(self, row: int, local: int, faulty: int) -> int:
        """Return the highest useful dimension that is free of faults, as a bit."""
        useful = row & ~faulty
        return 1 << useful.bit_length() - 1 if useful else 0

    def order(self, dim: int, local: int) -> Sequence[int]:
        """Return the dimensions of a broadcast, highest first."""
        return range(dim - 1, -1, -1)

    def rises(self, node: int, came: int | None, dimension: int) -> bool:
        """Return whether a hop changes the virtual channel: paths in one order of dimensions never need it."""
        return False


def traffic(policy: str | cc.Policy, lists: Sequence[Sequence[int]], dim: int) -> float:
    """Return the links that a message to one of these lists crosses, on average."""
    return float(np.mean([cc.route(dim, 0, listed, policy=policy).traffic for listed in lists]))


def main(dim: int = 6, messages: int = 40) -> None:
    """Print a line for each length of the list."""
    chance = random.Random(1)
    policies: dict[str, str | cc.Policy] = {"unicast": "unicast", "highest": Highest(), "greedy": "greedy"}
    print("destinations", *(f"{name:>8}" for name in policies))
    for length in (2, 4, 8, 16, 32):
        lists = [chance.sample(range(1, 1 << dim), length) for _ in range(messages)]
        print(f"{length:12}", *(f"{traffic(policy, lists, dim):8.1f}" for policy in policies.values()))


if __name__ == "__main__":
    main()
