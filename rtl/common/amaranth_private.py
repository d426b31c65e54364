"""What the project uses of Amaranth's inside; for the one version that it is pinned to."""

import functools
from typing import Any

from amaranth._toolchain import yosys
from amaranth.back import rtlil, verilog
from amaranth.hdl import _nir

__all__ = ["VERSION", "Matches", "Net", "Switch", "ask_yosys_once", "assigned", "to_verilog"]

VERSION = "0.5.10"
"""The version of Amaranth that this is for."""

Net = _nir.Net
"""A bit of the netlist, and its number."""

Matches = _nir.Matches
"""The alternatives of an ``m.If`` or ``m.Switch`` in the netlist."""

Switch = rtlil.Switch
"""The same on its way to RTLIL."""


def to_verilog(text: str, *, attributes: bool) -> str:
    """Return RTLIL as Verilog, with or without the attributes that say where everything comes from."""
    return str(verilog._convert_rtlil_text(text, strip_internal_attrs=not attributes))


def assigned(fragment: Any) -> list[Any]:
    """Return the registers that an elaborated fragment itself assigns."""
    return list(fragment.statements["sync"]._lhs_signals())


def ask_yosys_once() -> None:
    """Let Yosys be asked for its version once, not before every conversion."""
    binary = yosys._SystemYosys
    binary.version = functools.cache(binary.version)
