"""Modules: what the text of a Verilog design says about its modules, their ports and their instances."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

__all__ = [
    "Module",
    "Ports",
    "beside",
    "block_of",
    "blocks_of",
    "design_of",
    "lines_of",
    "module_of",
    "ports_of",
    "within",
]

NAME = r"(?:\\\S+|\w+)"
"""Pattern of a name; an escaped one ends with a blank, which the text has besides the one between two names."""

BLOCK_MODULE = 2_000
"""Lines of Verilog, every instance counted, that a hierarchical block has at least."""

BLOCK_COPIES = 4
"""Instances that a hierarchical block has at least."""


class Ports(NamedTuple):
    """The ports of a Verilog module: name to width in bits, without the cycle."""

    inputs: dict[str, int]
    outputs: dict[str, int]
    clocked: bool


class Module(NamedTuple):
    """What a reader of a module sees.

    Parameters
    ----------
    ports : tuple of str
        Its ports, in their order in the text, the clock among them.
    instances : dict
        Name of an instance to that of its module.
    labels : dict
        Name of a signal to the name of its enumeration, and the names of its values.
    """

    ports: tuple[str, ...]
    instances: dict[str, str]
    labels: dict[str, tuple[str, dict[int, str]]]


def design_of(verilog: str) -> dict[str, Module]:
    """Return all modules of a Verilog text as Amaranth writes it, by their names, escaped ones without backslash."""
    bodies = re.findall(r"^module (\\\S+|\w+)(.*?)^endmodule", verilog, re.M | re.S)
    names = {name.lstrip("\\") for name, _ in bodies}
    found = {}
    for name, body in bodies:
        ports = re.findall(r"^  (?:input|output) (?:wire |reg )?(?:signed )?(?:\[\d+:\d+\] )?(\w+);", body, re.M)
        placed = re.findall(rf"^  ({NAME}) +({NAME}) +\(", body, re.M)
        instances = {place.lstrip("\\"): unit.lstrip("\\") for unit, place in placed if unit.lstrip("\\") in names}
        found[name.lstrip("\\")] = Module(tuple(ports), instances, _labels(body))
    return found


def _labels(body: str) -> dict[str, tuple[str, dict[int, str]]]:
    """Return the names of values that attributes of a module's signals give them."""
    attributes = r"((?:^  \(\*[^\n]*\*\)\n)*)"
    named = r"^  \(\* enum_base_type = \"(\w+)\" \*\)\n"
    declared = r"^  (?:input|output|wire|reg) (?:signed )?(?:\[\d+:\d+\] )?(\\\S+|\w+)"
    found = {}
    for enumeration, rest, name in re.findall(named + attributes + declared, body, re.M):
        values = re.findall(r"\(\* enum_value_([01]+) = \"(\w+)\" \*\)", rest)
        found[name.lstrip("\\")] = enumeration, {int(value, 2): text for value, text in values}
    return found


def ports_of(verilog: str, top: str) -> Ports:
    """Read the ports of module ``top`` from Verilog text as Amaranth writes it."""
    found = re.search(rf"^\s*module\s+{re.escape(top)}\s*\(.*?^\s*endmodule", verilog, re.M | re.S)
    if not found:
        raise ValueError(f"top must name a module of the Verilog text, not {top!r}")
    inputs: dict[str, int] = {}
    outputs: dict[str, int] = {}
    pattern = r"^\s*(input|output)\s+(?:wire\s+|reg\s+)?(?:signed\s+)?(?:\[(\d+):(\d+)\]\s*)?(\w+)\s*;"
    for way, high, low, name in re.findall(pattern, found.group(), re.M):
        width = int(high) - int(low) + 1 if high else 1
        (inputs if way == "input" else outputs)[name] = width
    clocked = inputs.pop("clk", None) is not None
    return Ports(inputs, outputs, clocked)


def module_of(verilog: str, unit: str) -> str:
    """Return the name of the module that a unit is in a design, whatever digest of its parameters it ends with.

    Parameters
    ----------
    verilog : str
        All modules.
    unit : str
        The name between ``cubecast_`` and the digest, such as ``multicast_mhu``.

    Raises
    ------
    ValueError
        The design has no such module, or several with different parameters.
    """
    found = re.findall(rf"^\s*module\s+(cubecast_{re.escape(unit)}(?:_[0-9a-f]{{8}})?)\b", verilog, re.M)
    if len(found) != 1:
        raise ValueError(f"unit must be one that the design has with one set of parameters, not {unit!r}: {found}")
    return str(found[0])


