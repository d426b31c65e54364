"""Testbench of the crosspoint node with AXI ports: its own one, its processor replaced by AXI masters and slaves."""

from cubecast.golden.adapter.contract.axi import axi
from cubecast.tb.adapter import node
from cubecast.tb.common import axi_ports

__all__ = ["BENCH"]

BENCH = axi_ports.of_node(
    node,
    axi,
    # They hang on faults and relays, which are rare here.
    left=("NO_ROUTE", "RELAY_FULL"),
    more=("m_axis: error",),
    unit="adapter.axi_node:AxiAdapterNode",
)
