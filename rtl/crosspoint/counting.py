"""Counters and comparisons of few bits in LUTs: a carry cell takes two LUTs for two bits, and is slower."""

from amaranth import *

__all__ = ["at_most", "counted", "stepped"]


def counted(count, more, less):
    """Return ``count`` + ``more`` - ``less``, modulo 2 to the power of its bits; ``more`` comes late in the cycle.

    Parameters
    ----------
    count : value
        Registers.
    more, less : value
        One bit each.
    """
    passes, turned = [C(1, 1)], count ^ less.replicate(len(count))
    for bit in turned[:-1]:
        passes.append(passes[-1] & bit)
    return count ^ Mux(more ^ less, Cat(passes), 0)


def stepped(count):
    """Return ``count`` + 1, modulo 2 to the power of its bits.

    Parameters
    ----------
    count : value
        Registers.
    """
    return counted(count, C(1, 1), C(0, 1))


def at_most(count, most):
    """Return whether ``count`` <= ``most``.

    Parameters
    ----------
    count : value
        What is compared.
    most : int
        Constant, less than 2 to the power of its bits.
    """
    found = C(1, 1)
    for k, bit in enumerate(count):
        found = ~bit | found if most >> k & 1 else ~bit & found
    return found
