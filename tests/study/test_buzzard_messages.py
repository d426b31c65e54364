"""Figures 4.6 to 4.27 of Buzzard 1988: traffic, machines, runs, curves; and claims that can go both ways."""

import re
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from cubecast.study.buzzard import conclusion_claims, flooded_claims, load_claims
from cubecast.study.buzzard.comparisons import (
    claim_within,
    farthest,
    greatest,
    least,
    link_pairs,
    overall,
    ratios,
    routing_pairs,
    transport_pairs,
)
from cubecast.study.buzzard.machines import MACHINES
from cubecast.study.buzzard.message_claims import RULES, figures_beside, message_claims
from cubecast.study.buzzard.message_figures import FIGURES
from cubecast.study.buzzard.message_run import Sample, ideal_utilisation, message_run, run_tasks
from cubecast.study.executor import local_executor
from cubecast.study.registry import all_studies
from cubecast.study.run import run_study
from cubecast.study.statistics import summarise
from cubecast.study.store import Store
from cubecast.study.transport.machine import Machine
from cubecast.study.transport.traffic import Messages

STUDIES = {name: study for name, study in all_studies().items() if name.startswith("buzzard-4.")}

DOCS = Path(__file__).resolve().parents[2] / "docs" / "studies"

SECTION = "Buzzard 1988, section 4.4.2"


def test_every_figure_is_a_study():
    """In the order of the source; those of small messages also with slow circuits."""
    figures = [f"buzzard-4.{number}" for number in range(6, 28)]
    assert list(STUDIES)[:22] == figures
    assert set(list(STUDIES)[22:]) == {f"buzzard-4.{number}-setup-40" for number in (6, 13, 14, 21, 22, 23)}


@pytest.mark.parametrize(
    ("figure", "caption"),
    [
        ("4.8", "flooded, len = nor(512,256), dest = uni()"),
        ("4.13", "flooded, len = 16, dest = dpf(0.2)"),
        ("4.19", "freq = exp(24486), len = exp(8192), dest = uni()"),
        ("4.27", "freq = 80, len = nor(16,8), dest = uni()"),
    ],
)
def test_captions_are_those_of_the_source(figure, caption):
    """Flooded is a message every 50 ticks."""
    assert STUDIES[f"buzzard-{figure}"].title == caption
    traffic = FIGURES[figure].traffic(7)
    assert (traffic.dim, traffic.messages) == (6, 7)
    assert traffic.every == ("50" if caption.startswith("flooded") else FIGURES[figure].every)


def test_machines_are_those_of_figure_4_5():
    """Twelve names, 1, 1 and 40 ticks."""
    assert " ".join(MACHINES) == "DTFU DTFB DTAU DTAB CSFU CSFB CSAU CSAB DCFU DCFB DCAU DCAB"
    assert MACHINES["DTFU"] == Machine("datagram", False, False, 1, 1, 40)
    assert MACHINES["CSAB"] == Machine("circuit", True, True, 1, 1, 40)
    assert MACHINES["DCFB"] == Machine("cut-through", False, True, 1, 1, 40)


def test_slow_circuits_differ_in_one_thing():
    """The ticks for a link of a circuit; what is compared with is as slow."""
    slow = STUDIES["buzzard-4.6-setup-40"]
    setups = {name: machine.setup for name, machine in slow.machines.items()}
    assert setups == {name: 40 if name.startswith("CS") else 1 for name in MACHINES}
    parameters = slow.parameters(False)
    others = [task for task in slow.tasks(parameters) if task not in STUDIES["buzzard-4.6"].tasks(parameters)]
    assert len(others) == 3 * 4 * parameters["replications"]
    assert {task.arguments["machine"]["transport"] for task in others} == {"circuit"}


