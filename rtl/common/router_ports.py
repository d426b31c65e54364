"""Ports that the routers of all systems have."""

from collections.abc import Mapping

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from cubecast.golden.common.contract.units import ADDRESS_BITS
from cubecast.rtl.common.register_port import RegisterPort
from cubecast.rtl.common.report import Collected

__all__ = ["bring_out", "router_ports"]


def router_ports(
    n: int,
    link: wiring.Signature,
    inject: wiring.Signature,
    eject: wiring.Signature,
    more: Mapping[str, wiring.Member] | None = None,
) -> wiring.Signature:
    """Return the ports of a router.

    Parameters
    ----------
    n : int
        Dimension of the cube.
    link, inject, eject : Signature
        Of a link, and of the local ports.
    more : mapping
        Further ports.
    """
    return wiring.Signature(
        {
            "address": In(n),
            "link_in": In(link).array(n),
            "link_out": Out(link).array(n),
            "inject": In(inject),
            "eject": Out(eject),
            "control": In(RegisterPort(ADDRESS_BITS)),
            "report": Out(Collected(n)),
            "multiple_faults": Out(1),
            **(more or {}),
        }
    )


def bring_out(m, node, router):
    """Connect address, links, reports and the alarm of several faults of a node with those of the router in it.

    Parameters
    ----------
    m : Module
        That of the node.
    node, router : Component
        Both have ``address``, ``link_in``, ``link_out``, ``report`` and ``multiple_faults``.
    """
    m.d.comb += [router.address.eq(node.address), node.multiple_faults.eq(router.multiple_faults)]
    connect(m, router.report, flipped(node.report))
    for outer, inner in zip([*node.link_in, *node.link_out], [*router.link_in, *router.link_out], strict=True):
        connect(m, flipped(outer), inner)
