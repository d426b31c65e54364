"""Runtime: what each design that Verilator translates is compiled with, compiled once for all with the same flags.

The objects of Verilator's library take longer to compile than most designs, and so does reading its headers.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from cubecast.tb.harness.cache import cache_dir, digest, locked, put
from cubecast.tb.harness.toolchain import package_version, tool_version

__all__ = ["ONE_FILE", "header", "keep", "place", "restore"]

HEADER = '#include "verilated.h"\n#include "verilated_vpi.h"\n#include <memory>\n#include <string>\n'
"""What the C++ files of a design and cocotb's main file begin with."""

ONE_FILE = {"VM_PARALLEL_BUILDS": "0"}
"""Variable of make that has a block compiled as one file: a third of the work that its many files are."""

RULE = """\
include Vtop.mk
runtime.h.gch: runtime.h
\t$(CXX) $(OPT_FAST) $(CXXFLAGS) $(CPPFLAGS) $(CFG_CXXFLAGS_PCH) $< -o $@
"""


def place(*flags: str) -> Path:
    """Return the folder of what is compiled with these flags."""
    return cache_dir() / "runtime" / digest(*flags, HEADER, package_version("verilator"), tool_version("g++"))


def restore(kept: Path, folder: Path) -> None:
    """Copy the library's objects, those there are, into the folder of a build."""
    for made in kept.glob("*.o"):
        shutil.copy(made, folder / made.name)


def keep(kept: Path, folder: Path) -> None:
    """Keep the library's objects of a build."""
    for made in folder.glob("verilated*.o"):
        if not (kept / made.name).exists():
            put(kept / made.name, made.read_bytes())


def header(kept: Path, folder: Path, optimise: str, make: Callable[[list[str]], None]) -> Path:
    """Return the precompiled headers, for ``-include``, that a file of a build is compiled with.

    Parameters
    ----------
    kept : Path
        What :func:`place` returned.
    folder : Path
        The build, translated by Verilator.
    optimise : str
        The compiler's option, which has to be the same wherever they are included.
    make : function
        Runs make in that folder with the arguments that it gets.
    """
    text = kept / optimise.strip("-") / "runtime.h"
    compiled = text.with_name("runtime.h.gch")
    text.parent.mkdir(parents=True, exist_ok=True)
    with locked(text.with_name(".lock")):
        if not compiled.exists():
            (folder / "runtime.h").write_text(HEADER)
            (folder / "runtime.mk").write_text(RULE)
            make(["-f", "runtime.mk", "runtime.h.gch", f"OPT_FAST={optimise}"])
            put(text, HEADER.encode())
            put(compiled, (folder / "runtime.h.gch").read_bytes())
            (folder / "runtime.h.gch").unlink()
    return text
