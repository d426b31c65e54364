"""Traffic pattern: what generator and checker of the self-test must both know about a message."""

from __future__ import annotations

from cubecast.golden.multicast.contract.config import Config

__all__ = ["WALK", "first_word", "follow", "mix", "own", "tag_of", "walk", "xorshift"]

WALK = {2: 0x3, 3: 0x6, 4: 0xC, 5: 0x14, 6: 0x30, 7: 0x60, 8: 0xB8, 9: 0x110, 10: 0x240}
"""By n: the mask of the n-bit shift register that visits every address but 0."""

MASK = 0xFFFFFFFF


def xorshift(value: int) -> int:
    """Return the successor of a random number of 32 bits."""
    value ^= value << 13 & MASK
    value ^= value >> 17
    return value ^ value << 5 & MASK


def own(config: Config, address: int) -> int:
    """Return the address, repeated to 32 bits: what makes the same seed another one in every node."""
    return _repeat(address, config.dim, 32)


def first_word(config: Config, source: int, sequence: int) -> int:
    """Return payload word 0: source and sequence number, repeated or cut to the width of a word."""
    return _repeat(source + (sequence << config.dim) & MASK, 32, config.width)


def follow(config: Config, word: int) -> int:
    """Return the payload word after this one."""
    top = config.width - 1
    return (word << 1 & (1 << config.width) - 1 | word >> top) ^ 1


def tag_of(word: int) -> int:
    """Return what of payload word 0 goes into the signature."""
    return word & MASK


def mix(tag: int, length: int, destination: int) -> int:
    """Return what a delivery adds to the signature, 32 bits."""
    return xorshift(xorshift(_bend(xorshift((tag ^ length << 12 ^ destination << 22) & MASK))))


def walk(config: Config, value: int) -> int:
    """Return the address after this one in a sequence of all addresses but 0."""
    return value >> 1 ^ (WALK[config.dim] if value & 1 else 0)


def _bend(value: int) -> int:
    """Return a number that is no linear function of the bits, so that exchanged deliveries do not cancel out."""
    return value ^ (_repeat(value, 32, 64) >> 23 & _repeat(value, 32, 64) >> 12 & MASK)


def _repeat(value: int, bits: int, width: int) -> int:
    """Return the lowest ``width`` bits of a value of so many bits repeated for ever."""
    return sum(value << place for place in range(0, width, bits)) & (1 << width) - 1
