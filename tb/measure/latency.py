"""Latency: cycles from the first word of a message to its copies, measured on the RTL network in lockstep."""

from __future__ import annotations

import itertools
from collections.abc import Generator, Mapping, Sequence
from random import Random
from typing import Any

from cubecast.golden.multicast.contract.config import POLICIES, Config
from cubecast.tb.harness.bench import Bench
from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.harness.pages import markdown
from cubecast.tb.measure.synthesis import Progress
from cubecast.tb.multicast import playback

__all__ = ["BENCH", "TITLE", "Measured", "run", "table"]

TITLE = "Latency"

SIZES = ((3, 6), (5, 6))
"""Networks measured: n and m."""

PAYLOAD = 8
"""Payload words of every message."""

APART = 200
"""Cycles between two messages, so that none is in the way of another."""


class Measured(playback.Playback):
    """Twin of the network that also records the cycle in which each message is taken.

    Parameters
    ----------
    config : Config
        Parameters of the network.
    probe : bool
        Always true.
    """

    def __init__(self, config: Config, probe: bool = True) -> None:
        """Start with nothing recorded."""
        super().__init__(config, probe)
        self.taken: list[int] = []

    def record(self, inputs: Mapping[str, int], outputs: Mapping[str, Any], before: Any) -> None:
        """Record what moves in this cycle, and whether a message was taken."""
        injected = sum(self.injected)
        super().record(inputs, outputs, before)
        self.taken += [self.now] * (sum(self.injected) - injected)

    def result(self) -> dict[str, Any]:
        """Return what the network did, as plain values."""
        return {"taken": self.taken, "crossings": self.crossings, "deliveries": self.deliveries}


def stimulus(
    random: Random, config: Config, messages: Sequence[Mapping[str, Any]]
) -> Generator[dict[str, int], dict[str, Any], None]:
    """Inject the messages, each with ``source``, ``words`` and ``cycle``, and wait until all is quiet."""
    yield from playback.stimulus(random, config, messages)


BENCH = Bench(
    unit="multicast.network:Network",
    twin="cubecast.tb.measure.latency:Measured",
    stimulus=stimulus,
    collect=Measured.result,
    extra={"probe": True},
)


def run(quick: bool, progress: Progress) -> dict[str, Any]:
    """Send messages one at a time from node 0; return ``rows``, one per network.

    Parameters
    ----------
    quick : bool
        Only the smallest network, of one policy.
    progress : function
        Takes a line that says what is done now.

    Returns
    -------
    dict
        In each row: ``first``, cycles from the k word to the first copy, by k; ``next``, cycles from each copy to the
        next one, of a message to all neighbours; ``hop``, cycles of a unicast from link to link; ``broadcast``, cycles
        from the k word to the first copy; ``local``, cycles from the k word's arrival over the last link to the
        delivery of a unicast; ``payload``, words per cycle delivered.
    """
    rows = []
    for n, m in SIZES[: 1 if quick else None]:
        for policy in POLICIES[: 1 if quick else None]:
            progress(f"network of n = {n}, m = {m}, {policy}")
            rows.append(_measure(Config(dim=n, max_dest=m, policy=policy)))
    return {"rows": rows}


def _measure(config: Config) -> dict[str, Any]:
    """Return the row of one network."""
    n, everyone = config.dim, config.nodes - 1
    # Addresses with few ones: several dimensions are decided, and the first one has most of the rows.
    order = sorted(range(1, config.nodes), key=lambda node: (node.bit_count(), node))
    lists = [order[:k] for k in range(1, config.max_dest + 1)]
    neighbours, farthest, broadcast = len(lists), len(lists) + 1, len(lists) + 2
    lists += [order[:n], [everyone]]
    headers = [[len(found), *found, 0] for found in lists] + [[config.broadcast_k, everyone]]
    messages = [
        {"source": 0, "words": [*header, *range(PAYLOAD)], "cycle": APART * i} for i, header in enumerate(headers)
    ]
    seen = lockstep(BENCH, config, cycles=APART * (len(messages) + 3), options={"messages": messages}).collected
    leaves = [
        sorted(c["cycle"] for c in seen["crossings"] if c["origin"] == [0, i] and c["from"] == 0)
        for i in range(len(messages))
    ]
    after = [[cycle - taken for cycle in cycles] for cycles, taken in zip(leaves, seen["taken"], strict=True)]
    way = sorted(c["cycle"] for c in seen["crossings"] if c["origin"] == [0, farthest])
    (arrival,) = (d for d in seen["deliveries"] if d["origin"] == [0, farthest])
    return {
        "n": n,
        "m": config.max_dest,
        "policy": config.policy,
        "first": {str(k): after[k - 1][0] for k in range(1, config.max_dest + 1)},
        "next": _steps(after[neighbours]),
        "hop": _steps(way),
        "broadcast": after[broadcast][0],
        "local": arrival["first_cycle"] - way[-1],
        "payload": round((len(arrival["words"]) - 1) / (arrival["last_cycle"] - arrival["first_cycle"]), 2),
    }


def _steps(cycles: Sequence[int]) -> list[int]:
    """Return the differences."""
    return [b - a for a, b in itertools.pairwise(cycles)]


def table(result: Mapping[str, Any]) -> list[str]:
    """Return the table: what was measured beside what the contract of the router allows."""
    rows: list[Sequence[object]] = []
    for row in result["rows"]:
        network = f"n = {row['n']}, m = {row['m']}, {row['policy']}"
        for k, cycles in row["first"].items():
            rows.append([network, f"first copy, k = {k}", cycles, int(k) + 3])
        rows += [
            [network, "each further dimension", _all(row["next"]), 1],
            [network, "unicast, from link to link", _all(row["hop"]), 4],
            [network, "unicast, from the last link to the processor", row["local"], 4],
            [network, "broadcast, first copy", row["broadcast"], 4],
            [network, "payload words per cycle", f"{row['payload']:g}", 1],
        ]
    return markdown(["network", "cycles from the k word to", "measured", "contract"], rows)


def _all(cycles: Sequence[int]) -> str:
    """Return what all cycles are, or all of them."""
    return ", ".join(map(str, sorted(set(cycles))))
