"""Testbench of the node network: random programs on all nodes, one life after the other."""

from cubecast.tb.harness.bench import Bench
from cubecast.tb.node.program_run import INPUTS
from cubecast.tb.node.world import draw, happenings

__all__ = ["BENCH"]


def stimulus(random, config, probe=False, steps=20):
    """Run programs; between two lives, and now and then in the middle of one, all nodes are reset."""
    while True:
        cycles = draw(random, config, steps).cycles()
        outputs = None
        while random.random() > 0.0003:
            try:
                outputs = yield cycles.send(outputs)
            except StopIteration:
                break
        yield dict.fromkeys(INPUTS, 0) | {"rst": 1}
        yield {"rst": 0}


def watch(inputs, outputs, twin):
    """Name what happens in the nodes that are not at rest."""
    if inputs.get("rst"):
        yield "reset"
        return
    for interface in twin.awake:
        yield from happenings(interface)


BENCH = Bench(
    name="node_network",
    component="cubecast.rtl.node.node_network:NodeNetwork",
    twin="cubecast.golden.node.twins.node_network:NodeNetwork",
    stimulus=stimulus,
    events=("posted", "message refused"),
    watch=watch,
    config="cubecast.golden.node.contract.config:NodeConfig",
)
"""Testbench of the node network."""
