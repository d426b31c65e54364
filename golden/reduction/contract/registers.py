"""Registers of the join unit: numbers and fields."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from cubecast.golden.common.contract import registers
from cubecast.golden.common.contract.registers import Entry, Field, register
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.golden.reduction.contract.word import NONE, Operation

__all__ = ["ADDRESS_BITS", "TICK", "TREE_RESET", "Register", "c_header", "plain", "register_map"]

ADDRESS_BITS = 4
"""Width of an address on the port of the unit's registers."""

TICK = 256
"""Cycles that the register TIMEOUT counts as one."""

TREE_RESET = NONE | NONE << 4 | NONE << 8
"""TREE after reset: no parent and no children."""


class Register(IntEnum):
    """Addresses of the registers."""

    CTRL = 0x0
    TREE = 0x1
    TIMEOUT = 0x2
    STATUS = 0x3
    WAIT = 0x4
    COUNT_UP = 0x5
    COUNT_DOWN = 0x6
    STALL_OWN = 0x7
    STALL_A = 0x8
    STALL_B = 0x9
    STALL_LINK = 0xA


_IDLE = Field("IDLE", 3, 1, "no word is in the unit")

_ENTRIES: tuple[Entry, ...] = (
    register(
        Register.CTRL,
        "what the unit does",
        Field("ENABLE", 0, 1, "the unit takes words; 0: it is empty, and its flags are low"),
        Field("ABORT", 1, 1, "words in the unit and of the node are dropped, its flags are low; counts before ENABLE"),
        Field("MEMBER", 2, 1, "the node offers words of its own"),
        Field("DELIVER", 3, 1, "the node is given the results"),
        on_write="sets it; after ABORT: 0 in all nodes of the tree, then TREE in all, then ENABLE in any order",
    ),
    register(
        Register.TREE,
        "the links of the tree, by their dimension; n and more: none",
        Field("PARENT", 0, 4, "to the parent; none: this node is the root"),
        Field("A", 4, 4, "to child a"),
        Field("B", 8, 4, "to child b"),
        on_write="sets it; only while the unit does not run",
        reset=TREE_RESET,
    ),
    register(
        Register.TIMEOUT,
        f"cycles that a word may wait for an absent operand, in units of {TICK}; 0: any number",
        Field("TICKS", 0, 16, "the number"),
        on_write="sets it; a wait that goes on counts from then on",
    ),
    register(
        Register.STATUS,
        "what happened",
        Field("LATE", 0, 1, "an operand did not come within TIMEOUT"),
        Field("MISMATCH", 1, 1, "operands that met were of different operations, or one alone was the last"),
        Field("ERROR", 2, 1, "a result came by that was marked as wrong, or a link of the tree with registers was cut"),
        _IDLE,
        on_write="clears LATE, MISMATCH and ERROR where the value has a 1",
        reset=_IDLE.mask,
    ),
    register(
        Register.WAIT,
        "what the words in the unit wait for in this cycle",
        Field("OWN", 0, 1, "a word of the node"),
        Field("A", 1, 1, "a word of child a"),
        Field("B", 2, 1, "a word of child b"),
        Field("DOWN", 3, 1, "a result is there that a child or the node has not taken yet"),
    ),
    register(Register.COUNT_UP, "words that left towards the root, or were turned there"),
    register(Register.COUNT_DOWN, "results that all targets here have taken"),
    register(Register.STALL_OWN, "cycles in which WAIT.OWN was set"),
    register(Register.STALL_A, "cycles in which WAIT.A was set"),
    register(Register.STALL_B, "cycles in which WAIT.B was set"),
    register(Register.STALL_LINK, "cycles in which a word for the parent stood ready and could not go"),
)

_COUNTERS = Register.COUNT_UP
"""The first of the counters."""


def register_map(config: ReductionConfig) -> tuple[Entry, ...]:
    """Return every register, by ascending address.

    Parameters
    ----------
    config : ReductionConfig
        Parameters of the node; without counters in its router there are none here.
    """
    return tuple(entry for entry in _ENTRIES if config.router.counters or entry.address < _COUNTERS)


def plain(config: ReductionConfig) -> list[dict[str, Any]]:
    """Return the register map as plain values, for the JSON description."""
    bits = config.router.counters
    return registers.plain(register_map(config), f"counter of {bits} bits, which wraps", bits)


def c_header(config: ReductionConfig, name: str = "cubecast") -> str:
    """Return the register map as a C header: numbers, masks, shifts and codes.

    Parameters
    ----------
    config : ReductionConfig
        Parameters of the node.
    name : str
        First word of all macros, which have it in capitals, and ``_REDUCTION`` behind it.
    """
    return registers.c_header(
        register_map(config),
        title="Registers of the join unit of a cubecast node.",
        parameters=config.to_json(),
        prefix=f"{name.upper()}_REDUCTION",
        nodes=config.nodes,
        sizes=(
            ("TICK", f"{TICK}u", "cycles of one unit of TIMEOUT"),
            ("NONE", f"{NONE}u", "no link, in TREE"),
        ),
        codes={"Operations": registers.macros("OPERATION", Operation)},
    )
