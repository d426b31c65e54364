"""Input files: read whole up to a limit, JSON whose objects name each field once, and tables of TOML."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cubecast.options.usage import UsageError, shown

__all__ = ["MOST_TEXT", "object_of", "objects_of", "parsed", "tables_of", "text_of"]

MOST_TEXT = 1 << 29
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
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        if isinstance(error, UnicodeError):
            why = "it is not UTF-8 text"
        raise UsageError(f"{name} must be one that can be read: {why}") from error
    if len(text) > MOST_TEXT:
        raise UsageError(f"{name} must be of at most {MOST_TEXT:,} characters, not longer")
    return text


def tables_of(text: str, name: str, what: str) -> list[dict[str, Any]]:
    """Return the tables ``[[name]]`` of a text of TOML, none if there are none.

    Parameters
    ----------
    text : str
        The text.
    name : str
        What each of them is called there.
    what : str
        What the text is called in errors.

    Raises
    ------
    UsageError
        It is no TOML, or something else has that name.
    """
    try:
        found = tomllib.loads(text).get(name, [])
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{what} must be TOML with tables [[{name}]] ({error})") from None
    if not isinstance(found, list) or not all(isinstance(table, dict) for table in found):
        raise UsageError(f"{what} must be TOML with tables [[{name}]], not {name} = {shown(found)}")
    return found


def parsed(text: str) -> object:
    """Return what a text of JSON says.

    Raises
    ------
    ValueError
        It is no JSON, or an object names a field twice, or a number is none of JSON's.
    RecursionError
        It is nested too deeply.
    """
    return json.loads(text, object_pairs_hook=_object, parse_int=_integer, parse_constant=_constant)


def object_of(text: str, name: str) -> dict[str, Any]:
    """Return the JSON object that a text is; ``name`` is what it is called in errors.

    Raises
    ------
    UsageError
        It is none.
    """
    try:
        value = parsed(text)
    except (json.JSONDecodeError, RecursionError):
        value = None
    except ValueError as error:
        raise UsageError(f"{name}, must be JSON that can be read: {error}") from error
    if not isinstance(value, dict):
        raise UsageError(f"{name}, must be a JSON object, not {shown(text[:40])}")
    return value


def objects_of(path: Path, what: str, fits: Callable[[dict[str, Any]], bool], wanted: str) -> list[dict[str, Any]]:
    """Return the objects of a file of JSON Lines; none if it is not there.

    Parameters
    ----------
    path : Path
        The file.
    what : str
        What it is called in errors.
    fits : function
        Whether an object is what is wanted.
    wanted : str
        That, in words.

    Raises
    ------
    UsageError
        It cannot be read, or a line of it is something else.
    """
    found = []
    for number, line in enumerate(text_of(path, what).splitlines() if path.exists() else [], 1):
        name = f"{what} {str(path)!r}, line {number}"
        found.append(object_of(line, name))
        if not fits(found[-1]):
            raise UsageError(f"{name}, must be {wanted}, not {shown(line[:40])}")
    return found


def _constant(name: str) -> float:
    """Refuse ``NaN`` and the infinities, which Python reads and JSON has not."""
    raise ValueError(f"{name} is no number of JSON")


def _integer(digits: str) -> int:
    """Return an integer of JSON, which must not have more digits than Python reads."""
    try:
        return int(digits)
    except ValueError as error:
        raise ValueError(
            f"a number has {len(digits):,} digits, at most {sys.get_int_max_str_digits():,} are allowed"
        ) from error


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object of JSON, which must name each field once."""
    found: dict[str, object] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"{shown(name)} is there twice in one object")
        found[name] = value
    return found
