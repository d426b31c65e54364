"""Estimates from measured points: exact at a point, between others, their error, the history, and the commands."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from cubecast.cli import main
from cubecast.cli.estimates import plain, told
from cubecast.options.usage import UsageError
from cubecast.systems import units
from cubecast.systems.system import Memory
from cubecast.tb.harness.pages import replace
from cubecast.tb.measure import history, points
from cubecast.tb.measure.estimate import KINDS, POINTS, estimate, fitting, latest, read_points
from cubecast.tb.measure.targets import MARGIN, TARGETS

ROOT = Path(__file__).parents[2]


def point(dim: int, kind: str = "a", **more: Any) -> dict[str, Any]:
    """Return a point of a unit whose LUTs are 100 (n + 1)**2, twice as many of another kind."""
    lut = 100 * (dim + 1) ** 2 * (1 + (kind == "b"))
    about = {"unit": "toy", "target": "ecp5", "parameters": {"dim": dim, "kind": kind, "same": 7}, "revision": "r0"}
    figures = {"lut": lut, "ff": lut // 2, "lutram": 0, "bram": 0, "carry": None, "mhz": 400 / (dim + 1)}
    return {**about, **figures, "device": "25k", "date": "2026-11-22 10:00", **more}


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """Return a file of points."""
    found = [point(dim, kind) for dim in (1, 3, 7, 15) for kind in ("a", "b")]
    path = tmp_path / "points.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in found))
    return path


def test_a_measured_point_is_what_was_measured(kept: Path) -> None:
    """To the LUT, and the flip-flop; what the target does not have is none."""
    found = estimate("toy", "ecp5", {"dim": 7, "kind": "b", "same": 7}, kept)
    assert found.figures == {"lut": 12800, "ff": 6400, "lutram": 0, "bram": 0, "carry": None}
    assert found.mhz == 50.0 and found.nearest["parameters"]["dim"] == 7
    assert all(known.beyond == () and known.points == 8 for known in found.known.values())


def test_between_points_a_power_law_is_found(kept: Path) -> None:
    """Within 5 %, as the points that are left out one by one say too; outside of them the parameter is named."""
    found = estimate("toy", "ecp5", {"dim": 5, "kind": "b", "same": 7}, kept)
    assert found.figures["lut"] == pytest.approx(7200, rel=0.05) and found.mhz == pytest.approx(400 / 6, rel=0.05)
    assert set(found.known) == {"lut", "mhz"}
    assert all(known.error and 0 < known.error[0] <= known.error[1] < 5 for known in found.known.values())
    known = estimate("toy", "ecp5", {"dim": 31, "kind": "c", "same": 8}, kept).known["lut"]
    assert known.beyond == ("dim", "kind", "same") and known.error is None


def test_each_figure_knows_its_own_points(kept: Path) -> None:
    """Clock rates are of those that were placed: fewer, with an error of their own, and more is outside of them."""
    lines = [json.loads(line) for line in kept.read_text().splitlines()]
    unplaced = [each | {"mhz": None} if each["parameters"]["kind"] == "b" else each for each in lines]
    kept.write_text("".join(json.dumps(each) + "\n" for each in unplaced))
    found = estimate("toy", "ecp5", {"dim": 5, "kind": "b", "same": 7}, kept)
    assert [(known.points, known.beyond) for known in found.known.values()] == [(8, ()), (4, ("kind",))]
    assert found.known["lut"].error and found.known["mhz"].error is None


@pytest.mark.parametrize(
    ("parameters", "beyond"),
    [
        ({"dim": 2, "width": 16, "depth": 3, "kind": "a"}, ()),
        ({"dim": 2, "width": 16, "depth": 4, "kind": "a"}, ("depth",)),
        ({"dim": 2, "width": 24, "depth": 3, "kind": "b"}, ("width",)),
        ({"dim": 2, "width": 32, "depth": 3, "kind": "b"}, ()),
        ({"dim": 2, "width": 32, "depth": 3, "kind": "a"}, ("kind",)),
        ({"dim": 4, "width": 16, "depth": 4, "kind": "a"}, ("dim",)),
    ],
)
def test_parameters_that_go_together_are_not_told_apart(
    tmp_path: Path, parameters: dict[str, Any], beyond: tuple[str, ...]
) -> None:
    """A depth that is always n + 1 says nothing about another depth, though the number is between measured ones."""
    values = [(dim, width) for dim in (1, 2, 3) for width in (16, 32)]
    about = [{"dim": dim, "width": width, "depth": dim + 1, "kind": "ab"[width == 32]} for dim, width in values]
    path = tmp_path / "points.jsonl"
    path.write_text("".join(json.dumps(point(each["dim"], parameters=each)) + "\n" for each in about))
    assert estimate("toy", "ecp5", parameters, path).known["lut"].beyond == beyond


def test_points_name_all_parameters() -> None:
    """One that came later has in earlier points the value that their hardware had."""
    systems = {called: system for called, (system, _) in units().items()}
    for each in read_points():
        names = systems[each["unit"]].config(dim=2).to_json().keys()
        assert each["parameters"].keys() == names, (each["unit"], each["revision"])


def _memories(parameters: Mapping[str, Any]) -> tuple[Memory, ...]:
    """Return a memory that is in block RAM from 128 words on."""
    return (Memory(parameter="deep", bits=20, depth=parameters["deep"], block=parameters["deep"] >= 128),)


@pytest.mark.parametrize(
    ("deep", "ram", "blocks", "beyond"),
    [(32, 15, 0, ()), (64, 25, 0, ("deep",)), (16, 10, 0, ("deep",)), (256, 5, 1, ()), (1024, 5, 2, ("deep",))],
)
def test_memories_whose_kind_a_parameter_decides_are_counted(
    tmp_path: Path, deep: int, ram: int, blocks: int, beyond: tuple[str, ...]
) -> None:
    """Five for each 16 rows of LUT RAM, or a block for each 18 bits of 1024 words; 5 more are the rest, and fitted."""
    measured = {32: (15, 0), 128: (5, 1), 512: (5, 1)}
    about = [{"dim": dim, "deep": each} for dim in (1, 3) for each in measured]
    found = [
        point(each["dim"], parameters=each) | dict(zip(("lutram", "bram"), measured[each["deep"]], strict=True))
        for each in about
    ]
    path = tmp_path / "points.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in found))
    got = estimate("toy", "ecp5", {"dim": 3, "deep": deep}, path, memories=_memories)
    assert (got.figures["lutram"], got.figures["bram"], got.known["lut"].beyond) == (ram, blocks, beyond)


def test_counted_memories_are_those_of_the_points() -> None:
    """All block memories of crosspoint routers are ejection queues, and LUT RAMs are at least these."""
    crosspoint = units()["crosspoint-router"][0]
    for each in latest(read_points()):
        if each["unit"] == "crosspoint-router":
            found = crosspoint.memories(crosspoint.config.from_json(each["parameters"]))
            counted = [TARGETS["ecp5"].memory("bram" if m.block else "lutram", m.bits, m.depth) for m in found]
            assert len({m.block for m in found}) == 1 and len(found) == each["parameters"]["dim"]
            if found[0].block:
                assert each["bram"] == sum(counted)
            else:
                assert each["bram"] == 0 and each["lutram"] >= sum(counted)


@pytest.mark.parametrize(
    ("options", "measured"),
    [
        (["--eject-depth", "64"], {"lut": 1026, "lutram": 58, "bram": 0}),
        (["--eject-depth", "256"], {"lut": 1007, "lutram": 18, "bram": 2}),
        (["--eject-depth", "64", "--width", "24"], {"lut": 1270, "lutram": 80, "bram": 0}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_an_ejection_queue_on_either_side_of_its_threshold(
    options: list[str], measured: dict[str, int], capsys: Any
) -> None:
    """Memories are those that Yosys makes, LUT RAMs to one; the error that is stated, if it is known, is kept."""
    assert (
        main(["synth", "crosspoint-router", "--dim", "2", "--preset", "small", *options, "--estimate", "--json"]) == 0
    )
    found = json.loads(capsys.readouterr().out)
    assert found["bram"] == measured["bram"] and abs(found["lutram"] - measured["lutram"]) <= 1
    error = found["error"]["lut"]
    assert error["beyond"] == ([] if measured["bram"] else ["eject_depth"])
    assert error["worst"] is None or abs(found["lut"] / measured["lut"] - 1) * 100 <= error["worst"]


@pytest.mark.parametrize("options", [[], ["--streamers", "1"], ["--streamers", "3"]], ids=" ".join)
def test_the_default_router_is_not_outside_of_what_was_measured(options: list[str], capsys: Any) -> None:
    """One with fewer streamers is, and its error is not known, for every router that was measured has one each port."""
    asked = ["synth", "router", "--dim", "3", "--estimate", *options]
    assert main([*asked, "--json"]) == 0
    for error in json.loads(capsys.readouterr().out)["error"].values():
        assert error["beyond"] == ["streamers"] * bool(options)
        assert (error["median"] is None) == (error["worst"] is None) == bool(options)
    assert main(asked) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("error of ")]
    assert len(lines) == 2
    assert all((" %" not in line and line.endswith(" points: streamers")) == bool(options) for line in lines)


def test_few_points_give_no_rate_and_fewer_no_estimate(kept: Path, tmp_path: Path) -> None:
    """Four of either are needed."""
    lines = kept.read_text().splitlines()
    some = tmp_path / "some.jsonl"
    unplaced = [json.dumps(json.loads(line) | {"mhz": None}) for line in lines[3:]]
    some.write_text("\n".join([*lines[:3], *unplaced, ""]))
    found = estimate("toy", "ecp5", {"dim": 3, "kind": "a", "same": 7}, some)
    assert found.mhz is None and "mhz" not in found.known
    some.write_text("\n".join([*lines[:3], ""]))
    with pytest.raises(UsageError, match=r"estimate must be of a unit that was measured \(none\), not toy for ecp5"):
        estimate("toy", "ecp5", {"dim": 3, "kind": "a", "same": 7}, some)
    some.write_text(lines[0] + "\n{}\n")
    with pytest.raises(ValueError, match=r"some.jsonl must have one point per line, not '\{\}' \(line 2\)"):
        read_points(some)


def test_a_figure_that_becomes_worse_is_told() -> None:
    """By more than 3 %: more LUTs, fewer MHz; less, and what became better, is not."""
    before = [point(3), point(3, "b")]
    assert list(points.worse(before, point(3, lut=1647, mhz=97.1, ff=1, revision="r1"))) == []
    (area,) = points.worse(before, point(3, lut=1649, revision="r1"))
    assert area == "worse by 3.1 %: lut of toy, kind=a: 1600 at r0, 1649 now"
    (rate,) = points.worse(before, point(3, mhz=96.9, revision="r1"))
    assert rate.startswith("worse by 3.1 %: mhz of toy, kind=a: 100.0 at r0")


def test_points_are_their_own_history() -> None:
    """The last measurement counts, and keeps an earlier rate; the table has both, the last one first."""
    runs = [point(3), point(3, "b"), point(3, lut=1500, mhz=None, device=None, revision="r1")]
    (_, last) = sorted(latest(runs), key=lambda each: each["lut"], reverse=True)
    assert (last["lut"], last["mhz"], last["revision"]) == (1500, 100.0, "r1")
    assert "1,500 (r1), 1,600; 100.0 MHz (r0)" in "\n".join(points.table(runs))


def test_the_file_and_the_table_of_the_docs_agree() -> None:
    """Whoever adds a point writes the table again; points have the parameters that their units have today."""
    page = (ROOT / "docs" / "synthesis.md").read_text()
    kept = read_points()
    assert replace(page, {"points": points.table(kept)}) == page
    assert not [each for each in kept if each["revision"].endswith("+") and each["carry"] is not None]
    for each in points.MEASURED:
        assert each.config().to_json().keys() >= {"dim", "width"}


def test_measuring_wants_a_revision_without_changes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line, status 2, nothing appended."""
    monkeypatch.setattr(points, "revision", lambda: "abc1234+")
    before = POINTS.read_bytes()
    assert points.main([]) == 2 and POINTS.read_bytes() == before
    why = "revision must be one without changes, so that figures can be made again, not abc1234+"
    assert capsys.readouterr() == ("", f"{points.PROG}: {why}\n")


