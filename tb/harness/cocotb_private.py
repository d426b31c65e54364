"""What the harness uses of cocotb's inside; for the one version that the project is pinned to."""

from __future__ import annotations

import functools
import importlib
import sys
import types
from collections.abc import Callable
from typing import Any

__all__ = ["START", "VERSION", "leave_pytest_out", "main_file", "reader", "writer"]

VERSION = "2.1.0"
"""The version of cocotb that this is for."""

TRACE_CALL = "top->trace(tfp, 99);"
"""Where cocotb's main file of Verilator looks for what there is to trace."""

START = (
    "cubecast.tb.harness.cocotb_private:leave_pytest_out",
    "cocotb.logging:_configure",
    "cocotb._init:init_package_from_simulation",
    "cocotb.regression:_run_regression",
)
"""What is called in the simulator, one after the other: cocotb's own, without that which counts its own coverage."""

PYTEST_OUTCOMES = ("raises", "skip", "xfail")
"""What cocotb knows of pytest."""

END_CALLS = ["top->final();", "wrap_up();"]
"""How it ends: the first call frees the hierarchical blocks, the second one writes the counters in them."""


def leave_pytest_out() -> None:
    """Let cocotb start without pytest, which takes as long to load as all the rest together.

    cocotb asks whether a test ended by one of its exceptions, which no testbench raises, and lets it rewrite no file.
    """
    outcomes = {name: types.SimpleNamespace(Exception=type(name, (Exception,), {})) for name in PYTEST_OUTCOMES}
    names: dict[str, dict[str, Any]] = {"_pytest": {}, "pytest": outcomes}
    names |= {"_pytest.assertion": {"install_importhook": None}, "_pytest.config": {"Config": None}}
    for name, content in names.items():
        sys.modules[name] = types.ModuleType(name)
        vars(sys.modules[name]).update(content)


def reader(handle: Any) -> Callable[[], str]:
    """Return the function that reads a signal's bits as text; ``handle.value`` makes an object for every bit."""
    function: Callable[[], str] = handle._handle.get_signal_val_binstr
    return function


def writer(handle: Any, width: int) -> Callable[[int], None]:
    """Return the function that gives a signal of a width in bits a value in its range.

    ``handle.value`` looks at the phase, the type and the range anew for each write, and then writes at once where the
    simulator is trusted with it (Verilator).
    """
    private = importlib.import_module("cocotb.handle")
    if not private._trust_inertial:
        return lambda value: setattr(handle, "value", value)
    deposit = private._GPISetAction.DEPOSIT.value
    if width < 32:
        return functools.partial(handle._handle.set_signal_val_int, deposit)
    write = handle._handle.set_signal_val_binstr
    return lambda value: write(deposit, f"{value:0{width}b}")


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
