"""Load router: a crosspoint router with a load node at its ports."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import connect, flipped

from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.load import settings
from cubecast.rtl.common.instance import place
from cubecast.rtl.crosspoint import load_node, router

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
    node = place(m, "load_node", load_node.LoadNode, config)
    connect(m, node.inject, routes.inject)
    connect(m, routes.eject, node.eject)
    for mine, inner in ((outer.sent, node.sent), (outer.came, node.came), (outer.report, routes.report)):
        connect(m, inner, flipped(mine))
    connect(m, flipped(outer.control), routes.control)
    for j in range(config.dim):
        connect(m, flipped(outer.link_in[j]), routes.link_in[j])
        connect(m, routes.link_out[j], flipped(outer.link_out[j]))
    m.d.comb += routes.address.eq(outer.address)
    m.d.comb += [getattr(outer, name).eq(getattr(node, name)) for name in ("arrived", "idle", "draws", "refused")]
    for name in ("address", "load", "enable", *settings(config)):
        m.d.comb += getattr(node, name).eq(getattr(outer, name))


def signature(config: CrosspointConfig, around: wiring.Signature | None = None) -> wiring.Signature:
    """Return the ports of a load router.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the router.
    around : Signature, optional
        Ports of the router, if it is another one than a crosspoint router alone.
    """
    hidden = ("address", "inject", "eject", "multiple_faults")
    members = (around or router.signature(config)).members
    inherited = {name: member for name, member in members.items() if name not in hidden}
    return wiring.Signature({**load_node.signature(config), **inherited})
