"""Points: what Verilator's counters stand for in the Python of rtl/.

Verilator counts lines of Verilog, one for each signal that an ``m.If`` drives, and bits of every net. The attributes in
the Verilog (``cubecast.tb.harness.located``) lead back to the Python.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from typing import NamedTuple

from cubecast.tb.harness.constants import Constants
from cubecast.tb.harness.wires import ports_of, wires_of

__all__ = ["Point", "counts_of", "points_of"]

Source = Callable[[str], list[str] | None]

NETWORKS = ("common/cube", "common/axi_ports", "multicast/self_test_network")
"""Units whose ports are packed vectors, with node v's value as item v, when they have several nodes."""

ANY = ", any bit"
"""What stands in the name of a point for a bit of a port that is a wire."""


class Point(NamedTuple):
    """Something that a run can reach, summed over all instances and all configurations.

    Parameters
    ----------
    unit : str
        ``rtl/<unit>.py`` is where it stands: ``system/unit``.
    kind : str
        ``"line"``: the body of an ``m.If``, ``m.Elif``, ``m.Else`` or ``m.Case`` is in force; one point for each line
        of Python. ``"branch"``: an alternative is taken, none of them included, or an arm of a ``Mux``; one point for
        each round of a Python loop. ``"toggle"``: a bit of a named signal rises or falls, or any bit of a wire.
    line : int
        Line of Python; 0 for ports that a signature of another file describes.
    what : str
        Which one.
    """

    unit: str
    kind: str
    line: int
    what: str


