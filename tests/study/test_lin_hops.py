"""The studies of Lin and Chen: rings beside those of other implementations, curves, and each claim both ways."""

import copy
import itertools
import math
from pathlib import Path

import pytest

from cubecast.golden.collective.algorithms.group_ring import gray_ring, group_ring, ring_in_sequence
from cubecast.study.executor import local_executor
from cubecast.study.lin.hops import RUNS
from cubecast.study.lin.ring_point import METHODS, has_one_order, ring_point
from cubecast.study.registry import all_studies
from cubecast.study.run import run_study
from cubecast.study.store import Store
from cubecast.study.subsets import subsets
from tests.study.results import checked

DOCS = Path(__file__).resolve().parents[2] / "docs" / "studies"

STUDIES = {name: study for name, study in all_studies().items() if name.startswith("lin-")}

CODE = [0, 1, 3, 2, 6, 7, 5, 4]
"""The Gray code of the 3-cube, as printed."""


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """Quick results, and the outcomes that they come from."""
    with local_executor(1) as executor, Store(tmp_path_factory.mktemp("points")) as store:
        results = {name: run_study(study, executor, store, quick=True, seed=1) for name, study in STUDIES.items()}
        study = STUDIES["lin-hops"]
        return results, [store.get(task, 1) for task in study.tasks(study.parameters(True))]


def test_both_studies_are_here():
    """By name; they share their points."""
    assert list(STUDIES) == ["lin-hops", "lin-hops-mean"]
    one, other = (study.tasks(study.parameters(False)) for study in STUDIES.values())
    assert one == other


@pytest.mark.parametrize("members", range(2, 9))
def test_gray_code_rings_are_counted_along_the_code(members):
    """All groups at n = 3: places in the printed code tell how many links there are between two members."""
    outcome = ring_point(1, 3, members, 100)
    groups = list(itertools.combinations(range(8), members))
    longest = []
    for group in groups:
        places = sorted(map(CODE.index, group))
        longest.append(max((after - place) % 8 for place, after in itertools.pairwise([*places, places[0]])))
    assert (outcome["groups"], outcome["all"]) == (math.comb(8, members), True)
    summary = outcome["gray"]["longest"]
    assert summary["mean"] == pytest.approx(sum(longest) / len(groups))
    assert (summary["min"], summary["max"]) == (min(longest), max(longest))
    assert outcome["gray"]["mean"]["mean"] == pytest.approx(8 / members)


def test_ring_point_adds_up_its_groups():
    """Random groups, done again by hand."""
    outcome = ring_point(5, 6, 12, 30)
    groups = list(subsets(5, "lin-groups", (6, 12), 64, 12, 30)[1])
    for method, make in METHODS.items():
        rings = [make(6, group) for group in groups]
        hops = [[len(path) - 1 for path in ring.paths] for ring in rings]
        mine = outcome[method]
        assert mine["longest"]["mean"] == pytest.approx(sum(map(max, hops)) / 30)
        assert mine["longest"]["max"] == max(map(max, hops))
        assert mine["mean"]["mean"] == pytest.approx(sum(map(sum, hops)) / 30 / 12)
        assert mine["shared"] == 0
    assert (outcome["groups"], outcome["all"]) == (30, False)
    assert [outcome[method]["one_order"] for method in METHODS] == [30, 0, 30]


def test_methods_are_those_they_are_called():
    """The example of the text; along the code the paths go through nodes that are no members."""
    group = [0, 2, 3, 5, 6, 10, 13, 15]
    assert METHODS["ring"](4, group) == group_ring(4, group)
    assert METHODS["gray"](3, [1, 4, 6]).paths == ((1, 3, 2, 6), (6, 7, 5, 4), (4, 0, 1))
    assert METHODS["sequence"](3, [1, 4, 6]).paths == ((1, 5, 7, 6), (6, 4), (4, 0, 1))


def test_shared_links_are_counted(monkeypatch):
    """Of a method that makes such rings."""
    monkeypatch.setitem(METHODS, "ring", lambda dim, nodes: ring_in_sequence(dim, nodes))
    assert 0 < ring_point(1, 4, 8, 50)["ring"]["shared"] <= 50


def test_one_order_of_dimensions_by_hand():
    """No path may cross a dimension twice, and no two paths two dimensions the other way round."""
    assert has_one_order(ring_in_sequence(3, [0, 7, 1, 6]))
    assert has_one_order(ring_in_sequence(3, [0, 7, 1, 6], "ascending"))
    assert has_one_order(gray_ring(3, range(8)))
    # 1 to 6 crosses 1, 0, 2, and 6 to 4 crosses 0, 1, 0
    assert not has_one_order(gray_ring(3, [1, 4, 6]))
    ring = gray_ring(3, [0, 3, 6, 5])
    assert ring.paths == ((0, 1, 3), (3, 2, 6), (6, 7, 5), (5, 4, 0))
    assert has_one_order(ring)
    # 1 to 2 crosses 1, 0, and 6 to 5 crosses 0, 1
    ring = gray_ring(3, [1, 2, 6, 5, 4])
    assert ring.paths == ((1, 3, 2), (2, 6), (6, 7, 5), (5, 4), (4, 0, 1))
    assert not has_one_order(ring)


