"""Testbench of the node interface: programs on it and on golden nodes around it; packets come as they like."""

from cubecast.tb.common.patterns import chance
from cubecast.tb.harness.bench import Bench
from cubecast.tb.node.ideal_network import IdealNetwork, between
from cubecast.tb.node.world import happenings, life

__all__ = ["BENCH"]


def stimulus(random, config):
    """Let nodes live, one life after the other; in some come stray packets, errors and doorbells at any time."""
    while True:
        hostile = chance(random, 0.4)
        pace = random.choice((0.02, 0.1, 0.5))
        network = between(config, IdealNetwork(config, random, pace, stray=0.002 * hostile))
        node = random.randrange(config.nodes)
        before = {}
        for given in life(random, config, network, hostile):
            told = network.told(node, network.of_nodes(given)[node])
            if not told.get("report__valid"):
                # What a report that is none says may be anything.
                noise = told.get("data__word", 0)
                told |= {"report__lane": noise & 15, "report__reason": noise >> 4 & 15}
            yield dict.fromkeys(before, 0) | told
            before = told
            if chance(random, 0.0005):
                break
        yield {"rst": 1}
        yield dict.fromkeys(before, 0) | {"rst": 0, "address": 0}


def watch(inputs, outputs, twin):
    """Name what happens."""
    if inputs.get("rst"):
        yield "reset"
    else:
        yield from happenings(twin)


BENCH = Bench(
    unit="node.node_interface:NodeInterface",
    stimulus=stimulus,
    events=("posted",),
    watch=watch,
)
"""Testbench of the node interface."""
