"""Traffic pattern: what generator and checker must both know about a message of the self-test."""

from amaranth import *

from cubecast.golden.common.contract.traffic import WALK

__all__ = ["first_word", "follow", "mix", "own", "tag_bits", "walk", "xorshift"]


def xorshift(m: Module, value: Value) -> Value:
    """Return the successor of a random number of 32 bits; every step is a signal of its own in module ``m``."""
    for shifted in (lambda x: x << 13, lambda x: x[17:], lambda x: x << 5):
        step = Signal(32, name="xorshift")
        m.d.comb += step.eq(value ^ shifted(value))
        value = step
    return value


def own(address: Value) -> Value:
    """Return the address, repeated to 32 bits: what makes the same seed another one in every node."""
    return _repeat(address, 32)


def tag_bits(width: int) -> int:
    """Return the width of a message's tag, the part of payload word 0 that goes into the signature."""
    return min(width, 32)


def first_word(width: int, source: Value, sequence: Value) -> Value:
    """Return payload word 0: source and sequence number, repeated or cut to the width of a word."""
    return _repeat(Cat(source, sequence)[:32], width)


def follow(word: Value) -> Value:
    """Return the payload word after this one."""
    return word.rotate_left(1) ^ 1


def mix(m: Module, tag: Value, length: Value, destination: Value) -> Value:
    """Return what a delivery adds to the signature, 32 bits."""
    joined, bent = Signal(32), Signal(32)
    m.d.comb += joined.eq(tag ^ (length << 12) ^ (destination << 22))
    spread = xorshift(m, joined)
    # No linear function of the bits, so that exchanged deliveries do not cancel out.
    m.d.comb += bent.eq(spread ^ (spread.rotate_left(9) & spread.rotate_left(20)))
    return xorshift(m, xorshift(m, bent))


def walk(m: Module, value: Value) -> Value:
    """Return the address after this one in a sequence of all addresses but 0."""
    following = Signal(len(value), name="walk")
    m.d.comb += following.eq(value[1:] ^ Mux(value[0], WALK[len(value)], 0))
    return following


def _repeat(value: Value, bits: int) -> Value:
    """Return the lowest so many bits of a value repeated forever."""
    return Cat(value for _ in range(-(-bits // len(value))))[:bits]
