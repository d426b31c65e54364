"""Test modules loaded from the last to the first by every second worker, before it collects.

Each worker collects all tests. In a clean checkout, rewriting the assertions of a module takes longer than all else of
its collection, and its result is kept: two workers that come from both ends each rewrite half of them.
"""

from __future__ import annotations

import contextlib
import importlib
import os
from collections.abc import Iterable
from pathlib import Path

import pytest

__all__ = ["load_backwards"]

ROOT = Path(__file__).resolve().parents[2]


def load_backwards(asked: Iterable[str], worker: str | None = os.environ.get("PYTEST_XDIST_WORKER")) -> list[str]:
    """Import the test modules that are asked for, the last one first; return their names.

    A module that cannot be imported is left for the collection to tell of.

    Parameters
    ----------
    asked : iterable of str
        Folders and files of tests, as on the command line of pytest.
    worker : str
        Name of this worker; nothing is done by ``gw0``, ``gw2``, ..., nor without workers.
    """
    if worker is None or int(worker.removeprefix("gw")) % 2 == 0:
        return []
    places = [Path(name.partition("::")[0]).resolve() for name in asked]
    files = {file for place in places for file in ([place] if place.is_file() else place.rglob("test_*.py"))}
    names = [
        ".".join(file.relative_to(ROOT).with_suffix("").parts)
        for file in sorted(files, reverse=True)
        if file.suffix == ".py" and file.is_relative_to(ROOT / "tests")
    ]
    for name in names:
        with contextlib.suppress(Exception, pytest.skip.Exception):
            importlib.import_module(name)
    return names
