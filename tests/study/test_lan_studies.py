"""The figures of Lan 1988: tasks, curves, claims; and the fault model against the golden one."""

from unittest.mock import ANY

import numpy as np
import pytest

from cubecast.golden.common.algorithms.faults import obeys_rule
from cubecast.study.executor import local_executor
from cubecast.study.lan.fault_model import adjacent, fault_model_point, fault_sets, obeying
from cubecast.study.lan.few import few_point, optimal_for_few
from cubecast.study.lan.hamming import lexicode
from cubecast.study.lan.traffic_claims import (
    broadcast_beats_one_to_one,
    broadcast_is_close,
    greedy_beats,
    greedy_least,
    mean_distance,
)
from cubecast.study.lan.traffic_point import METHODS, TrafficPoint, traffic_point
from cubecast.study.registry import all_studies
from cubecast.study.run import run_study
from cubecast.study.statistics import share_interval
from cubecast.study.store import Store
from tests.study.results import checked

STUDIES = {name: study for name, study in all_studies().items() if name.startswith("lan-")}

QUICK = [name for name in STUDIES if not name.endswith(("-10", "-12", "-fine", "-large"))]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Quick results of most studies."""
    with local_executor(1) as executor, Store(tmp_path_factory.mktemp("points")) as store:
        return {name: run_study(STUDIES[name], executor, store, quick=True, seed=1) for name in QUICK}


@pytest.mark.parametrize(("dim", "faults"), [(3, 2), (3, 4), (3, 7), (4, 5), (6, 3), (6, 5), (8, 4), (10, 6)])
def test_fault_model_is_the_golden_one(dim, faults):
    """Run by run; and adjacency by trying all pairs."""
    sets = fault_sets(1, dim, faults, 200)
    assert obeying(dim, sets).tolist() == [obeys_rule(dim, row) for row in sets.tolist()]
    pairs = [any((a ^ b).bit_count() == 1 for a in row for b in row) for row in sets.tolist()]
    assert adjacent(dim, sets).tolist() == pairs


def test_fault_model_of_subcubes():
    """All nodes of a subcube may be faulty; without its last one the others have two faulty neighbours."""
    half = np.arange(8)[None, :]
    assert obeying(4, half).tolist() == [True]
    assert obeying(4, half[:, :-1]).tolist() == [False]


@pytest.mark.parametrize("dim", [6, 10])
def test_two_faults_obey_as_often_as_they_are_not_two_hops_apart(dim):
    """The closed form: 1 - C(n, 2) / (2^n - 1)."""
    outcome = fault_model_point(1, dim, 2, 4000)
    low, high = share_interval(outcome["obeying"], 4000)
    assert low <= 1 - dim * (dim - 1) / 2 / (2**dim - 1) <= high


def test_lexicode_is_three_hops_apart():
    """And no node can be added."""
    nodes = lexicode(6)
    assert all((a ^ b).bit_count() >= 3 for a in nodes for b in nodes if a != b)
    assert all(min((a ^ b).bit_count() for b in nodes) < 3 for a in range(64))


@pytest.mark.parametrize("name", STUDIES)
@pytest.mark.parametrize("quick", [False, True])
def test_tasks_are_different_and_plain(name, quick):
    """A parameter list that JSON can hold, and no task twice."""
    study = STUDIES[name]
    tasks = study.tasks(study.parameters(quick))
    assert len({(task.name, str(task.arguments)) for task in tasks}) == len(tasks) > 0
    assert study.title and study.source


@pytest.mark.parametrize("name", ["lan-5.4", "lan-5.5", "lan-5.6", "lan-5.7"])
def test_figures_with_the_optimum_have_the_runs_of_the_text(name):
    """100 for each odd number of destinations; nothing is left out."""
    parameters = STUDIES[name].parameters(False)
    assert parameters["destinations"] == list(range(1, 64, 2))
    assert (parameters["runs"], parameters["dim"], parameters["left_out"]) == (100, 6, "")
    assert "optimal" in parameters["methods"]


def test_figure_5_3_has_the_runs_of_the_text():
    """1000 for each number of destinations."""
    parameters = STUDIES["lan-5.3"].parameters(False)
    assert (parameters["destinations"], parameters["runs"]) == (list(range(1, 64)), 1000)


@pytest.mark.parametrize("name", ["lan-uniform-8", "lan-decreasing-12"])
def test_large_cubes_say_what_is_left_out(name):
    """The optimum."""
    assert STUDIES[name].parameters(False)["left_out"].startswith("optimal, ")


@pytest.mark.parametrize("name", QUICK)
def test_results_have_curves_claims_and_a_plot(results, name):
    """All methods of a traffic study are curves; every claim has a verdict."""
    result = results[name]
    curves = {point.curve for point in result.points}
    if "methods" in result.parameters:
        assert curves <= set(METHODS)
        assert curves | {"optimal"} >= set(result.parameters["methods"])
    assert result.claims
    axes = checked(STUDIES[name], result)
    assert len(axes.get_legend_handles_labels()[0]) == len(axes.get_lines()) >= 3


@pytest.mark.parametrize("name", ["lan-5.4", "lan-5.6"])
def test_no_method_is_below_the_optimum(results, name):
    """At any point."""
    means = {(point.curve, point.x): point.mean for point in results[name].points}
    for (_, x), mean in means.items():
        assert x <= means["optimal", x] <= mean


def test_excess_is_traffic_minus_optimum(results):
    """The points of figures 5.4 and 5.5 are of the same runs."""
    traffic = {(point.curve, point.x): point.mean for point in results["lan-5.4"].points}
    for point in results["lan-5.5"].points:
        assert point.mean == pytest.approx(traffic[point.curve, point.x] - traffic["optimal", point.x])


def points_of(change):
    """Return points of a 5-cube, their outcomes changed."""
    points = {}
    for count in (1, 4, 9, 16, 31):
        outcome = traffic_point(1, 5, 1.0, count, 20, METHODS)
        change(outcome)
        points[count] = TrafficPoint(outcome)
    return points


def worse(outcome):
    """Make the other methods look better than greedy."""
    outcome["below_greedy"]["broadcast"] = 3
    for name in ("mean", "min", "max"):
        outcome["above"]["greedy"]["spare"][name] -= 100
    outcome["traffic"]["one-to-one"]["mean"] *= 2


def test_claims_that_do_not_hold_are_said_to_differ():
    """With the amount; the same claims on the unchanged points hold."""
    for change, holds in ((lambda outcome: None, True), (worse, False)):
        points = points_of(change)
        claims = [
            greedy_least(points, "least", "text"),
            greedy_beats(points, "spare", "better", "text"),
            broadcast_beats_one_to_one(points, 33, 12, "beaten", "text"),
        ]
        # 200 comparisons without a loss are too few for "always"
        assert [claim.verdict for claim in claims] == (["open", "holds", "holds"] if holds else [ANY] * 3)
    assert claims[0].verdict == "differs by 0.075"
    assert claims[1].verdict.startswith("differs by ")
    assert claims[2].verdict.startswith("differs by ")


def test_one_to_one_messages_make_the_mean_distance():
    """5 x 16 / 31 for each destination, whatever their number; so a broadcast of 31 is as good as 12 of them."""
    measured = mean_distance(points_of(lambda outcome: None))
    low, high = measured.ends
    assert low < 80 / 31 < high
    assert measured.value == pytest.approx(80 / 31, rel=0.02)


def test_close_is_from_the_first_number_on_after_which_all_are():
    """At 31 of 31 nodes broadcast is exact; at 16 it is 31 against little more than 16."""
    claim = broadcast_is_close(points_of(lambda outcome: None), "close", "text")
    assert (claim.measured, claim.verdict) == (0, "holds")
    assert "k > 23, at k = 31; up to 10 taken as close, which it is from k = 31 on" in claim.claim
    points = points_of(lambda outcome: outcome["above"]["greedy"]["broadcast"].update(mean=6.2, std=0.0))
    claim = broadcast_is_close(points, "close", "text")
    assert (claim.measured, claim.verdict) == (pytest.approx(20), "differs by 10")


def test_lists_of_one_and_two_are_all_there_are():
    """31 and 465 in a 5-cube; one that is worse is enough for a difference."""
    outcome = few_point(1, 5)
    assert outcome == {"lists": 31 + 465, "worse": 0}
    assert optimal_for_few(outcome, "equal", "text").verdict == "holds"
    assert optimal_for_few({**outcome, "worse": 1}, "equal", "text").verdict == "differs by 0.00202"
