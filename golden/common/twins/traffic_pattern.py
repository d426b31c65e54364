"""Traffic pattern: what generator and checker of the self-test must both know about a message."""

from __future__ import annotations

from cubecast.golden.common.contract.traffic import WALK

__all__ = ["first_word", "follow", "mix", "own", "tag_of", "walk", "xorshift"]

MASK = 0xFFFFFFFF


def xorshift(value: int) -> int:
    """Return the successor of a random number of 32 bits."""
    value ^= value << 13 & MASK
    value ^= value >> 17
    return value ^ value << 5 & MASK


def own(dim: int, address: int) -> int:
    """Return the address, repeated to 32 bits: what makes the same seed another one in every node."""
    return _repeat(address, dim, 32)


def first_word(dim: int, width: int, source: int, sequence: int) -> int:
    """Return payload word 0: source and sequence number, repeated or cut to the width of a word."""
    return _repeat(source + (sequence << dim) & MASK, 32, width)


def follow(width: int, word: int) -> int:
    """Return the payload word after this one."""
    top = width - 1
    return (word << 1 & (1 << width) - 1 | word >> top) ^ 1


def tag_of(word: int) -> int:
    """Return what of payload word 0 goes into the signature."""
    return word & MASK


def mix(tag: int, length: int, destination: int) -> int:
    """Return what a delivery adds to the signature, 32 bits."""
    return xorshift(xorshift(_bend(xorshift((tag ^ length << 12 ^ destination << 22) & MASK))))


def walk(dim: int, value: int) -> int:
    """Return the address after this one in a sequence of all addresses but 0."""
    return value >> 1 ^ (WALK[dim] if value & 1 else 0)


def _bend(value: int) -> int:
    """Return a number that is no linear function of the bits, so that exchanged deliveries do not cancel out."""
    return value ^ (_repeat(value, 32, 64) >> 23 & _repeat(value, 32, 64) >> 12 & MASK)


def _repeat(value: int, bits: int, width: int) -> int:
    """Return the lowest ``width`` bits of a value of so many bits repeated forever."""
    return sum(value << place for place in range(0, width, bits)) & (1 << width) - 1
