"""Registers of a unit in SystemRDL 2.0, of which PeakRDL makes C headers, HTML pages, IP-XACT and more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cubecast.golden.common.contract.registers import BYTES

__all__ = ["rdl", "tables"]

BITS = 8 * BYTES

SETS = "sets"
"""What the text about a write begins with where the register then reads what was written."""


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
            does = " ".join(f"{text};" for text in (*_access(entry), f"reset = {reset}", *_said(field["meaning"])))
            lines.append(f"        field {{ {does} }} {field['name']}[{high}:{field['low']}];")
        array, step = (f"[{entry['count']}]", f" += {BYTES}") if entry["index"] else ("", "")
        lines.append(f"    }} {entry['name']}{array} @ 0x{entry['address'] * BYTES:x}{step};")
    return "\n".join([*lines, "};", ""])


def _told(entry: Mapping[str, Any]) -> str:
    """Return what a register means, and what a write does."""
    return f"{entry['meaning']}; a write {entry['on_write']}" if entry["on_write"] else entry["meaning"]


def _access(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the properties of a field that say who reads and writes it."""
    if entry["access"] == "R":
        return "sw = r", "hw = w"
    if entry["access"] == "W":
        return "sw = w", "hw = r"
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
