"""Broadcaster of the fault-free format: forwarding dimensions from the source address."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.config import Config

__all__ = ["BroadcasterFaultFree"]


class BroadcasterFaultFree(wiring.Component):
    """Decide all forwarding dimensions of a broadcast: g_j = AND over all p >= j of NOT source_p. Combinational.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Ports
    -----
    source : in, n
        Relative address of the source.
    send : out, n
        Dimensions in which the message is sent on.

    Source: Lan 1988, section 6.5.6, figure 6.5 (BROADCAST.2).
    """

    def __init__(self, config: Config):
        self.config = config
        super().__init__({"source": In(config.dim), "send": Out(config.dim)})

    def elaborate(self, platform):
        """Write down the equations."""
        m = Module()
        for j in range(self.config.dim):
            m.d.comb += self.send[j].eq(~self.source[j:].any())
        return m
