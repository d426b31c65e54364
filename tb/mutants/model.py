"""Mutants of Python: a machine changes a module of the golden model or a checker, and its tests have to notice.

``python -m cubecast.tb.mutants.model --help``. Each mutant is a process of its own, forked from one that has loaded
what takes long; it imports the changed module in place of the file, which stays as it is.
"""

from __future__ import annotations

import ast
import copy
import datetime
import importlib
import importlib.abc
import importlib.util
import itertools
import os
import re
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from types import CodeType, ModuleType
from typing import Any, NamedTuple

from cubecast.options.arguments import Parser, file_name, up_to
from cubecast.options.ending import DONE, MISMATCH, STATUSES, concluded
from cubecast.options.files import output_file
from cubecast.options.usage import ToolError, UsageError
from cubecast.tb.harness.cache import digest
from cubecast.tb.harness.revision import revision
from cubecast.tb.mutants.page import renew
from cubecast.tb.mutants.record import Record, living, score
from cubecast.tb.mutants.runs import ROOT

__all__ = ["Change", "changes", "main", "tests_of"]

PROG = "python -m cubecast.tb.mutants.model"

HELP = """\
A mutant changes one operator, comparison, condition or number. Tests that simulate or ask a solver, and those of make
soak, are left out.

examples:
  python -m cubecast.tb.mutants.model golden/packet/algorithms/routing.py --count 40

exit status: 0; 1 if a mutant lives;
"""

