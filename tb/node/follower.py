"""What becomes of each message: from the block that sends it to the receive or the buffer that it comes to.

Ports of units say it: the cutter of a node, that an offer of a buffer's bytes begins, with its ticket; the matcher of
another node, what it decides of the message that has this ticket; the receive engine, that a message in a system buffer
is complete. So equal messages are told apart as well. The units are the golden ones, whose network is compared with the
RTL in every cycle.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from cubecast.golden.node.contract.config import BLOCK_BYTES
from cubecast.golden.node.contract.units import How

__all__ = ["Follower", "Message", "Ports", "Unclaimed", "follow", "look_at"]

Ports = Mapping[str, Any]


class Message(NamedTuple):
    """A message by its source and the address of the buffer that it is sent from."""

    source: int
    buffer: int


class Unclaimed(NamedTuple):
    """A message in a system buffer.

    Parameters
    ----------
    number : int
        The buffer.
    message : Message
        Which.
    fields : tuple of int
        Source, type, length.
    since : int
        Cycle in which it has got the buffer.
    """

    number: int
    message: Message
    fields: tuple[int, int, int]
    since: int


class Follower:
    """All nodes' messages.

    Parameters
    ----------
    nodes : int
        How many there are.
    clock : function
        Returns the cycle, as results count.
    """

    def __init__(self, nodes: int, clock: Callable[[], int]) -> None:
        self.clock = clock
        self.open = True
        self.offers: dict[tuple[int, int, int], Message] = {}
        self.matched: list[dict[int, tuple[int, Message]]] = [{} for _ in range(nodes)]
        self.unclaimed: list[list[Unclaimed]] = [[] for _ in range(nodes)]
        self.held: list[dict[int, tuple[Message, tuple[int, int, int]]]] = [{} for _ in range(nodes)]
        # System buffers whose message is complete, and since when.
        self.complete: list[dict[int, int]] = [{} for _ in range(nodes)]

    def close(self) -> None:
        """Take note that the run has ended: what is decided while registers are read is no part of it."""
        self.open = False

    def offered(self, source: int, destination: int, ticket: int, buffer: int) -> None:
        """Take note of an offer; the destination of a broadcast is its source."""
        self.offers[source, destination, ticket] = Message(source, buffer)

    def asked(self, node: int, source: int, broadcast: int, ticket: int) -> Message | None:
        """Return the message whose first packet has come to a node."""
        return self.offers.get((source, source if broadcast else node, ticket))

    def taken(self, node: int, message: Message, block: int) -> None:
        """Take note that a receive, by the address of its block, has got a message."""
        self.matched[node][block] = self.clock(), message

    def buffered(self, node: int, message: Message, number: int, fields: tuple[int, int, int]) -> None:
        """Take note that a message has got a system buffer."""
        self.unclaimed[node].append(Unclaimed(number, message, fields, self.clock()))
        self.complete[node].pop(number, None)

    def kept(self, node: int, number: int) -> None:
        """Take note that the message in a system buffer is complete."""
        self.complete[node][number] = self.clock()

    def waits(self, node: int, message: Message, fields: tuple[int, int, int]) -> None:
        """Take note that only the envelope of a broadcast has come."""
        self.held[node][message.source] = message, fields

    def claimed(self, node: int, number: int, block: int) -> None:
        """Take note that a receive has got the message in a system buffer."""
        entry = next(entry for entry in self.unclaimed[node] if entry.number == number)
        self.unclaimed[node].remove(entry)
        self.taken(node, entry.message, block)

    def prepared(self, node: int, source: int, block: int | None, number: int) -> None:
        """Take note that a broadcast of which the envelope is here has got a receive, or a system buffer."""
        message, fields = self.held[node].pop(source)
        if block is None:
            self.buffered(node, message, number, fields)
        else:
            self.taken(node, message, block)


def look_at(unit: Any, look: Callable[[Ports, Ports], None]) -> None:
    """Look at inputs and outputs of a unit in each cycle before it takes its edge."""
    edge = unit.edge

    def taken(inputs: Ports, outputs: Ports) -> None:
        if not inputs.get("rst"):
            look(inputs, outputs)
        edge(inputs, outputs)

    unit.edge = taken


def follow(follower: Follower, node: int, units: Any, released: Callable[[bool], None]) -> None:
    """Let a follower look at the units of a node.

    Parameters
    ----------
    follower : Follower
        What is told.
    node : int
        Address of the node.
    units
        Its golden interface, with ``cutter``, ``matcher``, ``pool`` and ``engine``.
    released : function
        Called when the pool answers a release, with whether it accepts it.
    """
    engine = units.engine
    asking: dict[str, Any] = {}

    def cut(inputs: Ports, outputs: Ports) -> None:
        if inputs.get("part__valid") and outputs["part__ready"] and not inputs.get("part__rest"):
            follower.offered(node, inputs["part__destination"], inputs["part__ticket"], inputs["part__buffer"])

    def match(inputs: Ports, outputs: Ports) -> None:
        if inputs.get("first__valid") and outputs["first__ready"]:
            names = ("source", "type", "length", "b")
            *fields, b = (inputs.get(f"first__{name}", 0) for name in names)
            ticket = engine.envelope["ticket"]
            asking["message"] = follower.asked(node, fields[0], b, ticket), tuple(fields), b
        if inputs.get("post__valid") and outputs["post__ready"]:
            asking["block"] = BLOCK_BYTES * inputs["post__block"]
        if outputs["verdict"]:
            message, fields, b = asking["message"]
            if outputs["placed"] and outputs["user"]:
                follower.taken(node, message, BLOCK_BYTES * outputs["block"])
            elif outputs["placed"]:
                follower.buffered(node, message, outputs["number"], fields)
            elif b and not outputs["lost"]:
                follower.waits(node, message, fields)
        if outputs["settled"] and outputs["how"] == How.UNCLAIMED:
            follower.claimed(node, outputs["number"], asking["block"])
        if outputs["prepare__valid"] and inputs.get("prepare__ready"):
            block = BLOCK_BYTES * outputs["prepare__block"] if outputs["prepare__user"] else None
            follower.prepared(node, outputs["prepare__source"], block, outputs["prepare__number"] or 0)

    def pool(inputs: Ports, outputs: Ports) -> None:
        if outputs["released"]:
            released(bool(outputs["accepted"]))

    def receive(inputs: Ports, outputs: Ports) -> None:
        if outputs["kept"]:
            follower.kept(node, outputs["kept_number"])

    def while_open(look: Callable[[Ports, Ports], None], inputs: Ports, outputs: Ports) -> None:
        if follower.open:
            look(inputs, outputs)

    for unit, look in ((units.cutter, cut), (units.matcher, match), (units.pool, pool), (engine, receive)):
        look_at(unit, partial(while_open, look))
