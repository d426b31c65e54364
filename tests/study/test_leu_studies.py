"""The studies of Leu and Kuo: curves, plots, and each claim both ways."""

import copy
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from cubecast.study.executor import local_executor
from cubecast.study.leu.fault_claims import by_dimension, never_of, pooled
from cubecast.study.leu.fault_study import DIMS, fewer, half
from cubecast.study.leu.steps import means, single, slowdown, three_steps, twice_as_slow
from cubecast.study.leu.tree_point import tree_point
from cubecast.study.registry import all_studies
from cubecast.study.run import run_study
from cubecast.study.statistics import mean_interval
from cubecast.study.store import Store
from tests.study.results import checked

DOCS = Path(__file__).resolve().parents[2] / "docs" / "studies"

STUDIES = {name: study for name, study in all_studies().items() if name.startswith("leu-")}

CURVES = {
    "leu-success": ["sink", "exists", "fault-free", "optimal"],
    "leu-success-nodes": ["sink", "exists", "fault-free", "optimal"],
    "leu-steps": ["repaired", "detour"],
    "leu-steps-nodes": ["repaired", "detour"],
    "leu-lost": [f"{scheme}{what}" for scheme in ("printed", "commented", "repaired") for what in ("", ": merges")],
}


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """Quick results, and the outcomes that they come from, by dimension and number of faults."""
    results = {}
    with local_executor(1) as executor, Store(tmp_path_factory.mktemp("points")) as store:
        for name, study in STUDIES.items():
            result = run_study(study, executor, store, quick=True, seed=1)
            outcomes = [store.get(task, 1) for task in study.tasks(result.parameters)]
            results[name] = result, study.found(result.parameters, outcomes)
    return results


def verdicts(study, found, change=None):
    """Return which claims hold, after a change of a copy of the outcomes."""
    mine = copy.deepcopy(found)
    for (dim, faults), outcome in mine.items():
        if change is not None:
            change(dim, faults, outcome)
    return [claim.verdict == "holds" for claim in study.claims(mine)]


def test_every_study_is_here():
    """By name."""
    assert list(STUDIES) == list(CURVES)


@pytest.mark.parametrize("name", CURVES)
def test_results_have_curves_claims_and_a_plot(quick, name):
    """A curve for each dimension; every claim has a verdict and a source; every line a label or a colour."""
    result, found = quick[name]
    curves = {point.curve for point in result.points}
    assert curves == {f"{curve}, n = {dim}" for curve in CURVES[name] for dim in (3, 4, 5, 6)}
    assert len(result.points) == len(CURVES[name]) * len(found)
    assert all(claim.source.startswith("Leu and Kuo, ") for claim in result.claims)
    axes = checked(STUDIES[name], result)
    labels = axes.get_legend_handles_labels()[1]
    assert labels[:4] == [f"n = {dim}" for dim in (3, 4, 5, 6)]
    assert axes.get_xlabel().startswith("faulty links" if STUDIES[name].kind == "links" else "faulty nodes")
    assert len(axes.get_lines()) >= 8
    assert all(len(line.get_xdata()) for line in axes.get_lines() if line.get_label().startswith("_child"))


