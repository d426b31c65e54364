"""The restart file: every point that is done, a line each, so that a killed study goes on where it was."""

from __future__ import annotations

import fcntl
import json
import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from cubecast.options.files import output_file
from cubecast.options.usage import UsageError
from cubecast.study.model import Outcome, StudyError, StudyFailure, Task

__all__ = ["FILE_NAME", "Store"]

FILE_NAME = "points.jsonl"

_HEADER = {"format": "points of cubecast study", "version": 1}
_BEGINNINGS = (b'{"format": ', b'{"check": ')
"""How a line starts; what a killed process left of its last line starts so too."""


class Store:
    """Outcomes of tasks in a file of a folder, which no other process may use at the same time.

    A line holds the name and the arguments of the task, the seed, the outcome, and a checksum. All studies of a
    folder share it: a point that two of them need is computed once.

    Parameters
    ----------
    folder : Path
        Made if needed.

    Raises
    ------
    StudyError
        The folder cannot be made or written into, another process uses it, or the file holds something else.
        The file is then left as it was.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME
        self._outcomes: dict[str, Outcome] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            output_file(self.path, "restart file")
            self._file = os.fdopen(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666), "r+b")
        except UsageError as error:
            raise StudyError(str(error)) from error
        except OSError as error:
            raise StudyError(f"folder {str(folder)!r} must be one that can be written: {error.strerror}") from error
        try:
            self._lock()
            self._load()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Store:
        """Return the store itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file."""
        self._file.close()

    def has(self, task: Task, seed: int) -> bool:
        """Return whether a task is done."""
        return _key(task.name, task.arguments, seed) in self._outcomes

    def get(self, task: Task, seed: int) -> Outcome:
        """Return the outcome of a task that is done."""
        return self._outcomes[_key(task.name, task.arguments, seed)]

    def add(self, task: Task, seed: int, outcome: Outcome) -> None:
        """Keep an outcome, in the file at once."""
        self._outcomes[_key(task.name, task.arguments, seed)] = outcome
        entry = {"task": task.name, "arguments": dict(task.arguments), "seed": seed, "outcome": outcome}
        self._append({"check": _check(entry), **entry})

    def _lock(self) -> None:
        """Claim the file until it is closed."""
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StudyError(f"restart file {str(self.path)!r} is in use by another command") from None

    def _append(self, entry: Mapping[str, Any]) -> None:
        """Write one line."""
        try:
            self._file.write(json.dumps(entry, allow_nan=False).encode() + b"\n")
            self._file.flush()
        except OSError as error:
            raise StudyFailure(f"restart file {str(self.path)!r} cannot be written: {error.strerror}") from error

    def _load(self) -> None:
        """Read all lines; cut off the beginning of one that a killed process did not finish."""
        lines = self._file.read().split(b"\n")
        torn = lines.pop()
        if torn and not any(torn.startswith(start) or start.startswith(torn) for start in _BEGINNINGS):
            raise self._corrupt(len(lines) + 1)
        for number, line in enumerate(lines, start=1):
            try:
                entry = json.loads(line)
                if number == 1:
                    good = entry == _HEADER
                else:
                    good = entry.pop("check") == _check(entry)
                    self._outcomes[_key(entry["task"], entry["arguments"], entry["seed"])] = entry["outcome"]
            except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
                good = False
            if not good:
                raise self._corrupt(number)
        if torn:
            self._file.truncate(self._file.tell() - len(torn))
        if not lines:
            self._append(_HEADER)

    def _corrupt(self, number: int) -> StudyError:
        """Return the error about a line."""
        wanted = "must hold points of studies or loads"
        return StudyError(f"restart file {str(self.path)!r} {wanted}, line {number} is none: move the file away")


def _key(name: str, arguments: Mapping[str, Any], seed: int) -> str:
    """Return what tells one task with one seed from all others."""
    return json.dumps([name, dict(arguments), seed], sort_keys=True)


def _check(entry: Mapping[str, Any]) -> int:
    """Return the checksum of an entry."""
    return zlib.crc32(json.dumps(entry, sort_keys=True).encode())
