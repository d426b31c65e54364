"""Testbench of the crosspoint network with AXI ports: every node sends, takes, reads and writes at once."""

from cubecast.golden.crosspoint.contract.axi import axi
from cubecast.tb.common import axi_ports
from cubecast.tb.common.patterns import chance
from cubecast.tb.crosspoint.packets import packet

__all__ = ["BENCH"]


MOODS = {"load": (0.1, 1.0), "illegal": (0.0, 0.2), "take": (0.3, 1.0)}


def sources(random, config):
    """Return what offers words: packets of every kind, legal or not."""
    stream, _ = axi(config, cube=True).streams
    ends, valid, number = [[] for _ in range(config.nodes)], [0] * config.nodes, 0

    def offer(node, moved, mood):
        """Return the next word of a node; one that is offered stays."""
        nonlocal number
        words = ends[node]
        if moved:
            words.pop(0)
            valid[node] = 0
        if not words:
            number += 1
            words += packet(random, config, number, mood["illegal"], mood["illegal"])
        valid[node] = valid[node] or chance(random, mood["load"])
        return valid[node], words[0]["data"], words[0]["last"], stream.user_of(words[0])

    return {"s_axis": offer}


BENCH = axi_ports.of_network(
    axi,
    sources,
    MOODS,
    unit="crosspoint.axi_network:AxiCrosspointNetwork",
)
