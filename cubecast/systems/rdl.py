"""Registers of a unit in SystemRDL 2.0, of which PeakRDL makes C headers, HTML pages, IP-XACT and more."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from cubecast.golden.common.contract.registers import BYTES

__all__ = ["rdl", "tables"]

BITS = 8 * BYTES

SETS = "sets"
"""What the text about a write begins with where the register then reads what was written."""

SETS_ONES = "sets it, if bit 0 is 1"
"""What it begins with where a 1 sets the only bit, and a 0 does nothing."""

CLEARS_ONES = re.compile(r"clears (?:the bits that are 1|(?P<fields>[A-Z_, and]+) where the value has a 1)")
"""Where a 1 clears a bit and a 0 does nothing: in all fields, or in those that are named, others being read alone."""


def tables(described: Mapping[str, Any]) -> dict[str, Sequence[Mapping[str, Any]]]:
    """Return the register tables of a description by their names, which end in ``registers``."""
    return {name: found for name, found in described.items() if name.endswith("registers") and found}


def rdl(described: Mapping[str, Any], name: str) -> str:
    """Return an address map for each register table of a unit: ``<name>_registers``, ``<name>_node_registers``, ...

    The main one, which a compiler takes unless it is told another, is the last.

    Parameters
    ----------
    described : mapping
        Description of the unit, as its JSON file has it.
    name : str
        Name of the unit's Verilog module.
    """
    ordered = sorted(tables(described).items(), key=lambda table: table[0] == "registers")
    return "\n".join(_address_map(f"{name}_{table}", entries) for table, entries in ordered)


def _address_map(name: str, entries: Sequence[Mapping[str, Any]]) -> str:
    """Return the address map of a table."""
    lines = [f"addrmap {name} {{", f"    default regwidth = {BITS};", f"    default accesswidth = {BITS};"]
    for entry in entries:
        lines += ["    reg {", f"        desc = {_quoted(_told(entry))};"]
        for field in entry["fields"]:
            high = field["low"] + field["width"] - 1
            reset = entry["reset"] >> field["low"] & (1 << field["width"]) - 1
            does = " ".join(
                f"{text};" for text in (*_access(entry, field["name"]), f"reset = {reset}", *_said(field["meaning"]))
            )
            lines.append(f"        field {{ {does} }} {field['name']}[{high}:{field['low']}];")
        array, step = (f"[{entry['count']}]", f" += {BYTES}") if entry["index"] else ("", "")
        lines.append(f"    }} {entry['name']}{array} @ 0x{entry['address'] * BYTES:x}{step};")
    return "\n".join([*lines, "};", ""])


def _told(entry: Mapping[str, Any]) -> str:
    """Return what a register means, and what a write does."""
    return f"{entry['meaning']}; a write {entry['on_write']}" if entry["on_write"] else entry["meaning"]


def _access(entry: Mapping[str, Any], field: str) -> tuple[str, ...]:
    """Return the properties of a field that say who reads and writes it, and what a written 1 does."""
    if entry["access"] == "R":
        return "sw = r", "hw = w"
    if entry["access"] == "W":
        return "sw = w", "hw = r"
    if cleared := CLEARS_ONES.match(entry["on_write"]):
        named = cleared["fields"]
        here = named is None or field in re.findall(r"[A-Z_]+", named)
        return ("sw = rw", "hw = rw", "onwrite = woclr") if here else ("sw = r", "hw = w")
    if entry["on_write"].startswith(SETS_ONES):
        return "sw = rw", "hw = r", "onwrite = woset"
    if entry["on_write"].startswith(SETS):
        return "sw = rw", "hw = r"
    return "sw = rw", "hw = rw"


def _said(meaning: str) -> tuple[str, ...]:
    """Return the property that holds a meaning, if there is one."""
    return (f"desc = {_quoted(meaning)}",) if meaning else ()


def _quoted(text: str) -> str:
    """Return a text as a string of SystemRDL."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
