"""Packet node: a packet router and the node interface behind it."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import connect, flipped

from cubecast.golden.common.contract.units import ADDRESS_BITS
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.rtl.common.instance import place
from cubecast.rtl.common.router_ports import bring_out
from cubecast.rtl.node.node_interface import Interface, NodeInterface
from cubecast.rtl.packet.router import PacketRouter
from cubecast.rtl.packet.router import signature as of_router

__all__ = ["PacketNode", "signature"]


class PacketNode(wiring.Component):
    """Router of a node with its node interface.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the node.

    Ports
    -----
    address : in, n
        Strap: the node's address.
    link_in__j__*, link_out__j__*
        Links, as those of the router.
    doorbell__*, read__*, data__*, write__*, done, done_error, watch__*, early, irq
        Processor and memory, as those of the node interface.
    control__address, control__write, control__write_data, control__read_data : 8, 1, 32, 32
        Registers: those below 128 are the router's.
    report__valid, report__reason, report__destination, report__port, report__lane : out, 1, 4, n, 4, 4
        Reports of the router as they happen.
    multiple_faults : out
        More than one link is out of use.

    Source: Buzzard 1988, chapter 5 (packet communication processor).
    """

    def __init__(self, config: NodeConfig):
        self.config = config
        super().__init__(signature(config))

    def elaborate(self, platform):
        """Place router and interface and connect them."""
        m = Module()
        router = place(m, "router", PacketRouter, self.config.router, kinds=True)
        interface = place(m, "interface", NodeInterface, self.config)
        connect(m, interface.inject, router.inject)
        connect(m, router.eject, interface.eject)
        bring_out(m, self, router)
        connect(m, flipped(self.doorbell), interface.doorbell)
        connect(m, interface.read, flipped(self.read))
        connect(m, interface.write, flipped(self.write))
        connect(m, flipped(self.data), interface.data)
        connect(m, flipped(self.watch), interface.watch)
        m.d.comb += [
            interface.address.eq(self.address),
            interface.done.eq(self.done),
            interface.done_error.eq(self.done_error),
            self.early.eq(interface.early),
            self.irq.eq(interface.irq),
            *(
                getattr(interface.report, name).eq(getattr(router.report, name))
                for name in ("valid", "reason", "destination", "lane")
            ),
        ]
        control, upper, was_upper = self.control, Signal(), Signal()
        m.d.comb += [
            upper.eq(control.address[ADDRESS_BITS]),
            router.control.address.eq(control.address),
            router.control.write.eq(control.write & ~upper),
            router.control.write_data.eq(control.write_data),
            interface.control.address.eq(control.address),
            interface.control.write.eq(control.write & upper),
            interface.control.write_data.eq(control.write_data),
            control.read_data.eq(Mux(was_upper, interface.control.read_data, router.control.read_data)),
        ]
        m.d.sync += was_upper.eq(upper)
        return m


def signature(config: NodeConfig) -> wiring.Signature:
    """Return the ports of a node with these parameters.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the node.
    """
    hidden = ("inject", "eject", "control")
    members = {name: port for name, port in of_router(config.router).members.items() if name not in hidden}
    return wiring.Signature(members | dict(Interface().members))
