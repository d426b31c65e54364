"""Self-test network: a hypercube that makes its own traffic and checks it."""

from amaranth import *
from amaranth.lib.wiring import In, Out

from cubecast.golden.common.contract.units import DATA_BITS
from cubecast.golden.multicast.contract.config import Config
from cubecast.rtl.common.cube import Cube
from cubecast.rtl.multicast.self_test_node import SelfTestNode, signature

__all__ = ["SelfTestNetwork"]


class SelfTestNetwork(Cube):
    """2**n self-test nodes; the link out of node v in dimension j leads to node v XOR 2**j.

    Every port but ``start`` and ``passed`` is a packed vector over all nodes, with node v's value as item v. The
    payload of a report or a link reads 0 while its valid bit is 0.

    Parameters
    ----------
    config : Config
        Parameters of the routers.
    probe : bool
        Also bring out the links.

    Ports
    -----
    start : in
        Let all generators begin.
    control_address, control_write, control_write_data : in, 7, 1, 32 per node
        Control ports of the routers.
    control_read_data : out, 32 per node
        Their answers.
    test_address, test_write, test_write_data : in, 6, 1, 32 per node
        Registers of generators and checkers.
    test_read_data : out, 32 per node
        Their answers.
    report_valid, report_reason, report_destination, report_port, report_lane : out, 1, 4, n, 4, 4 per node
        Reports as they happen.
    multiple_faults : out, 1 per node
        More than one fault bit is set.
    idle : out, 1 per node
        The node's generator has nothing to send.
    failed : out, 1 per node
        A message came in wrong.
    passed : out
        Everything that was sent since reset has arrived, once and unchanged, and nothing else has.
    link_j_valid, link_j_data, ... : out
        With ``probe``, every member of the link out of each node in dimension j.
    """

    def __init__(self, config: Config, *, probe: bool = False):
        super().__init__(
            SelfTestNode,
            signature(config),
            config,
            probe=probe,
            hidden=("start", "missing", "difference"),
            extra={"start": In(1), "passed": Out(1)},
        )

    def elaborate(self, platform):
        """Place the nodes, connect the links, and add up what is missing."""
        m = Module()
        nodes = self._assemble(m)
        m.d.comb += [node.start.eq(self.start) for node in nodes]
        self._add_up(m, nodes)
        return m

    def _add_up(self, m, nodes):
        """Visit the nodes one after the other, again and again while all are idle."""
        place_ = Signal(self.config.dim, name="place")
        sums = {name: Signal(DATA_BITS, name=f"sum_of_{name}") for name in ("missing", "difference")}
        now = {name: Signal(DATA_BITS, name=f"{name}_with_this_node") for name in sums}
        for name, total in sums.items():
            m.d.comb += now[name].eq(total + Array([getattr(node, name) for node in nodes])[place_])
        with m.If(~self.idle.all()):
            m.d.sync += [place_.eq(0), self.passed.eq(0), *(total.eq(0) for total in sums.values())]
        with m.Else():
            m.d.sync += place_.eq(place_ + 1)
            m.d.sync += [total.eq(Mux(place_.all(), 0, now[name])) for name, total in sums.items()]
            with m.If(place_.all()):
                m.d.sync += self.passed.eq(~Cat(self.failed, *now.values()).any())
