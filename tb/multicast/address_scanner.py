"""Testbench of the address scanner: the rows that have a one in the selected column."""

from cubecast.tb.common.patterns import sparse, sweep
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Sweep the array and the selection, then (again) single columns."""
    bits = {"a": config.max_dest * config.dim, "y": config.dim}
    yield from sweep(random, bits)
    for _ in range(500):
        yield {"a": sparse(random, bits["a"]), "y": 1 << random.randrange(config.dim)}


def watch(inputs, outputs, twin):
    """Name no row, some rows, all rows."""
    if not inputs["y"]:
        yield "no column"
    if not outputs["r"]:
        yield "no row"
    elif outputs["r"] == (1 << twin.config.max_dest) - 1:
        yield "all rows"
    else:
        yield "some rows"


BENCH = Bench(
    unit="multicast.address_scanner:AddressScanner",
    stimulus=stimulus,
    events=lambda config, extra, options: (
        ("no column", "no row", "all rows", *(("some rows",) if config.max_dest > 1 else ()))
    ),
    watch=watch,
)
