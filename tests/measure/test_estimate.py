"""Estimates from measured points: exact at a point, between others, their error, the history, and the commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cubecast.cli import main
from cubecast.options.usage import UsageError
from cubecast.systems import units
from cubecast.tb.harness.pages import replace
from cubecast.tb.measure import points
from cubecast.tb.measure.estimate import KINDS, POINTS, estimate, fitting, latest, read_points

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
    assert found.mhz == 50.0 and found.beyond == () and found.points == 8 and found.nearest["parameters"]["dim"] == 7


def test_between_points_a_power_law_is_found(kept: Path) -> None:
    """Within 5 %, as the points that are left out one by one say too; outside of them the parameter is named."""
    found = estimate("toy", "ecp5", {"dim": 5, "kind": "b", "same": 7}, kept)
    assert found.figures["lut"] == pytest.approx(7200, rel=0.05) and found.mhz == pytest.approx(400 / 6, rel=0.05)
    assert all(0 < median <= worst < 5 for median, worst in found.error.values()) and set(found.error) == {"lut", "mhz"}
    assert estimate("toy", "ecp5", {"dim": 31, "kind": "c", "same": 8}, kept).beyond == ("dim", "kind", "same")


def test_points_name_all_parameters() -> None:
    """One that came later has in earlier points the value that their hardware had."""
    systems = {called: system for called, (system, _) in units().items()}
    for each in read_points():
        names = systems[each["unit"]].config(dim=2).to_json().keys()
        assert each["parameters"].keys() == names, (each["unit"], each["revision"])


@pytest.mark.parametrize("options", [[], ["--streamers", "1"]], ids=["default", "streamers"])
def test_the_default_router_is_not_outside_of_what_was_measured(options: list[str], capsys: Any) -> None:
    """One with fewer streamers is."""
    assert main(["synth", "router", "--dim", "3", "--estimate", "--json", *options]) == 0
    assert json.loads(capsys.readouterr().out)["beyond"] == ["streamers"] * bool(options)


def test_few_points_give_no_rate_and_fewer_no_estimate(kept: Path, tmp_path: Path) -> None:
    """Four of either are needed."""
    lines = kept.read_text().splitlines()
    some = tmp_path / "some.jsonl"
    unplaced = [json.dumps(json.loads(line) | {"mhz": None}) for line in lines[3:]]
    some.write_text("\n".join([*lines[:3], *unplaced, ""]))
    found = estimate("toy", "ecp5", {"dim": 3, "kind": "a", "same": 7}, some)
    assert found.mhz is None and "mhz" not in found.error
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
    """By LUTs and block memories."""
    assert fitting("ecp5", 40_000, 0) == {"25k": False, "45k": True, "85k": True}
    assert fitting("ecp5", 100, 60) == {"25k": False, "45k": True, "85k": True}


def test_the_command_estimates_without_tools(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As text and as JSON, whether it fits, and bad usage as one line."""
    monkeypatch.setattr("cubecast.tb.measure.synth.synthesise", None)
    small = ["synth", "router", "--dim", "3", "--preset", "small", "--estimate"]
    assert main([*small, "--device", "25k"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "router" and out[1].startswith("estimate on ecp5: ") and out[-1].startswith("fits 25k, which has ")
    assert out[2].startswith("error of an estimate from the other ")
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
    """As many routers as nodes; a device that does not exist, or of which no such unit was measured, is one line."""
    network = ["generate", "network", "--dim", "2", "--preset", "small", "-o", str(tmp_path)]
    assert main([*network, "--device", "25k"]) == 0
    out = capsys.readouterr().out
    assert "\nestimate of 4 routers on ecp5: " in out and "\nfits 25k, which has 24,288 LUTs" in out
    assert main([*network, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["estimate"]
    assert found["routers"] == 4 and found["lut"] % 4 == 0
    for device, line in (("26k", "device must be one of 25k, "), ("hx8k", "estimate must be of a unit that was")):
        assert main([*network, "--device", device]) == 2
        err = capsys.readouterr().err
        assert err.startswith(f"cubecast generate: {line}") and err.count("\n") == 1


@pytest.mark.soak
def test_three_points_are_what_is_measured_today() -> None:
    """The first ones, synthesised again: within the 3 % that a measurement would tell."""
    kept = {(each["unit"], json.dumps(each["parameters"])): each for each in latest(read_points())}
    asked = [(each, kept.get((each.unit, json.dumps(each.config().to_json())))) for each in points.MEASURED]
    (first, second, third, *_) = [(each, known) for each, known in asked if known is not None]
    for each, known in (first, second, third):
        found = points.measured(each, seeds=0)
        assert found["lut"] == pytest.approx(known["lut"], rel=points.LIMIT), (each, known["revision"])
