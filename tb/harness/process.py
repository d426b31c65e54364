"""Process: one command, run to its end with its output in a log file."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["execute"]


def execute(
    command: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str] | None,
    log: Path,
    timeout: float | None = None,
) -> int:
    """Run a command, its output and errors appended to ``log``; return its status.

    When the time is up or the caller is interrupted, the command and everything that it started is killed.

    Parameters
    ----------
    command : sequence of str
        Program and arguments.
    cwd : Path
        Working folder.
    env : dict or None
        The whole environment; None: that of this process.
    log : Path
        File of the output.
    timeout : float or None
        Seconds of wall time.

    Raises
    ------
    subprocess.TimeoutExpired
        The command took longer than ``timeout``.
    """
    with log.open("a") as file:
        process = subprocess.Popen(
            command, cwd=cwd, env=env, stdout=file, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            return process.wait(timeout)
        except BaseException:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise
