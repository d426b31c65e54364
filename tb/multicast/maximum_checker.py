"""Testbench of the maximum checker: the largest count among the columns."""

from cubecast.tb.common.patterns import item, pack, sweep, tuples
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Sweep all count vectors, then (again) those that decoders give: one bit set in each column."""
    bits = config.max_dest + 1
    yield from sweep(random, {"counts": config.dim * bits})
    for levels in tuples(random, [bits] * config.dim):
        yield {"counts": pack((1 << level for level in levels), bits)}


def watch(inputs, outputs, twin):
    """Name no bit at all, no ones at all, and how many columns reach the maximum."""
    bits = max(twin.config.max_dest + 1, 1)
    best = [item(inputs["counts"], column, bits) & outputs["s"] for column in range(twin.config.dim)]
    if not outputs["s"]:
        yield "nothing"
    elif outputs["s"] == 1:
        yield "no ones"
    else:
        yield "tie" if sum(map(bool, best)) > 1 else "one column"


BENCH = Bench(
    unit="multicast.maximum_checker:MaximumChecker",
    stimulus=stimulus,
    events=("nothing", "no ones", "one column", "tie"),
    watch=watch,
)
