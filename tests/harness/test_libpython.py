"""The shared library of Python: found on the machine, fetched from Debian's package, or asked for in one line."""

import sys
from pathlib import Path

import pytest

from cubecast.tb.harness import libpython as room
from tests.harness.disk import small_disk

APT = """#!/bin/sh
echo "$@" >> "{log}"
case "$*" in
    *update*) touch "{known}" ;;
    *download*) [ -e "{known}" ] && touch {package}_3_amd64.deb ;;
esac
"""
"""An apt-get whose package lists are empty at first."""

DPKG = """#!/bin/sh
mkdir -p "$3/usr/lib" && ln -s "{library}" "$3/usr/lib/{file}"
"""


@pytest.fixture
def bare(tmp_path, monkeypatch):
    """Make a machine and a virtual environment without the library; return the folder of its programs."""
    programs = tmp_path / "bin"
    (tmp_path / "venv" / "lib").mkdir(parents=True)
    programs.mkdir()
    (tmp_path / "library").write_text("library\n")
    program(programs / "dpkg-deb", DPKG.format(file=room.FILE, library=tmp_path / "library"))
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "venv"))
    monkeypatch.setattr(room, "find_libpython", lambda: None)
    room.libpython.cache_clear()
    yield programs
    room.libpython.cache_clear()


def program(path: Path, text: str) -> None:
    """Write a program."""
    path.write_text(text)
    path.chmod(0o755)


def test_library_of_the_machine_is_found():
    """The simulators load a file that is there."""
    assert room.libpython().is_file()


def test_missing_library_without_apt_is_one_line(bare, monkeypatch, capsys):
    """Status 3, and the line names the package."""
    monkeypatch.setenv("PATH", str(bare))
    assert room.main() == 3
    assert capsys.readouterr().err == (
        f"cubecast: the shared library of Python ({room.FILE}) is missing: apt install {room.PACKAGE}\n"
    )


def test_missing_library_is_unpacked_into_the_environment(bare, monkeypatch, tmp_path, capsys):
    """With package lists of its own when the machine has none; afterwards it is found."""
    log = tmp_path / "log"
    program(bare / "apt-get", APT.format(log=log, known=tmp_path / "known", package=room.PACKAGE))
    monkeypatch.setenv("PATH", str(bare), prepend=":")
    assert room.main() == 0
    fetched = tmp_path / "venv" / "lib" / room.FILE
    assert capsys.readouterr().out == f"fetched {fetched}\n"
    assert fetched.read_text() == "library\n"
    assert [words.split()[-1] for words in log.read_text().splitlines()] == [room.PACKAGE, "update", room.PACKAGE]
    assert room.libpython() == fetched


def test_a_library_that_is_not_whole_is_not_left(bare, monkeypatch, tmp_path, capsys):
    """Where the disk is full: status 3 and one line, and the next setup fetches it again."""
    program(bare / "apt-get", APT.format(log=tmp_path / "log", known=tmp_path / "library", package=room.PACKAGE))
    monkeypatch.setenv("PATH", str(bare), prepend=":")
    (tmp_path / "library").write_bytes(bytes(5000))
    with small_disk(1000):
        assert room.main() == 3
    fetched = tmp_path / "venv" / "lib" / room.FILE
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("cubecast: library ") and err.count("\n") == 1
    assert err.endswith(" could not be written: File too large; nothing of it is kept\n")
    assert list(fetched.parent.iterdir()) == []
    assert room.main() == 0 and fetched.read_bytes() == bytes(5000)
