"""Testbench of the collective node with AXI ports: its own one, its processor replaced by AXI masters and slaves."""

from cubecast.golden.collective.contract.axi import axi
from cubecast.tb.collective import node
from cubecast.tb.common import axi_ports

__all__ = ["BENCH"]

BENCH = axi_ports.of_node(
    node,
    axi,
    # Peers of a ring wait for its states, which nobody reads in time.
    left=("ring",),
    more=tuple(f"collective: {kind} {what}" for kind in ("read", "write") for what in ("done", "response waits")),
    unit="collective.axi_node:AxiCollectiveNode",
)
