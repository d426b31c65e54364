"""Decoder (DECR): number of ones in a column of the reference array, one-hot."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import bits_for

from cubecast.golden.multicast.contract.config import Config

__all__ = ["Decoder"]


class Decoder(wiring.Component):
    """Count the ones of one column, and drop out when the column's dimension is faulty.

    A Wallace tree of full and half adders gives the count as a binary number of ceil(log2(m + 1)) bits (L6), which is
    then decoded. The count of a faulty column is 0, not absent, so that termination is always reached (L15).
    Combinational.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Ports
    -----
    column : in, m
        Column j of the reference array, row i at bit i - 1.
    faulty : in
        Fault flip-flop of dimension j.
    count : out, m + 1
        One-hot: bit l is set when the column has l ones; bit 0 alone when ``faulty``.

    Source: Lan 1988, section 6.6.1, figures 6.7 and 7.9.
    """

    def __init__(self, config: Config):
        self.config = config
        super().__init__({"column": In(config.max_dest), "faulty": In(1), "count": Out(config.max_dest + 1)})

    def elaborate(self, platform):
        """Build the Wallace tree and the decoder behind it."""
        m = Module()
        number = self._wallace_tree(m)
        good = Signal()
        m.d.comb += good.eq(~self.faulty)
        m.d.comb += self.count[0].eq((number == 0) | self.faulty)
        for ones in range(1, self.config.max_dest + 1):
            m.d.comb += self.count[ones].eq((number == ones) & good)
        return m

    def _wallace_tree(self, m):
        """Return the number of ones of ``column``; each layer adds three or two bits of equal weight."""
        width = bits_for(self.config.max_dest)
        weights = [list(self.column)] + [[] for _ in range(width - 1)]
        layer = 0
        while any(len(bits) > 1 for bits in weights):
            after = [[] for _ in range(width)]
            for weight, bits in enumerate(weights):
                for group in range(0, len(bits), 3):
                    added = bits[group : group + 3]
                    if len(added) == 1:
                        after[weight] += added
                        continue
                    total, carry = _full_adder(*added) if len(added) == 3 else _half_adder(*added)
                    place = f"{layer}_{weight}_{group // 3}"
                    after[weight].append(Signal(name=f"sum_{place}"))
                    m.d.comb += after[weight][-1].eq(total)
                    # The count fits in ``width`` bits: the topmost adders cannot carry.
                    if weight + 1 < width:
                        after[weight + 1].append(Signal(name=f"carry_{place}"))
                        m.d.comb += after[weight + 1][-1].eq(carry)
            weights = after
            layer += 1
        number = Signal(width)
        m.d.comb += number.eq(Cat(weights))
        return number


def _full_adder(a, b, c):
    """Return sum and carry of three bits."""
    return a ^ b ^ c, (a & b) | (c & (a ^ b))


def _half_adder(a, b):
    """Return sum and carry of two bits."""
    return a ^ b, a & b
