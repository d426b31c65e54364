"""The line that a board prints: its text, and where the numbers stand in it."""

from __future__ import annotations

__all__ = ["DIGITS", "FIELDS", "LONGEST", "MARK", "TEMPLATE", "VALUE_BITS"]

FIELDS = ("seconds", "load", "packets", "words", "under_way", "errors")
"""Numbers of a line, in their order."""

VALUE_BITS = 32
"""Bits of each."""

DIGITS = 10
"""Decimal digits of the greatest."""

MARK = 0x80
"""The byte that stands for field i in :data:`TEMPLATE` is MARK + i."""


def _template(text: str) -> bytes:
    """Return the bytes of a text in which {name} stands for a field."""
    for place, name in enumerate(FIELDS):
        text = text.replace(f"{{{name}}}", chr(MARK + place))
    return text.encode("latin-1")


TEMPLATE = _template(
    "second {seconds} load {load} % packets {packets} words {words} under way {under_way} errors {errors}\r\n"
)
"""A line, with a byte for each field; the line ends where it ends."""

LONGEST = len(TEMPLATE) + (DIGITS - 1) * len(FIELDS)
"""Bytes of the longest line."""
