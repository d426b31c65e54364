"""Register map of the control port: the one source of the RTL's address decoder, the C header, the JSON and the docs.

``python -m cubecast.golden.common.contract.registers > docs/registers.md`` writes the page of the docs.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import textwrap
from typing import Any

from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.message import Reason
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.packet import PacketReason

__all__ = [
    "BYTES",
    "COMMAND",
    "PACKET_REGISTERS",
    "REGISTERS",
    "Entry",
    "Field",
    "c_header",
    "known",
    "markdown",
    "meaning_of",
    "plain",
    "reasons",
    "register_map",
    "writable",
]

BYTES = 4
"""Bytes of a register; its byte address is its number times this."""

COMMAND = "python -m cubecast.golden.common.contract.registers > docs/registers.md"
"""The command that writes the page of the docs."""

_INDICES = {"reason": "r", "port": "p"}
"""What the entries of an array stand for, and the letter used for it."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Field:
    """Some bits of a register.

    Parameters
    ----------
    name : str
        Name of the field.
    low : int
        Its lowest bit.
    width : int
        Its bits; 0 stands for n, the dimension of the cube.
    meaning : str
        What they say.
    """

    name: str
    low: int
    width: int
    meaning: str

    @property
    def mask(self) -> int:
        """The ones of the field, in their place."""
        return (1 << self.width) - 1 << self.low


@dataclasses.dataclass(frozen=True, kw_only=True)
class Entry:
    """A register, or an array of registers.

    Parameters
    ----------
    name : str
        Its name.
    address : int
        Its number, which is its address on the plain control port; of an array, that of the first.
    meaning : str
        What it reads.
    access : str
        ``"R"`` or ``"RW"``.
    on_write : str
        What a write does; empty for ``"R"``.
    index : str
        What the entries of an array stand for, ``"reason"`` or ``"port"``; empty for a single register.
    count : int
        Number of registers; 0 stands for n + 1, the ports of a router.
    fields : tuple of Field
        Parts with a meaning of their own; none: the whole 32 bits are one number.
    """

    name: str
    address: int
    meaning: str
    access: str = "R"
    on_write: str = ""
    index: str = ""
    count: int = 1
    fields: tuple[Field, ...] = ()

    @property
    def offset(self) -> int:
        """Its byte address on AXI."""
        return self.address * BYTES


_VECTOR = "bit j: dimension j"

REGISTERS: tuple[Entry, ...] = (
    Entry(
        name="FAULT",
        address=0x00,
        access="RW",
        meaning="fault vector: bit j is 1 when the neighbour or the link in dimension j is faulty; "
        "fault-free format: always 0, read only",
        on_write="sets the vector; bits above n - 1 are ignored",
        fields=(Field(name="VECTOR", low=0, width=0, meaning=_VECTOR),),
    ),
    Entry(
        name="STATUS",
        address=0x01,
        meaning="flags, see below",
        fields=(
            Field(name="MULTIPLE_FAULTS", low=0, width=1, meaning="more than one bit of CUT is set"),
            Field(name="LOG_NOT_EMPTY", low=1, width=1, meaning="LOG holds an entry"),
            Field(name="ENTRIES_LOST", low=2, width=1, meaning="LOG_LOST is not 0"),
        ),
    ),
    Entry(
        name="LOG",
        address=0x02,
        access="RW",
        meaning="oldest entry of the error log; 0 when there is none",
        on_write="removes the entry, whatever the value",
        fields=(
            Field(
                name="DESTINATION",
                low=0,
                width=10,
                meaning="destination concerned, for COPY_CUT the neighbour; 0 for a malformed message and INPUT_CUT",
            ),
            Field(name="REASON", low=12, width=4, meaning="reason code"),
            Field(name="PORT", low=16, width=4, meaning="port whose message handling unit reports; n: injection"),
            Field(name="LANE", low=20, width=4, meaning="lane of that unit"),
            Field(name="VALID", low=31, width=1, meaning="there is an entry"),
        ),
    ),
    Entry(name="LOG_LOST", address=0x03, meaning="reports that were not logged because the log was full"),
    Entry(
        name="CUT",
        address=0x04,
        meaning="links out of use: bit j is 1 from the clock after bit j of FAULT is set here or in the neighbour "
        "in dimension j",
        fields=(Field(name="VECTOR", low=0, width=0, meaning=_VECTOR),),
    ),
    Entry(name="REPORTS", address=0x10, index="reason", count=16, meaning="reports with reason code r"),
    Entry(
        name="MESSAGES_IN",
        address=0x20,
        index="port",
        count=0,
        meaning="messages taken at port p, malformed ones included; p = n: injection",
    ),
    Entry(
        name="MESSAGES_OUT",
        address=0x30,
        index="port",
        count=0,
        meaning="messages that left through port p; p = n: local deliveries",
    ),
    Entry(name="WORDS_OUT", address=0x40, index="port", count=0, meaning="words that left through port p"),
    Entry(
        name="WAITED",
        address=0x50,
        index="port",
        count=0,
        meaning="clocks in which a word for port p stood ready and could not go",
    ),
)
"""Every register, for any parameters: where a width or a count depends on n, it is 0."""


