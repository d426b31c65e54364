"""Testbench of the collective node with AXI ports: its own one, its processor replaced by AXI masters and slaves."""

from cubecast.golden.collective.contract.axi import axi
from cubecast.tb.collective import node
from cubecast.tb.common import axi_ports
from cubecast.tb.harness.lockstep import Bench

__all__ = ["BENCH"]


def stimulus(random, config):
    """Everything that the own testbench sends, and masters that read and write all the time."""
    yield from axi_ports.stimulus(random, node.stimulus(random, config), axi(config))


def watch(inputs, outputs, twin):
    """Name what the own testbench names, and the accesses."""
    yield from axi_ports.watch(node, inputs, outputs, twin)


def events(config, extra, options):
    """Return what can happen with these parameters; peers of a ring wait for its states, which nobody reads in time."""
    own = [f"collective: {kind} {what}" for kind in ("read", "write") for what in ("done", "response waits")]
    inside = [name for name in node.events(config, extra, options) if "ring" not in name]
    return (*inside, *axi_ports.events(axi(config)), *own)


BENCH = Bench(
    name="axi_collective_node",
    component="cubecast.rtl.collective.axi_node:AxiCollectiveNode",
    twin="cubecast.golden.collective.twins.axi_node:AxiCollectiveNode",
    stimulus=stimulus,
    events=events,
    watch=watch,
    config="cubecast.golden.collective.contract.config:CollectiveConfig",
)
