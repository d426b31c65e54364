"""Patterns that several testbenches share: sweeps of small input spaces, moods of random runs, memory of a watch."""

from __future__ import annotations

import itertools
import math
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any

__all__ = ["LEFT", "chance", "item", "moods", "pack", "recall", "sparse", "sweep", "tuples"]

EXHAUSTIVE = 1 << 16
"""Input spaces up to this size are swept completely."""

LEFT = -3
"""What counters begin with, modulo their range, that are to come to its end: as many events are left."""


def chance(random: Random, probability: float) -> int:
    """Return 1 with this probability, else 0."""
    return 1 if random.random() < probability else 0


def sparse(random: Random, bits: int) -> int:
    """Return a number of so many bits: zero, one bit, few, many or all of them, or uniformly random."""
    ones = (1 << bits) - 1
    kind = random.randrange(6)
    if kind == 0:
        return 0
    if kind == 1:
        return 1 << random.randrange(bits)
    if kind == 2:
        return random.getrandbits(bits) & random.getrandbits(bits)
    if kind == 3:
        return random.getrandbits(bits) | random.getrandbits(bits)
    return ones if kind == 4 else random.getrandbits(bits)


def pack(items: Iterable[int], bits: int) -> int:
    """Return the packed vector of items of ``bits`` bits, item 0 lowest."""
    return sum(value << bits * place for place, value in enumerate(items))


def item(packed: int, place: int, bits: int) -> int:
    """Return one item of a packed vector."""
    return packed >> bits * place & (1 << bits) - 1


def tuples(random: Random, sizes: Sequence[int], count: int = 2000) -> Iterator[tuple[int, ...]]:
    """Yield every tuple of numbers below ``sizes`` if there are not too many, else ``count`` random ones."""
    if math.prod(sizes) <= EXHAUSTIVE:
        yield from itertools.product(*map(range, sizes))
        return
    yield tuple(0 for _ in sizes)
    yield tuple(size - 1 for size in sizes)
    for _ in range(count - 2):
        yield tuple(sparse(random, (size - 1).bit_length()) % size for size in sizes)


def sweep(random: Random, bits: Mapping[str, int], count: int = 2000) -> Generator[dict[str, int], Any, None]:
    """Yield the inputs of a combinational unit: every combination if there are not too many, else random ones.

    All of them are 0 at the end, so that whatever rose falls too.
    """
    for values in tuples(random, [1 << width for width in bits.values()], count):
        yield dict(zip(bits, values, strict=True))
    yield dict.fromkeys(bits, 0)


def moods(random: Random, cycles: int, **choices: Sequence[float]) -> Iterator[dict[str, float]]:
    """Yield, cycle after cycle forever, one value of each choice; all are drawn anew after ``cycles`` on average."""
    mood: dict[str, float] = {}
    while True:
        if not mood or random.random() * cycles < 1:
            mood = {name: random.choice(values) for name, values in choices.items()}
        yield mood


def recall(twin: Any, now: Any) -> Any:
    """Return what was noted about this twin in the cycle before (None in the first), and note ``now`` instead."""
    before = vars(twin).get("noted")
    twin.noted = now
    return before
