"""Cache: the folder of everything that is built once and kept, the names in it, and its locks."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

__all__ = ["cache_dir", "digest", "locked", "put"]


def cache_dir() -> Path:
    """Return the folder of everything that is built once and kept, made if needed.

    ``$CUBECAST_CACHE`` if set; else ``.cache`` in the project's root when run from a checkout; else
    ``~/.cache/cubecast``.
    """
    root = Path(__file__).resolve().parents[2]
    if chosen := os.environ.get("CUBECAST_CACHE"):
        folder = Path(chosen).expanduser().absolute()
    elif (root / "pyproject.toml").is_file() and (root / "cubecast").is_dir() and os.access(root, os.W_OK):
        folder = root / ".cache"
    else:
        folder = Path.home() / ".cache" / "cubecast"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock file ``path`` alone among all processes; others wait here."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def digest(*parts: object) -> str:
    """Return a short name for everything in ``parts``."""
    text = json.dumps([str(part) for part in parts])
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def put(path: Path, content: bytes) -> None:
    """Write a file of the cache so that other processes see all of it or nothing; its folder is made if needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(content)
    Path(file.name).replace(path)
