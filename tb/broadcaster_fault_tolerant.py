"""Bench of the broadcaster with control vectors."""

from .lockstep import Bench
from .patterns import sparse, sweep

__all__ = ["BENCH"]


def stimulus(random, config):
    """Sweep control and fault vector, then (again) single faults."""
    yield from sweep(random, {"control": config.dim, "fault": config.dim})
    for _ in range(200):
        yield {"control": sparse(random, config.dim), "fault": 1 << random.randrange(config.dim)}


def watch(inputs, outputs, twin):
    """Name the source, a leaf, and faults."""
    control, fault, ones = inputs["control"], inputs["fault"], (1 << twin.config.dim) - 1
    if control == ones:
        yield "source with a fault" if fault else "source"
    if not control:
        yield "leaf"
    if control & fault:
        yield "fault met" if outputs["send"] else "all dimensions lost"
    elif fault:
        yield "fault elsewhere"


BENCH = Bench(
    name="broadcaster_fault_tolerant",
    component="cubecast.rtl.broadcaster_fault_tolerant:BroadcasterFaultTolerant",
    twin="cubecast.golden.broadcaster_fault_tolerant:BroadcasterFaultTolerant",
    stimulus=stimulus,
    events=("source", "source with a fault", "leaf", "fault met", "fault elsewhere", "all dimensions lost"),
    watch=watch,
)
