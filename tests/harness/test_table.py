"""The tables of lockstep runs: every unit and corner on Verilator, a part again on Icarus, and the docs say so."""

import contextlib
import importlib
import re
from pathlib import Path

import pytest

from tests.harness.seed import VARIABLE
from tests.harness.table import ENDS_AS, MARGIN, PATIENCE, Line, at_length, check, end_soon, name_of, params
from tests.harness.tables import COMMAND, PAGE, TABLES, markdown
from tests.test_project import is_unit

ROOT = Path(__file__).parents[2]


def corners_on(system, simulator, *, soak):
    """Return (unit, corner) of everything that runs on a simulator, in ``make soak`` only or in CI."""
    return [
        (unit, name_of(corner))
        for entry in params(TABLES[system])
        if entry.values[0] == simulator and any(mark.name == "soak" for mark in entry.marks) == soak
        for unit, corners in zip(*entry.values[1:], strict=True)
        for corner in corners
    ]


def is_run_by_itself(system, network, icarus):
    """Return whether what a network is made of is among what Icarus runs: a unit that its file imports."""
    text = (ROOT / "rtl" / system / f"{network}.py").read_text()
    inside = set(re.findall(rf"^from cubecast\.rtl\.{system}\.(\w+) import", text, re.M))
    return bool(inside & {unit for unit, _ in icarus})


def test_every_system_has_a_table() -> None:
    """And every table a system."""
    assert set(TABLES) == {path.name for path in (ROOT / "rtl").iterdir() if (path / "__init__.py").is_file()}


@pytest.mark.parametrize("system", TABLES)
def test_every_unit_has_a_line(system):
    """With a testbench behind it, and no line without a unit."""
    units = {path.stem for path in (ROOT / "rtl" / system).glob("*.py") if is_unit(path)}
    assert set(TABLES[system]) == units


def names_in(line):
    """Return all names of corners that a line has something for beside those that it runs at."""
    cycles = {} if isinstance(line.cycles, int) else line.cycles
    mappings = (line.options, line.longer, line.repeated_options, line.soak, cycles)
    asked = (*line.random, *line.same, *line.again, *(line.core or ()), *map(name_of, line.repeated))
    return {*asked, *(name for each in mappings for name in each)} - {""}


@pytest.mark.parametrize("system", TABLES)
def test_every_name_in_a_line_is_one_of_its_corners(system):
    """And has a configuration: what a line has for any other name would be left out without a word."""
    module = importlib.import_module(f"tests.{system}.test_lockstep")
    configs = vars(module).get("CONFIGS") or module.CORNERS
    for unit, line in TABLES[system].items():
        corners = (*line.corners, *line.later)
        named = {corner if isinstance(corner, str) else corner[0] for corner in corners}
        assert named <= set(configs), f"{unit}: no configuration {named - set(configs)}"
        strange = names_in(line) - named - set(map(name_of, corners))
        assert not strange, f"{unit}: no corner {strange}"


def test_a_name_that_is_no_corner_is_noticed(monkeypatch):
    """The check above fails for it, and says which."""
    for line, said in (
        (Line(corners=("two",), soak={"default": 9}), "toy: no corner {'default'}"),
        (Line(corners=("too",)), "toy: no configuration {'too'}"),
    ):
        monkeypatch.setitem(TABLES, "common", {"toy": line})
        with pytest.raises(AssertionError, match=said):
            test_every_name_in_a_line_is_one_of_its_corners("common")


@pytest.mark.parametrize("system", TABLES)
def test_every_corner_runs_on_verilator_and_icarus_repeats_a_part(system):
    """Nothing is seen by Icarus alone; what it does not repeat in CI it does in ``make soak``."""
    verilator, icarus = (corners_on(system, name, soak=False) for name in ("verilator", "icarus"))
    wanted = {(unit, name_of(corner)) for unit, line in TABLES[system].items() for corner in line.corners}
    assert set(verilator) == wanted and len(verilator) == len(wanted)
    assert set(icarus) < wanted or len(wanted) == len(icarus)
    left_out = set(TABLES[system]) - {unit for unit, _ in icarus}
    assert all(unit.endswith("_network") and is_run_by_itself(system, unit, icarus) for unit in left_out)
    later = {(unit, name) for unit, line in TABLES[system].items() for name in line.later}
    assert set(corners_on(system, "icarus", soak=True)) == (wanted - set(icarus)) | later
    assert set(corners_on(system, "verilator", soak=True)) == later


def marked(system, name):
    """Return (unit, corner) of all that has a mark."""
    return {
        (unit, name_of(corner))
        for entry in params(TABLES[system])
        if any(mark.name == name for mark in entry.marks)
        for unit, corners in zip(*entry.values[1:], strict=True)
        for corner in corners
    }


