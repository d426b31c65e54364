"""States of the multicast router's units that hardware, model and testbenches call by the same names."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["Phase", "State"]


class State(IntEnum):
    """States of a message handling unit."""

    WAIT = 0
    INPUT = 1
    PROCESSING = 2
    OUTPUT = 3


class Phase(IntEnum):
    """What a streamer of the output module sends next."""

    K = 0
    LIST = 1
    CONTROL = 2
    BODY = 3
