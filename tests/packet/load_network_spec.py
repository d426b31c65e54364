"""What the load network has to promise about the answers of its routers."""

from amaranth.hdl import Array, Assert, Cover, Module
from amaranth.lib import wiring

from cubecast.rtl.packet import load_network
from tests.harness.inside import freed, opened, unit

__all__ = ["AnswerSpec"]


class AnswerSpec(wiring.Component):
    """Every bit of the answer of a control port comes out.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the routers.
    other : int
        XOR of the address of the router whose answer is expected with that of the chosen one; but for 0 it must be
        refuted.
    """

    def __init__(self, config, other=0):
        self.config, self.other = config, other
        super().__init__({})

    def elaborate(self, platform):
        """Compare the answer with the routers' own."""
        m = Module()
        network = load_network.LoadNetwork(self.config)
        m.submodules.dut = fragment = opened(network)
        freed(m, network)
        routers = [unit(fragment, f"router_{node ^ self.other}") for node in range(self.config.nodes)]
        answers = Array(router.control.read_data for router in routers)
        m.d.comb += [
            Assert(network.control_read_data == answers[network.choose]),
            Cover(network.choose.all() & network.control_read_data.all()),
        ]
        return m
