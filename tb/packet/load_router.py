"""Testbench of the load router: traffic of every kind over links whose far ends open and close."""

from cubecast.golden.packet.contract.load import load_shape
from cubecast.tb.common.load_node import beside_links, sends
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Run rounds of settings; the far ends open and close, and send nothing."""
    flags = ("ready", "refusing") if config.link == "parallel" else ("hold",)
    yield from beside_links(random, load_shape(config), flags)


def events(config, extra, options):
    """Return what must happen with these parameters."""
    return ("sent", "register read", "faults written", "stalls", "a word of the router's own")


BENCH = Bench(
    unit="packet.load_router:LoadRouter",
    stimulus=stimulus,
    events=events,
    watch=sends,
)
