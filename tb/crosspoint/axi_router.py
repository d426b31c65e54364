"""Testbench of the crosspoint router with AXI ports: its own one, its node replaced by AXI masters and slaves."""

from cubecast.golden.crosspoint.contract.axi import axi
from cubecast.tb.common import axi_ports
from cubecast.tb.crosspoint import router

__all__ = ["BENCH"]

BENCH = axi_ports.of_node(
    router,
    axi,
    more=("m_axis: error",),
    unit="crosspoint.axi_router:AxiCrosspointRouter",
)
