"""The units that all systems share, beside their golden twins."""

import pytest

from cubecast.golden.common.contract.load import LoadShape
from cubecast.golden.common.contract.units import Control, Requests
from cubecast.golden.multicast.contract.config import Config
from tests.harness.table import Line, at_length, check, params
from tests.multicast.corners import CORNERS

CONFIGS = {name: config.control for name, config in CORNERS.items()}
CONFIGS |= {"two": Requests(count=2), "five": Requests(count=5)}
# Counters that wrap within the run, and none; a narrow counter without log is the routers' corner "latency2_n2".
CONFIGS["wraps"] = Control(dim=2, fault_tolerant=True, log_depth=3, lanes=2, units=5, counter_bits=8)
CONFIGS["long_log"] = Control(dim=2, fault_tolerant=True, log_depth=256, lanes=2, units=5)
CONFIGS["no_counters"] = Control(dim=2, fault_tolerant=True, log_depth=2, lanes=2, units=5, counter_bits=0)
# No register but those of the links.
CONFIGS["least"] = Control(dim=2, fault_tolerant=True, log_depth=0, lanes=2, units=5, counter_bits=0)

# More units than five bits can number.
CONFIGS["n7"] = Config(dim=7).control

CONFIGS |= {
    # As beside crosspoint routers: two runs, bitmaps; one run, and no lists, but longer packets than there; in a 7-cube
    # lists of four blocks.
    "load_two_runs": LoadShape(
        dim=3, width=32, packet_limit=5, block_dims=3, runs=2, multicast=True, tables=True, bitmaps=True
    ),
    "load_plain": LoadShape(dim=3, width=64, packet_limit=130, block_dims=3, multicast=False),
    "load_blocks": LoadShape(dim=7, width=32, packet_limit=5, block_dims=5, tables=True, bitmaps=True),
    # As beside packet routers: a list is messages to one node each; short numbers.
    "load_singles": LoadShape(dim=2, width=12, packet_limit=14, block_dims=0, tables=True, lead=2),
    # As beside multicast routers: a list is one block.
    "load_whole": LoadShape(dim=5, width=32, packet_limit=16, block_dims=5, lead=1),
}

TABLE = {
    # Requests at random, from one requester to all.
    "arbiter": Line(corners=("two", "five"), icarus=("two", "five"), cycles=3000, repeated_cycles=1000),
    # Reads and writes side by side, of every kind; masters that take their time.
    "axi_control": Line(corners=("default", "n2", "fault_free", "latency2_n2"), cycles=5000, repeated_cycles=2000),
    # Reads, writes, events, reports and neighbours that take links down, at random.
    "control_port": Line(
        corners=(
            *("default", "n2", "fault_free", "one_lane", "wraps", "no_counters", "least"),
            *("long_log", "latency2_n2", "block"),
        ),
        icarus=("default", "block"),
        cycles=6000,
        repeated_cycles=1000,
    ),
    # Traffic of every kind, a router that stalls, and packets that are not whole.
    "load_node": Line(
        corners=("load_two_runs", "load_plain", "load_blocks", "load_singles", "load_whole"),
        icarus=("load_two_runs",),
        cycles=6000,
    ),
    # Reports of all units at random.
    "report_collector": Line(whole=True, corners=("default", "n2", "one_lane", "n5"), later=("n7",)),
    # Reports at random, also when two are stored.
    "report_queue": Line(corners=("default",), cycles=3000, repeated_cycles=1000),
}
"""Unit to what it is run with."""


@pytest.mark.parametrize(("simulator", "units", "corners"), params(TABLE), indirect=["simulator"])
def test_lockstep(simulator, units, corners):
    """All outputs agree in every cycle, and all events happen."""
    check("common", TABLE, CONFIGS, simulator, units, corners)


NEAR_END = {
    "control_port": Line(corners=("default", "block"), benches=("NEAR_END",), cycles=6000),
    "load_node": Line(corners=("load_two_runs", "load_singles"), benches=("NEAR_END",), cycles=6000),
}
"""Units whose counters begin near the end of their range, and come to it."""


@pytest.mark.parametrize("simulator", ["verilator"], indirect=True)
@pytest.mark.parametrize("unit", NEAR_END)
def test_counters_near_their_end(simulator, unit):
    """All outputs agree beyond it."""
    check("common", NEAR_END, CONFIGS, simulator, (unit,), (NEAR_END[unit].corners,))


@pytest.mark.soak
@pytest.mark.parametrize(("simulator", "units", "corners"), at_length(TABLE), indirect=["simulator"])
def test_lockstep_up_to_the_limit(simulator, units, corners):
    """The same, not ended when all events have happened."""
    check("common", TABLE, CONFIGS, simulator, units, corners, margin=0)
