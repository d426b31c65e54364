"""Report collector: one report per cycle out of those of all units."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.common.contract.units import REASON_BITS, Control, Requests
from cubecast.rtl.common.arbiter import Arbiter
from cubecast.rtl.common.instance import place
from cubecast.rtl.common.report import Report

__all__ = ["ReportCollector"]


class ReportCollector(wiring.Component):
    """Let the reports of all units pass one by one, in turns, and say where each came from.

    A report that is taken in cycle t is at the outputs in cycle t + 1: registers keep the path from a unit's words to
    its report out of that to the log and the counters.

    Parameters
    ----------
    config : Control
        Width of an address, streams of reports, and streams of a port.

    Ports
    -----
    i__u__valid, i__u__reason, i__u__destination, i__u__ready
        Reports of unit u = channel * L + lane; u = n * L is the injection unit.
    valid, reason, destination : out, 1 and 4 and n
        The report that was taken one cycle ago; registers.
    port, lane : out, 4
        Its channel (n: injection) and lane; registers.
    """

    def __init__(self, config: Control):
        self.config = config
        super().__init__(
            {
                "i": In(Report(config.dim)).array(config.units),
                "valid": Out(1),
                "reason": Out(REASON_BITS),
                "destination": Out(config.dim),
                "port": Out(REASON_BITS),
                "lane": Out(REASON_BITS),
            }
        )

    def elaborate(self, platform):
        """Arbitrate and multiplex."""
        m = Module()
        arbiter = place(m, "arbiter", Arbiter, Requests(count=self.config.units))
        m.d.comb += [
            arbiter.request.eq(Cat(i.valid for i in self.i)),
            arbiter.advance.eq(1),
        ]
        m.d.sync += self.valid.eq(arbiter.request.any())
        for u, i in enumerate(self.i):
            port, lane = divmod(u, self.config.lanes)
            m.d.comb += i.ready.eq(arbiter.grant[u])
            with m.If(arbiter.grant[u]):
                m.d.sync += [
                    self.reason.eq(i.reason),
                    self.destination.eq(i.destination),
                    self.port.eq(port),
                    self.lane.eq(lane),
                ]
        return m
