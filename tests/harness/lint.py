"""What Verilator says about a design."""

import os
import subprocess

from cubecast.tb.harness.toolchain import verilator

__all__ = ["linted"]

FLAGS = ("--lint-only", "-Wall", "-fno-dfg")
"""Without a pass that rewrites logic, for a fifth of the time, and that hides loops which it can break."""


def linted(folder, *arguments):
    """Return the status of Verilator, run in a folder, and all that it says."""
    program, env = verilator()
    command = [program, *FLAGS, *arguments]
    done = subprocess.run(command, cwd=folder, env={**os.environ, **env}, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr
