"""The packet router beside its golden twin."""

import pytest

from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.packet.router import BENCH
from tests.packet.corners import CORNERS

CLOCKS = {"serial": 20_000, "triangle_serial": 12_000, "least_serial": 8000, "least": 6000}
"""A packet takes many clocks on a serial line, and early ends of packets of one word are rare; otherwise 4000."""


@pytest.mark.parametrize(
    ("simulator", "name"),
    [
        ("verilator", "default"),
        ("verilator", "serial"),
        ("icarus", "triangle_serial"),
        ("icarus", "long"),
        ("icarus", "least"),
        ("icarus", "fixed"),
        ("icarus", "triangle"),
        ("icarus", "fault_free"),
        ("icarus", "least_serial"),
    ],
    indirect=["simulator"],
)
def test_packet_router(simulator, name):
    """Packets of every kind through every port, while neighbours and node stall and refuse, and faults come and go."""
    lockstep(BENCH, CORNERS[name], simulator=simulator, clocks=CLOCKS.get(name, 4000))


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 8))
@pytest.mark.parametrize("name", list(CORNERS))
def test_packet_router_soak(name, seed):
    """The same at length, with other seeds."""
    lockstep(BENCH, CORNERS[name], clocks=60_000, seed=seed)
