"""The golden side of a multicaster that the units of a channel share: whose turn it is, and who waits for whom."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.message import encode
from cubecast.golden.multicast.contract.states import State
from cubecast.golden.multicast.twins.mhu import Mhu
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


def test_votes_that_change_over_a_copy_ask_for_nothing() -> None:
    """``ordered``: a unit asks until a link is cut while a copy is under way, and again when that copy has gone."""
    config = shared(dim=2, policy="ordered")
    mhu = Mhu(config, 0b10, shared=True)
    words = encode(config, 0b10, [0b11, 0b01], [9])
    for index, word in enumerate(words):
        mhu.offered = int(index == 3)
        mhu.edge((word, int(index == len(words) - 1), 0))
    assert mhu.copies == 0b01 and mhu.asks
    mhu.links(0b10, 0)
    assert not mhu.asks
    mhu.edge(None)
    assert not mhu.asks and mhu.copies == 0b01
    while mhu.copies:
        assert not mhu.asks
        mhu.edge(None, 0b001)
    assert mhu.asks


@latencies
def test_a_decision_that_has_to_wait(latency: int) -> None:
    """Without an offer a message neither ends nor reports rows as undeliverable; with one it goes on as ever."""
    config = shared(latency)
    mhu = Mhu(config, shared=True)
    for index, word in enumerate(words := encode(config, 1, [1, 2], [9])):
        assert not mhu.edge((word, int(index == len(words) - 1), 0), 0b1000)
    for _ in range(20):
        assert mhu.controller.state == State.PROCESSING and mhu.asks and not mhu.item.source and not mhu.copies
        assert not mhu.edge(None, 0b1111, 1)
    mhu.offered = 1
    decided = [mhu.edge(None) for _ in range(4)]
    assert decided == ([1, 1, 0, 0] if latency == 1 else [1, 0, 1, 0])
    assert mhu.copies == 0b011 and not mhu.asks
    for _ in range(9):
        mhu.edge(None, 0b1111)
    assert mhu.free


@latencies
def test_a_unit_launches_what_it_is_offered(latency: int) -> None:
    """The choice at the ports goes, and only while it is offered; ports say what would be chosen, and of which rows."""
    config = shared(latency, max_dest=3)
    mhu = Mhu(config, shared=True)
    for index, word in enumerate(words := encode(config, 1, [1, 2, 4], [9])):
        out = mhu.step({"i__valid": 1, "i__data": word, "i__last": int(index == len(words) - 1), "fault": 0b100})
        assert (out["asks"], out["decides"]) == (int(index > 4), 0)
    given = {"fault": 0b100, "y": 0b010, "r": 0b010, "k": 1}
    for offered, rows in ((0, 0b100_010_001), (0, 0b100_010_001), (1, 0b100_010_001), (0, 0b100_000_001)):
        out = mhu.step({**given, "offered": offered})
        assert (out["asks"], out["decides"], out["votes"], out["blocked"]) == (1, offered, rows, 0b100)
    assert mhu.copies == 0b010 and mhu.output_module.sublist[1] == 0b010
    out = mhu.step({"fault": 0b100, "offered": 1, "y": 0b001, "r": 0b001, "k": 1, "rst": 1})
    assert out["decides"] == 1 and mhu.free and mhu.step({"fault": 0b100})["asks"] == 0
