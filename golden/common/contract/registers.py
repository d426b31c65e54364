"""Registers: what a table of them says, and the texts that are made from it for C, C++, JSON and the docs."""

from __future__ import annotations

import ast
import dataclasses
import enum
import functools
import hashlib
import inspect
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

__all__ = [
    "BYTES",
    "Entry",
    "Field",
    "Partial",
    "addresses",
    "c_header",
    "cpp_header",
    "define",
    "field_rows",
    "known",
    "macros",
    "meaning_of",
    "plain",
    "reason_rows",
    "register",
    "register_rows",
    "worded",
    "writable",
]

BYTES = 4
"""Bytes of a register; its byte address is its number times this."""

LINE = 120
"""Columns that a line of a header has at most."""


class Partial(enum.Enum):
    """What a write of some bytes over AXI4-Lite does about the others: what the docs say of it."""

    KEPT = ""
    """They keep their value: what the register reads is written."""
    ZEROED = "a byte that is not strobed counts as 0"
    """For registers in which a 1 does something."""
    REFUSED = "refused unless all bytes are strobed"
    """For registers that read something else than what is written."""


@dataclasses.dataclass(frozen=True)
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
        ``"R"``, ``"RW"``, or ``"W"``: it reads 0.
    on_write : str
        What a write does; empty for ``"R"``.
    partial : Partial
        What a write of some bytes does over AXI4-Lite.
    index : str
        What the entries of an array stand for, such as ``"port"``; empty for a single register.
    count : int
        Number of registers; 0 stands for n + 1, the ports of a router.
    fields : tuple of Field
        Parts with a meaning of their own; none: the whole 32 bits are one number.
    reset : int
        What it reads after reset, before anything comes in; each of an array.
    reset_of : str
        Name of the parameter that ``reset`` is; empty: it is the same for any parameters.
    """

    name: str
    address: int
    meaning: str
    access: str = "R"
    on_write: str = ""
    partial: Partial = Partial.KEPT
    index: str = ""
    count: int = 1
    fields: tuple[Field, ...] = ()
    reset: int = 0
    reset_of: str = ""

    @property
    def offset(self) -> int:
        """Its byte address on AXI."""
        return self.address * BYTES

    @property
    def effect(self) -> str:
        """What a write does, and what one of some bytes does if that is not the usual."""
        return "; ".join(text for text in (self.on_write, self.partial.value) if text)

    @property
    def addresses(self) -> range:
        """Its number, or those of the array."""
        return range(self.address, self.address + self.count)

    def field(self, name: str) -> Field:
        """Return a field by its name; ``KeyError`` if there is none."""
        return {field.name: field for field in self.fields}[name]

    def pack(self, **values: int) -> int:
        """Return the register's value with these values of fields, by their names in lower case."""
        fields = {field.name.lower(): field for field in self.fields}
        return sum(value << fields[name].low for name, value in values.items())

    def unpack(self, value: int) -> dict[str, int]:
        """Return the values of the fields, by their names in lower case."""
        return {field.name.lower(): (value & field.mask) >> field.low for field in self.fields}


def register(
    number: enum.IntEnum,
    meaning: str = "",
    *fields: Field,
    on_write: str = "",
    partial: Partial = Partial.KEPT,
    index: str = "",
    count: int = 1,
    reset: int = 0,
    reset_of: str = "",
) -> Entry:
    """Return the register of a number; one that a write does something to can be written."""
    return Entry(
        name=number.name,
        address=number,
        meaning=meaning,
        access="RW" if on_write else "R",
        on_write=on_write,
        partial=partial,
        index=index,
        count=count,
        fields=fields,
        reset=reset,
        reset_of=reset_of,
    )


def worded(entries: Iterable[Entry], meanings: Mapping[str, str]) -> tuple[Entry, ...]:
    """Return registers with other meanings, by ``"REGISTER"`` or ``"REGISTER.FIELD"``; ``KeyError`` for others."""
    left = dict(meanings)
    found = []
    for entry in entries:
        fields = tuple(
            dataclasses.replace(field, meaning=left.pop(f"{entry.name}.{field.name}", field.meaning))
            for field in entry.fields
        )
        found.append(dataclasses.replace(entry, meaning=left.pop(entry.name, entry.meaning), fields=fields))
    if left:
        raise KeyError(f"no such register or field: {', '.join(left)}")
    return tuple(found)


def known(entries: Iterable[Entry]) -> tuple[int, ...]:
    """Return the numbers that have a register, ascending."""
    return tuple(sorted(address for entry in entries for address in entry.addresses))


def writable(entries: Iterable[Entry]) -> tuple[int, ...]:
    """Return the numbers whose register can be written, ascending."""
    return tuple(sorted(address for entry in entries if "W" in entry.access for address in entry.addresses))


