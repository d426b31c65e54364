"""The whole network beside its golden twin, with all links in view, and a scoreboard that neither side knows."""

from random import Random

import pytest

from cubecast.golden.multicast.contract.config import MULTICASTERS, POLICIES, Config
from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.multicast import standstill
from cubecast.tb.multicast.network import BENCH
from tests.harness.seed import drawn
from tests.multicast.corners import CORNERS

SATURATED = {"greedy": 1900, "ordered": 760}
"""Messages of each of the two rounds that take more than 10,000 cycles each."""

MALFORMED = ("K_ZERO", "LIST_TOO_LONG", "HEADER_SHORT", "ADDRESS_BITS", "DATA_TOO_LONG")

DEADLOCK = 1
"""Seed of the messages that block one lane."""


@pytest.mark.soak
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("simulator", ["verilator"], indirect=True)
def test_saturated_network_soak(simulator, policy):
    """16 nodes send all kinds of messages as fast as they are taken, for 20,000 cycles: all delivered once, drained."""
    config = Config(dim=4, policy=policy)
    rounds = ["none", "rule"]
    options = {"messages": SATURATED[policy], "rounds": rounds, "reset": False, "malformed": 0.0, "steady": True}
    report = lockstep(BENCH, config, simulator=simulator, cycles=60_000, seed=3, options=options, speed="run")
    assert report.finished and report.cycles > 20_000
    assert report.events["injection waits"] > 0.9 * report.cycles


@pytest.mark.parametrize(("simulator", "messages"), [("verilator", 1500)], indirect=["simulator"])
def test_malformed_messages(simulator, messages, speed="build"):
    """Every class of malformed messages among good ones: each is counted by its reason, and no good one is lost."""
    config = Config(dim=2, max_dest=1, max_list=1, max_data=3)
    options = {"messages": messages, "rounds": ["none"], "malformed": 0.8}
    report = lockstep(BENCH, config, simulator=simulator, cycles=10**7, options=options, speed=speed, timeout=3600)
    assert report.finished
    assert sum(report.events[reason] for reason in MALFORMED) > 0.7 * messages


@pytest.mark.soak
@pytest.mark.parametrize("simulator", ["verilator"], indirect=True)
def test_malformed_messages_soak(simulator):
    """Fifty thousand of them."""
    test_malformed_messages(simulator, 70_000, "run")


@pytest.mark.parametrize("simulator", ["verilator"], indirect=True)
def test_one_lane_comes_to_a_standstill(simulator):
    """The dissertation's router, saturated: the messages in a ring of buffers wait for each other, forever."""
    stuck = lockstep(standstill.BENCH, Config(dim=3, lanes=1), simulator=simulator, cycles=20_000, seed=DEADLOCK)
    print("ring of waiting buffers (node, channel, lane):", *stuck.collected)
    assert stuck.finished and stuck.cycles < 20_000
    assert len(stuck.collected) >= 2
    for (node, _, _), (to, channel, lane) in zip(
        stuck.collected, stuck.collected[1:] + stuck.collected[:1], strict=True
    ):
        assert (node ^ to, lane) == (1 << channel, 0)


@pytest.mark.parametrize("simulator", ["verilator"], indirect=True)
@pytest.mark.parametrize("policy", POLICIES)
def test_computed_lanes_come_to_no_standstill(simulator, policy):
    """The same messages drain."""
    # The networks of test_lockstep, so that they are built once.
    config = CORNERS["default" if policy == "greedy" else policy]
    drained = lockstep(standstill.BENCH, config, simulator=simulator, cycles=20_000, seed=DEADLOCK)
    assert drained.finished and drained.collected == []


@pytest.mark.soak
@pytest.mark.parametrize("seed", drawn(1))
@pytest.mark.parametrize(
    ("simulator", "name"),
    [
        ("verilator", name)
        for name in (
            "default",
            "ordered",
            "latency2",
            "source",
            "lists",
            "latency2_ordered_n4",
            "latency2_source",
            "latency2_ordered",
        )
    ],
    indirect=["simulator"],
)
def test_network_soak(simulator, name, seed):
    """The same at length, with other seeds and more fault sets."""
    options = {"messages": 300, "rounds": ["none", *["rule", "broken", "live"] * 3]}
    report = lockstep(
        BENCH,
        CORNERS[name],
        simulator=simulator,
        cycles=1_000_000,
        seed=seed,
        options=options,
        require_events=False,
        speed="run",
        timeout=3600,
    )
    assert report.finished


def random_config(random):
    """Return any network of 4 or 8 nodes that cannot deadlock."""
    dim = random.choice((2, 2, 2, 3))
    max_dest = random.randint(1, 2**dim - 2)
    fault_tolerant = random.random() < 0.75
    policy = random.choice(POLICIES)
    most_lanes = dim + 1 if policy == "greedy" else 2
    least_lanes = (dim + 1) // 2 + 1 if policy == "greedy" else 1 + fault_tolerant
    return Config(
        dim=dim,
        max_dest=max_dest,
        max_list=random.randint(max_dest, 2**dim - 2),
        width=random.choice((dim, dim + 1, 8, 32, 65)),
        max_data=random.choice((0, 1, 2, 3, 7, 16)),
        fault_tolerant=fault_tolerant,
        source_field=fault_tolerant and random.random() < 0.4,
        policy=policy,
        lanes=random.randint(least_lanes, most_lanes),
        log_depth=random.choice((1, 2, 3, 16)),
        decision_latency=random.choice((1, 2)),
        streamers=random.randint(1, dim + 1),
        multicasters=random.choice(MULTICASTERS),
    )


@pytest.mark.soak
@pytest.mark.parametrize("seed", drawn(6))
def test_network_of_random_parameters_soak(seed):
    """No corner of the parameter space is special."""
    config = random_config(Random(seed))
    options = {"messages": 120, "rounds": ["none", *["rule", "broken", "live"] * 2]}
    report = lockstep(BENCH, config, cycles=1_000_000, seed=seed, options=options, require_events=False)
    assert report.finished
