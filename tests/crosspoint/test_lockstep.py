"""The units of the crosspoint router beside their golden twins."""

import pytest

from cubecast.golden.common.contract.units import Requests
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.units import Crosspoint, Port, queue_shape
from tests.crosspoint.corners import CORNERS
from tests.harness.table import Line, at_length, check, params


def crosspoints(corner, *places):
    """Return crosspoints of a corner by name."""
    config = CORNERS[corner]
    return {f"{corner}_{i}_{j}": Crosspoint(router=config, input=i, output=j) for i, j in places}


def ports(*corners):
    """Return all links of some corners by name."""
    return {f"{name}_{j}": Port(router=CORNERS[name], port=j) for name in corners for j in range(CORNERS[name].dim)}


# Memories that are read at the edge, also those of queues that take one cycle.
AHEAD = CrosspointConfig(dim=2, width=8, depth=8, eject_depth=128, pause_limit=9, log_depth=3, memories="block")
QUEUES = {
    "down": queue_shape(CORNERS["default"], 2, 1),
    "up": queue_shape(CORNERS["default"], 0, 2),
    "least_queue": queue_shape(CORNERS["least"], 1, 0),
    "far_queue": queue_shape(CORNERS["far"], 1, 0),
    "inject": queue_shape(CORNERS["wide"], 4, 3),
    "eject": queue_shape(CORNERS["plain"], 1, 3),
    "queue_ahead": queue_shape(AHEAD, 1, 0),
}
BLOCKS = {
    "block": queue_shape(CORNERS["default"], 0, 3),
    "large_block": queue_shape(CORNERS["wide"], 3, 4),
    "block_ahead": queue_shape(AHEAD, 0, 2),
}
POINTS = {
    # Down, up, to the node, and from it.
    **crosspoints("default", (2, 1), (3, 2), (1, 0), (0, 2), (0, 1), (3, 3)),
    **crosspoints("least", (1, 0), (0, 1), (2, 2)),
    **crosspoints("plain", (2, 1), (3, 3)),
    **crosspoints("one_run", (3, 2), (2, 1), (3, 3)),
    # On both sides of the dimensions that a bitmap covers; two dimensions that none covers.
    **crosspoints("wide", (4, 3), (3, 2), (4, 2), (1, 2), (4, 4)),
    "tall_5_5": Crosspoint(router=CrosspointConfig(dim=5, width=8, depth=8, packet_limit=3), input=5, output=5),
}
ARBITERS = {f"of_{count}": Requests(count=count) for count in (2, 1, 3, 5, 10)}
# Run ends are there where a run can end: down, and from the node.
ENDS = tuple(name for name, point in POINTS.items() if point.input >= point.output)
PORTS = ports(*CORNERS)
LARGE = {
    # More dimensions than networks have that are simulated, and the widest words.
    "dim_7": CrosspointConfig(dim=7, link_regs=2, eject_depth=32, pause_limit=11),
    "dim_8": CrosspointConfig(dim=8, runs=1, width=16, eject_depth=16, pause_limit=12),
    "dim_10": CrosspointConfig(dim=10, eject_depth=16, pause_limit=13),
    "widest": CrosspointConfig(dim=3, width=512, eject_depth=16, pause_limit=14),
}
LOADS = {
    # Load nodes need wide words; in a 2-cube the shortest queues.
    "small_load": CrosspointConfig(dim=2, depth=4, packet_limit=2, eject_depth=4),
    "wide_load": CrosspointConfig(dim=4, width=16, depth=32, link_regs=1, eject_depth=256, pause_limit=9),
}

# tdata is wider than a word.
PADDED = CrosspointConfig(
    dim=2, width=9, depth=8, packet_limit=3, eject_depth=8, pause_limit=9, log_depth=3, counters=16
)

CONFIGS = {
    "ahead": AHEAD,
    "padded": PADDED,
    **LARGE,
    **LOADS,
    **CORNERS,
    **QUEUES,
    **BLOCKS,
    **POINTS,
    **ARBITERS,
    **PORTS,
}

SOME_PORTS = ("default_1", "default_0", "default_2", "least_0", "least_1", "plain_2", "one_run_0", "far_1", "wide_3")

# With the words of one reduction, of two, as further requesters.
REDUCING = ("default_1", {"reduce": 1})
BOTH = ("default_1", {"reduce": 2})

