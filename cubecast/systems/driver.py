"""C files for a processor: the driver of a unit, made from its register table, and the names in C text."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from cubecast.golden.common.contract.axi import Stream
from cubecast.golden.common.contract.registers import Entry, define

__all__ = ["MESSAGES", "driver", "named"]

HERE = Path(__file__).parent

MESSAGES = ("messages.h", "messages.c")
"""Texts in the folder of a system with its functions for messages."""


def named(text: str, name: str) -> str:
    """Return a C text with the names of functions, types, files and macros that begin with another word."""
    lower = re.sub(r"\bcubecast(?=_)", lambda found: name, text)
    return re.sub(r"\bCUBECAST(?=_)", lambda found: name.upper(), lower)


def driver(
    name: str,
    device: str,
    registers: str,
    parameters: Mapping[str, Any],
    entries: Iterable[Entry],
    *,
    streams: Iterable[Stream] = (),
    folder: Path | None = None,
    numbers: bool = True,
    sizes: Mapping[str, int] | None = None,
) -> dict[str, str]:
    """Return header and C file of a driver, by name.

    Parameters
    ----------
    name : str
        First word of the names of files and functions, and in capitals of macros.
    device : str
        What is driven: ``router`` has ``cubecast_router.h``, whose functions begin with ``cubecast_router_``.
    registers : str
        What the macros of its registers begin with, ``cubecast`` included; in small letters their header does.
    parameters : mapping
        What it is made for.
    entries : iterable of Entry
        Its registers.
    streams : iterable of Stream
        The streams that its messages go over, one each way; none: there are no functions for messages.
    folder : Path, optional
        The folder with their texts.
    numbers : bool
        Whether a message has words that are a number, such as an address.
    sizes : mapping
        Further macros.
    """
    entries = tuple(entries)
    head, body = [_text("device.h")], [_text("device.c")]
    for stream in streams:
        way = "SEND" if stream.into else "RECEIVE"
        for field, part in stream.user.items():
            start = f"{way}_{field.upper()}"
            head.append(define("CUBECAST_DEVICE", f"{start}_SHIFT", f"{part.low}u") + "\n")
            head.append(define("CUBECAST_DEVICE", f"{start}_MASK", f"0x{(1 << part.bits) - 1 << part.low:x}u") + "\n")
    head += [define("CUBECAST_DEVICE", size, f"{value}u") + "\n" for size, value in (sizes or {}).items()]
    head.append("\n/* Registers */\n")
    for entry in entries:
        for declared, does in _accessors(entry):
            head.append(f"{declared};\n")
            body.append(f"{declared}\n{{\n    {does}\n}}\n\n")
    if device == "router":
        head.append(_text("router.h"))
        body.append(_text("router.c").removeprefix("\n"))
    if folder:
        head.append((folder / MESSAGES[0]).read_text())
        body += ["\n" if device == "router" else "", _text("words.c"), _text("number.c") if numbers else ""]
        body.append((folder / MESSAGES[1]).read_text())
    head.append("\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n")
    shown = textwrap.wrap(", ".join(f"{key}={value}" for key, value in parameters.items()), 110)
    said = "/* " + "\n * ".join([f"Driver of a cubecast {device}.", *shown]) + " */\n"
    return {
        f"{name}_{device}.{end}": said + named(_placed("".join(parts), device, registers), name)
        for end, parts in (("h", head), ("c", body))
    }


def _text(file: str) -> str:
    """Return a text that drivers share; it stands beside this file."""
    return (HERE / f"driver_{file}").read_text()


def _placed(text: str, device: str, registers: str) -> str:
    """Return a text with the names of a device and of its registers."""
    places = {
        "cubecast_device_regs.h": f"{registers}_regs.h",
        "CUBECAST_REGS": registers.upper(),
        "cubecast_device": f"cubecast_{device}",
        "CUBECAST_DEVICE": f"CUBECAST_{device.upper()}",
    }
    for place, value in places.items():
        text = text.replace(place, value)
    return text


def _accessors(entry: Entry) -> list[tuple[str, str]]:
    """Return the functions of a register: declaration, and what it does."""
    index, call = (f", uint32_t {entry.index}", f"({entry.index})") if entry.index else ("", "")
    word, given = f"CUBECAST_REGS_{entry.name}_WORD{call}", f"const cubecast_device *device{index}"
    low = entry.name.lower()
    found = [(f"uint32_t cubecast_device_get_{low}({given})", f"return cubecast_device_get(device, {word});")]
    if "W" in entry.access:
        declared = f"void cubecast_device_set_{low}({given}, uint32_t value)"
        found.append((declared, f"cubecast_device_put(device, {word}, value);"))
    return found
