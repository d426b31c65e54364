"""Packet router of one node: packet buffer units, crossbar, the node's ports, links and control port."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import connect, flipped

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.common.control_port import ControlPort, serve, tell
from cubecast.rtl.common.instance import place
from cubecast.rtl.common.report_collector import ReportCollector
from cubecast.rtl.common.router_ports import router_ports
from cubecast.rtl.packet.buffer_unit import PacketBufferUnit
from cubecast.rtl.packet.crossbar import Crossbar
from cubecast.rtl.packet.deserializer import Deserializer
from cubecast.rtl.packet.link import Link, Words
from cubecast.rtl.packet.node_input_port import NodeInputPort
from cubecast.rtl.packet.node_output_port import Inject, NodeOutputPort
from cubecast.rtl.packet.serializer import Serializer

__all__ = ["PacketRouter", "signature"]


class PacketRouter(wiring.Component):
    """Router of one node of a hypercube.

    When nothing contends, a head that comes in cycle c goes out in cycle c + 4 over a parallel link, and the start bit
    of a packet 11 + W + length bits cycles after the one that came in over a serial link. No path leads from a link to
    a link without a register.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.
    kinds : bool
        The node says of each packet what kind it is.

    Ports
    -----
    address : in, n
        Strap: the node's address.
    link_in__j__valid, ..._head, ..._data, ..._ready, ..._refusing
        Parallel link from the neighbour in dimension j.
    link_in__j__line, ..._hold
        The same for a serial link.
    link_out__j__valid, ..., link_out__j__line, ...
        Link to it.
    inject__valid, inject__data, inject__last, inject__slots, inject__ready
        Packets of the node; slots and ready have a bit for each dimension.
    inject__kind : in, 2
        Kind of the packet; only with ``kinds``.
    eject__valid, eject__data, eject__last, eject__error, eject__ready
        Packets for the node.
    control__address, control__write, control__write_data, control__read_data : 7, 1, 32, 32
        Control port.
    report__valid, report__reason, report__destination, report__port, report__lane : out, 1, 4, n, 4, 4
        Reports as they happen; lane 0: packet buffer unit, 1: crossbar output, 2: buffer slot.
    multiple_faults : out
        More than one link is out of use.

    Source: Buzzard 1988, sections 5.1 to 5.4, figure 5.1.
    """

    def __init__(self, config: PacketConfig, *, kinds: bool = False):
        self.config = config
        self._kinds = {"kinds": True} if kinds else {}
        super().__init__(signature(config, **self._kinds))

    def elaborate(self, platform):
        """Place the parts and connect them."""
        m = Module()
        config = self.config
        n = config.dim
        units = [place(m, f"pbu_{i}", PacketBufferUnit, config) for i in range(n)]
        crossbar = place(m, "crossbar", Crossbar, config)
        sending = place(m, "node_output_port", NodeOutputPort, config, **self._kinds)
        receiving = place(m, "node_input_port", NodeInputPort, config)
        collector = place(m, "report_collector", ReportCollector, config.control)
        control_port = place(m, "control_port", ControlPort, config.control)
        for i, unit in enumerate(units):
            side = crossbar.pbu[i]
            m.d.comb += [
                unit.address.eq(self.address),
                unit.dimension.eq(i),
                unit.cut.eq(control_port.fault[i]),
                side.request.eq(unit.request),
                side.accept.eq(unit.accept),
                side.closing.eq(unit.closing),
                unit.grant.eq(side.grant),
            ]
            connect(m, unit.o, side.flit)
            streams = (unit.report, crossbar.report[i], sending.report[i])
            for lane, stream in enumerate(streams):
                connect(m, stream, collector.i[config.lanes * i + lane])
            connect(m, sending.slot[i], crossbar.slot[i])
            if config.link == "serial":
                self._serial(m, i, unit, crossbar, sending)
            else:
                self._parallel(m, i, unit, crossbar, sending)
        if config.fault_tolerant:
            connect(m, sending.detour, crossbar.detour)
            m.d.comb += [sending.fault.eq(control_port.fault), control_port.down.eq(0)]
        connect(m, flipped(self.inject), sending.inject)
        connect(m, crossbar.o[n], receiving.i)
        connect(m, receiving.eject, flipped(self.eject))
        m.d.comb += [
            sending.address.eq(self.address),
            crossbar.cut.eq(control_port.fault),
            crossbar.open[n].eq(receiving.open),
        ]
        serve(m, self.control, control_port)
        m.d.comb += [
            control_port.message_in.eq(Cat([unit.accepted for unit in units], sending.committed)),
            control_port.word_out.eq(crossbar.word_out),
            control_port.message_out.eq(crossbar.packet_out),
            control_port.waited.eq(crossbar.waited),
            self.multiple_faults.eq(control_port.multiple_faults),
        ]
        tell(m, collector, control_port, self.report)
        return m

    def _parallel(self, m, j, unit, crossbar, sending):
        """Connect the parallel links of dimension j; what goes out comes from registers."""
        link, out, flit = self.link_in[j], self.link_out[j], crossbar.o[j]
        m.d.comb += [
            unit.valid.eq(link.valid),
            unit.head.eq(link.head),
            unit.data.eq(link.data),
            unit.cut_short.eq(unit.receiving & ~link.valid),
            link.ready.eq(unit.ready),
            link.refusing.eq(unit.refusing),
            crossbar.open[j].eq(out.ready),
            crossbar.refused[j].eq(0),
            sending.refusing[j].eq(out.refusing),
            flit.ready.eq(1),
        ]
        m.d.sync += out.valid.eq(flit.valid)
        with m.If(flit.valid):
            m.d.sync += [out.head.eq(flit.head), out.data.eq(flit.data)]

    def _serial(self, m, j, unit, crossbar, sending):
        """Connect the serial links of dimension j."""
        serializer = place(m, f"serializer_{j}", Serializer, self.config)
        deserializer = place(m, f"deserializer_{j}", Deserializer, self.config)
        link, out = self.link_in[j], self.link_out[j]
        connect(m, crossbar.o[j], serializer.i)
        m.d.comb += [
            deserializer.line.eq(link.line),
            deserializer.ready.eq(unit.ready),
            deserializer.refusing.eq(unit.refusing),
            link.hold.eq(deserializer.hold),
            unit.valid.eq(deserializer.valid),
            unit.head.eq(deserializer.head),
            unit.data.eq(deserializer.data),
            unit.cut_short.eq(deserializer.cut_short),
            out.line.eq(serializer.line),
            serializer.hold.eq(out.hold),
            crossbar.open[j].eq(serializer.idle & ~out.hold),
            crossbar.refused[j].eq(serializer.refused),
            sending.refusing[j].eq(0),
        ]


def signature(config: PacketConfig, *, kinds: bool = False) -> wiring.Signature:
    """Return the ports of a router with these parameters.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.
    kinds : bool
        The node says of each packet what kind it is.
    """
    return router_ports(config.dim, Link(config), Inject(config, kinds=kinds), Words(config))
