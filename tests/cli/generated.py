"""What a generated file says, read without the code that has written it, and by the tools that take it."""

import json
import re
import subprocess

import pytest
from pyslang import Compilation, SyntaxTree

from cubecast.rtl.common.verilog import WAIVERS
from cubecast.tb.harness.simulators import simulators
from tests.conftest import NO_ICARUS
from tests.harness.lint import linted

__all__ = [
    "TIMED",
    "WITH_AXI",
    "compiles",
    "described_by",
    "elaborates",
    "has_router",
    "headers_compile",
    "lint",
    "made_once",
    "module_ports",
    "read_back",
]

WITH_AXI = (
    "router, network, packet-router, packet-network, crosspoint-router, crosspoint-network, crosspoint-adapter, "
    "crosspoint-node, crosspoint-node-network, collective-node, collective-network"
)
"""Units that ``--axi`` makes others of, as errors name them."""

TIMED = (".sdc", ".xdc", ".lpf")
"""Ends of the files with timing constraints."""


def module_ports(text, unit):
    """Return direction and width of every port of a unit in Verilog, by name."""
    module = text[text.index(f"module cubecast_{unit}(") :]
    module = module[: module.index("endmodule")]
    return {
        port: (direction, int(high or 0) + 1)
        for direction, high, port in re.findall(r"^  (input|output) (?:\[(\d+):0\] )?(\w+);$", module, re.MULTILINE)
    }


def read_back(folder):
    """Return the files in a folder, text by name."""
    return {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}


def clocks_of(unit):
    """Return clock and reset of a unit."""
    return ("aclk", "aresetn") if unit.startswith("axi_") else ("clk", "rst")


def described_by(unit, config, made):
    """Return the description of a unit and its ports as the Verilog has them; each port is described once.

    Lines of C have 120 columns at most.
    """
    assert [line for file in made if file.endswith((".c", ".h")) for line in made[file].split("\n") if line[120:]] == []
    described = json.loads(made[f"cubecast_{unit}.json"])
    found = module_ports(made[f"cubecast_{unit}.v"], unit)
    ports = {port["name"]: (port["direction"], port["width"]) for port in described["ports"]}
    assert ports == found and tuple(ports)[:2] == clocks_of(unit)
    assert described["unit"] == unit
    assert all(port["meaning"] for port in described["ports"])
    assert described["parameters"] == config.to_json()
    return described, found


def headers_compile(tmp_path, made):
    """Let the C compiler read each header by itself, all of them in one folder."""
    headers = [file for file in made if file.endswith(".h")]
    for file in headers:
        (tmp_path / file).write_text(made[file])
    for file in headers:
        command = ["g++", "-x", "c", "-fsyntax-only", "-Wall", "-Werror", "-std=c11", file]
        subprocess.run(command, cwd=tmp_path, check=True)


def has_router(described, made, router_header, whole):
    """See that registers and C header of a router are there exactly if the unit has one: ``whole``."""
    assert ("registers" in described, "cubecast_regs.h" in made) == (whole, whole)
    assert not whole or made["cubecast_regs.h"].endswith(router_header)


def made_once(tmp_path_factory, files):
    """Return a function that gives the folder with ``files(*case)``, text by name, made once for each case."""
    made = {}

    def folder(*case):
        if case not in made:
            made[case] = tmp_path_factory.mktemp("-".join(case))
            for file, text in files(*case).items():
                (made[case] / file).write_text(text)
        return made[case]

    return folder


def elaborates(text):
    """Let slang elaborate a design, and find no error; Icarus, where it is, takes it for Verilog of 2001."""
    compilation = Compilation()
    compilation.addSyntaxTree(SyntaxTree.fromText(text))
    assert len(compilation.getRoot().topInstances) == 1
    assert [str(said.code) for said in compilation.getAllDiagnostics() if said.isError()] == []
    if "icarus" in simulators():
        command = ["iverilog", "-g2001", "-t", "null", "/dev/stdin"]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


def lint(folder, module):
    """Let Verilator look at a module: -Wall, with nothing waived but what the list of waivers says; then the others."""
    assert linted(folder, *(f"-Wno-{rule}" for rule in WAIVERS), f"{module}.v") == (0, "")
    elaborates((folder / f"{module}.v").read_text())


def compiles(folder, unit, *, tied=False):
    """Let Icarus compile a unit in both its templates, in one module that has clock and reset.

    Nothing is said but what the Verilog causes. ``tied``: links have no neighbours, as comments of the templates say.
    """
    if "icarus" not in simulators():
        pytest.skip(NO_ICARUS)
    pasted = [(folder / f"cubecast_{unit}_inst.{end}").read_text() for end in ("v", "sv")]
    body = "\n".join([pasted[0], pasted[1].replace("u0_", "u1_")])
    if tied:
        body = body.replace("// assign ", "assign ")
    ports = ", ".join(f"input {name}" for name in clocks_of(unit))
    (folder / "top.sv").write_text(f"module top({ports});\n{body}\nendmodule\n")
    command = ["iverilog", "-g2012", "-Wall", "-Wno-timescale", "-s", "top", "-t", "null", "top.sv"]
    done = subprocess.run([*command, f"cubecast_{unit}.v"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert not re.search("error|sorry", done.stderr, re.IGNORECASE)
