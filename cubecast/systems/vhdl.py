"""The component of a unit for VHDL."""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["package"]


def package(name: str, inputs: Mapping[str, int], outputs: Mapping[str, int]) -> str:
    r"""Return a package ``<name>_pkg`` with the component of a unit, in VHDL of 1993.

    A port of one bit is a ``std_logic``, another one a ``std_logic_vector``. Two underscores in a row are in no plain
    name of VHDL: what has them, such as a port, is an extended identifier, ``\link_in__0__valid\``.

    Parameters
    ----------
    name : str
        Name of the Verilog module.
    inputs, outputs : dict
        Port name to width in bits, the clock included.
    """
    ports = [(port, "in", width) for port, width in inputs.items()]
    ports += [(port, "out", width) for port, width in outputs.items()]
    called = {port: _identifier(port) for port, _, _ in ports}
    longest = max(map(len, called.values()))
    pack = _identifier(f"{name}_pkg")
    lines = ["library ieee;", "use ieee.std_logic_1164.all;", "", f"package {pack} is"]
    lines += [f"  component {_identifier(name)} is", "    port ("]
    lines += [f"      {called[port].ljust(longest)} : {way:3} {_type(width)};" for port, way, width in ports]
    lines[-1] = lines[-1].removesuffix(";")
    return "\n".join([*lines, "    );", "  end component;", f"end package {pack};", ""])


def _identifier(name: str) -> str:
    """Return the name of a package, a component or a port in VHDL."""
    return name if re.fullmatch(r"[A-Za-z](_?[A-Za-z0-9])*", name) else f"\\{name}\\"


def _type(width: int) -> str:
    """Return the type of a port."""
    return "std_logic" if width == 1 else f"std_logic_vector({width - 1} downto 0)"
