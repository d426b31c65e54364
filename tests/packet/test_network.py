"""The whole packet network beside its golden twin, all links in view, and a scoreboard that neither side knows."""

from random import Random

import pytest

from cubecast.golden.packet.contract.config import LINKS, ROUTINGS, PacketConfig
from cubecast.tb.harness.lockstep import lockstep
from cubecast.tb.packet.network import BENCH
from tests.harness.seed import drawn
from tests.packet.corners import CORNERS


@pytest.mark.soak
@pytest.mark.parametrize("seed", drawn(1))
@pytest.mark.parametrize("name", list(CORNERS))
def test_packet_network_soak(name, seed):
    """The same at length, with other seeds and more fault sets."""
    options = {"messages": 200, "rounds": ["none", *["faults", "live"] * 3]}
    report = lockstep(
        BENCH, CORNERS[name], cycles=2_000_000, seed=seed, options=options, require_events=False, timeout=3600
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
@pytest.mark.parametrize("seed", drawn(6))
def test_packet_network_of_random_parameters_soak(seed):
    """No corner of the parameter space is special."""
    config = random_config(Random(seed))
    options = {"messages": 100, "rounds": ["none", *["faults", "live"] * 2], "words": min(5, config.max_words)}
    report = lockstep(BENCH, config, cycles=2_000_000, seed=seed, options=options, require_events=False, timeout=3600)
    assert report.finished
