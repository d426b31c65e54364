"""Broadcaster of the fault-tolerant format: forwarding dimensions and their control vectors."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.multicast.contract.config import Config
from cubecast.rtl.multicast.policy import policy_of, ports_of

__all__ = ["BroadcasterFaultTolerant"]


class BroadcasterFaultTolerant(wiring.Component):
    """Decide all forwarding dimensions of a broadcast, and the control vector that goes with each copy.

    send_j = control_j AND NOT fault_j. The copy in dimension j takes over the dimensions that come after j, and those
    that are faulty here: bit b of its vector = control_b AND (b after j OR fault_b). Dimensions come in ascending
    order; with the policy ``ordered`` those in which the local address has a one come first. Combinational.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Ports
    -----
    control : in, n
        Control vector of the message.
    fault : in, n
        Dimensions that cannot be used.
    address : in, n
        Local address; only with the policy ``ordered``.
    send : out, n
        Dimensions in which the message is sent on.
    controls : out, n * n
        Control vector of the copy in dimension j as item j.

    Source: Lan 1988, section 7.4, figure 7.10 (BROADCAST.F3).
    """

    def __init__(self, config: Config):
        self.config = config
        n = config.dim
        ports = {"control": In(n), "fault": In(n), "send": Out(n), "controls": Out(n * n)}
        super().__init__(ports | ports_of(config.policy_facts.broadcaster, config))

    def elaborate(self, platform):
        """Write down the equations."""
        m = Module()
        n = self.config.dim
        m.d.comb += self.send.eq(self.control & ~self.fault)
        policy = policy_of(self.config)
        straps = {strap.name: getattr(self, strap.name) for strap in self.config.policy_facts.broadcaster}
        for j in range(n):
            m.d.comb += self.controls.word_select(j, n).eq(self.control & (self.fault | policy.after(j, straps)))
        return m
