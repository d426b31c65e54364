"""Broadcaster of the fault-free format: forwarding dimensions from the source address."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.multicast.contract.config import Config
from cubecast.rtl.multicast.policy import policy_of, ports_of

__all__ = ["BroadcasterFaultFree"]


class BroadcasterFaultFree(wiring.Component):
    """Decide all forwarding dimensions of a broadcast. Combinational.

    g_j = AND over all p >= j of NOT source_p. With the policy ``ordered`` the dimensions in which the source's address
    has a one come first, each kind in ascending order: g_j = NOT source_j AND, for all other p, source_p only if p
    comes before j.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Ports
    -----
    source : in, n
        Relative address of the source.
    address : in, n
        Local address; only with the policy ``ordered``.
    send : out, n
        Dimensions in which the message is sent on.

    Source: Lan 1988, section 6.5.6, figure 6.5 (BROADCAST.2).
    """

    def __init__(self, config: Config):
        self.config = config
        ports = {"source": In(config.dim), "send": Out(config.dim)}
        super().__init__(ports | ports_of(config.policy_facts.broadcaster, config))

    def elaborate(self, platform):
        """Write down the equations."""
        m = Module()
        straps = {strap.name: getattr(self, strap.name) for strap in self.config.policy_facts.broadcaster}
        for bit, sends in zip(self.send, policy_of(self.config).sends(m, self.source, straps), strict=True):
            m.d.comb += bit.eq(sends)
        return m