class _Text:
    """Verilog with attributes: which line of it stands for what in Python.

    Parameters
    ----------
    verilog : str
        Text written with ``sources``.
    source : function
        Returns the lines of ``rtl/<unit>.py``, or None if there is no such file.
    constants : dict
        Bits that no run can make toggle.
    """

    def __init__(self, verilog: str, source: Source, constants: Constants) -> None:
        self._source = source
        self._constants = constants
        self._module_name = ""
        self.taken: dict[int, list[Point]] = {}
        self.otherwise: dict[int, list[Point]] = {}
        self.arms: dict[int, tuple[list[Point], list[Point]]] = {}
        self.signals: dict[int, tuple[str, int, str]] = {}
        self.constant: dict[int, frozenset[int]] = {}
        self.items: dict[int, int] = {}
        self.wires: set[int] = set()
        self._unit: str | None = None
        self._wires: frozenset[str] = frozenset()
        self._nodes = 1
        self._rounds: dict[tuple[str, int], list[int]] = defaultdict(list)
        self._names: Counter[str] = Counter()
        self._read(verilog.splitlines())

    def _read(self, lines: list[str]) -> None:
        """Read all modules."""
        ends = [number for number, line in enumerate(lines) if line.startswith("endmodule")]
        modules = [
            (begin, end, *self._head(lines[begin:end]))
            for begin, end in zip([0, *(end + 1 for end in ends)], ends, strict=False)
        ]
        inner = {name: ports_of(lines[begin:end]) for begin, end, name, unit in modules if unit}
        for begin, end, name, unit in modules:
            wires = wires_of(lines[begin:end], inner) if unit and unit not in NETWORKS else {}
            self._module(lines, begin, end, name, unit, frozenset(wires))

    def _head(self, lines: list[str]) -> tuple[str, str | None]:
        """Return a module's name, and its unit if it has one."""
        head = re.search(r'^\(\* src = "([^"]*)" \*\)\n(?:\(\*.*\n)*module (\\\S+|\w+)', "\n".join(lines), re.M)
        place = self._place(head[1]) if head else None
        return (head[2].removeprefix("\\") if head else ""), (place[0] if place else None)

    def _place(self, text: str) -> tuple[str, int, int] | None:
        """Return unit, line and serial number of a place below rtl/; None for any other."""
        found = re.fullmatch(r".*\brtl/((?:\w+/)?\w+)\.py:(\d+)(?:#(\d+))?", text)
        if not found or self._source(found[1]) is None:
            return None
        return found[1], int(found[2]), int(found[3] or 0)

    def _module(
        self, lines: list[str], begin: int, end: int, name: str, unit: str | None, wires: frozenset[str]
    ) -> None:
        """Read the lines of one module."""
        self._module_name, self._unit, self._wires = name, unit, wires
        self._nodes = _nodes_of("\n".join(lines[begin:end])) if self._unit in NETWORKS else 1
        self._names.clear()
        self._rounds.clear()
        choices = [line.split('"')[1] for line in lines[begin:end] if line.lstrip().startswith("(* alternatives =")]
        serials = {self._place(entry) for choice in choices for entry in choice.split("|")}
        for unit, number, serial in sorted(entry for entry in serials if entry):
            self._rounds[unit, number].append(serial)
        source, places = "", None
        chains: dict[int, _Chain] = {}
        for number, line in enumerate(lines[begin:end], begin + 1):
            indent = len(line) - len(line.lstrip())
            rest = line.strip()
            if found := re.fullmatch(r'\(\* src = "(.*)" \*\)', rest):
                source = found[1]
            elif found := re.fullmatch(r'\(\* alternatives = "(.*)" \*\)', rest):
                places = found[1].split("|")
            elif rest.startswith(("if (", "casez (", "case (")) and places is not None:
                chains[indent] = _Chain(places, number)
                places = None
                if rest.startswith("if"):
                    self.taken[number] = self._alternative(chains[indent].next())
            elif rest.startswith("end else if (") and indent in chains:
                chains[indent].last = number
                self.taken[number] = self._alternative(chains[indent].next())
            elif rest == "end else begin" and indent in chains:
                chain = chains.pop(indent)
                self.otherwise[chain.last] = self._alternative(chain.next())
            elif rest in ("end", "endcase") and indent in chains:
                chain = chains.pop(indent)
                if rest == "end" and not chain.left:
                    self.otherwise[chain.last] = self._none(chain.places[-1])
            elif indent - 2 in chains and re.match(r"(\d+'h?\S+(, \d+'\S+)*|default):$", rest):
                self.taken[number] = self._alternative(chains[indent - 2].next())
            elif found := re.match(r"(?:input|output|wire|reg) (?:\[\d+:\d+\] )?(\\\S+|\w+)\s*(?:=.*)?;", rest):
                if source:
                    self._signal(number, rest, found[1], source)
                source = ""
            elif found := re.search(r' \? \(\* src = "([^"]*)" \*\)', rest):
                self._mux(number, found[1])

    def _round(self, unit: str, line: int, serial: int) -> str:
        """Return the part of a point's name that tells the rounds of a loop apart."""
        rounds = self._rounds[unit, line]
        return f", round {rounds.index(serial) + 1}" if len(rounds) > 1 else ""

    def _alternative(self, places: tuple[str, str]) -> list[Point]:
        """Return the points of an alternative, given its place and the one of the alternative before it."""
        here, before = places
        if place := self._place(here):
            unit, line, _ = place
            return [Point(unit, "line", line, ""), Point(unit, "branch", line, "taken" + self._round(*place))]
        if place := self._place(before):
            unit, line = place[0], self._else(place[0], place[1])
            return [Point(unit, "line", line, ""), Point(unit, "branch", line, "taken" + self._round(*place))]
        return []

    def _else(self, unit: str, line: int) -> int:
        """Return the line of the ``m.Else`` or the last ``m.Case`` behind the alternative in ``line``."""
        lines = self._source(unit) or []
        indent = len(lines[line - 1]) - len(lines[line - 1].lstrip())
        for number, text in enumerate(lines[line:], line + 1):
            if text.strip() and len(text) - len(text.lstrip()) <= indent:
                return number if re.match(r"\s*with m\.(Else|Case|Default)\(", text) else line
        return line

    def _none(self, before: str) -> list[Point]:
        """Return the point of no alternative being taken."""
        place = self._place(before)
        if place is None:
            return []
        return [Point(place[0], "branch", place[1], "passed over" + self._round(*place))]

    def _mux(self, number: int, text: str) -> None:
        """Note the two arms of a Mux."""
        place = self._place(text)
        if place is None:
            return
        unit, line, _ = place
        self._names[f"{unit}:{line}?"] += 1
        count = self._names[f"{unit}:{line}?"]
        which = f"Mux {count}, " if count > 1 else "Mux, "
        self.arms[number] = (
            [Point(unit, "branch", line, f"{which}1")],
            [Point(unit, "branch", line, f"{which}0")],
        )

    def _signal(self, number: int, declaration: str, name: str, source: str) -> None:
        """Note a named signal that belongs to this module's unit: a port, or declared in the unit's own file."""
        if self._unit is None or name in ("clk", "at_start"):
            return
        port = declaration.startswith(("input", "output"))
        place = self._place(source)
        own = place is not None and place[0] == self._unit
        plain = re.sub(r"\$\d+$", "", name.removeprefix("\\"))
        if not (port or own) or not plain or plain.startswith("$"):
            return
        if self._nodes > 1:
            # A signal for each node has its number in its name, a port an item of its width.
            plain = plain if port else re.sub(r"_\d+(?=_|$)", "", plain)
            bits = re.search(r" \[(\d+):0\] ", declaration)
            width, left = divmod(int(bits[1]) + 1 if bits else 1, self._nodes)
            if port and width and not left:
                self.items[number] = width
        self._names[plain] += 1
        count = self._names[plain] if self._nodes == 1 else 1
        shown = f"{plain}#{count}" if count > 1 else plain
        self.signals[number] = (self._unit, place[1] if own and place else 0, shown)
        if port and name.removeprefix("\\") in self._wires:
            self.wires.add(number)
        nets = self._constants.get(self._module_name, {})
        self.constant[number] = nets.get(name.removeprefix("\\"), frozenset())