def test_machines_get_the_same_messages():
    """Which depend on seed and replication."""
    traffic = FIGURES["4.15"].traffic(3)
    first, second = ([*run_tasks(traffic, MACHINES[name], 2)] for name in ("DTFU", "CSAB"))
    outcomes = [message_run(1, **task.arguments) for task in (*first, *second)]
    keys = [(outcome["ideal"], outcome["longest"]) for outcome in outcomes]
    assert keys[0] == keys[2] != keys[1] == keys[3]
    assert outcomes[0]["last"] != outcomes[2]["last"]
    assert message_run(1, **first[0].arguments) == outcomes[0] != message_run(2, **first[0].arguments)
    assert outcomes[0]["last"]["runs"] == 3 * 64
    assert outcomes[0]["buffered"] > 0 == outcomes[2]["buffered"]


def test_ideal_utilisation_counts_hops_and_bytes():
    """2 x (1 x 10 + 3 x 20) of the 24 links of a 3-cube for 100 ticks."""
    messages = Messages(3, *(np.array(row) for row in ([40, 100], [0, 0], [4, 7], [10, 20])))
    assert ideal_utilisation(messages, 2) == pytest.approx(2 * 70 / (24 * 100))


def test_under_way_is_the_mean_number_of_messages():
    """Sum of the times by the time that all takes, for one message every so often less than one."""
    arguments = {"dim": 1, "messages": 4, "every": "1000", "length": "99", "destination": "uni()"}
    machine = {"transport": "datagram", "setup": 1, "byte": 1}
    outcome = message_run(1, arguments, machine, 0)
    assert outcome["last"]["mean"] == 100
    assert outcome["under_way"] == pytest.approx(8 * 100 / 4100)


def made_up(mean, **values):
    """Return an outcome."""
    times = {"mean": mean, "std": 1.0, "min": mean / 2, "max": values.pop("longest_time", 2 * mean), "runs": 640}
    return {"first": times, "last": times, "ideal": 0.5, "under_way": 100.0, "buffered": 0, "longest": 100} | values


def test_pooled_is_the_summary_of_all_messages():
    """Of runs of equal size."""
    runs = [[1.0, 2.0, 6.0], [4.0, 4.0, 1.5]]
    sample = Sample([{"first": {}, "last": summarise(run).to_json()} for run in runs])
    pooled, whole = sample.pooled(), summarise([*runs[0], *runs[1]])
    assert (pooled.mean, pooled.std) == (pytest.approx(whole.mean), pytest.approx(whole.std))
    assert (pooled.min, pooled.max, pooled.runs) == (1.0, 6.0, 6)


def test_pairs_differ_in_one_thing():
    """Transport, links or routing."""
    assert transport_pairs("CS", "DT", links="B") == [("CSFB", "DTFB"), ("CSAB", "DTAB")]
    assert link_pairs(["CS"]) == [("CSFU", "CSFB"), ("CSAU", "CSAB")]
    assert routing_pairs(["DC"]) == [("DCFU", "DCAU"), ("DCFB", "DCAB")]
    assert len(link_pairs()) == len(routing_pairs()) == 6


def test_ratios_are_of_the_same_run():
    """Never of means over runs."""
    samples = {"a": Sample([made_up(10.0), made_up(30.0)]), "b": Sample([made_up(5.0), made_up(60.0)])}
    named = ratios(samples, [("a", "b"), ("b", "a")])
    assert named["a/b"].tolist() == [2.0, 0.5]
    assert overall(named) == pytest.approx([1.0, 1.0])
    named["c"] = np.array([0.3, 0.3])
    assert least(named)[0] == farthest(named, 1.0)[0] == "c"
    assert greatest(named)[0] in ("a/b", "b/a")


def test_within_has_two_sides():
    """And says by how much a limit is missed."""
    verdicts = [claim_within("t", "s", np.array([x, x]), 1.0, 2.0).verdict for x in (0.75, 1.0, 2.0, 2.5)]
    assert verdicts == ["differs by 0.25", "holds", "holds", "differs by 0.5"]
    assert claim_within("t", "s", np.array([0.9, 1.2]), 1.0, 2.0).verdict == "open"


