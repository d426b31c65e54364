"""Testbench of the collective network with AXI ports: every node sends, takes, reads and writes at once."""

from cubecast.golden.collective.contract.axi import axi
from cubecast.tb.collective.sequencer import vector
from cubecast.tb.common import axi_ports
from cubecast.tb.harness.lockstep import Bench
from cubecast.tb.multicast.axi_network import sources as of_router
from cubecast.tb.multicast.traffic import Source

__all__ = ["BENCH"]


def sources(random, config):
    """Return what offers words: messages of every kind, and vectors."""
    ends = [Source(random, config.router) for _ in range(config.nodes)]

    def offer(node, moved, mood):
        """Return the next word of a node's vector."""
        if not ends[node].words:
            ends[node].send(vector(random, config))
        return ends[node].next(moved, mood["gap"])

    return of_router(random, config.router) | {"s_axis_vector": offer}


def stimulus(random, config):
    """Messages of all nodes at once, receivers that stall, masters at all registers, resets in between."""
    yield from axi_ports.network(
        random,
        axi(config, cube=True),
        lambda: sources(random, config),
        {"gap": (0.0, 0.3), "start": (0.3, 0.9), "take": (0.3, 1.0)},
        rst=0.0005,
    )


def events(config, extra, options):
    """Return what happens at every node."""
    return (*axi_ports.network_events(axi(config, cube=True), silent=("s_axis_vector", "m_axis_vector")), "reset")


BENCH = Bench(
    name="axi_collective_network",
    component="cubecast.rtl.collective.axi_network:AxiCollectiveNetwork",
    twin="cubecast.golden.collective.twins.axi_network:AxiCollectiveNetwork",
    stimulus=stimulus,
    events=events,
    watch=axi_ports.network_watch,
    config="cubecast.golden.collective.contract.config:CollectiveConfig",
)
