"""Testbench of the network with AXI ports: every node sends, takes, reads and writes at once."""

from cubecast.golden.multicast.contract.axi import axi
from cubecast.tb.common import axi_ports
from cubecast.tb.multicast.traffic import Source, kinds, message

__all__ = ["BENCH"]


MOODS = {"gap": (0.0, 0.3), "start": (0.3, 0.9), "take": (0.3, 1.0)}


def sources(random, config):
    """Return what offers words: messages of every kind, well-formed or not."""
    ends = [Source(random, config) for _ in range(config.nodes)]

    def offer(node, moved, mood):
        """Return the next word of a node."""
        if not ends[node].words:
            ends[node].send(message(random, config, random.choice(kinds(config)), node).words)
        return ends[node].next(moved, mood["gap"], mood["start"])

    return {"s_axis": offer}


BENCH = axi_ports.of_network(
    axi,
    sources,
    MOODS,
    unit="multicast.axi_network:AxiNetwork",
)
