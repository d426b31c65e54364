"""Long tests: what ``make test`` leaves to ``make test LONG=1``, as CI runs it, by the processor time that it took.

A test is long if it took more than :data:`LIMIT` when the record was made, and with parameters of which others are
quicker if it took more than :data:`FURTHER`; unless it is marked ``core``, or a proof without a quicker parameter. One
that the record does not know is not. ``pytest -p tests.harness.long`` makes the record anew.
"""

from __future__ import annotations

import json
import math
import resource
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from tests.harness.record import CHANGED, revision

__all__ = ["FURTHER", "LIMIT", "RECORD", "Processor", "is_core", "mark", "recorded"]

LIMIT = 0.4
"""Processor seconds, those of the processes that a test starts and waits for included."""

FURTHER = 0.2
"""The same of a test with all parameters but the quickest."""

RECORD = Path(__file__).parents[1] / "long.json"
"""The revision, and the seconds of each test above the lower limit."""


def recorded() -> Mapping[str, float]:
    """Return the seconds of the tests in the record, by name."""
    seconds: Mapping[str, float] = json.loads(RECORD.read_text())["seconds"]
    return seconds


def is_core(item: pytest.Item) -> bool:
    """Return whether a test runs whatever it takes; ``core("n2")`` is about that value of its parameters alone."""
    marks = [mark.args for mark in item.iter_markers("core")]
    parameters = item.name.partition("[")[2].removesuffix("]")
    return any(not names or parameters in names for names in marks)


def mark(items: Iterable[pytest.Item], seconds: Mapping[str, float] | None = None) -> None:
    """Mark what is long of all that is not for ``make soak``."""
    took = recorded() if seconds is None else seconds
    tests: dict[str, list[pytest.Item]] = {}
    for item in items:
        if not item.get_closest_marker("soak"):
            tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for same in tests.values():
        same.sort(key=lambda item: took.get(item.nodeid, 0.0))
        for item in same:
            least = math.inf if item.get_closest_marker("formal") else LIMIT
            if took.get(item.nodeid, 0.0) > (least if item is same[0] else FURTHER) and not is_core(item):
                item.add_marker("long")


def _used() -> float:
    """Return the processor seconds of this process, and of all that it started and that have ended."""
    both = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


class Processor:
    """The record, on its way: each worker counts, and the process that hands out tests writes.

    Parameters
    ----------
    writes : bool
        Whether this is that process.
    """

    def __init__(self, writes: bool) -> None:
        """Begin without a test."""
        self.writes = writes
        self.begun = 0.0
        self.seconds: dict[str, float] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self) -> None:
        """Begin to count."""
        self.begun = _used()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        """Let the last report of a test carry what it took."""
        if call.when == "teardown":
            item.user_properties.append(("processor", _used() - self.begun))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep it."""
        for name, took in report.user_properties:
            if name == "processor":
                self.seconds[report.nodeid] = float(str(took))

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Write the record, unless something failed or a file differs from the revision."""
        root = session.config.rootpath
        at = revision(root) if self.writes else CHANGED
        if exitstatus == 0 and at != CHANGED:
            slow = {test: round(took, 2) for test, took in sorted(self.seconds.items()) if took > FURTHER}
            (root / "tests" / RECORD.name).write_text(json.dumps({"revision": at, "seconds": slow}, indent=0) + "\n")


def pytest_configure(config: pytest.Config) -> None:
    """Count, where this module is a plugin."""
    config.pluginmanager.register(Processor(writes=not hasattr(config, "workerinput")), "processor")
