"""What the harness uses of cocotb's inside; for the one version that the project is pinned to."""

from __future__ import annotations

import functools
import gc
import importlib
import os
import sys
import types
from collections.abc import Callable
from typing import Any

__all__ = ["RESULTS", "START", "VERSION", "cycles", "leave_out", "main_file", "reader", "run_tests", "writer"]

VERSION = "2.1.0"
"""The version of cocotb that this is for."""

TRACE_CALL = "top->trace(tfp, 99);"
"""Where cocotb's main file of Verilator looks for what there is to trace."""

START = (
    "cubecast.tb.harness.cocotb_private:leave_out",
    "cocotb.logging:_configure",
    "cocotb._init:init_package_from_simulation",
    "cubecast.tb.harness.cocotb_private:run_tests",
)
"""What is called in the simulator, one after the other: cocotb's own, without that which counts its own coverage."""

END_CALLS = ["top->final();", "wrap_up();"]
"""How it ends: the first call frees the hierarchical blocks, the second one writes the counters in them."""


WORD = 32
"""Bits of the signed integers in which a simulator hands values over; those of wider signals are texts."""

ALL_ONES = (1 << WORD) - 1

RESULTS = "COCOTB_RESULTS_FILE"
"""Variable that says where cocotb's report goes; without it there is none."""

ALLOCATIONS = 100_000
"""Objects made before garbage is looked for, of which a run leaves next to none: Python's own 700 cost it a tenth."""


class Unreported:
    """Takes what cocotb reports of its tests, and writes no file."""

    def __init__(self, **settings: Any) -> None:
        """Need nothing of what a report is made with."""

    def add_testcase(self, **about: Any) -> None:
        """Forget a test."""

    def normalize_path(self, path: str) -> str:
        """Return a path as it is."""
        return path

    def write(self, path: str) -> None:
        """Write nothing."""


def leave_out() -> None:
    """Let cocotb start without what takes longer to load than all the rest together, and which no run needs.

    Of pytest and asyncio, cocotb names exceptions, which no testbench raises, and it lets pytest rewrite no file; it
    asks the installed packages for its version; it can debug and profile; and it writes a report, if it is told where.
    """

    gc.set_threshold(ALLOCATIONS, 20, 20)

    def exceptions(*names: str, base: type = Exception) -> dict[str, Any]:
        return {name: type(name, (base,), {}) for name in names}

    outcomes = {name: types.SimpleNamespace(**exceptions("Exception")) for name in ("raises", "skip", "xfail")}
    names: dict[str, dict[str, Any]] = {
        "_pytest": {},
        "_pytest.assertion": {"install_importhook": None},
        "_pytest.config": {"Config": None},
        "asyncio": exceptions("CancelledError", base=BaseException) | exceptions("InvalidStateError"),
        "asyncio.queues": exceptions("QueueEmpty", "QueueFull"),
        "cProfile": {},
        "cocotb._version": {"__version__": VERSION},
        **({} if RESULTS in os.environ else {"cocotb._xunit_reporter": {"Status": str, "XUnitReporter": Unreported}}),
        "pdb": {},
        "pstats": {},
        "pytest": outcomes,
    }
    for name, content in names.items():
        sys.modules[name] = types.ModuleType(name)
        vars(sys.modules[name]).update(content)
    vars(sys.modules["asyncio"])["queues"] = sys.modules["asyncio.queues"]


def run_tests() -> None:
    """Run what cocotb was asked to; a testbench that imports what was left out gets the real one."""
    run = importlib.import_module("cocotb.regression")._run_regression
    for name in ("asyncio", "asyncio.queues", "cProfile", "pdb", "pstats"):
        del sys.modules[name]
    run()


def _two_valued() -> bool:
    """Return whether the simulator is Verilator, which knows neither X nor Z."""
    trusted: bool = importlib.import_module("cocotb.handle")._trust_inertial
    return trusted


