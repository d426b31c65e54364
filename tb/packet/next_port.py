"""Testbench of the next port: every node, destination and port, if there are not too many."""

from cubecast.tb.common.patterns import tuples
from cubecast.tb.harness.bench import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Sweep the inputs, with the ports that a node has."""
    names = ("address", "destination", "port", "broadcast")
    for values in tuples(random, (config.nodes, config.nodes, config.ports, 2)):
        yield dict(zip(names, values, strict=True))
    yield dict.fromkeys(names, 0)


def watch(inputs, outputs, twin):
    """Name where the packet goes next."""
    local = twin.config.local
    if inputs["port"] == local:
        yield "by LOCAL"
    else:
        where = "LOCAL" if outputs["next"] == local else "a link"
        yield f"{'broadcast' if inputs['broadcast'] else 'unicast'} to {where}"


BENCH = Bench(
    unit="packet.next_port:NextPort",
    stimulus=stimulus,
    events=("by LOCAL", "broadcast to LOCAL", "broadcast to a link", "unicast to LOCAL", "unicast to a link"),
    watch=watch,
)
