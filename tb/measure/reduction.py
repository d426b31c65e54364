"""Cycles of reductions on the golden network, alone and beside packets: ``python -m cubecast.tb.measure.reduction``."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.reduction.algorithms.operations import Collective
from cubecast.golden.reduction.algorithms.tree import ReductionTree, plan_group
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.options.arguments import Parser, integer
from cubecast.tb.harness.pages import markdown
from cubecast.tb.reduction.playback import group, play_golden

__all__ = ["main", "measured"]

WORDS = (1, 16, 256)
"""Words of the all-reduces."""

BACK_TO_BACK = 64
"""All-reduces of one word that follow each other without a gap."""

LOADS = (0.3, 0.6)
"""Words of packets per node and cycle, beside an all-reduce of the most words."""

PACKET_WORDS = 5

WARM = 400
"""Cycles with packets alone before."""

LATE = 4000
"""Cycles that a member is late."""


def operations(tree: ReductionTree, words: int, count: int = 1, width: int = 32) -> list[Collective]:
    """Return sums of random vectors of all members."""
    random = Random(words)
    return [
        Collective(
            "all-reduce", {node: tuple(random.getrandbits(width) for _ in range(words)) for node in tree.members}
        )
        for _ in range(count)
    ]


def measured(
    config: ReductionConfig, tree: ReductionTree, given: Sequence[Collective], **options: Any
) -> dict[str, Any]:
    """Return the record of a run on the golden network, of which all results have been checked.

    Parameters
    ----------
    config : ReductionConfig
        Parameters of the network.
    tree : ReductionTree
        The tree of all operations.
    given : sequence of Collective
        The operations.
    options
        Of :func:`cubecast.tb.reduction.playback.group`, ``starts``, and of its ``stimulus``.

    Raises
    ------
    RuntimeError
        A result is wrong or does not come.
    """
    starts = options.pop("starts", None)
    record = play_golden(config, [group(config, tree, given, starts=starts)], **options)
    wanted = [[word, 0] for each in given for word in each.results(config.width)]
    for node in tree.members:
        if [[data, error] for _, data, _, error in record["results"][str(node)]] != wanted:
            raise RuntimeError(f"results must be those of the model at each node, not others at node {node}")
    return record


def _rows(dim: int, seeds: int) -> Iterator[tuple[object, ...]]:
    """Yield the rows of a cube: what, and its cycles."""
    config, tree = ReductionConfig(router=CrosspointConfig(dim=dim, runs=1)), plan_group(dim)
    for words in WORDS:
        yield dim, f"{words} words", measured(config, tree, operations(tree, words))["cycles"], ""
    cycles = measured(config, tree, operations(tree, 1, BACK_TO_BACK))["cycles"]
    yield dim, f"{BACK_TO_BACK} of one word, back to back", cycles, ""
    for load in LOADS:
        traffic: dict[str, Any] = {"load": load, "packet_words": PACKET_WORDS, "warm": WARM}
        given = operations(tree, WORDS[-1])
        found = [measured(config, tree, given, seed=seed, **traffic) for seed in range(1, seeds + 1)]
        mean = statistics.mean(record["cycles"] for record in found)
        yield dim, f"{WORDS[-1]} words, load {load}", f"{mean:.0f}", _latency(found)
        alone = play_golden(config, [], least=1000, **traffic)
        yield dim, f"packets alone, load {load}", "", _latency([alone])
    yield dim, f"16 words, load {load}, a member {LATE} cycles late", "", _rate(config, tree, **traffic)


def _rate(config: ReductionConfig, tree: ReductionTree, **traffic: Any) -> str:
    """Return the words of packets per node and cycle while a member is late, and without a reduction."""
    late = measured(config, tree, operations(tree, 16), starts={tree.members[-1]: LATE}, least=LATE, **traffic)
    alone = play_golden(config, [], least=LATE, **traffic)
    rates = (found["packets"]["words"] / found["packets"]["cycles"] / config.nodes for found in (late, alone))
    return "{:.4f} words per node and cycle, {:.4f} alone".format(*rates)


def _latency(records: Sequence[dict[str, Any]]) -> str:
    """Return the mean latency of the packets of some runs."""
    return f"{statistics.mean(cycles for record in records for cycles in record['packets']['latencies']):.1f}"


def main(given: Sequence[str] | None = None) -> int:
    """Print the table; return the exit status."""
    about = "Measure reductions on the golden network."
    parser = Parser(prog="python -m cubecast.tb.measure.reduction", description=about)
    parser.add_argument("--dims", type=integer, nargs="+", default=[3, 4, 6], metavar="N", help="cubes (default 3 4 6)")
    parser.add_argument("--seeds", type=integer, default=16, metavar="N", help="runs at each load (default 16)")
    arguments = parser.parse_args(given)
    for dim in arguments.dims:
        rows = list(_rows(dim, arguments.seeds))
        print(*markdown(("n", "all-reduce", "cycles", "packets: latency in cycles"), rows), sep="\n", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
