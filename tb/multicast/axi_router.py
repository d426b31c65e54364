"""Testbench of the router with AXI ports: its own one, its processor replaced by AXI masters and a slave."""

from cubecast.golden.multicast.contract.axi import axi
from cubecast.tb.common import axi_ports
from cubecast.tb.harness.lockstep import Bench
from cubecast.tb.multicast import router

__all__ = ["BENCH"]


def stimulus(random, config):
    """Everything that the own testbench sends, and masters that read and write all the time."""
    yield from axi_ports.stimulus(random, router.stimulus(random, config), axi(config))


def watch(inputs, outputs, twin):
    """Name what the own testbench names, and the accesses."""
    yield from axi_ports.watch(router, inputs, outputs, twin)


def events(config, extra, options):
    """Return what can happen with these parameters; what cuts of links meet inside is left to the router's bench."""
    inside = [name for name in router.events(config, extra, options) if "cut" not in name]
    return (*inside, *axi_ports.events(axi(config)), "m_axis: error")


BENCH = Bench(
    name="axi_router",
    component="cubecast.rtl.multicast.axi_router:AxiRouter",
    twin="cubecast.golden.multicast.twins.axi_router:AxiRouter",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
