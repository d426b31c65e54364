"""A network in which routers and units sleep does what it does when all are awake all the time."""

from __future__ import annotations

from collections import defaultdict
from random import Random
from typing import Any

import pytest

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.common.twins.sleep import Sleepers
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.tb.harness.bench import load

NETWORKS = {
    "multicast": Config(dim=2, max_data=2),
    "packet": PacketConfig(dim=2, rows=2, max_words=2),
    "packet.serial": PacketConfig(dim=2, rows=2, max_words=1, link="serial"),
    "adapter": AdapterConfig(router=CrosspointConfig(dim=2, width=8, packet_limit=2, eject_depth=4), fault_entries=1),
    "collective": CollectiveConfig(router=Config(dim=2, max_data=3), max_vector=5, max_relays=2),
    "crosspoint": CrosspointConfig(dim=2, depth=4, packet_limit=1, eject_depth=4, pause_limit=1, link_regs=1),
}


LIVE = {"messages": 10_000, "rounds": ["live"], "load": 0.02}
"""Little traffic without end, so that routers sleep, while links are cut and repaired."""

OPTIONS = {"multicast": LIVE, "packet": LIVE, "crosspoint": {"rounds": ["live", "live"], "cycles": 1200}}
"""By system: what its stimulus takes; that of the adapter cuts links by itself."""


def ran(system: str, config: Any, cycles: int) -> tuple[list[dict[str, Any]], int]:
    """Return the outputs of a network in every cycle, and in how many of them some router slept."""
    bench = load(f"{system}.network")
    module, _, name = bench.twin.partition(":")
    twin = getattr(__import__(module, fromlist=[name]), name)(config, probe=True)
    stimulus = bench.stimulus(Random(2), config, **OPTIONS.get(system, {}))
    inputs: defaultdict[str, int] = defaultdict(int, next(stimulus))
    outputs, slept = [], 0
    for _ in range(cycles):
        outputs.append(twin.step(inputs))
        slept += len(twin.members.awake) < config.nodes
        inputs |= stimulus.send(outputs[-1])
    return outputs, slept


@pytest.mark.core("multicast")
@pytest.mark.parametrize("name", NETWORKS)
def test_sleep_changes_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All ports and links in every cycle, with faults and a reset."""
    system, config, cycles = name.partition(".")[0], NETWORKS[name], 2000
    expected, slept = ran(system, config, cycles)
    assert slept > 20

    def stay(sleepers: Sleepers[Any]) -> None:
        sleepers.awake = set(range(len(sleepers.units)))

    monkeypatch.setattr(Sleepers, "settle", stay)
    found, slept = ran(system, config, cycles)
    assert not slept
    assert found == expected
