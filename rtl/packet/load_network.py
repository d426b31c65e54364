"""Load network: a packet network with a traffic source and sink at every node."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect

from cubecast.golden.common.contract.units import ADDRESS_BITS, DATA_BITS
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.load import COUNTERS, SETTINGS
from cubecast.rtl.common.instance import place
from cubecast.rtl.packet.load_node import LoadNode
from cubecast.rtl.packet.router import PacketRouter

__all__ = ["LoadNetwork"]


class LoadNetwork(wiring.Component):
    """2**n packet routers, each with a load node; settings are common to all, counters are read node by node.

    The answer of a control port comes one cycle after its address; all other outputs are functions of registers and of
    ``choose``.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the routers; at least 3 words per packet, of at least 16 bits.
    queue : int
        Messages that a send queue holds, a power of two, at least 2.

    Ports
    -----
    enable, measure : in
        As for the load node.
    seed, rate, burst, packets, words : in, 32, 16, 8, 8, 6
        Settings of the load nodes.
    choose : in, n
        Node that is read.
    control_address, control_read_data : in, out, 7, 32
        Register of the control port of the node that is read.
    generated, lost, collisions, first_count, first_sum, message_count, message_sum, message_max, accepted : out
        Counters of the node that is read.
    idle : out
        No node has anything to send.

    Source: Buzzard 1988, section 5.7 (simulations of hypercubes of degree 6).
    """

    def __init__(self, config: PacketConfig, *, queue: int = 16):
        self.config = config
        self.queue = queue
        super().__init__(
            {
                "enable": In(1),
                "measure": In(1),
                **{name: In(bits) for name, bits in SETTINGS.items()},
                "choose": In(config.dim),
                "control_address": In(ADDRESS_BITS),
                "control_read_data": Out(DATA_BITS),
                **{name: Out(bits) for name, bits in COUNTERS.items()},
                "idle": Out(1),
            }
        )

    def elaborate(self, platform):
        """Place routers and load nodes, and connect them."""
        m = Module()
        config = self.config
        routers = [place(m, f"router_{node}", PacketRouter, config) for node in range(config.nodes)]
        loads = [place(m, f"load_node_{node}", LoadNode, config, queue=self.queue) for node in range(config.nodes)]
        forward, backward = ("line",), ("hold",)
        if config.link == "parallel":
            forward, backward = ("valid", "head", "data"), ("ready", "refusing")
        for node, (router, load) in enumerate(zip(routers, loads, strict=True)):
            connect(m, load.inject, router.inject)
            connect(m, router.eject, load.eject)
            m.d.comb += [
                router.address.eq(node),
                load.address.eq(node),
                router.control.address.eq(self.control_address),
                router.control.write.eq(0),
                router.control.write_data.eq(0),
            ]
            m.d.comb += [getattr(load, name).eq(getattr(self, name)) for name in ("enable", "measure", *SETTINGS)]
            for j in range(config.dim):
                out, into = router.link_out[j], routers[node ^ (1 << j)].link_in[j]
                m.d.comb += [getattr(into, name).eq(getattr(out, name)) for name in forward]
                m.d.comb += [getattr(out, name).eq(getattr(into, name)) for name in backward]
        with m.Switch(self.choose):
            for node, (router, load) in enumerate(zip(routers, loads, strict=True)):
                with m.Case(node):
                    m.d.comb += [getattr(self, name).eq(getattr(load, name)) for name in COUNTERS]
                    m.d.comb += self.control_read_data.eq(router.control.read_data)
        m.d.comb += self.idle.eq(Cat(load.idle for load in loads).all())
        return m
