"""The system with processors of ``examples/riscv``: its program is compiled here, and run in make soak."""

import importlib.util
import shutil
from pathlib import Path

import pytest

from cubecast.cli import main
from cubecast.options.usage import ToolError
from cubecast.systems import units
from tests.conftest import NO_RISCV

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "riscv"


@pytest.fixture(scope="module")
def example():
    """Return the script as a module."""
    spec = importlib.util.spec_from_file_location("riscv_example", EXAMPLE / "run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def need_compiler(example):
    """Skip where there is no cross compiler."""
    if shutil.which(example.COMPILER) is None:
        pytest.skip(NO_RISCV)


def test_the_program_compiles(tmp_path, example):
    """Over the driver, without a warning; it begins with its start, and memory is zero behind it."""
    need_compiler(example)
    system, unit = units()["network"]
    config = system.config.from_json({"dim": 2, "source_field": True})
    for file, text in system.description.headers(unit.axi, config, "cubecast").items():
        (tmp_path / file).write_text(text)
    words = [int(line, 16) for line in example.compiled(tmp_path).read_text().split()]
    # The first instruction is the call of main: jal ra, or auipc ra and jalr.
    assert len(words) == example.MEMORY and words[0] & 0xFFF in (0x0EF, 0x097) and words[-1] == 0


def test_without_a_compiler_it_is_one_line(tmp_path, example, monkeypatch):
    """Before anything is made."""
    monkeypatch.setattr(example.shutil, "which", lambda name: None)
    with pytest.raises(ToolError, match="riscv64-unknown-elf-gcc is not on this machine: apt install gcc-riscv64"):
        example.run(["-o", str(tmp_path / "made")])
    assert not any(tmp_path.iterdir())


def test_what_differs_is_seen(example, capsys):
    """Nodes may write in any order; a line that lacks or differs, a status, and a run without an end are failures."""
    lines = (EXAMPLE / "expected.txt").read_text().splitlines()
    ended = "PASS: all programs ended with status 0 after 9 cycles"
    assert example.compared([*lines[12:], *lines[:12], ended]) == 0
    assert example.compared([*lines[1:], ended]) == 1
    assert example.compared([*lines[:-1], lines[-1] + "1", ended]) == 1
    assert example.compared([*lines, "FAIL: status of nodes 3 to 0: 00000005000000000000000000000000"]) == 1
    assert example.compared(lines) == 1
    assert "expected.txt has other lines" in capsys.readouterr().out


def test_make_sees_no_folder_with_a_space(tmp_path, example, monkeypatch):
    """It builds in none: neither what it is given nor where it works has one, wherever the checkout is."""
    seen = []
    monkeypatch.setattr(example, "finished", lambda command, folder, env=None: seen.append([folder, *command]) or "")
    folder, processor = tmp_path / "made here", tmp_path / "two words" / "picorv32.v"
    folder.mkdir()
    monkeypatch.setattr(example.pythondata_cpu_picorv32, "data_file", lambda name: str(processor))
    assert example.simulated(folder) == []
    assert len(seen) == 2 and not [word for words in seen for word in words if " " in str(word)]


@pytest.mark.soak
def test_each_node_writes_what_it_is_to_write(tmp_path, example):
    """On Verilator; and a program that begins in its middle is told apart."""
    need_compiler(example)
    folder = tmp_path / "made"
    assert main([*example.NETWORK, "-o", str(folder)]) == 0
    program = example.compiled(folder)
    assert example.compared(example.simulated(folder)) == 0
    words = program.read_text().splitlines()
    program.write_text("\n".join([*words[1:], words[0]]))
    assert example.compared(example.finished([folder / "built" / "Vsystem_tb"], folder).splitlines()) == 1
