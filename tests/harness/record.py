"""Pytest plugin: a record of long tests, so that a campaign of hours goes on where it stopped.

``pytest -p tests.harness.record --record FILE`` appends a line of JSON for each test that ran: ``revision``, ``seed``
(:func:`tests.harness.seed.fresh`), ``test``, ``outcome`` and ``seconds``. Tests that passed at the checked-out revision
are not run again, with ``--earlier`` neither those that passed at another one; nothing is left out where files differ
from the revision.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from cubecast.tb.harness.pages import markdown
from tests.harness.seed import fresh

__all__ = ["Record", "latest", "table"]

CHANGED = "changed"
"""The revision of a tree with changes: nothing that ran on it counts later."""


def revision(folder: Path) -> str:
    """Return the commit that is checked out, ``CHANGED`` if files differ from it or no repository is there."""
    for command in (["git", "status", "--porcelain"], ["git", "rev-parse", "HEAD"]):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode or (command[1] == "status" and done.stdout):
            return CHANGED
    return done.stdout.strip()


def latest(lines: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return what the last run of each test at a revision was, by test."""
    read = map(json.loads, lines)
    return {line["test"]: line for line in read if line["revision"] != CHANGED}


def table(last: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the table of last runs, by the folder of the tests."""
    folders: dict[str, list[Mapping[str, Any]]] = {}
    for test, line in sorted(last.items()):
        folders.setdefault(test.removeprefix("tests/").partition("/")[0].partition("::")[0], []).append(line)
    rows = [
        [
            f"`{folder}`",
            len(lines),
            *(sum(line["outcome"] == outcome for line in lines) for outcome in ("passed", "skipped", "failed")),
            round(sum(line["seconds"] for line in lines) / 60, 1),
            ", ".join(sorted({line["revision"][:7] for line in lines})),
        ]
        for folder, lines in folders.items()
    ]
    return markdown(["tests", "ran", "passed", "skipped", "failed", "minutes", "revisions"], rows)


class Record:
    """What ran at one revision.

    Parameters
    ----------
    file : Path
        Lines of JSON; made if it is not there.
    revision : str
        The commit, or ``CHANGED``.
    earlier : bool
        Whether what passed at other revisions counts, too.
    """

    def __init__(self, file: Path, revision: str, earlier: bool = False) -> None:
        """Read what passed."""
        self.file = file
        self.revision = revision
        self.earlier = earlier
        last = latest(file.read_text().splitlines()) if file.exists() and revision != CHANGED else {}
        here = [line for line in last.values() if earlier or line["revision"] == revision]
        self.passed = {line["test"]: line["seconds"] for line in here if line["outcome"] == "passed"}
        self.seconds: dict[str, float] = {}
        self.outcomes: dict[str, str] = {}

    def pytest_configure_node(self, node: object) -> None:
        """Tell a worker what passed: all workers collect the same tests, whatever is recorded meanwhile."""
        node.workerinput["recorded"] = sorted(self.passed)  # type: ignore[attr-defined]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record a test when it has ended: failed if any of its phases did."""
        test = report.nodeid
        self.seconds[test] = self.seconds.get(test, 0.0) + report.duration
        if report.outcome != "passed":
            self.outcomes[test] = report.outcome
        if report.when == "teardown":
            line = {
                "revision": self.revision,
                "seed": fresh(),
                "test": test,
                "outcome": self.outcomes.get(test, "passed"),
            }
            self.file.parent.mkdir(parents=True, exist_ok=True)
            with self.file.open("a") as file:
                file.write(json.dumps({**line, "seconds": round(self.seconds[test], 1)}) + "\n")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what ran earlier."""
        if self.passed:
            spent = sum(self.passed.values()) / 60
            where = "a recorded revision" if self.earlier else self.revision[:12]
            text = f"{len(self.passed)} tests passed earlier at {where}, in {spent:.0f} minutes"
            terminalreporter.write_line(f"{text} ({self.file})")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--record`` and ``--earlier``."""
    parser.addoption("--record", metavar="FILE", help="append what ran to FILE; leave out what passed at this revision")
    parser.addoption("--earlier", action="store_true", help="leave out what passed at any recorded revision")


def pytest_configure(config: pytest.Config) -> None:
    """Read the record, in the process that hands out tests."""
    name = config.getoption("--record")
    if name and not hasattr(config, "workerinput"):
        config.pluginmanager.register(
            Record(Path(name), revision(config.rootpath), config.getoption("--earlier")), "record"
        )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what passed."""
    record = config.pluginmanager.get_plugin("record")
    worker = getattr(config, "workerinput", {}).get("recorded", ())
    passed = set(worker if record is None else record.passed)
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in passed])
    items[:] = [item for item in items if item.nodeid not in passed]
