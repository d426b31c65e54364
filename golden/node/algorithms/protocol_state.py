"""What the message-level model of the node interfaces is about: programs, messages, packets, and what each side knows.

Everything but the state itself cannot change, so that states are cheap to copy and to compare.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Hashable
from typing import NamedTuple, Self

from cubecast.golden.node.contract.block import SYSTEM_BIT
from cubecast.golden.node.contract.config import NodeConfig

__all__ = [
    "ANY",
    "ANY_SYSTEM",
    "SYSTEM",
    "Action",
    "Chain",
    "Control",
    "Instruction",
    "Joint",
    "Limits",
    "Message",
    "OrderError",
    "Piece",
    "Receive",
    "Receiver",
    "Release",
    "Send",
    "State",
    "Wait",
]

ANY = -1
"""Of a receive: any source, or any type that is not reserved for the system."""

ANY_SYSTEM = -2
"""Of a receive: any type that is reserved for the system."""

SYSTEM = 1 << SYSTEM_BIT
"""Least type that is reserved for the system."""


class OrderError(Exception):
    """A match that breaks the order guarantees, an answer to nothing, or a run without an end."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Limits:
    """What the interfaces of all nodes have.

    Parameters
    ----------
    buffers : int
        System buffers of a node.
    reserved : int
        Those of them that only messages of system types may take.
    buffer_bytes : int
        Bytes of a system buffer.
    eager : int
        Packets that a source sends before it has an answer.
    first_bytes, packet_bytes : int
        Bytes of a message in its first packet, and in each further one.
    postpone : bool
        False: the rule of the source. A message that finds neither a receive nor a buffer stays in the input port of
        its node, with all that comes behind it. For the demonstration of the standstill alone.
    timeouts : int
        How often, in the whole run, a source may offer a chain again unasked that has stopped, or has nothing left to
        offer, or a broadcast that nodes have yet to call for.
    """

    buffers: int = 0
    reserved: int = 0
    buffer_bytes: int = 64
    eager: int = 1
    first_bytes: int = 22
    packet_bytes: int = 28
    postpone: bool = True
    timeouts: int = 0

    @classmethod
    def of(cls, config: NodeConfig) -> Self:
        """Return what the interfaces of a configuration have."""
        names = ("buffers", "reserved", "buffer_bytes", "eager", "first_bytes", "packet_bytes")
        return cls(**{name: getattr(config, name) for name in names})

    def packets(self, length: int) -> int:
        """Return how many packets a message of so many bytes is cut into."""
        return 1 + max(0, -(-(length - self.first_bytes) // self.packet_bytes))


class Send(NamedTuple):
    """An instruction that sends to some nodes: a unicast to each of them, or one broadcast to all of them."""

    to: tuple[int, ...]
    type: int
    length: int = 4
    broadcast: bool = False


class Receive(NamedTuple):
    """An instruction that receives; ``room`` is None for one that wants a system buffer."""

    source: int
    type: int
    room: int | None = 0


class Wait(NamedTuple):
    """Wait until these steps of the program are done, or at least started; for none, it does nothing."""

    steps: tuple[int, ...] = ()
    started: bool = False


class Release(NamedTuple):
    """Give the buffer back that the receive of this step was lent."""

    step: int


Instruction = Send | Receive | Wait | Release


class Message(NamedTuple):
    """What was sent by a step of a node's program."""

    source: int
    step: int
    to: tuple[int, ...]
    type: int
    length: int
    broadcast: bool


class Piece(NamedTuple):
    """A group of packets of one message on its way to one node.

    Parameters
    ----------
    message : Message
        Of which.
    kind : str
        ``first``: the first packet and those sent unasked; ``rest``: those behind; ``again``: a further round of a
        broadcast, all of it.
    whole : bool
        Nothing follows.
    behind, rest, mark : bool
        Of a first packet: an older message of its chain waits; another one was postponed before; it is the first offer
        since a rewind. Of a further round ``behind``: nobody has to answer it, so who has stored it before says so
        again.
    """

    message: Message
    kind: str
    whole: bool
    behind: bool = False
    rest: bool = False
    mark: bool = False


class Control(NamedTuple):
    """A control packet: what ``node`` tells the source of a message, or of a chain (``message`` is None)."""

    kind: str
    node: int
    source: int
    message: Message | None
    stop: bool = False


class Action(NamedTuple):
    """Something that can happen next; ``place`` says where."""

    kind: str
    place: tuple[int, ...]


class Chain(NamedTuple):
    """What a source knows of its unicasts to one node.

    Parameters
    ----------
    blocks : tuple of Message
        Those not done, in the order of their instructions.
    cursor : int
        The one to offer next, or the one that is offered.
    offered : bool
        An offer is under way.
    stop, again, mark : bool
        Nothing is offered until a rewind; a rewind came; the next offer says so.
    postponed : frozenset of Message
        Those that were refused at least once.
    """

    blocks: tuple[Message, ...] = ()
    cursor: int = 0
    offered: bool = False
    stop: bool = False
    again: bool = False
    mark: bool = False
    postponed: frozenset[Message] = frozenset()


class Joint(NamedTuple):
    """What a source knows of its broadcasts.

    Parameters
    ----------
    blocks : tuple of Message
        Those not done; the first is the one under way.
    phase : str
        ``idle``; ``first``, ``rest`` or ``again``: what was sent last of it, and not all that must have answered;
        ``open``: nodes are left that have no place.
    accepted, postponed, rewound, done : frozenset of int
        Nodes that wait for the rest; that hold the envelope, and of those the ones that have a place now; that have
        stored all of it.
    called : frozenset of int
        Of a round after the first: nodes that have to answer it.
    """

    blocks: tuple[Message, ...] = ()
    phase: str = "idle"
    accepted: frozenset[int] = frozenset()
    postponed: frozenset[int] = frozenset()
    rewound: frozenset[int] = frozenset()
    done: frozenset[int] = frozenset()
    called: frozenset[int] = frozenset()


class Receiver(NamedTuple):
    """What a node knows of messages that come to it.

    Parameters
    ----------
    free : int
        Buffers in the pool.
    expected : tuple of int
        Steps of the receives posted, oldest first.
    unclaimed, held : tuple of Message
        Those in buffers; broadcasts of which only the envelope is here; oldest first.
    storing, ready : frozenset of Message
        Those that have a place, and of which the rest, or a further round, is to come.
    attached : frozenset of Message
        Those of them that leave their buffer when they are complete, as a receive with a place of its own waits.
    owing, rewinding : frozenset of int
        Sources that keep messages postponed for this node (P), and those to which a rewind is under way (R).
    taken : tuple of pair
        Messages, each with the step of the receive that it matches.
    stored : frozenset of Message
        Those complete.
    lent, refused : frozenset of int
        Steps of receives that have a system buffer, and of those that found none.
    wrong : frozenset of int
        Steps of releases of what is not lent.
    """

    free: int
    expected: tuple[int, ...] = ()
    unclaimed: tuple[Message, ...] = ()
    held: tuple[Message, ...] = ()
    storing: frozenset[Message] = frozenset()
    ready: frozenset[Message] = frozenset()
    attached: frozenset[Message] = frozenset()
    owing: frozenset[int] = frozenset()
    rewinding: frozenset[int] = frozenset()
    taken: tuple[tuple[Message, int], ...] = ()
    stored: frozenset[Message] = frozenset()
    lent: frozenset[int] = frozenset()
    refused: frozenset[int] = frozenset()
    wrong: frozenset[int] = frozenset()

    def match(self, step: int) -> Message | None:
        """Return the message that the receive of this step has got."""
        return next((message for message, receive in self.taken if receive == step), None)

    def receive(self, message: Message) -> int | None:
        """Return the step of the receive that has got this message."""
        return dict(self.taken).get(message)

    def has(self, message: Message) -> bool:
        """Return whether a message has a place here."""
        return message in self.unclaimed or self.receive(message) is not None


@dataclasses.dataclass
class State:
    """All that can change; what it consists of cannot, so that a copy is flat.

    Parameters
    ----------
    steps : list of int
        The next step of every program.
    receivers : list of Receiver
        By node.
    chains : dict
        By source and destination.
    joints : list of Joint
        By source.
    pieces : dict
        Queues of data by the way that they take: (destination, source, broadcast), or (destination,) with one queue
        for all that comes to a node.
    control : Counter
        Control packets on their way, in no order.
    begun : frozenset of Message
        Those that were offered.
    timeouts : int
        How many are left.
    """

    steps: list[int]
    receivers: list[Receiver]
    chains: dict[tuple[int, int], Chain]
    joints: list[Joint]
    pieces: dict[tuple[int, ...], tuple[Piece, ...]]
    control: Counter[Control]
    begun: frozenset[Message]
    timeouts: int

    def copy(self) -> State:
        """Return a state that changes on its own."""
        return State(
            self.steps[:],
            self.receivers[:],
            dict(self.chains),
            self.joints[:],
            dict(self.pieces),
            self.control.copy(),
            self.begun,
            self.timeouts,
        )

    def key(self) -> Hashable:
        """Return what two states have in common if and only if they are equal."""
        return (
            tuple(self.steps),
            tuple(self.receivers),
            tuple(self.chains.values()),
            tuple(self.joints),
            frozenset(self.pieces.items()),
            frozenset(self.control.items()),
            self.begun,
            self.timeouts,
        )

    def change(self, node: int, **fields: object) -> Receiver:
        """Change what a node knows, and return it."""
        self.receivers[node] = self.receivers[node]._replace(**fields)  # type: ignore[arg-type]
        return self.receivers[node]
