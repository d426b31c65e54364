"""Equations 5.1 and 5.2, and figures 5.12 to 5.15 of Buzzard 1988: curves; and claims that can go both ways."""

import math
from fractions import Fraction
from pathlib import Path

import pytest

from cubecast.study.buzzard import packet_claims
from cubecast.study.buzzard.collisions import adaptive_probability, collision_point, fixed_probability
from cubecast.study.buzzard.machines import MACHINES, PACKET_TRANSPORTS, packet_machine
from cubecast.study.buzzard.message_run import Sample, message_run
from cubecast.study.buzzard.packet_loads import LONG, SHORT, every, load_traffic
from cubecast.study.buzzard.packet_study import PacketStudy
from cubecast.study.executor import local_executor
from cubecast.study.registry import all_studies
from cubecast.study.run import run_study
from cubecast.study.store import Store
from cubecast.study.transport.machine import Machine
from cubecast.study.verdict import Measured
from tests.study.results import checked

DOCS = Path(__file__).resolve().parents[2] / "docs" / "studies"

STUDIES = {name: study for name, study in all_studies().items() if name.startswith("buzzard-")}

FAMILIES = ["buzzard-5.14", "buzzard-eq5", "buzzard-buffers", "buzzard-packet-size", "buzzard-large"]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Quick results, one of each family."""
    with local_executor(1) as executor, Store(tmp_path_factory.mktemp("points")) as store:
        return {name: run_study(STUDIES[name], executor, store, quick=True, seed=1) for name in FAMILIES}


def test_probabilities_are_those_of_the_equations():
    """By all pairs of destinations of a 4-cube; equation 5.2 as printed is 16/15 of its probability."""
    pairs = [(first, second) for first in range(1, 16) for second in range(1, 16)]
    fixed = Fraction(sum(first & -first == second & -second for first, second in pairs), len(pairs))
    adaptive = Fraction(sum(second == first & -first for first, second in pairs), len(pairs))
    assert fixed_probability(4) == pytest.approx(float(fixed))
    assert adaptive_probability(4) == pytest.approx(float(adaptive * Fraction(16, 15)))
    assert adaptive == Fraction(1, 15)


def test_sampled_probabilities_are_those_of_all_pairs():
    """Within four deviations."""
    outcome = collision_point(1, 4, 20_000)
    for name, exact in (("fixed sampled", fixed_probability(4)), ("adaptive sampled", 1 / 15)):
        assert abs(outcome[name] / 20_000 - exact) < 4 * math.sqrt(exact * (1 - exact) / 20_000)


def with_outcomes(change):
    """Return the claims about the equations, their outcomes changed."""
    study = STUDIES["buzzard-eq5"]
    parameters = study.parameters(False)
    outcomes = []
    for dim in parameters["dims"]:
        exact = {"fixed": fixed_probability(dim), "adaptive": 1 / (2**dim - 1)}
        sampled = {f"{name} sampled": round(value * parameters["runs"]) for name, value in exact.items()}
        outcomes.append(change(dim, exact) | sampled)
    return study.evaluate(parameters, outcomes)[1]


def test_claims_about_the_equations_go_both_ways():
    """With the equations as they should be, as printed, and wrong."""
    right = with_outcomes(lambda dim, exact: exact)
    assert [claim.verdict == "holds" for claim in right] == [True, True, True, True, False]
    printed = with_outcomes(lambda dim, exact: exact | {"adaptive": adaptive_probability(dim)})
    assert printed[1].verdict == "differs by 0.995"
    assert printed[1].measured == 1.0
    wrong = with_outcomes(lambda dim, exact: {"fixed": exact["fixed"] + 0.01, "adaptive": 0.002})
    assert [claim.verdict == "holds" for claim in wrong] == [False, False, False, False, True]


def test_loads_are_those_of_the_text():
    """Two, three and three increases."""
    assert every(SHORT) == (1024, 1280, 1536, 2048, 2560, 3072, 5120, 7168, 9216)
    assert every(LONG) == (4096, 5120, 6144, 8192, 10240, 12288, 20480, 28672, 36864)
    assert load_traffic(SHORT, 1024, 7).every == "nor(1024,512)"
    assert load_traffic(SHORT, 1024, 7, variance=True).every == "nor(1024,22.6274)"


def test_machines_are_those_of_section_5_7():
    """2 ticks per byte, 4 for an arbitration."""
    assert packet_machine("wormhole") == Machine("wormhole", byte=2, setup=4)
    wanted = Machine("quasi-adaptive", byte=2, setup=4, packet=64, packets=13)
    assert packet_machine("quasi-adaptive", 13, 64) == wanted
    assert STUDIES["buzzard-5.14"].machines["13 x 64"] == wanted
    assert STUDIES["buzzard-5.15"].machines["26 x 32"] == Machine("quasi-adaptive", byte=2, setup=4, packets=26)
    assert [machine.transport for machine in STUDIES["buzzard-5.13"].machines.values()] == [
        "wormhole",
        "fixed-packet",
        "quasi-adaptive",
    ]


@pytest.mark.parametrize("name", [name for name, study in STUDIES.items() if "replications" in study.parameters(True)])
def test_quick_intervals_are_of_several_runs(name):
    """One run says nothing of its spread: the interval would be a point, and decide every claim."""
    assert STUDIES[name].parameters(True)["replications"] >= 2


def test_parameters_tell_how_packets_get_into_their_node():
    """So that files of studies that differ in nothing else can be told apart; it is what the machines do."""
    families = {name: study for name, study in STUDIES.items() if isinstance(study, PacketStudy)}
    told = {name: study.parameters(False) for name, study in families.items()}
    assert len({str(parameters) for parameters in told.values()}) == len(told)
    for name, study in families.items():
        packets = [machine for machine in study.machines.values() if machine.transport != "wormhole"]
        assert {machine.delivery for machine in packets} == {told[name]["delivery"]}


@pytest.mark.parametrize("name", ["buzzard-5.12", "buzzard-5.12-variance", "buzzard-5.13", "buzzard-5.15"])
def test_tasks_have_all_loads(name):
    """Of all machines and replications, and of the lengths beside."""
    study = STUDIES[name]
    parameters = study.parameters(False)
    tasks = study.tasks(parameters)
    assert len({str(task.arguments) for task in tasks}) == len(tasks)
    assert len(tasks) == 27 * parameters["replications"] * (1 + len(study.beside))
    assert parameters["replications"] >= 5
    assert (
        tasks[0].arguments["traffic"]["every"]
        == {
            "buzzard-5.12": "nor(1024,512)",
            "buzzard-5.12-variance": "nor(1024,22.6274)",
            "buzzard-5.13": "nor(4096,2048)",
            "buzzard-5.15": "nor(4096,2048)",
        }[name]
    )


@pytest.mark.parametrize(("name", "field"), [("buzzard-buffers", "packets"), ("buzzard-packet-size", "packet")])
def test_machines_have_the_value_across(name, field):
    """Each of two loads."""
    study = STUDIES[name]
    tasks = study.tasks(study.parameters(True))
    assert [getattr(Machine(**task.arguments["machine"]), field) for task in tasks[::2]] == [*study.across] * 2


def made_up(first, last):
    """Return two runs."""
    return Sample([{"first": {"mean": first * x}, "last": {"mean": last * x}} for x in (1.0, 1.02)])


def loads_of(**times):
    """Return loads of the three transports, all nine alike."""
    times = {"wormhole": (100.0, 200.0), "fixed": (40.0, 240.0), "quasi": (20.0, 220.0)} | times
    return {name.replace("quasi", "quasi-adaptive"): [made_up(*pair)] * 9 for name, pair in times.items()}


def test_percentages_are_held_against_the_printed_ones():
    """Five points off are allowed; ends of a range are the least and the greatest."""
    flat = [Measured(0.41, (0.4, 0.42), ("here",)), Measured(0.2), Measured(0.7)]
    assert packet_claims.percentage("x", flat[0], 37).verdict == "holds"
    assert packet_claims.percentage("x", flat[1], 29).verdict == "differs by 4 points"
    undecided = packet_claims.percentage("x", flat[0], 46)
    assert (undecided.verdict, undecided.places) == ("open", ("here",))
    low, high = packet_claims.percentage_range("x", flat, 22, 60)
    assert (low.measured, low.verdict) == (pytest.approx(20), "holds")
    assert (high.measured, high.verdict) == (pytest.approx(70), "differs by 5 points")


def test_bandwidth_is_of_the_time_after_the_first_packet():
    """100 ticks against 200."""
    assert packet_claims.bandwidth(loads_of(), "fixed", "wormhole")[0].value == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("claim", "good", "bad"),
    [
        (lambda loads: packet_claims.latency_below_half(loads, "fixed", 4), {}, {"fixed": (51.0, 240.0)}),
        (lambda loads: packet_claims.message_sooner(loads, "fixed", 3), {"fixed": (40.0, 199.0)}, {}),
        (packet_claims.better_than_fixed, {}, {"quasi": (39.0, 220.0)}),
        (packet_claims.bandwidth_suffices, {}, {"quasi": (20.0, 500.0)}),
        (
            lambda loads: packet_claims.more_than_for_short(loads, loads_of()),
            {"fixed": (50.0, 240.0)},
            {"fixed": (30.0, 240.0)},
        ),
        (
            lambda loads: packet_claims.less_than_for_short(loads, loads_of()),
            {"fixed": (30.0, 240.0)},
            {"fixed": (50.0, 240.0)},
        ),
    ],
)
def test_claims_about_packets_go_both_ways(claim, good, bad):
    """By the times of the three transports."""
    assert claim(loads_of(**good)).verdict == "holds"
    assert claim(loads_of(**bad)).verdict.startswith("differs by ")


def test_claims_about_the_heaviest_loads_are_about_all_of_them_only():
    """A bad one among them counts, a bad one beyond does not."""
    loads = loads_of(fixed=(40.0, 199.0))
    for claim in (packet_claims.latency_below_half, packet_claims.message_sooner):
        for place, holds in ((3, False), (4, True)):
            loads["fixed"] = (
                [made_up(40.0, 199.0)] * place + [made_up(60.0, 240.0)] + [made_up(40.0, 199.0)] * (8 - place)
            )
            assert (claim(loads, "fixed", 4).verdict == "holds") is holds


def sizes_of(many, long):
    """Return loads of the three sizes."""
    times = {"13 x 32": (100.0, 200.0), "26 x 32": many, "13 x 64": long}
    return {name: [made_up(*pair)] * 9 for name, pair in times.items()}


def test_claims_about_sizes_go_both_ways():
    """Length rather than number; enough buffers; whole messages; first packets at most loads and at the heaviest."""
    study = STUDIES["buzzard-5.14"]

    def verdicts(loads):
        """Return which of the claims hold."""
        return [claim.verdict == "holds" for claim in study.claims(loads, [])]

    assert verdicts(sizes_of((99.0, 195.0), (110.0, 180.0))) == [True, True, True, True, False]
    assert verdicts(sizes_of((99.0, 170.0), (95.0, 210.0))) == [False, False, False, False, True]
    mixed = sizes_of((99.0, 195.0), (110.0, 180.0))
    mixed["13 x 64"][0] = made_up(90.0, 180.0)
    assert verdicts(mixed) == [True] * 5
    assert len(STUDIES["buzzard-5.15"].claims(mixed, [])) == 3


def test_claims_about_buffers_go_both_ways():
    """Fewest that are enough, and sizes that are best."""
    buffers, sizes = STUDIES["buzzard-buffers"], STUDIES["buzzard-packet-size"]

    def verdicts(study, time):
        """Return which of the claims hold, with first and last times made of a number."""
        mine = {value: made_up(*time(value)) for value in study.across}
        return [claim.verdict == "holds" for claim in study.claims({"heavy": mine, "light": mine})]

    assert verdicts(buffers, lambda number: (1.0, 100.0 + 200 / number**1.5)) == [True, True, True]
    assert verdicts(buffers, lambda number: (1.0, 100.0)) == [False, True, True]
    assert verdicts(buffers, lambda number: (1.0, 100.0 + 500 / number)) == [True, False, False]
    assert verdicts(sizes, lambda size: (40.0 + size, 100 + 4000 / size)) == [True] * 4
    assert verdicts(sizes, lambda size: (1.0, size)) == [False] * 4


@pytest.mark.parametrize("name", FAMILIES)
def test_results_have_curves_claims_and_a_plot(results, name):
    """Every claim has a verdict, every curve a label."""
    result = results[name]
    assert result.claims
    axes = checked(STUDIES[name], result)
    curves = list(dict.fromkeys(point.curve for point in result.points))
    drawn = len(axes.get_legend_handles_labels()[0])
    assert drawn == (4 if name == "buzzard-large" else len(curves))


def test_curves_of_packets_are_first_and_last(results):
    """Of all machines, at one place for all, heaviest load first."""
    points = results["buzzard-5.14"].points
    places = {curve: [point.x for point in points if point.curve == curve] for curve in {p.curve for p in points}}
    assert set(places) == {
        f"{which} {size}" for which in ("first", "last") for size in ("13 x 32", "26 x 32", "13 x 64")
    }
    (line,) = {tuple(place) for place in places.values()}
    assert len(line) == 9
    assert line[0] == max(line)
    means = {(point.curve, point.x): point.mean for point in points}
    assert all(means[f"first{curve[4:]}", x] < mean for (curve, x), mean in means.items() if curve.startswith("last"))


def test_large_cube_has_all_machines(results):
    """Twelve, and the three of figure 5.12."""
    result = results["buzzard-large"]
    assert [point.curve for point in result.points] == result.parameters["machines"]
    assert len(result.points) == 15
    assert {point.runs for point in result.points} == {2 * 1024}
    tasks = STUDIES["buzzard-large"].tasks(result.parameters)
    assert {task.arguments["traffic"]["dim"] for task in tasks} == {10}
    machines = [Machine(**task.arguments["machine"]) for task in tasks]
    each = [*MACHINES.values(), *map(packet_machine, PACKET_TRANSPORTS)]
    assert machines == [machine for machine in each for _ in range(2)]
    (wormhole,) = (point for point in result.points if point.curve == "wormhole")
    runs = [message_run(1, **task.arguments)["last"]["mean"] for task in tasks[24:26]]
    assert wormhole.mean == pytest.approx(sum(runs) / 2)


def test_claims_about_the_large_cube_go_both_ways():
    """Cut-through, links, packets."""
    study = STUDIES["buzzard-large"]
    parameters = study.parameters(True)

    def verdicts(times):
        """Return which of the claims hold."""
        outcomes = []
        for name in parameters["machines"]:
            mean = times.get(name, times.get(name[:2], 100.0)) * (2.0 if name.endswith("U") else 1.0)
            summary = {"mean": mean, "std": 0, "min": 1, "max": 9, "runs": 5}
            outcomes += [{"first": summary, "last": summary}] * parameters["replications"]
        return [claim.verdict == "holds" for claim in study.evaluate(parameters, outcomes)[1]]

    assert verdicts({"DT": 300.0, "quasi-adaptive": 40.0}) == [True, True, True]
    assert verdicts({"DT": 110.0, "quasi-adaptive": 60.0}) == [False, True, False]
    assert verdicts({name: 50.0 for name in parameters["machines"] if name.endswith("U")})[1] is False
