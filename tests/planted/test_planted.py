"""Lists of bugs fit the hardware, what finds them is there, and planting says what becomes of a bug."""

import dataclasses
import importlib
import json
import re
from pathlib import Path

import pytest

from cubecast.options.usage import ToolError, UsageError
from cubecast.tb.planted import __main__ as command
from cubecast.tb.planted import runs, trial
from cubecast.tb.planted.bugs import Bug, bugs_of, planted, systems
from cubecast.tb.planted.page import tables
from cubecast.tb.planted.record import read, text_of
from cubecast.tb.planted.trial import BROKEN, CAUGHT, PASSED
from tests.harness.table import name_of

ROOT = Path(__file__).parents[2]

FILE = "rtl/crosspoint/queue.py"
TOY = Bug("toy", 1, "A queue is none", FILE, "class Queue(", "class Neue(", "queue down")


@pytest.mark.parametrize("system", systems())
def test_the_list_fits_the_hardware(system):
    """Each text occurs once, in hardware or its parameters; the test is one of CI; none is listed twice."""
    bugs = bugs_of(system)
    assert len({(bug.file, bug.before, bug.after) for bug in bugs}) == len({bug.what for bug in bugs}) == len(bugs)
    for bug in bugs:
        _, line = planted(bug, ROOT)
        assert re.match(r"rtl/|golden/\w+/contract/", bug.file) and line > 0, bug
        if bug.run is None:
            file, _, name = bug.test.partition("::")
            found = re.search(rf"^((?:@.*\n)*)def {name.partition('[')[0]}\(", (ROOT / file).read_text(), re.M)
            assert found is not None and "soak" not in found[1], bug
        else:
            tables_of, unit, corner, _ = bug.run
            line = importlib.import_module(f"tests.{tables_of}.test_lockstep").TABLE[unit]
            assert corner in map(name_of, line.corners), bug


def test_the_page_is_made_of_the_record():
    """Its tables are those of the record beside it, which has bugs of the lists only, all of them caught."""
    lines = read(ROOT / "docs" / "planted_bugs.jsonl")
    page = (ROOT / "docs" / "planted_bugs.md").read_text()
    for name, rows in tables(lines).items():
        assert "\n".join([f"<!-- {name} begin -->", *rows, f"<!-- {name} end -->"]) in page
    known = {line["key"] for line in lines}
    assert [line["key"] for line in lines] == [
        bug.key for system in systems() for bug in bugs_of(system) if bug.key in known
    ]
    assert {line["outcome"] for line in lines} <= {CAUGHT}


@pytest.fixture
def answers(monkeypatch):
    """Let nothing be run, and copies hold one folder; return what tests say, which a test may change."""
    said = {"before": PASSED, "after": CAUGHT}

    def answer(copy, bug):
        altered = (copy.root / FILE).read_text() != (ROOT / FILE).read_text()
        return {"outcome": said["after" if altered else "before"], "by": "so it is"}

    monkeypatch.setattr(runs, "COPIED", ("rtl/crosspoint",))
    monkeypatch.setattr(runs._Copy, "test", answer)
    return said


def test_a_bug_is_planted_alone(answers):
    """It is in the copy while its test runs, and then the next one is; a text that is gone is said to be."""
    gone = dataclasses.replace(TOY, number=2, before="no such text")
    away = dataclasses.replace(TOY, number=4, file="no_such_file.py")
    found = dict(runs.tried([TOY, gone, dataclasses.replace(TOY, number=3), away], 1, print))
    assert [(bug.number, answer["outcome"], answer["line"] > 0) for bug, answer in found.items()] == [
        (1, CAUGHT, True),
        (2, runs.GONE, False),
        (3, CAUGHT, True),
        (4, runs.GONE, False),
    ]
    assert away.sources
    answers["after"] = PASSED
    assert [answer["outcome"] for _, answer in runs.tried([TOY], 2, print)] == [PASSED]


def test_a_test_that_fails_without_a_bug_finds_none(answers):
    """Nobody can say what it would have found."""
    answers["before"] = CAUGHT
    with pytest.raises(ToolError, match="queue down of toy does not pass without a bug: so it is"):
        list(runs.tried([TOY], 1, print))


def test_the_command_goes_on_where_it_was_stopped(answers, monkeypatch, tmp_path, capsys):
    """What the record has of the same sources is not run again; a bug that lives is told by the status."""
    path = tmp_path / "record.jsonl"
    monkeypatch.setattr(command, "revision", lambda: "abc")
    words = ["crosspoint", "--only", "1-3,5", "-o", str(path)]
    assert command.main(words) == 0
    assert [line["outcome"] for line in read(path)] == [CAUGHT] * 4
    answers["after"] = PASSED
    monkeypatch.setattr(command, "revision", lambda: "def")
    assert command.main([*words, "--resume"]) == 0
    monkeypatch.setattr(Bug, "sources", "others")
    assert command.main([*words[:2], "2", *words[3:], "--resume"]) == 1
    lines = read(path)
    found = [(line["outcome"], line["revision"]) for line in lines[:3]]
    assert found == [(CAUGHT, "abc"), (PASSED, "def"), (CAUGHT, "abc")]
    assert "1 survived" in capsys.readouterr().out
    assert "**survived**" in tables(lines)["bugs"][5]


