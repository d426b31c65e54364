"""The record of a long campaign: what passed at a revision is not run again."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness.record import CHANGED, Record, latest, table

TESTS = "def test_good(): pass\n\n\ndef test_bad(): assert 0\n"
GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@b")


def run(folder: Path, *options: str) -> str:
    """Return what pytest prints about the tests in a folder."""
    command = [sys.executable, "-m", "pytest", "-p", "tests.harness.record", "--record", "build/record.jsonl", *options]
    command += ["-p", "no:cacheprovider", "--rootdir", str(folder), str(folder)]
    variables = {
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PATH": "/usr/bin:/bin",
    }
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize("options", [(), ("-n", "2")], ids=["one_process", "workers"])
def test_a_campaign_goes_on_where_it_was_stopped(tmp_path: Path, options: tuple[str, ...]) -> None:
    """What passed is left out at the same revision, what failed runs again; with changed files everything runs."""
    (tmp_path / "test_it.py").write_text(TESTS)
    (tmp_path / ".gitignore").write_text("build\n__pycache__\n")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run([*GIT, "add", "-A"], cwd=tmp_path, check=True)
    subprocess.run([*GIT, "commit", "-q", "-m", "tests"], cwd=tmp_path, check=True)
    assert "1 failed, 1 passed" in run(tmp_path, *options)
    lines = [json.loads(line) for line in (tmp_path / "build" / "record.jsonl").read_text().splitlines()]
    assert sorted((line["test"], line["outcome"]) for line in lines) == [
        ("test_it.py::test_bad", "failed"),
        ("test_it.py::test_good", "passed"),
    ]
    assert all(type(line["seed"]) is int for line in lines)
    again = run(tmp_path, *options)
    assert "1 tests passed earlier at" in again
    assert "1 failed" in again
    assert "1 passed" not in again
    (tmp_path / "test_it.py").write_text(TESTS + "\n")
    assert "1 failed, 1 passed" in run(tmp_path)


def test_what_passed_at_an_earlier_revision_counts_if_asked(tmp_path: Path) -> None:
    """The last run at a revision decides; runs with changed files are never counted."""
    runs = [("a1", "one", "passed"), ("a1", "two", "passed"), ("b2", "two", "failed"), (CHANGED, "three", "passed")]
    lines = [
        json.dumps({"revision": r, "test": t, "outcome": o, "seconds": 60.0})
        for r, t, o in [*runs, ("b2", "four", "passed")]
    ]
    file = tmp_path / "record.jsonl"
    file.write_text("\n".join(lines))
    assert Record(file, "b2").passed == {"four": 60.0}
    assert Record(file, "b2", earlier=True).passed == {"one": 60.0, "four": 60.0}
    assert Record(file, CHANGED, earlier=True).passed == {}


def test_the_table_counts_by_folder() -> None:
    """Outcomes, minutes and revisions of the last runs."""
    runs = [
        ("a1", "x/t.py::p", "failed"),
        ("b2", "x/t.py::p", "passed"),
        ("a1", "x/t.py::q", "failed"),
        ("a1", "t.py::r", "skipped"),
    ]
    lines = [json.dumps({"revision": r, "test": f"tests/{t}", "outcome": o, "seconds": 90.0}) for r, t, o in runs]
    assert table(latest(lines))[2:] == [
        "| `t.py` | 1 | 0 | 1 | 0 | 1.5 | a1 |",
        "| `x` | 2 | 1 | 0 | 1 | 3.0 | a1, b2 |",
    ]
