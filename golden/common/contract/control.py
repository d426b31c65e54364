"""Registers of a router's control port: numbers, fields and access, the same in every router.

What a register means where routers differ, a router's own contract says.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from typing import Any

from cubecast.golden.common.contract import registers
from cubecast.golden.common.contract.registers import Entry, Field, register, worded
from cubecast.golden.common.contract.units import REASON_BITS, Control

__all__ = ["LETTERS", "REGISTERS", "Register", "RegisterTexts", "c_header", "plain", "register_map"]


class Register(IntEnum):
    """Numbers of the registers, which are their addresses on the plain control port; of an array, that of the first."""

    FAULT = 0x00
    STATUS = 0x01
    LOG = 0x02
    LOG_LOST = 0x03
    CUT = 0x04
    REPORTS = 0x10
    MESSAGES_IN = 0x20
    MESSAGES_OUT = 0x30
    WORDS_OUT = 0x40
    WAITED = 0x50


LETTERS = {"reason": "r", "port": "p"}
"""What the entries of an array stand for, and the letter used for it."""

_VECTOR = Field(name="VECTOR", low=0, width=0, meaning="bit j: dimension j")


REGISTERS: tuple[Entry, ...] = (
    register(Register.FAULT, "", _VECTOR, on_write="sets the vector; bits above n - 1 are ignored"),
    register(
        Register.STATUS,
        "flags",
        Field(name="MULTIPLE_FAULTS", low=0, width=1, meaning="more than one bit of CUT is set"),
        Field(name="LOG_NOT_EMPTY", low=1, width=1, meaning="LOG holds an entry"),
        Field(name="ENTRIES_LOST", low=2, width=1, meaning="LOG_LOST is not 0"),
    ),
    register(
        Register.LOG,
        "oldest entry of the error log; 0 when there is none",
        Field(name="DESTINATION", low=0, width=10, meaning=""),
        Field(name="REASON", low=12, width=REASON_BITS, meaning="reason code"),
        Field(name="PORT", low=16, width=REASON_BITS, meaning=""),
        Field(name="LANE", low=20, width=REASON_BITS, meaning=""),
        Field(name="VALID", low=31, width=1, meaning="there is an entry"),
        on_write="removes the entry, whatever the value",
    ),
    register(Register.LOG_LOST, "reports that were not logged because the log was full"),
    register(Register.CUT, "", _VECTOR),
    register(Register.REPORTS, "reports with reason code r", index="reason", count=1 << REASON_BITS),
    register(Register.MESSAGES_IN, index="port", count=0),
    register(Register.MESSAGES_OUT, index="port", count=0),
    register(Register.WORDS_OUT, index="port", count=0),
    register(Register.WAITED, index="port", count=0),
)
"""Every register, for any parameters: a width of 0 stands for n, a count of 0 for n + 1, the ports of a router."""


def _absent(control: Control) -> set[str]:
    """Return what is not there with these parameters: ``"REGISTER"`` or ``"REGISTER.FIELD"``; all of it reads 0."""
    absent = set()
    if not control.log_depth:
        absent |= {"LOG", "STATUS.LOG_NOT_EMPTY"}
    if not control.counter_bits:
        absent |= {entry.name for entry in REGISTERS if entry.index}
    if not control.counts_lost:
        absent |= {"LOG_LOST", "STATUS.ENTRIES_LOST"}
    return absent


def register_map(control: Control, entries: tuple[Entry, ...] = REGISTERS) -> tuple[Entry, ...]:
    """Return every register that there is with these parameters, as it is with them.

    Parameters
    ----------
    control : Control
        What the control port is made for.
    entries : tuple of Entry
        :data:`REGISTERS`, or the same in a router's own words.
    """
    absent, found = _absent(control), []
    for entry in entries:
        if entry.name in absent:
            continue
        fields = tuple(
            dataclasses.replace(field, width=field.width or control.dim)
            for field in entry.fields
            if f"{entry.name}.{field.name}" not in absent
        )
        entry = dataclasses.replace(entry, fields=fields, count=entry.count or control.ports)
        if entry.name == Register.FAULT.name and not control.fault_tolerant:
            entry = dataclasses.replace(entry, access="R", on_write="")
        found.append(entry)
    return tuple(found)


def plain(control: Control, entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """Return registers of a router as plain values, for the JSON description."""
    bits = control.counter_bits
    return registers.plain(entries, f"counter of {bits} bits, which wraps", bits)


def c_header(
    control: Control,
    entries: Sequence[Entry],
    reasons: type[IntEnum],
    parameters: dict[str, Any],
    sizes: Sequence[tuple[str, str, str]] = (),
    name: str = "cubecast",
) -> str:
    """Return registers of a router as a C header: offsets, numbers, masks, shifts and reason codes.

    Parameters
    ----------
    control : Control
        What the control port is made for.
    entries : sequence of Entry
        Its registers, as :func:`register_map` returns them.
    reasons : class
        Reason codes of the router.
    parameters : dict
        Parameters of the router; they are in the header's first comment.
    sizes : sequence
        Further macros at the start: name, value, meaning.
    name : str
        First word of all macros, which have it in capitals.
    """
    ports = (
        ("PORTS", f"{control.ports}u", "ports of a router: n links and the local port"),
        ("LOCAL_PORT", f"{control.local}u", "the local port"),
        ("COUNTER_BITS", f"{control.counter_bits}u", "bits of a counter, which wraps; 0: there are none"),
    )
    return registers.c_header(
        entries,
        title="Registers of a cubecast router.",
        parameters=parameters,
        word="address on the plain control port, index into an array of uint32_t",
        prefix=name.upper(),
        nodes=1 << control.dim,
        letters=LETTERS,
        sizes=(*ports, *sizes),
        codes={"Reason codes": registers.macros("REASON", reasons)},
    )


class RegisterTexts:
    """What is made of a router's registers, in its own words.

    Parameters
    ----------
    meanings : mapping
        What registers and fields mean, where that is not the same in all routers.
    reasons : class
        Reason codes of the router.
    sizes : function
        Returns further macros of the C header for parameters of the router: name, value, meaning.
    """

    def __init__(
        self,
        meanings: Mapping[str, str],
        reasons: type[IntEnum],
        sizes: Callable[[Any], Sequence[tuple[str, str, str]]],
    ) -> None:
        self.entries = worded(REGISTERS, meanings)
        self._reasons, self._sizes = reasons, sizes

    def register_map(self, config: Any) -> tuple[Entry, ...]:
        """Return every register that there is with these parameters of a router, as it is with them."""
        return register_map(config.control, self.entries)

    def plain(self, config: Any) -> list[dict[str, Any]]:
        """Return the register map as plain values, for the JSON description."""
        return plain(config.control, self.register_map(config))

    def c_header(self, config: Any, name: str = "cubecast") -> str:
        """Return the register map as a C header: sizes, offsets, numbers, masks, shifts and reason codes.

        Parameters
        ----------
        config : configuration
            Parameters of the router.
        name : str
            First word of all macros, which have it in capitals.
        """
        entries, sizes = self.register_map(config), self._sizes(config)
        return c_header(config.control, entries, self._reasons, config.to_json(), sizes, name)
