"""Cell libraries of chips: gates, and the slowest path between registers before anything is placed, by OpenSTA."""

from __future__ import annotations

import dataclasses
import functools
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cubecast.tb.harness.process import clean_environment, execute
from cubecast.tb.harness.simulators import SimulatorError

__all__ = ["OSU035", "STA", "Library", "slowest_path", "sta_version"]

STA = "sta"
"""OpenSTA."""

COPY = "cells.lib"
"""The library in the folder of a run; Yosys sees no other folder."""

CONSTRAINTS = "cells.constr"
"""What drives the inputs and loads the outputs of the logic, from which ABC sizes gates and places buffers."""

LOAD = "set_driving_cell {driver}\nset_load 0.05\n"
"""Text of the constraints; the load is in pF."""

SYNTH = f"""\
synth -flatten -top {{top}}
dfflibmap -liberty {COPY}
abc -D 1000 -constr {CONSTRAINTS} -liberty {COPY}
opt_clean
autoname
write_verilog -noattr gates.v
"""
"""A flow for a library, memories as flip-flops."""

PATH = f"""\
read_liberty {COPY}
read_verilog gates.v
link_design {{top}}
create_clock -name clk -period 10 [get_ports {{clock}}]
report_checks -from [all_registers -clock_pins] -to [all_registers -data_pins] -digits 3 -fields {{{{nets}}}}
"""
"""What OpenSTA is asked."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Library:
    """Cells of a chip.

    Parameters
    ----------
    file : Path
        In Liberty format.
    driver : str
        The cell that drives inputs.
    packages : str
        What of Debian has the file, and OpenSTA.
    """

    file: Path
    driver: str
    packages: str

    @property
    def missing(self) -> str:
        """What is not installed; empty if everything is."""
        if not self.file.exists():
            return str(self.file)
        return "" if shutil.which(STA) else f"OpenSTA ({STA})"

    def bring(self, folder: Path) -> None:
        """Put the library and the constraints into a folder."""
        shutil.copyfile(self.file, folder / COPY)
        (folder / CONSTRAINTS).write_text(LOAD.format(driver=self.driver))


OSU035 = Library(
    file=Path("/usr/share/qflow/tech/osu035/osu035_stdcells.lib"),
    driver="BUFX2",
    packages="opensta and qflow-tech-osu035",
)
"""Cells of Oklahoma State University for a process of 0.35 um."""


@functools.cache
def sta_version() -> str:
    """Return the version of OpenSTA."""
    return _sta("-version", folder=Path.cwd()).strip()


def slowest_path(folder: Path, top: str, clock: str) -> tuple[float, list[dict[str, Any]]]:
    """Return the rate in MHz, and the steps of the slowest path between registers, of a folder's ``gates.v``.

    Parameters
    ----------
    folder : Path
        Has the library and the netlist.
    top : str
        Module of the netlist.
    clock : str
        Its clock.

    Raises
    ------
    SimulatorError
        OpenSTA failed, or found no path.
    """
    (folder / "path.tcl").write_text(PATH.format(top=top, clock=clock))
    report = _sta("-no_splash", "-exit", "path.tcl", folder=folder)
    steps = list(_steps(report))
    if not steps:
        raise SimulatorError(f"{STA} found no path between registers: {report.strip()[-200:]}")
    return 1000 / sum(step["ns"] for step in steps), steps


def _sta(*arguments: str, folder: Path) -> str:
    """Run OpenSTA; return what it says."""
    with tempfile.NamedTemporaryFile(prefix="cubecast-") as log:
        status = execute([STA, *arguments], cwd=folder, env=clean_environment(), log=Path(log.name))
        said = Path(log.name).read_text(errors="replace")
    if status:
        raise SimulatorError(f"{STA} ended with status {status}: {said.strip()[-200:]}")
    return said


def _steps(report: str) -> Iterator[dict[str, Any]]:
    """Yield the steps of the path in a report: out of the register, gate by gate, and the time before the edge."""
    nets = {place: name for name, place in _nets(report)}
    gates = list(re.finditer(r"^ +(\d+\.\d+) +\d+\.\d+ [v^] (\S+)/(\w+) \((\w+)\)$", report, re.M))
    data = [gate for gate in gates if gate.start() < report.find("data arrival time")]
    for index, gate in enumerate(data[1:], 1):
        if index < len(data) - 1:
            kind = "clk-to-q" if index == 1 else "logic"
            cell = f"{gate[2]} ({gate[4]})"
            yield {"kind": kind, "cell": cell, "net": nets.get(gate.end(), ""), "ns": float(gate[1])}
    if setup := re.search(r"^ +(-?\d+\.\d+) +\d+\.\d+ +library setup time$", report, re.M):
        yield {"kind": "setup", "cell": f"{data[-1][2]} ({data[-1][4]})", "net": "", "ns": -float(setup[1])}


def _nets(report: str) -> Iterator[tuple[str, int]]:
    """Yield the names of nets, and where the line before each of them ends."""
    for net in re.finditer(r"^ +\d+ +(\S+) \(net\)$", report, re.M):
        yield net[1].replace("\\", ""), net.start() - 1
