"""Recordings of runs, as JSON Lines: how they are written, and what a file must be to be one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from cubecast.options.inputs import object_of
from cubecast.options.usage import UsageError, shown

__all__ = ["CYCLE", "FORMAT", "MODEL", "STEP", "VERSION", "check", "lines"]

FORMAT, VERSION = "cubecast recording", 1

CYCLE, STEP = "cycle", "step"
"""What time is counted in: cycles of routers; parallel steps, in each of which a message crosses a link."""

MODEL = "model"
"""In place of ``match`` or ``mismatch``: what the golden model says, no hardware was run."""

EXACT = 1 << 53
"""Words from here on are written as text, since numbers are not exact for every reader."""

LISTS = ("messages", "deliveries", "links", "errors", "faults", "ring", "units")
"""Fields of the header that are lists."""

RUNS = ("links", "inject", "eject")
"""Lists whose entries are runs of words, with offsets at the end or without."""

LARGEST_DIM = 10

LAST = 10**9
"""Latest cycle."""


def lines(header: Mapping[str, Any], events: Iterable[Mapping[str, Any]]) -> str:
    """Return a recording: a line for the header, which says how many follow, and one for each cycle with events."""
    kept = [*events]
    first = {"format": FORMAT, "version": VERSION, "lines": len(kept), **header}
    return "".join(f"{json.dumps(_exact(line), separators=(',', ':'))}\n" for line in (first, *kept))


def _exact(value: Any) -> Any:
    """Return plain values with large integers as text."""
    if type(value) is int:
        return value if value < EXACT else str(value)
    if isinstance(value, list | tuple):
        return [_exact(each) for each in value]
    return {name: _exact(each) for name, each in value.items()} if isinstance(value, dict) else value


def check(text: str, name: str) -> dict[str, Any]:
    """Return the header of a recording.

    Parameters
    ----------
    text : str
        Its lines.
    name : str
        What it is called in errors.

    Raises
    ------
    UsageError
        It is none: one line that says which line of it is wrong, and what is allowed there.
    """
    if not text:
        raise UsageError(f"recording {name} must have a header, not be empty")
    # As the page does it: other ends of lines may stand in a text.
    kept = text.removesuffix("\n").split("\n")
    header = object_of(kept[0], f"recording {name}, line 1")
    found = header.get("format"), header.get("version")
    if found != (FORMAT, VERSION):
        allowed = f"format {FORMAT!r}, version {VERSION}"
        raise UsageError(f"recording {name}, line 1, must be of {allowed}, not {shown(found[0])}, {shown(found[1])}")
    _header(header, name)
    if (wanted := header.get("lines", len(kept) - 1)) != len(kept) - 1:
        raise UsageError(f"recording {name} must have {shown(wanted)} lines behind line 1, not {len(kept) - 1}")
    before = -1
    for number, line in enumerate(kept[1:], start=2):
        events = object_of(line, f"recording {name}, line {number}")
        cycle = events.get("cycle")
        if type(cycle) is not int or cycle <= before:
            raise UsageError(f"recording {name}, line {number}: cycle must be above {before}, not {shown(cycle)}")
        if cycle > LAST:
            raise UsageError(f"recording {name}, line {number}: cycle must be at most {LAST}, not {shown(cycle)}")
        before = cycle
        _events(events, header, f"recording {name}, line {number}")
    return header


def _header(header: dict[str, Any], name: str) -> None:
    """Check what the page takes from the header."""
    place = f"recording {name}, line 1"
    if type(header.get("dim")) is not int or not 2 <= header["dim"] <= LARGEST_DIM:
        raise UsageError(f"{place}: dim must be an integer from 2 to {LARGEST_DIM}, not {shown(header.get('dim'))}")
    if not _whole(header.get("cycles"), LAST):
        raise UsageError(f"{place}: cycles must be an integer from 0 to {LAST}, not {shown(header.get('cycles'))}")
    for field in LISTS:
        if not isinstance(header.get(field), list):
            raise UsageError(f"{place}: {field} must be a list, not {shown(header.get(field))}")
    if not _are_nodes(header["faults"], 1 << header["dim"]):
        raise UsageError(f"{place}: faults must be addresses of nodes, not {shown(header['faults'])}")
    if header.get("time", CYCLE) not in (CYCLE, STEP):
        raise UsageError(f"{place}: time must be {CYCLE} or {STEP}, not {shown(header['time'])}")
    links, nodes = header.get("faulty_links", []), 1 << header["dim"]
    if not isinstance(links, list) or not all(_is_link(link, nodes) for link in links):
        raise UsageError(f"{place}: faulty_links must be pairs of neighbours, not {shown(links)}")
    arbiters = header.get("arbiters", [])
    if not isinstance(arbiters, list) or not all(_is_arbiter(arbiter, header["dim"]) for arbiter in arbiters):
        allowed = f"lists of a name and a port, an integer from 0 to {header['dim']} or null"
        raise UsageError(f"{place}: arbiters must be {allowed}, not {shown(arbiters)}")
    kinds = header.get("kinds")
    if not isinstance(kinds, dict) or not all(
        isinstance(unit, list) and len(unit) == 2 and isinstance(unit[1], str) and isinstance(kinds.get(unit[1]), list)
        for unit in header["units"]
    ):
        raise UsageError(f"{place}: units must be lists of a name and one of kinds, which names its fields")
    if not all(_is_unit(unit, nodes, len(header["units"])) for unit in header["ring"]):
        raise UsageError(f"{place}: ring must be pairs of a node and one of units, not {shown(header['ring'])}")
    for field, fields in _objects(nodes).items():
        _checked(header.get(field, []), fields, f"{place}: {field}")


def _objects(nodes: int) -> dict[str, dict[str, Callable[[Any], bool]]]:
    """Return what the page takes from the objects of the header: whether a value fits, by list and field."""

    def node(value: Any) -> bool:
        return _whole(value, nodes - 1)

    def time(value: Any) -> bool:
        return _whole(value, LAST)

    def message(value: Any) -> bool:
        return type(value) is int

    return {
        "messages": {
            "message": message,
            "source": node,
            "destinations": lambda value: _are_nodes(value, nodes),
            "start_cycle": lambda value: value is None or time(value),
        },
        "deliveries": {"message": message, "node": node, "first_cycle": time, "last_cycle": time},
        "links": {"from": node, "to": node},
        "errors": {"reason": lambda value: isinstance(value, str), "node": node},
        "changes": {"cycle": time, "node": node, "vector": _whole},
    }


def _checked(values: Any, fields: Mapping[str, Callable[[Any], bool]], place: str) -> None:
    """Check that values are objects whose fields are what is allowed."""
    if not isinstance(values, list):
        raise UsageError(f"{place} must be a list, not {shown(values)}")
    for index, value in enumerate(values):
        if not isinstance(value, dict) or not fields.keys() <= value.keys():
            raise UsageError(f"{place}[{index}] must be an object with {', '.join(sorted(fields))}, not {shown(value)}")
        for field, fits in fields.items():
            if not fits(value[field]):
                allowed = "as docs/explorer.md describes it"
                raise UsageError(f"{place}[{index}].{field} must be {allowed}, not {shown(value[field])}")


def _events(events: dict[str, Any], header: Mapping[str, Any], place: str) -> None:
    """Check the events of a cycle."""
    dim, nodes, messages = header["dim"], 1 << header["dim"], len(header["messages"])

    def node(value: Any) -> bool:
        return _whole(value, nodes - 1)

    def message(value: Any) -> bool:
        return type(value) is int and -1 <= value < messages

    def unit(value: Any) -> bool:
        return _whole(value, len(header["units"]) - 1)

    def word(value: Any) -> bool:
        return value is None or _whole(value) or (isinstance(value, str) and value.isascii() and value.isdigit())

    def words(value: Any) -> bool:
        return isinstance(value, list) and bool(value) and all(map(word, value))

    def times(value: Any) -> bool:
        return isinstance(value, list) and all(_whole(time, LAST) for time in value)

    def text(value: Any) -> bool:
        return isinstance(value, str)

    def arbiter(value: Any) -> bool:
        return _whole(value, len(header.get("arbiters", ())) - 1)

    def order(value: Any) -> bool:
        return isinstance(value, list) and all(map(unit, value))

    def values(value: Any) -> bool:
        return isinstance(value, list)

    # By kind the elements of an entry, and how many of them may be missing at its end.
    shapes: dict[str, tuple[tuple[Callable[[Any], bool], ...], int]] = {
        "links": ((node, lambda value: _whole(value, dim - 1), _whole, message, words, times), 1),
        "inject": ((node, message, words, times), 1),
        "eject": ((node, message, words, times), 1),
        "units": ((node, unit, values), 0),
        "arbiters": ((node, arbiter, order), 0),
        "waits": ((node, unit, _whole, message, text, message, _whole), 0),
        "reports": ((node, message, text, node), 0),
    }
    for kind, entries in events.items():
        if kind == "cycle":
            continue
        if kind not in shapes or not isinstance(entries, list):
            raise UsageError(f"{place}: events must be lists of {', '.join(shapes)}, not {shown(kind)}")
        fits, optional = shapes[kind]
        for index, entry in enumerate(entries):
            sized = isinstance(entry, list) and len(fits) - optional <= len(entry) <= len(fits)
            fitting = sized and all(fit(value) for fit, value in zip(fits, entry, strict=False))
            if not fitting or not _agrees(kind, entry, header):
                allowed = "an entry as docs/explorer.md describes it"
                raise UsageError(f"{place}: {kind}[{index}] must be {allowed}, not {shown(entry)}")


def _agrees(kind: str, entry: Sequence[Any], header: Mapping[str, Any]) -> bool:
    """Return whether an entry has an offset for each word, and of a unit a value for each field, or none."""
    if kind == "units":
        fields = header["kinds"][header["units"][entry[1]][1]]
        listed = (value for field, value in zip(fields, entry[2], strict=False) if field == "messages")
        return len(entry[2]) in (0, len(fields)) and all(isinstance(value, list) for value in listed)
    return kind not in RUNS or not isinstance(entry[-2], list) or len(entry[-2]) == len(entry[-1])


def _are_nodes(values: Any, nodes: int) -> bool:
    """Return whether a value is a list of addresses of nodes."""
    return isinstance(values, list) and all(_whole(node, nodes - 1) for node in values)


def _is_unit(value: Any, nodes: int, units: int) -> bool:
    """Return whether a value is a pair of a node and a place among the units."""
    return isinstance(value, list) and len(value) == 2 and _whole(value[0], nodes - 1) and _whole(value[1], units - 1)


def _is_link(value: Any, nodes: int) -> bool:
    """Return whether a value is a pair of neighbours."""
    whole = isinstance(value, list) and len(value) == 2 and all(_whole(node, nodes - 1) for node in value)
    return whole and (value[0] ^ value[1]).bit_count() == 1


def _is_arbiter(value: Any, local: int) -> bool:
    """Return whether a value is a name and a port, or none."""
    named = isinstance(value, list) and len(value) == 2 and isinstance(value[0], str)
    return named and (value[1] is None or _whole(value[1], local))


def _whole(value: Any, most: int | None = None) -> bool:
    """Return whether a value is an integer from 0 to ``most``."""
    return type(value) is int and value >= 0 and (most is None or value <= most)
