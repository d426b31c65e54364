"""Bench of the broadcaster of the fault-free format."""

from .lockstep import Bench
from .patterns import sweep

__all__ = ["BENCH"]


def stimulus(random, config):
    """Sweep the relative source address."""
    yield from sweep(random, {"source": config.dim})


def watch(inputs, outputs, twin):
    """Name the source itself, a leaf, and what is between."""
    if outputs["send"] == (1 << twin.config.dim) - 1:
        yield "all dimensions"
    else:
        yield "some dimensions" if outputs["send"] else "leaf"


BENCH = Bench(
    name="broadcaster_fault_free",
    component="cubecast.rtl.broadcaster_fault_free:BroadcasterFaultFree",
    twin="cubecast.golden.broadcaster_fault_free:BroadcasterFaultFree",
    stimulus=stimulus,
    events=("all dimensions", "some dimensions", "leaf"),
    watch=watch,
)
