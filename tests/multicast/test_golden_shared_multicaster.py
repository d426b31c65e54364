"""The golden side of a multicaster that the units of a channel share: whose turn it is, and who waits for whom."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.twins.multicaster import Multicaster
from cubecast.golden.multicast.twins.shared_multicaster import SharedMulticaster

latencies = pytest.mark.parametrize("latency", [1, 2])


def shared(latency: int = 1, **changes: Any) -> Config:
    """Return parameters of a channel with three units that share."""
    return Config(**{"dim": 3, "max_data": 4, "multicasters": "channel", "decision_latency": latency, **changes})


@latencies
def test_whose_turn_it_is(latency: int) -> None:
    """Who asks keeps the turn until it has decided; then the next who asks; then the lane of the word on the link."""
    config = shared(latency)
    unit, turn, since = SharedMulticaster(config), 0, 0
    votes = {f"votes__{lane}": 1 << lane for lane in range(3)}
    for asks, decides, lane, following in (
        (0b000, 0, None, 0),
        (0b001, 0, None, 0),
        (0b001, 0, 2, 0),
        (0b111, 0, None, 0),
        (0b111, 1, None, 1),
        (0b101, 0, None, 2),
        (0b100, 1, 0, 2),
        (0b111, 1, None, 0),
        (0b110, 0, 2, 1),
        (0b101, 1, 1, 2),
        (0b010, 0, None, 1),
        (0b000, 0, None, 1),
        (0b000, 1, 0, 0),
        (0b000, 0, 3, 0),
        (0b100, 1, 0, 2),
    ):
        word = {"valid": int(lane is not None), "lane": lane or 0}
        out = unit.step({"asks": asks, "decides": decides, **word, **votes})
        fresh = latency == 1 or since > 0
        assert out["offered"] == (1 << turn if fresh else 0)
        assert (out["y"], out["r"], out["k"]) == ((1 << turn, 1, 1) if fresh else (None, None, None))
        since = since + 1 if following == turn else 0
        turn = following
        assert unit.turn == turn
    assert unit.step({"rst": 1, "asks": 0b100, **votes})["offered"] == (0b100 if latency == 1 else 0)
    assert unit.step(votes)["offered"] == (0b001 if latency == 1 else 0)
    assert unit.step(votes)["offered"] == 0b001


def test_a_choice_with_registers_is_of_the_cycle_before() -> None:
    """y and k come from the inputs of the cycle before, r from this cycle's rows; where nothing can go, no offer."""
    config, random = shared(2), Random(1)
    unit, single = SharedMulticaster(config), Multicaster(config)
    offers = 0
    for cycle in range(200):
        width = config.dim * config.max_dest
        inputs = {f"votes__{lane}": random.getrandbits(width) & random.getrandbits(width) for lane in range(3)}
        inputs |= {f"blocked__{lane}": random.getrandbits(3) | random.getrandbits(3) for lane in range(3)}
        choice = single.step({"a": inputs["votes__1"], "fault": inputs["blocked__1"]})
        out = unit.step({"asks": 0b010, **inputs})
        if cycle < 2 or choice["terminate"]:
            assert not out["offered"] and out["y"] is out["r"] is out["k"] is None
        else:
            assert out["offered"] == 0b010
            assert [out[name] for name in ("y", "r", "k")] == [choice[name] for name in ("y", "r", "k")]
            offers += 1
    assert 20 < offers < 180
