"""Packets that messages travel in: kinds, the envelope that the first one begins with, and control packets."""

from __future__ import annotations

import enum

from cubecast.golden.common.contract.registers import Field
from cubecast.golden.node.contract.block import LENGTH_BITS, TYPE_BITS

__all__ = ["CONTROL", "EAGER_BITS", "ENVELOPE", "OP_BITS", "TICKET_BITS", "TURN", "Kind", "Op", "pack", "unpack"]

EAGER_BITS = 4
"""Bits of the number of packets that an offer consists of."""

TICKET_BITS = 5
"""Bits of the number that tells an offer from those before it."""

OP_BITS = 4
"""Bits of what a control packet says."""

TURN = 8
"""Packets of the rest of a message that go before it gives way to others that wait."""


class Kind(enum.IntEnum):
    """What a packet is; the packets of a message are FIRST, MORE, EVEN, MORE, EVEN, ..."""

    EVEN = 0
    """A later packet of a message: the third, the fifth, and so on."""
    FIRST = 1
    """The first packet of a message; it begins with the envelope."""
    CONTROL = 2
    """An answer, of one word."""
    MORE = 3
    """A later packet of a message: the second, the fourth, and so on."""


class Op(enum.IntEnum):
    """What a control packet says."""

    NONE = 0
    """Nothing."""
    ACCEPT = 1
    """There is a place for the message: send the rest."""
    DONE = 2
    """The message is stored."""
    POSTPONE = 3
    """There is no place for the message now."""
    REWIND = 4
    """Offer what was postponed again, from the oldest on."""


ENVELOPE: tuple[Field, ...] = (
    Field(name="TYPE", low=0, width=TYPE_BITS, meaning="type of the message"),
    Field(name="LENGTH", low=16, width=LENGTH_BITS, meaning="its bytes"),
    Field(name="EAGER", low=36, width=EAGER_BITS, meaning="packets of this offer at most, this one among them"),
    Field(name="BEHIND", low=40, width=1, meaning="an older message for the same node waits"),
    Field(name="REST", low=41, width=1, meaning="others for the same node have been postponed"),
    Field(name="MARK", low=42, width=1, meaning="the first offer after a REWIND"),
    Field(name="TICKET", low=43, width=TICKET_BITS, meaning="number of the offer"),
)
"""The first 48 bits of a FIRST packet, the low word first."""

CONTROL: tuple[Field, ...] = (
    Field(name="OP", low=0, width=OP_BITS, meaning="what it says"),
    Field(name="B", low=4, width=1, meaning="of a broadcast"),
    Field(name="STOP", low=5, width=1, meaning="POSTPONE: no receive at all is posted"),
    Field(name="DAMAGED", low=6, width=1, meaning="DONE: it is not stored whole"),
    Field(name="TICKET", low=11, width=TICKET_BITS, meaning="that of the offer; 0 in a REWIND of unicasts"),
)
"""The one word of a control packet."""


def pack(fields: tuple[Field, ...], **values: int) -> int:
    """Return a word with these values of its fields, by their names in lower case."""
    places = {field.name.lower(): field for field in fields}
    return sum(value << places[name].low for name, value in values.items())


def unpack(fields: tuple[Field, ...], word: int) -> dict[str, int]:
    """Return the values of a word's fields, by their names in lower case."""
    return {field.name.lower(): (word & field.mask) >> field.low for field in fields}