def addresses(entries: Iterable[Entry]) -> dict[str, int]:
    """Return the number of every register by its name, ``SEND_0`` and so on for those of an array."""
    found: dict[str, int] = {}
    for entry in entries:
        names = [f"{entry.name}_{place}" for place in range(entry.count)] if entry.index else [entry.name]
        found |= dict(zip(names, entry.addresses, strict=True))
    return found


def plain(entries: Iterable[Entry], counter: str, bits: int = 32) -> list[dict[str, Any]]:
    """Return registers as plain values, for the JSON description.

    Parameters
    ----------
    entries : iterable of Entry
        The registers.
    counter : str
        Meaning of a register without fields.
    bits : int
        Its width.
    """
    return [
        {
            "name": entry.name,
            "address": entry.address,
            "byte_offset": entry.offset,
            "access": entry.access,
            "count": entry.count,
            "index": entry.index or None,
            "meaning": entry.meaning,
            "on_write": entry.effect or None,
            "reset": entry.reset,
            "fields": [
                {"name": field.name, "low": field.low, "width": field.width, "meaning": field.meaning}
                for field in entry.fields or (Field(name=entry.name, low=0, width=bits, meaning=counter),)
            ],
        }
        for entry in entries
    ]


def meaning_of(reason: enum.Enum) -> str:
    """Return what a reason code says: the text below it in the class of the code, as plain words."""
    text = _texts_below(type(reason)).get(reason.name, "nothing.")
    text = " ".join(text.replace("``", "").replace("**", "^").split())
    return text[0].lower() + text[1:].removesuffix(".")


@functools.cache
def _texts_below(kind: type[enum.Enum]) -> dict[str, str]:
    """Return the texts below the members of a class in its source, by the members' names."""
    (body,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    texts: dict[str, str] = {}
    name = ""
    for line in body.body if isinstance(body, ast.ClassDef) else ():
        if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name):
            name = line.targets[0].id
        elif isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant) and name:
            texts[name] = inspect.cleandoc(str(line.value.value))
    return texts


def register_rows(entries: Iterable[Entry], letters: Mapping[str, str]) -> list[str]:
    """Return the table of registers for the docs.

    Parameters
    ----------
    entries : iterable of Entry
        The registers.
    letters : dict
        The letter used for what the entries of an array stand for.
    """
    lines = ["| number | offset | name | access | reset | reads | a write |", "|---|---|---|---|---|---|---|"]
    for entry in entries:
        number, offset = f"0x{entry.address:02x}", f"0x{entry.offset:03x}"
        if entry.index:
            letter = letters[entry.index]
            number, offset = f"{number} + {letter}", f"{offset} + {BYTES}{letter}"
        reset = f"`{entry.reset_of}`" if entry.reset_of else f"0x{entry.reset:x}" if entry.reset else "0"
        cells = (number, offset, entry.name, entry.access, reset, entry.meaning, entry.effect)
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def field_rows(entries: Iterable[Entry]) -> list[str]:
    """Return the table of fields for the docs."""
    lines = ["| register | bits | field | meaning |", "|---|---|---|---|"]
    for entry in entries:
        for field in entry.fields:
            high = str(field.low + field.width - 1) if field.width else "n - 1"
            bits = str(field.low) if field.width == 1 else f"{high}..{field.low}"
            lines.append(f"| {entry.name} | {bits} | {field.name} | {field.meaning} |")
    return lines


def reason_rows(kind: type[enum.IntEnum]) -> list[str]:
    """Return the table of reason codes for the docs."""
    lines = ["| code | name | meaning |", "|---|---|---|"]
    return lines + [f"| {reason.value} | {reason.name} | {meaning_of(reason)} |" for reason in kind if reason]


def define(prefix: str, name: str, value: str, meaning: str = "") -> str:
    """Return what defines a macro of C: a line, and above it the meaning where the line has no room."""
    line = f"#define {prefix}_{name} {value}"
    if len(line) + len(meaning) > LINE - len(" /*  */"):
        return "\n".join([_comment(meaning), line])
    return f"{line} /* {meaning} */" if meaning else line


def _comment(text: str) -> str:
    """Return a comment of C, of as many lines as it takes."""
    return "/* " + "\n * ".join(textwrap.wrap(text, 110)) + " */"


def macros(prefix: str, kind: type[enum.IntEnum]) -> list[tuple[str, str, str]]:
    """Return the codes of a kind as macros of C: name, value, meaning."""
    return [(f"{prefix}_{code.name}", f"{code.value}u", meaning_of(code)) for code in kind]


