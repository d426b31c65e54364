"""Testbench of the load router: traffic of every kind over links whose far ends open and close, and send packets."""

from cubecast.golden.packet.contract.load import load_shape
from cubecast.tb.common.load_node import beside_links, sends
from cubecast.tb.harness.bench import Bench
from cubecast.tb.packet.neighbour import ParallelNeighbour, SerialNeighbour

__all__ = ["BENCH"]

MOOD = {"gap": 0.1, "polite": 0.9, "fickle": 0.1, "start": 0.05, "truncate": 0.02, "malformed": 0, "rude": 0}
"""Of those who send; their readiness is that of the far ends."""


def stimulus(random, config):
    """Run rounds of settings; the far ends open and close, and send packets to this node and others."""
    flags = ("ready", "refusing") if config.link == "parallel" else ("hold",)
    kind = ParallelNeighbour if config.link == "parallel" else SerialNeighbour
    neighbours, outputs = [], {}
    for change in beside_links(random, load_shape(config), flags):
        if "address" in change:
            outputs = {}
            neighbours = [kind(random, config, change["address"], j) for j in range(config.dim)]
        sent = {}
        for neighbour in neighbours:
            sent |= neighbour.next(outputs, MOOD | {"ready": 1.0, "refuse": 0})
        outputs = yield sent | change
        if change.get("rst"):
            neighbours = []


def watch(inputs, outputs, twin):
    """Name what is sent, and what comes."""
    yield from sends(inputs, outputs, twin)
    if outputs["came__done"]:
        yield "came"


def events(config, extra, options):
    """Return what must happen with these parameters."""
    return ("sent", "register read", "faults written", "stalls", "came", "a word of the router's own")


BENCH = Bench(
    unit="packet.load_router:LoadRouter",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
