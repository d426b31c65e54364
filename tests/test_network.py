"""The whole network beside its golden twin, with all links in view, and a scoreboard that neither side knows."""

from random import Random

import pytest

from cubecast.golden.config import Config
from cubecast.tb.lockstep import lockstep
from cubecast.tb.network import BENCH
from tests.corners import CORNERS

RUNS = {
    ("verilator", "default"): {"messages": 150},
    ("verilator", "source"): {"messages": 150},
    ("verilator", "lists"): {"messages": 80},
    ("icarus", "n2"): {"messages": 100},
    ("icarus", "fault_free"): {"messages": 50},
    ("icarus", "m1"): {"messages": 25, "malformed": 0.3},
    # One lane can deadlock: few messages at a time.
    ("icarus", "one_lane"): {"messages": 40, "load": 0.004, "malformed": 0.3},
}
"""Simulator and configuration (n = 3, but "lists" has n = 4 and "n2" n = 2); messages in each round."""


@pytest.mark.parametrize(("simulator", "name"), list(RUNS), indirect=["simulator"])
def test_network(simulator, name):
    """Rounds of all kinds of messages: no faults, faults that keep the rule, faults that break it.

    Every output of every router and every link agrees in every clock; every destination gets its message exactly
    once, or is reported; the routers' counters say the same.
    """
    options = RUNS[simulator, name]
    report = lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=60_000, options=options)
    assert report.finished


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 12))
@pytest.mark.parametrize(("simulator", "name"), [run for run in RUNS if "verilator" in run], indirect=["simulator"])
def test_network_soak(simulator, name, seed):
    """The same at length, with other seeds and more fault sets."""
    options = {"messages": 300, "rounds": ["none", *["rule", "broken"] * 6]}
    report = lockstep(
        BENCH,
        CORNERS[name],
        simulator=simulator,
        clocks=1_000_000,
        seed=seed,
        options=options,
        require_events=False,
        timeout=3600,
    )
    assert report.finished


def random_config(random):
    """Return any network of 4 or 8 nodes that cannot deadlock."""
    dim = random.choice((2, 2, 2, 3))
    max_dest = random.randint(1, 2**dim - 2)
    fault_tolerant = random.random() < 0.75
    return Config(
        dim=dim,
        max_dest=max_dest,
        max_list=random.randint(max_dest, 2**dim - 2),
        width=random.choice((dim, dim + 1, 8, 32, 65)),
        max_data=random.choice((0, 1, 2, 3, 7, 16)),
        fault_tolerant=fault_tolerant,
        source_field=fault_tolerant and random.random() < 0.4,
        lanes=random.randint((dim + 1) // 2 + 1, dim + 1),
        log_depth=random.choice((1, 2, 3, 16)),
    )


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(24))
def test_network_of_random_parameters_soak(seed):
    """No corner of the parameter space is special."""
    config = random_config(Random(seed))
    options = {"messages": 120, "rounds": ["none", "rule", "broken", "rule", "broken"]}
    report = lockstep(BENCH, config, clocks=1_000_000, seed=seed, options=options, require_events=False)
    assert report.finished
