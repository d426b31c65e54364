"""The lockstep harness: it passes what is equal, finds what is not, and says how to see it again."""

from __future__ import annotations

import importlib
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cubecast.golden.multicast.contract.config import Config
from cubecast.tb.__main__ import main
from cubecast.tb.harness.bench import CYCLE, RESET_CYCLES, load
from cubecast.tb.harness.builds import build
from cubecast.tb.harness.cache import cache_dir
from cubecast.tb.harness.lockstep import Mismatch, Run, lockstep, lockstep_all
from cubecast.tb.harness.modules import ports_of
from cubecast.tb.harness.simulators import SimulatorError, simulators
from cubecast.tb.harness.verilog import verilog_of
from cubecast.tb.harness.waves import ORIGIN, fst_signals, fst_values
from tests.harness.toy import BENCH, BENT, FOREIGN, HELD, LESS, NARROW, RARE, STRAY, ToyConfig

ROOT = Path(__file__).parents[2]


def test_equal_sides_pass_and_the_report_counts(simulator: str) -> None:
    """All cycles run, both events are counted, resets in the middle included, and the twin's end is collected."""
    report = lockstep(BENCH, ToyConfig(), simulator=simulator, cycles=3000, seed=5)
    assert report.cycles == 3000
    assert not report.finished
    assert report.events["full"] > 1000
    assert report.events["reset"] > 10
    assert 0 <= report.collected["count"] <= 12
    assert str(report).startswith(f"tests.harness.toy:BENCH: 3000 cycles agree on {simulator}, seed 5, ")


def test_a_run_is_the_same_on_both_simulators_and_differs_by_seed() -> None:
    """The stimulus draws from the seed alone."""
    counts = {
        (name, seed): lockstep(BENCH, ToyConfig(), simulator=name, cycles=500, seed=seed).events
        for name in simulators()
        for seed in (1, 2)
    }
    for name, seed in counts:
        assert counts[name, seed] == counts["verilator", seed]
    assert counts["verilator", 1] != counts["verilator", 2]


def test_the_harness_takes_more_than_4000_cycles_a_second() -> None:
    """Measured over the cycles alone, the best of three runs."""
    runs = [lockstep(BENCH, ToyConfig(), cycles=8000, seed=seed) for seed in (1, 2, 3)]
    assert max(run.cycles / run.loop_seconds for run in runs) > 4000


def test_without_a_clock_all_inputs_are_tried(simulator: str) -> None:
    """The stimulus ends by itself after all 256 pairs."""
    report = lockstep(LESS, ToyConfig(), simulator=simulator, cycles=10**6)
    assert report.finished
    assert report.cycles == 256


@pytest.mark.core("verilator")
def test_a_planted_bug_is_found_and_its_replay_shows_it_again(simulator: str) -> None:
    """Cycle, port, both values, history and seed are printed; the printed command prints the same text."""
    with pytest.raises(Mismatch) as caught:
        lockstep(BENCH, ToyConfig(), simulator=simulator, cycles=2000, seed=3, extra={"bug": 9})
    text = str(caught.value)
    assert caught.value.collected["count"] > 9
    assert re.match(rf"tests\.harness\.toy:BENCH failed on {simulator} in cycle \d+, seed 3\n", text)
    assert re.search(r"^cycle (\d+), port o: DUT b, golden a \(hex\)$", text, re.M)
    head = re.search(r"^ +cycle +(.*) DUT +(\d+) golden", text, re.M)
    assert head is not None
    last = int(head.group(2))
    assert [int(cycle) for cycle in head.group(1).split()] == list(range(last - 7, last + 1))
    assert re.search(r"^out +o .* 9 +b +a +<--$", text, re.M)
    command = shlex.split(text.splitlines()[-1].removeprefix("replay: "))
    assert command[:3] == ["python", "-m", "cubecast.tb"]
    again = subprocess.run([sys.executable, *command[1:]], cwd=ROOT, capture_output=True, text=True, check=False)
    assert again.returncode == 1, again.stderr
    assert again.stdout.strip() == text.strip()


def test_the_bug_is_found_in_the_first_cycle_that_shows_it() -> None:
    """With enable held, the count is 9 in cycle 2 + 9, and wrong in the next."""
    with pytest.raises(Mismatch, match=r"in cycle 12,"):
        lockstep(BENCH, ToyConfig(), extra={"bug": 9}, options={"chance": 2.0}, seed=2)


def test_events_that_never_happen_fail_the_run() -> None:
    """They are named with all counts; the run may be told not to mind."""
    with pytest.raises(Mismatch, match=r"never happened: overflow \(all counts: full \d+, overflow 0\)"):
        lockstep(RARE, ToyConfig(), cycles=300)
    assert lockstep(RARE, ToyConfig(), cycles=300, require_events=False).events["full"]