_PACKET_MEANINGS = {
    "FAULT": "fault vector: bit j is 1 when the neighbour or the link in dimension j is faulty; "
    "without fault tolerance: always 0, read only",
    "CUT": "FAULT, one clock later",
    "MESSAGES_IN": "packets whose head packet buffer unit p took; p = n: packets injected, a broadcast once for all "
    "slots that took its last word in the same clock",
    "MESSAGES_OUT": "packets that left through port p whole; p = n: to the node",
    "WORDS_OUT": "heads and words that left through port p",
    "WAITED": "clocks in which a packet for port p had to wait, for another one or for room behind the port",
    "LOG.DESTINATION": "destination concerned, of a broadcast its source",
    "LOG.PORT": "dimension of the unit that reports",
    "LOG.LANE": "that unit: 0 packet buffer unit, 1 crossbar output, 2 buffer slot",
}
"""What registers and fields mean in the packet router, where that is not the same as in the multicast router."""


def _packet(entry: Entry) -> Entry:
    """Return a register as it is in the packet router."""
    fields = tuple(
        dataclasses.replace(field, meaning=_PACKET_MEANINGS.get(f"{entry.name}.{field.name}", field.meaning))
        for field in entry.fields
    )
    return dataclasses.replace(entry, meaning=_PACKET_MEANINGS.get(entry.name, entry.meaning), fields=fields)


PACKET_REGISTERS: tuple[Entry, ...] = tuple(map(_packet, REGISTERS))
"""Every register of the packet router: names and numbers are the same."""


def register_map(config: Config | PacketConfig) -> tuple[Entry, ...]:
    """Return every register as it is with these parameters.

    Parameters
    ----------
    config : Config or PacketConfig
        Parameters of the router.
    """
    entries = []
    for entry in PACKET_REGISTERS if isinstance(config, PacketConfig) else REGISTERS:
        fields = tuple(dataclasses.replace(field, width=field.width or config.dim) for field in entry.fields)
        found = dataclasses.replace(entry, fields=fields, count=entry.count or config.ports)
        if entry.name == "FAULT" and not config.fault_tolerant:
            found = dataclasses.replace(found, access="R", on_write="")
        entries.append(found)
    return tuple(entries)


def reasons(config: Config | PacketConfig) -> type[Reason] | type[PacketReason]:
    """Return the reason codes of the router."""
    return PacketReason if isinstance(config, PacketConfig) else Reason


def known(config: Config | PacketConfig) -> tuple[int, ...]:
    """Return the addresses on the plain control port that have a register, ascending."""
    return tuple(entry.address + place for entry in register_map(config) for place in range(entry.count))


def writable(config: Config | PacketConfig) -> tuple[int, ...]:
    """Return the addresses on the plain control port whose register can be written, ascending."""
    return tuple(entry.address for entry in register_map(config) if "W" in entry.access)


def plain(config: Config | PacketConfig) -> list[dict[str, Any]]:
    """Return the register map as plain values, for the JSON description."""
    return [
        {
            "name": entry.name,
            "address": entry.address,
            "byte_offset": entry.offset,
            "access": entry.access,
            "count": entry.count,
            "index": entry.index or None,
            "meaning": entry.meaning,
            "on_write": entry.on_write or None,
            "fields": [
                {"name": field.name, "low": field.low, "width": field.width, "meaning": field.meaning}
                for field in entry.fields or (_number(entry),)
            ],
        }
        for entry in register_map(config)
    ]


def _number(entry: Entry) -> Field:
    """Return the one field of a register that is a number."""
    return Field(name=entry.name, low=0, width=32, meaning="counter of 32 bits, which wraps")


def meaning_of(reason: Reason | PacketReason) -> str:
    """Return what a reason code says: the text below it in the class of the code, as plain words."""
    (body,) = ast.parse(textwrap.dedent(inspect.getsource(type(reason)))).body
    texts: dict[str, str] = {}
    name = ""
    for line in body.body if isinstance(body, ast.ClassDef) else ():
        if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name):
            name = line.targets[0].id
        elif isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant) and name:
            texts[name] = inspect.cleandoc(str(line.value.value))
    text = " ".join(texts.get(reason.name, "nothing.").replace("``", "").replace("**", "^").split())
    return text[0].lower() + text[1:].removesuffix(".")


