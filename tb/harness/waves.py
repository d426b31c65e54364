"""Waves: the VCD file that a simulator writes made into an FST file that a reader finds his way in.

An FST file is a tenth of the size. On the way nets without a name are left out, states get their names, time is set so
that a cycle is found at once, and a counter of cycles is added. Beside it stand a list of the ports for GTKWave and
one for Surfer.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pylibfst import ffi, fstReaderIterBlocks, get_scopes_signals2, lib, string

from cubecast.options.files import place_file, write_file
from cubecast.options.usage import ToolError
from cubecast.tb.harness.bench import CYCLE
from cubecast.tb.harness.modules import Module, design_of

__all__ = [
    "COUNTER",
    "ORIGIN",
    "Signals",
    "Waves",
    "fst_labels",
    "fst_signals",
    "fst_values",
    "is_view",
    "keep_waves",
    "vcd_to_fst",
    "views",
]

SKIPPED = b"\xff"
"""Kind of a block of an FST file that its writer has not finished."""

ORIGIN = 1000
"""Where cycle 0 begins in the waves, in ns: cycle c begins at ``ORIGIN + CYCLE * c``."""

COUNTER = "cycle"
"""Name of the counter of cycles, in the scope of the top module; below 0 before cycle 0."""

COUNTER_BITS = 32

_GUARD = "at_start"
"""A register of every module that is no part of the design; see ``cubecast.rtl.common.verilog``."""

_MARK = "written by cubecast"
"""In the first line of a view; one without it is the user's."""


class Waves(NamedTuple):
    """What the conversion has to know of a run.

    Parameters
    ----------
    verilog : str
        The design.
    top : str
        Name of its top module.
    first : int
        Cycle of the run, from its start, which is cycle 0 of the results.
    clocked : bool
        Whether the design has a clock; its first rising edge comes after half a cycle.
    """

    verilog: str
    top: str
    first: int
    clocked: bool


class Signals(NamedTuple):
    """What is in a file of waves.

    Parameters
    ----------
    bits : dict
        Full name of every signal to its range of bits as GTKWave writes it, nothing for a single bit.
    states : tuple of str
        Full names of the enumerations, one for each signal that is one.
    """

    bits: dict[str, str]
    states: tuple[str, ...]


def _named(name: str) -> bool:
    """Return whether a net has a name that a source gave it."""
    return not name.lstrip("\\").startswith("$") and name != _GUARD


