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
from typing import Any

from cubecast.options.files import new_rights
from cubecast.options.usage import ToolError

__all__ = ["cache_dir", "digest", "kept_json", "kept_verilog", "locked", "put", "whole", "written"]

ROOT = Path(__file__).resolve().parents[2]
"""The checkout, if this is one; found once, for the cache is asked for thousands of times in the tests."""


def cache_dir() -> Path:
    """Return the folder of everything that is built once and kept, made if needed.

    ``$CUBECAST_CACHE`` if set; else ``.cache`` in the project's root when run from a checkout; else
    ``~/.cache/cubecast``.

    Raises
    ------
    ToolError
        It cannot be made, or has a name that is not UTF-8, which compilers and simulators would have to read.
    """
    if chosen := os.environ.get("CUBECAST_CACHE"):
        folder = _from_home(chosen)
    elif (ROOT / "pyproject.toml").is_file() and (ROOT / "cubecast").is_dir() and os.access(ROOT, os.W_OK):
        folder = ROOT / ".cache"
    else:
        folder = _from_home("~/.cache/cubecast")
    try:
        str(folder).encode()
    except UnicodeEncodeError:
        raise ToolError(f"cache {str(folder)!r} must have a name in UTF-8: set CUBECAST_CACHE") from None
    with written(folder):
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def _from_home(name: str) -> Path:
    """Return a folder by its name, which may begin with ``~``."""
    found = os.path.expanduser(name)
    if found.startswith("~"):
        raise ToolError(f"cache {name!r} is nowhere, for there is no such home: set CUBECAST_CACHE")
    return Path(found).absolute()


@contextlib.contextmanager
def written(place: Path) -> Iterator[None]:
    """Let an error of the system be one of the cache: what is written meanwhile is part of it.

    Raises
    ------
    ToolError
        The disk is full, it is read-only, something else is in the place of a folder, and the like.
    """
    try:
        yield
    except OSError as error:
        named = str(error.filename2 or error.filename or place)
        raise ToolError(
            f"cache {named!r} cannot be written (CUBECAST_CACHE names another folder): {error.strerror}"
        ) from error


@contextlib.contextmanager
def locked(path: Path, *, wait: bool = True) -> Iterator[bool]:
    """Hold the lock file ``path`` alone among all processes; others wait here, or are told at once that it is held."""
    with written(path):
        file = path.open("w")
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            held = True
        except BlockingIOError:
            held = False
        yield held


def digest(*parts: object) -> str:
    """Return a short name for everything in ``parts``."""
    text = json.dumps([str(part) for part in parts])
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def put(path: Path, content: bytes) -> None:
    """Write a file of the cache so that other processes see all of it or nothing; its folder is made if needed."""
    with written(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent)
        try:
            with open(handle, "wb") as file:
                file.write(content)
            os.chmod(name, new_rights())
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise


def kept_verilog(path: Path) -> str | None:
    """Return a Verilog text of the cache; None if there is none, or not all of it."""
    try:
        text = path.read_text(errors="replace")
    except FileNotFoundError:
        return None
    # A machine that goes down can leave a file empty or short, and so can a copy of the cache.
    return text if text.endswith("endmodule\n") else None


def kept_json(path: Path) -> Any:
    """Return what a file of the cache holds as JSON; None if there is none, or not all of it."""
    try:
        return json.loads(path.read_bytes())
    except (FileNotFoundError, ValueError):
        return None


def whole(made: Path, noted: Path) -> bool:
    """Return whether there is a file, as large as it was when it was made: that is what the file ``noted`` holds."""
    try:
        return noted.read_bytes() == str(made.stat().st_size).encode()
    except FileNotFoundError:
        return False