@pytest.mark.parametrize("name", CURVES)
def test_full_studies_go_to_n_10(name):
    """From one fault on, up to more than 2^(n-1) links; every dimension has the numbers that claims need."""
    parameters = STUDIES[name].parameters(False)
    assert parameters["dims"] == list(DIMS) == [3, 4, 5, 6, 8, 10]
    for dim, faults in zip(parameters["dims"], parameters["faults"], strict=True):
        assert faults == sorted(set(faults))
        assert faults[0] == 1
        if parameters["kind"] == "links":
            assert {half(dim) - 1, half(dim), 3 * half(dim) // 2} <= set(faults)
            assert 2 * half(dim) <= faults[-1] <= dim << dim - 1
        else:
            assert {2, 1 << dim - 3} <= set(faults) | {1}
            assert faults[-1] >= 1 << dim - 2
    assert all(len(faults) >= (6 if parameters["kind"] == "links" else 2) for faults in parameters["faults"])


def test_curves_are_shares_and_slowdowns(quick):
    """What the curves say is what the outcomes say."""
    result, found = quick["leu-success"]
    points = {(point.curve, point.x): point for point in result.points}
    for (dim, faults), outcome in found.items():
        assert points[f"sink, n = {dim}", faults].mean == outcome["sinks"] / outcome["patterns"]
        assert outcome["found"] <= outcome["exist"] <= outcome["patterns"]
        assert outcome["found"] <= outcome["optimal"] <= outcome["sinks"]
    result, found = quick["leu-steps"]
    points = {(point.curve, point.x): point for point in result.points}
    for (dim, faults), outcome in found.items():
        point = points[f"detour, n = {dim}", faults]
        assert point.mean == pytest.approx(outcome["detour"]["steps"]["mean"] / dim)
        assert point.mean >= points[f"repaired, n = {dim}", faults].mean >= 1
    result, found = quick["leu-lost"]
    points = {(point.curve, point.x): point for point in result.points}
    for (dim, faults), outcome in found.items():
        for scheme in ("printed", "commented", "repaired"):
            assert points[f"{scheme}, n = {dim}", faults].mean == outcome[scheme]["lost"]["mean"]
            merges = points[f"{scheme}: merges, n = {dim}", faults].mean
            assert merges == outcome[scheme]["incomplete"] / outcome["sinks"]


def test_plot_of_links_is_drawn_over_half_of_the_nodes(quick):
    """2^(n-1) faulty links are 1, N faulty nodes are 1."""
    for name, unit in (("leu-steps", 4), ("leu-steps-nodes", 8)):
        result, _ = quick[name]
        axes = Figure().subplots()
        STUDIES[name].draw(axes, result.parameters, result.points)
        first = [point for point in result.points if point.curve == "repaired, n = 3"]
        assert list(axes.get_lines()[0].get_xdata()) == [point.x / unit for point in first]
        assert list(axes.get_lines()[0].get_ydata()) == [point.mean for point in first]


def test_pooled_shares():
    """Sums over the points; nothing was sampled if all points have all patterns."""
    some = {(3, 1): {"a": 1, "b": 4, "all": True}, (3, 2): {"b": 6, "all": True}}
    assert (pooled(some, "a", "b").value, pooled(some, "a", "b").interval) == (0.1, None)
    some[4, 1] = {"a": 5, "b": 10, "all": False}
    share = pooled(some, "a", "b")
    assert share.value == 0.3
    assert 0.1 < share.interval[0] < 0.3 < share.interval[1] < 0.55
    assert share.places == ("n = 4, 1 faults",)
    each = by_dimension(some, "a", "b")
    assert {dim: (one.value, one.interval is None) for dim, one in each.items()} == {
        "n = 3": (0.1, True),
        "n = 4": (0.5, False),
    }
    assert never_of("t", "s", some, "a", "b").verdict == "differs by 0.3"


def test_fewer_faulty_links_are_below_half_of_the_nodes():
    """For each dimension."""
    found = {(3, 3): "a", (3, 4): "b", (4, 7): "c", (4, 8): "d", (10, 1): "e"}
    assert list(fewer(found).values()) == ["a", "c", "e"]


def all_succeed(dim, faults, outcome):
    """Take them for all patterns, and give each a sink and the best tree, which has faults from 2^(n-1) links on."""
    outcome["all"] = True
    outcome["sinks"] = outcome["optimal"] = outcome["patterns"]
    outcome["exist"] = outcome["found"] = outcome["patterns"] if faults < half(dim) else 0
    outcome["excess"] = 0


def all_fail(dim, faults, outcome):
    """Leave one sink only, and everywhere a fault-free tree that is not found."""
    outcome.update(sinks=1, optimal=0, found=0, exist=outcome["patterns"], excess=5)


def test_claims_about_sinks_and_trees_go_both_ways(quick):
    """All hold, or none."""
    for name in ("leu-success", "leu-success-nodes"):
        found = quick[name][1]
        assert set(verdicts(STUDIES[name], found, all_succeed)) == {True}
        assert set(verdicts(STUDIES[name], found, all_fail)) == {False}


def test_excess_is_that_of_the_trees_that_are_not_optimal(quick):
    """In the mean, of each dimension: five for each of them."""
    found = copy.deepcopy(quick["leu-success"][1])
    for (dim, faults), outcome in found.items():
        all_succeed(dim, faults, outcome)
    outcome = found[5, 1]
    outcome.update(optimal=outcome["sinks"] - 2, excess=10)
    claims = STUDIES["leu-success"].claims(found)[5:9]
    assert [f"n = {dim}: " in claim.claim for claim, dim in zip(claims, (3, 4, 5, 6), strict=True)] == [True] * 4
    assert [f"else {excess} more" in claim.claim for claim, excess in zip(claims, (0, 0, 5, 0), strict=True)] == [
        True
    ] * 4


def test_success_is_judged_by_dimension(quick):
    """That one dimension has better trees does not help another."""

    def change(dim, faults, outcome):
        all_succeed(dim, faults, outcome)
        if dim == 6:
            outcome["optimal"] = outcome["found"] = 0

    assert verdicts(STUDIES["leu-success"], quick["leu-success"][1], change)[5:] == [True, True, True, False] * 2


@pytest.mark.parametrize(
    ("at", "key", "where"),
    [
        (0, "sinks", lambda dim, faults: faults == half(dim) - 1 and dim == 5),
        (1, "sinks", lambda dim, faults: (dim, faults) == (3, 4)),
        (2, "sinks", lambda dim, faults: (dim, faults) == (5, 16)),
        (3, "sinks", lambda dim, faults: (dim, faults) == (6, 48)),
        (4, "exist", lambda dim, faults: (dim, faults) == (5, 16)),
    ],
)
def test_each_claim_about_sinks_looks_at_its_own_points(quick, at, key, where):
    """And no other claim at these."""

    def change(dim, faults, outcome):
        all_succeed(dim, faults, outcome)
        if where(dim, faults):
            outcome.update({key: 1} if key == "sinks" else {key: outcome["patterns"]})
        outcome["optimal"] = outcome["sinks"]

    assert verdicts(STUDIES["leu-success"], quick["leu-success"][1], change)[:5] == [place != at for place in range(5)]


def test_theorem_7_differs_at_n_3():
    """Nine patterns of four links, one at each node, leave no sink."""
    outcome = tree_point(1, 3, "links", 4, 1000)
    assert (outcome["all"], outcome["patterns"], outcome["sinks"]) == (True, 495, 495 - 9)
    claim = never_of("none", "theorem 7", {(3, 4): {**outcome, "without": 9}}, "without", "patterns")
    assert claim.verdict == "differs by 0.0182"


def steps_as_in_the_text(dim, faults, outcome):
    """Let every merge have one faulty stage, and take n + 1 steps, or n + 3 with detours."""
    count = outcome["sinks"]
    outcome.update(not_n_plus_k=0, faulty_stages=count, most_faulty=1, alone=0, troubled=count, crowded=0, all=True)
    for scheme, steps in (("repaired", dim + 1), ("detour", dim + 3)):
        outcome[scheme]["steps"].update(mean=steps, std=0, min=steps, max=steps)
    if (dim, faults) in ((6, 31), (6, 16)):
        outcome["detour"]["steps"]["mean"] = 2 * (dim + 1)
        outcome["faulty_stages"] = 8 * count / 3


def steps_as_in_no_text(dim, faults, outcome):
    """Let every merge take 5 n steps, everybody be alone, and all stages be faulty."""
    outcome.update(not_n_plus_k=1, faulty_stages=1, most_faulty=dim, alone=1, troubled=1, crowded=1)
    for scheme in ("repaired", "detour"):
        outcome[scheme]["steps"].update(mean=5 * dim, std=0, min=5 * dim, max=5 * dim)


def test_claims_about_steps_go_both_ways(quick):
    """All hold, or none."""
    for name in ("leu-steps", "leu-steps-nodes"):
        found = quick[name][1]
        assert verdicts(STUDIES[name], found, steps_as_in_the_text) == [True] * (9 + name.endswith("nodes"))
        assert set(verdicts(STUDIES[name], found, steps_as_in_no_text)) == {False}


def test_largest_slowdowns_are_found():
    """Of single merges and of means, in steps / n."""

    def outcome(mean, most):
        steps = {"mean": mean, "std": 1.0, "min": 3.0, "max": most, "runs": 50}
        return {"all": False, "sinks": 50, "faulty_stages": 40, "a": {"steps": steps}, "detour": {"steps": steps}}

    found = {(3, 1): outcome(4.5, 6.0), (4, 2): outcome(5.0, 10.0), (4, 5): outcome(6.2, 8.0)}
    claim = single("it is", found, "a", lambda steps, dim: steps > 2.4 * dim)
    assert "a share of the merges; largest steps / n: 2.5, at n = 4, 2 faults]" in claim.claim
    assert claim.verdict == f"differs by {1 / 150:.3g}"
    assert single("it is", found, "a", lambda steps, dim: steps > 2.5 * dim).verdict == "open"
    claim = means("it is", found, "a", 1.5)
    assert (claim.claim, claim.measured) == ("it is [largest mean of steps / n, at n = 4, 5 faults]", 1.55)
    assert claim.interval[1] - 1.55 == pytest.approx(1.55 - claim.interval[0])
    assert 0.06 < 1.55 - claim.interval[0] < 0.08
    assert claim.verdict == "open"
    assert means("it is", found, "a", 1.45).verdict == "differs by 0.1"
    assert slowdown(4, found[4, 2], "a").min == 0.75
    # (4.5 - 3 + 5 - 4 + 6.2 - 4) * 50 steps more in 3 * 40 stages
    assert three_steps(found).measured == pytest.approx(4.7 * 50 / 120)


def test_ratio_of_the_slowdowns(quick):
    """At the most faults of the largest cube; the whole interval is wanted within a tenth of 2."""
    found = copy.deepcopy(fewer(quick["leu-steps"][1]))
    last = found[6, 31]
    for mean, verdict in ((7.0, "differs by 0.8"), (14.0, "holds"), (15.4, "open"), (28.0, "differs by 1.8")):
        last["repaired"]["steps"].update(mean=7.0, std=0.0)
        last["detour"]["steps"].update(mean=mean, std=0.3)
        claim = twice_as_slow(found)
        assert claim.verdict == verdict
        assert claim.measured == pytest.approx(mean / 7)
        assert claim.interval[0] < claim.measured < claim.interval[1]
    assert "n = 6, 31 faults" in claim.claim
    last["repaired"]["steps"]["std"] = 0.3
    detour, repaired = (mean_interval(slowdown(6, last, scheme)) for scheme in ("detour", "repaired"))
    assert twice_as_slow(found).interval == (detour[0] / repaired[1], detour[1] / repaired[0])


def test_claims_about_losses_go_both_ways(quick):
    """Each scheme for itself."""
    study, found = STUDIES["leu-lost"], quick["leu-lost"][1]

    def nothing(dim, faults, outcome):
        outcome["all"] = True
        for scheme in ("printed", "commented", "repaired"):
            outcome[scheme].update(incomplete=0, hung=0)

    assert verdicts(study, found, nothing) == [True] * 6
    for at, scheme in enumerate(("printed", "commented", "repaired")):
        for place, key in ((at, "incomplete"), (at + 3, "hung")):

            def one(dim, faults, outcome, scheme=scheme, key=key):
                nothing(dim, faults, outcome)
                outcome[scheme][key] = int(faults == half(dim) - 1)

            def beyond(dim, faults, outcome, scheme=scheme, key=key):
                nothing(dim, faults, outcome)
                outcome[scheme][key] = int(faults == half(dim))

            assert verdicts(study, found, one) == [other != place for other in range(6)]
            assert verdicts(study, found, beyond) == [True] * 6
