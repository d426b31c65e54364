"""What is told of messages that were played on the multicast network."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.reason import Reason
from cubecast.options.text import listed
from cubecast.systems.followed import way
from cubecast.systems.multicast.messages import Message

__all__ = ["COUNTED", "arrived", "deliveries", "errors", "inside", "starts", "title", "tree"]

COUNTED = "messages"
"""What a link counts besides words."""


def title(config: Config) -> str:
    """Return what is simulated."""
    return f"routers, {config.policy}"


def starts(messages: Sequence[Message], seen: dict[str, Any]) -> dict[int, int]:
    """Return the cycle in which the first word of each message was taken, by the message's index."""
    number = _numbers(messages)
    return {number[tuple(record["origin"])]: record["cycle"] for record in seen["starts"]}


def deliveries(config: Config, messages: Sequence[Message], seen: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what nodes got, as plain values."""
    number = _numbers(messages)
    skipped = 2 if config.source_field else 1
    return [
        {
            "message": number[tuple(record["origin"])],
            "node": record["node"],
            "first_cycle": record["first_cycle"],
            "last_cycle": record["last_cycle"],
            "data": record["words"][skipped:],
            "error": record["error"],
        }
        for record in seen["deliveries"]
    ]


def arrived(seen: dict[str, Any], found: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    """Return the deliveries that settle what is owed to a node: all of them."""
    return found


def errors(
    config: Config,
    messages: Sequence[Message],
    seen: dict[str, Any],
    faults: frozenset[int],
    found: Sequence[dict[str, Any]],
) -> list[dict[str, Any]]:
    """Return the reports, those of one node on one message with one reason together.

    A message to all nodes may miss the dead ones. What was delivered, ``found``, adds nothing.
    """
    number = _numbers(messages)
    everyone = {message.index for message in messages if message.words[0] == config.broadcast_k}
    entries: dict[tuple[int, int, int], dict[str, Any]] = {}
    for report in seen["reports"]:
        node, reason, index = report["node"], report["reason"], number[tuple(report["origin"])]
        if reason == Reason.UNDELIVERABLE and index in everyone and report["destination"] in faults:
            continue
        entry = entries.setdefault(
            (node, reason, index), {"node": node, "reason": Reason(reason).name, "message": index}
        )
        if reason in (Reason.UNDELIVERABLE, Reason.NO_LANE):
            entry.setdefault("destinations", []).append(report["destination"])
        elif reason == Reason.COPY_CUT:
            entry.setdefault("to", []).append(report["destination"])
    return list(entries.values())


def inside(config: Config, messages: Sequence[Message], seen: dict[str, Any]) -> Iterator[str]:
    """Yield a line for everything that had not left the network when the run ended."""
    number = _numbers(messages)
    for unit in seen["inside"]:
        yield f"still inside: message {number[tuple(unit['origin'])]} at {_place(config, unit)}"
    if seen["ring"]:
        first, *others = (_place(config, unit) for unit in seen["ring"])
        yield f"deadlock: {first}"
        yield from (f"  waits for {place}" for place in (*others, first))
    for source in range(config.nodes):
        count = sum(message.source == source for message in messages) - seen["injected"][source]
        if count:
            yield f"not injected: {count} of the messages of node {source}"


def tree(
    config: Config, messages: Sequence[Message], place: int, found: dict[str, Any], seen: dict[str, Any]
) -> Iterator[str]:
    """Yield the way that the message in a place of the list took, with the cycle in which it crossed each link."""
    message, number = messages[place], _numbers(messages)
    index = message.index
    delivered = {delivery["node"] for delivery in found["deliveries"] if delivery["message"] == index}
    own = (crossing for crossing in seen["crossings"] if number[tuple(crossing["origin"])] == index)
    crossings = ((c["from"], c["to"], c["cycle"], None, c["to"] in delivered) for c in own)
    if message.raw:
        kind = "raw"
    elif message.words[0] == config.broadcast_k:
        kind = "to all"
    else:
        kind = f"to {listed(message.words[1 : 1 + message.words[0]])}"
    yield from way(config.dim, message, kind, crossings, at_home=message.source in delivered)


def _numbers(messages: Sequence[Message]) -> dict[Any, int]:
    """Return the index in the file of the n-th message of a source, as (source, n) to index."""
    number: dict[Any, int] = {}
    sent: dict[int, int] = defaultdict(int)
    for message in messages:
        number[message.source, sent[message.source]] = message.index
        sent[message.source] += 1
    return number


def _place(config: Config, unit: dict[str, int]) -> str:
    """Return where a message handling unit is."""
    port = "the injection port" if unit["port"] == config.local else f"channel {unit['port']}, lane {unit['lane']}"
    return f"node {unit['node']}, {port}"
