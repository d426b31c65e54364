"""Trees and tables as plain text."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

__all__ = ["address", "listed", "nested", "print_text", "table"]

T = TypeVar("T")

PLAIN = str.maketrans("├└─│→", "|`-|>")
"""Replacements for terminals that have no line-drawing characters."""


def print_text(lines: Iterable[str]) -> None:
    """Print lines; without the line-drawing characters where the output's encoding lacks them."""
    text = "\n".join(lines)
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        text = text.translate(PLAIN)
    print(text)


def address(node: int, dim: int) -> str:
    """Return an address in decimal and binary, such as ``6 (00110)``."""
    return f"{node} ({node:0{dim}b})"


def listed(nodes: Sequence[object], *, most: int = 40) -> str:
    """Return addresses as a list; a long one is cut, and says how many there are."""
    text = ", ".join(map(str, nodes[:most]))
    return text if len(nodes) <= most else f"{text}, ... ({len(nodes)} in all)"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Return a table as lines: the columns aligned, numbers to the right, text to the left."""
    body = [list(row) for row in rows]
    cells = [list(map(str, row)) for row in body]
    widths = [max(len(cell) for cell in column) for column in zip(head, *cells, strict=True)]
    right = [all(isinstance(value, int) for value in column) for column in zip(*body, strict=True)] or [False] * len(
        head
    )

    def line(row: Sequence[str]) -> str:
        """Return one line."""
        parts = [c.rjust(w) if r else c.ljust(w) for c, w, r in zip(row, widths, right, strict=True)]
        return "  ".join(parts).rstrip()

    return [line(head), *(line(row) for row in cells)]


def nested(
    items: Sequence[tuple[str, T]], expand: Callable[[T], Sequence[tuple[str, T]]], indent: str = ""
) -> Iterator[str]:
    """Yield the lines of a tree without its root; ``expand`` gives the labelled children of a node."""
    for index, (label, node) in enumerate(items):
        last = index == len(items) - 1
        yield f"{indent}{'└' if last else '├'}─{label}"
        yield from nested(expand(node), expand, indent + ("    " if last else "│   "))
