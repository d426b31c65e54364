"""Programs: a simulated network and the C++ that drives it as one executable, compiled once and kept in the cache.

Each includes ``driver.h``, ``design.h`` with its network as the class ``Simulation``, and the headers that it names.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from cubecast.tb.engine.parallel import Network
from cubecast.tb.harness import building, runtime
from cubecast.tb.harness.builds import DONE, FLAT_DESIGN, build
from cubecast.tb.harness.cache import cache_dir, digest, locked, whole, written
from cubecast.tb.harness.modules import blocks_of, ports_of
from cubecast.tb.harness.process import execute
from cubecast.tb.harness.simulators import SimulatorError
from cubecast.tb.harness.toolchain import compiler, need_compiler, package_version, plain_folder, plain_names, verilator

__all__ = ["FAST_FLAGS", "Source", "attached", "campaign", "codes", "lines", "parallel", "run", "verilated"]

HERE = Path(__file__).resolve().parent

FLAGS = ("-cc", "--exe", "--prefix", "Vtop", "--top-module", "top", "-Wno-fatal", "-Wno-lint", "--no-assert")
"""Arguments of Verilator for every program."""

FAST_FLAGS = ("-O3", "--x-assign", "fast", "--x-initial", "fast")
"""More of them for programs whose speed is measured."""

TERMINATED = -15
"""Status of a program that was ended from outside."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Source:
    """What is compiled together with a network.

    Parameters
    ----------
    area : str
        Whose program it is, as it shows in the cache and on standard error.
    name : str
        Which of them.
    main : Path
        The C++ file with ``main``.
    constants : dict
        Parameters of the network that it knows as constants: name to value; ``DIM`` among them.
    headers : dict
        Text of further files, by name.
    """

    area: str
    name: str
    main: Path
    constants: Mapping[str, int]
    headers: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def files(self, *names: str) -> dict[str, str]:
        """Return the files of the program, by name, with these ones of the engine."""
        found = {name: (HERE / name).read_text() for name in ("driver.h", *names)}
        return {**found, "main.cpp": self.main.read_text(), **self.headers}

    def design(self, include: str, *parts: str) -> str:
        """Return ``design.h``: the constants, the header of what simulates, and what is generated for it."""
        constants = [f"static const unsigned {name} = {value};" for name, value in self.constants.items()]
        return "\n".join(["#pragma once", *constants, f'#include "{include}"', *parts, ""])


def parallel(source: Source, network: Network, *, optimise: str = "-O1") -> Path:
    """Return the program with the bit-parallel simulation of a network.

    Parameters
    ----------
    source : Source
        The rest of it.
    network : Network
        At most 64 nodes.
    optimise : str
        The compiler's option.

    Raises
    ------
    SimulatorError
        The compiler is missing or fails.
    """
    files = source.files("parallel.h", "parallel_design.h")
    files |= {"design.h": source.design("parallel_design.h"), "network.h": network.cpp()}
    command = ["g++", "-std=c++17", optimise, "-march=native", "-o", "program", "main.cpp"]
    return _compiled(source, files, [command], compiler("-march=native", "-Q", "--help=target"))


def verilated(
    source: Source,
    verilog: str,
    *,
    optimise: str,
    flat: int = FLAT_DESIGN,
    flags: Sequence[str] = (),
    packed: bool = True,
    traced: Sequence[str] = (),
) -> Path:
    """Return the program with a network as Verilator translates it.

    Parameters
    ----------
    source : Source
        The rest of it.
    verilog : str
        The network; its top module is ``top``.
    optimise : str
        The compiler's option.
    flat : int
        Lines of Verilog, every instance counted, up to which it is translated as a whole: slower to build, faster to
        run.
    flags : sequence of str
        More arguments of Verilator.
    packed : bool
        Whether its ports are vectors over all nodes; without, the program drives them itself.
    traced : sequence of str
        Ports that go into a trace.

    Raises
    ------
    SimulatorError
        A tool is missing or refuses the design.
    """
    ports = _ports(verilog, 1 << source.constants["DIM"]) if packed else []
    adds = [f"    trace(digest, ports::{name});" for name in traced]
    trace = ["void Simulation::trace(Digest &digest)", "{", *adds, "}"] if packed else []
    files = source.files("verilated_design.h")
    files |= {"design.h": source.design("verilated_design.h", *ports, *trace), "top.v": verilog}
    blocks = blocks_of(verilog, "top", flat, FLAT_DESIGN)
    program, _ = verilator()
    translate = [program, *FLAGS, *flags, "-Mdir", ".", "-o", "program"]
    goal = ["-f", "Vtop.mk"]
    if blocks:
        told = [f'hier_block -module "{block}"' for block in blocks]
        files["blocks.vlt"] = "\n".join(["`verilator_config", *told, ""])
        translate += ["--hierarchical", "blocks.vlt"]
        goal = ["-f", "Vtop_hier.mk", "hier_build"]
    settings = {
        "CXX": "g++",
        "LINK": "g++",
        "AR": "ar",
        "PYTHON3": sys.executable,
        # The wheel leaves this empty, which breaks designs of more than one file.
        "CFG_CXXFLAGS_PCH_I": "-include",
        "OPT_FAST": optimise,
        "OPT_SLOW": "-O0",
        # The best code takes longest; two processors share it, file by file.
        **({} if optimise == "-O2" else runtime.ONE_FILE),
    }
    make = ["make", "-j2", *goal, *(f"{name}={value}" for name, value in settings.items())]
    return _compiled(source, files, [[*translate, "main.cpp", "top.v"], make], package_version("verilator"))


