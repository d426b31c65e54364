"""Maximum checker (MAXC): the largest number of ones in any column."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.multicast.contract.config import Config

__all__ = ["MaximumChecker", "at_least"]


class MaximumChecker(wiring.Component):
    """Find the largest count of all columns.

    With s*_l = OR_j c_jl: s_l = s*_l AND NOT (OR over all p > l of s*_p), the top case being l = m (L4). Written as
    S_l AND NOT S_(l+1) with S_l = OR over all p >= l of s*_p, which is the shorter path.
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
        counts = [self.counts.word_select(j, top + 1) for j in range(self.config.dim)]
        some = [Cat(count[ones] for count in counts).any() for ones in range(top + 1)]
        least = at_least(m, some, "least")
        m.d.comb += self.s.eq(least & ~(least >> 1))
        return m


def at_least(m, bits, name):
    """Return for each index whether a bit is set there or above, found from the top down.

    Parameters
    ----------
    m : Module
        The module under construction.
    bits : sequence of Value
        One bit for each index.
    name : str
        Name of the signals.
    """
    found = [bits[-1]]
    for ones in reversed(range(len(bits) - 1)):
        found.insert(0, Signal(name=f"{name}_{ones}"))
        m.d.comb += found[0].eq(bits[ones] | found[1])
    return Cat(found)
