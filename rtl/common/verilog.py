"""Verilog of any component, every unit in it written as one module."""

import re
from collections.abc import Callable, Mapping, MutableMapping
from typing import Any

from amaranth.hdl import Value
from amaranth.lib import wiring

from cubecast.rtl.common.amaranth_private import only_for_ports, to_verilog
from cubecast.rtl.common.instance import PREFIX, Converted, Modules, Unit, collect, module_name

__all__ = ["MOST_PORT_BITS", "WAIVERS", "check_ports", "guarded", "keep_in", "netlist", "waivers", "write"]

MODULE = r"(?:^\(\*[^\n]*\*\)\n)*^module (\S+?)\s*\(.*?^endmodule\n"
"""A module of a text, with its attributes; flags M and S."""

MOST_PORT_BITS = 1 << 16
"""Bits of a vector that Amaranth writes, as many as every tool for Verilog has to take."""

STAYS = "(* keep_hierarchy = 1 *)"
"""Attribute of a module that synthesis does not dissolve in the one around it."""

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
"""Verilator warnings (``-Wall``) that the Verilog causes, each with its reason: what Amaranth's Verilog writer does,
and the few ports of fixed shape of which a configuration does not use all. There are no other warnings."""

BEYOND_LINT = ("INITIALDLY",)
"""Those of :data:`WAIVERS` that Verilator does not count as lint."""


def waivers(file: str) -> str:
    """Return a Verilator configuration file (``.vlt``) that keeps :data:`WAIVERS` silent in one Verilog file.

    All lint of the file is waived without a name: an unknown name is an error, and the names have changed
    (UNUSEDSIGNAL is UNUSED in 4.038, WIDTHEXPAND is WIDTH in 5.006, and PROCASSINIT is not known to either).

    Parameters
    ----------
    file : str
        Name of the Verilog file, in whatever folder.
    """
    lines = ["`verilator_config", *(f"// {name}: {reason}" for name, reason in WAIVERS.items())]
    for rule in ("", *(f"-rule {name} " for name in BEYOND_LINT)):
        lines += [f'lint_off {rule}-file "{folder}{file}"' for folder in ("", "*/")]
    return "\n".join([*lines, ""])


def guarded(text: str, top: str) -> str:
    """Return a design in which all modules but the top one are skipped where a file before has them already.

    Two designs have modules of the same name only where they are the same, such as ``cubecast_arbiter_3``.
    """

    def guard(found: re.Match[str]) -> str:
        if found[1] == top:
            return found[0]
        return f"`ifndef {found[1]}_v\n`define {found[1]}_v\n{found[0]}`endif\n"

    return re.sub(MODULE, guard, text, flags=re.M | re.S)


def check_ports(component: wiring.Component) -> None:
    """Look at the ports of a component before it is converted, which takes minutes where they are as wide as here.

    Raises
    ------
    ValueError
        One has more than :data:`MOST_PORT_BITS`.
    """
    for path, _, port in component.signature.flatten(component):
        if (bits := len(Value.cast(port))) > MOST_PORT_BITS:
            name = "__".join(map(str, path))
            raise ValueError(f"dim and width must make ports of at most {MOST_PORT_BITS} bits, not {name} of {bits}")


def write(
    component: wiring.Component,
    name: str | None = None,
    *,
    sources: bool = False,
    progress: Callable[[str], None] | None = None,
    prefix: str = PREFIX,
    made_of: tuple[Any, Mapping[str, Any]] | None = None,
    kept: MutableMapping[tuple[str, Unit], Converted] | None = None,
) -> str:
    """Return a component as Verilog text.

    Every unit placed in it becomes one module (``module_name`` says how it is called), however many instances there
    are, and is converted once in a process. The modules are in an order that is the same for all parameters, so that
    two designs can be compared. The text depends on the component's parameters alone.

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
    prefix : str
        First word of the names of all modules but the top one.
    made_of : tuple
        First parameter and keyword arguments of the component, numbers and words: it is then the module that others
        place, taken from where those are kept, under another name. The text is the same.
    kept : mutable mapping
        As of :class:`cubecast.rtl.common.instance.Modules`; default: what earlier designs of this process have.
    """
    name = name or module_name(type(component))
    store = _kept if kept is None else kept
    module = name
    if made_of is not None and not sources:
        config, extra = made_of
        module = prefix + module_name(type(component), config, **extra).removeprefix(PREFIX)

    def converted(each: str) -> None:
        if progress:
            progress(name if each == module else each)

    with collect(sources=sources, progress=converted, prefix=prefix, kept=store) as modules:
        if module == name:
            modules.convert(component, name)
        else:
            only_for_ports(component)
            modules.define(type(component), (config,), dict(extra))
    texts = _texts(modules, sources=sources)
    if module != name:
        if name in texts:
            raise ValueError(f"name must be one that no unit inside has, not {name!r}")
        texts[name] = re.sub(rf"^module {module}\(", f"module {name}(", texts.pop(module), count=1, flags=re.M)
    return _design(modules, texts, component, name)


