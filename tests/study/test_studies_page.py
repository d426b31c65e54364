"""The results in the docs are those of the code."""

import json
import lzma
import re
import shutil
from pathlib import Path

import pytest

from cubecast.study.executor import local_executor
from cubecast.study.model import Point
from cubecast.study.page import DATA, FOLDER, PAGE, filled, main, read
from cubecast.study.plot import pictures
from cubecast.study.registry import all_studies
from cubecast.study.result import result_files
from cubecast.study.run import Result, run_study
from cubecast.study.store import Store

DOCS = Path(__file__).resolve().parents[2] / "docs"

STUDIES = all_studies()

SEED = 1988


def committed(name):
    """Return the data of a study in the docs."""
    return read(DOCS / FOLDER)[name]


def test_page_is_made_of_the_data():
    """Every table, with every study."""
    page = (DOCS / PAGE).read_text()
    assert filled(page, read(DOCS / FOLDER)) == page


@pytest.mark.parametrize("name", STUDIES)
def test_data_are_of_whole_studies(name):
    """With the parameters of today and the seed of the command line."""
    result = committed(name)
    parameters = {name: value for name, value in result["parameters"].items() if name != "doubled"}
    assert parameters == STUDIES[name].parameters(False)
    assert result["seed"] == SEED


@pytest.mark.parametrize("name", ["lan-5.7", "lan-hamming"])
def test_plots_are_drawn_from_the_data(name):
    """To the byte."""
    data = committed(name)
    points = [Point(**point) for point in data["points"]]
    drawn = pictures(Result(STUDIES[name], data["parameters"], SEED, points, []))["svg"]
    assert (DOCS / FOLDER / f"{name}.svg").read_bytes() == drawn


def test_plots_are_small_and_their_words_whole():
    """Coordinates have two digits behind the point; numbers that are read stay as they are."""
    study = STUDIES["lan-5.7"]
    svg = pictures(Result(study, {**study.parameters(False), "left_out": "0.12345"}, SEED, [], []))["svg"].decode()
    assert "0.12345" in svg and "<metadata>" not in svg
    assert not re.search(r' (?:d|x|y)="[^"]*\.\d{3}', svg)


def test_hamming_bounds_are_those_of_today(tmp_path):
    """To the byte."""
    with local_executor(1) as executor, Store(tmp_path) as store:
        result = run_study(STUDIES["lan-hamming"], executor, store, quick=False, seed=SEED)
    assert json.loads(result_files(result)["lan-hamming.json"]) == committed("lan-hamming")


@pytest.fixture
def results(tmp_path):
    """Return a folder with the results of all studies, beside which is a page without them."""
    results = tmp_path / "results"
    results.mkdir()
    for name, data in read(DOCS / FOLDER).items():
        (results / f"{name}.json").write_text(json.dumps(data, indent=1))
        shutil.copy(DOCS / FOLDER / f"{name}.svg", results)
    (tmp_path / PAGE).write_text("".join(f"<!-- {name} begin -->\nstale\n<!-- {name} end -->\n" for name in STUDIES))
    return results


@pytest.mark.parametrize(
    "spoiled, said",
    [
        ('{"a', "result {}, must be a JSON object, not "),
        ("{}", "result {} must have parameters, seed, points and claims of study lin-hops"),
        ('{"points": [{"x": 1}]}', "result {} must have parameters, seed, points and claims of study lin-hops"),
        (None, "parameters of result {} must be those of the study, run without --quick, not {{"),
    ],
)
def test_what_is_no_whole_result_is_refused(spoiled, said, results, tmp_path, capsys):
    """In one line; nothing is written."""
    quick = {**committed("lin-hops"), "parameters": STUDIES["lin-hops"].parameters(True)}
    path = results / "lin-hops.json"
    path.write_text(json.dumps(quick) if spoiled is None else spoiled)
    before = sorted(tmp_path.rglob("*"))
    assert main([str(results), str(tmp_path)]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"python -m cubecast.study.page: {said.format(repr(str(path)))}") and told.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("packed", [b"", b"data", lzma.compress(b"{}")[:-1], lzma.compress(b'{"lin-hops": 1}')])
def test_spoiled_data_are_refused(packed, tmp_path, capsys):
    """In one line."""
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / DATA).write_bytes(packed)
    assert main([str(tmp_path)]) == 2
    told = capsys.readouterr().err
    assert told.startswith("python -m cubecast.study.page: data ") and told.count("\n") == 1


def test_page_is_filled_from_a_folder(capsys, results, tmp_path):
    """Plots are copied, data packed, tables replaced; wrong use is one line."""
    assert main([str(results), str(tmp_path)]) == 0
    assert read(tmp_path / FOLDER) == read(DOCS / FOLDER)
    page = (tmp_path / PAGE).read_text()
    assert "stale" not in page
    assert page.count("](studies/") == len(STUDIES) == len(list((tmp_path / FOLDER).glob("*.svg")))
    assert main([]) == 2
    # as for a study that is new, and has no place yet
    capsys.readouterr()
    packed = (tmp_path / FOLDER / DATA).read_bytes()
    changed = {**committed("lin-hops"), "claims": []}
    (results / "lin-hops.json").write_text(json.dumps(changed))
    (tmp_path / PAGE).write_text(page.replace("<!-- lin-hops end -->\n", ""))
    assert main([str(results), str(tmp_path)]) == 2
    line = "python -m cubecast.study.page: page must have <!-- lin-hops begin --> and <!-- lin-hops end --> once\n"
    assert capsys.readouterr() == ("", line)
    assert (tmp_path / FOLDER / DATA).read_bytes() == packed
