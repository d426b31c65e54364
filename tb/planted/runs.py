"""Runs: a copy of the checkout, bugs planted in it one after the other, and the test of each."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from cubecast.options.usage import ToolError, UsageError
from cubecast.tb.harness.process import clean_environment, end_running, execute
from cubecast.tb.mutants.runs import ROOT
from cubecast.tb.planted.bugs import Bug, planted
from cubecast.tb.planted.trial import BROKEN, CAUGHT, PASSED

__all__ = ["GONE", "OUTCOMES", "tried"]

GONE, SLOW = "gone", "slow"

OUTCOMES = {
    CAUGHT: "the test fails: outputs differ, a property does not hold, an event never happens",
    PASSED: "the test passes",
    GONE: "the text that it changes is not in the file any more, or more than once",
    BROKEN: "the test has no answer: the hardware with the bug is none, or a solver is undecided",
    SLOW: "the test took too long",
}
"""What becomes of a bug."""

COPIED = ("cubecast", "golden", "rtl", "tb", "tests", "examples", "docs", "pyproject.toml")

PATIENCE = 600
"""Seconds of wall time that a test may take."""

SEED = "1"


class _Copy:
    """A copy of the checkout without what is built, in which one bug at a time is planted."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "tree"
        self.log = folder / "log"
        self.cache = folder / "cache"
        self.root.mkdir(parents=True)
        for name in COPIED:
            if (ROOT / name).is_dir():
                ignored = shutil.ignore_patterns("__pycache__")
                shutil.copytree(ROOT / name, self.root / name, symlinks=True, ignore=ignored)
            else:
                shutil.copy(ROOT / name, self.root / name)
        self.times = itertools.count(1_000_000_000)

    def test(self, bug: Bug) -> dict[str, Any]:
        """Run the bug's test on the copy as it is."""
        answer = self.root.parent / "answer.json"
        answer.unlink(missing_ok=True)
        command = [sys.executable, "-m", "cubecast.tb.planted.trial", str(answer)]
        command += bug.run or [bug.test]
        own = {"PYTHONPATH": str(self.root), "CUBECAST_CACHE": str(self.cache), "CUBECAST_SEED": SEED}
        env = {name: value for name, value in clean_environment().items() if name != "PYTHONDONTWRITEBYTECODE"} | own
        try:
            status = execute(command, cwd=self.root, env=env, log=self.log, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            return {"outcome": SLOW, "by": f"more than {PATIENCE} s"}
        if status or not answer.exists():
            tail = "\n".join(self.log.read_text(errors="replace").splitlines()[-20:])
            raise ToolError(f"the test of {bug.place} ended with status {status} and no answer:\n{tail}")
        answered: dict[str, Any] = json.loads(answer.read_text())
        return answered

    @contextlib.contextmanager
    def with_bug(self, bug: Bug) -> Iterator[int]:
        """Let the bug be there meanwhile; yield its line."""
        path = self.root / bug.file
        changed, line = planted(bug, self.root)
        text = path.read_text()
        try:
            self._write(path, changed)
            yield line
        finally:
            self._write(path, text)

    def _write(self, path: Path, text: str) -> None:
        """Write a file; its time is one that it never had, or Python takes the bytecode that it has compiled before."""
        path.write_text(text)
        time = next(self.times)
        os.utime(path, (time, time))


def tried(bugs: Sequence[Bug], jobs: int, say: Callable[[str], None]) -> Iterator[tuple[Bug, dict[str, Any]]]:
    """Yield what became of each bug, as they are done; each test first passes without any bug.

    Parameters
    ----------
    bugs : sequence of Bug
        What is planted.
    jobs : int
        How many at a time, each in a copy of its own.
    say : function
        Takes a line of progress.

    Raises
    ------
    ToolError
        A test does not pass without a bug, or did not run to its end.
    """
    with tempfile.TemporaryDirectory(prefix="cubecast-") as scratch, ThreadPoolExecutor(jobs) as pool:
        copies: queue.SimpleQueue[_Copy] = queue.SimpleQueue()
        for job in range(jobs):
            copies.put(_Copy(Path(scratch) / str(job)))

        def with_copy(work: Callable[[_Copy, Bug], dict[str, Any]], bug: Bug) -> dict[str, Any]:
            copy = copies.get()
            try:
                return work(copy, bug)
            finally:
                copies.put(copy)

        def done(
            work: Callable[[_Copy, Bug], dict[str, Any]], some: Iterable[Bug]
        ) -> Iterator[tuple[Bug, dict[str, Any]]]:
            asked = {pool.submit(with_copy, work, bug): bug for bug in some}
            for future in as_completed(asked):
                yield asked[future], future.result()

        try:
            tests = {bug.run or bug.test: bug for bug in bugs}
            say(f"{len(tests)} tests without a bug")
            for bug, answer in done(_Copy.test, tests.values()):
                if answer["outcome"] != PASSED:
                    raise ToolError(f"{bug.test} of {bug.system} does not pass without a bug: {answer['by']}")
            yield from done(_trial, bugs)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            end_running()
            raise


def _trial(copy: _Copy, bug: Bug) -> dict[str, Any]:
    """Plant a bug, run its test, and take the bug out again."""
    try:
        with copy.with_bug(bug) as line:
            return {"line": line, **copy.test(bug)}
    except UsageError as error:
        return {"line": 0, "outcome": GONE, "by": str(error)}
