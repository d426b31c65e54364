"""Input files: read whole up to a limit, and JSON whose objects name each field once."""

from __future__ import annotations

import json
from pathlib import Path

from cubecast.options.usage import UsageError, shown

__all__ = ["MOST_TEXT", "parsed", "text_of"]

MOST_TEXT = 1 << 28
"""Most characters of a file that is read: a device that never ends must not fill the memory."""


def text_of(path: Path, what: str) -> str:
    """Return the text of a file.

    Parameters
    ----------
    path : Path
        As it was named.
    what : str
        What the file is called in errors.

    Raises
    ------
    UsageError
        It cannot be read, is no text, or is longer than :data:`MOST_TEXT`.
    """
    name = f"{what} {str(path)!r}"
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(MOST_TEXT + 1)
    except (OSError, UnicodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise UsageError(f"{name} must be one that can be read: {why}") from error
    if len(text) > MOST_TEXT:
        raise UsageError(f"{name} must be of at most {MOST_TEXT:,} characters, not longer")
    return text


def parsed(text: str) -> object:
    """Return what a text of JSON says.

    Raises
    ------
    ValueError
        It is no JSON, or an object names a field twice.
    RecursionError
        It is nested too deeply.
    """
    return json.loads(text, object_pairs_hook=_object)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object of JSON, which must name each field once."""
    found: dict[str, object] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"{shown(name)} is there twice in one object")
        found[name] = value
    return found
