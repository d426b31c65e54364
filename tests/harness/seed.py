"""The seed of a run of the tests: another one every time, said first and last, and given again by a variable."""

import os
from random import SystemRandom
from typing import Any

import pytest

from cubecast.options.usage import UsageError

__all__ = ["VARIABLE", "drawn", "fresh"]

VARIABLE = "CUBECAST_SEED"

BITS = 31


def fresh() -> int:
    """Return the seed that ``CUBECAST_SEED`` has, or draw one and put it there, for processes that are started later.

    Raises
    ------
    UsageError
        The variable has something else.
    """
    given = os.environ.setdefault(VARIABLE, str(SystemRandom().getrandbits(BITS)))
    if not (given.isascii() and given.isdigit()) or int(given) >= 1 << BITS:
        raise UsageError(f"{VARIABLE} must be an integer from 0 to {(1 << BITS) - 1}, not {given!r}")
    return int(given)


def drawn(count: int) -> list[Any]:
    """Return values for a parameter ``seed``: so many that follow from :func:`fresh`, under names that stay the same.

    A campaign that goes on later leaves out what passed by its name, whatever the seed was.
    """
    return [pytest.param((fresh() + index) % (1 << BITS), id=f"drawn{index}") for index in range(count)]
