"""What is long, by the record, and what a run says of it."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness.long import FURTHER, LIMIT, RECORD, is_core, mark, recorded

ROOT = Path(__file__).parents[2]

TOY = """\
import subprocess, sys, time
import pytest

WORK = "import time\\nwhile time.process_time() < 1: pass"

@pytest.mark.long
def test_long(): pass

@pytest.mark.long
@pytest.mark.soak
def test_campaign(): pass

def test_short(): pass

def test_works():
    begun = time.process_time()
    while time.process_time() < begun + 0.3: pass

def test_starts_what_works(): subprocess.run([sys.executable, "-c", WORK], check=True)
"""
GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@b")


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    """Return the folder of a revision with five tests and no record."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_toy.py").write_text(TOY)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    long\n    soak\n    core\n    check\n")
    (tmp_path / ".gitignore").write_text("__pycache__\n")
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "tests"]):
        subprocess.run([*GIT, *command], cwd=tmp_path, check=True)
    return tmp_path


def run(folder: Path, *options: str) -> str:
    """Return what pytest prints about the toy."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options, "tests"]
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_run_says_what_it_leaves_out(toy: Path, workers: str) -> None:
    """In its last lines, with the command that leaves out nothing; campaigns are not counted."""
    lines = run(toy, "-p", "tests.conftest", "-n", workers, "-m", "not soak and not long").splitlines()
    assert lines[-2] == "LEFT OUT: 1 long tests; make test LONG=1 runs them too, as CI does"
    assert lines[-3].endswith(" make test") and " 3 passed" in lines[-1]
    whole = run(toy, "-p", "tests.conftest", "-n", workers, "-m", "not soak").splitlines()
    assert whole[-2].endswith(" make test LONG=1") and " 4 passed" in whole[-1]


@pytest.mark.parametrize("workers", ["0", "2"])
def test_the_record_has_what_takes_long(toy: Path, workers: str) -> None:
    """With what it starts, in whichever process; of a whole tree and of a run without a failure."""
    record = toy / "tests" / RECORD.name
    run(toy, "-p", "tests.harness.long", "-n", workers)
    found = json.loads(record.read_text())
    assert set(found["seconds"]) == {f"tests/test_toy.py::test_{name}" for name in ("works", "starts_what_works")}
    assert all(took > FURTHER for took in found["seconds"].values()) and len(found["revision"]) == 40
    record.write_text("as it was")
    run(toy, "-p", "tests.harness.long", "-n", workers)
    assert record.read_text() == "as it was", "a file differs from the revision"


class Item:
    """A test as pytest collects it, with its marks."""

    def __init__(self, name: str, *marks: pytest.Mark) -> None:
        """Stand in some file."""
        self.name, self.nodeid, self.marks = name, f"f.py::{name}", marks
        self.added: list[str] = []

    def iter_markers(self, name: str) -> list[pytest.Mark]:
        """Return the marks of a name."""
        return [mark for mark in self.marks if mark.name == name]

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        """Return the last mark of a name."""
        return next(iter(self.iter_markers(name)[::-1]), None)

    def add_marker(self, name: str) -> None:
        """Add a mark."""
        self.added.append(name)


def test_what_is_core_is_never_long() -> None:
    """All of a test, or the values that its mark names; what the record does not have is short."""
    core, some = pytest.mark.core.mark, pytest.mark.core("n2", "a[b]").mark
    items = {
        "test_a": Item("test_a"),
        "core": Item("test_b", core),
        "of the mark": Item("test_c[n2]", some),
        "with brackets": Item("test_c[a[b]]", some),
        "of another value": Item("test_c[n3]", some),
        "short": Item("test_d"),
        "at the limit": Item("test_e"),
    }
    seconds = {item.nodeid: 9.0 for name, item in items.items() if name != "short"} | {"f.py::test_e": LIMIT}
    mark(items.values(), seconds)  # type: ignore[arg-type]
    assert {name for name, item in items.items() if item.added == ["long"]} == {"test_a", "of another value"}
    assert not is_core(items["test_a"])  # type: ignore[arg-type]


def test_further_parameters_are_long_sooner() -> None:
    """All but the quickest; one without parameters is the only one."""
    took = {"test_a[1]": FURTHER, "test_a[2]": 0.3, "test_a[3]": 0.35}
    took |= {"test_b": 0.35, "test_c[1]": LIMIT, "test_d[1]": 0.5}
    items = [Item(name) for name in ("test_a[0]", *took)]
    mark(items, {f"f.py::{name}": seconds for name, seconds in took.items()})  # type: ignore[arg-type]
    assert [item.name for item in items if item.added] == ["test_a[2]", "test_a[3]", "test_d[1]"]
    assert FURTHER < 0.3 and 0.35 < LIMIT < 0.5


def test_of_a_proof_the_quickest_parameter_is_not_long() -> None:
    """Whatever it takes; what is in soak does not count."""
    formal, soak = pytest.mark.formal.mark, pytest.mark.soak.mark
    items = [Item(f"test_p[{each}]", formal) for each in ("slow", "quick", "core")]
    items[2].marks += (pytest.mark.core("core").mark,)
    items += [Item("test_q[slow]", formal), Item("test_r", formal), Item("test_p[n10]", formal, soak)]
    took = {"test_p[slow]": 9.0, "test_p[quick]": 2.0, "test_p[core]": 9.0, "test_q[slow]": 7.0, "test_p[n10]": 1.0}
    mark(items, {f"f.py::{name}": seconds for name, seconds in took.items()})  # type: ignore[arg-type]
    assert [item.name for item in items if item.added] == ["test_p[slow]"]


def test_the_record_knows_tests_that_exist() -> None:
    """By file and function: a test that has another name would be short without a word."""
    functions: dict[str, set[str]] = {}
    for name in recorded():
        file, _, function = name.partition("[")[0].partition("::")
        if file not in functions:
            tree = ast.walk(ast.parse((ROOT / file).read_text()))
            functions[file] = {node.name for node in tree if isinstance(node, ast.FunctionDef)}
        assert function in functions[file], f"{name}: make long renews {RECORD.relative_to(ROOT)}"
