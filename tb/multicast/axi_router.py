"""Testbench of the router with AXI ports: its own one, its processor replaced by AXI masters and a slave."""

from cubecast.golden.multicast.contract.axi import axi
from cubecast.tb.common import axi_ports
from cubecast.tb.multicast import router

__all__ = ["BENCH"]

BENCH = axi_ports.of_node(
    router,
    axi,
    # Cuts of links, and late reports, are left to the router's testbench.
    left=("cut", "report of a message that is over"),
    more=("m_axis: error",),
    unit="multicast.axi_router:AxiRouter",
)
