"""Machines that are not as they should be: caches, tools and variables of the user's shell."""

import contextlib
import importlib
import os
import resource
import shlex
import signal
import stat
import subprocess
import tempfile
from pathlib import Path

import pytest

from cubecast.options.usage import ToolError
from cubecast.tb.engine.programs import Source, _compiled
from cubecast.tb.harness import yosys
from cubecast.tb.harness.builds import DONE, _whole
from cubecast.tb.harness.cache import cache_dir, kept_json, kept_verilog, locked, put
from cubecast.tb.harness.process import clean_environment, execute
from cubecast.tb.harness.simulators import SimulatorError, run, simulators
from cubecast.tb.harness.toolchain import compiler, need_compiler, plain_folder, plain_names, verilator


def script(path: Path, text: str) -> None:
    """Write a program of the shell."""
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("{tmp}/file", "file' cannot be written .*: File exists"),
        ("{tmp}/file/in", "in' cannot be written .*: Not a directory"),
        ("{tmp}/\udcff", r"'/.*\\udcff' must have a name in UTF-8: set CUBECAST_CACHE"),
        ("~nobody-of-this-name/cache", "is nowhere, for there is no such home: set CUBECAST_CACHE"),
    ],
)
def test_a_cache_that_cannot_be_is_a_tool_error(tmp_path, monkeypatch, name, said):
    """It names the folder and the variable."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("CUBECAST_CACHE", name.format(tmp=tmp_path))
    with pytest.raises(ToolError, match=said) as error:
        cache_dir()
    assert "CUBECAST_CACHE" in str(error.value) and "\n" not in str(error.value)


def test_a_full_cache_is_a_tool_error_and_keeps_no_half_file(tmp_path):
    """What is written there, and the locks."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        with pytest.raises(ToolError, match=r"cannot be written .*: File too large"):
            put(tmp_path / "kept", b"x" * 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert os.listdir(tmp_path) == []
    with pytest.raises(ToolError, match="cannot be written"), locked(tmp_path / "none" / ".lock"):
        pass


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_a_file_of_the_cache_has_the_rights_of_any_new_file(tmp_path, mask):
    """A cache that one user has made can be read by others, unless they are kept out."""
    before = os.umask(mask)
    try:
        put(tmp_path / "kept", b"x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "kept").stat().st_mode) == 0o666 & ~mask


def test_a_damaged_program_is_no_build(tmp_path):
    """It has to have the size that was noted when it was made."""
    program = tmp_path / "simulation"
    assert not _whole(program)
    program.write_bytes(b"12345")
    assert not _whole(program)
    (tmp_path / DONE).write_text("5")
    assert _whole(program)
    for content in (b"", b"1234"):
        program.write_bytes(content)
        assert not _whole(program)
    (tmp_path / DONE).write_bytes(b"\xff")
    assert not _whole(program)


@pytest.mark.parametrize("left", [b"", b"1234"])
def test_a_damaged_program_of_a_load_is_no_build(tmp_path, monkeypatch, left):
    """It has to have that size, too."""
    monkeypatch.setenv("CUBECAST_CACHE", str(tmp_path))
    source = Source(area="load", name="one", main=Path("main.cpp"), constants={})

    def compiled():
        return _compiled(source, {"text": "12345"}, [["cp", "text", "program"]], "")

    program = compiled()
    program.write_bytes(left)
    assert compiled() == program and program.read_text() == "12345"


@pytest.mark.parametrize("content", [None, b"", b'{"modules": {"top', b"module top;\nendmod", b"\xff\xff", bytes(20)])
def test_what_is_not_whole_is_not_read_from_the_cache(tmp_path, content):
    """It is made again."""
    kept = tmp_path / "kept"
    if content is not None:
        kept.write_bytes(content)
    assert kept_json(kept) is None and kept_verilog(kept) is None


@pytest.mark.parametrize("name", ["verilator", "verilator_bin"])
def test_a_damaged_verilator_is_installed_again(tmp_path, monkeypatch, name):
    """The script and the program that are copied into the cache."""
    monkeypatch.setenv("CUBECAST_CACHE", str(tmp_path))
    program, env = verilator()
    damaged = Path(program).with_name(name)
    whole = damaged.read_bytes()
    damaged.write_bytes(whole[: len(whole) // 2])
    assert verilator() == (program, env) and damaged.read_bytes() == whole


def test_the_compiler_of_the_cache_is_remembered(tmp_path, monkeypatch):
    """Builds are named by it: without g++ those that are there are found, and new ones ask for it."""
    monkeypatch.setenv("CUBECAST_CACHE", str(tmp_path / "cache"))
    tools = tmp_path / "tools"
    tools.mkdir()
    monkeypatch.setenv("PATH", str(tools))
    with pytest.raises(SimulatorError, match="g\\+\\+, which new builds need, is not on this machine"):
        compiler("--what")
    script(tools / "g++", "echo version 1 $1")
    assert compiler("--what") == "version 1 --what\n"
    need_compiler()
    (tools / "g++").unlink()
    assert compiler("--what") == "version 1 --what\n"
    assert "verilator" in simulators()
    with pytest.raises(SimulatorError, match="apt install g\\+\\+"):
        need_compiler()


FOREIGN = {
    "COCOTB_TEST_FILTER": "nothing",
    "COCOTB_TESTCASE": "nothing",
    "GPI_EXTRA": "nothing",
    "MAKEFLAGS": "-n",
    "MAKEFILES": "/nothing",
    "CXXFLAGS": "-nonsense",
    "VERILATOR_ROOT": "/nothing",
    "VM_PARALLEL_BUILDS": "1",
    "PYTHONOPTIMIZE": "2",
    "PYTHONWARNINGS": "error",
    "TOPLEVEL": "nothing",
}


def test_variables_of_the_shell_do_not_reach_builds_and_simulations(tmp_path, monkeypatch):
    """A simulation that tells its environment; where cocotb's libraries are is told with it, not kept in the build."""
    for name, value in FOREIGN.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("LD_LIBRARY_PATH", "/mine")
    assert not FOREIGN.keys() & clean_environment().keys()
    assert clean_environment()["PATH"] == os.environ["PATH"]
    script(tmp_path / "simulation", f"env > {shlex.quote(str(tmp_path))}/seen")
    done = run(tmp_path, "top", "verilator", "no.module", folder=tmp_path, seed=1)
    seen = dict(line.split("=", 1) for line in (tmp_path / "seen").read_text().splitlines() if "=" in line)
    assert done.returncode == 0 and not [name for name in FOREIGN if seen.get(name) == FOREIGN[name]]
    libraries = importlib.import_module("cocotb_tools.config").libs_dir
    assert seen["LD_LIBRARY_PATH"] == f"{libraries}:/mine"
    assert seen["COCOTB_TEST_MODULES"] == "no.module"


def test_a_program_that_cannot_be_run_is_a_tool_error(tmp_path):
    """An empty file, and none."""
    with pytest.raises(SimulatorError, match="simulation' cannot be run: No such file or directory"):
        run(tmp_path, "top", "verilator", "no.module", folder=tmp_path, seed=1)
    (tmp_path / "simulation").touch(mode=0o755)
    with pytest.raises(SimulatorError, match="simulation' cannot be run: Exec format error"):
        run(tmp_path, "top", "verilator", "no.module", folder=tmp_path, seed=1)


def test_folders_that_make_cannot_name(tmp_path):
    """They have other names meanwhile; what is built under them is brought back."""
    strange = tmp_path / "größe und $raum"
    strange.mkdir()
    (strange / "given").write_text("1")
    with plain_names(tmp_path, strange) as (same, link):
        assert link.samefile(strange) and str(link).isascii() and not {" ", "$"} & {*str(link)}
        assert same.samefile(tmp_path)
    with plain_folder(strange) as place:
        assert place != strange and (place / "given").read_text() == "1"
        (place / "made").write_text("2")
    assert (strange / "made").read_text() == "2" and not place.exists()
    with plain_folder(tmp_path) as place:
        assert place == tmp_path


def test_a_cache_that_make_cannot_name_translates_blocks(tmp_path, monkeypatch):
    """Verilator starts itself for each hierarchical block, by the place where its program really is."""
    monkeypatch.setenv("CUBECAST_CACHE", str(tmp_path / "größe und $raum"))
    (tmp_path / "top.v").write_text(
        "module part(input clk, output reg q); always @(posedge clk) q <= ~q; endmodule\n"
        "module top(input clk, output a, output b); part x(clk, a); part y(clk, b); endmodule\n"
    )
    (tmp_path / "blocks.vlt").write_text('`verilator_config\nhier_block -module "part"\n')
    with plain_names(cache_dir()) as (cache,):
        program, env = verilator(cache)
        command = [program, "-cc", "--prefix", "Vtop", "-Mdir", "made", "--hierarchical", "blocks.vlt", "top.v"]
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, (tmp_path / "made" / "Vpart" / "part.sv").exists()) == (0, True), done.stderr


@pytest.mark.parametrize("written", [True, False])
def test_yosys_is_compiled_where_a_folder_can_be_written(tmp_path, monkeypatch, written):
    """Below the home; in the cache, where that is of another user or is none."""
    home = tmp_path / "home" if written else Path("/proc/none")
    place = home / "YoWASP" if written else tmp_path / "cache" / "yowasp"
    monkeypatch.delenv("YOWASP_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    monkeypatch.setenv("CUBECAST_CACHE", str(tmp_path / "cache"))
    script(tmp_path / "yosys", f'echo "$YOWASP_CACHE_DIR" > {shlex.quote(str(tmp_path))}/seen')
    monkeypatch.setattr(yosys, "program", lambda: tmp_path / "yosys")
    # This one compiles nothing.
    with pytest.raises(yosys.YosysMissing, match="cannot be run"):
        yosys._module.__wrapped__()
    assert (tmp_path / "seen").read_text() == f"{place}\n" and yosys.machine_code() == place


@pytest.mark.parametrize("patience", [0.5, None])
def test_temporary_files_of_a_command_are_gone(tmp_path, monkeypatch, patience):
    """Of one that ends, and of one that is killed before it could remove them."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "passing"))
    (tmp_path / "passing").mkdir()
    command, log = ["sh", "-c", f"mktemp; exec sleep {0 if patience is None else 60}"], tmp_path / "log"
    with contextlib.nullcontext() if patience is None else pytest.raises(subprocess.TimeoutExpired):
        execute(command, cwd=tmp_path, env=clean_environment(), log=log, timeout=patience)
    assert log.read_text().startswith(f"{tmp_path / 'passing'}/cubecast-")
    assert os.listdir(tmp_path / "passing") == []