SWAPS: dict[type[ast.AST], tuple[type[ast.AST], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Add,),
    ast.FloorDiv: (ast.Mult,),
    ast.Mod: (ast.FloorDiv,),
    ast.LShift: (ast.RShift,),
    ast.RShift: (ast.LShift,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd, ast.BitXor),
    ast.BitXor: (ast.BitOr,),
    ast.And: (ast.Or,),
    ast.Or: (ast.And,),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
"""What takes the place of an operator."""

PATIENCE = 5
"""A mutant may take as many times as long as the module itself, and no less than :data:`LEAST` seconds."""

LEAST = 60

CHOICES = 2
"""In how many ways a place can be changed at most."""

PASSED, FAILED = 0, 1
"""Statuses of pytest; those above say that a module could not even be loaded, or that there is no test."""

NO_TEST = 5


class Change(NamedTuple):
    """One mutant: the line, what was done to it, and the code of the whole module."""

    line: int
    what: str
    code: CodeType


def changes(path: Path, count: int, seed: int) -> Iterator[Change]:
    """Yield some mutants of a module, in the order of its syntax tree; all if it has no more.

    Parameters
    ----------
    path : Path
        The module.
    count, seed : int
        How many, and what chooses them.
    """
    tree = ast.parse(path.read_text())
    found = [
        (place, choice)
        for place, node in enumerate(ast.walk(tree))
        for choice in range(CHOICES)
        if _changed(copy.copy(node), choice) is not None
    ]
    for place, choice in sorted(Random(seed).sample(found, min(count, len(found)))):
        changed = copy.deepcopy(tree)
        node = next(itertools.islice(ast.walk(changed), place, None))
        done = _changed(node, choice)
        (*_, stated) = (one for one in ast.walk(changed) if isinstance(one, ast.stmt) and node in ast.walk(one))
        what = f"{done}: {ast.unparse(stated).splitlines()[0][:90]}"
        code = compile(ast.fix_missing_locations(changed), str(path), "exec")
        yield Change(getattr(node, "lineno", stated.lineno), what, code)


def _changed(node: ast.AST, choice: int) -> str | None:
    """Change a node; return what was done, None if there is no such choice."""
    if isinstance(node, ast.Constant) and choice == 0 and isinstance(node.value, int):
        before = node.value
        node.value = not before if isinstance(before, bool) else before + 1
        return f"{before} -> {node.value}"
    if isinstance(node, ast.If | ast.While | ast.IfExp) and choice == 0:
        node.test = ast.UnaryOp(ast.Not(), node.test)
        return "condition inverted"
    for name, value in ast.iter_fields(node):
        single = value[0] if name == "ops" and len(value) == 1 else value
        swaps = SWAPS.get(type(single), ()) if name in ("op", "ops") else ()
        if choice < len(swaps):
            new = swaps[choice]()
            setattr(node, name, [new] if name == "ops" else new)
            return f"{type(single).__name__} -> {type(new).__name__}"
    return None


class _Instead(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads other code in place of a module's."""

    def __init__(self, name: str, path: Path, code: CodeType) -> None:
        self.name, self.path, self.code = name, path, code

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        """Be asked for all modules, and answer for one."""
        if name != self.name:
            return None
        return importlib.util.spec_from_file_location(name, self.path, loader=self)

    def create_module(self, spec: Any) -> None:
        """Leave it to Python."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the code."""
        exec(self.code, vars(module))


def tests_of(name: str) -> list[str]:
    """Return the files of tests of a module's own system that import it by its name."""
    wanted = re.compile(rf"^(?:from {re.escape(name)} import|import {re.escape(name)}\b)", re.M)
    # cubecast.<room>.<system>..., or tests.<system>...
    system = name.split(".")[1 if name.startswith("tests.") else 2]
    files = sorted((ROOT / "tests" / system).glob("test_*.py"))
    return [str(file) for file in files if wanted.search(file.read_text())]


def _status(tests: Sequence[str], instead: _Instead, seconds: float) -> int:
    """Return the status of pytest in a process of its own, that of a signal as a negative number."""
    pid = os.fork()
    if not pid:
        status = FAILED
        try:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            signal.alarm(max(1, int(seconds)))
            for name in [name for name in sys.modules if name.partition(".")[0] in ("cubecast", "tests")]:
                del sys.modules[name]
            sys.meta_path.insert(0, instead)
            chosen = ["-m", "not soak and not cosim and not formal", "-p", "no:xdist", "-x", "-q"]
            status = int(importlib.import_module("pytest").main([*chosen, *tests]))
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line ``argv``; return the exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    return concluded(PROG, lambda: _mutants(words), [])


def _mutants(argv: Sequence[str]) -> int:
    """Do it; return the exit status."""
    parser = Parser(prog=PROG, description="Change modules; see whether their tests notice.", epilog=HELP + STATUSES)
    parser.add_argument(
        "modules", nargs="+", type=file_name, metavar="FILE", help="such as golden/packet/algorithms/routing.py"
    )
    parser.add_argument("--count", type=up_to(10_000), default=40, help="mutants of each (default: 40)")
    parser.add_argument("--seed", type=up_to(2**31 - 1), default=1, help="chooses them (default: 1)")
    parser.add_argument("--record", type=file_name, required=True, metavar="FILE", help="where mutants are kept")
    parser.add_argument("--docs", action="store_true", help="take them into docs/mutants.jsonl and renew the page")
    given = parser.parse_args(argv)
    modules = [_module(path) for path in given.modules]
    record = Record(output_file(given.record, "record"))
    # Loaded once: a process takes longer to import them than most tests run.
    for name in ("pytest", "numpy", "amaranth.hdl"):
        importlib.import_module(name)
    found = []
    for path, name in modules:
        found += list(_examined(path, name, given.count, given.seed, record))
    if given.docs:
        renew(found)
    return MISMATCH if living(found) else DONE


def _module(path: Path) -> tuple[Path, str]:
    """Return a module of the project: its file, and the name by which it is imported.

    Raises
    ------
    UsageError
        It is none, or no test imports it.
    """
    place = path.resolve()
    if not place.is_file() or place.suffix != ".py" or not place.is_relative_to(ROOT):
        raise UsageError(
            f"file must be a module of this checkout, such as golden/packet/algorithms/routing.py, not {str(path)!r}"
        )
    words = place.relative_to(ROOT).with_suffix("").parts
    name = ".".join(words if words[0] in ("cubecast", "tests") else ("cubecast", *words))
    if not tests_of(name):
        raise UsageError(f"file must be a module that a test imports by its name, not {str(path)!r}")
    return place, name


def _examined(path: Path, name: str, count: int, seed: int, record: Record) -> Iterator[dict[str, Any]]:
    """Yield what became of each mutant of a module, and put it into the record."""
    tests = tests_of(name)
    source = str(path.relative_to(ROOT))
    start = time.monotonic()
    status = _status(tests, _Instead(name, path, compile(path.read_text(), str(path), "exec")), 3600)
    usual = time.monotonic() - start
    if status != PASSED:
        raise ToolError(f"{source}: its tests do not pass without a mutant (status {status}): {' '.join(tests)}")
    now = {"seed": seed, "revision": revision(), "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d")}
    mutants = []
    record.replace(source, [])
    for change in changes(path, count, seed):
        status = _status(tests, _Instead(name, path, change.code), max(LEAST, PATIENCE * usual))
        if status == NO_TEST:
            raise ToolError(f"{source}: a mutant leaves no test: {change.what}")
        mutant = {
            "unit": source,
            "corner": " ".join(Path(test).name for test in tests),
            "mutant": change.what,
            "sources": [f"{source}:{change.line}"],
            "outcome": "alive" if status == PASSED else "killed",
            "key": digest(source, change.line, change.what),
            **now,
        }
        record.add(mutant)
        mutants.append(mutant)
        yield mutant
    print(f"mutants: {source}: {len(mutants)}, score {score(mutants) or 0.0:.1f} %", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
