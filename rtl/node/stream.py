"""Signatures of what moves between the units of a node interface, and between it and node memory."""

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.node.contract.block import BLOCK_BITS, LENGTH_BITS, TYPE_BITS
from cubecast.golden.node.contract.config import PREFIX_BITS, NodeConfig
from cubecast.golden.node.contract.packet import EAGER_BITS, OP_BITS, TICKET_BITS
from cubecast.golden.packet.contract.packet import KIND_BITS

__all__ = [
    "ADDRESS_BITS",
    "BEATS_BITS",
    "INSTRUCTION_BITS",
    "NODE_BITS",
    "PLACE_BITS",
    "REASON_BITS",
    "STATUS_BITS",
    "STROBES",
    "VISITED_BITS",
    "WORD_ADDRESS_BITS",
    "WORD_BITS",
    "WORD_OF_BLOCK_BITS",
    "Add",
    "Back",
    "Doorbell",
    "Event",
    "First",
    "Job",
    "Part",
    "Post",
    "Prepare",
    "Read",
    "Reply",
    "Search",
    "Stream",
    "Write",
    "place_bits",
]

ADDRESS_BITS = 32
"""Bits of a byte address of node memory."""

WORD_ADDRESS_BITS = 30
"""Bits of a word address of node memory."""

PLACE_BITS = ADDRESS_BITS - BLOCK_BITS
"""Bits of a byte address below the number of a block."""

WORD_OF_BLOCK_BITS = WORD_ADDRESS_BITS - BLOCK_BITS
"""Bits of the number of a word in a block."""

WORD_BITS = 32
"""Bits of a word of node memory."""

STROBES = 4
"""Bytes of a word of node memory."""

BEATS_BITS = 4
"""Bits of the number of words of a read, less one."""

INSTRUCTION_BITS = 3
"""Bits of the number of an instruction."""

REASON_BITS = 4
"""Bits of the reason of an interrupt."""

STATUS_BITS = 8
"""Bits of a status."""

NODE_BITS = 16
"""Bits of a node's address in a block and in an event."""

VISITED_BITS = 5
"""Bits of the number of blocks that were compared for one request."""


class Stream(wiring.Signature):
    """Payload with ``valid``, which is taken in a cycle with ``ready``.

    Parameters
    ----------
    fields : int
        Bits of each field of the payload.
    """

    def __init__(self, **fields: int):
        super().__init__({"valid": Out(1), **{name: Out(bits) for name, bits in fields.items()}, "ready": In(1)})


class Doorbell(Stream):
    """Stream of instructions, each with the address of its block."""

    def __init__(self) -> None:
        super().__init__(instruction=INSTRUCTION_BITS, address=ADDRESS_BITS)


class Event(Stream):
    """Stream of what an interrupt may tell of."""

    def __init__(self) -> None:
        super().__init__(reason=REASON_BITS, status=STATUS_BITS, source=NODE_BITS, value=WORD_BITS)


class Read(Stream):
    """Stream of requests to read words of node memory."""

    def __init__(self) -> None:
        super().__init__(address=WORD_ADDRESS_BITS, beats=BEATS_BITS)


class Write(Stream):
    """Stream of words that are written to node memory."""

    def __init__(self) -> None:
        super().__init__(address=WORD_ADDRESS_BITS, data=WORD_BITS, strobe=STROBES)


class Reply(wiring.Signature):
    """What a control packet says, and of whom.

    Parameters
    ----------
    config : NodeConfig
        Gives the dimension.
    answered : bool
        There is a ``ready``.
    """

    def __init__(self, config: NodeConfig, *, answered: bool = False):
        bits = {"valid": 1, "source": config.dim, "b": 1, "op": OP_BITS, "stop": 1, "damaged": 1, "ticket": TICKET_BITS}
        ready = {"ready": In(1)} if answered else {}
        super().__init__({name: Out(width) for name, width in bits.items()} | ready)


class Job(Stream):
    """Stream of packets that are to be made.

    Parameters
    ----------
    config : NodeConfig
        Gives the dimension.
    """

    def __init__(self, config: NodeConfig):
        super().__init__(
            slots=config.dim,
            destination=config.dim,
            kind=KIND_BITS,
            prefix=PREFIX_BITS,
            prefix_words=2,
            address=ADDRESS_BITS,
            bytes=8,
        )


class Add(Stream):
    """Stream of messages that are to be sent, and of what their blocks say.

    Parameters
    ----------
    config : NodeConfig
        Gives the dimension.
    """

    def __init__(self, config: NodeConfig):
        super().__init__(
            destination=config.dim,
            reference=ADDRESS_BITS,
            type=TYPE_BITS,
            length=LENGTH_BITS,
            buffer=ADDRESS_BITS,
        )


class Part(Stream):
    """Stream of parts of messages that are to be sent.

    Parameters
    ----------
    config : NodeConfig
        Gives the dimension.
    """

    def __init__(self, config: NodeConfig):
        super().__init__(
            slots=config.dim,
            destination=config.dim,
            rest=1,
            offset=LENGTH_BITS,
            odd=1,
            type=TYPE_BITS,
            length=LENGTH_BITS,
            eager=EAGER_BITS,
            behind=1,
            others=1,
            mark=1,
            ticket=TICKET_BITS,
            buffer=ADDRESS_BITS,
        )


class Back(Stream):
    """Stream of places at which the rest of a message has stopped."""

    def __init__(self) -> None:
        super().__init__(offset=LENGTH_BITS, odd=1)


class First(Stream):
    """Stream of messages that look for a place.

    Parameters
    ----------
    config : NodeConfig
        Gives the dimension.
    """

    def __init__(self, config: NodeConfig):
        super().__init__(source=config.dim, b=1, type=TYPE_BITS, length=LENGTH_BITS, behind=1, rest=1, mark=1)


class Prepare(Stream):
    """Stream of broadcasts that have a place now.

    Parameters
    ----------
    config : NodeConfig
        Gives the dimension and the number of buffers.
    """

    def __init__(self, config: NodeConfig):
        super().__init__(source=config.dim, **place_bits(config))


def place_bits(config: NodeConfig) -> dict[str, int]:
    """Return the bits of the fields that say where a message goes.

    Parameters
    ----------
    config : NodeConfig
        Gives the number of buffers.
    """
    return {
        "user": 1,
        "block": BLOCK_BITS,
        "room": LENGTH_BITS,
        "buffer": ADDRESS_BITS,
        "pooled": 1,
        "number": config.buffer_bits,
    }


class Search(Stream):
    """Stream of patterns that messages are compared with.

    Parameters
    ----------
    config : NodeConfig
        Gives the dimension.
    """

    def __init__(self, config: NodeConfig):
        super().__init__(source=config.dim, any_source=1, type=TYPE_BITS, any_type=1, short=1)


class Post(Stream):
    """Stream of receives that are posted, and of messages that look for one."""

    def __init__(self) -> None:
        super().__init__(post=1, block=BLOCK_BITS, source=NODE_BITS, any_source=1, type=TYPE_BITS, any_type=1)
