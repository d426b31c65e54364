"""Checks that all configurations share: one line with the name, the value and what is allowed."""

from __future__ import annotations

__all__ = ["boolean", "integer"]


def integer(name: str, value: object, low: int, high: int) -> int:
    """Return ``value`` if it is an integer from ``low`` to ``high``, else raise ``ValueError``."""
    if type(value) is not int or not low <= value <= high:
        raise ValueError(f"{name} must be an integer from {low} to {high}, not {value!r}")
    return value


def boolean(name: str, value: object) -> None:
    """Raise ``ValueError`` unless ``value`` is a bool."""
    if type(value) is not bool:
        raise ValueError(f"{name} must be True or False, not {value!r}")