def test_devices_that_fit() -> None:
    """By LUTs and block memories; between the least and the most it is open."""
    assert fitting("ecp5", 40_000, 40_000, 0) == {"25k": False, "45k": True, "85k": True}
    assert fitting("ecp5", 24_000, 44_000, 0) == {"25k": None, "45k": None, "85k": True}
    assert fitting("ecp5", 100, 200, 60) == {"25k": False, "45k": True, "85k": True}


def test_placed_routers_fill_what_is_said() -> None:
    """All that were placed on an ECP5 and whose cells are known: the margin is enough, the least is little too much.

    What was placed is another netlist, with shift registers around it: two differ by up to four percent.
    """
    cells, placed = {}, {}
    for record in history.read(ROOT / "docs" / "benchmarks.jsonl"):
        section = record["sections"].get("routers", {"rows": [], "rates": []})
        cells |= {row["name"]: row["ecp5"] for row in section["rows"] if "name" in row and "ecp5" in row}
        placed |= {row["name"]: row["runs"][0]["comb"] for row in section["rates"] if "name" in row and row["grade"]}
    both = {name: (cells[name], placed[name]) for name in cells.keys() & placed.keys()}
    assert len(both) >= 10 and both["multicast-4"][1] == 32_120 and both["multicast-3-full"][1] == 30_526
    for name, (found, used) in both.items():
        least = TARGETS["ecp5"].occupied({"lut": found["luts"], "lutram": found["ram"]})
        assert least * 0.96 <= used <= least * (1 + MARGIN), (name, least, used)


