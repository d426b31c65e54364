"""Bugs: the lists of them, one for each system, and what a list must be like."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from cubecast.options.inputs import tables_of
from cubecast.options.usage import UsageError, shown
from cubecast.tb.harness.cache import digest
from cubecast.tb.harness.simulators import SIMULATORS
from cubecast.tb.mutants.runs import ROOT

__all__ = ["Bug", "bugs_of", "planted", "systems"]

LIST = "planted.toml"

FIELDS = ("what", "file", "before", "after", "test")


@dataclasses.dataclass(frozen=True)
class Bug:
    """One change of one file, and the test that is to find it.

    Parameters
    ----------
    system, number : str and int
        Whose list it is in, and its place there, from 1 on.
    what : str
        The bug in one sentence.
    file : str
        The file, from the root on.
    before, after : str
        A text that occurs once in the file, and what stands there instead.
    test : str
        ``UNIT CORNER [SIMULATOR]``, a run of the system's table of lockstep runs, or with ``SYSTEM/UNIT`` of another
        one's, by default on Icarus, which builds sooner; or ``tests/<system>/FILE.py::NAME`` for pytest.
    """

    system: str
    number: int
    what: str
    file: str
    before: str
    after: str
    test: str

    @property
    def key(self) -> str:
        """What a record knows it by: all of it but its place in the list."""
        return digest(self.system, *(getattr(self, name) for name in FIELDS))

    @property
    def sources(self) -> str:
        """A digest of hardware, twins and testbenches of the systems concerned, so that a record of others is old."""
        concerned = {*Path(self.file).parts[1:2], self.run[0] if self.run else self.system}
        files = [path for room in ("rtl", "golden", "tb") for name in concerned for path in _files(room, name)]
        return digest(*(path.read_text() for path in files))

    @property
    def run(self) -> tuple[str, str, str, str] | None:
        """System, unit, corner and simulator of a lockstep run; None for a test of pytest."""
        if "::" in self.test:
            return None
        words = self.test.split()
        if len(words) == 2:
            words.append("icarus")
        if len(words) != 3 or words[2] not in SIMULATORS or words[0].count("/") > 1:
            raise UsageError(
                f"test must be UNIT CORNER [SIMULATOR] or FILE::NAME, not {shown(self.test)} ({self.place})"
            )
        *system, unit = words[0].split("/")
        return system[0] if system else self.system, unit, words[1], words[2]

    @property
    def place(self) -> str:
        """Where it stands in the lists."""
        return f"{self.system} {self.number}"


def _files(room: str, system: str) -> list[Path]:
    """Return the modules of a system in a room."""
    return sorted((ROOT / room / system).rglob("*.py"))


def systems() -> list[str]:
    """Return the systems that have a list."""
    return sorted(path.parent.name for path in (ROOT / "tests").glob(f"*/{LIST}"))


def bugs_of(system: str) -> list[Bug]:
    """Return the list of a system, from entries ``[[bug]]``.

    Raises
    ------
    UsageError
        It is no TOML with such entries, or an entry has other keys, or values that are no texts.
    """
    text = (ROOT / "tests" / system / LIST).read_text()
    found = []
    for number, entry in enumerate(tables_of(text, "bug", f"list of {system}"), 1):
        if set(entry) != set(FIELDS) or not all(isinstance(value, str) for value in entry.values()):
            raise UsageError(f"bug must have the texts {', '.join(FIELDS)}, not {', '.join(entry)} ({system} {number})")
        found.append(Bug(system, number, **entry))
    return found


def planted(bug: Bug, root: Path) -> tuple[str, int]:
    """Return the text of the bug's file with the bug in it, and the line in which it begins.

    Raises
    ------
    UsageError
        The text before does not occur exactly once, or is the text after.
    """
    path = root / bug.file
    text = path.read_text() if path.is_file() else ""
    if text.count(bug.before) != 1:
        raise UsageError(f"before must occur once in {bug.file}, not {text.count(bug.before)} times ({bug.place})")
    if bug.before == bug.after:
        raise UsageError(f"after must be another text than before, not {shown(bug.after)} ({bug.place})")
    start = text.index(bug.before)
    return text.replace(bug.before, bug.after), text.count("\n", 0, start) + 1
