"""Programs: a self-test network as one executable, compiled once and kept in the cache.

Two kinds, with the same arguments and the same output: the network as Verilator translates it, and the parallel
simulation. Both write, if asked, a number for every clock that all visible outputs of the clock went into.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cubecast.golden.multicast.contract.config import Config
from cubecast.tb.engine.parallel import Network, traced_ports
from cubecast.tb.harness import runtime
from cubecast.tb.harness.cache import cache_dir, digest, locked
from cubecast.tb.harness.modules import block_of
from cubecast.tb.harness.process import execute
from cubecast.tb.harness.simulators import SimulatorError
from cubecast.tb.harness.toolchain import package_version, tool_version, verilator
from cubecast.tb.harness.verilog import verilog_of

__all__ = ["parallel", "plain", "run", "same_traces"]

HERE = Path(__file__).resolve().parent

FLAT_DESIGN = 200_000
"""Lines of Verilog, every instance counted, up to which Verilator gets a design in one piece."""

OPTIMISE = {"run": "-O2", "build": "-O0"}
"""Compiler option for each ``speed``."""


def parallel(config: Config, *, speed: str = "run") -> Path:
    """Return the program of the parallel simulation of a network.

    Parameters
    ----------
    config : Config
        Parameters of the routers; at most 64 nodes.
    speed : str
        ``"run"``: let the C++ compiler optimise; ``"build"``: compile quickly.

    Raises
    ------
    SimulatorError
        The compiler is missing or fails.
    """
    files = _files("parallel.cpp", "parallel.h", "traffic.h") | {"network.h": Network(config).cpp()}
    command = ["g++", "-std=c++17", OPTIMISE[speed], "-march=native", "-o", "program", "parallel.cpp"]
    return _make("parallel", files, [command], _processor())


def plain(config: Config, *, probe: bool = False, speed: str = "run") -> Path:
    """Return the program of the network as Verilator translates it.

    Parameters
    ----------
    config : Config
        Parameters of the routers.
    probe : bool
        Able to write a trace; slower.
    speed : str
        As for :func:`parallel`.

    Raises
    ------
    SimulatorError
        A tool is missing or fails.
    """
    text = verilog_of(
        "cubecast.rtl.multicast.self_test_network:SelfTestNetwork", config, {"probe": True} if probe else {}
    )
    traced = " ".join(f"X({name}, {bits})" for name, bits in traced_ports(config).items()) if probe else ""
    ports = f"static const unsigned NODES = {config.nodes};\n#define TRACED(X) {traced}\n"
    files = _files("plain.cpp", "traffic.h") | {"top.v": text, "ports.h": ports}
    program, _ = verilator()
    command = [program, "-cc", "--exe", "--prefix", "Vtop", "--top-module", "top", "-Wno-fatal", "-Wno-lint", "-O3"]
    command += ["--x-assign", "fast", "--x-initial", "fast", "--no-assert", "-Mdir", ".", "-o", "program"]
    goal = ["-f", "Vtop.mk"]
    block = block_of(text, "top", FLAT_DESIGN)
    if block is not None:
        files["blocks.vlt"] = f'`verilator_config\nhier_block -module "{block}"\n'
        command += ["--hierarchical", "blocks.vlt"]
        goal = ["-f", "Vtop_hier.mk", "hier_build"]
    settings = {"CXX": "g++", "LINK": "g++", "AR": "ar", "PYTHON3": sys.executable, "OPT_SLOW": "-O0"}
    settings |= {"CFG_CXXFLAGS_PCH_I": "-include", "OPT_FAST": OPTIMISE[speed]}
    settings |= runtime.ONE_FILE if speed == "build" else {}
    make = ["make", "-j2", *goal, *(f"{name}={value}" for name, value in settings.items())]
    return _make("plain", files, [[*command, "plain.cpp", "top.v"], make], package_version("verilator"))


def run(program: Path, values: Mapping[str, int], trace: Path | None = None) -> dict[str, Any]:
    """Run a program; return what it printed.

    Parameters
    ----------
    program : Path
        One of this module's.
    values : dict
        Registers of the generators and checkers by name in small letters, ``warm`` and ``clocks`` to run before and
        while the time is taken, and ``drain``, the clocks in which all must arrive afterwards.
    trace : Path
        Write the trace here.
    """
    arguments = [f"{name}={value}" for name, value in values.items()] + ([f"trace={trace}"] if trace else [])
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SimulatorError(f"{program.name} ended with status {done.returncode}: {done.stderr}")
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def same_traces(one: Path, other: Path) -> int:
    """Return in how many clocks, from the first one on, two traces agree; all of them or not, see their length.

    Parameters
    ----------
    one, other : Path
        Files that :func:`run` wrote.
    """
    first, second = one.read_bytes(), other.read_bytes()
    for place in range(0, max(len(first), len(second)), 8):
        if first[place : place + 8] != second[place : place + 8]:
            return place // 8
    return len(first) // 8


def _files(*names: str) -> dict[str, str]:
    """Return the text of files of this folder."""
    return {name: (HERE / name).read_text() for name in names}


def _processor() -> str:
    """Return what the compiler makes code for, so that a cache that has moved is not used."""
    done = subprocess.run(["g++", "-march=native", "-Q", "--help=target"], capture_output=True, text=True, check=False)
    return done.stdout


def _make(name: str, files: dict[str, str], commands: list[list[str]], *parts: str) -> Path:
    """Run commands in a new folder with these files, unless it has been done; return the program that they make."""
    if shutil.which("g++") is None:
        raise SimulatorError("g++ is missing: apt install g++")
    key = digest(json.dumps(files), json.dumps(commands), tool_version("g++"), *parts)
    folder = cache_dir() / "programs" / f"{name}-{key}"
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "program"
    with locked(folder / ".lock"):
        if not (folder / ".done").exists():
            for file, text in files.items():
                (folder / file).write_text(text)
            log = folder / "build.log"
            _, env = verilator()
            for command in commands:
                if execute(command, cwd=folder, env={**env, "MAKEFLAGS": ""}, log=log):
                    tail = "\n".join(log.read_text(errors="replace").splitlines()[-20:])
                    raise SimulatorError(f"{Path(command[0]).name} failed:\n{tail}")
            (folder / ".done").touch()
    return program
