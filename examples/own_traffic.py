"""Traffic of one's own on the crosspoint router: an exchange with all neighbours, step by step, while others talk.

Run: python examples/own_traffic.py
"""

import random
from collections.abc import Iterator

import numpy as np

import cubecast as cc


def stencil(cube: cc.Cube, steps: int, period: int, words: int, noise: float) -> Iterator[cc.Arrival]:
    """Give the messages: in every period each node sends to its neighbours; with this chance a cycle, to anybody."""
    chance = random.Random(1)
    for cycle in range(steps * period):
        for node in cube.nodes:
            place = cycle % period
            if place < cube.dim:
                yield cc.Arrival(cycle, node, cube.neighbours(node)[place], words)
            elif chance.random() < noise:
                yield cc.Arrival(cycle, node, chance.choice([other for other in cube.nodes if other != node]), 1)


def main(dim: int = 3, engine: str = "golden") -> None:
    """Print what the exchange costs, the more words it has."""
    config = cc.CrosspointConfig(dim=dim)
    cube = cc.Cube(dim)
    lengths = (1, 4, 8)
    results = [cc.load(config, stencil(cube, 8, 40, words, 0.05), engine=engine).points[0] for words in lengths]
    table = cc.columns(results)
    print("words  mean latency  95 %  busiest link")
    for words, mean, p95, link in zip(
        lengths, table["latency_mean"], table["latency_p95"], table["link_use_max"], strict=True
    ):
        print(f"{words:5}  {mean:12.1f}  {p95:4}  {link:12.2f}")
    assert np.all(table["exactly_once"] & table["drained"])


if __name__ == "__main__":
    main()
