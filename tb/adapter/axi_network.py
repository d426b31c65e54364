"""Testbench of the network of crosspoint nodes with AXI ports: every node sends, takes, reads and writes at once."""

from cubecast.golden.adapter.contract.axi import axi
from cubecast.tb.adapter.messages import message
from cubecast.tb.common import axi_ports
from cubecast.tb.common.patterns import chance

__all__ = ["BENCH"]

MOODS = {"load": (0.1, 1.0), "illegal": (0.0, 0.2), "take": (0.3, 1.0)}


def sources(random, config):
    """Return what offers words: messages of every kind, legal or not."""
    stream, _ = axi(config, cube=True).streams
    ends, valid = [[] for _ in range(config.nodes)], [0] * config.nodes

    def offer(node, moved, mood):
        """Return the next word of a node; one that is offered stays."""
        words = ends[node]
        if moved:
            words.pop(0)
            valid[node] = 0
        if not words:
            words += message(random, config, node, mood["illegal"])
        valid[node] = valid[node] or chance(random, mood["load"])
        return valid[node], words[0]["data"], words[0]["last"], stream.user_of(words[0])

    return {"s_axis": offer}


BENCH = axi_ports.of_network(
    axi,
    sources,
    MOODS,
    unit="adapter.axi_network:AxiAdapterNetwork",
)
