"""Reason codes of what can go wrong with a message."""

from __future__ import annotations

import enum

__all__ = ["Reason"]


class Reason(enum.IntEnum):
    """Why a message, or one destination of it, was not delivered; 4 bits in reports and in the error log."""

    NONE = 0
    K_ZERO = 1
    """Malformed: the k field is 0."""
    LIST_TOO_LONG = 2
    """Malformed: max_list < k < 2**n - 1."""
    HEADER_SHORT = 3
    """Malformed: ``last`` came before the header was complete."""
    ADDRESS_BITS = 4
    """Malformed: a bit above the n address bits is set in a header word."""
    DATA_TOO_LONG = 5
    """Malformed: more than max_data payload words; the message was cut off with ``last`` and ``error``."""
    UNDELIVERABLE = 6
    """Every useful dimension towards this destination is faulty, or its copy was lost on a link that was cut."""
    NO_LANE = 7
    """The copy towards this destination would need a lane beyond the last."""
    COPY_CUT = 8
    """The link was cut while a copy went over it, which ends with ``error``; the destination named is the neighbour."""
    INPUT_CUT = 9
    """The link was cut while a message came in over it; what had come was ended with ``last`` and ``error``, but
    dropped if its header was not whole."""