@pytest.mark.parametrize(
    ("test", "outcome"),
    [
        ("::test_it_fails", CAUGHT),
        ("::test_it_passes", PASSED),
        ("::test_it_breaks", BROKEN),
    ],
)
def test_what_a_test_says(test, outcome, tmp_path):
    """A test that fails finds the bug; one that cannot run does not."""
    file = tmp_path / f"test_{outcome}_bug.py"
    lines = [
        "def test_it_fails():\n    assert not 1",
        "def test_it_passes():\n    assert 1",
        "def test_it_breaks():\n    raise KeyError(1)",
    ]
    file.write_text("\n\n\n".join(lines) + "\n")
    assert trial.main([str(tmp_path / "answer.json"), f"{file}{test}"]) == 0
    assert json.loads((tmp_path / "answer.json").read_text())["outcome"] == outcome


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["nobody"], f"system must be one of {', '.join(systems())}, not 'nobody'"),
        (["--only", "x"], "argument --only: must be numbers of bugs such as 3,7-9, not 'x'"),
        (["--only", "9999"], "--only must leave some bugs of the lists, not none"),
        (["-o", "/"], "argument -o/--output: must be the name of a file, not '/'"),
    ],
)
def test_bad_input_is_one_line(words, line, capsys):
    """Status 2, and nothing is run."""
    assert command.main(words) == 2
    assert capsys.readouterr().err == f"python -m cubecast.tb.planted: {line}\n"


def test_the_page_is_made_in_a_tree_without_changes(monkeypatch, capsys):
    """Or nobody could find what it is of."""
    for found in ("abc+", "unknown"):
        monkeypatch.setattr(command, "revision", lambda found=found: found)
        assert command.main(["--docs"]) == 2
        line = f"{command.PROG}: --docs must be asked for in a tree without changes, not at {found}\n"
        assert capsys.readouterr().err == line


def test_the_page_keeps_what_was_not_asked_for(answers, monkeypatch, tmp_path):
    """Bugs that are in no list any more go, and runs of trees with changes are not taken."""
    monkeypatch.setattr(command, "revision", lambda: "abc+")
    words = ["crosspoint", "-o", str(tmp_path / "record.jsonl"), "--only"]
    assert command.main([*words, "1-2"]) == 0
    lines = read(tmp_path / "record.jsonl")
    kept = [*(line | {"revision": "old", "by": "before"} for line in lines), lines[0] | {"key": "of no list"}]
    (docs := tmp_path / "docs.jsonl").write_text(text_of(kept))
    renewed = []
    monkeypatch.setattr(command, "DOCS", docs)
    monkeypatch.setattr(command, "renew", renewed.extend)
    monkeypatch.setattr(command, "revision", lambda: "abc")
    assert command.main([*words, "2", "--resume", "--docs"]) == 0
    assert [(line["revision"], line["by"]) for line in renewed] == [("old", "before"), ("abc", "so it is")]
    assert [line["key"] for line in renewed] == [line["key"] for line in lines]


def test_a_run_that_is_none_is_refused():
    """With the place in the list."""
    with pytest.raises(
        UsageError, match=r"test must be UNIT CORNER \[SIMULATOR\] or FILE::NAME, not 'queue' \(toy 1\)"
    ):
        print(dataclasses.replace(TOY, test="queue").run)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("queues", "down"), "ValueError: unit must be in the table of crosspoint, not 'queues'"),
        (("matrix_arbiter", "of_4"), "ValueError: corner must be one of of_2, of_1, of_3, of_5, of_10, not 'of_4'"),
    ],
)
def test_a_run_that_no_table_has_is_told(words, said, tmp_path):
    """By its unit or its corner."""
    answer = tmp_path / "answer.json"
    trial.main([str(answer), "crosspoint", *words, "icarus"])
    assert json.loads(answer.read_text()) == {"outcome": BROKEN, "by": said}


def test_a_list_that_is_no_toml_is_refused(monkeypatch, tmp_path, capsys):
    """In one line, with the system, before anything is planted."""
    (folder := tmp_path / "tests" / "toy").mkdir(parents=True)
    (folder / "planted.toml").write_text('[[bug]]\nwhat = "x\n')
    monkeypatch.setattr("cubecast.tb.planted.bugs.ROOT", tmp_path)
    assert command.main(["toy", "-o", str(tmp_path / "record.jsonl")]) == 2
    line = "list of toy must be TOML with tables [[bug]] (Illegal character '\\n' (at line 2, column 10))"
    assert capsys.readouterr().err == f"{command.PROG}: {line}\n"


@pytest.mark.soak
def test_bugs_are_caught(tmp_path):
    """From the list to the record, with a simulator: the first ones of a system."""
    path = tmp_path / "record.jsonl"
    assert command.main(["reduction", "--only", "1-2", "-o", str(path)]) == 0
    assert [line["by"].split()[0] for line in read(path)] == ["cycle"] * 2


def test_bugs_are_planted_in_a_checkout(monkeypatch, capsys):
    """A wheel has no lists."""
    monkeypatch.setattr(command, "systems", list)
    assert command.main(["crosspoint"]) == 2
    said = capsys.readouterr().err
    assert (
        said.startswith("python -m cubecast.tb.planted: bugs must be planted in a checkout") and said.count("\n") == 1
    )
