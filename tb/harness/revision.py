"""Revision: which one a record is of, and whether others have it."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from cubecast.options.usage import UsageError

__all__ = ["clean", "need_clean", "points_by_revision", "revision"]


def revision() -> str:
    """Return the revision of the checkout, with a plus sign if files differ from it; "unknown" outside one."""
    root = Path(__file__).resolve().parent
    answers = []
    for command in (["rev-parse", "--short", "HEAD"], ["status", "--porcelain"]):
        try:
            done = subprocess.run(["git", *command], cwd=root, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            return "unknown"
        if done.returncode:
            return "unknown"
        answers.append(done.stdout.strip())
    return answers[0] + ("+" if answers[1] else "")


def clean(found: str) -> bool:
    """Return whether others have a revision as :func:`revision` gives it: that of a checkout without changes."""
    return found.isalnum() and found != "unknown"


def need_clean(option: str, found: str) -> None:
    """Refuse an option that makes records at a revision that others do not have.

    Raises
    ------
    UsageError
        Files differ from the revision, or there is none.
    """
    if not clean(found):
        raise UsageError(f"{option} must be asked for in a tree without changes, not at {found}")


def points_by_revision(lines: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return a sentence that says of which revisions the points of a page are, each having its ``revision``."""
    counts = Counter(line["revision"] for line in lines)
    return [f"Points of the tables: {', '.join(f'{count} of revision {name}' for name, count in counts.items())}."]
