"""Next port: the output port that a packet wants at the node it is sent to."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.packet.contract.config import PORT_BITS, PacketConfig

__all__ = ["NextPort", "lowbit"]


class NextPort(wiring.Component):
    """Say by which port a packet that leaves by ``port`` leaves the node after it; combinational.

    Fixed routing takes the lowest dimension in which the addresses differ, a broadcast the dimension above its last.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.

    Ports
    -----
    address, destination : in, n
        The local node, and the packet's destination.
    port : in, 4
        The port by which it leaves; LOCAL = n.
    broadcast : in
        The packet is a broadcast.
    next : out, 4
        The port wanted there: LOCAL where the packet ends, and after LOCAL.

    Source: Buzzard 1988, section 5.4.2 (the next port is found one node ahead).
    """

    def __init__(self, config: PacketConfig):
        self.config = config
        super().__init__(
            {
                "address": In(config.dim),
                "destination": In(config.dim),
                "port": In(PORT_BITS),
                "broadcast": In(1),
                "next": Out(PORT_BITS),
            }
        )

    def elaborate(self, platform):
        """Find the lowest dimension still to be crossed."""
        m = Module()
        n = self.config.dim
        ahead = Signal(n)
        m.d.comb += ahead.eq(self.address ^ self.destination ^ Cat(self.port == i for i in range(n)))
        with m.If(self.port == self.config.local):
            m.d.comb += self.next.eq(self.config.local)
        with m.Elif(self.broadcast):
            m.d.comb += self.next.eq(self.port + 1)
        with m.Else():
            m.d.comb += self.next.eq(lowbit(ahead))
        return m


def lowbit(vector):
    """Return the index of the lowest set bit, the number of bits when there is none."""
    index = C(len(vector), PORT_BITS)
    for bit in reversed(range(len(vector))):
        index = Mux(vector[bit], bit, index)
    return index
