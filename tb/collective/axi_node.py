"""Testbench of the collective node with AXI ports: its own one, its processor replaced by AXI masters and slaves."""

from cubecast.golden.collective.contract.axi import axi
from cubecast.tb.collective import node
from cubecast.tb.common import axi_ports

__all__ = ["BENCH"]


def stimulus(random, config):
    """Everything that the own testbench sends, and masters that read and write all the time."""
    yield from axi_ports.stimulus(random, node.stimulus(random, config), axi(config))


BENCH = axi_ports.of_node(
    node,
    axi,
    stimulus,
    # Peers of a ring wait for its states, which nobody reads in time.
    left=("ring",),
    more=tuple(f"collective: {kind} {what}" for kind in ("read", "write") for what in ("done", "response waits")),
    name="axi_collective_node",
    component="cubecast.rtl.collective.axi_node:AxiCollectiveNode",
    twin="cubecast.golden.collective.twins.axi_node:AxiCollectiveNode",
)
