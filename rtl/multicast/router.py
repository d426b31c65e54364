"""Router of one node: channels, injection, gateways, reports and control port."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import connect, flipped

from cubecast.golden.multicast.contract.config import Config
from cubecast.rtl.common.control_port import ControlPort, serve, tell
from cubecast.rtl.common.instance import place
from cubecast.rtl.common.report_collector import ReportCollector
from cubecast.rtl.common.report_queue import ReportQueue
from cubecast.rtl.common.router_ports import router_ports
from cubecast.rtl.multicast.channel import Channel
from cubecast.rtl.multicast.link import Link, Words
from cubecast.rtl.multicast.mhu import Mhu
from cubecast.rtl.multicast.output_gateway import OutputGateway
from cubecast.rtl.multicast.policy import connect_straps, policy_of

__all__ = ["Router", "signature"]


class Router(wiring.Component):
    """Router of one node of a hypercube.

    A message offered at a link or at the injection port in cycle c leaves, when nothing contends, from cycle
    c + k + 2 on (c + 2 for a broadcast; one more with a source field, or with ``decision_latency`` = 2 for a message
    that is split: ``Config.first_copy``). No path leads from a link to a link without a
    register.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Ports
    -----
    address : in, n
        Strap: the node's address.
    link_in__j__valid, ..._data, ..._last, ..._error, ..._lane, ..._ready, ..._down
        Link from the neighbour in dimension j; ``down`` only in the fault-tolerant format.
    link_out__j__valid, ..._data, ..._last, ..._error, ..._lane, ..._ready, ..._down
        Link to it.
    inject__valid, inject__data, inject__last, inject__error, inject__ready
        Messages of the local processor.
    eject__valid, eject__data, eject__last, eject__error, eject__ready
        Deliveries to it.
    control__address, control__write, control__write_data, control__read_data : 7, 1, 32, 32
        Control port.
    report__valid, report__reason, report__destination, report__port, report__lane : out, 1, 4, n, 4, 4
        Reports, from the second cycle after their unit made them on, one in each cycle.
    multiple_faults : out
        More than one link is cut.

    Source: Lan 1988, section 6.3, figures 2.2 and 6.1.
    """

    def __init__(self, config: Config):
        self.config = config
        super().__init__(signature(config))

    def elaborate(self, platform):
        """Place the parts and connect unit u's port p with gateway p's input u."""
        m = Module()
        config = self.config
        n, lanes = config.dim, config.lanes
        policy = policy_of(config)
        channels = [place(m, f"channel_{j}", Channel, config) for j in range(n)]
        injection = place(m, "injection", Mhu, config)
        gateways = [place(m, f"gateway_{j}", OutputGateway, config) for j in range(n)]
        gateways.append(place(m, "gateway_local", OutputGateway, config, local=True))
        collector = place(m, "report_collector", ReportCollector, config.control)
        control_port = place(m, "control_port", ControlPort, config.control)
        for j, (channel, link) in enumerate(zip(channels, self.link_in, strict=True)):
            m.d.comb += [
                channel.address.eq(self.address),
                channel.fault.eq(control_port.cut),
                channel.cut.eq(control_port.cut[j]),
                channel.link.valid.eq(link.valid),
                channel.link.data.eq(link.data),
                channel.link.last.eq(link.last),
                channel.link.error.eq(link.error),
                channel.link.lane.eq(link.lane),
                link.ready.eq(channel.link.ready),
            ]
            connect_straps(m, channel, policy.channel_straps(self.address, j))
            if config.fault_tolerant:
                m.d.comb += [control_port.down[j].eq(link.down), self.link_out[j].down.eq(control_port.fault[j])]
        m.d.comb += [
            injection.address.eq(self.address),
            injection.fault.eq(control_port.cut),
            injection.inject.eq(1),
            injection.no_lane.eq(0),
            injection.cut.eq(0),
        ]
        connect(m, flipped(self.inject), injection.i)
        streams = [channel.o[lane] for channel in channels for lane in range(lanes)] + [injection.o]
        for p, gateway in enumerate(gateways):
            connect_straps(m, gateway, policy.gateway_straps(self.address, p))
            for u, stream in enumerate(streams):
                connect(m, stream[p], gateway.i[u])
        reports = [channel.report[lane] for channel in channels for lane in range(lanes)] + [injection.report]
        for u, report in enumerate(reports):
            queue = place(m, f"reports_{u}", ReportQueue, config.control)
            m.d.comb += [
                queue.put.eq(report.valid),
                queue.reason.eq(report.reason),
                queue.destination.eq(report.destination),
                report.ready.eq(queue.room),
            ]
            connect(m, queue.o, collector.i[u])
        for j, (gateway, link) in enumerate(zip(gateways[:n], self.link_out, strict=True)):
            m.d.comb += [
                gateway.cut.eq(control_port.cut[j]),
                link.valid.eq(gateway.valid),
                link.data.eq(gateway.data),
                link.last.eq(gateway.last),
                link.error.eq(gateway.error),
                link.lane.eq(gateway.lane),
                gateway.ready.eq(link.ready),
                gateway.advance.eq(1),
            ]
        ejection = gateways[n]
        m.d.comb += [
            self.eject.valid.eq(ejection.valid),
            self.eject.data.eq(ejection.data),
            self.eject.last.eq(ejection.last),
            self.eject.error.eq(ejection.error),
            ejection.ready.eq((1 << lanes) - 1),
            ejection.advance.eq(self.eject.ready),
            ejection.cut.eq(0),
        ]
        moves = [gateway.valid & (self.eject.ready if gateway is ejection else 1) for gateway in gateways]
        serve(m, self.control, control_port)
        m.d.comb += self.multiple_faults.eq(control_port.multiple_faults)
        # What gateways do is known late in a cycle; the counters can wait for it.
        m.d.sync += [
            control_port.message_in.eq(Cat([channel.start for channel in channels], injection.start)),
            control_port.word_out.eq(Cat(moves)),
            control_port.message_out.eq(Cat(moves) & Cat(gateway.last for gateway in gateways)),
            control_port.waited.eq(Cat(gateway.waited for gateway in gateways)),
        ]
        tell(m, collector, control_port, self.report)
        return m


def signature(config: Config) -> wiring.Signature:
    """Return the ports of a router with these parameters.

    Parameters
    ----------
    config : Config
        Parameters of the router.
    """
    return router_ports(config.dim, Link(config), Words(config), Words(config))
