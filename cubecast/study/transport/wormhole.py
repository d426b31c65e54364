"""Wormhole routing: a message whose head is blocked waits where it is, and keeps its links."""

from __future__ import annotations

from cubecast.study.transport.streaming import Streaming

__all__ = ["Wormhole"]


class Wormhole(Streaming):
    """Wormhole routing over fixed routes, which cannot deadlock: who holds a link waits for a higher dimension only.

    Source
    ------
    Buzzard 1988, sections 4.3.3 and 5.7.
    """

    def blocked(self, message: int) -> None:
        """Let the head wait for its link."""
        self.request(message)
