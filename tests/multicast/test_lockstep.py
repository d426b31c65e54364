"""The units of the multicast router beside their golden twins."""

import pytest

from cubecast.golden.multicast.contract.config import Config
from cubecast.tb.common.patterns import LEFT
from tests.harness.table import Line, at_length, check, check_soak, params, soak_params
from tests.multicast.corners import CORNERS

CONFIGS = CORNERS | {
    # Longer ends of headers, for load nodes.
    "source_n2": Config(dim=2, max_dest=1, max_data=2, source_field=True),
    "fault_free_n2": Config(dim=2, max_data=3, fault_tolerant=False),
    # Sixteen nodes that are compiled soon.
    "small_n4": Config(dim=4, max_dest=1, max_list=3, max_data=1, log_depth=1, memories="block"),
    # Payload word 0 repeats, and the address of a large cube is cut off nowhere.
    "wide": Config(dim=10, width=75, max_data=3),
    "wide_source": Config(dim=10, width=75, max_data=3, source_field=True),
    # More units than five bits can number; more words than six can; the widest words.
    "far": Config(dim=7),
    "farthest": Config(dim=10),
    "deep": Config(dim=2, max_data=256),
    # A word more than a power of two.
    "words_65": Config(dim=2, max_data=65),
    "words_65_block": Config(dim=2, max_data=65, memories="block"),
    "deepest": Config(dim=2, max_data=4096),
    "broad": Config(dim=3, width=512),
}

ROUTERS = (
    *("n2", "lists", "source", "streamers2_block", "narrow", "one_lane"),
    *("ordered", "latency2_n2", "block_n2", "no_data", "source_no_data", "ordered_source", "shared"),
)
"""Corners of the router in CI; all others are in ``make soak``."""

ALL = 100_000
"""More cycles than there are combinations of the inputs, where all are tried."""

