"""What is told of messages that were played on the packet network."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.reason import PacketReason
from cubecast.options.text import listed
from cubecast.systems.followed import arrived, deliveries, disordered, grouped, starts, way
from cubecast.systems.packet.messages import PacketMessage

__all__ = ["COUNTED", "arrived", "deliveries", "errors", "inside", "starts", "title", "tree"]

COUNTED = "packets"
"""What a link counts besides words."""


def title(config: PacketConfig) -> str:
    """Return what is simulated."""
    return f"packet routers, {config.routing}, {config.link} links"


def errors(
    config: PacketConfig,
    messages: Sequence[PacketMessage],
    seen: dict[str, Any],
    faults: frozenset[int],
    found: Sequence[dict[str, Any]],
) -> list[dict[str, Any]]:
    """Return the reports, those of one node on one message with one reason together, and what came out of order."""
    return grouped(_reports(config, messages, seen, faults)) + disordered(seen, found)


def _reports(
    config: PacketConfig, messages: Sequence[PacketMessage], seen: dict[str, Any], faults: frozenset[int]
) -> Iterator[tuple[int, str, int, str, set[int]]]:
    """Yield the reports of routers; what a broadcast loses of nodes that are dead anyway is none."""
    for report in seen["reports"]:
        message, node, reason = messages[report["message"]], report["node"], PacketReason(report["reason"])
        if report["lost"]:
            nodes = _missed(config, message, report)
            if message.kind == "broadcast" and nodes <= faults:
                continue
            wanted = nodes - faults if message.kind == "broadcast" else nodes
            yield node, reason.name, message.index, "destinations", wanted
        elif reason == PacketReason.PACKET_CUT:
            yield node, reason.name, message.index, "to", {node ^ 1 << report["port"]}
        else:
            yield node, reason.name, message.index, "", set()


def _missed(config: PacketConfig, message: PacketMessage, report: dict[str, Any]) -> set[int]:
    """Return the nodes that a packet that was lost does not reach: of a broadcast, what lies behind."""
    if message.kind != "broadcast":
        return {report["destination"]}
    node, port = report["node"], report["port"]
    nodes = {node if report["reason"] in (PacketReason.INPUT_CUT, PacketReason.LINK_PROTOCOL) else node ^ 1 << port}
    for j in range(port + 1, config.dim):
        nodes |= {other ^ 1 << j for other in nodes}
    return nodes


def inside(config: PacketConfig, messages: Sequence[PacketMessage], seen: dict[str, Any]) -> Iterator[str]:
    """Yield lines for the packets that had not left the network when the run ended."""
    found: Counter[tuple[int, str]] = Counter()
    for packet in seen["inside"]:
        place = f"slot {packet['slot']}" if "slot" in packet else f"packet buffer unit {packet['unit']}"
        found[messages[packet["message"]].index, f"node {packet['node']}, {place}"] += 1
    for (index, place), count in found.items():
        yield f"still inside: {count} of the packets of message {index} at {place}"
    for number, message in enumerate(messages):
        length = 1 if message.kind == "raw" else len(message.data) // (config.max_words - 1) + 1
        count = length * max(1, len(message.destinations)) - seen["injected"].get(str(number), 0)
        if count:
            yield f"not injected: {count} of the packets of message {message.index}"


def tree(
    config: PacketConfig, messages: Sequence[PacketMessage], place: int, found: dict[str, Any], seen: dict[str, Any]
) -> Iterator[str]:
    """Yield the ways that the first packets of the message in a place of the list took.

    With the cycle in which their heads crossed each link.
    """
    message = messages[place]
    delivered = {delivery["node"] for delivery in found["deliveries"] if delivery["message"] == message.index}
    first = (c for c in seen["crossings"] if c["message"] == place and c["number"] == 0)
    # Every destination of a list has a packet of its own.
    links = ((c, c["from"] ^ 1 << c["dimension"]) for c in first)
    crossings = (
        (c["from"], to, c["cycle"], c["to"], to in delivered and (c["to"] == to or message.kind == "broadcast"))
        for c, to in links
    )
    kind = {"raw": "raw", "broadcast": "to all"}.get(message.kind) or f"to {listed(message.destinations)}"
    yield from way(config.dim, message, kind, crossings)
