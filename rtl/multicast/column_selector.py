"""Column selector (CLMS): the lowest column with the largest number of ones."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.multicast.contract.config import Config

__all__ = ["ColumnSelector"]


class ColumnSelector(wiring.Component):
    """Select the lowest of the columns whose count is the maximum.

    y*_j = OR_l (c_jl AND s_l); y_j = y*_j AND NOT (OR over all p < j of y*_p) (L5). Combinational.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Ports
    -----
    counts : in, n * (m + 1)
        The decoders' counts, that of column j as item j.
    s : in, m + 1
        The maximum, from the maximum checker.
    y : out, n
        One-hot: the selected column.

    Source: Lan 1988, section 6.6.3, figure 6.9.
    """

    def __init__(self, config: Config):
        self.config = config
        size = config.max_dest + 1
        super().__init__({"counts": In(config.dim * size), "s": In(size), "y": Out(config.dim)})

    def elaborate(self, platform):
        """Write down the equations."""
        m = Module()
        equal = Signal(self.config.dim)
        for j in range(self.config.dim):
            m.d.comb += equal[j].eq((self.counts.word_select(j, len(self.s)) & self.s).any())
            m.d.comb += self.y[j].eq(equal[j] & ~equal[:j].any() if j else equal[j])
        return m
