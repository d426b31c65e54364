"""Crosspoint node: a crosspoint router and the adapter between it and the node."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.adapter.contract.registers import ADDRESS_BITS
from cubecast.rtl.adapter.adapter import Adapter
from cubecast.rtl.adapter.stream import Receive, Send
from cubecast.rtl.common.instance import place
from cubecast.rtl.common.register_port import RegisterPort
from cubecast.rtl.common.router_ports import bring_out
from cubecast.rtl.crosspoint.router import CrosspointRouter
from cubecast.rtl.crosspoint.router import signature as of_router

__all__ = ["AdapterNode", "signature"]


class AdapterNode(wiring.Component):
    """Router of a node with its network adapter.

    Parameters
    ----------
    config : AdapterConfig
        Parameters of the node.

    Ports
    -----
    address : in, n
        Strap: the node's address.
    link_in__j__*, link_out__j__*
        Links, as those of the router.
    send__valid, send__data, send__last, send__error, send__ready
        Messages of the node.
    receive__valid, receive__data, receive__last, receive__error, receive__first, receive__source, receive__path,
    receive__ordinal, receive__ready
        Words for it; with ``reassemble`` also receive__more.
    control__address, control__write, control__write_data, control__read_data : 7, 1, 32, 32
        Control port of the router.
    adapter__address, adapter__write, adapter__write_data, adapter__read_data : 5, 1, 32, 32
        Registers of the adapter.
    report__valid, report__reason, report__destination, report__port, report__lane : out, 1, 4, n, 4, 4
        Reports as they happen; port n, lane 1: the adapter.
    multiple_faults : out
        More than one link is cut.
    """

    def __init__(self, config: AdapterConfig):
        self.config = config
        super().__init__(signature(config))

    def elaborate(self, platform):
        """Place router and adapter and connect them."""
        m = Module()
        router = place(m, "router", CrosspointRouter, self.config.router, adapter=True)
        adapter = place(m, "adapter", Adapter, self.config)
        connect(m, adapter.inject, router.inject)
        connect(m, router.eject, adapter.eject)
        connect(m, adapter.report, router.adapter_report)
        connect(m, flipped(self.send), adapter.send)
        connect(m, adapter.receive, flipped(self.receive))
        connect(m, flipped(self.control), router.control)
        connect(m, flipped(self.adapter), adapter.control)
        bring_out(m, self, router)
        m.d.comb += [
            adapter.address.eq(self.address),
            adapter.cut.eq(router.cut),
        ]
        return m


def signature(config: AdapterConfig) -> wiring.Signature:
    """Return the ports of a node with these parameters.

    Parameters
    ----------
    config : AdapterConfig
        Parameters of the node.
    """
    own = {
        "send": In(Send(config)),
        "receive": Out(Receive(config, framed=config.reassemble > 0)),
        "adapter": In(RegisterPort(ADDRESS_BITS)),
    }
    members = dict(of_router(config.router).members)
    return wiring.Signature({name: port for name, port in members.items() if name not in ("inject", "eject")} | own)