def block_of(verilog: str, top: str, least: int) -> str | None:
    """Return the module that is worth translating once instead of once per instance; None below ``least`` lines.

    Verilator schedules and writes out every instance of a module anew, which takes minutes for a network; a module
    declared a hierarchical block is translated and compiled once.

    Parameters
    ----------
    verilog : str
        All modules.
    top : str
        Name of the top module.
    least : int
        Lines of Verilog, every instance counted, from which a design has a block at all.
    """
    modules = _modules(verilog)
    size = _size(modules)
    copies: Counter[str] = Counter()

    def count(name: str, times: int) -> None:
        copies[name] += times
        for child, each in modules[name][1].items():
            count(child, times * each)

    count(top, 1)
    if size(top) < least:
        return None
    often = [name for name in modules if copies[name] >= BLOCK_COPIES and re.fullmatch(r"\w+", name)]
    return max((name for name in often if size(name) >= BLOCK_MODULE), key=size, default=None)


def blocks_of(verilog: str, top: str, least: int, inner: int | None = None) -> list[str]:
    """Return the block of a design, the block in that one, and so on; parameters as in :func:`block_of`.

    ``inner`` is for blocks what ``least`` is for the design; None: the same.
    """
    block, inner = block_of(verilog, top, least), least if inner is None else inner
    return [] if block is None else [block, *blocks_of(verilog, block, inner)]


def lines_of(verilog: str, top: str) -> int:
    """Return the number of lines of a design, every instance counted."""
    return _size(_modules(verilog))(top)


def _size(modules: Mapping[str, tuple[int, Counter[str]]]) -> Callable[[str], int]:
    """Return the function that counts the lines of a module with everything in it."""

    @functools.cache
    def size(name: str) -> int:
        lines, inside = modules[name]
        return lines + sum(count * size(child) for child, count in inside.items())

    return size


def within(verilog: str, top: str, closed: Collection[str] = ()) -> str:
    """Return the modules that a module is made of, in the order of the text.

    Parameters
    ----------
    verilog : str
        All modules.
    top : str
        The module.
    closed : collection of str
        Modules inside it of which only the ports are of interest: they are empty, whatever the text has in them.
    """
    modules = _modules(verilog)
    needed: set[str] = set()
    waiting = [top]
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            waiting += () if name in closed else modules[name][1]
    texts = []
    for text, name in re.findall(r"^(\s*module\s+(\\\S+|\w+).*?^\s*endmodule)", verilog, re.M | re.S):
        if name in closed and name in needed:
            ports = re.findall(r"^\s*(?:input|output)\b[^;]*;", text, re.M)
            texts.append("\n".join([text[: text.index(";") + 1], *ports, "endmodule"]))
        elif name in needed:
            texts.append(text)
    return "\n".join([*texts, ""])


def beside(texts: Mapping[str, str], top: str) -> str:
    """Return one design that holds several, side by side: module ``top`` with their ports and one cycle for all.

    Parameters
    ----------
    texts : dict
        Name of the instance to a design whose top module is ``top``; port ``a`` of ``u0`` becomes ``u0__a``.
    top : str
        Name of the top module of each, and of the result.
    """
    parts, declared, placed = [], ["  input clk;"], []
    names = ["clk"]
    for place, text in texts.items():
        ports = ports_of(text, top)
        wires = [".clk(clk)"] if ports.clocked else []
        for way, widths in (("input", ports.inputs), ("output", ports.outputs)):
            for name, width in widths.items():
                declared.append(
                    f"  {way} [{width - 1}:0] {place}__{name};" if width > 1 else f"  {way} {place}__{name};"
                )
                wires.append(f".{name}({place}__{name})")
                names.append(f"{place}__{name}")
        placed.append(f"  {place}_{top} {place} ({', '.join(wires)});")
        parts.append(_renamed(text, place))
    lines = [f"module {top}({', '.join(names)});", *declared, *placed, "endmodule"]
    return "\n".join([*parts, *lines, ""])


def _renamed(text: str, place: str) -> str:
    """Return a design whose modules all have the name of a place before their own."""
    names = set(re.findall(r"^module (\\\S+|\w+)", text, re.M))

    def rename(found: re.Match[str]) -> str:
        head, name = found.group(1), found.group(2)
        if name not in names:
            return found.group()
        return f"{head}\\{place}_{name[1:]}" if name.startswith("\\") else f"{head}{place}_{name}"

    text = re.sub(r"^(module )(\\\S+|\w+)", rename, text, flags=re.M)
    return re.sub(rf"^( +)({NAME})(?= +{NAME} +\()", rename, text, flags=re.M)


@functools.lru_cache(16)
def _modules(verilog: str) -> dict[str, tuple[int, Counter[str]]]:
    """Return, for every module of the text, its number of lines and how often it instantiates which other module."""
    bodies = re.findall(r"^\s*module\s+(\\\S+|\w+)(.*?)^\s*endmodule", verilog, re.M | re.S)
    names = {name for name, _ in bodies}
    instance = re.compile(r"^\s*(\\\S+|\w+)\s+(?:#\s*\([^;]*?\)\s*)?(?:\\\S+\s|\w+)\s*\(", re.M)
    return {
        name: (body.count("\n"), Counter(used for used in instance.findall(body) if used in names))
        for name, body in bodies
    }