def samples_of(factors, **values):
    """Return samples of all machines: times of 100 ticks, multiplied where a pattern of names says so."""
    samples = {}
    for name in MACHINES:
        mean = 100.0
        for pattern, factor in factors.items():
            mean *= factor if re.fullmatch(pattern, name) else 1.0
        samples[name] = Sample([made_up(mean, **values), made_up(1.01 * mean, **values)])
    return samples


SLOW_CIRCUIT = {"CS..": 3.0}

CASES = {
    flooded_claims.flooded: ({}, {}, {"under_way": 70}, {"under_way": 60}),
    flooded_claims.cut_through_like_datagram: ({"DC..": 0.95}, {"DCFB": 0.8}),
    flooded_claims.circuit_worse: (SLOW_CIRCUIT, {"CS..": 3.0, "DTAU": 2.8}),
    flooded_claims.circuit_worst_when_small: (SLOW_CIRCUIT, {"CS..": 0.5}),
    flooded_claims.normal_like_fixed: ({"DT..": 1.05}, {"CSAB": 1.2}),
    flooded_claims.normal_unlike_exponential: ({"CSAB": 1.2}, {"DT..": 1.05}),
    flooded_claims.doubled: ({"...U": 2.4}, {"...U": 2.4, "CSAU": 0.6}),
    flooded_claims.doubled_most_when_small: ({"...U": 2.4}, {"...B": 2.4}),
    flooded_claims.adaptive_marginal: ({"..A.": 0.95}, {"DCAU": 0.8}),
    flooded_claims.adaptive_harmful: ({"D.A.": 1.3}, {"DCA.|CSAU": 1.3}),
    flooded_claims.adaptive_worst_for_circuit: ({"CSA.": 1.3}, {"DTA.": 1.3}),
    flooded_claims.circuit_better_with_locality: ({"CS..": 0.8}, SLOW_CIRCUIT),
    flooded_claims.circuit_better_with_bidirectional_links: ({"CS.B": 0.8}, {"CS.U": 0.8}),
    flooded_claims.circuit_better_when_tight: ({"CS..": 0.8}, SLOW_CIRCUIT),
    load_claims.adaptive_useful: ({"..A.": 0.9}, {"..A.": 1.1}),
    load_claims.adaptive_small: ({"DCA.": 0.5}, {"D.AU|..AB": 0.8}),
    load_claims.adaptive_circuit_harmful: ({"CSA.": 1.1}, {"CSAU": 1.1, "CSAB": 0.9}),
    load_claims.circuit_approaches_cut_through: ({"CS..": 1.1}, SLOW_CIRCUIT),
    load_claims.circuit_poor_when_small: (SLOW_CIRCUIT, {"CS..": 3.0, "DCFU": 2.8}),
    load_claims.circuit_poor_with_unidirectional_links: ({"CS.U": 1.5}, {"CS.B": 1.5}),
    load_claims.maxima_of_circuit_less: ({"CS..": 0.8, "CSAB": 2.0}, {"CS..": 0.8, "CS.B": 2.0}),
    load_claims.datagram_trails: ({"DT..": 1.5}, {"DT..": 1.5, "CS..": 2.0}),
    load_claims.circuit_sensitive_to_bursts: (SLOW_CIRCUIT, {"....": 2.0}),
    load_claims.circuit_sensitive_to_onset: (SLOW_CIRCUIT, {"....": 2.0}),
    conclusion_claims.cut_through_pays: ({"DT..": 1.5}, {"DT..": 1.5, "DCAU": 1.4}),
    conclusion_claims.links_gain_more_than_routing: ({"...U": 2.0, "..F.": 1.1}, {"...U": 2.0, "..F.": 1.9}),
    conclusion_claims.adaptive_helps_datagrams: ({"DTF.": 1.5, "CSF.": 0.5}, {"DTF.": 1.5, "DCFB": 0.9}),
    conclusion_claims.adaptive_helps_bidirectional_datagrams: ({"D.FB": 1.5}, {"D.FU": 1.5}),
    conclusion_claims.adaptive_harms_small: ({"..A.": 1.1}, {"..A.": 0.9}),
    conclusion_claims.adaptive_harms_small_unidirectional: ({"..AU": 1.1}, {"..AB": 1.1}),
    conclusion_claims.adaptive_harms_unidirectional_circuit: ({"CSAU": 1.1}, {"CSAU": 0.9}),
    conclusion_claims.buffers_of_many_messages: ({}, {}, {"buffered": 501}, {"buffered": 499}),
    conclusion_claims.buffers_under_light_load: ({}, {}, {"buffered": 120_000}, {"buffered": 160_000}),
    conclusion_claims.buffers_under_heavy_load: ({}, {}, {"buffered": 210_000}, {"buffered": 190_000}),
}
"""Factors and values with which a claim holds, and with which it does not; figures beside have neither."""


