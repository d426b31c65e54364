"""Testbench of the load router: traffic of every kind over links whose far ends open and close, and send messages."""

from cubecast.golden.multicast.contract.load import load_shape
from cubecast.tb.common.load_node import beside_links, sends
from cubecast.tb.common.patterns import chance
from cubecast.tb.harness.bench import Bench
from cubecast.tb.multicast.self_test_node import arrival
from cubecast.tb.multicast.traffic import Link

__all__ = ["BENCH"]


def stimulus(random, config):
    """Run rounds of settings; the far ends open and close, and send messages to this node and others."""
    links, outputs, address, shape = [], {}, 0, load_shape(config)
    for change in beside_links(random, shape, ("ready",)):
        if change.get("rst"):
            links, outputs = [Link(random, config) for _ in range(config.dim)], {}
        address = change.get("address", address)
        for j, link in enumerate(links):
            if not link.words:
                # By its first word a load node knows whom a packet is from; some are from none.
                tag = random.getrandbits(random.choice((shape.number_bits + shape.dim, shape.width)))
                link.send(arrival(random, config, address, chance(random, 0.1), tag))
            offer = link.next(outputs.get(f"link_in__{j}__ready", 0), 0.1, 0.05)
            names = ("valid", "data", "last", "error", "lane")
            change |= {f"link_in__{j}__{name}": value for name, value in zip(names, offer, strict=True)}
        outputs = yield change


def watch(inputs, outputs, twin):
    """Name what is sent, and what comes."""
    yield from sends(inputs, outputs, twin)
    if outputs["came__done"]:
        yield "came"


def events(config, extra, options):
    """Return what must happen with these parameters."""
    happen = ("sent", "register read", "faults written", "stalls", "came", "a word of the router's own")
    return (*happen, *["refused"] * config.fault_tolerant)


BENCH = Bench(
    unit="multicast.load_router:LoadRouter",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
