"""Address scanner (ADSC): the rows that have a one in the selected column."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.multicast.contract.config import Config

__all__ = ["AddressScanner"]


class AddressScanner(wiring.Component):
    """Mark the rows of the destination sublist: r_i = OR_j (a_ij AND y_j). Combinational.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Ports
    -----
    a : in, m * n
        Reference array, row i as item i - 1.
    y : in, n
        The selected column, one-hot.
    r : out, m
        Rows that go to the neighbour in the selected dimension, row i at bit i - 1.

    Source: Lan 1988, section 6.6.4.
    """

    def __init__(self, config: Config):
        self.config = config
        super().__init__({"a": In(config.max_dest * config.dim), "y": In(config.dim), "r": Out(config.max_dest)})

    def elaborate(self, platform):
        """Write down the equations."""
        m = Module()
        for i in range(self.config.max_dest):
            m.d.comb += self.r[i].eq((self.a.word_select(i, self.config.dim) & self.y).any())
        return m