def test_cases_are_all_claims():
    """And each rule says what figures it needs."""
    assert {rule.make for rule in RULES} == set(CASES)
    assert figures_beside("4.6") == ["4.7", "4.9"]
    assert figures_beside("4.7") == []
    assert figures_beside("4.26") == ["4.22", "4.27"]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.make.__name__)
def test_claims_go_both_ways(rule):
    """By the times of the machines."""
    good, bad, *values = CASES[rule.make]
    plain = samples_of({})
    for figure in rule.figures:
        others = rule.others(figure)
        for factors, value, holds in zip((good, bad), values or ({}, {}), (True, False), strict=True):
            measured = dict.fromkeys(others, plain) | {figure: samples_of(factors, **value)}
            claim = rule.make(measured, figure, others)
            assert (claim.verdict == "holds") is holds, claim
            assert claim.interval[0] <= claim.measured <= claim.interval[1]
            assert claim.source == SECTION
            assert all(f"figure {other}" in claim.claim or f" {other}" in claim.claim for other in others)


@pytest.mark.parametrize("figure", FIGURES)
def test_claims_have_what_they_need(figure):
    """From the tasks of their study; every figure has a claim."""
    study = STUDIES[f"buzzard-{figure}"]
    parameters = study.parameters(False)
    tasks = study.tasks(parameters)
    assert len(tasks) == 12 * parameters["replications"] * (1 + len(figures_beside(figure)))
    assert len({str(task.arguments) for task in tasks}) == len(tasks)
    assert parameters["replications"] >= 5
    plain = samples_of({}, buffered=1)
    measured = dict.fromkeys([figure, *figures_beside(figure)], plain)
    assert message_claims(figure, measured)


def test_quick_result_has_a_bar_for_each_machine(tmp_path):
    """And what is needed of the figure beside it."""
    study = STUDIES["buzzard-4.10"]
    with local_executor(1) as executor, Store(tmp_path) as store:
        result = run_study(study, executor, store, quick=True, seed=1)
    assert [(point.curve, point.x) for point in result.points] == [(name, x) for x, name in enumerate(MACHINES)]
    for name, point in zip(MACHINES, result.points, strict=True):
        own = [task for task in study.tasks(result.parameters) if task.arguments["traffic"]["length"] != "8192"]
        runs = [task for task in own if task.arguments["machine"]["transport"] == MACHINES[name].transport]
        assert len(runs) == 8
        assert point.min <= point.mean <= point.max
        assert point.runs == 64 * result.parameters["messages per node"] * result.parameters["replications"]
    sample = Sample(
        [message_run(1, **task.arguments) for task in run_tasks(FIGURES["4.10"].traffic(8), MACHINES["CSFB"], 2)]
    )
    assert result.points[5].mean == sample.pooled().mean
    axes = Figure().subplots()
    study.draw(axes, result.parameters, result.points)
    assert [label.get_text() for label in axes.get_xticklabels()] == list(MACHINES)
    assert len(axes.get_legend_handles_labels()[0]) == 4
    heights = [bar.get_height() for bar in axes.patches[:12]]
    assert heights == [point.mean for point in result.points]
