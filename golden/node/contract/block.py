"""Header blocks in node memory, instructions that name them, and how they end."""

from __future__ import annotations

import enum

from cubecast.golden.common.contract.registers import Field

__all__ = [
    "ANY_BIT",
    "BLOCK_BITS",
    "COMPLETE",
    "FIELDS",
    "LEFT_BITS",
    "LENGTH_BITS",
    "LENT_LOW",
    "POST_BITS",
    "STARTED",
    "STATUS_LOW",
    "SYSTEM_BIT",
    "TAKEN_BIT",
    "TYPE_BITS",
    "WAITING",
    "Instruction",
    "Status",
    "Word",
]

BLOCK_BITS = 27
"""Bits of the number of a block, its byte address divided by 32."""

LENGTH_BITS = 20
"""Bits of a length in bytes."""

TYPE_BITS = 16
"""Bits of a message's type."""

SYSTEM_BIT = 15
"""Bit of a type that makes it a system type."""

ANY_BIT = 16
"""Bit of the words SOURCE and TYPE of a receive that matches any."""

POST_BITS = 30
"""Bits of the number of a posted receive; numbers are compared modulo 2**30."""

STATUS_LOW = 8
"""Lowest bit of the field STATUS of the word FLAG."""

TAKEN_BIT = 31
"""Bit of the word FLAG that guards a block in use."""

LENT_LOW = 8
"""Lowest bit of a lent buffer's number in the word BUFFER of a posted receive; bit 0 says that there is one."""

LEFT_BITS = 16
"""Bits of the number of parts left in the word STATE of NEIGHBOURS; the status of those before is above."""

WAITING, STARTED, COMPLETE = 0, 1, 3
"""Values of the field COMPLETION of the word FLAG."""


class Word(enum.IntEnum):
    """Words of a header block."""

    LINK = 0
    PARTNER = 1
    TYPE = 2
    LENGTH = 3
    BUFFER = 4
    FLAG = 5
    STATE = 6
    USER = 7
    NEIGHBOUR = 8


class Instruction(enum.IntEnum):
    """What a doorbell asks for."""

    SEND = 0
    """A message to one node."""
    BROADCAST = 1
    """A message to all other nodes."""
    NEIGHBOURS = 2
    """A message to some neighbours."""
    RECEIVE = 3
    """Take a message of some source and type."""
    RELEASE = 4
    """Give a system buffer back."""


class Status(enum.IntEnum):
    """How an instruction ended."""

    OK = 0
    """Nothing to say."""
    TRUNCATED = 1
    """The message was longer than its room; its first bytes are stored."""
    DAMAGED = 2
    """Packets of the message were lost or ended early."""
    TIMEOUT = 3
    """No answer came in time; whether the message arrived is not known."""
    MEMORY_ERROR = 4
    """Node memory answered with an error."""
    NO_BUFFER = 5
    """A receive without a buffer found none in the pool."""
    UNDELIVERABLE = 6
    """No fault-free link leads to the destination."""
    DISABLED = 16
    """The interface is not enabled."""
    BAD_BLOCK = 17
    """The block is not 32-byte aligned, or not inside the memory."""
    BUSY = 18
    """The block is in use."""
    BAD_LIST = 19
    """The count is not 1 to n, or an entry is no neighbour or stands twice."""
    BAD_DESTINATION = 20
    """There is no such node, or it is the own one."""
    BAD_SOURCE = 21
    """There is no such node, or it is the own one."""
    BAD_TYPE = 22
    """A bit above the type is set."""
    BAD_LENGTH = 23
    """The length has more than 20 bits."""
    BAD_BUFFER = 24
    """The buffer is not 4-byte aligned, or not inside the memory."""
    BAD_RELEASE = 25
    """The address is not that of a buffer that is lent."""


FIELDS: dict[Word, tuple[Field, ...]] = {
    Word.LINK: (Field(name="LINK", low=0, width=32, meaning="the next block of its list; written by the hardware"),),
    Word.PARTNER: (
        Field(name="NODE", low=0, width=16, meaning="destination, number of neighbours, or source"),
        Field(name="ANY", low=ANY_BIT, width=1, meaning="receive: any source"),
    ),
    Word.TYPE: (
        Field(name="TYPE", low=0, width=TYPE_BITS, meaning="type; bit 15: a system type"),
        Field(name="ANY", low=ANY_BIT, width=1, meaning="receive: any type of the class that bit 15 names"),
    ),
    Word.LENGTH: (Field(name="LENGTH", low=0, width=LENGTH_BITS, meaning="bytes; of a receive its room"),),
    Word.BUFFER: (Field(name="ADDRESS", low=0, width=32, meaning="4-byte aligned; receive: 0 asks for a buffer"),),
    Word.FLAG: (
        Field(name="COMPLETION", low=0, width=2, meaning="0 waiting, 1 in progress, 3 complete"),
        Field(name="STATUS", low=STATUS_LOW, width=8, meaning="how it ended"),
        Field(name="TAKEN", low=TAKEN_BIT, width=1, meaning="the hardware has the block"),
    ),
    Word.STATE: (
        Field(name="POST", low=0, width=POST_BITS, meaning="receive: its number; neighbours: parts left, and status"),
    ),
    Word.NEIGHBOUR: (
        Field(name="NODE", low=0, width=16, meaning="neighbour i, in word 8 + 2 i; word 9 + 2 i is the hardware's"),
    ),
}
"""Fields of the words of a block; USER has none, and is never touched."""
