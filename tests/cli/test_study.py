"""``cubecast study``: list, files, restart after a kill, one line for bad input."""

import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

from cubecast.cli import main
from cubecast.study.registry import all_studies

FILES = ["csv", "json", "png", "svg"]


def run(capsys, *arguments):
    """Run the command line in this process; return status, standard output, standard error."""
    status = main(["study", *map(str, arguments)])
    out, err = capsys.readouterr()
    return status, out, err


def test_list_names_every_study(capsys):
    """In order, with where it comes from."""
    status, out, err = run(capsys, "list")
    assert (status, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()[1:]] == list(all_studies())


def test_a_study_writes_its_files_and_a_line_for_each_claim(capsys, tmp_path):
    """Which end with the verdict."""
    status, out, err = run(capsys, "lan-hamming", "--jobs", 1, "-o", tmp_path / "new" / "folder")
    assert (status, err) == (0, "")
    assert sorted(os.listdir(tmp_path / "new" / "folder")) == [
        *(f"lan-hamming.{kind}" for kind in FILES),
        "points.jsonl",
    ]
    claims = json.loads((tmp_path / "new" / "folder" / "lan-hamming.json").read_text())["claims"]
    lines = out.splitlines()[1 : 1 + len(claims)]
    for line, claim in zip(lines, claims, strict=True):
        assert line.startswith(f"  {claim['claim']} ({claim['source']}): ")
        assert line.endswith(f": {claim['verdict']}")


def test_a_killed_study_goes_on(capsys, tmp_path):
    """From the points it has, to the same files as one that ran through."""
    command = [sys.executable, "-m", "cubecast", "study", "lan-7.2", "--quick", "--jobs", "1", "-o"]
    points = tmp_path / "killed" / "points.jsonl"
    with subprocess.Popen([*command, tmp_path / "killed"], stdout=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not (points.exists() and points.read_bytes().count(b"\n") > 3):
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
    assert os.listdir(tmp_path / "killed") == ["points.jsonl"]
    before = points.read_bytes()
    assert 3 < before.count(b"\n") < 36
    for folder in ("killed", "whole"):
        assert run(capsys, "lan-7.2", "--quick", "--jobs", 1, "-o", tmp_path / folder)[0] == 0
    assert points.read_bytes().startswith(before[: before.rindex(b"\n")])
    for kind in FILES:
        name = f"lan-7.2.{kind}"
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_progress_is_shown_on_a_terminal(capsys, monkeypatch, tmp_path):
    """And taken away at the end."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    err = run(capsys, "lan-hamming", "--jobs", 1, "-o", tmp_path)[2]
    shown = err.split("\r\x1b[K")
    assert shown[1] == "lan-hamming: 0 of 8 points"
    assert shown[-2:] == ["lan-hamming: 8 of 8 points", ""]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["lan-9.9", "-o", "DIR"], "NAME must be list, all or one of lan-5.3, "),
        (["lan-5.3"], "-o DIR is required"),
        (["list", "-o", "DIR"], "out must be left out with list, which runs no study"),
        (["list", "--seed", "1"], "seed must be left out with list, which runs no study"),
        (["list", "--jobs", "1"], "jobs must be left out with list, which runs no study"),
        (["list", "--quick"], "quick must be left out with list, which runs no study"),
        (["lan-5.3", "-o", "FILE"], "folder 'FILE' must be one that can be written: File exists"),
        (["lan-5.3", "-o", "FILE/in"], "folder 'FILE/in' must be one that can be written: Not a directory"),
        (["lan-5.3", "-o", "DIR", "--seed", "-1"], "seed must be an integer from 0 to 2**64 - 1, not -1"),
        (["lan-5.3", "-o", "DIR", "--seed", "x"], "argument --seed: must be an integer"),
        (["lan-5.3", "-o", "DIR", "--jobs", "0"], "jobs must be an integer from 1 to 1024, not 0"),
        (["lan-5.3", "-o", "DIR", "--jobs", "2", "--scheduler", "tcp://h:1"], "argument --scheduler: not allowed with"),
        (["lan-5.3", "-o", "DIR", "--scheduler", "tcp://127.0.0.1:1"], "scheduler must be the address of a Dask"),
        (["lan-5.3", "-o", "DIR", "--scheduler", "nowhere"], "scheduler must be the address of a Dask scheduler, such"),
        (["lan-5.3", "-o", "DIR", "--scheduler", "tcp://h:x"], "scheduler must be the address of a Dask scheduler"),
    ],
)
def test_bad_input_is_one_line(capsys, monkeypatch, tmp_path, arguments, line):
    """Status 2, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "FILE").write_text("mine")
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (2, "")
    assert err.startswith(f"cubecast study: {line}")
    assert err.count("\n") == 1
    assert os.listdir(tmp_path) == ["FILE"]
    assert (tmp_path / "FILE").read_text() == "mine"


def test_a_corrupt_restart_file_is_one_line(capsys, tmp_path):
    """Neither it nor the results beside it are touched."""
    contents = {"points.jsonl": "not a restart file\n", "lan-hamming.json": "{}", "lan-hamming.csv": "x"}
    for name, content in contents.items():
        (tmp_path / name).write_text(content)
    status, out, err = run(capsys, "lan-hamming", "-o", tmp_path)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == contents


def test_without_matplotlib_is_one_line(capsys, monkeypatch, tmp_path):
    """That says what to install, before anything is computed; the list has no plots."""
    real = importlib.util.find_spec
    monkeypatch.setattr("cubecast.cli.study.find_spec", lambda name: None if name == "matplotlib" else real(name))
    assert run(capsys, "list")[0] == 0
    status, _, err = run(capsys, "lan-hamming", "-o", tmp_path / "new")
    assert os.listdir(tmp_path) == []
    assert (status, err) == (3, "cubecast study: study needs matplotlib: pip install 'cubecast[study]'\n")


def test_without_dask_is_one_line(capsys, monkeypatch, tmp_path):
    """That says what to install."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    status, _, err = run(capsys, "lan-hamming", "-o", tmp_path, "--scheduler", "tcp://127.0.0.1:1")
    assert (status, err) == (3, "cubecast study: scheduler needs Dask: pip install 'cubecast[cluster]'\n")


@pytest.mark.parametrize("begin", [None, b"", b"SSH-2.0-OpenSSH_9.6\r\n"])
def test_somebody_else_at_the_address_is_one_line(begin, capsys, monkeypatch, tmp_path):
    """Who says nothing is not waited for longer than for a connection, nor listened to who speaks another language."""
    monkeypatch.setattr("cubecast.study.executor.CONNECT_SECONDS", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept():
            """Take the connection; say something and close it, or keep it in silence until the other end is gone."""
            line, _ = server.accept()
            with line:
                if begin is None:
                    line.recv(1)
                else:
                    line.sendall(begin)

        threading.Thread(target=accept, daemon=True).start()
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        status, _, err = run(capsys, "lan-hamming", "-o", tmp_path, "--scheduler", address)
    wanted = (
        "cubecast study: scheduler must be the address of a Dask scheduler, such as tcp://node0:8786; nobody answers"
    )
    assert (status, err) == (2, f"{wanted} at {address!r}\n")
    assert not list(tmp_path.iterdir())