@pytest.mark.parametrize("name", STUDIES)
def test_results_have_curves_claims_and_a_plot(quick, name):
    """A curve for each method and dimension, of the quantity of the study."""
    result, (_, outcomes) = quick[0][name], quick
    quantity = {"lin-hops": "longest", "lin-hops-mean": "mean"}[name]
    found = dict(zip([(dim, x) for dim in (3, 4, 6, 8) for x in sizes(dim)], outcomes, strict=True))
    points = {(point.curve, point.x): point.mean for point in result.points}
    assert points == {
        (f"{method}, n = {dim}", members): outcome[method][quantity]["mean"]
        for method in METHODS
        for (dim, members), outcome in found.items()
    }
    axes = checked(STUDIES[name], result)
    labels = axes.get_legend_handles_labels()[1]
    assert labels[:5] == ["n = 3", "n = 4", "n = 6", "n = 8", "method of the text"]
    assert len(axes.get_lines()) == 4 * 3 + 3
    assert axes.get_xlabel() == "number of members"


def sizes(dim):
    """Return the numbers of members: 2, 3, 4, 6, 8, 12, .. to all nodes."""
    return sorted({*(2**k for k in range(1, dim + 1)), *(3 * 2**k for k in range(dim - 1))})


def test_full_studies_go_to_4096_nodes():
    """All groups of the 3-cube, random ones beyond."""
    parameters = STUDIES["lin-hops"].parameters(False)
    assert parameters["dims"] == list(RUNS) == [3, 4, 6, 8, 10, 12]
    assert parameters["members"] == [sizes(dim) for dim in parameters["dims"]]
    assert parameters["runs"][0] >= math.comb(8, 4)


def claims(quick, name="lin-hops", change=None):
    """Return the claims, after a change of a copy of the outcomes, by dimension and number of members."""
    study = STUDIES[name]
    outcomes = copy.deepcopy(quick[1])
    for task, outcome in zip(study.tasks(study.parameters(True)), outcomes, strict=True):
        # as if the groups were all there are: a quick run has too few of them for "never"
        outcome["all"] = True
        if change is not None:
            change(task.arguments["dim"], task.arguments["members"], outcome)
    return study.evaluate(study.parameters(True), outcomes)[1]


def test_claims_as_measured(quick):
    """All hold but two: the first path of the example is a shortest one, and some few groups have one order."""
    found = claims(quick)
    assert [claim.verdict == "holds" for claim in found] == [True, True, True, True, True, False, True, False]
    assert [claim.measured for claim in found[5:7]] == [0, 2]
    assert 0 < found[7].measured < 0.05


def worse(dim, members, outcome):
    """Let rings of the method be long and share links, and those of the Gray code short and ordered."""
    outcome["ring"]["longest"].update(mean=dim + 2, std=0, max=dim + 2)
    outcome["ring"]["mean"].update(mean=dim + 2, std=0)
    outcome["ring"]["shared"] = 1
    for quantity in ("longest", "mean"):
        outcome["gray"][quantity].update(mean=dim + (members == 4), std=0, max=3)
    outcome["gray"]["one_order"] = 1


def test_claims_that_do_not_hold_are_said_to_differ(quick):
    """With the amount; the example stands by itself."""
    found = claims(quick, change=worse)
    assert found[0].verdict.startswith("differs by ") and "longest path minus n: 2]" in found[0].claim
    assert [claim.verdict == "holds" for claim in found[:5]] == [False] * 5
    assert found[7].verdict.startswith("differs by 0.0")
    # from n = 6 to 8 the longest path grows from 6 to 8: by 1.155 for each dimension
    assert found[2].measured == pytest.approx(math.sqrt(8 / 6))
    assert found[2].verdict == "differs by 0.645"
    assert found[3].measured == pytest.approx(3 / 5)
    assert found[4].verdict == "differs by 2"
    assert claims(quick, "lin-hops-mean", worse)[0].measured == pytest.approx(3 / 5)


def test_ratio_is_the_least_for_up_to_half_of_the_nodes(quick):
    """What is beyond does not count; nor does another quantity."""

    def change(dim, members, outcome):
        outcome["all"] = False
        for quantity, ring in (("longest", 2.0), ("mean", 1.0)):
            outcome["ring"][quantity].update(mean=ring, std=0.1)
            outcome["gray"][quantity].update(mean=4.0, std=0.1)
        if (dim, members) == (6, 32):
            outcome["gray"]["longest"]["mean"] = 3.0
        if members > 1 << dim - 1:
            outcome["gray"]["longest"]["mean"] = 0.1

    claim = claims(quick, change=change)[3]
    assert claim.measured == pytest.approx(1.5)
    assert claim.interval[0] < 1.5 < claim.interval[1]
    assert claim.verdict == "holds"
    assert "with 32 members at n = 6" in claim.claim
    assert claims(quick, "lin-hops-mean", change)[0].measured == pytest.approx(4)


def test_mean_path_is_not_longer_along_the_code_for_half_of_the_nodes(quick):
    """The one drawback is of the longest path, not of all."""
    (claim,) = claims(quick, "lin-hops-mean")
    assert claim.verdict.startswith("differs by 0.")


def test_single_excess_is_found(quick):
    """One path of n + 1 links, or one ring that shares a link, in all."""

    def long(dim, members, outcome):
        if (dim, members) == (4, 3):
            outcome["ring"]["longest"]["max"] = 5

    def shared(dim, members, outcome):
        outcome["ring"]["shared"] = int((dim, members) == (4, 3))

    found = claims(quick, change=long)
    assert found[0].verdict.startswith("differs by 0.00") and "longest path minus n: 1]" in found[0].claim
    assert found[1].verdict == "holds"
    found = claims(quick, change=shared)
    assert found[0].verdict == "holds"
    assert found[1].verdict.startswith("differs by 0.000")
