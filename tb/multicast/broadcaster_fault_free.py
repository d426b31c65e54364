"""Testbench of the broadcaster of the fault-free format."""

from cubecast.tb.common.patterns import sweep
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Sweep the relative source address, and the local address if the order of the dimensions follows from it."""
    straps = {strap.name: strap.width(config.dim) for strap in config.policy_facts.broadcaster}
    yield from sweep(random, {"source": config.dim} | straps)


def watch(inputs, outputs, twin):
    """Name the source itself, a leaf, and what is between."""
    ones = (1 << twin.config.dim) - 1
    if outputs["send"] == ones:
        yield "all dimensions"
    else:
        yield "some dimensions" if outputs["send"] else "leaf"
    unused = ones ^ outputs["send"]
    if unused & unused + 1:
        yield "order of the address"


BENCH = Bench(
    unit="multicast.broadcaster_fault_free:BroadcasterFaultFree",
    stimulus=stimulus,
    events=lambda config, extra, options: (
        *("all dimensions", "some dimensions", "leaf"),
        *(("order of the address",) if config.policy_facts.broadcaster else ()),
    ),
    watch=watch,
)
