"""What neither arrived nor was reported."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Protocol

__all__ = ["NOT_DELIVERED", "undelivered"]

NOT_DELIVERED = "NOT_DELIVERED"
"""Reason given for destinations that were neither delivered to nor reported when the run ended."""


class Expected(Protocol):
    """What has to be known of a message."""

    @property
    def index(self) -> int:
        """Its place in the file."""

    @property
    def source(self) -> int:
        """Node that sends it."""

    @property
    def expected(self) -> tuple[int, ...]:
        """Nodes that have to get it."""


def undelivered(
    messages: Sequence[Expected], deliveries: Sequence[dict[str, Any]], errors: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return an error for each message of which a destination neither got it nor was reported."""
    settled: dict[int, set[int]] = defaultdict(set)
    for delivery in deliveries:
        settled[delivery["message"]].add(delivery["node"])
    for error in errors:
        settled[error["message"]].update(error.get("destinations", ()))
    return [
        {"node": message.source, "reason": NOT_DELIVERED, "message": message.index, "destinations": missing}
        for message in messages
        if (missing := [node for node in message.expected if node not in settled[message.index]])
    ]