TABLE = {
    # Pushes and pops of all rates, from empty to full.
    "queue": Line(corners=tuple(QUEUES), icarus=("down", "queue_ahead"), cycles=4000, repeated_cycles=2500),
    "block_queue": Line(corners=tuple(BLOCKS), icarus=("block", "block_ahead"), cycles=16_000),
    # Headers of every kind, legal or not.
    "run_end": Line(whole=True, corners=ENDS, cycles=2000, repeated_cycles=1000),
    # The same, with over and turns of their own or any others.
    "next_set": Line(whole=True, corners=tuple(POINTS), cycles=2000, repeated_cycles=1000),
    # Requests of one to all; a lasting one waits for no more than all others.
    "matrix_arbiter": Line(corners=tuple(ARBITERS), cycles=3000, repeated_cycles=1000),
    # Packets of all requesters, a far end that opens and closes, a link that is cut at any time.
    "output": Line(
        corners=(REDUCING, BOTH, *SOME_PORTS), icarus=(SOME_PORTS[0], REDUCING), cycles=8000, repeated_cycles=6000
    ),
    "ejection": Line(corners=tuple(CORNERS), cycles=4000, repeated_cycles=1000),
    # Packets into one queue or several, cut in every moment.
    "input": Line(corners=SOME_PORTS, cycles=8000, repeated_cycles=2500),
    # Legal and illegal packets, too long ones, pauses.
    "injection": Line(corners=tuple(CORNERS), cycles=8000, repeated_cycles=5500),
    # Faults of one cycle and of many, at either end.
    "link_guard": Line(corners=("far", "wide"), cycles=3000, repeated_cycles=1000),
    # Registers in both directions.
    "link_pipe": Line(
        corners=(
            ("far_1", {"forward": True}),
            ("far_1", {"forward": False}),
            ("far_1", {"forward": True, "reduce": 1}),
            ("far_1", {"forward": False, "reduce": 2}),
        ),
        cycles=300,
    ),
    # Neighbours that heed the flags, a node that sends anything, faults at both ends of every link.
    "router": Line(
        corners=("default", "least", "plain", "one_run", "far", "wide", "ahead"),
        later=tuple(LARGE),
        icarus=("least", "ahead"),
        cycles=8000,
        repeated_cycles=2000,
        alone=True,
        core=("least",),
    ),
    # Packets of every kind, with stalls, pauses, faults that come and go, and a reset; every legal packet that nothing
    # ends comes once and whole to each of its destinations, and the network comes to rest.
    "network": Line(
        corners=("default", "least", "plain", "one_run", "far"),
        later=("wide",),
        icarus=("least",),
        cycles=100_000,
        ends=True,
        # Packets that come in while a link is cut are rare where queues are short.
        options={"plain": {"cycles": 1500}},
        alone=True,
        core=("least",),
        again=("least",),
    ),
    # The same through AXI ports, with reads and writes all the time.
    "axi_router": Line(corners=("padded",), cycles=6000, repeated_cycles=3000, alone=True),
    # Packets from every node, and reads and writes of all nodes at once.
    "axi_network": Line(corners=("padded",), icarus=(), cycles=4000, alone=True, core=(), again=("padded",)),
    "load_router": Line(corners=("small_load",), cycles=4000, repeated_cycles=1000),
    # Overload, until all has come.
    "load_network": Line(
        corners=("small_load",),
        icarus=(),
        later=("default", "plain", "wide_load"),
        cycles=20_000,
        ends=True,
        # A broadcast that stays one needs a node from which everybody can be reached.
        options={"default": {"rounds": 6}},
        alone=True,
    ),
}
"""Unit to what it is run with."""


@pytest.mark.parametrize(("simulator", "units", "corners"), params(TABLE), indirect=["simulator"])
def test_lockstep(simulator, units, corners):
    """All outputs agree in every cycle, and all events happen."""
    check("crosspoint", TABLE, CONFIGS, simulator, units, corners)


@pytest.mark.soak
@pytest.mark.parametrize(("simulator", "units", "corners"), at_length(TABLE), indirect=["simulator"])
def test_lockstep_up_to_the_limit(simulator, units, corners):
    """The same, not ended when all events have happened."""
    check("crosspoint", TABLE, CONFIGS, simulator, units, corners, margin=0)
