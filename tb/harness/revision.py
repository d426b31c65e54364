"""Revision: which one a record is of."""

from __future__ import annotations

import subprocess
from pathlib import Path

__all__ = ["revision"]


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
