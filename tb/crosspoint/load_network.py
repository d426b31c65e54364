"""Testbench of the load network: overload of every kind, until all that was sent has come, whole."""

from cubecast.golden.crosspoint.contract.load import load_shape
from cubecast.tb.common.load_node import moves, overload
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config, rounds=3, cycles=150):
    """Run rounds with settings of their own, each to its end."""
    yield from overload(random, load_shape(config), rounds, cycles)


def watch(inputs, outputs, twin):
    """Name what happens anywhere."""
    yield from moves(inputs, outputs, twin)
    for j in range(twin.config.dim):
        if outputs[f"link_{j}_ready"] != (1 << twin.config.nodes) - 1:
            yield f"link {j} closed"


def events(config, extra, options):
    """Return what must happen with these parameters."""
    happen = ["ONE", "came", "register read", *(f"link {j} closed" for j in range(config.dim))]
    return (*happen, *["ALL", "LIST"] * config.multicast)


BENCH = Bench(
    unit="crosspoint.load_network:LoadNetwork",
    stimulus=stimulus,
    events=events,
    watch=watch,
    extra={"probe": True},
)
