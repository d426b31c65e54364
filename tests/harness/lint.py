"""What Verilator says about a design."""

import os
import subprocess

from cubecast.tb.harness.toolchain import verilator

__all__ = ["linted"]

REWRITING = "dfg split reorder expand subst life life-post table case combine merge-cond"
"""Passes that rewrite logic for simulations: two fifths of the time, and some hide loops which they can break."""

FLAGS = ("--lint-only", "-Wall", *(f"-fno-{name}" for name in REWRITING.split()))


def linted(folder, *arguments):
    """Return the status of Verilator, run in a folder, and all that it says."""
    program, env = verilator()
    command = [program, *FLAGS, *arguments]
    done = subprocess.run(command, cwd=folder, env={**os.environ, **env}, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr
