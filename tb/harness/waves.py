"""Waves: a VCD file (which Verilator writes) made into an FST file (which is a tenth of its size)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pylibfst import ffi, fstReaderIterBlocks, get_scopes_signals2, lib

__all__ = ["fst_signals", "vcd_to_fst"]


def _tokens(file: Any) -> Iterator[str]:
    """Yield the words of the rest of a VCD header."""
    for line in file:
        yield from line.split()
        if "$enddefinitions" in line:
            return


def _declare(words: Iterator[str], fst: Any) -> dict[str, tuple[Any, int]]:
    """Copy a VCD header; return identifier code to FST handle and width."""
    signals: dict[str, tuple[Any, int]] = {}
    for word in words:
        if not word.startswith("$") or word == "$end":
            continue
        body = []
        for inner in words:
            if inner == "$end":
                break
            body.append(inner)
        if word == "$timescale":
            lib.fstWriterSetTimescaleFromString(fst, "".join(body).encode())
        elif word == "$scope":
            lib.fstWriterSetScope(fst, lib.FST_ST_VCD_MODULE, body[1].encode(), ffi.NULL)
        elif word == "$upscope":
            lib.fstWriterSetUpscope(fst)
        elif word == "$var" and body[0] not in ("real", "realtime", "string"):
            width, code, name = int(body[1]), body[2], " ".join(body[3:])
            alias = signals[code][0] if code in signals else 0
            kind, way = lib.FST_VT_VCD_WIRE, lib.FST_VD_IMPLICIT
            handle = lib.fstWriterCreateVar(fst, kind, way, width, name.encode(), alias)
            signals.setdefault(code, (handle, width))
    return signals


def vcd_to_fst(vcd: Path, fst: Path) -> None:
    """Convert a VCD file to FST; signals of type real are left out.

    Raises
    ------
    OSError
        The VCD file cannot be read or the FST file cannot be written.
    """
    fst.write_bytes(b"")
    writer = lib.fstWriterCreate(str(fst).encode(), 1)
    if writer == ffi.NULL:
        raise OSError(f"cannot write the waves to {fst}")
    try:
        with vcd.open(encoding="latin-1") as file:
            signals = _declare(_tokens(file), writer)
            emit = lib.fstWriterEmitValueChange
            for line in file:
                first = line[0]
                if first == "#":
                    lib.fstWriterEmitTimeChange(writer, int(line[1:]))
                elif first in "01xzXZ":
                    handle, width = signals[line[1:].strip()]
                    emit(writer, handle, first.lower().encode() * width)
                elif first in "bB":
                    value, code = line[1:].split()
                    handle, width = signals[code]
                    fill = "0" if value[0] in "01" else value[0]
                    emit(writer, handle, value.lower().rjust(width, fill).encode())
    finally:
        lib.fstWriterClose(writer)


def fst_signals(fst: Path) -> dict[str, int]:
    """Return the full name and the number of value changes of every signal of an FST file.

    Raises
    ------
    OSError
        The file is not readable as FST.
    """
    reader = lib.fstReaderOpen(str(fst).encode())
    if reader == ffi.NULL:
        raise OSError(f"cannot read {fst} as FST")
    with contextlib.ExitStack() as stack:
        stack.callback(lib.fstReaderClose, reader)
        _, signals = get_scopes_signals2(reader)
        changes: dict[int, int] = {}

        def count(_user: Any, _time: int, handle: int, _value: Any) -> None:
            changes[handle] = changes.get(handle, 0) + 1

        lib.fstReaderSetFacProcessMaskAll(reader)
        fstReaderIterBlocks(reader, count)
        return {name: changes.get(signal.handle, 0) for name, signal in signals.by_name.items()}
