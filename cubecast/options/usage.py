"""Bad input, and how it is told: one line that names the parameter, its value and what is allowed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["NoResultError", "ToolError", "UsageError", "check_seed", "checked", "shown"]


class UsageError(ValueError):
    """Bad input: the text is one line that names the parameter, its value and what is allowed.

    Parameters
    ----------
    text : str
        The line.
    prog : str, optional
        The command that it is said for, if that is not the one that runs.
    """

    def __init__(self, text: str, prog: str | None = None) -> None:
        super().__init__(text)
        self.prog = prog


class NoResultError(RuntimeError):
    """What was asked for does not exist, which is an answer; the text says why."""


class ToolError(RuntimeError):
    """A tool or the machine did not do its work; the text says which, and may end with the tool's output."""


def shown(value: object) -> str:
    """Return a value as an error message shows it: never longer than a line should be."""
    try:
        text = repr(value)
    except RecursionError:
        text = "what is nested too deeply"
    text = text.replace("\n", " ")
    return text if len(text) <= 60 else f"{text[:57]}..."


def check_seed(seed: object) -> None:
    """Raise :class:`UsageError` for a seed that is none: of those that differ in more, runs would be the same."""
    if type(seed) is not int or not 0 <= seed < 1 << 64:
        raise UsageError(f"seed must be an integer from 0 to 2**64 - 1, not {shown(seed)}")


def checked(function: Callable[..., Any], *positional: Any, **named: Any) -> Any:
    """Call ``function``; the ``ValueError`` by which it refuses its arguments becomes a :class:`UsageError`."""
    try:
        return function(*positional, **named)
    except ValueError as error:
        raise UsageError(str(error)) from error
