"""The whole packet network beside its golden twin, all links in view, and a scoreboard that neither side knows."""

from random import Random

import pytest

from cubecast.golden.packet.contract.config import LINKS, ROUTINGS, PacketConfig
from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.packet.network import BENCH
from tests.packet.corners import CORNERS

RUNS = {
    ("verilator", "default"): {"messages": 250, "rounds": ["none", "faults", "live", "live"]},
    ("verilator", "serial"): {"messages": 60, "rounds": ["none", "faults", "live", "live"], "words": 4, "reset": 600},
    ("icarus", "fixed"): {"messages": 90},
    ("icarus", "fault_free"): {"messages": 150, "rounds": ["none"]},
    ("icarus", "least"): {"messages": 120},
    ("icarus", "least_serial"): {"messages": 60, "reset": 300},
}
"""Simulator and configuration (n = 3, of "least" n = 2); messages in each round."""

LONGER = {
    ("icarus", "triangle"): {"messages": 150, "rounds": ["none"]},
    ("icarus", "triangle_serial"): {"messages": 60, "rounds": ["none"], "reset": 300, "malformed": 0.2},
}
"""The same, only in make soak."""


@pytest.mark.parametrize(
    ("simulator", "name"),
    [*RUNS, *(pytest.param(*run, marks=pytest.mark.soak) for run in LONGER)],
    indirect=["simulator"],
)
def test_packet_network(simulator, name):
    """Rounds of unicasts of up to five packets and broadcasts: no faults, faults from the start, changing faults.

    Every output of every router and every link agrees in every clock; every packet arrives once, whole and in order,
    or the reports say what became of it; the routers' counters say the same; nothing remains.
    """
    report = lockstep(
        BENCH, CORNERS[name], simulator=simulator, clocks=200_000, options=(RUNS | LONGER)[simulator, name]
    )
    assert report.finished


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 8))
@pytest.mark.parametrize("name", list(CORNERS))
def test_packet_network_soak(name, seed):
    """The same at length, with other seeds and more fault sets."""
    options = {"messages": 200, "rounds": ["none", *["faults", "live"] * 6]}
    report = lockstep(
        BENCH, CORNERS[name], clocks=2_000_000, seed=seed, options=options, require_events=False, timeout=3600
    )
    assert report.finished


def random_config(random):
    """Return any network of 4 to 16 nodes."""
    dim = random.choice((2, 2, 3, 3, 4))
    routing, fault_tolerant = random.choice(ROUTINGS), random.random() < 0.75
    max_words = random.choice((1, 2, 3, 5, 15, 20))
    return PacketConfig(
        dim=dim,
        rows=random.choice((2, 2, 3, 5) if fault_tolerant or routing == "quasi-adaptive" else (1, 2, 3)),
        max_words=max_words,
        width=random.choice((dim + 4, 16, 20)),
        routing=routing,
        link=random.choice((LINKS[0], *LINKS)),
        fault_tolerant=fault_tolerant,
        fifo_depth=max_words + 3 + random.choice((0, 1, 7)),
        log_depth=random.choice((1, 16)),
    )


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(24))
def test_packet_network_of_random_parameters_soak(seed):
    """No corner of the parameter space is special."""
    config = random_config(Random(seed))
    options = {"messages": 100, "rounds": ["none", *["faults", "live"] * 2], "words": min(5, config.max_words)}
    report = lockstep(BENCH, config, clocks=2_000_000, seed=seed, options=options, require_events=False, timeout=3600)
    assert report.finished
