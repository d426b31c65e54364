"""States and codes of the collectives that hardware, model and testbenches call by the same names."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["Accepted", "Operation", "Result", "State", "Step"]


class State(IntEnum):
    """What a node does of its own; field STATE of STATUS."""

    IDLE = 0
    LOAD = 1
    CREDIT = 2
    ENDS = 3
    GATHER = 4
    SEND = 5
    AWAIT = 6
    SPREAD = 7
    OUTPUT = 8
    LAST = 9


class Step(IntEnum):
    """How far the piece of a relay entry has come."""

    GRANT = 0
    OPEN = 1
    CLOSED = 2


class Accepted(IntEnum):
    """What becomes of the message that is coming in."""

    NONE = 0
    MERGE = 1
    RESULT = 2
    OTHER = 3


class Operation(IntEnum):
    """What is made of two words; field OPERATION of COMMAND. REPLACE, for no host to ask, gives the one that came."""

    SUM = 0
    MIN = 1
    MAX = 2
    AND = 3
    OR = 4
    XOR = 5
    CUSTOM = 6
    REPLACE = 7


class Result(IntEnum):
    """Who gets the result besides the sink; field RESULT of COMMAND."""

    NONE = 0
    BROADCAST = 1
    SPREAD = 2
