"""What is told of messages that were played on the packet network."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.packet import PacketReason
from cubecast.options.text import address, listed, nested
from cubecast.systems.packet.messages import PacketMessage

__all__ = ["COUNTED", "OUT_OF_ORDER", "arrived", "deliveries", "errors", "inside", "starts", "title", "tree"]

COUNTED = "packets"
"""What a link counts besides words."""

OUT_OF_ORDER = "OUT_OF_ORDER"
"""Reason given where the packets of a message, or those of two, came in another order than they were sent."""


def title(config: PacketConfig) -> str:
    """Return what is simulated."""
    return f"packet routers, {config.routing}, {config.link} links"


def starts(messages: Sequence[PacketMessage], seen: dict[str, Any]) -> dict[int, int]:
    """Return the cycle in which the first word of each message's first packet was taken, by the message's index."""
    return {messages[record["message"]].index: record["cycle"] for record in seen["starts"]}


def deliveries(config: PacketConfig, messages: Sequence[PacketMessage], seen: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what nodes got, as plain values."""
    names = ("node", "first_cycle", "last_cycle", "data", "error")
    return [
        {"message": messages[record["message"]].index} | {name: record[name] for name in names}
        for record in seen["deliveries"]
    ]


def arrived(seen: dict[str, Any], found: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    """Return the deliveries that settle what is owed to a node: whole messages."""
    return [delivery for record, delivery in zip(seen["deliveries"], found, strict=True) if record["whole"]]


def errors(
    config: PacketConfig,
    messages: Sequence[PacketMessage],
    seen: dict[str, Any],
    faults: frozenset[int],
    found: Sequence[dict[str, Any]],
) -> list[dict[str, Any]]:
    """Return the reports, those of one node on one message with one reason together, and what came out of order."""
    return _reports(config, messages, seen, faults) + [
        {"node": delivery["node"], "reason": OUT_OF_ORDER, "message": delivery["message"]}
        for record, delivery in zip(seen["deliveries"], found, strict=True)
        if record["whole"] and not record["ordered"]
    ]


def _reports(
    config: PacketConfig, messages: Sequence[PacketMessage], seen: dict[str, Any], faults: frozenset[int]
) -> list[dict[str, Any]]:
    """Return the reports, those of one node on one message with one reason together."""
    found: dict[tuple[int, int, int], dict[str, Any]] = {}
    for report in seen["reports"]:
        message, node, reason = messages[report["message"]], report["node"], report["reason"]
        entry = {"node": node, "reason": PacketReason(reason).name, "message": message.index}
        if report["lost"]:
            nodes = _missed(config, message, report)
            if nodes <= faults and message.kind == "broadcast":
                continue
            entry = found.setdefault((node, reason, message.index), entry | {"destinations": []})
            wanted = nodes - faults if message.kind == "broadcast" else nodes
            entry["destinations"] = sorted({*entry.setdefault("destinations", []), *wanted})
        elif reason == PacketReason.PACKET_CUT:
            entry = found.setdefault((node, reason, message.index), entry | {"to": []})
            entry["to"] = sorted({*entry["to"], node ^ 1 << report["port"]})
        else:
            found.setdefault((node, reason, message.index), entry)
    return list(found.values())


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
    below: dict[int, list[tuple[str, int]]] = defaultdict(list)
    # Every destination of a list has a packet of its own.
    arrival: dict[tuple[int, int], int] = {}
    for step, crossing in enumerate(seen["crossings"], start=1):
        if crossing["message"] == place and crossing["number"] == 0:
            start, to = crossing["from"], crossing["from"] ^ 1 << crossing["dimension"]
            own = crossing["to"] == to or message.kind == "broadcast"
            mark = " *" if own and to in delivered else ""
            label = f"{crossing['dimension']}→ {to} {to:0{config.dim}b}{mark}  cycle {crossing['cycle']}"
            below[arrival.get((start, crossing["to"]), 0)].append((label, step))
            arrival[to, crossing["to"]] = step
    kind = {"raw": "raw", "broadcast": "to all"}.get(message.kind) or f"to {listed(message.destinations)}"
    yield f"message {message.index} from {address(message.source, config.dim)}, {kind}"
    yield f"{message.source} {message.source:0{config.dim}b}"
    yield from nested(below[0], lambda step: below[step])
