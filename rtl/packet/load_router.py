"""Load router: a packet router with a load node of all routers at its ports."""

from amaranth import *
from amaranth.lib import wiring

from cubecast.golden.common.contract.load import Kind
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.load import load_shape
from cubecast.rtl.common.instance import place
from cubecast.rtl.common.load_router import load_ports, place_load_node
from cubecast.rtl.packet import router

__all__ = ["LoadRouter", "signature"]


class LoadRouter(wiring.Component):
    """Router of one node, and the source and sink of its packets.

    All packets of a message to a node leave through the buffer slot that is chosen with its first word: the one of the
    lowest useful dimension, or with quasi-adaptive routing of the lowest useful one that takes a word. A broadcast
    leaves through all. A packet begins with its destination, a word of the router's own.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router, such that a load node can be made for them.

    Ports
    -----
    address, settings, load, enable, arrived, idle, draws, refused, sent__*, came__*
        Those of the load node.
    link_in__j__*, link_out__j__*, control__*, report__*
        Those of the router.
    """

    def __init__(self, config: PacketConfig):
        self.config = config
        super().__init__(signature(config))

    def elaborate(self, platform):
        """Place both, and put the destination before the words of a packet."""
        m = Module()
        config = self.config
        n = config.dim
        routes = place(m, "router", router.PacketRouter, config)
        node = place_load_node(m, self, routes, load_shape(config))
        source, inject = node.inject, routes.inject
        everyone, relative, useful, chosen = Signal(), Signal(n), Signal(n), Signal(n)
        kept, goes_on, named = Signal(n), Signal(), Signal(n)
        m.d.comb += [
            everyone.eq(source.kind == Kind.ALL),
            relative.eq(source.r1 ^ source.r2),
            useful.eq(relative),
        ]
        if config.routing == "quasi-adaptive":
            with m.If((relative & inject.ready).any()):
                m.d.comb += useful.eq(relative & inject.ready)
        m.d.comb += [
            chosen.eq(Mux(everyone, ~0, useful & -useful)),
            named.eq(Mux(goes_on, kept, chosen)),
            source.heading.eq(~source.headed),
            source.ready.eq(~(named & ~inject.ready).any()),
            inject.valid.eq(source.valid),
            inject.data.eq(Mux(source.headed, source.data, self.address ^ Mux(everyone, 0, relative))),
            inject.last.eq(source.headed & source.last),
            inject.slots.eq(named),
            node.eject.kind.eq(Kind.ONE),
        ]
        with m.If(source.valid & source.ready):
            m.d.sync += [kept.eq(named), goes_on.eq(~(source.headed & source.final))]
        return m


def signature(config: PacketConfig) -> wiring.Signature:
    """Return the ports of a load router.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.
    """
    return load_ports(load_shape(config), router.signature(config))
