"""Testbench of the load router: traffic of every kind over links whose far ends open and close."""

from cubecast.golden.crosspoint.contract.load import load_shape
from cubecast.tb.common.load_node import beside_links, sends
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Run rounds of settings; the far ends open and close, and send nothing."""
    yield from beside_links(random, load_shape(config), ("ready", "ready_up") if config.runs == 2 else ("ready",))


def watch(inputs, outputs, twin):
    """Name what is sent, and what is said."""
    found = [*sends(inputs, outputs, twin)]
    yield from found
    for j in range(twin.router.config.dim):
        if outputs[f"link_out__{j}__push"]:
            yield f"link {j}"


def events(config, extra, options):
    """Return what must happen with these parameters."""
    return ("sent", "register read", "faults written", "stalls", *(f"link {j}" for j in range(config.dim)))


BENCH = Bench(
    unit="crosspoint.load_router:LoadRouter",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
