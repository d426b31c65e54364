"""Builds: Verilog compiled for a simulator, once, and kept in the cache."""

from __future__ import annotations

import importlib
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from cubecast.tb.harness import building, generated, runtime
from cubecast.tb.harness.cache import cache_dir, digest, locked, whole, written
from cubecast.tb.harness.cocotb_private import main_file
from cubecast.tb.harness.modules import blocks_of, ports_of
from cubecast.tb.harness.process import clean_environment, execute
from cubecast.tb.harness.simulators import SIMULATORS, SimulatorError, simulators
from cubecast.tb.harness.toolchain import (
    compiler,
    need_compiler,
    package_version,
    plain_folder,
    plain_names,
    tool_version,
    verilator,
)

__all__ = ["build"]

TIMESCALE = "1ns/1ps"

PROGRAMS = {"verilator": "simulation", "icarus": "simulation.vvp"}
"""What a build is for: the file that a simulation runs."""

TOLD = "told.vlt"
"""File in which Verilator is told which signals a testbench sees, and which modules are hierarchical blocks."""

DONE = ".done"
"""File of a build that is complete; it holds the size of the program."""

PASSES = {"build": ["-Wno-lint", "-Wno-style", "-fno-dfg", "-fno-table", "-fno-case"], "run": []}
"""What Verilator leaves out: all that takes longer than it saves in a run of some thousand cycles."""

BLOCK_DESIGN = 10_000
"""Lines of Verilog, every instance counted, from which Verilator builds a design in hierarchical blocks.

The build takes a third to a half less work then, and a run of some thousand cycles as much as before.
"""

FLAT_DESIGN = 100_000
"""The same for what is to run long."""


def build(
    verilog: str,
    top: str,
    simulator: str,
    *,
    trace: bool = False,
    speed: str = "build",
    coverage: bool = False,
    unset: bool = False,
) -> Path:
    """Compile Verilog text for a simulator, once; return the folder of the build.

    A build is named by a digest of the text, the flags and the tools' versions, lies below
    :func:`cubecast.tb.harness.cache.cache_dir`, and is never made twice: other processes wait for the one that makes
    it.

    Parameters
    ----------
    verilog : str
        All modules.
    top : str
        Name of the top module; only its ports are visible to a testbench.
    simulator : str
        One of :data:`cubecast.tb.harness.simulators.SIMULATORS`.
    trace : bool
        Able to write waves of everything inside (a VCD file).
    speed : str
        ``"build"``: compile quickly; ``"run"``: let the C++ compiler optimise (Verilator only).
    coverage : bool
        Let each run count lines and toggles, in ``coverage.dat`` of its folder (Verilator only).
    unset : bool
        Let each run choose what begins as what: registers and memories without an initial value, and what is
        assigned X (Verilator only).

    Raises
    ------
    ValueError
        Unknown simulator or speed, or a simulator that cannot count or choose.
    SimulatorError
        The tool is missing or refuses the design.
    """
    if simulator not in SIMULATORS:
        raise ValueError(f"simulator must be one of {', '.join(SIMULATORS)}, not {simulator!r}")
    if speed not in PASSES:
        raise ValueError(f"speed must be 'build' or 'run', not {speed!r}")
    if coverage and simulator != "verilator":
        raise ValueError(f"simulator must be verilator to count coverage, not {simulator!r}")
    if unset and simulator != "verilator":
        raise ValueError(f"simulator must be verilator for registers to begin with random values, not {simulator!r}")
    if simulator not in simulators():
        missing = "iverilog (apt install iverilog)" if simulator == "icarus" else "the verilator package"
        raise SimulatorError(f"simulator {simulator} is not on this machine: {missing} is missing")
    if simulator == "verilator":
        flags = _verilator_flags(trace=trace, coverage=coverage, unset=unset)
        blocks = blocks_of(verilog, top, BLOCK_DESIGN if speed == "build" else FLAT_DESIGN)
        main = _main(coverage=coverage)
        tools = [package_version("verilator"), compiler("--version").partition("\n")[0], speed, *blocks, main]
        tools += [runtime.DESIGN, runtime.HANDED_ON, *PASSES[speed], *[generated.RULE] * (speed == "build")]
    else:
        flags, blocks, main = ["-g2012"], [], ""
        tools = [tool_version("iverilog"), str(trace), *["waves.vcd"] * trace]
    key = digest(verilog, top, simulator, *flags, *tools, package_version("cocotb"))
    folder = cache_dir() / "builds" / f"{simulator}-{top}-{key}"
    program = folder / PROGRAMS[simulator]
    if _whole(program):
        return folder
    if simulator == "verilator":
        need_compiler()
    with written(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / ".lock"):
        if _whole(program):
            return folder
        with building.told("cubecast", f"{top} for {simulator}"), written(folder):
            _empty(folder)
            (folder / f"{top}.v").write_text(verilog)
            if simulator == "verilator":
                _build_verilator(folder, top, flags, blocks, speed, main)
            else:
                _build_icarus(folder, top, flags, trace=trace)
            (folder / DONE).write_text(str(program.stat().st_size))
    return folder


def _whole(program: Path) -> bool:
    """Return whether a build is complete, and its program as large as it was then."""
    return whole(program, program.with_name(DONE))


def _empty(folder: Path, keep: Sequence[str] = (".lock",)) -> None:
    """Remove everything else from a build's folder: what a broken build left, or what only the compiler needed."""
    for rest in folder.iterdir():
        if rest.is_dir():
            shutil.rmtree(rest)
        elif rest.name not in keep:
            rest.unlink()


