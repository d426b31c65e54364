"""Runtime: what each design that Verilator translates is compiled with, compiled once for all with the same flags.

The objects of Verilator's library take longer to compile than most designs, and so does reading its headers.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from cubecast.tb.harness.cache import cache_dir, digest, locked, put
from cubecast.tb.harness.toolchain import compiler, package_version, verilator

__all__ = ["ONE_FILE", "Runtime", "keep", "place", "restore"]

HEADER = '#include "verilated.h"\n'
"""What every C++ file begins with; more of the standard library costs more than it saves."""

STANDARD = "-std=gnu++14"
"""The oldest language that Verilator's headers are for: the headers of a newer one take a third longer."""

ONE_FILE = {"VM_PARALLEL_BUILDS": "0"}
"""Variable of Verilator's own makefiles that has a design compiled as one file: a third of the work."""


def place(*flags: str) -> Path:
    """Return the folder of what Verilator's own makefiles compile with these flags."""
    return (
        cache_dir() / "runtime" / digest(*flags, package_version("verilator"), compiler("--version").partition("\n")[0])
    )


def restore(kept: Path, folder: Path) -> None:
    """Copy the library's objects, those there are, into the folder of a build."""
    for made in kept.glob("*.o"):
        shutil.copy(made, folder / made.name)


def keep(kept: Path, folder: Path) -> None:
    """Keep the library's objects of a build."""
    for made in folder.glob("verilated*.o"):
        if not (kept / made.name).exists():
            put(kept / made.name, made.read_bytes())


class Runtime:
    """The compiler, for the files of one build.

    Parameters
    ----------
    folder : Path
        The build, translated by Verilator with the prefix ``Vtop``.
    step : function
        Runs one command of the build.
    flags : str
        What it was translated with, as far as all builds of the kind have it in common.
    """

    def __init__(self, folder: Path, step: Callable[[Sequence[str]], None], *flags: str) -> None:
        include = Path(verilator()[1]["VERILATOR_ROOT"]) / "include"
        classes = (folder / "Vtop_classes.mk").read_text()
        defined = [f"-D{name}={value}" for name, value in re.findall(r"^(VM_\w+) = (\d)$", classes, re.M)]
        self.step = step
        self.include = include
        self.options = [STANDARD, "-DVERILATOR=1", "-DVM_SC=0", *defined, f"-I{include}", f"-I{include / 'vltstd'}"]
        groups = re.findall(r"^VM_GLOBAL_(?:FAST|SLOW) \+= \\\n((?:  .*\n)*)", classes, re.M)
        self.names = re.findall(r"\w+", "".join(groups))
        name = digest(
            *flags, *defined, STANDARD, HEADER, package_version("verilator"), compiler("--version").partition("\n")[0]
        )
        self.kept = cache_dir() / "runtime" / name
        self.kept.mkdir(parents=True, exist_ok=True)

    def library(self) -> list[str]:
        """Return the objects of Verilator's library that the build is linked with."""
        return [str(self._made(f"{name}.o", ["-Os", "-c", str(self.include / f"{name}.cpp")])) for name in self.names]

    def compiled(self, folder: Path, optimise: str, more: Sequence[str] = ()) -> str:
        """Compile all that Verilator wrote into a folder, and some other files, as one; return the object.

        Parameters
        ----------
        folder : Path
            The folder of the build, or of one of its blocks.
        optimise : str
            The compiler's option.
        more : sequence of str
            Names of other files in it.
        """
        texts = sorted(path.name for path in folder.glob("V*.cpp") if not path.name.endswith("__ALL.cpp"))
        lines = ["#define VL_INCLUDE_OPT include", *(f'#include "{name}"' for name in (*texts, *more))]
        (folder / "all.cpp").write_text("\n".join([*lines, ""]))
        made = folder / "all.o"
        words = [optimise, "-include", str(self._header(optimise)), f"-I{folder}", "-c", str(folder / "all.cpp")]
        self.step(["g++", *self.options, *words, "-o", str(made)])
        return str(made)

    def _header(self, optimise: str) -> Path:
        """Return the header, precompiled, for ``-include``; it is of use with the same option only."""
        text = self.kept / optimise.strip("-") / "runtime.h"
        if not text.exists():
            put(text, HEADER.encode())
        self._made(f"{text.parent.name}/runtime.h.gch", [optimise, "-x", "c++-header", str(text)])
        return text

    def _made(self, name: str, words: Sequence[str]) -> Path:
        """Return a file that is compiled once."""
        made = self.kept / name
        if not made.exists():
            with locked(made.with_name(f".{made.name}.lock")):
                if not made.exists():
                    new = made.with_name(f".{made.name}")
                    self.step(["g++", *self.options, *words, "-o", str(new)])
                    shutil.move(new, made)
        return made
