"""Revision: which one a record is of, and whether others have it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from cubecast.options.usage import UsageError

__all__ = ["clean", "need_clean", "revision"]


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
