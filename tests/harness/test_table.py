"""The tables of lockstep runs: every unit and corner on Verilator, a part again on Icarus, and the docs say so."""

import importlib
from pathlib import Path

import pytest

from tests.harness.table import Line, name_of, params, rows
from tests.test_project import is_unit

ROOT = Path(__file__).parents[2]
TABLES = {
    path.parent.name: importlib.import_module(f"tests.{path.parent.name}.test_lockstep").TABLE
    for path in sorted((ROOT / "tests").glob("*/test_lockstep.py"))
    if path.parent.name != "harness"
}


def corners_on(system, simulator, *, soak):
    """Return (unit, corner) of everything that runs on a simulator, in ``make soak`` only or in ``make test``."""
    return [
        (entry.values[1], name_of(corner))
        for entry in params(TABLES[system])
        if entry.values[0] == simulator and any(mark.name == "soak" for mark in entry.marks) == soak
        for corner in entry.values[2]
    ]


def test_every_system_has_a_table() -> None:
    """And every table a system."""
    assert set(TABLES) == {path.name for path in (ROOT / "rtl").iterdir() if (path / "__init__.py").is_file()}


@pytest.mark.parametrize("system", TABLES)
def test_every_unit_has_a_line(system):
    """With a testbench behind it, and no line without a unit."""
    units = {path.stem for path in (ROOT / "rtl" / system).glob("*.py") if is_unit(path)}
    assert set(TABLES[system]) == units


@pytest.mark.parametrize("system", TABLES)
def test_every_corner_runs_on_verilator_and_icarus_repeats_a_part(system):
    """Nothing is seen by Icarus alone; what it does not repeat in ``make test`` it does in ``make soak``."""
    verilator, icarus = (corners_on(system, name, soak=False) for name in ("verilator", "icarus"))
    wanted = {(unit, name_of(corner)) for unit, line in TABLES[system].items() for corner in line.corners}
    assert set(verilator) == wanted and len(verilator) == len(wanted)
    assert set(icarus) < wanted or len(wanted) == len(icarus)
    assert {unit for unit, _ in icarus} == set(TABLES[system])
    later = {(unit, name) for unit, line in TABLES[system].items() for name in line.later}
    assert set(corners_on(system, "icarus", soak=True)) == (wanted - set(icarus)) | later
    assert set(corners_on(system, "verilator", soak=True)) == later


def test_a_line_that_icarus_alone_would_see_is_noticed(monkeypatch):
    """The check above fails for it."""
    line = Line(corners=("default",), icarus=("default", "n2"))
    monkeypatch.setitem(TABLES, "toy", {"toy": line})
    with pytest.raises(AssertionError):
        test_every_corner_runs_on_verilator_and_icarus_repeats_a_part("toy")


@pytest.mark.parametrize("system", TABLES)
def test_the_docs_say_what_runs_where(system):
    """Line by line."""
    text = (ROOT / "docs" / "verification.md").read_text()
    assert "\n".join(rows(system, TABLES[system])) in text
