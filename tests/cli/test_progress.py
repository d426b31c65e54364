"""Progress on standard error, with a clock that the test sets."""

import itertools
import re
import threading

import pytest

from cubecast.api.generation import STARTING
from cubecast.cli import generate as generate_command
from cubecast.cli import main
from cubecast.options.progress import PATIENCE, Progress
from cubecast.tb.harness import lockstep as harness


class Clock:
    """A clock that stands still until it is set."""

    now = 0.0

    def __call__(self):
        """Return the time."""
        return self.now


def test_lines_come_after_two_seconds_and_then_more_rarely(capsys):
    """Nothing before, whatever the stage; then at least two seconds and a quarter of all the time between two."""
    clock = Clock()
    progress = Progress("cubecast generate", "beginning", clock)
    said = []
    for second in range(81):
        clock.now = float(second)
        progress.stage(f"stage {second}")
        said += [second] if capsys.readouterr().err == f"cubecast generate: {second} s: stage {second}\n" else []
    assert said == [2, 4, 6, 8, 11, 15, 20, 27, 36, 48, 64]
    assert PATIENCE == 2


def test_the_first_line_says_what_is_being_done(capsys):
    """Even if no stage was noted in the first two seconds."""
    clock = Clock()
    progress = Progress("cubecast generate", "beginning", clock)
    clock.now = 2.0
    progress.tick()
    assert capsys.readouterr().err == "cubecast generate: 2 s: beginning\n"


def test_it_speaks_while_nothing_calls_it(monkeypatch):
    """A stage that says nothing itself, such as Yosys being compiled; no thread is left."""
    clock, spoken = Clock(), threading.Event()
    monkeypatch.setattr("cubecast.options.progress.PATIENCE", 0.02)
    monkeypatch.setattr("builtins.print", lambda *texts, **_: spoken.set() if "compiling" in texts[0] else None)
    threads = threading.active_count()
    with Progress("cubecast generate", "beginning", clock) as progress:
        progress.stage("compiling")
        clock.now = 80.0
        assert spoken.wait(60)
    assert threading.active_count() == threads


@pytest.mark.parametrize("json", [False, True])
def test_generate_tells_its_stages_on_standard_error(capsys, monkeypatch, tmp_path, json):
    """Yosys starts, which takes long the first time; modules; Yosys writes. Standard output is what it always is."""
    clock = itertools.count(0.0, PATIENCE).__next__
    monkeypatch.setattr("cubecast.options.progress.GROWTH", 0.0)
    monkeypatch.setattr(generate_command, "Progress", lambda command, stage: Progress(command, stage, clock))
    assert main(["generate", "mhu", "--dim", "2", "-o", str(tmp_path), *["--json"] * json]) == 0
    out, err = capsys.readouterr()
    assert out.count("\n") == (1 if json else 8)
    stages = list(dict.fromkeys(re.findall(r"^cubecast generate: \d+ s: (.*)$", err, re.M)))
    # Said where it takes a second by the real clock.
    stages = stages[stages[0] == generate_command.LOADING :]
    assert "compiled when it first runs on a machine" in STARTING
    assert stages[:2] == [STARTING, "converting cubecast_mhu"]
    assert stages[2:-1] and all(re.fullmatch(r"converted cubecast_\w+", stage) for stage in stages[2:-1])
    assert stages[-1] == "Yosys writes the Verilog"


def test_a_simulation_tells_its_stages_on_standard_error(capsys, monkeypatch):
    """Verilog of a large network, and a long run, which are silent themselves; the result is what it always is."""
    told = []

    class Noted(Progress):
        """One that is long in coming to its end, by its clock."""

        def __init__(self, command, stage):
            super().__init__(command, stage, itertools.count(0.0, PATIENCE).__next__)

        def __exit__(self, *_):
            self.tick()
            super().__exit__(*_)
            told.append(capsys.readouterr().err.splitlines()[-1])

    monkeypatch.setattr("cubecast.options.progress.GROWTH", 0.0)
    monkeypatch.setattr(harness, "Progress", Noted)
    assert main(["simulate", "--dim", "3", "--messages", "examples/mixed.json"]) == 0
    assert capsys.readouterr().out.startswith("3-cube of RTL routers")
    assert [re.sub(r"\d+ s", "N s", line) for line in told] == [
        "cubecast: N s: making the Verilog",
        "cubecast: N s: simulating",
    ]