def _step(command: Sequence[str], *, cwd: Path, env: Mapping[str, str], log: Path) -> None:
    """Run one command of a build, its output appended to ``log``; raise :class:`SimulatorError` if it fails."""
    with log.open("a") as file:
        file.write(f"$ {' '.join(command)}\n")
    status = execute(command, cwd=cwd, env=env, log=log)
    if status:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-30:])
        raise SimulatorError(f"{Path(command[0]).name} ended with status {status}:\n{tail}")


def _verilator_flags(*, trace: bool, coverage: bool, unset: bool) -> list[str]:
    """Return the design-independent part of Verilator's command line."""
    flags = ["-cc", "--vpi", "--timescale", TIMESCALE, "--prefix", "Vtop"]
    # As it is by default, where no seed is asked for, without a call for each register.
    flags += ["--x-initial", "unique", "--x-assign", "unique"] if unset else ["--x-initial", "0"]
    flags += ["-Wno-fatal"]
    if trace:
        flags += ["--trace-vcd"]
    if coverage:
        flags += ["--coverage-line", "--coverage-toggle"]
    return flags


def _main(*, coverage: bool) -> str:
    """Return the C++ main file of a simulation."""
    try:
        return main_file(coverage=coverage)
    except ValueError as error:
        raise SimulatorError(str(error)) from None


def _build_verilator(folder: Path, top: str, flags: list[str], blocks: list[str], speed: str, main: str) -> None:
    """Translate with Verilator and compile, with what all builds have in common from the cache."""
    with plain_names(cache_dir(), Path(sys.executable)) as (cache, python), plain_folder(folder) as place:
        _translate_and_compile(place, cache, python, top, flags, blocks, speed, main)
    _empty(folder, keep=(".lock", "simulation", "build.log", f"{top}.v"))


def _translate_and_compile(
    folder: Path, cache: Path, python: Path, top: str, flags: list[str], blocks: list[str], speed: str, main: str
) -> None:
    """Build in a folder; it, the cache and this Python have names that make can read."""
    program, env = verilator(cache)
    log = folder / "build.log"
    command = [program, *flags, *PASSES[speed], "-Mdir", str(folder), "--top-module", top]
    told = [*_visible(folder, top), *[f'hier_block -module "{block}"' for block in blocks]]
    (folder / TOLD).write_text("\n".join(["`verilator_config", *told, ""]))
    _step([*command, *["--hierarchical"] * bool(blocks), TOLD, f"{top}.v"], cwd=folder, env=env, log=log)
    optimise = "-O2" if speed == "run" else "-O0"
    for name, text in {"design.h": runtime.DESIGN, "design.cpp": runtime.HANDED_ON}.items():
        (folder / name).write_text(text)
    parts = {folder: ["design.cpp"]}
    if blocks:
        make = ["make", "-j2", "-C", str(folder), "-f", "Vtop_hier.mk", "hier_verilation"]
        _step([*make, f"PYTHON3={python}"], cwd=folder, env=env, log=log)
        parts |= {folder / f"V{block}": [f"{block}.cpp"] for block in blocks}
    common = runtime.Runtime(folder, partial(_step, cwd=folder, env=env, log=log))
    libs = importlib.import_module("cocotb_tools.config").libs_dir
    objects = [*common.compiled(parts, optimise), common.main(main), *common.library()]
    # Where cocotb's libraries are when it runs is told then. Where it is there, gold takes a third of the other's time.
    link = [f"-Wl,-rpath-link,{libs}", f"-L{libs}", "-lcocotbvpi_verilator", "-pthread"]
    link += ["-fuse-ld=gold"] * (shutil.which("ld.gold") is not None)
    _step(["g++", "-o", "simulation", *objects, *link], cwd=folder, env=env, log=log)


def _visible(folder: Path, top: str) -> list[str]:
    """Return what tells Verilator to let a testbench see the ports of the top module, and nothing else.

    What may be written from outside is never optimised away, and all that depends on it is evaluated whenever anything
    is; in a block, that would be every wire between its parts.
    """
    inputs, outputs, clocked = ports_of((folder / f"{top}.v").read_text(), top)
    written = [*inputs, *["clk"] * clocked]
    return [
        f'public_flat_{way} -module "{top}" -var "{name}"'
        for way, names in (("rw", written), ("rd", outputs))
        for name in names
    ]


def _build_icarus(folder: Path, top: str, flags: list[str], *, trace: bool) -> None:
    """Compile with iverilog."""
    (folder / "flags").write_text(f"+timescale+{TIMESCALE}\n")
    command = ["iverilog", *flags, "-o", "simulation.vvp", "-s", top, "-f", "flags", f"{top}.v"]
    if trace:
        dump = f'initial begin $dumpfile("waves.vcd"); $dumpvars(0, {top}); end'
        (folder / "dump.v").write_text(f"module dump;\n{dump}\nendmodule\n")
        command += ["-s", "dump", "dump.v"]
    _step(command, cwd=folder, env=clean_environment(), log=folder / "build.log")
    # iverilog says nothing when there is no room for all of it.
    if not re.search(r'\n:file_names \d+;\n( +"[^\n]*";\n)+\Z', (folder / "simulation.vvp").read_text()):
        raise SimulatorError(f"iverilog has not written all of {str(folder / 'simulation.vvp')!r}: is the disk full?")