TABLE = {
    "address_scanner": Line(
        corners=("no_data", "m1", "n2", "default", "n5"),
        icarus=("n2",),
        cycles=ALL,
        every=lambda config: (config.max_dest + 1) * config.dim,
        random=("default", "n5"),
    ),
    # Messages of every kind from every node, and reads and writes of all nodes at once.
    "axi_network": Line(corners=("n2",), icarus=(), cycles=3000, alone=True, core=(), again=("n2",)),
    # Messages of every kind through every port, reads and writes all the time.
    "axi_router": Line(corners=("n2", "narrow", "fault_free"), cycles=4000, repeated_cycles=2500, alone=True),
    "broadcaster_fault_free": Line(
        corners=("n5", "ordered_n4", "n2", "default", "ordered_n2", "ordered_fault_free"),
        icarus=("n5", "ordered_n4"),
        cycles=ALL,
        # The address is an input where the order of the dimensions follows from it.
        every=lambda config: config.dim * (1 + len(config.policy_facts.broadcaster)),
    ),
    "broadcaster_fault_tolerant": Line(
        corners=("n5", "ordered_n4", "n2", "default", "ordered_n2", "ordered"),
        icarus=("n5", "ordered_n4"),
        cycles=ALL,
        every=lambda config: config.dim * (2 + len(config.policy_facts.broadcaster)),
    ),
    # Messages of every kind down the link, in all lanes, while links are cut and repaired.
    "channel": Line(
        corners=(
            *("lists", "n2", "shared", "shared_n2", "shared_ordered"),
            *("one_lane", "ordered", "latency2_ordered", "shared_latency2", "shared_latency2_ordered"),
        ),
        later=("shared_lists", "shared_no_data", "shared_streamers1"),
        core=("lists", "shared", "latency2_ordered"),
        cycles=5000,
        repeated_cycles=1000,
    ),
    "column_selector": Line(
        corners=("fault_free", "m1", "n2", "narrow", "default", "n5"),
        icarus=("n2",),
        cycles=ALL,
        every=lambda config: (config.dim + 1) * (config.max_dest + 1),
        random=("default", "n5"),
    ),
    # Every input at random, in every state.
    "controller": Line(corners=("default", "latency2"), cycles=6000, repeated_cycles=1000),
    "data_buffer": Line(
        corners=(
            *("default", "no_data", "n2", "narrow", "source_no_data", "n5"),
            *("block", "block_n2", "small_n4", "deep"),
        ),
        icarus=("default", "no_data", "block"),
        later=("streamers1", "streamers2", "streamers1_block", "words_65", "words_65_block"),
        cycles=5000,
        repeated_cycles=2000,
    ),
    "decoder": Line(corners=("n5", "m1", "n2", "default"), cycles=ALL, every=lambda config: config.max_dest + 1),
    "eligibility": Line(
        corners=("ordered", "ordered_m1", "ordered_n4"),
        icarus=("ordered_m1",),
        cycles=ALL,
        every=lambda config: (config.max_dest + 2) * config.dim,
        random=("ordered_n4",),
    ),
    # Messages of every kind, with gaps and stalls.
    "input_module": Line(
        corners=("lists", "source", "n2", "m1", "narrow", "no_data", "source_no_data", "fault_free", "n5", "broad"),
        icarus=("lists", "source"),
        cycles=6000,
    ),
    "input_port": Line(
        corners=("narrow", "n2", "default", "n5"),
        cycles=ALL,
        every=lambda config: config.width + config.dim,
        random=("n2", "default", "n5"),
    ),
    # Checks, clears and resets at random.
    "matching_checker": Line(corners=("n5", "n2"), cycles=3000, repeated_cycles=1000),
    "maximum_checker": Line(
        corners=("no_data", "n5", "m1", "n2", "fault_free", "default"),
        icarus=("n2",),
        cycles=ALL,
        every=lambda config: config.dim * (config.max_dest + 1),
        random=("default", "n5"),
    ),
    # Messages of every kind, with gaps, stalls, links that are cut and repaired, and resets.
    "mhu": Line(
        corners=(
            *("default", "lists", "source", "ordered", "n2", "m1", "narrow", "no_data", "source_no_data"),
            *("fault_free", "n5", "ordered_n2", "ordered_source", "ordered_fault_free", "latency2", "latency2_ordered"),
            *("latency2_n2", "latency2_no_data", "latency2_source", "latency2_fault_free", "latency2_ordered_n4"),
            *("block", "block_source", "streamers1"),
        ),
        icarus=("lists", "latency2_ordered", "block"),
        later=(
            *("streamers2", "streamers3", "streamers1_n2", "streamers1_source", "streamers1_no_data"),
            *("streamers2_fault_free", "streamers1_latency2", "streamers1_block"),
        ),
        cycles=8000,
        soak=dict.fromkeys(("default", "lists", "source", "ordered", "latency2", "latency2_ordered"), 50_000),
    ),
    "multicaster": Line(
        corners=("no_data", "n5", "m1", "n2", "narrow", "default", "lists", "latency2_n2", "latency2"),
        icarus=("n2",),
        cycles=ALL,
        every=lambda config: (config.max_dest + 1) * config.dim,
        random=("n5", "default", "lists", "latency2"),
    ),
    # Rounds of all kinds of messages: no faults, faults that keep the rule, faults that break it, changing faults.
    # Every link agrees in every cycle, every destination gets its message exactly once, or is reported, and the
    # routers' counters say the same.
    "network": Line(
        corners=("n2", "default", "ordered", "latency2", "m1", "fault_free", "small_n4", "shared"),
        later=(
            *("source", "lists", "one_lane", "shared_n2", "shared_ordered", "shared_latency2"),
            *("latency2_ordered_n4", "latency2_source", "latency2_ordered", "latency2_fault_free"),
            "streamers1_n2",
        ),
        again=("n2",),
        cycles=60_000,
        ends=True,
        options={
            "n2": {"messages": 100},
            "default": {"messages": 80},
            "ordered": {"messages": 110},
            "latency2": {"messages": 80},
            "latency2_ordered_n4": {"messages": 250},
            "latency2_source": {"messages": 150},
            "latency2_ordered": {"messages": 150},
            "latency2_fault_free": {"messages": 50},
            "streamers1_n2": {"messages": 100},
            "shared": {"messages": 110},
            "shared_n2": {"messages": 100},
            "shared_ordered": {"messages": 110},
            "shared_latency2": {"messages": 80},
            "m1": {"messages": 12, "malformed": 0.3},
            "source": {"messages": 150},
            "lists": {"messages": 150},
            "fault_free": {"messages": 25},
            "small_n4": {"messages": 30},
            # One lane can deadlock: few messages at a time.
            "one_lane": {"messages": 40, "load": 0.004, "malformed": 0.3},
        },
        longer={name: {"messages": 150} for name in ("default", "ordered", "latency2", "fault_free", "small_n4")},
        alone=True,
        core=("n2", "fault_free", "small_n4"),
    ),
    # Messages from every unit at random, to a link, which is cut now and then, and to the local port.
    "output_gateway": Line(
        whole=True,
        corners=(
            *(
                (name, {"local": local})
                for name in ("default", "n2", "one_lane", "n5", "ordered", "ordered_one_lane")
                for local in (False, True)
            ),
            ("far", {"local": False}),
        ),
        icarus=(("default", {"local": False}), ("default", {"local": True})),
        cycles=4000,
        repeated_cycles=1000,
    ),
    # Overload of every kind, until all has come.
    "load_network": Line(
        corners=("n2",),
        core=(),
        icarus=(),
        later=("source_n2", "fault_free_n2"),
        cycles=20_000,
        ends=True,
        options={"n2": {"cycles": 100}},
        alone=True,
    ),
    # Traffic of every kind, links that stall.
    "load_router": Line(corners=("n2", "streamers2_block"), cycles=3000, alone=True),
    # Several copies at once, with stalls and gaps, and links that are cut in every phase.
    "output_module": Line(
        corners=(
            *("n5", "source", "n2", "m1", "narrow", "no_data", "fault_free", "lists", "block"),
            *("streamers1", "streamers2"),
        ),
        icarus=("n5", "source"),
        later=(
            *("streamers3", "streamers1_source", "streamers1_no_data", "streamers2_fault_free"),
            *("streamers1_block", "streamers2_block"),
        ),
        cycles=4000,
    ),
    "output_port": Line(
        corners=("fault_free", "m1", "n2", "narrow", "default", "n5"),
        icarus=("n2",),
        cycles=ALL,
        every=lambda config: config.max_dest * (config.dim + 1) + config.dim,
        random=("default", "n5"),
    ),
    # Every trouble with every kind of message, copies lost and broken at any moment.
    "reporter": Line(
        whole=True, corners=("n5", "n2", "m1", "default", "lists", "block"), cycles=6000, repeated_cycles=4000
    ),
    # Messages of every kind through every port, while both ends of every link take it down and up again.
    "router": Line(
        corners=ROUTERS,
        icarus=("block_n2",),
        later=tuple(name for name in CORNERS if name not in ROUTERS),
        cycles=4000,
        alone=True,
        soak=dict.fromkeys(("lists", "source", "ordered"), 40_000),
    ),
    # Traffic of all kinds, with the same sums sent and delivered; and a node cut off, which is noticed.
    "self_test_network": Line(
        corners=("n2", "fault_free"),
        icarus=(),
        core=(),
        later=("narrow",),
        cycles=60_000,
        ends=True,
        options={
            "n2": {"runs": 8, "messages": 12},
            "fault_free": {"runs": 2, "messages": 3},
            "narrow": {"runs": 1, "messages": 3},
        },
        alone=True,
        again=("n2",),
    ),
    # Own messages, and those of the neighbours.
    "self_test_node": Line(corners=("n2", "source"), cycles=3000, alone=True),
    # Lanes that ask, decide and lose interest, words for any lane, and resets at random.
    "shared_multicaster": Line(
        corners=(
            *("shared", "shared_n2", "shared_lists", "shared_no_data", "shared_ordered"),
            *("shared_latency2", "shared_latency2_ordered"),
        ),
        icarus=("shared", "shared_latency2"),
        cycles=5000,
        repeated_cycles=1000,
    ),
    # Writes, row resets, rows that come back, clears and resets at random.
    "store": Line(corners=("default", "m1", "n2", "n5"), cycles=4000, repeated_cycles=1000),
    # Good deliveries and wrong ones, counted; every bit of payload word 0 is checked.
    "traffic_checker": Line(
        corners=("n2", "wide_source", "narrow", "no_data", "source", "source_no_data", "fault_free"),
        icarus=("n2", "wide_source"),
        cycles={"": 5000, "wide_source": 3000},
        repeated_cycles=1500,
    ),
    # Every message is well-formed, and the sums are those of the messages.
    "traffic_generator": Line(
        corners=("n2", "m1", "lists", "narrow", "no_data", "source", "source_no_data", "fault_free"),
        cycles=6000,
        repeated_cycles=1500,
    ),
    "type_checker": Line(
        corners=("lists", "n2", "m1", "default", "narrow", "no_data", "n5"),
        cycles=ALL,
        every=lambda config: config.dim,
    ),
}
"""Unit to what it is run with; with ``every`` in all combinations of the inputs."""


