"""Maximum checker (MAXC): the largest number of ones in any column."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.config import Config

__all__ = ["MaximumChecker"]


class MaximumChecker(wiring.Component):
    """Find the largest count of all columns.

    With s*_l = OR_j c_jl: s_l = s*_l AND NOT (OR over all p > l of s*_p), the top case being l = m (L4).
    Combinational.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Ports
    -----
    counts : in, n * (m + 1)
        The decoders' counts, that of column j as item j.
    s : out, m + 1
        One-hot: bit l is set when l is the largest index set in any count. s_0 is the termination signal.

    Source: Lan 1988, section 6.6.2, figure 6.8.
    """

    def __init__(self, config: Config):
        self.config = config
        size = config.max_dest + 1
        super().__init__({"counts": In(config.dim * size), "s": Out(size)})

    def elaborate(self, platform):
        """Write down the equations."""
        m = Module()
        top = self.config.max_dest
        some = Signal(top + 1)
        for j in range(self.config.dim):
            count = self.counts.word_select(j, top + 1)
            some_before, some = some, Signal(top + 1, name=f"some_{j}")
            m.d.comb += some.eq(count if j == 0 else some_before | count)
        m.d.comb += self.s[top].eq(some[top])
        for ones in range(top):
            m.d.comb += self.s[ones].eq(some[ones] & ~some[ones + 1 :].any())
        return m
