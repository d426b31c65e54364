"""What the load network has to promise about the wires between its routers, its load nodes and its ports."""

from amaranth.hdl import Array, Assert, Cat, Cover, Module
from amaranth.lib import wiring

from cubecast.golden.packet.contract.load import COUNTERS, SETTINGS
from cubecast.rtl.packet import load_network
from tests.harness.inside import emptying, equal, freed, opened, unit

__all__ = ["LoadNetworkSpec"]


class LoadNetworkSpec(wiring.Component):
    """Every bit of a link leads to the neighbour, those of the node chosen come out, all have the same settings.

    Routers and load nodes are emptied.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the routers.
    other : int
        XOR of the address of the router whose answer is expected with that of the chosen one; but for 0 it must be
        refuted.
    extra : object
        Further parameters of the network.
    """

    def __init__(self, config, other=0, **extra):
        self.config, self.other, self.extra = config, other, extra
        super().__init__({})

    def elaborate(self, platform):
        """Compare both ends of each wire."""
        m = Module()
        self.dut = network = load_network.LoadNetwork(self.config, **self.extra)
        nodes = range(self.config.nodes)
        with emptying(load_network):
            m.submodules.dut = fragment = opened(network)
        freed(m, network)
        routers = [unit(fragment, f"router_{v}") for v in nodes]
        loads = [unit(fragment, f"load_node_{v}") for v in nodes]
        for v, (router, load) in enumerate(zip(routers, loads, strict=True)):
            m.d.comb += [
                *equal(load.inject, router.inject),
                *equal(router.eject, load.eject),
                Assert(router.address == v),
                Assert(load.address == v),
                Assert(router.control.address == network.control_address),
                Assert(~router.control.write),
                *(Assert(getattr(load, name) == getattr(network, name)) for name in ("enable", "measure", *SETTINGS)),
            ]
            for j, link in enumerate(router.link_out):
                m.d.comb += equal(link, routers[v ^ 1 << j].link_in[j])
        answers = Array(routers[v ^ self.other].control.read_data for v in nodes)
        m.d.comb += [
            Assert(network.control_read_data == answers[network.choose]),
            *(
                Assert(getattr(network, name) == Array(getattr(load, name) for load in loads)[network.choose])
                for name in COUNTERS
            ),
            Assert(network.idle == Cat(load.idle for load in loads).all()),
            Cover(network.choose.all() & network.control_read_data.all()),
        ]
        return m
