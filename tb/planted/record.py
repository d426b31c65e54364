"""Record: one line of JSON per bug that was planted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from cubecast.options.usage import UsageError

__all__ = ["read", "text_of"]

NEEDED = ("system", "what", "file", "line", "test", "outcome", "by", "key", "sources", "revision", "date")


def read(path: Path) -> list[dict[str, Any]]:
    """Return the bugs of a record, none if there is no such file.

    Raises
    ------
    UsageError
        A line of it is no bug.
    """
    found = []
    for number, line in enumerate(path.read_text(errors="replace").splitlines() if path.exists() else [], 1):
        try:
            bug = json.loads(line)
            found.append({key: bug[key] for key in NEEDED})
        except (ValueError, KeyError, TypeError, RecursionError):
            text = f"record must have one planted bug per line, not {line[:40]!r} (line {number} of {str(path)!r})"
            raise UsageError(text) from None
    return found


def text_of(bugs: Iterable[Mapping[str, Any]]) -> str:
    """Return the lines of a record."""
    return "".join(json.dumps(bug, separators=(",", ":")) + "\n" for bug in bugs)
