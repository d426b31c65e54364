"""Event queue: what is to be done, in which tick."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any

__all__ = ["EventQueue"]

Handler = Callable[[Any], None]


class EventQueue:
    """Events by tick; those of one tick are handled in the order in which they were scheduled.

    ``now`` is the tick being handled, ``events`` the number of events handled by :meth:`run`.
    """

    __slots__ = ("_buckets", "_times", "events", "now")

    def __init__(self) -> None:
        """Start at tick 0, without events."""
        self.now = 0
        self.events = 0
        self._buckets: dict[int, list[tuple[Handler, Any]]] = {}
        self._times: list[int] = []

    def at(self, time: int, handler: Handler, argument: Any) -> None:
        """Schedule a call of ``handler`` with ``argument``; ``time`` is ``now`` or later."""
        bucket = self._buckets.get(time)
        if bucket is None:
            self._buckets[time] = [(handler, argument)]
            heappush(self._times, time)
        else:
            bucket.append((handler, argument))

    def run(self) -> None:
        """Handle all events, those that are scheduled meanwhile too."""
        buckets, times = self._buckets, self._times
        while times:
            self.now = now = heappop(times)
            bucket = buckets[now]
            # Grows while it is walked: what is scheduled for this very tick comes last.
            for handler, argument in bucket:
                handler(argument)
            self.events += len(bucket)
            del buckets[now]
