"""Testbench of the packet router with AXI ports: its own one, its processor replaced by AXI masters and slaves."""

from cubecast.golden.packet.contract.axi import axi
from cubecast.tb.common import axi_ports
from cubecast.tb.packet import router

__all__ = ["BENCH"]

BENCH = axi_ports.of_node(
    router,
    axi,
    # What cuts of links meet inside is left to the router's testbench.
    left=("CUT", "another way"),
    more=("m_axis: error",),
    unit="packet.axi_router:AxiPacketRouter",
)
