"""Word on standard error of what is being built."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator

__all__ = ["told"]


@contextlib.contextmanager
def told(speaker: str, what: str) -> Iterator[None]:
    """Say that something is being built, then how long it took, or that it failed or was interrupted.

    Lines are whole, since others may speak meanwhile.

    Parameters
    ----------
    speaker : str
        The start of every line.
    what : str
        What is being built, and for which tool.
    """
    start = time.monotonic()

    def say(line: str) -> None:
        print(f"{speaker}: {line}", file=sys.stderr, flush=True)

    say(f"building {what} ...")
    try:
        yield
    except Exception:
        say(f"{what} could not be built")
        raise
    say(f"{what} built in {time.monotonic() - start:.1f} s")
