"""Testbench of the column selector: the lowest column that has the largest count."""

from cubecast.tb.common.patterns import item, pack, sweep, tuples
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Sweep counts and s, then (again) those that decoders and maximum checker give: one-hot."""
    bits = config.max_dest + 1
    yield from sweep(random, {"counts": config.dim * bits, "s": bits})
    for *levels, maximum in tuples(random, [bits] * (config.dim + 1)):
        yield {"counts": pack((1 << level for level in levels), bits), "s": 1 << maximum}


def watch(inputs, outputs, twin):
    """Name no column, one column, and ties."""
    bits = twin.config.max_dest + 1
    having = sum(1 for column in range(twin.config.dim) if item(inputs["counts"], column, bits) & inputs["s"])
    yield ("no column", "one column")[having] if having < 2 else "tie"
    if having > 1 and not outputs["y"] & 1:
        yield "tie above column 0"


BENCH = Bench(
    unit="multicast.column_selector:ColumnSelector",
    stimulus=stimulus,
    events=lambda config, extra, options: (
        ("no column", "one column", "tie", *(("tie above column 0",) if config.dim > 2 else ()))
    ),
    watch=watch,
)
