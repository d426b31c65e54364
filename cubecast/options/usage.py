"""Bad input, and how it is told: one line that names the parameter, its value and what is allowed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["UsageError", "checked", "shown"]


class UsageError(Exception):
    """Bad input: the text is one line that names the parameter, its value and what is allowed."""


def shown(value: object) -> str:
    """Return a value as an error message shows it: never longer than a line should be."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def checked(function: Callable[..., Any], *positional: Any, **named: Any) -> Any:
    """Call ``function``; the ``ValueError`` by which it refuses its arguments becomes a :class:`UsageError`."""
    try:
        return function(*positional, **named)
    except ValueError as error:
        raise UsageError(str(error)) from error
