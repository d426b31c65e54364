"""What the packet node has to promise about the wires between router, node interface and its ports."""

from amaranth.hdl import Assert, Cat, Cover, Module, Mux, Signal
from amaranth.lib import wiring

from cubecast.golden.common.contract.units import ADDRESS_BITS
from cubecast.rtl.node import packet_node
from tests.harness.inside import emptying, equal, freed, opened, unit

__all__ = ["PacketNodeSpec"]

FROM_ROUTER = ("address", "multiple_faults")
FROM_INTERFACE = ("address", "done", "done_error", "early", "irq")
STREAMS = ("doorbell", "read", "write", "data", "watch")
REPORT = ("valid", "reason", "destination", "lane")


class PacketNodeSpec(wiring.Component):
    """Every bit is joined with what it is joined with; the upper half of the registers is the interface's.

    Router and interface are emptied.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the node.
    half : int
        Which half of the registers is the interface's: 1; with 0 it must be refuted.
    """

    def __init__(self, config, half=1):
        self.config, self.half = config, half
        super().__init__({})

    def elaborate(self, platform):
        """Compare both ends of each wire."""
        m = Module()
        self.dut = node = packet_node.PacketNode(self.config)
        with emptying(packet_node):
            m.submodules.dut = fragment = opened(node)
        freed(m, node)
        router, interface = unit(fragment, "router"), unit(fragment, "interface")
        control, mine, was_mine = node.control, Signal(), Signal()
        m.d.comb += mine.eq(control.address[ADDRESS_BITS] == self.half)
        m.d.sync += was_mine.eq(control.address[ADDRESS_BITS])
        m.d.comb += [
            *equal(interface.inject, router.inject),
            *equal(router.eject, interface.eject),
            *equal(node.report, router.report),
            *(Assert(getattr(interface.report, name) == getattr(router.report, name)) for name in REPORT),
            *(Assert(getattr(node, name) == getattr(router, name)) for name in FROM_ROUTER),
            *(Assert(getattr(node, name) == getattr(interface, name)) for name in FROM_INTERFACE),
            *(each for name in STREAMS for each in equal(getattr(node, name), getattr(interface, name))),
            Assert(router.control.address == control.address[:ADDRESS_BITS]),
            Assert(interface.control.address == control.address),
            Assert(router.control.write == (control.write & ~mine)),
            Assert(interface.control.write == (control.write & mine)),
            Assert(Cat(router.control.write_data, interface.control.write_data) == control.write_data.replicate(2)),
            Assert(control.read_data == Mux(was_mine, interface.control.read_data, router.control.read_data)),
            Cover(control.write & mine & was_mine & node.report.valid),
        ]
        for ours, its in ((node.link_in, router.link_in), (node.link_out, router.link_out)):
            for one, other in zip(ours, its, strict=True):
                m.d.comb += equal(one, other)
        return m
