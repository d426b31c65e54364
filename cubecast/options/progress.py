"""Progress of what takes long, on standard error."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from types import TracebackType

__all__ = ["PATIENCE", "Progress"]

PATIENCE = 2.0
"""Seconds without a word at first, and the least between two lines."""

GROWTH = 0.25
"""Least time between two lines, as a share of all the time so far."""


class Progress:
    """Says on standard error what is being done, a line now and then, once it has taken :data:`PATIENCE` seconds.

    Lines are plain, whether standard error is a terminal or a file. As a context it also speaks while nothing calls it.

    Parameters
    ----------
    command : str
        Who speaks; the start of every line.
    stage : str
        What is being done at first.
    clock : function
        Returns the time in seconds.
    """

    def __init__(self, command: str, stage: str, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin to count."""
        self._command, self._clock = command, clock
        self._start = self._said = clock()
        self._stage = stage
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Progress:
        """Begin to speak."""
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Say no more."""
        self._stopped.set()
        self._thread.join()

    def stage(self, text: str) -> None:
        """Note what is being done from now on."""
        self._stage = text
        self.tick()

    def tick(self) -> None:
        """Say it, if it is time to."""
        now = self._clock()
        if now - self._said >= max(PATIENCE, GROWTH * (now - self._start)):
            self._said = now
            print(f"{self._command}: {now - self._start:.0f} s: {self._stage}", file=sys.stderr, flush=True)

    def _watch(self) -> None:
        """Tick until stopped."""
        while not self._stopped.wait(PATIENCE / 2):
            self.tick()
