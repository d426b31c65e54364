"""Testbench of the crosspoint router with AXI ports: its own one, its node replaced by AXI masters and slaves."""

from cubecast.golden.crosspoint.contract.axi import axi
from cubecast.tb.common import axi_ports
from cubecast.tb.crosspoint import router

__all__ = ["BENCH"]


def stimulus(random, config):
    """Everything that the own testbench sends, and masters that read and write all the time."""
    yield from axi_ports.stimulus(random, router.stimulus(random, config), axi(config))


BENCH = axi_ports.of_node(
    router,
    axi,
    stimulus,
    more=("m_axis: error",),
    name="axi_crosspoint_router",
    component="cubecast.rtl.crosspoint.axi_router:AxiCrosspointRouter",
    twin="cubecast.golden.crosspoint.twins.axi_router:AxiCrosspointRouter",
)
