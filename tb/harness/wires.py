"""Wires: ports of a unit that are whole ports of the units inside it, with nothing between.

A unit that places others and connects them has many of these. Each of their bits is the same net outside and inside, so
it is counted in the unit where something is made of it, in all its runs; what the outer one adds is the wire.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

__all__ = ["Ports", "ports_of", "wires_of"]

Ports = Mapping[str, Mapping[str, int]]
"""Module, and name of a port of it, to the port's width."""

NAME = re.compile(r"\\\S+|[A-Za-z_]\w*")
DECLARED = re.compile(r" *(?:(input|output|wire|reg)) (?:\[(\d+):0\] )?(\\\S+|\w+)\s*(?:=.*)?;")


def ports_of(lines: Sequence[str]) -> dict[str, int]:
    """Return the ports of a module and their widths."""
    found = (DECLARED.fullmatch(line) for line in lines)
    return {
        each[3].removeprefix("\\"): int(each[2] or 0) + 1 for each in found if each and each[1] in ("input", "output")
    }


def wires_of(lines: Sequence[str], inner: Ports) -> dict[str, set[str]]:
    """Return the ports of a module that are wires, each with the names of the instances' ports that it is.

    Such a port, or a net that is another name of it, is connected whole to ports of instances of the same width, and
    stands nowhere else: no bit of it is read, driven or chosen by anything in the module itself.

    Parameters
    ----------
    lines : sequence of str
        The module's Verilog, as Yosys writes it.
    inner : dict
        Modules whose ports are counted.
    """
    widths: dict[str, int] = {}
    used: Counter[str] = Counter()
    plain: Counter[str] = Counter()
    same: defaultdict[str, set[str]] = defaultdict(set)
    inside: defaultdict[str, set[str]] = defaultdict(set)
    module: Mapping[str, int] | None = None
    begun = False
    for line in lines:
        text = re.sub(r"\(\* .*? \*\)", "", line)
        if not begun:
            # The names of the ports may go on in further lines.
            begun = text.endswith(");") and not text.startswith("(*")
        elif found := DECLARED.fullmatch(text):
            widths[found[3].removeprefix("\\")] = int(found[2] or 0) + 1
            used.update(_names(text.partition("=")[2]))
        elif found := re.fullmatch(r"  (\\\S+|\w+) (?:\\\S+|\w+) +\(|  (\\\S+|\w+) (?:\\\S+|\w+) \(", text):
            module = inner.get((found[1] or found[2]).removeprefix("\\"))
        elif found := re.fullmatch(r"    \.(\\\S+|\w+) ?\((\\\S+ |\w+)\),?", text):
            port, name = (each.strip().removeprefix("\\") for each in found.groups())
            used[name] += 1
            if module is not None and module.get(port) == widths.get(name):
                plain[name] += 1
                inside[name].add(port)
        elif found := re.fullmatch(r"  assign (\\\S+|\w+) += (\\\S+ |\w+);", text):
            one, other = (each.strip().removeprefix("\\") for each in found.groups())
            for name, second in ((one, other), (other, one)):
                used[name] += 1
                if widths.get(one) == widths.get(other):
                    plain[name] += 1
                    same[name].add(second)
        else:
            used.update(_names(text))
    wires = {}
    for port in ports_of(lines):
        nets = _nets(port, same)
        if all(used[name] == plain[name] for name in nets) and (ends := set().union(*(inside[name] for name in nets))):
            wires[port] = ends
    return wires


def _names(text: str) -> list[str]:
    """Return the names in a text."""
    return [name.removeprefix("\\") for name in NAME.findall(text)]


def _nets(name: str, same: Mapping[str, set[str]]) -> set[str]:
    """Return all names of a net."""
    found, left = set(), [name]
    while left:
        each = left.pop()
        if each not in found:
            found.add(each)
            left += same.get(each, ())
    return found
