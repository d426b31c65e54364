"""Load router: a crosspoint router with a load node at its ports."""

from amaranth import *
from amaranth.lib import wiring

from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.load import load_shape
from cubecast.rtl.common.instance import place
from cubecast.rtl.common.load_router import load_ports, place_load_node
from cubecast.rtl.crosspoint import router

__all__ = ["LoadRouter", "attach", "signature"]


class LoadRouter(wiring.Component):
    """Router of one node, and the source and sink of its packets.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the router, such that a load node can be made for them.

    Ports
    -----
    address, settings, load, enable, arrived, idle, draws, refused, sent__*, came__*
        Those of the load node.
    link_in__j__*, link_out__j__*, control__*, report__*
        Those of the router.
    """

    def __init__(self, config: CrosspointConfig):
        self.config = config
        super().__init__(signature(config))

    def elaborate(self, platform):
        """Place both and connect them."""
        m = Module()
        routes = place(m, "router", router.CrosspointRouter, self.config)
        attach(m, self, routes, self.config)
        return m


def attach(m: Module, outer: wiring.Component, routes: wiring.Component, config: CrosspointConfig) -> None:
    """Place a load node beside a router, and connect both with the ports of what is around them.

    Parameters
    ----------
    m : Module
        That of ``outer``.
    outer, routes : Component
        A load router, and the router in it.
    config : CrosspointConfig
        Parameters of the router.
    """
    node = place_load_node(m, outer, routes, load_shape(config))
    names = ("valid", "data", "last", "kind", "r1", "r2")
    m.d.comb += [getattr(routes.inject, name).eq(getattr(node.inject, name)) for name in names]
    m.d.comb += [
        routes.inject.error.eq(0),
        node.inject.ready.eq(routes.inject.ready),
        node.inject.heading.eq(0),
        node.eject.kind.eq(routes.eject.kind),
    ]


def signature(config: CrosspointConfig, around: wiring.Signature | None = None) -> wiring.Signature:
    """Return the ports of a load router.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the router.
    around : Signature, optional
        Ports of the router, if it is another one than a crosspoint router alone.
    """
    return load_ports(load_shape(config), around or router.signature(config))
