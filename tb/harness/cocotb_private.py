"""What the harness uses of cocotb's inside; for the one version that the project is pinned to."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

__all__ = ["VERSION", "main_file", "reader"]

VERSION = "2.1.0"
"""The version of cocotb that this is for."""

TRACE_CALL = "top->trace(tfp, 99);"
"""Where cocotb's main file of Verilator looks for what there is to trace."""

END_CALLS = ["top->final();", "wrap_up();"]
"""How it ends: the first call frees the hierarchical blocks, the second one writes the counters in them."""


def reader(handle: Any) -> Callable[[], str]:
    """Return the function that reads a signal's bits as text; ``handle.value`` makes an object for every bit."""
    function: Callable[[], str] = handle._handle.get_signal_val_binstr
    return function


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
