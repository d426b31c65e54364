"""Testbench of the router with AXI ports: its own one, its processor replaced by AXI masters and a slave."""

from cubecast.golden.multicast.contract.axi import axi
from cubecast.tb.common import axi_ports
from cubecast.tb.multicast import router

__all__ = ["BENCH"]


def stimulus(random, config):
    """Everything that the own testbench sends, and masters that read and write all the time."""
    yield from axi_ports.stimulus(random, router.stimulus(random, config), axi(config))


BENCH = axi_ports.of_node(
    router,
    axi,
    stimulus,
    # Cuts of links, and late reports, are left to the router's testbench.
    left=("cut", "report of a message that is over"),
    more=("m_axis: error",),
    name="axi_router",
    component="cubecast.rtl.multicast.axi_router:AxiRouter",
    twin="cubecast.golden.multicast.twins.axi_router:AxiRouter",
)
