"""Testbench of the broadcaster with control vectors."""

from cubecast.tb.common.patterns import item, sparse, sweep
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Sweep control and fault vector, and the address if it orders the dimensions, then (again) single faults."""
    straps = {strap.name: strap.width(config.dim) for strap in config.policy_facts.broadcaster}
    yield from sweep(random, {"control": config.dim, "fault": config.dim} | straps)
    for _ in range(200):
        single = {"control": sparse(random, config.dim), "fault": 1 << random.randrange(config.dim)}
        yield single | {name: sparse(random, config.dim) for name in straps}


def watch(inputs, outputs, twin):
    """Name the source, a leaf, and faults."""
    n = twin.config.dim
    control, fault, ones = inputs["control"], inputs["fault"], (1 << n) - 1
    if control == ones:
        yield "source with a fault" if fault else "source"
    if not control:
        yield "leaf"
    if control & fault:
        yield "fault met" if outputs["send"] else "all dimensions lost"
    elif fault:
        yield "fault elsewhere"
    if any(item(outputs["controls"], j, n) & ~fault & (1 << j) - 1 for j in range(n)):
        yield "order of the address"


BENCH = Bench(
    unit="multicast.broadcaster_fault_tolerant:BroadcasterFaultTolerant",
    stimulus=stimulus,
    events=lambda config, extra, options: (
        *("source", "source with a fault", "leaf", "fault met", "fault elsewhere", "all dimensions lost"),
        *(("order of the address",) if config.policy_facts.broadcaster else ()),
    ),
    watch=watch,
)
