"""Testbench of the node network: random programs on all nodes, one life after the other."""

from cubecast.tb.harness.bench import Bench
from cubecast.tb.node.program_run import INPUTS
from cubecast.tb.node.world import HARD, draw, happenings, hard_life

__all__ = ["BENCH"]


def stimulus(random, config, probe=False, steps=20, hard=False):
    """Run programs; between two lives, and now and then in the middle of one, all nodes are reset.

    With ``hard`` memories fail, links are cut and mended, doorbells ring that no program rings, and offers time out.
    """
    while True:
        run = draw(random, config, steps, timeouts=(0, 1, 1, 1) if hard else (0, 0, 0, 0, 1))
        cycles = hard_life(random, config, run) if hard else run.cycles()
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


def events(config, extra, options):
    """Return what happens at least."""
    return HARD if options.get("hard") else ("posted", "message refused")


BENCH = Bench(
    unit="node.node_network:NodeNetwork",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
"""Testbench of the node network."""
