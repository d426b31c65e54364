"""Runtime: what each design that Verilator translates is compiled with, compiled once for all with the same flags.

The objects of Verilator's library take longer to compile than most designs, and so does reading its headers.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cubecast.tb.harness import headers
from cubecast.tb.harness.cache import cache_dir, digest, locked, put, whole
from cubecast.tb.harness.generated import cut_down
from cubecast.tb.harness.toolchain import compiler, package_version, verilator

__all__ = ["CLASSES", "DESIGN", "HANDED_ON", "ONE_FILE", "Runtime"]

HEADER = '#include "verilated.h"\n'
"""What every C++ file begins with, without what designs do not use; more of the standard library costs more than it
saves."""

STANDARD = "-std=gnu++14"
"""The oldest language that Verilator's headers are for: the headers of a newer one take a third longer."""

DESIGN = """\
#pragma once
#include "verilated.h"
class Design {
    void *const top;

public:
    explicit Design(const char *name);
    ~Design();
    void eval_step();
    void eval_end_step();
    bool eventsPending();
    uint64_t nextTimeSlot();
    void final();
    void trace(VerilatedTraceBaseC *file, int levels);
};
"""
"""What a main file sees of a design: it is compiled once, and not again with the types of each design."""

SHOWN = """\
#include "design.h"
#if VM_COVERAGE
#include "verilated_cov.h"
#endif
#define Vtop Design
"""
"""The ``Vtop.h`` of a main file."""

HANDED_ON = """\
#include "design.h"
static Vtop &real(void *top) { return *static_cast<Vtop *>(top); }
Design::Design(const char *name) : top{new Vtop{name}} {}
Design::~Design() { delete static_cast<Vtop *>(top); }
void Design::eval_step() { real(top).eval_step(); }
void Design::eval_end_step() { real(top).eval_end_step(); }
bool Design::eventsPending() { return real(top).eventsPending(); }
uint64_t Design::nextTimeSlot() { return real(top).nextTimeSlot(); }
void Design::final() { real(top).final(); }
void Design::trace(VerilatedTraceBaseC *file, int levels) { real(top).trace(file, levels); }
"""
"""The same, compiled with the design."""

TOGETHER = 6_000_000
"""Bytes of C++, all blocks included, up to which a build is compiled as one file."""

CLASSES = "Vtop_classes.mk"
"""The list of what Verilator has written, and of what it is to be linked with."""

ONE_FILE = {"VM_PARALLEL_BUILDS": "0"}
"""Variable of Verilator's own makefiles that has a design compiled as one file: a third of the work."""


