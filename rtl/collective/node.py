"""Collective node: a router whose local port is shared by its processor and a collective unit."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.registers import ADDRESS_BITS
from cubecast.rtl.collective.local_port import LocalPort
from cubecast.rtl.collective.unit import CollectiveUnit
from cubecast.rtl.common.instance import place
from cubecast.rtl.common.register_port import RegisterPort
from cubecast.rtl.common.router_ports import bring_out
from cubecast.rtl.multicast.link import Words
from cubecast.rtl.multicast.router import Router
from cubecast.rtl.multicast.router import signature as of_router

__all__ = ["CollectiveNode", "signature"]


class CollectiveNode(wiring.Component):
    """Router, collective unit, and the local port between the two and the processor.

    Parameters
    ----------
    config : CollectiveConfig
        Parameters of the node.

    Ports
    -----
    address : in, n
        Strap: the node's address.
    link_in__j__*, link_out__j__*
        Links, as those of the router.
    inject__*, eject__*
        Messages of the processor and deliveries to it, while the local port does not belong to the collectives.
    control__address, control__write, control__write_data, control__read_data : 7, 1, 32, 32
        Control port of the router.
    report__valid, report__reason, report__destination, report__port, report__lane : out, 1, 4, n, 4, 4
        Reports of the router.
    multiple_faults : out
        More than one link is cut.
    vector_in__valid, vector_in__data, vector_in__last, vector_in__error, vector_in__ready
        The node's own vector.
    vector_out__valid, vector_out__data, vector_out__last, vector_out__error, vector_out__ready
        The result of a merge, or the messages of a ring.
    collective__address, collective__write, collective__write_data, collective__read_data : 6, 1, 32, 32
        Registers of the collective unit.
    busy, failed : out
        An operation is under way; something of it was not whole or too long.
    custom_own, custom_other, custom_result : out, out, in, w
        An operation outside of the node; the first two are 0 while no word goes into the vector.

    Source: Lan 1988, figure 2.2 (router and processor of a node); Leu and Kuo.
    """

    def __init__(self, config: CollectiveConfig):
        self.config = config
        super().__init__(signature(config))

    def elaborate(self, platform):
        """Place the three units and connect them."""
        m = Module()
        router = place(m, "router", Router, self.config.router)
        port = place(m, "local_port", LocalPort, self.config)
        unit = place(m, "collective_unit", CollectiveUnit, self.config)
        connect(m, port.inject, router.inject)
        connect(m, router.eject, port.eject)
        connect(m, unit.inject, port.unit_inject)
        connect(m, port.unit_eject, unit.eject)
        connect(m, flipped(self.inject), port.host_inject)
        connect(m, port.host_eject, flipped(self.eject))
        connect(m, flipped(self.vector_in), unit.vector_in)
        connect(m, unit.vector_out, flipped(self.vector_out))
        connect(m, flipped(self.control), router.control)
        connect(m, flipped(self.collective), unit.control)
        bring_out(m, self, router)
        m.d.comb += [
            unit.address.eq(self.address),
            port.enable.eq(unit.enable),
            unit.custom_result.eq(self.custom_result),
            self.custom_own.eq(unit.custom_own),
            self.custom_other.eq(unit.custom_other),
            self.busy.eq(unit.busy),
            self.failed.eq(unit.failed),
        ]
        return m


def signature(config: CollectiveConfig) -> wiring.Signature:
    """Return the ports of a node with these parameters.

    Parameters
    ----------
    config : CollectiveConfig
        Parameters of the node.
    """
    router = config.router
    own = {
        "vector_in": In(Words(router)),
        "vector_out": Out(Words(router)),
        "collective": In(RegisterPort(ADDRESS_BITS)),
        "busy": Out(1),
        "failed": Out(1),
        "custom_own": Out(config.width),
        "custom_other": Out(config.width),
        "custom_result": In(config.width),
    }
    return wiring.Signature(dict(of_router(router).members) | own)
