"""The seed of a run of the tests: another one every time, said first and last, and given again by a variable."""

import os
from random import SystemRandom

from cubecast.options.usage import UsageError

__all__ = ["VARIABLE", "fresh"]

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
