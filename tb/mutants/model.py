"""Mutants of Python: a machine changes a module of the golden model or a checker, and its tests have to notice.

``python -m cubecast.tb.mutants.model --help``. Each mutant is a process of its own, forked from one that has loaded
what takes long; it imports the changed module in place of the file, which stays as it is. A twin of a unit runs beside
the unit's hardware, which is as it was.
"""

from __future__ import annotations

import ast
import copy
import datetime
import importlib
import itertools
import marshal
import os
import re
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from types import CodeType
from typing import Any, NamedTuple

from cubecast.options.arguments import Parser, file_name, up_to
from cubecast.options.ending import DONE, MISMATCH, STATUSES, concluded
from cubecast.options.files import output_file
from cubecast.options.usage import ToolError, UsageError
from cubecast.tb.harness.cache import digest
from cubecast.tb.harness.modules import ports_of
from cubecast.tb.harness.revision import revision
from cubecast.tb.harness.verilog import verilog_of
from cubecast.tb.mutants.instead import Instead, patience
from cubecast.tb.mutants.netlist import TOP
from cubecast.tb.mutants.page import renew
from cubecast.tb.mutants.record import Record, living, score
from cubecast.tb.mutants.runs import ROOT, Plan, plan, through_bench, units

__all__ = ["Change", "changes", "main", "tests_of"]

PROG = "python -m cubecast.tb.mutants.model"

HELP = """\
A mutant changes one operator, comparison, condition or number. Tests that simulate or ask a solver, and those of make
soak, are left out. The twin of a unit runs beside the hardware first, in the unit's bench, at the first corner of its
line, up to the limit of cycles.

examples:
  python -m cubecast.tb.mutants.model golden/packet/algorithms/routing.py --count 40 --record build/model.jsonl
  python -m cubecast.tb.mutants.model golden/packet/twins/cam.py --record build/model.jsonl

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

CHOICES = 2
"""In how many ways a place can be changed at most."""

MOST_BYTES = 2 << 30
"""Memory that tests may take; a loop that a mutant does not leave would take all of the machine's."""

PASSED, FAILED = 0, 1
"""Statuses of pytest; those above say that a module could not even be loaded, or that there is no test."""

NO_TEST = 5


class Change(NamedTuple):
    """One mutant: the line, what was done to it, and the code of the whole module."""

    line: int
    what: str
    code: CodeType


def changes(path: Path, count: int, seed: int) -> Iterator[Change]:
    """Yield some mutants of a module, in the order of its syntax tree; all if it has no more. Types are left out.

    Parameters
    ----------
    path : Path
        The module.
    count, seed : int
        How many, and what chooses them.
    """
    tree = ast.parse(path.read_text())
    types = {part for node in ast.walk(tree) for part in _annotations(node)}
    found = [
        (place, choice)
        for place, node in enumerate(ast.walk(tree))
        for choice in range(CHOICES)
        if node not in types and _changed(copy.copy(node), choice) is not None
    ]
    for place, choice in sorted(Random(seed).sample(found, min(count, len(found)))):
        changed = copy.deepcopy(tree)
        node = next(itertools.islice(ast.walk(changed), place, None))
        done = _changed(node, choice)
        (*_, stated) = (one for one in ast.walk(changed) if isinstance(one, ast.stmt) and node in ast.walk(one))
        what = f"{done}: {ast.unparse(stated).splitlines()[0][:90]}"
        code = compile(ast.fix_missing_locations(changed), str(path), "exec")
        yield Change(getattr(node, "lineno", stated.lineno), what, code)


def _annotations(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of the types that a node declares, which nothing runs."""
    for name in ("annotation", "returns"):
        if (declared := getattr(node, name, None)) is not None:
            yield from ast.walk(declared)


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


def tests_of(name: str) -> list[str]:
    """Return the files of tests of a module's own system that import it by its name."""
    wanted = re.compile(rf"^(?:from {re.escape(name)} import|import {re.escape(name)}\b)", re.M)
    # cubecast.<room>.<system>..., or tests.<system>...
    system = name.split(".")[1 if name.startswith("tests.") else 2]
    files = sorted((ROOT / "tests" / system).glob("test_*.py"))
    return [str(file) for file in files if wanted.search(file.read_text())]


def _status(tests: Sequence[str], instead: Instead, seconds: int) -> int:
    """Return the status of pytest in a process of its own, that of a signal as a negative number."""
    pid = os.fork()
    if not pid:
        status = FAILED
        try:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            signal.alarm(seconds)
            resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))
            instead.put()
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
    parser.add_argument(
        "--jobs",
        type=up_to(256),
        default=os.cpu_count() or 1,
        help="twins that run at a time (default: one per processor)",
    )
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
        found += list(_examined(path, name, given.count, given.seed, given.jobs, record))
    if given.docs:
        renew(found)
    return MISMATCH if living(found) else DONE


