"""Testbench of the packet router with AXI ports: its own one, its processor replaced by AXI masters and slaves."""

from cubecast.golden.packet.contract.axi import axi
from cubecast.tb.common import axi_ports
from cubecast.tb.harness.lockstep import Bench
from cubecast.tb.packet import router

__all__ = ["BENCH"]


def stimulus(random, config):
    """Everything that the own testbench sends, and masters that read and write all the time."""
    yield from axi_ports.stimulus(random, router.stimulus(random, config), axi(config))


def watch(inputs, outputs, twin):
    """Name what the own testbench names, and the accesses."""
    yield from axi_ports.watch(router, inputs, outputs, twin)


def events(config, extra, options):
    """Return what can happen with these parameters; what cuts of links meet inside is left to the router's bench."""
    inside = [name for name in router.events(config, extra, options) if "CUT" not in name]
    return (*inside, *axi_ports.events(axi(config)), "m_axis: error")


BENCH = Bench(
    name="axi_packet_router",
    component="cubecast.rtl.packet.axi_router:AxiPacketRouter",
    twin="cubecast.golden.packet.twins.axi_router:AxiPacketRouter",
    stimulus=stimulus,
    events=events,
    watch=watch,
    config="cubecast.golden.packet.contract.config:PacketConfig",
)
