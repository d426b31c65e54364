"""The load network beside its golden twin."""

import pytest

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.packet.load_network import BENCH

CONFIGS = {
    "default": PacketConfig(dim=2),
    "small": PacketConfig(dim=2, rows=2, max_words=5),
    "fixed": PacketConfig(dim=2, rows=3, max_words=4, routing="fixed"),
    "serial": PacketConfig(dim=2, link="serial", rows=2, max_words=3),
}


RUNS = {
    ("verilator", "default"): {},
    ("icarus", "small"): {},
    ("icarus", "fixed"): {},
}
"""Simulator and configuration; what is run."""

# A word takes 18 clocks.
LONGER = {("icarus", "serial"): {"clocks": 120}}
"""The same, only in make soak."""


@pytest.mark.parametrize(
    ("simulator", "name"),
    [*RUNS, *(pytest.param(*run, marks=pytest.mark.soak) for run in LONGER)],
    indirect=["simulator"],
)
def test_load_network(simulator, name):
    """Rounds of one, two and five packets per message, up to more than the network takes; all that is sent arrives."""
    report = lockstep(
        BENCH, CONFIGS[name], simulator=simulator, clocks=100_000, options=(RUNS | LONGER)[simulator, name]
    )
    assert report.finished


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 8))
@pytest.mark.parametrize("name", list(CONFIGS))
def test_load_network_soak(name, seed):
    """The same at length, with other seeds."""
    options = {"rounds": 12, "clocks": 1000}
    assert lockstep(BENCH, CONFIGS[name], clocks=2_000_000, seed=seed, options=options).finished