@pytest.mark.parametrize(("options", "used"), [(["--dim", "4"], 32_120), (["--dim", "3", "--preset", "full"], 30_526)])
def test_routers_that_were_placed_on_a_larger_device_do_not_fit_a_smaller_one(
    capsys: Any, tmp_path: Path, options: list[str], used: int
) -> None:
    """Their netlists have fewer LUTs than the smallest ECP5: distributed memories take the rest."""
    assert main(["synth", "router", *options, "--estimate", "--device", "25k"]) == 0
    assert "\ndoes not fit 25k: " in capsys.readouterr().out
    assert main(["generate", "router", *options, "--json", "-o", str(tmp_path)]) == 0
    found = json.loads(capsys.readouterr().out)["estimate"]
    assert found["lut"] < 24_288 < found["occupied"]["least"] < used < found["occupied"]["most"]
    assert found["fits"] == {"25k": False, "45k": True, "85k": True}


def test_a_network_may_fill_less_than_its_routers(capsys: Any) -> None:
    """A quarter less than so many of them alone; what Yosys made of the smallest networks is in between."""
    for network, router, filled in (
        ("crosspoint-network", "crosspoint-router", 4_582),
        ("packet-network", "packet-router", 6_575),
        ("network", "router", 6_577),
    ):
        whole, alone = (_occupied(capsys, name, "--dim", "2", "--preset", "small") for name in (network, router))
        assert whole == {"least": 3 * alone["least"], "most": 4 * alone["most"]}
        assert whole["least"] <= filled <= whole["most"]