def _nodes_of(module: str) -> int:
    """Return how many nodes a network has: its instances are numbered, those of the nodes from 0 on."""
    stems = Counter(re.findall(r"^  \S+ (\w+)_\d+ \($", module, re.M))
    return max(stems.values(), default=1)


class _Chain:
    """A choice that is being read: its alternatives, how many are behind, and the line of the latest one."""

    def __init__(self, places: list[str], line: int) -> None:
        self.places = places
        self.last = line
        self._read = 0

    @property
    def left(self) -> bool:
        """Whether the Verilog leaves out alternatives, because nothing happens in them."""
        return self._read < len(self.places)

    def next(self) -> tuple[str, str]:
        """Return the place of the next alternative, and that of the one before."""
        self._read += 1
        if self._read > len(self.places):
            raise ValueError(f"alternatives must be as many as the Verilog has, not {'|'.join(self.places)!r}")
        return self.places[self._read - 1], self.places[self._read - 2] if self._read > 1 else ""


def counts_of(text: str) -> Counter[str]:
    """Return Verilator's counters of a run: the text of its ``coverage.dat`` as a mapping from key to count."""
    found: Counter[str] = Counter()
    for line in text.splitlines():
        if line.startswith("C '"):
            key, _, count = line[3:].rpartition("' ")
            found[key] += int(count)
    return found


def points_of(
    counts: Mapping[str, int], verilog: str, source: Source, constants: Constants | None = None
) -> Counter[Point]:
    """Return how often each point was reached; those never reached are there with 0.

    Parameters
    ----------
    counts : dict
        From :func:`counts_of`.
    verilog : str
        Text of the design, with sources.
    source : function
        Returns the lines of ``rtl/<unit>.py``, or None if there is no such file.
    constants : dict
        Bits that no run can make toggle; they are no points.

    Raises
    ------
    ValueError
        The attributes in the text do not fit it.
    """
    text = _Text(verilog, source, constants or {})
    found: Counter[Point] = Counter()
    for key, count in counts.items():
        fields = dict(field.split("\x02", 1) for field in key.split("\x01") if field)
        # A hierarchical block has a wrapper, which stands for nothing.
        if "/" in fields["f"]:
            continue
        line, page, what = int(fields["l"]), fields["page"].partition("/")[0], fields["o"]
        # A constant that is 1 rises when the simulation begins. One that falls is none, whatever was found.
        if page == "v_toggle" and _bit(what) in text.constant.get(line, ()) and not (count and what.endswith("1->0")):
            continue
        for point in _reached(text, line, page, what):
            found[point] += count
    return found


def _bit(what: str) -> int:
    """Return the number of the bit that a counter of toggles is about."""
    found = re.search(r"\[(\d+)\]", what)
    return int(found[1]) if found else 0


def _reached(text: _Text, line: int, page: str, what: str) -> list[Point]:
    """Return the points that one of Verilator's counters stands for."""
    if page == "v_toggle":
        if line not in text.signals:
            return []
        unit, number, name = text.signals[line]
        bits, _, way = what.partition(":")
        bit = bits[bits.index("[") :] if "[" in bits else ""
        if line in text.items:
            bit = f"[{_bit(what) % text.items[line]}]"
        elif line in text.wires and bit:
            bit = ANY
        return [Point(unit, "toggle", number, f"{name}{bit} {'rises' if way == '0->1' else 'falls'}")]
    if what in ("cond_then", "cond_else"):
        return text.arms[line][what == "cond_else"] if line in text.arms else []
    if what in ("if", "elsif", "case"):
        return text.taken.get(line, [])
    return text.otherwise.get(line, []) if what == "else" else []
