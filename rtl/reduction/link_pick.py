"""Link pick: the words that come over one link, which the configuration names."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.rtl.common.select import selected
from cubecast.rtl.crosspoint.link import ReduceIn
from cubecast.rtl.reduction.link import Word

__all__ = ["LinkPick"]


class LinkPick(wiring.Component):
    """Take the words of one link. No latency.

    Parameters
    ----------
    config : ReductionConfig
        Gives the dimension and the width of a word.

    Ports
    -----
    select : in, n
        The link, one-hot; 0: none.
    link__j__push_r, link__j__data, link__j__rop, link__j__last, link__j__error : in, 1 and w and 4 and 1 and 1
        Words that come over link j.
    push, data, rop, last, error : out, 1 and w and 4 and 1 and 1
        Those of the link that is selected; 0 without one.
    """

    def __init__(self, config: ReductionConfig):
        self.config = config
        n = config.dim
        super().__init__(
            {
                "select": In(n),
                "link": In(ReduceIn(config.router)).array(n),
                "push": Out(1),
                **Word(config).members,
            }
        )

    def elaborate(self, platform):
        """Select."""
        m = Module()
        for name in self.link[0].signature.members:
            port = self.push if name == "push_r" else getattr(self, name)
            m.d.comb += port.eq(selected(self.select, [getattr(link, name) for link in self.link]))
        return m