def _occupied(capsys: Any, *options: str) -> dict[str, int]:
    """Return what a unit occupies by its estimate."""
    assert main(["synth", *options, "--estimate", "--json"]) == 0
    found: dict[str, int] = json.loads(capsys.readouterr().out)["occupied"]
    return found


def test_a_design_near_the_limit_may_not_fit(kept: Path) -> None:
    """What was measured by the margin alone, what was not by the errors of the points too, if they are known."""
    kept.write_text(kept.read_text() + json.dumps(point(15, "a", lut=21_000, lutram=200)) + "\n")
    near = estimate("toy", "ecp5", {"dim": 15, "kind": "a", "same": 7}, kept)
    assert near.occupied == (22_200, 25_530)
    between = estimate("toy", "ecp5", {"dim": 14, "kind": "a", "same": 7}, kept)
    assert between.occupied[1] / between.occupied[0] > 1.2
    for given, word in (
        ({}, "near the limit: may not fit 25k: "),
        ({"same": 8}, " 25k, if the estimate holds there: "),
    ):
        found = estimate("toy", "ecp5", {"dim": 15, "kind": "a", "same": 7} | given, kept)
        values = plain(found, 1, "ecp5")
        assert values["fits"]["25k"] is None and values["fits"]["85k"] is True
        assert word in list(told(values, "25k"))[-1]


