"""Testbench of the node interface: programs on it and on golden nodes around it; packets come as they like."""

import itertools

from cubecast.golden.node.contract.registers import Register
from cubecast.tb.common.patterns import chance
from cubecast.tb.harness.bench import Bench
from cubecast.tb.node.ideal_network import IdealNetwork, between
from cubecast.tb.node.world import SHOWN, happenings, life

__all__ = ["BENCH"]

READ = {number: f"read of register {number:#x}" for number in SHOWN}
"""Events of the registers."""


def stimulus(random, config):
    """Let nodes live, one life after the other; in some come stray packets, errors and doorbells at any time.

    Where there are buffers, every second life is a long one of a node that all others send to before it is ready.
    """
    for number in itertools.count():
        crowded = number % 2 and config.buffers
        hostile = not crowded and chance(random, 0.5)
        pace = 0.5 if crowded else random.choice((0.02, 0.5, 0.5))
        network = between(config, IdealNetwork(config, random, pace, stray=0.002 * hostile))
        node = random.randrange(config.nodes)
        # Short lives see many settings, long ones what comes late.
        end, before = 0.0005 if crowded else random.choice((0.002, 0.005)), {}
        for given in life(random, config, network, hostile, looked_at=node, crowded=node if crowded else None):
            told = network.told(node, network.of_nodes(given)[node])
            if not told.get("report__valid"):
                # What a report that is none says may be anything.
                noise = told.get("data__word", 0)
                told |= {"report__lane": noise & 15, "report__reason": noise >> 4 & 15}
            yield dict.fromkeys(before, 0) | told
            before = told
            if chance(random, end):
                break
        yield {"rst": 1}
        yield dict.fromkeys(before, 0) | {"rst": 0, "address": 0}


def watch(inputs, outputs, twin):
    """Name what happens."""
    if inputs.get("rst"):
        yield "reset"
        return
    yield from happenings(twin)
    number, settings = inputs.get("control__address"), twin.registers.settings
    if number in READ and not inputs.get("control__write"):
        yield READ[number]
    if settings[Register.MEMORY_FIRST] >> 16:
        yield "memory beyond 64 KB"


BENCH = Bench(
    unit="node.node_interface:NodeInterface",
    stimulus=stimulus,
    events=(
        *("posted", "message refused", "reset", "memory beyond 64 KB"),
        *READ.values(),
    ),
    watch=watch,
)
"""Testbench of the node interface."""
