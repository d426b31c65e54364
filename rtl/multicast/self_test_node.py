"""Self-test node: a router with a traffic generator and a traffic checker in place of its processor."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from cubecast.golden.common.contract.units import ADDRESS_BITS as CONTROL_BITS
from cubecast.golden.common.contract.units import DATA_BITS
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.self_test import ADDRESS_BITS as UNIT_BITS
from cubecast.rtl.common.instance import place
from cubecast.rtl.common.register_port import RegisterPort
from cubecast.rtl.common.report import Collected
from cubecast.rtl.common.router_ports import bring_out
from cubecast.rtl.multicast.link import Link
from cubecast.rtl.multicast.router import Router
from cubecast.rtl.multicast.traffic_checker import TrafficChecker
from cubecast.rtl.multicast.traffic_generator import TrafficGenerator

__all__ = ["ADDRESS_BITS", "SelfTestNode", "signature"]

ADDRESS_BITS = UNIT_BITS + 1


class SelfTestNode(wiring.Component):
    """Router, traffic generator and traffic checker of one node.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Ports
    -----
    address : in, n
        Strap: the node's address.
    start : in
        Let the generator begin.
    link_in__j__*, link_out__j__*
        Links, as those of the router.
    control__address, control__write, control__write_data, control__read_data : 7, 1, 32, 32
        Control port of the router.
    test__address, test__write, test__write_data, test__read_data : 6, 1, 32, 32
        Registers of the generator (bit 5 of the address 0) and the checker (1).
    report__valid, report__reason, report__destination, report__port, report__lane : out, 1, 4, n, 4, 4
        Reports of the router.
    multiple_faults : out
        More than one fault bit is set.
    idle : out
        The generator has nothing to send.
    failed : out
        A message came in wrong.
    missing, difference : out, 32
        Deliveries that this node's messages must lead to, less those that it got, and the same of their hashes;
        over all nodes their sums are 0 when everything has arrived. They lag a cycle behind.
    """

    def __init__(self, config: Config):
        self.config = config
        super().__init__(signature(config))

    def elaborate(self, platform):
        """Place the three units and connect them."""
        m = Module()
        router = place(m, "router", Router, self.config)
        generator = place(m, "traffic_generator", TrafficGenerator, self.config)
        checker = place(m, "traffic_checker", TrafficChecker, self.config)
        connect(m, generator.o, router.inject)
        connect(m, router.eject, checker.i)
        connect(m, flipped(self.control), router.control)
        bring_out(m, self, router)
        of_checker = Signal()
        m.d.sync += [
            of_checker.eq(self.test.address[5]),
            self.missing.eq(generator.expected - checker.delivered),
            self.difference.eq(generator.expected_signature - checker.delivered_signature),
        ]
        for unit, chosen in ((generator, ~self.test.address[5]), (checker, self.test.address[5])):
            m.d.comb += [
                unit.control.address.eq(self.test.address),
                unit.control.write.eq(self.test.write & chosen),
                unit.control.write_data.eq(self.test.write_data),
            ]
        m.d.comb += [
            generator.address.eq(self.address),
            checker.address.eq(self.address),
            generator.start.eq(self.start),
            self.test.read_data.eq(Mux(of_checker, checker.control.read_data, generator.control.read_data)),
            self.idle.eq(generator.idle),
            self.failed.eq(checker.failed),
        ]
        return m


def signature(config: Config) -> wiring.Signature:
    """Return the ports of a node with these parameters.

    Parameters
    ----------
    config : Config
        Parameters of the router.
    """
    return wiring.Signature(
        {
            "address": In(config.dim),
            "start": In(1),
            "link_in": In(Link(config)).array(config.dim),
            "link_out": Out(Link(config)).array(config.dim),
            "control": In(RegisterPort(CONTROL_BITS)),
            "test": In(RegisterPort(ADDRESS_BITS)),
            "report": Out(Collected(config.dim)),
            "multiple_faults": Out(1),
            "idle": Out(1),
            "failed": Out(1),
            "missing": Out(DATA_BITS),
            "difference": Out(DATA_BITS),
        }
    )
