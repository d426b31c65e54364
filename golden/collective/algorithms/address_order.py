"""The address operators of Lin and Chen: common suffix and prefix, their combination, counts, and the partial order.

A sequence is a string of ``0``, ``1`` and ``*``, highest dimension first, as it is printed in the paper.
"""

from __future__ import annotations

from cubecast.golden.common.algorithms.address import check_dim, check_node

__all__ = [
    "asterisks",
    "combine",
    "common_prefix",
    "common_suffix",
    "mirror",
    "ones",
    "precedes",
    "prefix_mask",
    "suffix_mask",
]


def suffix_mask(x: int, y: int, dim: int) -> int:
    """Return a word with ones in the low dimensions up to, but without, the first in which the addresses differ."""
    differing = x ^ y
    return (differing & -differing) - 1 if differing else (1 << dim) - 1


def prefix_mask(x: int, y: int, dim: int) -> int:
    """Return a word with ones in the high dimensions down to, but without, the first in which the addresses differ."""
    return (1 << dim) - (1 << (x ^ y).bit_length())


def common_suffix(x: int, y: int, dim: int) -> str:
    """Return X down-arrow Y: the longest common suffix of two addresses, with asterisks in front of it.

    Parameters
    ----------
    x, y : int
        Addresses.
    dim : int
        Dimension of the cube, the length of the sequence.

    Raises
    ------
    ValueError
        ``dim`` is not from 1 to 20, or ``x`` or ``y`` is no address.

    Source: Lin and Chen, definition 1.
    """
    _check(x, y, dim)
    return _sequence(x, suffix_mask(x, y, dim), dim)


def common_prefix(x: int, y: int, dim: int) -> str:
    """Return X up-arrow Y: the longest common prefix of two addresses, with asterisks behind it.

    Parameters
    ----------
    x, y : int
        Addresses.
    dim : int
        Dimension of the cube, the length of the sequence.

    Raises
    ------
    ValueError
        ``dim`` is not from 1 to 20, or ``x`` or ``y`` is no address.

    Source: Lin and Chen, definition 2.
    """
    _check(x, y, dim)
    return _sequence(x, prefix_mask(x, y, dim), dim)


def combine(u: str, v: str) -> str:
    """Return U circled-times V: exclusive or where both symbols are bits, an asterisk elsewhere.

    Raises
    ------
    ValueError
        The sequences differ in length, or hold another symbol.

    Source: Lin and Chen, definition 3.
    """
    _check_sequences(u, v)
    return "".join("*" if "*" in (a, b) else str(int(a != b)) for a, b in zip(u, v, strict=True))


def ones(sequence: str) -> int:
    """Return One(Z): the number of ones.

    Raises
    ------
    ValueError
        The sequence holds another symbol than 0, 1 and the asterisk.

    Source: Lin and Chen, definition 4.
    """
    _check_sequences(sequence, sequence)
    return sequence.count("1")


def asterisks(sequence: str) -> int:
    """Return Asterisk(Z): the number of asterisks.

    Raises
    ------
    ValueError
        The sequence holds another symbol than 0, 1 and the asterisk.

    Source: Lin and Chen, definition 4.
    """
    _check_sequences(sequence, sequence)
    return sequence.count("*")


def precedes(u: str, v: str) -> bool:
    """Return whether U <= V in the partial order: V is U with some asterisks replaced by bits.

    Raises
    ------
    ValueError
        The sequences differ in length, or hold another symbol.

    Source: Lin and Chen, definition 5.
    """
    _check_sequences(u, v)
    return all(a in (b, "*") for a, b in zip(u, v, strict=True))


def mirror(node: int, dim: int) -> int:
    """Return the address with its bits in reverse order: dimension j becomes dimension ``dim`` - 1 - j."""
    return int(f"{node:0{dim}b}"[::-1], 2)


def _check(x: int, y: int, dim: int) -> None:
    """Refuse what is no dimension or no address."""
    check_dim(dim)
    check_node("x", x, dim)
    check_node("y", y, dim)


def _sequence(node: int, mask: int, dim: int) -> str:
    """Return the bits of an address where the mask has ones, and asterisks elsewhere."""
    return "".join(str(node >> j & 1) if mask >> j & 1 else "*" for j in reversed(range(dim)))


def _check_sequences(u: str, v: str) -> None:
    """Refuse other symbols and unequal lengths."""
    for sequence in (u, v):
        if not set(sequence) <= set("01*"):
            raise ValueError(f"sequence must hold only 0, 1 and *, not {sequence!r}")
    if len(u) != len(v):
        raise ValueError(f"sequences must have one length, not {len(u)} and {len(v)}")
