"""Broadcaster of the fault-free format: forwarding dimensions from the source address."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.multicast.contract.config import Config

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
        if config.policy == "ordered":
            ports["address"] = In(config.dim)
        super().__init__(ports)

    def elaborate(self, platform):
        """Write down the equations."""
        m = Module()
        n = self.config.dim
        if self.config.policy == "greedy":
            for j in range(n):
                m.d.comb += self.send[j].eq(~self.source[j:].any())
            return m
        origin = Signal(n)
        m.d.comb += origin.eq(self.address ^ self.source)
        for j in range(n):
            late = [
                self.source[p] & ((origin[j] & ~origin[p]) if p < j else (origin[j] | ~origin[p]))
                for p in range(n)
                if p != j
            ]
            m.d.comb += self.send[j].eq(~Cat(self.source[j], late).any())
        return m
