"""What a generated router with a join unit is, in words and numbers: ports, operations, registers."""

from __future__ import annotations

from typing import Any

from cubecast.golden.common.contract.registers import meaning_of
from cubecast.golden.reduction.contract import registers
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.golden.reduction.contract.word import Operation
from cubecast.systems.crosspoint import description as crosspoint
from cubecast.systems.description import REGISTERS, Group, grouped
from cubecast.systems.system import Unit

__all__ = ["derived", "formats", "headers", "meaning", "missing"]

_LINK = {
    "push_r": "a word of a reduction is there, with data, last and error",
    "rop": "its operation",
    "ready_r": "there is room for one",
    "push_r_1": "a word of a reduction in the second context is there",
    "ready_r_1": "there is room for one",
}

_OWN = {
    "valid": "a word is offered",
    "data": "the word",
    "rop": "its operation, the same in all members of the tree",
    "last": "it is the last word of its operation",
    "ready": "the word is taken",
}

_RESULT = {
    "valid": "a word is offered; it stays until it is taken",
    "data": "the word",
    "last": "it is the last word of its operation",
    "error": "it is wrong: the members' words did not belong together",
    "ready": "the word is taken",
}

_OPERATOR = {
    "valid": "two operands are there",
    "a": "the left operand",
    "b": "the right operand",
    "rop": "their operation",
    "y": "what is made of the operands of operator_latency cycles before",
}

_GROUPS: tuple[Group, ...] = (
    (r"link_in__(\d+)__(\w+)", "link from dimension {0}: ", _LINK),
    (r"link_out__(\d+)__(\w+)", "link to dimension {0}: ", _LINK),
    (r"own_1__?(\w+)", "words of the node, to be reduced in the second context: ", _OWN),
    (r"own__?(\w+)", "words of the node, to be reduced: ", _OWN),
    (r"result_1__?(\w+)", "results for the node in the second context: ", _RESULT),
    (r"result__?(\w+)", "results for the node: ", _RESULT),
    (r"operator_(\d)_1__?(\w+)", "operator of the node for stage {0} of the second join: ", _OPERATOR),
    (r"operator_(\d)__?(\w+)", "operator of the node for stage {0} of the join: ", _OPERATOR),
    (r"reduction_1__?(\w+)", "registers of the second join unit: ", REGISTERS),
    (r"reduction__?(\w+)", "registers of the join unit: ", REGISTERS),
)


def meaning(port: str, unit: str) -> str:
    """Return what a port of a unit is for.

    Raises
    ------
    KeyError
        There is no such port.
    """
    if port in ("alarm", "alarm_1"):
        which = "second " if port == "alarm_1" else ""
        return f"something is wrong with a reduction: see the register STATUS of the {which}join unit"
    return grouped(_GROUPS, port) or crosspoint.meaning(port)


def derived(config: ReductionConfig) -> dict[str, int]:
    """Return what follows from the parameters."""
    return crosspoint.derived(config.router) | {"reduce_room": config.queue_shape.most}


def formats(unit: Unit, config: ReductionConfig) -> dict[str, Any]:
    """Return the formats of packets, the operations, and the registers of a unit."""
    return crosspoint.formats(unit, config.router) | {
        "reduction_registers": registers.plain(config),
        "operations": {operation.name: int(operation) for operation in Operation},
        "operation_meanings": {operation.name: meaning_of(operation) for operation in Operation},
    }


def headers(unit: Unit, config: ReductionConfig, name: str) -> dict[str, str]:
    """Return the C files of a unit, by name; files and macros begin with ``name``."""
    own = {f"{name}_reduction_regs.h": registers.c_header(config, name)}
    return own | crosspoint.headers(unit, config.router, name)


def missing(config: ReductionConfig) -> str:
    """Return what becomes of a link without a neighbour whose inputs are tied: 0, but ``down`` 1."""
    return crosspoint.missing(config.router)