def _module(path: Path) -> tuple[Path, str]:
    """Return a module of the project: its file, and the name by which it is imported.

    Raises
    ------
    UsageError
        It is none, or neither is it the twin of a unit nor does a test import it.
    """
    place = path.resolve()
    if not place.is_file() or place.suffix != ".py" or not place.is_relative_to(ROOT):
        raise UsageError(
            f"file must be a module of this checkout, such as golden/packet/algorithms/routing.py, not {str(path)!r}"
        )
    words = place.relative_to(ROOT).with_suffix("").parts
    name = ".".join(words if words[0] in ("cubecast", "tests") else ("cubecast", *words))
    if not tests_of(name) and not _bench_of(place):
        raise UsageError(
            f"file must be a twin of a unit, or a module that a test imports by its name, not {str(path)!r}"
        )
    return place, name


def _bench_of(path: Path) -> list[Plan]:
    """Return a twin's unit at the first corner of its line, once for each of its benches; nothing for other modules."""
    room, *system, kind, name = ("", *path.relative_to(ROOT).with_suffix("").parts)[-4:]
    unit = f"{system[0]}/{name}" if system else ""
    if (room, kind) != ("golden", "twins") or unit not in (known := units()):
        return []
    return list(plan(unit, *known[unit], 1))


def _examined(path: Path, name: str, count: int, seed: int, jobs: int, record: Record) -> Iterator[dict[str, Any]]:
    """Yield what became of each mutant of a module, and put it into the record."""
    tests = tests_of(name)
    benches = _bench_of(path)
    source = str(path.relative_to(ROOT))
    asked = [*(f"lockstep at {each.corner}" for each in benches[:1]), *(Path(test).name for test in tests)]
    about = {"seed": seed, "revision": revision(), "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d")}
    mutants: list[dict[str, Any]] = []
    record.replace(source, [])

    def noted(change: Change, *, alive: bool) -> dict[str, Any]:
        mutant = {
            "unit": source,
            "corner": " ".join(asked),
            "mutant": change.what,
            "sources": [f"{source}:{change.line}"],
            "outcome": "alive" if alive else "killed",
            "key": digest(source, change.line, change.what),
            **about,
        }
        record.add(mutant)
        mutants.append(mutant)
        return mutant

    planted = list(changes(path, count, seed))
    # Far sooner than the tests of networks.
    left = _beside_hardware(benches, name, path, planted, jobs) if benches else planted
    for change in planted:
        if change not in left:
            yield noted(change, alive=False)
    usual = _seconds(source, tests, Instead(name, path, compile(path.read_text(), str(path), "exec"))) if left else 0.0
    for change in left:
        status = _status(tests, Instead(name, path, change.code), patience(usual)) if tests else PASSED
        if status == NO_TEST:
            raise ToolError(f"{source}: a mutant leaves no test: {change.what}")
        yield noted(change, alive=status == PASSED)
    print(f"mutants: {source}: {len(mutants)}, score {score(mutants) or 0.0:.1f} %", file=sys.stderr, flush=True)


def _seconds(source: str, tests: Sequence[str], unchanged: Instead) -> float:
    """Return how long the tests of a module take.

    Raises
    ------
    ToolError
        They do not pass.
    """
    start = time.monotonic()
    if tests and (status := _status(tests, unchanged, 3600)) != PASSED:
        raise ToolError(f"{source}: its tests do not pass without a mutant (status {status}): {' '.join(tests)}")
    return time.monotonic() - start


def _beside_hardware(
    benches: Sequence[Plan], name: str, path: Path, mutants: Sequence[Change], jobs: int
) -> list[Change]:
    """Return the mutants of a twin that no bench of its unit tells from the hardware.

    Raises
    ------
    ToolError
        The unit does not pass its bench without a mutant, or the simulator failed.
    """
    alive = list(mutants)
    for asked in benches:
        verilog = verilog_of(asked.run.bench.component, asked.run.config, asked.run.extra)
        told = {"module": name, "path": str(path), "numbers": list(range(1, len(alive) + 1)), "jobs": jobs}
        with tempfile.TemporaryDirectory(prefix="cubecast-") as scratch:
            folder = Path(scratch)
            (folder / "runs").mkdir()
            for number, mutant in enumerate(alive, 1):
                (folder / "runs" / f"{number}.code").write_bytes(marshal.dumps(mutant.code))
            results, _ = through_bench(asked, verilog, ports_of(verilog, TOP), told, folder)
        alive = [mutant for number, mutant in enumerate(alive, 1) if results[number]["outcome"] == "alive"]
    return alive


if __name__ == "__main__":
    sys.exit(main())