def c_header(
    entries: Iterable[Entry],
    *,
    title: str,
    parameters: Mapping[str, Any],
    word: str = "its address on the plain port",
    prefix: str,
    nodes: int,
    letters: Mapping[str, str] | None = None,
    sizes: Sequence[tuple[str, str, str]] = (),
    codes: Mapping[str, Sequence[tuple[str, str, str]]],
) -> str:
    """Return registers as a C header: numbers, offsets, values after reset, masks, shifts and codes.

    Parameters
    ----------
    entries : iterable of Entry
        The registers.
    title : str
        First line of the header's first comment.
    parameters : dict
        What the registers are made for; the rest of that comment.
    word : str
        What a register's number is.
    prefix : str
        Start of all macros; the header's guard is it and ``_REGS_H``, whose value is a digest of the header, so that
        two different headers with one prefix are an error of the C compiler.
    nodes : int
        Nodes of the cube.
    letters : dict, optional
        The letter used for what the entries of an array stand for; without, it is i.
    sizes : sequence
        Macros at the start: name, value, meaning. Those of all parameters follow them.
    codes : dict
        Macros at the end, by the comment above them.
    """
    shown = ", ".join(f"{key}={value}" for key, value in parameters.items())
    head = [
        f"/* {title}",
        *(f" * {line}" for line in textwrap.wrap(shown, 110)),
        " *",
        f" * ..._WORD    number of the register: {word}",
        " * ..._OFFSET  byte offset, where the registers are on AXI4-Lite",
        " * ..._RESET   what the register reads after reset",
        " * ..._MASK, ..._SHIFT  a field's bits in their place, and its lowest bit",
        " */",
    ]
    lines = [
        define(prefix, "NODES", f"{nodes}u", "nodes of the cube, 2^n with n = DIM"),
        *(define(prefix, *size) for size in sizes),
        "",
        "/* Parameters */",
        *(define(prefix, key.upper(), _constant(value)) for key, value in parameters.items()),
    ]
    for entry in entries:
        text = f"{entry.name}, {entry.access}: {entry.meaning}"
        text += f"; a write {entry.effect}" if entry.on_write else ""
        lines += ["", _comment(text)]
        i = (letters or {}).get(entry.index, "i") if entry.index else ""
        call, plus = (f"({i})", f" + ({i})") if i else ("", "")
        number, offset = f"0x{entry.address:02x}u", f"0x{entry.offset:03x}u"
        note = f"{i}: {entry.index}" if i and not letters else ""
        lines.append(define(prefix, f"{entry.name}_WORD{call}", f"({number}{plus})" if i else number, note))
        each = f" + {BYTES}u * ({i})"
        lines.append(define(prefix, f"{entry.name}_OFFSET{call}", f"({offset}{each})" if i else offset))
        lines.append(define(prefix, f"{entry.name}_RESET", f"0x{entry.reset:08x}u"))
        if i:
            lines.append(define(prefix, f"{entry.name}_COUNT", f"{entry.count}u"))
        for field in entry.fields:
            name = f"{entry.name}_{field.name}"
            lines.append(define(prefix, f"{name}_MASK", f"0x{field.mask:08x}u", field.meaning))
            lines.append(define(prefix, f"{name}_SHIFT", f"{field.low}"))
    for comment, macros in codes.items():
        lines += ["", f"/* {comment} */", *(define(prefix, *macro) for macro in macros)]
    digest = hashlib.sha256("\n".join([*head, *lines]).encode()).hexdigest()[:8]
    guard = [
        f"#ifdef {prefix}_REGS_H",
        f"#if {prefix}_REGS_H != 0x{digest}",
        f'#error "two different headers define {prefix}_...: generate one of them with --name"',
        "#endif",
        "#else",
        f"#define {prefix}_REGS_H 0x{digest}",
    ]
    return "\n".join([*head, *guard, "", *lines, "", "#endif", ""])


def _constant(value: Any) -> str:
    """Return a parameter's value as C writes it: a number, 0 or 1 for a truth value, or a text."""
    return f"{int(value)}u" if isinstance(value, int) else f'"{value}"'


def cpp_header(spaces: Mapping[str, Iterable[Entry]]) -> str:
    """Return the numbers of registers, and the shifts of their fields, as a C++ header: one ``enum`` per namespace.

    ``router::MESSAGES_IN`` is a register's number, that of the first one of an array, ``router::LOG_REASON_SHIFT`` and
    ``router::LOG_REASON_MASK`` place a field in its register.

    Parameters
    ----------
    spaces : dict
        Registers by the name of their namespace.
    """
    lines = [
        "// Numbers of registers and places of their fields, written from the tables of golden/*/contract.",
        "#pragma once",
    ]
    for space, entries in spaces.items():
        lines += ["", f"namespace {space} {{", "enum : unsigned {"]
        for entry in entries:
            lines.append(f"    {entry.name} = 0x{entry.address:02x},")
            for field in entry.fields:
                lines.append(f"    {entry.name}_{field.name}_SHIFT = {field.low},")
                lines.append(f"    {entry.name}_{field.name}_MASK = 0x{field.mask:08x},")
        lines += ["};", "}"]
    return "\n".join([*lines, ""])