class _Writer:
    """An FST file that a VCD file is copied to."""

    def __init__(self, fst: Path, waves: Waves) -> None:
        self._waves = waves
        self._design = design_of(waves.verilog)
        self._handles: dict[str, tuple[Any, int]] = {}
        self._tables: dict[tuple[str, tuple[tuple[str, str], ...]], Any] = {}
        self._divisor = 1
        self._next = -waves.first
        self.bits: dict[str, str] = {}
        self.states: dict[str, str] = {}
        self.file = lib.fstWriterCreate(str(fst).encode(), 1)
        if self.file == ffi.NULL:
            raise OSError(f"cannot write the waves to {fst}")
        lib.fstWriterSetTimescaleFromString(self.file, b"1ns")

    def copy(self, lines: Iterator[str]) -> None:
        """Copy a VCD file."""
        self._declare(_tokens(lines))
        emit = lib.fstWriterEmitValueChange
        handles = self._handles
        for line in lines:
            first = line[0]
            if first == "#":
                self._time(int(line[1:]))
            elif first in "01xzXZ":
                if known := handles.get(line[1:].strip()):
                    emit(self.file, known[0], first.lower().encode() * known[1])
            elif first in "bB":
                value, code = line[1:].split()
                if known := handles.get(code):
                    fill = "0" if value[0] in "01" else value[0]
                    emit(self.file, known[0], value.lower().rjust(known[1], fill).encode())

    def _time(self, time: int) -> None:
        """Go on to a time of the simulation; count the cycles that begin till then."""
        moved = time // self._divisor
        if moved:
            moved += ORIGIN - CYCLE * self._waves.first + (CYCLE // 2 if self._waves.clocked else 0)
        else:
            lib.fstWriterEmitTimeChange(self.file, 0)
            self._count()
            return
        while ORIGIN + CYCLE * self._next <= moved:
            lib.fstWriterEmitTimeChange(self.file, ORIGIN + CYCLE * self._next)
            self._count()
        lib.fstWriterEmitTimeChange(self.file, moved)

    def _count(self) -> None:
        """Write the counter."""
        value = self._next % (1 << COUNTER_BITS)
        lib.fstWriterEmitValueChange(self.file, self._counter, f"{value:0{COUNTER_BITS}b}".encode())
        self._next += 1

    def _declare(self, words: Iterator[str]) -> None:
        """Copy a VCD header."""
        scopes: list[tuple[bool, Module | None, str]] = []
        for word in words:
            if not word.startswith("$") or word == "$end":
                continue
            body = []
            for inner in words:
                if inner == "$end":
                    break
                body.append(inner)
            shown = not scopes or scopes[-1][0]
            if word == "$timescale":
                self._divisor = _units_in_ns("".join(body))
            elif word == "$scope":
                name = body[1].lstrip("\\")
                shown = shown and not name.startswith("$")
                path = f"{scopes[-1][2]}.{name}" if scopes else name
                scopes.append((shown, self._inside(scopes, name), path))
                if shown:
                    lib.fstWriterSetScope(self.file, lib.FST_ST_VCD_MODULE, name.encode(), ffi.NULL)
                    if len(scopes) == 1:
                        self._counter = self._create(lib.FST_VT_VCD_INTEGER, COUNTER_BITS, path, COUNTER, 0)
            elif word == "$upscope":
                if scopes.pop()[0]:
                    lib.fstWriterSetUpscope(self.file)
            elif word == "$var" and body[0] not in ("real", "realtime", "string") and shown and _named(body[3]):
                self._variable(int(body[1]), body[2], body[3].lstrip("\\"), scopes[-1])

    def _inside(self, scopes: Sequence[tuple[bool, Module | None, str]], name: str) -> Module | None:
        """Return the module of a scope, if the design has it."""
        if not scopes:
            return self._design[name] if name == self._waves.top else None
        above = scopes[-1][1]
        return self._design.get(above.instances.get(name, "")) if above else None

    def _variable(self, width: int, code: str, name: str, scope: tuple[bool, Module | None, str]) -> None:
        """Declare a signal, the second name of one, or one that has names for its values."""
        _, module, path = scope
        if module and (labels := module.labels.get(name)):
            lib.fstWriterEmitEnumTableRef(self.file, self._table(labels, width))
            # Of all names of a state, the one in the unit that holds it.
            self.states[code] = max(self.states.get(code, ""), f"{path}.{name}", key=lambda full: full.count("."))
        alias = self._handles[code][0] if code in self._handles else 0
        handle = self._create(lib.FST_VT_VCD_WIRE, width, path, name, alias)
        self._handles.setdefault(code, (handle, width))

    def _create(self, kind: int, width: int, path: str, name: str, alias: Any) -> Any:
        """Declare a signal of a scope, with its range of bits as GTKWave writes it."""
        bits = f"[{width - 1}:0]" if width > 1 else ""
        self.bits[f"{path}.{name}"] = bits
        shown = f"{name} {bits}".rstrip().encode()
        return lib.fstWriterCreateVar(self.file, kind, lib.FST_VD_IMPLICIT, width, shown, alias)

    def _table(self, labels: tuple[str, Mapping[int, str]], width: int) -> Any:
        """Return the table of names for values, made when it is met first."""
        rows = tuple((text, f"{value:0{width}b}") for value, text in sorted(labels[1].items()))
        key = labels[0], rows
        if key not in self._tables:
            columns = [[ffi.new("char[]", text.encode()) for text in column] for column in zip(*rows, strict=True)]
            texts, values = (ffi.new("char *[]", column) for column in columns)
            name = labels[0].encode()
            self._tables[key] = lib.fstWriterCreateEnumTable(self.file, name, len(rows), width, texts, values)
        return self._tables[key]


def _tokens(lines: Iterator[str]) -> Iterator[str]:
    """Yield the words of a VCD header."""
    for line in lines:
        yield from line.split()
        if "$enddefinitions" in line:
            return


def _units_in_ns(timescale: str) -> int:
    """Return how many units of a VCD file's time a nanosecond has."""
    found = re.fullmatch(r"(1|10|100)(ns|ps|fs)", timescale)
    if not found:
        raise ValueError(f"timescale must be 1 ns or finer, not {timescale!r}")
    return {"ns": 1, "ps": 10**3, "fs": 10**6}[found[2]] // int(found[1])


def vcd_to_fst(vcd: Path, fst: Path, waves: Waves) -> Signals:
    """Convert a VCD file to FST; return what is in it.

    Nets without a name and signals of type real are left out. Signals that the design declares as enumerations get the
    names of their values as an enumeration of the FST file. The unit of time is 1 ns; cycle c begins at
    ``ORIGIN + CYCLE * c``, and the signal :data:`COUNTER` of the top module says which cycle it is.

    Raises
    ------
    OSError
        The VCD file cannot be read or the FST file cannot be written.
    """
    fst.write_bytes(b"")
    writer = _Writer(fst, waves)
    try:
        with vcd.open(encoding="latin-1") as file:
            writer.copy(file)
    finally:
        lib.fstWriterClose(writer.file)
    return Signals(writer.bits, tuple(writer.states.values()))


_BLANK, _BEGIN, _END, _CLOSED, _COLLAPSED = 0x200, 0x800000, 0x1000000, 0x400000, 0x1000
_BINARY, _HEXADECIMAL, _SIGNED, _NAMED = 0x28, 0x22, 0x420, 0x100000028
"""Flags of a line in a save file of GTKWave: groups; how the values of a signal are shown."""


def views(fst: Path, waves: Waves, signals: Signals) -> dict[str, str]:
    """Return what a viewer is told to show: the counter, and ports and states of the top module and each unit in it.

    Parameters
    ----------
    fst : Path
        Where the waves are.
    waves : Waves
        The run.
    signals : Signals
        What :func:`vcd_to_fst` returned; ports that are not there are left out.

    Returns
    -------
    dict
        Suffix of the file to its text: ``.gtkw`` for GTKWave, where each unit is a group, those in the top module
        folded; ``.sucl`` for Surfer.
    """
    design = design_of(waves.verilog)
    top = design[waves.top]
    units = [(waves.top, top), *((f"{waves.top}.{name}", design[unit]) for name, unit in top.instances.items())]
    counter = f"{waves.top}.{COUNTER}"
    save = [f"[*] {_MARK}", f'[dumpfile] "{fst.resolve()}"', f"[timestart] {ORIGIN - CYCLE * waves.first}"]
    save += [f"@{_SIGNED:x}", counter + signals.bits[counter]]
    commands = [f"# {_MARK}", f"variable_add {counter}"]
    for place, (path, module) in enumerate(units):
        shown = [f"{path}.{port}" for port in sorted(module.ports, key=_stream)]
        shown = [name for name in shown if name in signals.bits]
        if place or not top.instances:
            shown += [name for name in signals.states if name.startswith(f"{path}.") and name not in shown]
        folded = _CLOSED if place else 0
        save += [f"@{_BEGIN | _BLANK | folded:x}", f"-{path}"]
        commands.append(f"divider_add {path}")
        for name in shown:
            bits = signals.bits[name]
            save += [f"@{_NAMED if name in signals.states else _HEXADECIMAL if bits else _BINARY:x}", name + bits]
            commands.append(f"variable_add {name}")
        save += [f"@{_END | _BLANK | folded | (_COLLAPSED if folded else 0):x}", f"-{path}"]
    return {".gtkw": "\n".join([*save, ""]), ".sucl": "\n".join([*commands, ""])}


def _stream(port: str) -> tuple[bool, str]:
    """Return what the ports of a module are sorted by: clock and reset, then the streams together."""
    return port not in ("clk", "rst"), port.rpartition("__")[0] or port.rpartition("_")[0]


def is_view(text: str) -> bool:
    """Return whether a file that stands where a view goes may be written anew: the user has not saved his own."""
    return _MARK in text.partition("\n")[0]


def keep_waves(vcd: Path, waves: Path, run: Waves) -> None:
    """Put the waves of a run where the caller wants them, as FST, whole or not at all, and the views beside them.

    Parameters
    ----------
    vcd : Path
        What the simulator wrote.
    waves : Path
        Where to; its folder is made if needed.
    run : Waves
        The run.

    Raises
    ------
    ToolError
        The simulator wrote none, or they are incomplete, such as on a full disk.
    """
    made = vcd.with_suffix(".fst")
    try:
        signals = vcd_to_fst(vcd, made, run)
        _whole(made)
        beside = views(waves, run, signals)
    except (OSError, ValueError, LookupError) as error:
        raise ToolError(f"waves {str(waves)!r} are not written, for they are incomplete: {error}") from error
    with contextlib.suppress(FileExistsError):
        waves.parent.mkdir(parents=True)
    place_file(made, waves, "waves", check=_whole)
    for suffix, text in beside.items():
        view = waves.with_name(waves.name + suffix)
        if not view.exists() or (view.is_file() and is_view(view.read_text(errors="replace"))):
            write_file(view, text)


def _whole(fst: Path) -> None:
    """Read all of an FST file once.

    Raises
    ------
    OSError
        It does not end with the end of a block, or cannot be read.
    """
    size, place = fst.stat().st_size, 0
    with fst.open("rb") as file:
        while place < size:
            file.seek(place)
            kind, length = file.read(1), file.read(8)
            if len(length) < 8 or kind == SKIPPED:
                break
            place += 1 + int.from_bytes(length, "big")
    if not size or place != size:
        raise OSError(f"of {size} bytes only the first {min(place, size)} are waves")
    with _opened(fst) as reader:
        lib.fstReaderSetFacProcessMaskAll(reader)
        if not lib.fstReaderIterBlocks(reader, ffi.NULL, ffi.NULL, ffi.NULL):
            raise OSError("their changes cannot be read again")


@contextlib.contextmanager
def _opened(fst: Path) -> Iterator[Any]:
    """Open an FST file for reading.

    Raises
    ------
    OSError
        The file is not readable as FST.
    """
    reader = lib.fstReaderOpen(str(fst).encode())
    if reader == ffi.NULL:
        raise OSError(f"cannot read {fst} as FST")
    try:
        yield reader
    finally:
        lib.fstReaderClose(reader)


def fst_values(fst: Path, *names: str) -> dict[str, list[tuple[int, str]]]:
    """Return time and value of every change of some signals of an FST file, all of them if none is named.

    Raises
    ------
    OSError
        The file is not readable as FST.
    """
    with _opened(fst) as reader:
        _, signals = get_scopes_signals2(reader)
        found: dict[int, list[tuple[int, str]]] = {}

        def keep(_user: Any, time: int, handle: int, value: Any) -> None:
            found.setdefault(handle, []).append((time, string(value)))

        wanted = {name: signal.handle for name, signal in signals.by_name.items() if not names or name in names}
        for handle in set(wanted.values()):
            lib.fstReaderSetFacProcessMask(reader, handle)
        fstReaderIterBlocks(reader, keep)
        return {name: found.get(handle, []) for name, handle in wanted.items()}


def fst_signals(fst: Path) -> dict[str, int]:
    """Return the full name and the number of value changes of every signal of an FST file.

    Raises
    ------
    OSError
        The file is not readable as FST.
    """
    return {name: len(changes) for name, changes in fst_values(fst).items()}


def fst_labels(fst: Path) -> dict[str, dict[str, str]]:
    """Return, for every signal of an FST file that is an enumeration, the names of its values by their bits.

    Raises
    ------
    OSError
        The file is not readable as FST.
    """
    tables: dict[int, dict[str, str]] = {}
    found: dict[str, dict[str, str]] = {}
    path: list[str] = []
    labels = None
    with _opened(fst) as reader:
        lib.fstReaderIterateHierRewind(reader)
        while (entry := lib.fstReaderIterateHier(reader)) != ffi.NULL:
            if entry.htyp == lib.FST_HT_SCOPE:
                path.append(string(entry.u.scope.name))
            elif entry.htyp == lib.FST_HT_UPSCOPE:
                path.pop()
            elif entry.htyp == lib.FST_HT_ATTRBEGIN and entry.u.attr.subtype == lib.FST_MT_ENUMTABLE:
                if text := string(entry.u.attr.name):
                    _, count, *words = text.split()
                    tables[entry.u.attr.arg] = dict(zip(words[int(count) :], words[: int(count)], strict=True))
                else:
                    labels = tables[entry.u.attr.arg]
            elif entry.htyp == lib.FST_HT_VAR:
                if labels:
                    found[".".join([*path, string(entry.u.var.name)])] = labels
                labels = None
    return found
