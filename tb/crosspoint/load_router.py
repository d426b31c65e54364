"""Testbench of the load router: traffic of every kind over links whose far ends open and close, and send packets."""

from cubecast.golden.crosspoint.contract.load import load_shape
from cubecast.tb.common.load_node import beside_links, sends
from cubecast.tb.crosspoint.router import Neighbours
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]

MOOD = {"load": 0.05, "gap": 0.1, "fault": 0.0}
"""Of those who send."""


def stimulus(random, config):
    """Run rounds of settings; the far ends open and close, and send packets to this node and others."""
    neighbours = Neighbours(random, config)
    flags = ("ready", "ready_up") if config.runs == 2 else ("ready",)
    for change in beside_links(random, load_shape(config), flags):
        if change.get("rst"):
            neighbours = Neighbours(random, config)
        for j, link in enumerate(neighbours.links):
            change |= {f"link_in__{j}__{name}": value for name, value in link.next(MOOD).items()}
        outputs = yield change
        neighbours.saw(outputs)


def watch(inputs, outputs, twin):
    """Name what is sent, and what is said."""
    found = [*sends(inputs, outputs, twin)]
    yield from found
    if outputs["came__done"]:
        yield "came"
    for j in range(twin.router.config.dim):
        if outputs[f"link_out__{j}__push"]:
            yield f"link {j}"
    if outputs["report__valid"] and outputs["report__port"] == twin.router.config.dim:
        yield "a packet of the node turns back"


def events(config, extra, options):
    """Return what must happen with these parameters."""
    happen = ["sent", "register read", "faults written", "stalls", "came", *(f"link {j}" for j in range(config.dim))]
    return (*happen, *["refused"] * config.fault_tolerant, *["a packet of the node turns back"] * (config.runs == 2))


BENCH = Bench(
    unit="crosspoint.load_router:LoadRouter",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
