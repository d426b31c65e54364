"""Testbench of the packet network with AXI ports: every node sends, takes, reads and writes at once."""

from cubecast.golden.packet.contract.axi import axi
from cubecast.tb.common import axi_ports
from cubecast.tb.common.patterns import chance
from cubecast.tb.packet.injector import KINDS, Injector, make

__all__ = ["BENCH"]


MOODS = {"gap": (0.0, 0.3), "load": (0.1, 1.0), "take": (0.3, 1.0)}


def sources(random, config):
    """Return what offers words: packets of every kind, well-formed or not."""
    ends = [Injector(random, config) for _ in range(config.nodes)]
    every = (1 << config.dim) - 1

    def offer(node, moved, mood):
        """Return the next word of a node."""
        if not ends[node].waiting and chance(random, mood["load"]):
            ends[node].send(make(random, config, node, random.choice(KINDS)))
        return ends[node].next(every if moved else 0, {"gap": mood["gap"], "polite": 0.0, "fickle": 0.0})

    return {"s_axis": offer}


BENCH = axi_ports.of_network(
    axi,
    sources,
    MOODS,
    unit="packet.axi_network:AxiPacketNetwork",
)
