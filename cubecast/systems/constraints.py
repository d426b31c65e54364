"""Timing constraints of a unit as templates: SDC, XDC and LPF."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

__all__ = ["PERIOD", "STRAP", "constraints"]

PERIOD = 10.0
"""Period of the clock in a template, in ns."""

STRAP = "address"
"""Input that is constant after reset."""

ASYNCHRONOUS = "button"
"""Input of any clock, which two registers with the attribute ASYNC_REG settle."""


def constraints(name: str, inputs: Mapping[str, int], clock: str, links: str) -> dict[str, str]:
    """Return the files by name, without their first lines; ``#`` begins a comment in all of them.

    Parameters
    ----------
    name : str
        Name of the Verilog module.
    inputs : dict
        Its inputs.
    clock : str
        Its clock.
    links : str
        What registers a link may have; empty: it has no links.
    """
    head = [
        f"# {name}: to be adapted to a design; ports are those of the module, elsewhere give the nets or cells in it.",
        "# One clock; there are no false paths but those below, and no multicycle paths.",
    ]
    told = [f"# {line}" for line in textwrap.wrap(f"Registers on a link: {links}.", 118)] if links else []
    made = f"create_clock -name {clock} -period {PERIOD:.3f} [get_ports {clock}]"
    untimed = {port: bits for port, bits in {STRAP: "[*]", ASYNCHRONOUS: ""}.items() if port in inputs}
    if ASYNCHRONOUS in untimed:
        told.append(f"# {ASYNCHRONOUS} is of any clock: two registers with the attribute ASYNC_REG settle it.")
    sdc = [
        *head,
        *told,
        made,
        *(f"set_false_path -from [get_ports {{{port}{bits}}}]" for port, bits in untimed.items()),
    ]
    alone = ["# nextpnr (--sdc) takes create_clock alone of these; false paths are to be left out there."] * bool(
        untimed
    )
    lpf = [*head, *told, f'FREQUENCY PORT "{clock}" {1000 / PERIOD:.3f} MHZ;']
    lpf += [
        f'# nextpnr has no such false paths; Diamond: BLOCK PATH FROM PORT "{port}{"*" if bits else ""}";'
        for port, bits in untimed.items()
    ]
    files = (("sdc", [*sdc, *alone]), ("xdc", sdc), ("lpf", lpf))
    return {f"{name}.{end}": "\n".join([*lines, ""]) for end, lines in files}
