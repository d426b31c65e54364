"""Router of one node with AXI4-Stream local ports and an AXI4-Lite control port."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from cubecast.golden.common.contract.units import REASON_BITS
from cubecast.golden.multicast.contract.config import Config
from cubecast.rtl.common.axi_control import AxiControl, axi_lite
from cubecast.rtl.common.instance import place
from cubecast.rtl.multicast.link import Link
from cubecast.rtl.multicast.router import Router

__all__ = ["AxiRouter"]


class AxiRouter(wiring.Component):
    """Router whose processor's side is AXI.

    A word taken at ``s_axis`` in cycle c is the word that the router takes in cycle c, and a word that the router
    offers its processor in cycle c is at ``m_axis`` in cycle c. No AXI input reaches an output without a register.

    Parameters
    ----------
    config : Config
        Parameters of the router.
    axi_clock : bool
        True: the clock and the reset are the ports ``aclk`` and ``aresetn`` (active low, synchronous), as users of AXI
        expect. False: ``clk`` and ``rst``, as all units have them.

    Ports
    -----
    aclk, aresetn : in
        Only with ``axi_clock``.
    address : in, n
        Strap: the node's address.
    s_axis_tdata, s_axis_tvalid, s_axis_tready, s_axis_tlast, s_axis_tuser
        Messages of the local processor, a packet each; tdata is whole bytes; with tlast, tuser is ``error``.
    m_axis_tdata, m_axis_tvalid, m_axis_tready, m_axis_tlast, m_axis_tuser
        Deliveries to it, likewise.
    s_axi_* : AXI4-Lite slave, 32 bits
        The registers.
    link_in__j__*, link_out__j__*
        Links, as the router has them.
    report__*, multiple_faults : out
        As the router has them.

    Source: Lan 1988, section 6.3; AMBA AXI4-Stream and AXI4-Lite.
    """

    def __init__(self, config: Config, axi_clock: bool = False):
        self.config, self.axi_clock = config, axi_clock
        n, data = config.dim, -(-config.width // 8) * 8
        clock = {"aclk": In(1), "aresetn": In(1)} if axi_clock else {}
        report = wiring.Signature(
            {
                "valid": Out(1),
                "reason": Out(REASON_BITS),
                "destination": Out(n),
                "port": Out(REASON_BITS),
                "lane": Out(REASON_BITS),
            }
        )
        super().__init__(
            {
                **clock,
                "address": In(n),
                "s_axis_tdata": In(data),
                "s_axis_tvalid": In(1),
                "s_axis_tready": Out(1),
                "s_axis_tlast": In(1),
                "s_axis_tuser": In(1),
                "m_axis_tdata": Out(data),
                "m_axis_tvalid": Out(1),
                "m_axis_tready": In(1),
                "m_axis_tlast": Out(1),
                "m_axis_tuser": Out(1),
                **axi_lite(),
                "link_in": In(Link(config)).array(n),
                "link_out": Out(Link(config)).array(n),
                "report": Out(report),
                "multiple_faults": Out(1),
            }
        )

    def elaborate(self, platform):
        """Wire a router and an AXI4-Lite slave."""
        m = Module()
        if self.axi_clock:
            m.domains.sync = ClockDomain()
            m.d.comb += [ClockSignal().eq(self.aclk), ResetSignal().eq(~self.aresetn)]
        router = place(m, "router", Router, self.config)
        registers = place(m, "axi_control", AxiControl, self.config.control)
        for name, member in axi_lite().items():
            outside, inside = getattr(self, name), getattr(registers, name)
            m.d.comb += inside.eq(outside) if member.flow == In else outside.eq(inside)
        for j in range(self.config.dim):
            connect(m, flipped(self.link_in[j]), router.link_in[j])
            connect(m, router.link_out[j], flipped(self.link_out[j]))
        connect(m, registers.control, router.control)
        connect(m, router.report, flipped(self.report))
        m.d.comb += [
            router.address.eq(self.address),
            router.inject.valid.eq(self.s_axis_tvalid),
            router.inject.data.eq(self.s_axis_tdata),
            router.inject.last.eq(self.s_axis_tlast),
            router.inject.error.eq(self.s_axis_tuser),
            self.s_axis_tready.eq(router.inject.ready),
            self.m_axis_tvalid.eq(router.eject.valid),
            self.m_axis_tdata.eq(router.eject.data),
            self.m_axis_tlast.eq(router.eject.last),
            self.m_axis_tuser.eq(router.eject.error & router.eject.last),
            router.eject.ready.eq(self.m_axis_tready),
            self.multiple_faults.eq(router.multiple_faults),
        ]
        return m