def test_runs_side_by_side_are_the_same_as_alone(simulator: str) -> None:
    """With a cycle and without one, of different lengths; each has its own resets, events and end."""
    runs = [
        Run(bench=BENCH, config=ToyConfig(), cycles=300, seed=5),
        Run(bench=LESS, config=ToyConfig(), cycles=10**6),
        Run(bench=BENCH, config=ToyConfig(width=5), cycles=700, seed=6),
    ]
    together = lockstep_all(runs, simulator)
    assert [report.cycles for report in together] == [300, 256, 700]
    for run, report in zip(runs, together, strict=True):
        alone = lockstep(run.bench, run.config, simulator=simulator, cycles=run.cycles, seed=run.seed)
        assert (alone.events, alone.finished, alone.collected, alone.command) == (
            *(report.events, report.finished, report.collected, report.command),
        )


def test_a_run_ends_some_time_after_its_last_event() -> None:
    """Not before a part of its cycles, and where an event is missing not before all of them."""
    asked = [(4000, 2, 0.25), (120, 3, 0.25), (60, 90, 0.25), (300, 0, 0.25), (4000, 1, 0.1), (4000, 1, 0)]
    reports = lockstep_all(
        [
            Run(bench=BENCH, config=ToyConfig(), cycles=cycles, margin=times, least=least)
            for cycles, times, least in asked
        ]
    )
    quarter, thrice, *whole, at_once = [report.cycles for report in reports]
    assert (quarter, *whole) == (1000, 60, 300, 400) and 30 < thrice == 3 * at_once < 120
    lockstep(BENCH, ToyConfig(), cycles=thrice // 3)
    for bench, cycles in ((BENCH, thrice // 3 - 1), (RARE, 300)):
        with pytest.raises(Mismatch, match=rf"in cycle {cycles}, seed 1\nevents that never happened: "):
            lockstep_all([Run(bench=bench, config=ToyConfig(), cycles=cycles, margin=2)])


def test_a_run_with_patience_goes_on_until_all_events_have_happened() -> None:
    """It ends with the last one, or many times as late; one that has them ends where it would; each is replayed."""
    lacking = {"bench": BENCH, "config": ToyConfig(), "cycles": 10}
    (late,) = lockstep_all([Run(**lacking, patience=100)])
    assert 10 < late.cycles < 1000 and set(late.events) == {"full", "reset"}
    assert lockstep(BENCH, ToyConfig(), cycles=late.cycles).events == late.events
    with pytest.raises(Mismatch, match="never happened"):
        lockstep(BENCH, ToyConfig(), cycles=late.cycles - 1)
    quarter, whole = lockstep_all([Run(**lacking | {"cycles": 4000, "margin": times}, patience=2) for times in (2, 0)])
    assert (quarter.cycles, whole.cycles) == (1000, 4000)
    with pytest.raises(Mismatch, match=r"in cycle 30, seed 1\nevents that never happened: (.|\n)*--cycles 30$"):
        lockstep_all([Run(bench=RARE, config=ToyConfig(), cycles=10, patience=3)])


def test_a_bug_beside_others_is_told_as_if_alone() -> None:
    """All that fail are told, each with the cycle, the port and the command that replays it alone."""
    good, bad = ({"bench": BENCH, "config": ToyConfig(), "cycles": 500, "extra": {"bug": bug}} for bug in (-1, 9))
    runs = [Run(**good), Run(**bad, seed=3), Run(bench=LESS, config=ToyConfig()), Run(bench=BENT, config=ToyConfig())]
    with pytest.raises(Mismatch) as caught:
        lockstep_all([*runs, Run(**bad, seed=4)])
    text = str(caught.value)
    assert text.count("replay: ") == 3
    for seed in (3, 4):
        with pytest.raises(Mismatch) as alone:
            lockstep(BENCH, ToyConfig(), cycles=500, extra={"bug": 9}, seed=seed)
        assert str(alone.value) in text


def test_a_twin_with_other_ports_is_told() -> None:
    """Missing and unknown outputs are listed."""
    with pytest.raises(Mismatch, match="missing o; unknown less"):
        lockstep(FOREIGN, ToyConfig())


def test_a_stimulus_that_does_not_fit_is_told() -> None:
    """The value and the width are named, or what is no input."""
    with pytest.raises(Mismatch, match="drives a with 16, but it has 4 bits"):
        lockstep(BENT, ToyConfig())
    with pytest.raises(Mismatch, match="drives 'c', which is no input of the DUT"):
        lockstep(STRAY, ToyConfig())


def test_a_stimulus_may_go_on_with_the_reset(simulator: str) -> None:
    """That of the harness ends in the cycle in which the stimulus begins, unless it drives the reset itself."""
    report = lockstep(HELD, ToyConfig(), simulator=simulator)
    assert report.finished
    assert report.events == {"in reset": 1, "out of it": 1}


def test_waves_are_fst(simulator: str, tmp_path: Path) -> None:
    """The file holds the top module's ports, and they change; on each simulator it has the same signals and times."""
    waves = tmp_path / "deeper" / "counter.fst"
    lockstep(BENCH, ToyConfig(), simulator=simulator, cycles=500, waves=waves)
    values = {name.split(" ")[0]: changes for name, changes in fst_values(waves).items()}
    assert values.keys() == {f"top.{name}" for name in ("cycle", "clk", "rst", "enable", "o", "full", "wide")}
    assert len(values["top.clk"]) == 999
    assert len(values["top.enable"]) > 50
    assert len(values["top.o"]) > 50
    assert [time for time, value in values["top.clk"] if value == "1"] == [
        ORIGIN + CYCLE * cycle for cycle in range(1, 500)
    ]
    assert [(time, int(value, 2)) for time, value in values["top.cycle"]] == [
        (ORIGIN + CYCLE * cycle if cycle else 0, cycle) for cycle in range(500)
    ]
    assert values["top.rst"][1] == (ORIGIN + CYCLE * RESET_CYCLES, "0")


def test_waves_without_a_clock(simulator: str, tmp_path: Path) -> None:
    """An input changes where its cycle begins."""
    waves = tmp_path / "less.fst"
    lockstep(LESS, ToyConfig(), simulator=simulator, waves=waves)
    values = fst_values(waves, "top.a [3:0]", "top.cycle [31:0]")
    assert values["top.a [3:0]"][1] == (ORIGIN + CYCLE * 16, "0001")
    assert len(values["top.cycle [31:0]"]) >= 255


def test_a_view_of_the_user_is_not_overwritten(tmp_path: Path) -> None:
    """One that the harness wrote is."""
    waves = tmp_path / "counter.fst"
    views = [tmp_path / "counter.fst.gtkw", tmp_path / "counter.fst.sucl"]
    lockstep(BENCH, ToyConfig(), cycles=20, waves=waves, require_events=False)
    first = [view.read_text() for view in views]
    views[0].write_text("[*] mine\n")
    views[1].write_text(first[1] + "variable_add more\n")
    lockstep(BENCH, ToyConfig(), cycles=20, waves=waves, require_events=False)
    assert [view.read_text() for view in views] == ["[*] mine\n", first[1]]


@pytest.mark.soak
def test_waves_show_the_inside_of_hierarchical_blocks_soak(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A unit built in blocks, as large designs are, has the same signals with as many changes as one built flat."""
    seen = []
    for least in (1, 10**9):
        monkeypatch.setattr("cubecast.tb.harness.builds.BLOCK_DESIGN", least)
        monkeypatch.setattr("cubecast.tb.harness.modules.BLOCK_MODULE", 50)
        waves = tmp_path / f"{least}.fst"
        lockstep(load("output_module"), Config(dim=4), cycles=300, waves=waves, require_events=False)
        seen.append(fst_signals(waves))
    assert max(count for name, count in seen[0].items() if name.startswith("top.output_port_3.")) > 10
    assert seen[0] == seen[1]


def test_waves_of_a_failing_run_are_kept(tmp_path: Path) -> None:
    """They are what one wants to see."""
    waves = tmp_path / "counter.fst"
    with pytest.raises(Mismatch):
        lockstep(BENCH, ToyConfig(), extra={"bug": 9}, waves=waves)
    assert fst_signals(waves)


def test_a_build_is_made_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The second call takes it from the cache and prints nothing; the folder is the one that is set.

    It may have a name that make cannot read. What is there needs no compiler, and does not know where cocotb is.
    """
    tmp_path /= "größe und $raum"
    tmp_path.mkdir()
    text = verilog_of("tests.harness.toy_rtl:Less", ToyConfig(3))
    build(text, "top", "verilator")
    # The compiled runtime library is shared, for it takes the most time.
    (tmp_path / "runtime").symlink_to(cache_dir() / "runtime")
    monkeypatch.setenv("CUBECAST_CACHE", str(tmp_path))
    capfd.readouterr()
    first = build(text, "top", "verilator")
    assert first.is_relative_to(tmp_path)
    assert re.search(
        r"building top for verilator \.\.\.\n.*top for verilator built in [\d.]+ s\n", capfd.readouterr().err
    )
    assert (
        str(importlib.import_module("cocotb_tools.config").libs_dir).encode() not in (first / "simulation").read_bytes()
    )
    monkeypatch.setenv("PATH", "")
    assert build(text, "top", "verilator") == first
    assert capfd.readouterr().err == ""


def test_a_design_that_does_not_compile_is_a_tool_error(simulator: str) -> None:
    """The tool's own words are in the message."""
    with pytest.raises(SimulatorError, match=r"syntax error"):
        build("module top(clk); input clk; nonsense\nendmodule", "top", simulator)


def test_ports_are_read_from_verilog() -> None:
    """Widths and directions; the clock apart."""
    text = verilog_of("tests.harness.toy_rtl:Counter", ToyConfig())
    ports = ports_of(text, "top")
    assert ports.inputs == {"enable": 1, "rst": 1}
    assert ports.outputs == {"o": 4, "full": 1, "wide": 100}
    assert ports.clocked


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        *(
            ({"cycles": cycles}, f"cycles must be an integer from 1 to 1000000000, not {cycles}")
            for cycles in (0, 10**9 + 1)
        ),
        ({"seed": "x"}, "seed must be an integer, not 'x'"),
        ({"simulator": "vcs"}, "simulator must be one of verilator, icarus, not 'vcs'"),
        ({"speed": "fast"}, "speed must be 'build' or 'run', not 'fast'"),
        ({"options": {"change": 1}}, "options must have no names but chance, not 'change'"),
        ({"bench": LESS, "options": {"chance": 1}}, "options must have no names, not 'chance'"),
        ({"options": {"chance": "often"}}, "chance in options must be a number, not 'often'"),
        ({"extra": {"bug": True}}, "bug in extra must be an integer, not True"),
        ({"extra": {"bog": 1}}, "extra must have no names but limit, bug, not 'bog'"),
        ({"bench": NARROW, "extra": {"limit": 9}}, "extra must have no names, not 'limit'"),
        (
            {"bench": load("measure.latency")},
            "messages must be given in options, not left out: it has no default",
        ),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    """One line says what is wrong."""
    with pytest.raises(ValueError) as error:
        lockstep(**{"bench": BENCH, "config": ToyConfig(), **arguments})
    assert str(error.value) == message


def test_load() -> None:
    """A testbench is found by the name that the replay command holds."""
    assert load("tests.harness.toy:RARE") is RARE
    for name in ("nothing", "", ".", "..", ":", ":BENCH", "arbiter.", "/"):
        with pytest.raises(ValueError, match=rf"^bench must name a module with a BENCH, .* not {name!r}$"):
            load(name)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nothing"], "bench must name a module with a BENCH, such as 'arbiter' or 'pkg.mod:BENCH', not 'nothing'"),
        (["arbiter", "--config", "[]"], "argument --config: must be a JSON object, not '[]'"),
        (["crosspoint.ejection"], "dim must be given, not left out: it has no default"),
        (["arbiter", "--config", '{"count": 3, "mount": 3}'], "parameter name must be one of count, not 'mount'"),
        (["arbiter", "--config", '{"count": 3}', "--options", '{"a": 1}'], "options must have no names, not 'a'"),
        (
            ["arbiter", "--config", '{"count": 3, "count": 4}'],
            """argument --config: must be a JSON object or @file, not '{"count": 3, "count": 4}' """
            "('count' is there twice in one object)",
        ),
        (["arbiter", "--seed", "-1"], "seed must be an integer from 0 to 2**64 - 1, not -1"),
        (
            ["arbiter", "--config", "@none.json"],
            "argument --config: must be a JSON object or @file, not '@none.json' "
            "(file 'none.json' must be one that can be read: No such file or directory)",
        ),
    ],
)
def test_the_command_line_tells_bad_usage_in_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    """Status 2; nothing is built."""
    assert main(arguments) == 2
    assert capsys.readouterr() == ("", f"python -m cubecast.tb: {told}\n")


@pytest.mark.parametrize(
    ("bench", "config"),
    [
        ("arbiter", '{"count": 3}'),
        ("output_gateway", '{"dim": 2}'),
        pytest.param("network", '{"dim": 2}', marks=pytest.mark.soak),
    ],
)
def test_the_command_line_needs_no_more_than_parameters(bench: str, config: str) -> None:
    """What else component and twin take, the testbench knows."""
    command = [sys.executable, "-m", "cubecast.tb", bench, "--config", config, "--cycles", "100", "--any-events"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.match(rf"\w+\.{bench}: 100 cycles agree on verilator, seed 1", done.stdout)