def reader(handle: Any, width: int) -> Callable[[], int | str]:
    """Return the function that reads a signal of a width in bits: a number, or its bits as text if some are X or Z.

    ``handle.value`` makes an object for every bit, which takes longer than everything else in a cycle.
    """
    if width <= WORD and _two_valued():
        number: Callable[[], int] = handle._handle.get_signal_val_long
        return number if width < WORD else lambda: number() & ALL_ONES
    text = handle._handle.get_signal_val_binstr

    def read() -> int | str:
        bits: str = text()
        try:
            return int(bits, 2)
        except ValueError:
            return bits

    return read


def writer(handle: Any, width: int) -> Callable[[int], None]:
    """Return the function that gives a signal of a width in bits a value in its range, at once.

    ``handle.value`` looks at the phase, the type and the range anew for each write. Verilator gets the value without
    delay: it evaluates the design once more before it makes up for writes that it has put off.
    """
    actions = importlib.import_module("cocotb.handle")._GPISetAction
    action = (actions.NO_DELAY if _two_valued() else actions.DEPOSIT).value
    if width < WORD:
        return functools.partial(handle._handle.set_signal_val_int, action)
    if width == WORD:
        number = handle._handle.set_signal_val_int
        return lambda value: number(action, value - (value >> WORD - 1 << WORD))
    write, digits = handle._handle.set_signal_val_binstr, f"0{width}b"
    return lambda value: write(action, format(value, digits))


def cycles(clk: Any, period: int, begin: Callable[[], None], end: Callable[[], bool], *, waves: bool = False) -> Any:
    """Return what a test awaits while a design goes through its cycles.

    The simulator calls back what is to be done; tasks that wait for the edges of cocotb's clock take three times as
    long as most units take for a cycle.

    Parameters
    ----------
    clk
        Handle of the clock, which is driven from here; None: the design has none.
    period : int
        Length of a cycle in ns. The first rising edge comes after one, in waves after half of it.
    begin : function
        Called behind the rising edge, when all that it changes has settled; it may write at once.
    end : function
        Called when all has settled again, before the next rising edge; returns whether another cycle comes.
    waves : bool
        The clock falls in the middle of its cycle. Else it falls when inputs change, and the design is evaluated once
        less in each cycle.
    """
    simulator = importlib.import_module("cocotb.simulator")
    triggers = importlib.import_module("cocotb._gpi_triggers")
    halves = waves and clk is not None
    steps = importlib.import_module("cocotb.utils").get_sim_steps(period // 2 if halves else period, "ns")
    later, settled = simulator.register_timed_callback, simulator.register_rwsynch_callback
    clock = (lambda value: None) if clk is None else writer(clk, 1)

    class Ended(triggers.GPITrigger):  # type: ignore[misc, name-defined]
        """Fires behind the last cycle."""

        def _prime(self) -> None:
            clock(0)
            settled(started, first)

        def _unprime(self) -> None:
            """Leave the simulator as it is: what has ended asks for no more callbacks."""

    ended = Ended()

    def started(then: Callable[[], None]) -> None:
        begin()
        if not halves:
            clock(0)
        later(steps, then)

    def first() -> None:
        if end():
            rising()
        else:
            settled(ended._react)

    def rising() -> None:
        clock(1)
        settled(started, falling if halves else first)

    def falling() -> None:
        clock(0)
        if end():
            later(steps, rising)
        else:
            settled(ended._react)

    return ended


def main_file(*, coverage: bool) -> str:
    """Return cocotb's main file for Verilator, which shows the inside of hierarchical blocks in the waves too.

    The model makes its blocks when it is first evaluated, and traces those that there are when tracing is set up.
    With ``coverage`` the counters are written while the blocks are still there.

    Raises
    ------
    ValueError
        The installed cocotb is another one: the file does not hold what is replaced in it.
    """
    share = importlib.import_module("cocotb_tools.config").share_dir
    text = str((share / "lib" / "verilator" / "verilator.cpp").read_text())
    end = "\n\n    ".join(END_CALLS)
    for found in (TRACE_CALL, end):
        if text.count(found) != 1:
            raise ValueError(f"cocotb's verilator.cpp must hold {found!r} once: run make setup")
    text = text.replace(TRACE_CALL, f"top->eval_step(); {TRACE_CALL}")
    return text.replace(end, "\n\n    ".join(reversed(END_CALLS))) if coverage else text