@pytest.mark.parametrize("system", TABLES)
def test_every_unit_is_in_every_run_on_verilator(system):
    """But for some networks, and what stands as it is in a unit with AXI ports; CI has all of what is left out."""
    table = TABLES[system]
    assert marked(system, "core") == {(unit, name_of(corner)) for unit in table for corner in table[unit].quick}
    assert marked(system, "long") == {(unit, name_of(corner)) for unit in table for corner in table[unit].further}
    assert all(sorted(line.quick + line.further, key=str) == sorted(line.corners, key=str) for line in table.values())
    left_out = {unit for unit, line in table.items() if not line.quick}
    inside = {unit.removeprefix("axi_") for unit, line in table.items() if unit.startswith("axi_") and line.quick}
    assert all(unit.endswith("_network") or unit in inside for unit in left_out)


@pytest.mark.parametrize(
    ("corners", "quick"), [("a", "a"), ("ab", "ab"), ("abc", "abc"), ("abcd", "acd"), ("abcdefg", "adg")]
)
def test_of_a_small_unit_three_corners_are_quick(corners, quick):
    """The first, one of those with another seed every time, and the last; of a large design the first; or those that
    the line names."""
    assert Line(corners=tuple(corners)).quick == tuple(quick)
    assert Line(corners=tuple(corners), alone=True).quick == ("a",)
    for alone in (False, True):
        assert Line(corners=tuple(corners), alone=alone, core=("a", "c")).quick == tuple(
            c for c in "ac" if c in corners
        )
        assert not Line(corners=tuple(corners), alone=alone, core=()).quick


@pytest.mark.parametrize("system", TABLES)
def test_what_icarus_cuts_short_has_all_events(system):
    """It runs for fewer cycles only where the run itself asks for its events, and nothing else ends it."""
    for unit, line in TABLES[system].items():
        if line.repeated_cycles is not None:
            assert line.repeated_cycles < line.limit("verilator"), unit
            assert line.events and line.every is None and not line.ends, unit


@pytest.mark.parametrize("system", TABLES)
def test_what_ends_before_its_limit_is_run_up_to_it_in_soak(system):
    """Each run whose events may end it, in the same company; the rest have no such end."""
    run = {(values[0], unit) for values in (entry.values for entry in params(TABLES[system])) for unit in values[1]}
    longer = {(entry.values[0], unit) for entry in at_length(TABLES[system]) for unit in entry.values[1]}
    assert {(simulator, unit) for simulator, unit in run if TABLES[system][unit].cut(simulator)} <= longer <= run
    more = {(unit, name) for unit, line in TABLES[system].items() for name in line.longer}
    corners = [(*entry.values[1], *map(name_of, entry.values[2][0])) for entry in at_length(TABLES[system])]
    assert more <= set(corners), "a line with more traffic in soak must be alone, and its corners must run"
    module = importlib.import_module(f"tests.{system}.test_lockstep")
    assert any(mark.name == "soak" for mark in module.test_lockstep_up_to_the_limit.pytestmark)


@pytest.mark.parametrize(
    ("line", "cut"),
    [
        ({}, {"verilator", "icarus"}),
        ({"ends": True}, set()),
        ({"events": False}, set()),
        ({"whole": True}, {"icarus"}),
    ],
)
@pytest.mark.parametrize("simulator", MARGIN)
@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize("soon", [False, True])
def test_what_may_end_before_its_limit(line, cut, simulator, counted, soon, monkeypatch):
    """What has no end of its own and asks for its events, unless coverage is counted; Icarus ends first, or all."""
    asked = []
    for each in ENDS_AS:
        monkeypatch.setitem(ENDS_AS, each, each)
    if soon:
        end_soon()
    monkeypatch.setattr("tests.harness.table.lockstep_all", lambda runs, *_, **__: asked.extend(runs) or ())
    monkeypatch.setattr("tests.harness.table.chosen", lambda: counted)
    table = {"arbiter": Line(corners=("two",), **line)}
    for more in ({}, {"margin": 0}):
        with contextlib.suppress(ValueError):
            check("common", table, {"two": None}, simulator, ("arbiter",), (("two",),), **more)
    margin = MARGIN["icarus" if soon else simulator] if simulator in cut and not counted else 0
    assert [run.margin for run in asked] == [margin, 0] and MARGIN["verilator"] > MARGIN["icarus"] >= 1


@pytest.mark.parametrize(("counted", "sent"), [(False, [70, 150]), (True, [150, 150])])
def test_traffic_is_longer_in_soak_and_where_coverage_is_counted(counted, sent, monkeypatch):
    """The other arguments of the stimulus stay, and so do those of other corners."""
    asked = []
    monkeypatch.setattr("tests.harness.table.lockstep_all", lambda runs, *_, **__: asked.extend(runs) or ())
    monkeypatch.setattr("tests.harness.table.chosen", lambda: counted)
    options = {"two": {"messages": 70, "load": 1}, "five": {"messages": 7}}
    line = Line(corners=("two", "five"), ends=True, options=options, longer={"two": {"messages": 150}})
    for more in ({}, {"margin": 0}):
        with contextlib.suppress(ValueError):
            configs = dict.fromkeys(options)
            check("multicast", {"network": line}, configs, "verilator", ("network",), (line.corners,), **more)
    assert [run.options for run in asked[0::2]] == [{"messages": messages, "load": 1} for messages in sent]
    assert [run.options for run in asked[1::2]] == [{"messages": 7}] * 2


