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
    """Return what can happen with these parameters; cuts of links, and late reports, are left to the router's bench."""
    left = ("cut", "report of a message that is over")
    inside = [name for name in router.events(config, extra, options) if not any(word in name for word in left)]
    return (*inside, *axi_ports.events(axi(config)), "m_axis: error")


BENCH = Bench(
    name="axi_router",
    component="cubecast.rtl.multicast.axi_router:AxiRouter",
    twin="cubecast.golden.multicast.twins.axi_router:AxiRouter",
    stimulus=stimulus,
    events=events,
    watch=watch,
)