@pytest.mark.parametrize(("simulator", "units", "corners"), params(TABLE), indirect=["simulator"])
def test_lockstep(simulator, units, corners):
    """All outputs agree in every cycle, and all events happen."""
    check("multicast", TABLE, CONFIGS, simulator, units, corners)


NEAR_END = {
    unit: Line(corners=("n2",), benches=("NEAR_END",), cycles=5000, options={"n2": {"begin": LEFT}})
    for unit in ("traffic_checker", "traffic_generator")
}
"""Units whose counters begin near the end of their range, and come to it."""


@pytest.mark.parametrize("simulator", ["verilator"], indirect=True)
@pytest.mark.parametrize("unit", NEAR_END)
def test_counters_near_their_end(simulator, unit):
    """All outputs agree beyond it."""
    check("multicast", NEAR_END, CONFIGS, simulator, (unit,), (NEAR_END[unit].corners,))


@pytest.mark.soak
@pytest.mark.parametrize(("simulator", "units", "corners"), at_length(TABLE), indirect=["simulator"])
def test_lockstep_up_to_the_limit(simulator, units, corners):
    """The same, not ended when all events have happened."""
    check("multicast", TABLE, CONFIGS, simulator, units, corners, margin=0)


WIDE = {"traffic_generator": Line(corners=("wide",), cycles=3000, events=False)}
"""Not all kinds of messages are met in a cube as large as this."""


@pytest.mark.parametrize(("simulator", "units", "corners"), params(WIDE), indirect=["simulator"])
def test_wide_words(simulator, units, corners):
    """The same without a look at the events."""
    check("multicast", WIDE, CONFIGS, simulator, units, corners)


EXTREMES = {
    "data_buffer": Line(corners=("deepest",), events=False, soak={"": 100_000}),
    "mhu": Line(corners=("broad", "far", "deep"), events=False, soak={"": 20_000}),
    "output_gateway": Line(
        corners=tuple(("farthest", {"local": local}) for local in (False, True)), events=False, soak={"": 20_000}
    ),
}
"""The largest parameters; not all events happen there."""


@pytest.mark.soak
@pytest.mark.parametrize(("unit", "corner", "seed"), soak_params(EXTREMES))
def test_extremes(unit, corner, seed):
    """All outputs agree at the ends of the parameters' ranges."""
    check_soak("multicast", EXTREMES, CONFIGS, unit, corner, seed)


@pytest.mark.soak
@pytest.mark.parametrize(("unit", "corner", "seed"), soak_params(TABLE))
def test_lockstep_soak(unit, corner, seed):
    """The same at length, with other seeds."""
    check_soak("multicast", TABLE, CONFIGS, unit, corner, seed)
