"""A study from tasks to files: what is computed, by whom, and what comes out."""

import csv
import io
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from concurrent.futures import BrokenExecutor, Executor, Future

import distributed
import pytest

from cubecast.study.executor import local_executor, open_executor
from cubecast.study.model import StudyError
from cubecast.study.result import claim_line, csv_text, json_text, result_files
from cubecast.study.run import run_study
from cubecast.study.store import Store
from tests.study.toy import LOG, Toy


def toy_result(folder, executor, study=None, **settings):
    """Run the toy in a folder."""
    with Store(folder) as store:
        return run_study(study or Toy(), executor, store, **{"quick": False, "seed": 5, **settings})


@pytest.fixture
def executor():
    """Work in this process."""
    with local_executor(1) as executor:
        yield executor


def test_only_missing_points_are_computed(tmp_path, monkeypatch, executor):
    """A study goes on from the points it has, and comes to the same end."""
    log = tmp_path / "log"
    monkeypatch.setenv(LOG, str(log))
    with pytest.raises(ArithmeticError):
        toy_result(tmp_path / "a", executor, Toy((1, 2, -1)))
    assert log.read_text().split() == ["1", "2", "-1"]
    seen = []
    result = toy_result(tmp_path / "a", executor, progress=lambda done, of: seen.append((done, of)))
    assert log.read_text().split()[3:] == ["3", "4"]
    assert seen == [(2, 4), (3, 4), (4, 4)]
    assert csv_text(result) == csv_text(toy_result(tmp_path / "b", executor))


def test_seed_and_quick_make_other_numbers(tmp_path, executor):
    """In the same folder, side by side."""
    results = [toy_result(tmp_path, executor, **more).points for more in ({}, {"seed": 6}, {"quick": True}, {})]
    assert results[0] == results[3]
    assert len({points[0].mean for points in results}) == 3


def test_number_of_processes_does_not_matter(tmp_path):
    """The same files to the byte."""
    files = []
    for jobs in (1, 2):
        with open_executor(jobs) as executor:
            files.append(result_files(toy_result(tmp_path / str(jobs), executor)))
    assert files[0] == files[1]


def test_workers_of_dask_do_not_matter(tmp_path):
    """A cluster of two worker processes makes the same files, whatever each of them did."""
    settings = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "host": "127.0.0.1"}
    with (
        distributed.LocalCluster(processes=True, silence_logs=50, **settings) as cluster,
        open_executor(1, cluster.scheduler_address) as executor,
    ):
        remote = result_files(toy_result(tmp_path / "dask", executor, Toy(range(1, 20))))
    with local_executor(1) as executor:
        assert remote == result_files(toy_result(tmp_path / "here", executor, Toy(range(1, 20))))


def test_runs_are_added_where_a_claim_is_open(tmp_path, executor):
    """At its place only, twice at most, the same every time; not in a quick run, and not when it is decided."""

    def runs(**settings):
        result = toy_result(tmp_path, executor, **settings)
        return [point.runs for point in result.points], result.parameters.get("doubled"), result.claims[0].verdict

    assert runs() == ([30] * 4, None, "holds")
    half_width = 0.03
    undecided = [120, 30, 30, 30], {"1": 2}, "open"
    assert runs(study=Toy(near=half_width)) == runs(study=Toy(near=half_width)) == undecided
    assert runs(study=Toy(near=half_width), quick=True) == ([3] * 4, None, "open")
    decided = [60, 30, 30, 30], {"1": 1}, "holds"
    assert runs(study=Toy(near=0.115)) == decided


def test_numbers_of_the_files_have_12_digits(tmp_path, executor):
    """In both files; the last bits are not the same on every machine."""
    files = result_files(toy_result(tmp_path, executor))
    for name in ("toy.csv", "toy.json"):
        numbers = re.findall(r"\d\.\d+", files[name])
        digits = [len(number.replace(".", "").lstrip("0")) for number in numbers]
        assert max(digits) == 12


class Gone(Executor):
    """An executor whose workers are gone."""

    def submit(self, function, *arguments):
        """Return a future that has failed."""
        future = Future()
        future.set_exception(BrokenExecutor("a process ended"))
        return future


def test_workers_that_end_are_told_in_one_line(tmp_path):
    """What was done before is kept."""
    with pytest.raises(
        StudyError, match=r"^workers ended before their work was done; start again to go on from there$"
    ):
        toy_result(tmp_path, Gone())


def test_files(tmp_path, executor):
    """CSV, JSON and pictures hold what the result holds, in the documented form."""
    result = toy_result(tmp_path, executor)
    names = ["curve", "x", "mean", "std", "min", "max", "runs"]
    content = json.loads(json_text(result))
    assert list(content) == ["parameters", "seed", "points", "claims"]
    assert content["parameters"] == {"places": [1, 2, 3, 4], "runs": 30, "left_out": "place 0"}
    assert content["seed"] == 5
    assert all(list(point) == names for point in content["points"])
    assert all(list(claim) == ["claim", "source", "measured", "interval", "verdict"] for claim in content["claims"])
    rows = list(csv.DictReader(io.StringIO(csv_text(result))))
    assert [{name: str(point[name]) for name in names} for point in content["points"]] == rows
    files = result_files(result)
    assert list(files) == ["toy.csv", "toy.json", "toy.svg", "toy.png"]
    assert files["toy.png"].startswith(b"\x89PNG")
    text = "".join(ElementTree.fromstring(files["toy.svg"]).itertext())
    assert "toy: random numbers" in text
    assert "left out: place 0" in text


def test_a_claim_is_a_line(tmp_path, executor):
    """With its interval, if it has one."""
    sampled, exact = toy_result(tmp_path, executor).claims
    low, high = sampled.interval
    assert claim_line(sampled) == f"near a half (nobody): {sampled.measured:.4g} [{low:.4g}, {high:.4g}]: holds"
    assert claim_line(exact) == "there are places (nobody): 4: holds"


TOLD = """
import sys, time
from pathlib import Path
from cubecast.study.executor import local_executor

class Struck:
    def __del__(self):
        Path({there!r}).touch()
        time.sleep(60)

def task():
    Struck()
    time.sleep(60)

if __name__ == "__main__":
    with local_executor(2) as executor:
        executor.submit(task)
        while not Path({there!r}).exists():
            time.sleep(0.05)
        raise KeyboardInterrupt
"""


def test_a_process_is_told_to_end_wherever_it_is(tmp_path):
    """Python drops exceptions of the end of an object: the task would go on, after a traceback."""
    program = tmp_path / "told.py"
    program.write_text(TOLD.format(there=str(tmp_path / "there")))
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False, timeout=50)
    assert done.returncode and done.stderr.count("Traceback") == 1 and "SystemExit" not in done.stderr


STARTING = """
import multiprocessing, os, signal, time
from pathlib import Path
from cubecast.study.executor import local_executor

if __name__ == "__mp_main__":
    Path({there!r}).touch()
    time.sleep(1)

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with local_executor(2) as executor:
        answer = executor.submit(os.getpid)
        while not Path({there!r}).exists():
            time.sleep(0.05)
        for worker in multiprocessing.active_children():
            os.kill(worker.pid, signal.SIGINT)
        answer.result()
"""


def test_a_process_that_starts_leaves_the_interrupt_key_to_its_parent(tmp_path):
    """It hears it before a line of ours has run in it: it would end with a traceback of its own."""
    program = tmp_path / "starting.py"
    program.write_text(STARTING.format(there=str(tmp_path / "there")))
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False, timeout=50)
    assert (done.returncode, done.stderr) == (0, "")
