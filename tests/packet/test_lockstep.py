"""The units of the packet router beside their golden twins."""

import pytest

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.unruled import UnruledConfig
from tests.harness.table import Line, at_length, check, check_soak, params, soak_params
from tests.packet.corners import CORNERS

CONFIGS = CORNERS | {
    "small": PacketConfig(dim=3, rows=3, max_words=4),
    "most": PacketConfig(dim=10, rows=3, max_words=2, width=32),
    "most_serial": PacketConfig(dim=10, rows=3, max_words=2, width=32, link="serial"),
    "broad": PacketConfig(dim=3, width=32),
    "no_rule": UnruledConfig(dim=3, rows=2, max_words=4, contrary_rule=False),
    "cube_6": PacketConfig(dim=6),
    # No row number is left over, and more rows than sixteen.
    "rows_16": PacketConfig(dim=3, rows=16),
    "rows_32": PacketConfig(dim=3, rows=32),
    "rows_20": PacketConfig(dim=3, rows=20),
    "rows_64": PacketConfig(dim=3, rows=64, max_words=4),
    "cube_10": PacketConfig(dim=10),
    "wide": PacketConfig(dim=2, width=40, max_words=63),
    "fixed_load": PacketConfig(dim=3, routing="fixed", max_words=4),
    "large": PacketConfig(dim=10, max_words=3),
    "square": PacketConfig(dim=2),
    "block": PacketConfig(dim=2, rows=2, max_words=3, memories="block"),
    "square_small": PacketConfig(dim=2, rows=2, max_words=5),
    "square_fixed": PacketConfig(dim=2, rows=3, max_words=4, routing="fixed"),
    "square_serial": PacketConfig(dim=2, link="serial", rows=2, max_words=3),
}

PARALLEL = tuple(name for name in CORNERS if "serial" not in name)

