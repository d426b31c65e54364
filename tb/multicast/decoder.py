"""Testbench of the decoder: the number of ones of one column."""

from cubecast.tb.common.patterns import sweep
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Sweep the column and the fault bit."""
    yield from sweep(random, {"column": config.max_dest, "faulty": 1})


def watch(inputs, outputs, twin):
    """Name an empty column, a full one, and ones that a fault hides."""
    if inputs["faulty"]:
        yield "fault hides ones" if inputs["column"] else "fault"
    elif not inputs["column"]:
        yield "empty"
    elif outputs["count"] == 1 << inputs["column"].bit_length():
        yield "full"


BENCH = Bench(
    unit="multicast.decoder:Decoder",
    stimulus=stimulus,
    events=("empty", "full", "fault", "fault hides ones"),
    watch=watch,
)