def markdown() -> str:
    """Return the page of the docs."""
    lines = [
        "# Registers",
        "",
        f"This page is written by `{COMMAND}`; the source is `golden/common/contract/registers.py`.",
        "",
        "A router's registers as its control port has them. The *number* is the address on the plain control port "
        "(`control__address`), the *offset* the byte",
        "address on [AXI4-Lite](axi.md). Every register has 32 bits and is 0 after reset. Counters wrap. "
        "n is the dimension of the cube; port j < n is the link in dimension j,",
        "port n the local one.",
        "",
        "Where no register is, and in bits without a meaning, 0 is read. A write where no register is, or to a "
        "register that is only read, does nothing.",
        "AXI4-Lite answers SLVERR to such a write, and to a read where no register is.",
        "",
        "| number | offset | name | access | reads | a write |",
        "|---|---|---|---|---|---|",
    ]
    for entry in REGISTERS:
        letter = _INDICES.get(entry.index, "")
        number, offset = f"0x{entry.address:02x}", f"0x{entry.offset:03x}"
        if letter:
            number, offset = f"{number} + {letter}", f"{offset} + {BYTES}{letter}"
        cells = (number, offset, entry.name, entry.access, entry.meaning, entry.on_write)
        lines.append("| " + " | ".join(cells) + " |")
    lines += ["", "r is a reason code, 0 to 15; p a port, 0 to n.", "", "## Fields", ""]
    lines += _field_rows(REGISTERS)
    lines += ["", "The other registers are one number of 32 bits.", "", "## Reason codes", ""]
    lines += ["In LOG, and as r of REPORTS.", "", *_reason_rows(Reason), "", "## Packet router", ""]
    lines += ["The [packet router](packet.md) has the same registers and fields at the same numbers. These mean:", ""]
    lines += ["| name | reads |", "|---|---|"]
    lines += [f"| {name.replace('.', ', ')} | {meaning} |" for name, meaning in _PACKET_MEANINGS.items()]
    lines += ["", "Its reason codes:", "", *_reason_rows(PacketReason)]
    return "\n".join([*lines, ""])


def _field_rows(entries: tuple[Entry, ...]) -> list[str]:
    """Return the table of the fields."""
    lines = ["| register | bits | field | meaning |", "|---|---|---|---|"]
    for entry in entries:
        for field in entry.fields:
            high = str(field.low + field.width - 1) if field.width else "n - 1"
            bits = str(field.low) if field.width == 1 else f"{high}..{field.low}"
            lines.append(f"| {entry.name} | {bits} | {field.name} | {field.meaning} |")
    return lines


def _reason_rows(kind: type[Reason] | type[PacketReason]) -> list[str]:
    """Return the table of reason codes."""
    lines = ["| code | name | meaning |", "|---|---|---|"]
    return lines + [f"| {reason.value} | {reason.name} | {meaning_of(reason)} |" for reason in kind if reason]


def c_header(config: Config | PacketConfig) -> str:
    """Return the register map as a C header: offsets, numbers, masks, shifts and reason codes.

    Parameters
    ----------
    config : Config or PacketConfig
        Parameters of the router; they are in the header's first comment.
    """
    parameters = ", ".join(f"{key}={value}" for key, value in config.to_json().items())
    lines = [
        "/* Registers of a cubecast router.",
        *(f" * {line}" for line in textwrap.wrap(parameters, 110)),
        " *",
        " * ..._WORD    number of the register: address on the plain control port, index into an array of uint32_t",
        " * ..._OFFSET  byte offset on AXI4-Lite",
        " * ..._MASK, ..._SHIFT  a field's bits in their place, and its lowest bit",
        " */",
        "#ifndef CUBECAST_REGS_H",
        "#define CUBECAST_REGS_H",
        "",
        *_define("DIM", f"{config.dim}u", "dimension n of the cube"),
        *_define("PORTS", f"{config.ports}u", "ports of a router: n links and the local port"),
        *_define("LOCAL_PORT", f"{config.local}u", "the local port"),
    ]
    if isinstance(config, Config):
        lines += _define("BROADCAST_K", f"{config.broadcast_k}u", "field k of a broadcast")
    for entry in register_map(config):
        text = f"{entry.name}, {entry.access}: {entry.meaning}"
        text += f"; a write {entry.on_write}" if entry.on_write else ""
        lines += ["", "/* " + "\n * ".join(textwrap.wrap(text, 110)) + " */"]
        if entry.index:
            letter = _INDICES[entry.index]
            lines += _define(f"{entry.name}_WORD({letter})", f"(0x{entry.address:02x}u + ({letter}))")
            lines += _define(f"{entry.name}_OFFSET({letter})", f"(0x{entry.offset:03x}u + {BYTES}u * ({letter}))")
            lines += _define(f"{entry.name}_COUNT", f"{entry.count}u")
        else:
            lines += _define(f"{entry.name}_WORD", f"0x{entry.address:02x}u")
            lines += _define(f"{entry.name}_OFFSET", f"0x{entry.offset:03x}u")
        for field in entry.fields:
            name = f"{entry.name}_{field.name}"
            lines += _define(f"{name}_MASK", f"0x{field.mask:08x}u", field.meaning)
            lines += _define(f"{name}_SHIFT", f"{field.low}")
    lines += ["", "/* Reason codes */"]
    for reason in reasons(config):
        lines += _define(f"REASON_{reason.name}", f"{reason.value}u", meaning_of(reason))
    return "\n".join([*lines, "", "#endif", ""])


def _define(name: str, value: str, meaning: str = "") -> list[str]:
    """Return the line that defines a macro."""
    line = f"#define CUBECAST_{name} {value}"
    return [f"{line} /* {meaning} */" if meaning else line]


if __name__ == "__main__":
    print(markdown(), end="")
