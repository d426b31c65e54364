"""Testbench of the crosspoint router with AXI ports: its own one, its node replaced by AXI masters and slaves."""

from cubecast.golden.crosspoint.contract.axi import axi
from cubecast.tb.common import axi_ports
from cubecast.tb.crosspoint import router
from cubecast.tb.harness.lockstep import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Everything that the own testbench sends, and masters that read and write all the time."""
    yield from axi_ports.stimulus(random, router.stimulus(random, config), axi(config))


def watch(inputs, outputs, twin):
    """Name what the own testbench names, and the accesses."""
    yield from axi_ports.watch(router, inputs, outputs, twin)


def events(config, extra, options):
    """Return what can happen with these parameters."""
    return (*router.events(config, extra, options), *axi_ports.events(axi(config)), "m_axis: error")


BENCH = Bench(
    name="axi_crosspoint_router",
    component="cubecast.rtl.crosspoint.axi_router:AxiCrosspointRouter",
    twin="cubecast.golden.crosspoint.twins.axi_router:AxiCrosspointRouter",
    stimulus=stimulus,
    events=events,
    watch=watch,
    config="cubecast.golden.crosspoint.contract.config:CrosspointConfig",
)