TABLE = {
    # All inputs at random.
    "arbiter_cell": Line(corners=("default",)),
    # Packets of every kind from every node, and reads and writes of all nodes at once.
    "axi_network": Line(corners=("least",), icarus=(), cycles=4000, alone=True, core=(), again=("least",)),
    # Packets of every kind through every port, reads and writes all the time.
    "axi_router": Line(corners=("least",), cycles=7000, alone=True),
    # Writes and reads at random, many of the same word in the same cycle.
    "buffer_ram": Line(
        corners=(
            *(("default", {"count": 5}), ("default", {"count": 2}), ("least", {"count": 2})),
            *(("triangle", {"count": 1}), ("long", {"count": 5}), ("most", {"count": 2})),
        ),
        cycles=4000,
        repeated_cycles=1000,
    ),
    # Packets of every kind, malformed and broken ones, a crossbar that grants as it likes, cut links and resets.
    "buffer_unit": Line(
        corners=("small", "default", "least", "triangle", "fault_free", "long", "most"),
        cycles=15_000,
        repeated_cycles=5000,
    ),
    # Loads, rewrites and frees at random and all together, from an empty CAM to a full one.
    "cam": Line(
        corners=("default", "least", "fixed", "triangle", "long", "rows_20"),
        later=("rows_16", "rows_32"),
        cycles=8000,
        repeated_cycles=1500,
    ),
    # All requesters ask for random outputs; outputs stall, refuse and are cut.
    "crossbar": Line(
        corners=("default", "least", "fixed", "triangle", "fault_free", "long"), cycles=4000, repeated_cycles=2000
    ),
    # Requesters that withdraw and pause, a receiver that closes and refuses, a link that is cut.
    "crossbar_output": Line(
        corners=(
            *(("default", {"count": 4, "local": False}), ("default", {"count": 3, "local": True})),
            *(("least", {"count": 3, "local": False}), ("least", {"count": 1, "local": True})),
            *(("long", {"count": 1, "local": False}), ("triangle", {"count": 2, "local": False})),
            *(("most", {"count": 3, "local": False}), ("broad", {"count": 5, "local": False})),
        ),
        cycles=6000,
        repeated_cycles=1000,
    ),
    # Packets, whole and broken, with gaps, holds, refusals and resets in every moment.
    "deserializer": Line(
        corners=("serial", "least_serial", "triangle_serial", "long", "most_serial"),
        cycles=25_000,
        repeated_cycles=15_000,
    ),
    # Packets of every kind, malformed and broken ones, with links that are cut and resets.
    "input_controller": Line(
        corners=("default", "least", "triangle", "fault_free", "long", "no_rule", "most"),
        cycles=10_000,
        repeated_cycles=6000,
    ),
    # Overload of load nodes of all routers, until all has come.
    "loaded_network": Line(
        corners=("square_fixed",),
        core=(),
        icarus=(),
        later=("square_small", "square_serial"),
        cycles=40_000,
        ends=True,
        # A word takes 18 cycles.
        options={"square_fixed": {"cycles": 100}, "square_serial": {"cycles": 40}},
        alone=True,
    ),
    # Traffic of every kind, links that stall.
    "load_router": Line(corners=("square_small",), cycles=3000, alone=True),
    # Settings, stalls and packets of every kind.
    "load_node": Line(
        corners=(
            *(("cube_6", {"queue": 16}), ("wide", {"queue": 4})),
            *(("fixed_load", {"queue": 2}), ("large", {"queue": 2})),
        ),
        icarus=(("fixed_load", {"queue": 2}),),
        cycles=8000,
        repeated_cycles=1000,
        told=False,
        soak={"": 100_000},
    ),
    # Rounds of one, two and five packets per message, up to more than the network takes; all that is sent arrives.
    "load_network": Line(
        corners=("square_small", "square", "square_fixed"),
        later=("square_serial",),
        icarus=(),
        cycles=100_000,
        ends=True,
        # A word takes 18 cycles.
        options={"square_serial": {"cycles": 120}},
        alone=True,
        core=("square_small",),
        again=("square_small",),
    ),
    # Rounds of unicasts of up to five packets and broadcasts: no faults, faults from the start, changing faults. Every
    # link agrees in every cycle; every packet arrives once, whole and in order, or the reports say what became of it;
    # the routers' counters say the same; nothing remains.
    "network": Line(
        corners=("default", "serial", "fixed", "fault_free", "least", "least_serial"),
        later=("triangle", "triangle_serial"),
        icarus=("least",),
        cycles=200_000,
        ends=True,
        options={
            "default": {"messages": 120, "rounds": ["none", "faults", "live", "live"]},
            "serial": {"messages": 40, "rounds": ["none", "faults", "live", "live"], "words": 4, "reset": 600},
            "fixed": {"messages": 60},
            "fault_free": {"messages": 90, "rounds": ["none"]},
            "least": {"messages": 80},
            "least_serial": {"messages": 60, "reset": 300},
            "triangle": {"messages": 150, "rounds": ["none"]},
            "triangle_serial": {"messages": 60, "rounds": ["none"], "reset": 300, "malformed": 0.2},
        },
        longer={
            "default": {"messages": 250},
            "serial": {"messages": 60},
            "fixed": {"messages": 90},
            "fault_free": {"messages": 150},
            "least": {"messages": 120},
        },
        alone=True,
        core=("least",),
        again=("default",),
    ),
    # Every combination of inputs that can be, or many where there are too many.
    "next_port": Line(corners=("default", "least", "long", "cube_10"), icarus=("least",), cycles=70_000),
    # Packets as close together as the crossbar sends them, and a node that stalls until the FIFO is full.
    "node_input_port": Line(
        corners=("default", "least", "triangle", "fault_free", "block", "most"),
        icarus=("default", "block"),
        cycles=5000,
        repeated_cycles=3500,
    ),
    # Packets of every kind for one slot or several, mixed; grants, refusals, detours and faults at any time.
    "node_output_port": Line(whole=True, corners=(*PARALLEL, "broad"), cycles=5000),
    # Packets of any length, complete or not, one after the other; stops, stalls and resets in every moment.
    "output_controller": Line(
        corners=(
            *(("default", {"rows": 13}), ("default", {"rows": 2}), ("least", {"rows": 2})),
            *(("triangle", {"rows": 1}), ("long", {"rows": 5}), ("most", {"rows": 3})),
        ),
        cycles=10_000,
        repeated_cycles=4000,
    ),
    # Packets of every kind are loaded, sent, refused and sent again, detoured, or dropped.
    "output_slot": Line(corners=(*PARALLEL, "most"), cycles=6000, repeated_cycles=4500),
    # Packets of every kind through every port, while neighbours and node stall and refuse, and faults come and go.
    "router": Line(
        corners=(*CORNERS, "block"),
        icarus=("least", "block"),
        # A packet takes many cycles on a serial line; early ends of packets of one word are rare, and contrary heads.
        cycles={
            "": 4000,
            "least": 6000,
            "long": 8000,
            "serial": 20_000,
            "least_serial": 8000,
            "triangle_serial": 12_000,
        },
        repeated_cycles=7500,
        alone=True,
        core=("least",),
        soak={"": 30_000},
    ),
    # The same packets, the other way round.
    "serializer": Line(
        corners=("serial", "least_serial", "triangle_serial", "long", "most_serial"),
        cycles=25_000,
        repeated_cycles=12_000,
    ),
    # Requests at random, from one requester to all; none waits for more grants than a tree of this depth allows.
    "tree_arbiter": Line(
        corners=tuple(("default", {"count": count}) for count in (5, 1, 2, 3, 11)), cycles=6000, repeated_cycles=1000
    ),
}
"""Unit to what it is run with."""


