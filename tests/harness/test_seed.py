"""The seed of a run of the tests: drawn once, said, and given again."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cubecast.options.usage import UsageError
from tests.harness.seed import VARIABLE, drawn, fresh

ROOT = Path(__file__).parents[2]


def test_a_seed_is_drawn_once(monkeypatch):
    """All processes of a run have the same; another run has another one."""
    seeds = set()
    for _ in range(4):
        monkeypatch.delenv(VARIABLE)
        seeds.add(fresh())
        assert fresh() == fresh() == int(os.environ[VARIABLE])
    assert len(seeds) == 4
    monkeypatch.setenv(VARIABLE, "2147483647")
    assert fresh() == 2147483647


@pytest.mark.parametrize("text", ["", "-1", "2147483648", "1.5", "\u00b2", "x"])
def test_what_is_no_seed_is_refused(text, monkeypatch):
    """With the name of the variable."""
    monkeypatch.setenv(VARIABLE, text)
    with pytest.raises(UsageError, match=rf"^{VARIABLE} must be an integer from 0 to 2147483647, not "):
        fresh()


def test_seeds_of_long_runs_follow_from_it_under_names_that_stay(monkeypatch):
    """Within the range of seeds; a record leaves a run out by its name."""
    found = []
    for given in ("7", "2147483647"):
        monkeypatch.setenv(VARIABLE, given)
        found.append({each.id: each.values for each in drawn(2)})
    assert found == [{"drawn0": (7,), "drawn1": (8,)}, {"drawn0": (2147483647,), "drawn1": (0,)}]


def test_a_run_says_its_seed():
    """First and last; a wrong one is one line."""

    def said(seed):
        command = [sys.executable, "-m", "pytest", "-n", "0", "tests/mutants/test_clamp.py"]
        variables = {**os.environ, VARIABLE: seed}
        return subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False)

    lines = said("5").stdout.splitlines()
    first, last = (place for place, line in enumerate(lines) if "seed: " in line)
    assert lines[first] == "seed: CUBECAST_SEED=5" and first < 5
    assert lines[last] == "seed: 5; the same again: CUBECAST_SEED=5 make test LONG=1" and last == len(lines) - 2
    wrong = said("x")
    assert wrong.returncode == pytest.ExitCode.USAGE_ERROR
    assert wrong.stderr.strip() == "ERROR: CUBECAST_SEED must be an integer from 0 to 2147483647, not 'x'"