STARTED = """\
#!/bin/sh
LD_LIBRARY_PATH=$(dirname "$0") exec {simulation} "$@"
"""
"""What starts a simulation with a program in place of the library of cocotb that its testbenches come with."""

LIBRARY = "libcocotbvpi_verilator.so"
"""The name of that library."""


def attached(source: Source, verilog: str) -> Path:
    """Return the program with a network as a lockstep run has it built, and shares the build with such runs.

    A build of its own takes longer than some thousand cycles without optimisation.

    Parameters
    ----------
    source : Source
        The rest of it.
    verilog : str
        The network; its top module is ``top``.

    Raises
    ------
    SimulatorError
        A tool is missing or refuses the design.
    """
    simulation = build(verilog, "top", "verilator") / "simulation"
    include = Path(verilator()[1]["VERILATOR_ROOT"]) / "include" / "vltstd"
    files = source.files("vpi_design.h")
    files |= {"design.h": source.design("vpi_design.h", *_ports(verilog, 1 << source.constants["DIM"]))}
    files |= {"program": STARTED.format(simulation=shlex.quote(str(simulation)))}
    shared = ["g++", "-std=c++17", "-O1", "-fPIC", "-shared", f"-I{include}", "-o", LIBRARY, "main.cpp"]
    commands = [shared, ["chmod", "+x", "program"]]
    return _compiled(source, files, commands, package_version("verilator"), LIBRARY)


def _ports(verilog: str, nodes: int) -> list[str]:
    """Return the declarations of a network's ports: vectors over all nodes, or one for all of them."""
    inputs, outputs, _ = ports_of(verilog, "top")
    found = ["namespace ports {"]
    for name, width in (inputs | outputs).items():
        found.append(f"SHARED({name})" if width % nodes else f"PORT({name}, {width // nodes})")
    return [*found, "}"]


def codes(kind: type[enum.IntEnum]) -> str:
    """Return an enumeration of 0, 1, ... as C++: an ``enum``, and its names and their number, as ``<KIND>_NAMES``."""
    names = [code.name for code in sorted(kind)]
    if [*map(int, sorted(kind))] != [*range(len(names))]:
        raise ValueError(f"kind must have the values 0 to {len(names) - 1}, not {kind!r}")
    shown = ", ".join(f'"{name}"' for name in names)
    return f"""\
enum {kind.__name__} : unsigned {{ {", ".join(names)} }};
static const char *const {kind.__name__.upper()}_NAMES[] = {{{shown}}};
static const unsigned {kind.__name__.upper()}_COUNT = {len(names)};
"""


def run(program: Path, values: Mapping[str, object]) -> dict[str, Any]:
    """Run a program; return the JSON that it printed.

    Parameters
    ----------
    program : Path
        What :func:`parallel` or :func:`verilated` returned.
    values : dict
        Its arguments.

    Raises
    ------
    SimulatorError
        It ended with another status than 0.
    """
    result, _ = _run(program, values, (0,), subprocess.PIPE)
    return result


def campaign(program: Path, values: Mapping[str, object], *, progress: bool = False) -> dict[str, Any]:
    """Run a program that says ``drained`` or how it failed; parameters and errors as for :func:`run`.

    Parameters
    ----------
    progress : bool
        Let the program tell on standard error how far it is.
    """
    result, status = _run(program, values, (0, 1), None if progress else subprocess.PIPE)
    if (result["outcome"] == "drained") != (status == 0):
        raise SimulatorError(f"{program.parent.name} ended with status {status}, and it was {json.dumps(result)}")
    return result


