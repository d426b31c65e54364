"""Unset: a design whose registers and memories have no initial value, so that a simulator may begin with any."""

from __future__ import annotations

import re

__all__ = ["MOST_START", "unset"]

MOST_START = (1 << 31) - 1
"""Seed of Verilator's random values at most."""

STARTER = "at_start"
"""Register of no hardware, which lets Verilog's combinational blocks run once."""


def unset(verilog: str) -> str:
    """Return a design without the initial values of what it writes: what it only reads keeps them.

    Parameters
    ----------
    verilog : str
        All modules, as Yosys writes them, or models of its cells.
    """
    return re.sub(r"^module .*?^endmodule", lambda found: _module(found[0]), _defined(verilog), flags=re.M | re.S)


def _defined(verilog: str) -> str:
    """Return a text whose macros set nothing."""
    return re.sub(r"^(`define \w+_INIT) initial .*$", r"\1", verilog, flags=re.M)


def _module(text: str) -> str:
    """Return a module without initial values."""

    def kept(found: re.Match[str]) -> str:
        name = re.escape(found["name"])
        return "" if re.search(rf"^(?!\s*initial)[^\n]*{name}\s*\[[^\n]* <= ", text[found.end() :], re.M) else found[0]

    text = re.sub(
        r"^(?P<indent>\s*)initial begin\n(?:\s*for [^\n]*\n)?\s*(?P<name>\\\S+|\w+)\s*\[.*?^(?P=indent)end\n",
        kept,
        text,
        flags=re.M | re.S,
    )
    text = re.sub(rf"^(\s*reg (?!{STARTER}\b)[^;=\n]*?)\s+= [^;]*;", r"\1 ;", text, flags=re.M)
    return re.sub(rf"^\s*initial (?!begin|{STARTER}\b)[^;\n]*;", "", text, flags=re.M)
