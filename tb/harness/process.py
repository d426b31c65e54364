"""Process: one command, run to its end with its output in a log file."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from cubecast.options.usage import ToolError

__all__ = ["broken_off", "clean_environment", "end_running", "execute", "room"]

FOREIGN = ("COCOTB_", "GPI_", "PYGPI_", "VERILATOR_", "VM_", "OPT_", "PYTHON")
"""How variables begin that another project or the user's Python has, and that would change what is built or run."""

BUILDING = {
    *("MAKEFLAGS", "MFLAGS", "GNUMAKEFLAGS", "MAKEFILES", "MAKELEVEL", "MAKEOVERRIDES"),
    *("CXXFLAGS", "CPPFLAGS", "CFLAGS", "LDFLAGS", "LDLIBS", "LOADLIBES", "USER_CPPFLAGS", "USER_LDFLAGS"),
    *("TOPLEVEL", "TOPLEVEL_LANG", "MODULE", "TESTCASE", "RANDOM_SEED", "IVERILOG_DUMPER"),
}
"""Other variables of that kind."""

PYTHONS_OWN = ("PYTHONHOME", "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX", "PYTHONUTF8", "PYTHONNOUSERSITE")
"""Variables without which a Python may not run, or writes where it must not."""


_running: set[subprocess.Popen[bytes]] = set()


def end_running() -> None:
    """Kill the commands that threads of this process wait for, and everything that those started.

    An interrupt reaches the main thread alone.
    """
    for process in tuple(_running):
        _kill(process)


PROBE = 1 << 16
"""Bytes for which there must be room behind a program; more than it writes at once."""


@contextlib.contextmanager
def room(folder: str | Path) -> Iterator[None]:
    """Raise :class:`ToolError` if there is no room in a folder for temporary files, or none is left in the end.

    A program of WebAssembly does not say that what it wrote was cut off.
    """
    try:
        yield
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(bytes(PROBE))
            probe.flush()
    except OSError as error:
        place = tempfile.gettempdir()
        raise ToolError(
            f"temporary file in {place!r} could not be written (TMPDIR names another folder): {error.strerror}"
        ) from error


TRAP = re.compile(r"thrown Wasm exception|wasm trap: [^\n]*\w")
"""What a program of WebAssembly ends with that does not end by itself."""


def broken_off(program: str, said: str) -> str:
    """Return the line about a program of WebAssembly that broke off; empty if it did not, or said why before."""
    found = None if "ERROR:" in said else TRAP.search(said)
    return f"{program} broke off ({found[0]}): the design is probably too large for it" if found else ""


def clean_environment() -> dict[str, str]:
    """Return the environment of this process without what would change our builds and simulations."""
    return {
        name: value
        for name, value in os.environ.items()
        if name in PYTHONS_OWN or not (name.startswith(FOREIGN) or name in BUILDING)
    }


def execute(
    command: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    log: Path,
    timeout: float | None = None,
) -> int:
    """Run a command, its output and errors appended to ``log``; return its status.

    When the time is up or the caller is interrupted, the command and everything that it started is killed. Temporary
    files that it makes are in a folder of their own, and gone in the end, for who is killed removes none.

    Parameters
    ----------
    command : sequence of str
        Program and arguments.
    cwd : Path
        Working folder.
    env : dict
        The whole environment, of :func:`clean_environment`.
    log : Path
        File of the output.
    timeout : float or None
        Seconds of wall time.

    Raises
    ------
    subprocess.TimeoutExpired
        The command took longer than ``timeout``.
    """
    scratch = tempfile.TemporaryDirectory(prefix="cubecast-", ignore_cleanup_errors=True)
    with scratch as passing, log.open("a") as file:
        inside = {**env, "TMPDIR": passing}
        process = subprocess.Popen(
            command, cwd=cwd, env=inside, stdout=file, stderr=subprocess.STDOUT, start_new_session=True
        )
        _running.add(process)
        try:
            with _limited(process, timeout):
                return process.wait()
        except BaseException:
            _kill(process)
            process.wait()
            raise
        finally:
            _running.discard(process)


@contextlib.contextmanager
def _limited(process: subprocess.Popen[bytes], timeout: float | None) -> Iterator[None]:
    """Kill a process that is waited for longer than this, and raise ``TimeoutExpired`` then.

    Python's own wait with a limit looks every 50 ms, longer than many a run takes.
    """
    if timeout is None:
        yield
        return
    expired = threading.Event()

    def expire() -> None:
        expired.set()
        _kill(process)

    timer = threading.Timer(timeout, expire)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
    if expired.is_set():
        raise subprocess.TimeoutExpired(process.args, timeout)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a command and everything that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
