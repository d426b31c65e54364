"""Testbench of the packet router with AXI ports: its own one, its processor replaced by AXI masters and slaves."""

from cubecast.golden.packet.contract.axi import axi
from cubecast.tb.common import axi_ports
from cubecast.tb.packet import router

__all__ = ["BENCH"]


def stimulus(random, config):
    """Everything that the own testbench sends, and masters that read and write all the time."""
    yield from axi_ports.stimulus(random, router.stimulus(random, config), axi(config))


BENCH = axi_ports.of_node(
    router,
    axi,
    stimulus,
    # What cuts of links meet inside is left to the router's testbench.
    left=("CUT",),
    more=("m_axis: error",),
    name="axi_packet_router",
    component="cubecast.rtl.packet.axi_router:AxiPacketRouter",
    twin="cubecast.golden.packet.twins.axi_router:AxiPacketRouter",
)
