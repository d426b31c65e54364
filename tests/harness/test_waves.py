"""Waves: what a reader finds in them, and what the viewers are told to show."""

from __future__ import annotations

from pathlib import Path

import pytest

from cubecast.options.usage import ToolError
from cubecast.tb.harness.bench import CYCLE
from cubecast.tb.harness.waves import (
    COUNTER,
    ORIGIN,
    Signals,
    Waves,
    fst_labels,
    fst_signals,
    fst_values,
    is_view,
    keep_waves,
    vcd_to_fst,
    views,
)

VERILOG = r"""
module unit(clk, state, data);
  input clk;
  wire clk;
  (* enum_base_type = "State" *)
  (* enum_value_00 = "IDLE" *)
  (* enum_value_01 = "BUSY" *)
  output [1:0] state;
  (* enum_base_type = "State" *)
  (* enum_value_00 = "IDLE" *)
  (* enum_value_01 = "BUSY" *)
  reg [1:0] state = 2'h0;
  output [7:0] data;
  wire \$1 ;
endmodule

module top(clk, link__valid, link__data);
  input clk;
  output link__valid;
  output [7:0] link__data;
  unit \unit_0  (
    .clk(clk)
  );
endmodule
"""

VCD = """\
$timescale 1ps $end
$scope module $rootio $end
$var wire 1 ! clk $end
$upscope $end
$scope module top $end
$var wire 1 ! clk $end
$var wire 1 # link__valid $end
$var wire 8 % link__data [7:0] $end
$scope module unit_0 $end
$var wire 1 ! clk $end
$var wire 2 & state [1:0] $end
$var wire 8 % data [7:0] $end
$var wire 1 ' $1 $end
$var wire 1 ( $signal$7 $end
$var wire 1 ) at_start $end
$upscope $end
$upscope $end
$enddefinitions $end
#0
0!
0#
bxxxxxxxx %
b0 &
1'
1(
1)
#5000
1!
b1 &
#10000
0!
0'
#15000
1!
1#
b1011 %
#20000
0!
"""


@pytest.fixture
def converted(tmp_path: Path) -> tuple[Path, Waves, Signals]:
    """The waves of a run whose results call the cycle after the first edge 0."""
    (tmp_path / "waves.vcd").write_text(VCD)
    waves = Waves(VERILOG, "top", first=1, clocked=True)
    return tmp_path / "waves.fst", waves, vcd_to_fst(tmp_path / "waves.vcd", tmp_path / "waves.fst", waves)


def test_nets_without_a_name_are_left_out(converted: tuple[Path, Waves, Signals]) -> None:
    """So are a scope that repeats the top module's ports, and the register that starts the combinational blocks."""
    own = {"top.cycle [31:0]", "top.clk", "top.link__valid", "top.link__data [7:0]"}
    assert fst_signals(converted[0]).keys() == own | {
        "top.unit_0.clk",
        "top.unit_0.state [1:0]",
        "top.unit_0.data [7:0]",
    }


def test_a_cycle_begins_where_the_text_says(converted: tuple[Path, Waves, Signals]) -> None:
    """The counter and what changes in a cycle stand at its time; what was before the first edge, at 0."""
    values = fst_values(converted[0], "top.cycle [31:0]", "top.unit_0.state [1:0]", "top.link__data [7:0]")
    counted = [(time, int(value, 2)) for time, value in values["top.cycle [31:0]"]]
    assert counted == [(0, 2**32 - 1), (ORIGIN, 0), (ORIGIN + CYCLE, 1)]
    assert values["top.unit_0.state [1:0]"] == [(0, "00"), (ORIGIN, "01")]
    assert values["top.link__data [7:0]"] == [(0, "x" * 8), (ORIGIN + CYCLE, "00001011")]


def test_states_have_their_names(converted: tuple[Path, Waves, Signals]) -> None:
    """As the attributes in the Verilog give them; the signal is one, declared twice."""
    assert fst_labels(converted[0]) == {"top.unit_0.state [1:0]": {"00": "IDLE", "01": "BUSY"}}
    assert converted[2].states == ("top.unit_0.state",)


def test_viewers_show_counter_ports_and_states(converted: tuple[Path, Waves, Signals]) -> None:
    """The top module open, its unit folded; all signals that are named are there."""
    fst, waves, signals = converted
    made = views(fst, waves, signals)
    assert made[".gtkw"].splitlines()[1:] == [
        f'[dumpfile] "{fst}"',
        f"[timestart] {ORIGIN - CYCLE}",
        *("@420", "top.cycle[31:0]"),
        *(
            "@800200",
            "-top",
            "@28",
            "top.clk",
            "@28",
            "top.link__valid",
            "@22",
            "top.link__data[7:0]",
            "@1000200",
            "-top",
        ),
        *("@c00200", "-top.unit_0", "@28", "top.unit_0.clk", "@100000028", "top.unit_0.state[1:0]"),
        *("@22", "top.unit_0.data[7:0]", "@1401200", "-top.unit_0"),
    ]
    shown = [line.split()[1] for line in made[".sucl"].splitlines() if line.startswith("variable_add ")]
    assert shown[0] == f"top.{COUNTER}"
    assert {name.split()[0] for name in fst_signals(fst)} == set(shown)


def test_a_view_that_the_user_saved_is_told(converted: tuple[Path, Waves, Signals]) -> None:
    """GTKWave writes its own first line."""
    made = views(*converted)
    assert all(is_view(text) for text in made.values())
    assert not is_view("[*] GTKWave Analyzer v3.3.121\n" + made[".gtkw"])


def test_waves_that_are_not_whole_are_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """None written, a file that ends in the middle of a line, and an FST file of which the end is missing."""
    run = Waves(VERILOG, "top", first=1, clocked=True)
    vcd, kept = tmp_path / "waves.vcd", tmp_path / "mine" / "kept.fst"
    said = r"waves '.*kept\.fst' are not written, for they are incomplete"
    with pytest.raises(ToolError, match=said):
        keep_waves(vcd, kept, run)
    vcd.write_text(VCD[: VCD.index("link__data")])
    with pytest.raises(ToolError, match=said):
        keep_waves(vcd, kept, run)
    vcd.write_text(VCD)

    def cut(source: Path, made: Path, run: Waves) -> Signals:
        found = vcd_to_fst(source, made, run)
        made.write_bytes(made.read_bytes()[:-10])
        return found

    with monkeypatch.context() as patched:
        patched.setattr("cubecast.tb.harness.waves.vcd_to_fst", cut)
        with pytest.raises(ToolError, match=said):
            keep_waves(vcd, kept, run)
    assert not kept.parent.exists()
    keep_waves(vcd, kept, run)
    assert fst_signals(kept) and sorted(path.name for path in kept.parent.iterdir()) == [
        "kept.fst",
        "kept.fst.gtkw",
        "kept.fst.sucl",
    ]
