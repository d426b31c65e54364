"""Verilog of any component, every unit in it written as one module."""

import re
from collections.abc import Callable

from amaranth.lib import wiring

from cubecast.rtl.common.amaranth_private import to_verilog
from cubecast.rtl.common.instance import collect, module_name

__all__ = ["WAIVERS", "waivers", "write"]

WAIVERS = {
    "DECLFILENAME": "all modules of a design are in one file",
    "UNUSEDSIGNAL": "Amaranth keeps a named net for every port of an instance, even where it connects another net; "
    "not its doing: control__write_data above n bits, odd, turn and ready of the local gateway, up of a channel with "
    "one lane, half of each broadcaster; of the packet router free_rows, reports of the local output, and the "
    "request of a packet buffer unit for its own dimension",
    "WIDTHEXPAND": "Amaranth writes constants and operands in their own width and lets Verilog extend them",
    "WIDTHTRUNC": "Amaranth writes a comparison with zero as a logical NOT of the whole vector",
    "CASEINCOMPLETE": "Amaranth assigns a default before every case statement",
    "INITIALDLY": "the start signal of the combinational blocks must change after all blocks have begun to wait",
    "PROCASSINIT": "Amaranth gives registers their reset value as initial value too",
}
"""Verilator warnings (``-Wall``) that are waived, each with its reason: what Amaranth's Verilog writer causes, and the
few ports of fixed shape of which a configuration does not use all. There are no other warnings."""


def waivers() -> str:
    """Return :data:`WAIVERS` as a Verilator configuration file (``.vlt``)."""
    lines = ["`verilator_config"]
    for name, reason in WAIVERS.items():
        lines += [f"// {reason}", f"lint_off -rule {name}"]
    return "\n".join([*lines, ""])


def write(
    component: wiring.Component,
    name: str | None = None,
    *,
    sources: bool = False,
    progress: Callable[[str], None] | None = None,
) -> str:
    """Return a component as Verilog text.

    Every unit placed in it becomes one module (``module_name`` says how it is called), however many instances there
    are. The text depends on the component's parameters alone.

    Parameters
    ----------
    component : Component
        One of the units; it is used up.
    name : str
        Name of the top module; default that of the unit, without its parameters.
    sources : bool
        Keep Amaranth's attributes, among them the line of Python that everything comes from.
    progress : function
        Called with the name of each module when it has been converted.
    """
    name = name or module_name(type(component))
    with collect(sources=sources, progress=progress) as modules:
        modules.convert(component, name)
    text = _sorted(to_verilog(str(modules), attributes=sources), modules.sorted_as)
    config = getattr(component, "config", None)
    parameters = ", ".join(f"{key}={value}" for key, value in config.to_json().items()) if config else "no parameters"
    return f"// {name}: {parameters}\n" + _start(text)


def _sorted(text: str, key: Callable[[str], str]) -> str:
    """Put the modules into an order that is the same for all parameters, so that two designs can be compared."""
    module = r"(?:^\(\*[^\n]*\*\)\n)*^module (\S+?)\s*\(.*?^endmodule\n"
    found = sorted(re.finditer(module, text, re.M | re.S), key=lambda match: key(match[1]))
    return "\n".join(["", *(match[0] for match in found)])


def _start(text: str) -> str:
    """Let every ``always @*`` block run once at time 0, even when nothing it reads ever changes.

    Yosys gives each module a register that all these blocks read, but it has its value before they begin to wait for
    a change (Icarus). A non-blocking assignment comes after that.
    """
    guard = r"\\\$auto\$verilog_backend\S+ "
    text = re.sub(
        rf"^  reg {guard} = 0;$",
        "  reg at_start = 0;\n`ifndef SYNTHESIS\n  initial at_start <= 1;\n`endif",
        text,
        flags=re.MULTILINE,
    )
    return re.sub(guard, "at_start", text)