@pytest.mark.parametrize("counted", [False, True])
def test_some_corners_have_another_seed_every_time(counted, monkeypatch):
    """The second half on Verilator, a single corner on Icarus; no run with an end of its own, none that is counted."""
    monkeypatch.setenv(VARIABLE, "77")
    monkeypatch.setattr("tests.harness.table.chosen", lambda: counted)
    names = ("two", "three", "four")

    def seeds(simulator, corners, **line):
        asked = []
        monkeypatch.setattr("tests.harness.table.lockstep_all", lambda runs, *_, **__: asked.extend(runs) or ())
        with contextlib.suppress(ValueError):
            some = {name: name for name in names}
            check("common", {"arbiter": Line(corners=corners, **line)}, some, simulator, ("arbiter",), (corners,))
        later = names[1:] if simulator == "icarus" else ()
        patient = [run.seed == 77 or run.config in later for run in asked]
        assert [run.patience == PATIENCE for run in asked] == patient or counted
        return [run.seed for run in asked]

    again = 1 if counted else 77
    assert seeds("verilator", names) == [1, again, again] and seeds("verilator", names[:2]) == [1, again]
    assert seeds("icarus", names) == [1, 1, 1]
    assert seeds("verilator", names[:1]) == [1] and seeds("icarus", names[:1]) == [again]
    assert seeds("icarus", names[:1], alone=True) == [1]
    assert seeds("verilator", names, ends=True) == [1, 1, 1] == seeds("verilator", names, every=int)
    assert seeds("verilator", names, ends=True, again=names[1:2]) == [1, again, 1]
    assert seeds("verilator", names[:1], alone=True, again=names[:1]) == [again]
    assert seeds("icarus", names, ends=True, again=names[1:2]) == [1, 1, 1]


@pytest.mark.parametrize("system", TABLES)
def test_every_unit_that_may_has_a_corner_with_another_seed(system):
    """On one simulator, and not on all."""
    for unit, line in TABLES[system].items():
        there = [line.fresh(simulator) for simulator in ("verilator", "icarus")]
        wanted = bool(line.again) or (line.endless and (len(line.corners) > 1 or not line.alone))
        there_is, corners = set(map(name_of, there[0])), set(map(name_of, line.corners))
        assert sum(map(bool, there)) == wanted and there_is <= corners, unit
        assert there_is < corners or line.again, unit


RARE = {
    *("multicast.load_network", "packet.loaded_network", "crosspoint.load_network", "reduction.load_network"),
    "adapter.network",
}
"""Networks in whose runs an event may be missing with other seeds."""


def test_every_other_network_has_a_corner_with_another_seed():
    """Those of all systems."""
    networks = {(system, unit) for system, lines in TABLES.items() for unit in lines if unit.endswith("network")}
    same = {f"{system}.{unit}" for system, unit in networks if not TABLES[system][unit].fresh("verilator")}
    assert same == RARE


DRIVEN = [
    importlib.import_module(f"tests.{path.parent.name}.{path.stem}")
    for path in sorted((ROOT / "tests").glob("*/test_axi_*.py"))
    if "DRIVEN =" in path.read_text()
]


def seen(module, simulator):
    """Return (test, corner) of everything that a module has driven on a simulator, ``make soak`` included."""
    return {
        (name, entry.values[1])
        for name, test in vars(module).items()
        for mark in getattr(test, "pytestmark", ())
        if mark.name == "parametrize" and mark.args[0] == ("simulator", "name")
        for entry in mark.args[1]
        if entry.values[0] == simulator and (simulator == "icarus" or not entry.marks)
    }


@pytest.mark.parametrize("module", DRIVEN, ids=lambda module: module.__name__)
def test_every_corner_that_is_driven_runs_on_verilator(module):
    """That between foreign AXI drivers too."""
    verilator, icarus = seen(module, "verilator"), seen(module, "icarus")
    assert {name for _, name in verilator} == set(module.DRIVEN)
    assert icarus <= verilator and {test for test, _ in icarus} == {test for test, _ in verilator}


def test_a_corner_that_icarus_alone_would_drive_is_noticed(monkeypatch):
    """The check above fails for it."""
    (module,) = (module for module in DRIVEN if module.__name__ == "tests.multicast.test_axi_router")

    @pytest.mark.parametrize(("simulator", "name"), [pytest.param("icarus", "padded")])
    def alone() -> None:
        """On Icarus."""

    monkeypatch.setattr(module, "test_alone", alone, raising=False)
    with pytest.raises(AssertionError):
        test_every_corner_that_is_driven_runs_on_verilator(module)


def test_a_line_that_icarus_alone_would_see_is_noticed(monkeypatch):
    """The check above fails for it."""
    line = Line(corners=("default",), icarus=("default", "n2"))
    monkeypatch.setitem(TABLES, "toy", {"toy": line})
    with pytest.raises(AssertionError):
        test_every_corner_runs_on_verilator_and_icarus_repeats_a_part("toy")


def test_the_docs_say_what_runs_where():
    """Line by line."""
    page = PAGE.read_text()
    assert markdown(page) == page, f"run: {COMMAND}"
