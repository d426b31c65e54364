"""What a traffic checker has to promise about when it says that something was wrong."""

from amaranth.hdl import Assert, Cover, Module

from cubecast.rtl.multicast.traffic_checker import TrafficChecker
from tests.harness.spec import Spec, drive

__all__ = ["TrafficCheckerSpec"]


class TrafficCheckerSpec(Spec):
    """It says so whenever the count of wrong words or that of deliveries with an error is not 0; any state.

    Parameters
    ----------
    config : Config
        Parameters of the router.
    """

    unit = TrafficChecker

    def elaborate(self, platform):
        """Compare what it says with its counters."""
        m = Module()
        dut = self.place(m)
        drive(m, dut)
        errors, payload_errors = (self.register(name) for name in ("errors", "payload_errors"))
        m.d.comb += [
            Assert(dut.failed == ((errors != 0) | (payload_errors != 0))),
            Cover(dut.failed & (errors == 0)),
            Cover(dut.failed & (payload_errors == 0)),
        ]
        return m