def _run(
    program: Path, values: Mapping[str, object], statuses: Sequence[int], stderr: int | None
) -> tuple[dict[str, Any], int]:
    """Run a program that must end with one of these statuses; return its JSON and its status."""
    command: list[str | Path] = [program, *_arguments(values)]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=stderr, text=True, check=False)
    except OSError as error:
        raise SimulatorError(f"{str(program)!r} cannot be run: {error.strerror}") from None
    if done.returncode not in statuses:
        raise SimulatorError(f"{program.parent.name} ended with status {done.returncode}: {done.stderr or ''}")
    return json.loads(done.stdout), done.returncode


def lines(program: Path, values: Mapping[str, object], *more: tuple[str, object]) -> Iterator[dict[str, Any]]:
    """Run a program with these arguments, some of them more than once; yield each line of JSON when it is there.

    Raises
    ------
    SimulatorError
        It ended with another status than 0.
    """
    arguments = _arguments(values) + [f"{name}={value}" for name, value in more]
    with subprocess.Popen([program, *arguments], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield from _read(process.stdout)
        finally:
            process.terminate()
    if process.returncode not in (0, TERMINATED):
        raise SimulatorError(f"{program.parent.name} ended with status {process.returncode}")


def _read(stream: IO[str]) -> Iterator[dict[str, Any]]:
    """Yield the objects of a stream of lines of JSON."""
    for line in stream:
        yield json.loads(line)


def _arguments(values: Mapping[str, object]) -> list[str]:
    """Return the command line; truth values are 0 and 1."""
    return [f"{name}={int(value) if isinstance(value, bool) else value}" for name, value in values.items()]


def _compiled(
    source: Source, files: Mapping[str, str], commands: Sequence[Sequence[str]], tools: str, *beside: str
) -> Path:
    """Run commands that make ``program`` of the files, and other files ``beside`` it, once; return it.

    It lies below :func:`cubecast.tb.harness.cache.cache_dir`, in a folder named by a digest of everything it is made
    of; other processes wait for the one that makes it.

    Parameters
    ----------
    source : Source
        Names the folder, and the line on standard error.
    files : dict
        Everything it is made of, by file name.
    commands : sequence
        What makes it.
    tools : str
        Versions of the tools besides the compiler, or what it makes code for, so that a cache that has moved is not
        used.
    *beside : str
        Other files that are kept.

    Raises
    ------
    SimulatorError
        The compiler is missing, or a command failed.
    """
    version = compiler("--version").partition("\n")[0]
    key = digest(json.dumps(files), json.dumps(commands), version, tools)
    folder = cache_dir() / "programs" / f"{source.area}-{source.name}-{key}"
    program = folder / "program"
    if whole(program, folder / DONE):
        return program
    need_compiler()
    with written(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / ".lock"), written(folder):
        if not whole(program, folder / DONE):
            with building.told(source.area, source.name):
                _make(folder, files, commands, beside)
    return program


def _make(folder: Path, files: Mapping[str, str], commands: Sequence[Sequence[str]], beside: Sequence[str]) -> None:
    """Run the commands in a folder of their own, and keep the program and what is beside it."""
    work = folder / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    for name, text in files.items():
        (work / name).write_text(text)
    with plain_names(cache_dir(), Path(sys.executable)) as (cache, python), plain_folder(work) as place:
        log = place / "build.log"
        (real, _), (program, env) = verilator(), verilator(cache)
        names = {real: program, str(cache_dir()): str(cache), sys.executable: str(python)}

        def step(words: Sequence[str]) -> None:
            if execute(words, cwd=place, env={**env, "MAKEFLAGS": ""}, log=log):
                tail = "\n".join(log.read_text(errors="replace").splitlines()[-30:])
                raise SimulatorError(f"{Path(words[0]).name} failed:\n{tail}")

        for command in commands:
            if (place / runtime.CLASSES).exists():
                # Only what is newer than the translation counts as made.
                for made in runtime.Runtime(place, step).library():
                    shutil.copy(made, place)
            step(
                [functools.reduce(lambda word, name: word.replace(name, names[name]), names, word) for word in command]
            )
    for name in (*beside, "program"):
        (work / name).replace(folder / name)
    (folder / DONE).write_text(str((folder / "program").stat().st_size))
    shutil.rmtree(work)
