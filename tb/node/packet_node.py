"""Testbench of the packet node: one of a golden network's nodes that run programs, told what that one is told."""

from cubecast.golden.node.twins.node_network import NodeNetwork
from cubecast.tb.common.patterns import chance
from cubecast.tb.harness.bench import Bench
from cubecast.tb.node.world import happenings, life

__all__ = ["BENCH"]

LINKS = {"parallel": (("valid", "head", "data"), ("ready", "refusing")), "serial": (("line",), ("hold",))}
"""Ports of a link from its source, and from its far end."""


def around(network, node):
    """Return what comes to a node over its links in this cycle."""
    config, found = network.config.router, {}
    forward, back = LINKS[config.link]
    for j in range(config.dim):
        router = network.nodes[node ^ 1 << j].router
        link = router.link_out[j] or (0,) * len(forward)
        found |= {f"link_in__{j}__{name}": value for name, value in zip(forward, link, strict=True)}
        found |= {f"link_out__{j}__{name}": value for name, value in zip(back, router.shown[j], strict=True)}
    return found


def stimulus(random, config):
    """Let nodes live, one life after the other; in half of them memories fail, and links are cut and mended."""
    while True:
        network, node, before = NodeNetwork(config), random.randrange(config.nodes), {}
        hard = chance(random, 0.5)
        lives = life(random, config, network, hard, looked_at=node, ideal=False, cuts=0.01 * hard)
        for given in lives:
            told = network.of_nodes(given)[node] | around(network, node) | {"address": node}
            yield dict.fromkeys(before, 0) | told
            before = told
            if chance(random, 0.0005):
                break
        yield {"rst": 1}
        yield dict.fromkeys(before, 0) | {"rst": 0}


def watch(inputs, outputs, twin):
    """Name what happens."""
    if inputs.get("rst"):
        yield "reset"
        return
    yield from happenings(twin.interface)
    if outputs["report__valid"]:
        yield "report"
    if outputs["multiple_faults"]:
        yield "multiple faults"


BENCH = Bench(
    unit="node.packet_node:PacketNode",
    stimulus=stimulus,
    events=("posted", "report", "multiple faults", "reset"),
    watch=watch,
)
"""Testbench of the packet node."""