_kept: MutableMapping[tuple[str, Unit], Converted] = {}
"""What earlier designs of this process have in Verilog."""


def keep_in(kept: MutableMapping[tuple[str, Unit], Converted]) -> None:
    """Let all designs that :func:`write` writes from now on take modules from there, and keep theirs there."""
    global _kept
    _kept = kept


def _texts(modules: Modules, *, sources: bool = False) -> dict[str, str]:
    """Return the Verilog of all modules of a design, by name."""
    made = str(modules)
    texts = _by_module(to_verilog(made, attributes=sources)) if made else {}
    modules.keep(texts)
    return texts | modules.verilog


def _design(modules: Modules, texts: dict[str, str], component: wiring.Component, name: str) -> str:
    """Return a design as one text, which begins with the parameters of its top module."""
    for module in texts:
        if modules.stays(module):
            texts[module] = f"{STAYS}\n{texts[module]}"
    text = "\n".join(["", *(texts[module] for module in sorted(modules.order(texts), key=modules.sorted_as))])
    config = getattr(component, "config", None)
    parameters = "no parameters"
    if config:
        usual = {name for name, value in config.later().items() if value is None}
        parameters = ", ".join(f"{key}={value}" for key, value in config.to_json().items() if key not in usual)
    return f"// {name}: {parameters}\n" + _start(text)


def netlist(component: wiring.Component, name: str) -> str:
    """Return the RTLIL that :func:`write` makes Verilog of, with the lines of Python that everything comes from."""
    with collect(sources=True) as modules:
        modules.convert(component, name)
    return str(modules)


def _by_module(text: str) -> dict[str, str]:
    """Return the text of each module, by its name."""
    return {found[1]: _renumbered(found[0]) for found in re.finditer(MODULE, text, re.M | re.S)}


def _renumbered(module: str) -> str:
    """Return a module whose nets that Yosys named are counted from 1, and stand in the order of their numbers.

    Yosys' own count goes on through a design, and it sorts such nets by the digits.
    """
    own = r"(\\\$auto\$\S*\$)(\d+)(?= )"
    named = sorted(set(re.findall(own, module)), key=lambda found: (int(found[1]), found[0]))
    numbers = {found: f"{found[0]}{number}" for number, found in enumerate(named, 1)}
    lines = module.split("\n")
    for what in ("wire", "reg", "assign"):
        whole = re.compile(rf"  {what} (?:\[\S+ )?{own} .*;")
        places = {index: found for index, line in enumerate(lines) if (found := whole.fullmatch(line))}
        ordered = sorted(places.values(), key=lambda found: int(found[2]))
        for index, found in zip(places, ordered, strict=True):
            lines[index] = found[0]
    return re.sub(own, lambda found: numbers[found[1], found[2]], "\n".join(lines))


def _start(text: str) -> str:
    """Let every ``always @*`` block run once at time 0, even when nothing it reads ever changes.

    Yosys gives each module a register that all these blocks read, but it has its value before they begin to wait for
    a change (Icarus). A non-blocking assignment comes after that. Blocks of one statement, for bits of a net whose
    others have more, do not read it.
    """
    guard = r"\\\$auto\$verilog_backend\S+ "
    text = re.sub(
        rf"^  reg {guard} = 0;$",
        "  reg at_start = 0;\n`ifndef SYNTHESIS\n  initial at_start <= 1;\n`endif",
        text,
        flags=re.MULTILINE,
    )
    alone = r"^  always @\*\n( {4}\S.*;)$"
    text = re.sub(alone, r"  always @* begin\n    if (at_start) begin end\n\1\n  end", text, flags=re.MULTILINE)
    return re.sub(guard, "at_start", text)
