"""What came of messages that were played on a network: what is the same for all systems.

A system's ``report`` has ``COUNTED``, ``title(config)``, ``starts(messages, seen)``, ``deliveries(config, messages,
seen)``, ``arrived(seen, deliveries)``, ``errors(config, messages, seen, faults, deliveries)``, ``inside(config,
messages, seen)`` and ``tree(config, messages, place, found, seen)``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Protocol

from cubecast.golden.common.contract.control import Register
from cubecast.systems import system_of

__all__ = ["NOT_DELIVERED", "answer", "undelivered"]

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


def answer(
    config: Any,
    messages: Sequence[Any],
    seen: dict[str, Any] | None,
    faults: frozenset[int] = frozenset(),
    *,
    matched: bool,
) -> dict[str, Any]:
    """Return the result of a run as plain values.

    Parameters
    ----------
    config : configuration
        Parameters of the network; they say which system it is.
    messages : sequence
        The messages played.
    seen : dict or None
        What the playback of the system recorded; None if nothing is known.
    faults : frozenset of int
        Nodes that are dead from the start: that a broadcast to all does not reach them is no error.
    matched : bool
        Whether all outputs were equal in every cycle.
    """
    golden = "match" if matched else "mismatch"
    if seen is None:
        return {"cycles": 0, "golden": golden, "messages": [], "deliveries": [], "links": [], "errors": []}
    report = system_of(config).report
    starts = report.starts(messages, seen)
    started = [
        {"message": message.index, "source": message.source, "start_cycle": starts.get(message.index)}
        for message in messages
    ]
    registers = {int(register): values for register, values in seen["registers"].items()}
    links = [
        {
            "from": node,
            "to": node ^ 1 << j,
            "words": registers[Register.WORDS_OUT + j][node],
            report.COUNTED: registers[Register.MESSAGES_OUT + j][node],
            "waited": registers[Register.WAITED + j][node],
        }
        for node in range(config.nodes)
        for j in range(config.dim)
    ]
    deliveries = report.deliveries(config, messages, seen)
    errors = report.errors(config, messages, seen, faults, deliveries)
    if matched:
        errors += undelivered(messages, report.arrived(seen, deliveries), errors)
    return {
        "cycles": seen["cycles"],
        "golden": golden,
        "messages": started,
        "deliveries": deliveries,
        "links": links,
        "errors": errors,
    }
