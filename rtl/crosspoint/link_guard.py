"""Link guard: how long a cut lasts where words are under way in the registers of a link."""

from functools import reduce
from itertools import pairwise
from operator import and_, or_

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.crosspoint.contract.config import CrosspointConfig

__all__ = ["LinkGuard"]


class LinkGuard(wiring.Component):
    """Lengthen a cut by 2f cycles, and say while the neighbour may not know of it; f = ``forward``.

    Without registers both ends know of a cut in the same cycle, and this is wires; without fault tolerance, zeros.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of the router.

    Ports
    -----
    fault : in, n
        The fault vector.
    link_down : in, n
        FAULT bits of the neighbours, as they come in over the links.
    down : out, n
        For the control port: the link is to be cut for the neighbour's fault, or for one that is just over.
    young : out, n
        The link has not been cut for as long as a word and the knowledge of it are under way.
    """

    def __init__(self, config: CrosspointConfig):
        self.config = config
        n = config.dim
        super().__init__({"fault": In(n), "link_down": In(n), "down": Out(n), "young": Out(n)})

    def elaborate(self, platform):
        """Build the past of each link, the latest cycle first."""
        m = Module()
        config = self.config
        if not config.fault_tolerant:
            return m
        if not config.forward:
            m.d.comb += self.down.eq(self.link_down)
            return m
        past = [Signal(config.dim, name=f"past_{age}") for age in range(1, 2 * config.forward + 2)]
        m.d.sync += past[0].eq(self.fault | self.link_down)
        m.d.sync += [later.eq(earlier) for earlier, later in pairwise(past)]
        m.d.comb += [
            self.down.eq(reduce(or_, past[:-1], self.link_down)),
            self.young.eq(~reduce(and_, past)),
        ]
        return m