@pytest.mark.parametrize(("simulator", "units", "corners"), params(TABLE), indirect=["simulator"])
def test_lockstep(simulator, units, corners):
    """All outputs agree in every cycle, and all events happen."""
    check("packet", TABLE, CONFIGS, simulator, units, corners)


NEAR_END = {
    "load_node": Line(corners=(("cube_6", {"queue": 16}),), benches=("NEAR_END",), cycles=8000, told=False),
}
"""Units whose counters begin near the end of their range, and come to it."""


@pytest.mark.parametrize("simulator", ["verilator"], indirect=True)
@pytest.mark.parametrize("unit", NEAR_END)
def test_counters_near_their_end(simulator, unit):
    """All outputs agree beyond it."""
    check("packet", NEAR_END, CONFIGS, simulator, (unit,), (NEAR_END[unit].corners,))


@pytest.mark.soak
@pytest.mark.parametrize(("simulator", "units", "corners"), at_length(TABLE), indirect=["simulator"])
def test_lockstep_up_to_the_limit(simulator, units, corners):
    """The same, not ended when all events have happened."""
    check("packet", TABLE, CONFIGS, simulator, units, corners, margin=0)


SCENES = {
    "buffer_unit": {
        # Three cycles from a head on the link to the head for the crossbar, then a word in every cycle.
        "timing": Line(corners=("default", "least", "triangle", "long"), benches=("TIMING",), ends=True),
        # Packets for one port leave in the order in which they came, whatever leaves in between.
        "order": Line(corners=("default", "small", "long"), benches=("ORDER",), ends=True),
    }
}
"""Unit to scenes with an end of their own."""


@pytest.mark.parametrize("simulator", ["verilator"], indirect=True)
@pytest.mark.parametrize(("unit", "scene"), [(unit, scene) for unit, scenes in SCENES.items() for scene in scenes])
def test_scenes(simulator, unit, scene):
    """The stimulus checks what comes, and when."""
    check("packet", {unit: SCENES[unit][scene]}, CONFIGS, simulator, (unit,), (SCENES[unit][scene].corners,))


EXTREMES = {
    unit: Line(corners=("rows_64",), events=False, soak={"": 20_000})
    for unit in ("cam", "buffer_unit", "input_controller")
}
"""The largest parameters; not all events happen there."""


@pytest.mark.soak
@pytest.mark.parametrize(("unit", "corner", "seed"), soak_params(EXTREMES))
def test_extremes(unit, corner, seed):
    """All outputs agree at the ends of the parameters' ranges."""
    check_soak("packet", EXTREMES, CONFIGS, unit, corner, seed)


@pytest.mark.soak
@pytest.mark.parametrize(("unit", "corner", "seed"), soak_params(TABLE))
def test_lockstep_soak(unit, corner, seed):
    """The same at length, with other seeds."""
    check_soak("packet", TABLE, CONFIGS, unit, corner, seed)