class Runtime:
    """The compiler, for the files of one build.

    Verilator's headers and library read none of the macros that tell one kind of build from another (``VM_COVERAGE``,
    ``VM_TRACE``, ...), so that all kinds share them; only the main file does.

    Parameters
    ----------
    folder : Path
        The build, translated by Verilator with the prefix ``Vtop``.
    step : function
        Runs one command of the build.
    """

    def __init__(self, folder: Path, step: Callable[[Sequence[str]], None]) -> None:
        include = Path(verilator()[1]["VERILATOR_ROOT"]) / "include"
        classes = (folder / CLASSES).read_text()
        switches = re.findall(r"^(VM_(?:COVERAGE|TRACE\w*)) = (\d)$", classes, re.M)
        self.kind = [f"-D{name}={value}" for name, value in switches]
        self.step = step
        self.include = include
        self.options = [STANDARD, "-DVERILATOR=1", "-DVM_SC=0", f"-I{include}", f"-I{include / 'vltstd'}"]
        groups = re.findall(r"^VM_GLOBAL_(?:FAST|SLOW) \+= \\\n((?:  .*\n)*)", classes, re.M)
        self.names = re.findall(r"\w+", "".join(groups))
        tools = [package_version("verilator"), compiler("--version").partition("\n")[0]]
        name = digest(STANDARD, HEADER, headers.RULE, *tools)
        self.kept = cache_dir() / "runtime" / name
        self.kept.mkdir(parents=True, exist_ok=True)

    def library(self) -> list[str]:
        """Return the objects of Verilator's library that the build is linked with."""
        wanted = {f"{name}.o": ["-Os", "-c", str(self.include / f"{name}.cpp")] for name in self.names}
        # First those that no other process is at, then what is left: two share the work.
        for wait in (False, True):
            for name, words in wanted.items():
                self._made(name, words, wait=wait)
        return [str(self.kept / name) for name in wanted]

    def main(self, text: str) -> str:
        """Return the object of a main file, which knows the design as :data:`DESIGN` has it.

        Parameters
        ----------
        text : str
            The main file; it includes ``Vtop.h`` and names the design ``Vtop``.
        """
        folder = self.kept / digest(text, DESIGN, SHOWN, *self.kind)
        if not _is_made(folder / "main.o"):
            for name, content in {"main.cpp": text, "design.h": DESIGN, "Vtop.h": SHOWN}.items():
                put(folder / name, content.encode())
        words = ["-O2", *self.kind, f"-I{folder}", "-c", str(folder / "main.cpp")]
        return str(self._made(f"{folder.name}/main.o", words))

    def compiled(self, parts: Mapping[Path, Sequence[str]], optimise: str) -> list[str]:
        """Compile all that Verilator wrote into some folders, and other files there; return the objects.

        Small parts are one file for the compiler, which takes 0.2 s to begin with the headers; of large ones, and of
        those that are optimised, two are compiled at once. What is not optimised is cut down first.

        Parameters
        ----------
        parts : dict
            The folder of the build, and those of its blocks, to the names of other files in it.
        optimise : str
            The compiler's option.
        """
        texts = {
            folder: [*sorted(path for path in folder.glob("V*.cpp") if not path.name.endswith("__ALL.cpp"))]
            + [folder / name for name in more]
            for folder, more in parts.items()
        }
        # Files that trace blocks have names in common, and cut down they miss changes of inputs.
        traced = "-DVM_TRACE=1" in self.kind and len(parts) > 1
        if optimise == "-O0" and not traced:
            for folder, paths in texts.items():
                self._cut_down([*paths, *folder.glob("Vtop.h")])
        size = sum(path.stat().st_size for paths in texts.values() for path in paths)
        small = optimise == "-O0" and size < TOGETHER and not traced
        header = self._header(optimise)

        def compile_one(folders: Sequence[Path]) -> str:
            lines = ["#define VL_INCLUDE_OPT include"]
            for folder in folders:
                # Each folder has a header of its own that is to be precompiled, and refuses others.
                lines += ["#undef VL_PCH_INCLUDED", *(f'#include "{path}"' for path in texts[folder])]
            whole, made = folders[0] / "all.cpp", folders[0] / "all.o"
            whole.write_text("\n".join([*lines, ""]))
            words = [optimise, "-include", str(header), *(f"-I{folder}" for folder in folders), "-c", str(whole)]
            self.step(["g++", *self.options, *words, "-o", str(made)])
            return str(made)

        with ThreadPoolExecutor(2) as both:
            return list(both.map(compile_one, [[*parts]] if small else [[folder] for folder in parts]))

    def _cut_down(self, paths: Sequence[Path]) -> None:
        """Let the files of a model hold less; :data:`HANDED_ON` uses no member of its class that is a port."""
        written = {str(path): path.read_text() for path in paths}
        for name, text in cut_down(written).items():
            if text != written[name]:
                Path(name).write_text(text)

    def _header(self, optimise: str) -> Path:
        """Return the header, precompiled, for ``-include``; it is of use with the same option only."""
        text = self.kept / optimise.strip("-") / "runtime.h"
        if not _is_made(text.with_name("runtime.h.gch")):
            for name in headers.NAMES:
                put(text.with_name(name), headers.lean((self.include / name).read_text()).encode())
            put(text, HEADER.encode())
        self._made(f"{text.parent.name}/runtime.h.gch", [optimise, "-x", "c++-header", str(text)])
        return text

    def _made(self, name: str, words: Sequence[str], *, wait: bool = True) -> Path:
        """Return a file that is compiled once; without ``wait``, perhaps one that another process still compiles."""
        made = self.kept / name
        if not _is_made(made):
            with locked(made.with_name(f".{made.name}.lock"), wait=wait) as held:
                if held and not _is_made(made):
                    new = made.with_name(f".{made.name}")
                    self.step(["g++", *self.options, *words, "-o", str(new)])
                    put(_noted(made), str(new.stat().st_size).encode())
                    shutil.move(new, made)
        return made


def _is_made(made: Path) -> bool:
    """Return whether a file is there, as large as it was when it was compiled."""
    return whole(made, _noted(made))


def _noted(made: Path) -> Path:
    """Return the file that holds the size of another one."""
    return made.with_name(f".{made.name}.done")
