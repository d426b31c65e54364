"""What is told of messages that were played on the crosspoint network."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.word import CrosspointReason
from cubecast.options.text import listed
from cubecast.systems.crosspoint.messages import CrosspointMessage
from cubecast.systems.followed import arrived, deliveries, disordered, grouped, starts, way

__all__ = ["COUNTED", "arrived", "deliveries", "errors", "inside", "starts", "title", "tree"]

COUNTED = "packets"
"""What a link counts besides words."""


def title(config: CrosspointConfig) -> str:
    """Return what is simulated."""
    runs = "one run" if config.runs == 1 else "two runs"
    return f"crosspoint routers, {runs}, {'multicast' if config.multicast else 'unicasts alone'}"


def errors(
    config: CrosspointConfig,
    messages: Sequence[CrosspointMessage],
    seen: dict[str, Any],
    faults: frozenset[int],
    found: Sequence[dict[str, Any]],
) -> list[dict[str, Any]]:
    """Return what has no route, the reports, and what came out of order."""
    return grouped([*_unreachable(messages, seen), *_reports(messages, seen)]) + disordered(seen, found)


def _unreachable(
    messages: Sequence[CrosspointMessage], seen: dict[str, Any]
) -> Iterator[tuple[int, str, int, str, list[int]]]:
    """Yield the destinations that sources have no route to."""
    for record in seen["unreachable"]:
        index = messages[record["message"]].index
        yield record["node"], record["reason"], index, "destinations", [record["destination"]]


def _reports(
    messages: Sequence[CrosspointMessage], seen: dict[str, Any]
) -> Iterator[tuple[int, str, int, str, list[int]]]:
    """Yield the reports of routers."""
    for report in seen["reports"]:
        node, index, reason = report["node"], messages[report["message"]].index, CrosspointReason(report["reason"])
        if report["lost"]:
            yield node, reason.name, index, "destinations", report["missed"]
        elif reason == CrosspointReason.PACKET_CUT:
            yield node, reason.name, index, "to", [report["destination"]]
        else:
            yield node, reason.name, index, "", []


def inside(config: CrosspointConfig, messages: Sequence[CrosspointMessage], seen: dict[str, Any]) -> Iterator[str]:
    """Yield lines for the packets that had not left the network when the run ended, and for those not injected."""
    found: Counter[tuple[int, str]] = Counter()
    for packet in seen["inside"]:
        ways = ("the node" if packet[name] == config.local else f"link {packet[name]}" for name in ("input", "output"))
        place = "node {}, queue from {} to {}".format(packet["node"], *ways)
        found[messages[packet["message"]].index, place] += 1
    for (index, place), count in found.items():
        yield f"still inside: {count} of the packets of message {index} at {place}"
    for number, message in enumerate(messages):
        count = seen["left"].get(str(number))
        if count is None:
            yield f"not injected: message {message.index}"
        elif count:
            yield f"not injected: {count} of the packets of message {message.index}"


def tree(
    config: CrosspointConfig,
    messages: Sequence[CrosspointMessage],
    place: int,
    found: dict[str, Any],
    seen: dict[str, Any],
) -> Iterator[str]:
    """Yield the ways that the first packets of the message in a place of the list took."""
    message = messages[place]
    kind = f"to {listed(message.destinations)}" if message.kind == "list" else message.kind
    first = (c for c in seen["crossings"] if c["message"] == place and c["number"] == 0)
    crossings = ((c["from"], c["from"] ^ 1 << c["dimension"], c["cycle"], c["branch"], c["ends"]) for c in first)
    yield from way(config.dim, message, kind, crossings)