def test_the_command_estimates_without_tools(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As text and as JSON, whether it fits, and bad usage as one line."""
    monkeypatch.setattr("cubecast.tb.measure.synth.synthesise", None)
    small = ["synth", "router", "--dim", "3", "--preset", "small", "--estimate"]
    assert main([*small, "--device", "25k"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "router" and out[1].startswith("estimate on ecp5: ")
    assert re.fullmatch(r"error of LUTs, each of \d+ points estimated from the others: median .* %, worst .* %", out[2])
    assert re.fullmatch(r"fits 25k: [\d,]+ to [\d,]+ of 24,288 LUTs as placed, 0 of 56 block memories", out[-1])
    assert main([*small, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["fits"] == {"25k": True, "45k": True, "85k": True} and set(KINDS) < set(found)
    for arguments, line in (
        ([*small, "--seeds", "2"], "seeds must be left out with --estimate, not 2"),
        ([*small, "--axi"], "estimate must be of a unit without axi: none with it was measured"),
        (["synth", "mhu", *small[2:]], "estimate must be of a unit that was measured ("),
    ):
        assert main(arguments) == 2
        err = capsys.readouterr().err
        assert err.startswith(f"cubecast synth: {line}") and err.count("\n") == 1


def test_generate_says_whether_a_network_fits(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """As many routers as nodes."""
    network = ["generate", "network", "--dim", "2", "--preset", "small", "-o", str(tmp_path)]
    assert main([*network, "--device", "25k"]) == 0
    out = capsys.readouterr().out
    assert "\nestimate of 4 routers on ecp5: " in out and "\nfits 25k: " in out
    assert main([*network, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["estimate"]
    assert found["routers"] == 4 and found["lut"] % 4 == 0


@pytest.mark.parametrize(
    ("given", "device", "line"),
    [
        ("network", "26k", "device must be one of 25k, 45k, 85k, hx8k, gw1nr-9, gw2a-18, not '26k'"),
        (
            "network",
            "hx8k",
            "device must be one of 25k, 45k, 85k with network, not hx8k (ice40), for which no points were measured",
        ),
        ("mhu", "25k", "device must be left out with mhu, of which no points were measured, not 25k; {points}"),
        (
            "router --axi",
            "25k",
            "device must be left out with router with axi, of which no points were measured, not 25k; {points}",
        ),
        ("mhu", "hx8k", "device must be left out with mhu, of which no points were measured, not hx8k; {points}"),
    ],
)
def test_generate_says_for_which_devices_there_are_points(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, given: str, device: str, line: str
) -> None:
    """In one line, with status 2, and nothing is written; without a device there is no estimate and no word of it."""
    unit = ["generate", *given.split(), "--dim", "2", "--preset", "small", "-o", str(tmp_path / "new")]
    assert main([*unit, "--device", device]) == 2
    units = ", ".join(dict.fromkeys(each["unit"] for each in read_points()))
    told = line.format(points=f"there are points of {units} and their networks, without axi")
    assert capsys.readouterr() == ("", f"cubecast generate: {told}\n") and not (tmp_path / "new").exists()
    if given != "network":
        assert main(unit) == 0
        out = capsys.readouterr()
        assert "estimate" not in out.out + out.err


SMALLEST = {each.unit: each for each in reversed(points.MEASURED)}
"""The first point of each unit, which takes the least time."""


@pytest.mark.soak
@pytest.mark.parametrize("unit", SMALLEST)
def test_the_smallest_point_is_what_is_measured_today(unit: str) -> None:
    """Synthesised and placed again: within the 3 % that a measurement would tell; a rate that is older is not compared.

    The placer gives the same for the same netlist and seed.
    """
    asked = SMALLEST[unit]
    wanted = asked.config().to_json()
    (*_, known) = [each for each in read_points() if (each["unit"], each["parameters"]) == (unit, wanted)]
    compared = [kind for kind in ("lut", "ff", "mhz") if known[kind] is not None]
    found = points.measured(asked, seeds=int("mhz" in compared))
    for kind in compared:
        assert found[kind] == pytest.approx(known[kind], rel=points.LIMIT), (kind, known["revision"])
