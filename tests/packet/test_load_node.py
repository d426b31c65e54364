"""The load node beside its golden twin."""

import pytest

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.packet.load_node import LoadNode
from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.packet.load_node import BENCH

CONFIGS = {
    "default": (PacketConfig(dim=6), 16),
    "fixed": (PacketConfig(dim=3, routing="fixed", max_words=4), 2),
    "wide": (PacketConfig(dim=2, width=40, max_words=31), 4),
    "large": (PacketConfig(dim=10, max_words=3), 2),
}
"""Configuration and messages of a queue."""


@pytest.mark.parametrize(
    ("simulator", "name"),
    [("verilator", "default"), ("verilator", "wide"), ("icarus", "fixed"), ("icarus", "large")],
    indirect=["simulator"],
)
def test_load_node(simulator, name):
    """Settings, stalls and packets of every kind."""
    config, queue = CONFIGS[name]
    lockstep(BENCH, config, simulator=simulator, clocks=8_000, extra={"queue": queue})


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 8))
@pytest.mark.parametrize("name", list(CONFIGS))
def test_load_node_soak(name, seed):
    """The same at length, with other seeds."""
    config, queue = CONFIGS[name]
    lockstep(BENCH, config, clocks=200_000, seed=seed, extra={"queue": queue})


@pytest.mark.parametrize(
    ("values", "queue", "message"),
    [
        ({"max_words": 2}, 16, "max_words must be an integer from 3 to 63 where load is measured, not 2"),
        ({"width": 15}, 16, "width must be an integer from 16 to 64 where load is measured, not 15"),
        ({}, 12, "queue must be a power of two, at least 2, not 12"),
        ({}, 1, "queue must be a power of two, at least 2, not 1"),
    ],
)
def test_what_it_cannot_be(values, queue, message):
    """Parameters that leave no room for what a packet carries are refused when it is made."""
    with pytest.raises(ValueError, match=message):
        LoadNode(PacketConfig(dim=3, **values), queue=queue)
