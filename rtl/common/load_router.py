"""What load routers of all systems have in common: a load node beside a router, and the ports of both."""

from amaranth.lib import wiring
from amaranth.lib.wiring import connect, flipped

from cubecast.golden.common.contract.load import LoadShape, settings
from cubecast.rtl.common import load_node
from cubecast.rtl.common.instance import place

__all__ = ["load_ports", "place_load_node"]

HIDDEN = ("address", "inject", "eject", "multiple_faults")
"""Ports of a router that stay inside, or are those of the load node."""

TOLD = ("arrived", "idle", "draws", "refused")


def place_load_node(m, outer, router, shape: LoadShape):
    """Place the load node of a load router, connect all of both but the packets, and return it.

    Parameters
    ----------
    m : Module
        That of the load router.
    outer, router : Component
        The load router, whose ports are those of :func:`load_ports`, and the router in it.
    shape : LoadShape
        What the router takes.
    """
    node = place(m, "load_node", load_node.LoadNode, shape)
    for mine, inner in ((outer.sent, node.sent), (outer.came, node.came), (outer.report, router.report)):
        connect(m, inner, flipped(mine))
    connect(m, flipped(outer.control), router.control)
    for mine, inner in zip([*outer.link_in, *outer.link_out], [*router.link_in, *router.link_out], strict=True):
        connect(m, flipped(mine), inner)
    m.d.comb += router.address.eq(outer.address)
    m.d.comb += [getattr(outer, name).eq(getattr(node, name)) for name in TOLD]
    for name in ("address", "load", "enable", *settings(shape)):
        m.d.comb += getattr(node, name).eq(getattr(outer, name))
    m.d.comb += [
        getattr(node.eject, name).eq(getattr(router.eject, name)) for name in ("valid", "data", "last", "error")
    ]
    m.d.comb += router.eject.ready.eq(node.eject.ready)
    return node


def load_ports(shape: LoadShape, router: wiring.Signature) -> wiring.Signature:
    """Return the ports of a load router.

    Parameters
    ----------
    shape : LoadShape
        What the router takes.
    router : Signature
        Ports of the router.
    """
    inherited = {name: member for name, member in router.members.items() if name not in HIDDEN}
    return wiring.Signature({**load_node.signature(shape), **inherited})
