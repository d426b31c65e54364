"""The golden side of a multicaster that the units of a channel share: whose turn it is, and who waits for whom."""

from __future__ import annotations

import copy
import dataclasses
from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest

from cubecast.golden.common.algorithms.faults import random_faults
from cubecast.golden.common.twins.ports import bits, join
from cubecast.golden.common.twins.sleep import Sleepers
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.message import encode
from cubecast.golden.multicast.contract.states import State
from cubecast.golden.multicast.twins.channel import Channel
from cubecast.golden.multicast.twins.mhu import Mhu
from cubecast.golden.multicast.twins.multicaster import Multicaster
from cubecast.golden.multicast.twins.network import Network
from cubecast.golden.multicast.twins.shared_multicaster import SharedMulticaster
from tests.multicast.test_golden_network import (
    CONFIGS,
    Driver,
    check_books,
    load,
    random_destinations,
    random_payload,
)

SHARED = {name: config for name, config in CONFIGS.items() if config.shares_multicaster}

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


def test_one_unit_has_nobody_to_share_with() -> None:
    """Channels of one lane are as they are with a multicaster for each unit, and so is the injection port."""
    assert Channel(Config(dim=3, lanes=1, multicasters="channel")).multicaster is None
    assert Channel(Config(dim=3)).multicaster is None
    (router, *_) = Network(shared()).routers
    assert [mhu.shared for mhu in router.mhus] == [True] * 9 + [False]


class Line:
    """A channel, its link and its surroundings; ``launches`` are the cycles and lanes of decisions, and dimensions."""

    def __init__(self, config: Config, address: int = 0) -> None:
        self.config, self.address = config, address
        self.channel = Channel(config, address)
        self.launches: list[tuple[int, int, int]] = []
        self.now = 0

    def cycle(self, fault: int = 0, ready: Sequence[int] = (), link: dict[str, int] | None = None) -> None:
        """Step; ``ready``: the lanes whose copies and reports are taken."""
        mhus, config = self.channel.mhus, self.config
        before = [mhu.copies for mhu in mhus]
        takes = {f"o__{lane}__{port}__ready": 1 for lane in ready for port in range(config.ports)}
        takes |= {f"report__{lane}__ready": 1 for lane in ready}
        self.channel.step({"address": self.address, "fault": fault, **takes, **(link or {})})
        for lane, mhu in enumerate(mhus):
            self.launches += [(self.now, lane, j) for j in bits(mhu.copies & ~before[lane])]
        self.now += 1

    def receive(self, lane: int, destinations: Sequence[int], fault: int = 0, ready: Sequence[int] = ()) -> None:
        """Take a message over the link."""
        words = encode(self.config, self.address ^ 1, destinations, [7])
        for index, word in enumerate(words):
            last = int(index == len(words) - 1)
            link = {"link__valid": 1, "link__data": word, "link__last": last, "link__lane": lane}
            self.cycle(fault, ready, link)

    @property
    def free(self) -> list[int]:
        """Which units are free, by lane."""
        return [mhu.free for mhu in self.channel.mhus]


@latencies
def test_units_of_a_channel_take_turns(latency: int) -> None:
    """Three units whose links all come back in one cycle: one decision each, round and round, with no cycle lost."""
    line = Line(shared(latency))
    for lane in range(3):
        line.receive(lane, [1, 2, 4], fault=0b111)
    assert line.channel.asks == 0 and not line.launches
    start = line.now
    line.cycle(0b000)
    for _ in range(9 * latency):
        line.cycle(0b000)
    assert [(lane, j) for _, lane, j in line.launches] == [(lane, j) for j in range(3) for lane in (2, 0, 1)]
    first = start + latency - 1
    assert [cycle for cycle, _, _ in line.launches] == list(range(first, first + 9 * latency, latency))
    assert line.channel.asks == 0
    while not all(line.free):
        line.cycle(ready=(0, 1, 2))
        assert line.now < 200


@latencies
@pytest.mark.parametrize("policy", ["greedy", "ordered"])
def test_a_unit_that_waits_for_its_own_copies_keeps_no_other_waiting(policy: str, latency: int) -> None:
    """Rows that came back wait for a copy that nobody takes; a message in the other lane is decided as if alone."""
    config = shared(latency, policy=policy)
    line = Line(config)
    line.receive(0, [1, 2])
    for _ in range(4):
        line.cycle()
    first, second = line.channel.mhus[:2]
    assert first.copies == 0b011
    line.cycle(fault=0b001)
    line.cycle()
    line.cycle()
    assert first.copies == 0b010 and first.store.remaining() and first.controller.again and not first.asks
    assert line.channel.multicaster is not None and line.channel.multicaster.turn == 0
    start, length = line.now, len(line.launches)
    line.receive(1, [2, 4])
    for _ in range(4):
        line.cycle()
    decided = start + config.first_copy(2) - 1
    assert line.launches[length:] == [(decided, 1, 1), (decided + latency, 1, 2)]
    while not second.free:
        line.cycle(ready=(1,))
        assert line.now < 60 and first.copies == 0b010
    while not first.free:
        line.cycle(ready=(0,))
        assert line.now < 100
    assert line.launches[-1][1:] == (0, 0)


class Wired:
    """A channel made of its units' ports, joined as the page says; it has registers where :class:`Channel` has none."""

    def __init__(self, config: Config, address: int) -> None:
        self.config = config
        self.mhus = [Mhu(config, address, shared=True) for _ in range(config.lanes)]
        self.multicaster = SharedMulticaster(config)
        self.waited = [0] * config.lanes
        self.most = 0

    def step(self, inputs: dict[str, int], no_lane: int) -> dict[str, int | None]:
        """Return the words of all units, and take the edge; nobody waits for more decisions than one of each other."""
        config, mhus, get = self.config, self.mhus, inputs.get
        pins = {"valid": get("link__valid", 0), "lane": get("link__lane", 0), "rst": get("rst", 0)}
        for lane, mhu in enumerate(mhus):
            mhu.strap(get("address", 0), no_lane if lane == config.lanes - 1 else 0)
            mhu.links(get("fault", 0), get("cut", 0))
            pins |= {f"votes__{lane}": join(mhu.votes, config.dim), f"blocked__{lane}": mhu.blocked}
        # What is offered does not depend on who asks, but who decides does on what is offered.
        offer = copy.deepcopy(self.multicaster).step(pins)
        pins |= {"asks": 0, "decides": 0}
        outputs: dict[str, int | None] = {}
        decided = None
        for lane, mhu in enumerate(mhus):
            own = {name: get(name, 0) for name in ("rst", "address", "fault", "cut")}
            own |= {f"i__{name}": get(f"link__{name}", 0) for name in ("data", "last", "error")}
            own |= {"i__valid": int(pins["valid"] and pins["lane"] == lane)}
            own |= {"no_lane": mhu.no_lane}
            own |= {f"o__{j}__ready": get(f"o__{lane}__{j}__ready", 0) for j in range(config.ports)}
            own |= {"report__ready": get(f"report__{lane}__ready", 0), "offered": (offer["offered"] or 0) >> lane & 1}
            found = mhu.step(own | {name: offer[name] or 0 for name in ("y", "r", "k")})
            assert found["votes"] == pins[f"votes__{lane}"] and found["blocked"] == pins[f"blocked__{lane}"]
            pins["asks"] |= (found["asks"] or 0) << lane
            if found["decides"]:
                assert not pins["decides"] and offer["offered"] == 1 << lane
                pins["decides"] = 1
                decided = lane
            for name, value in found.items():
                kind, *rest = name.split("__", 1)
                if kind in ("o", "report"):
                    outputs[f"{kind}__{lane}__{rest[0]}"] = value
        for lane in range(config.lanes):
            waits = pins["asks"] >> lane & 1 and lane != decided and not pins["rst"]
            self.waited[lane] = self.waited[lane] + pins["decides"] if waits else 0
        self.most = max(self.most, *self.waited)
        assert self.most < config.lanes
        self.multicaster.step(pins)
        return outputs


@pytest.mark.parametrize(
    "config",
    [shared(), shared(2), shared(2, policy="ordered", max_dest=4), shared(streamers=1), shared(2, lanes=4, dim=4)],
    ids=["n3", "latency2", "latency2-ordered", "streamers1", "n4-latency2"],
)
def test_a_channel_is_its_units_joined(config: Config) -> None:
    """In every cycle, links being cut and repaired; a unit waits for one decision of each other at most."""
    random, most, contended = Random(config.dim), 0, 0
    for address in (0, 1, 0b110):
        channel, wired = Channel(config, address, address & 1), Wired(config, address)
        no_lane, fault, cut = channel.mhus[-1].no_lane, 0, 0
        queue: list[int] = []
        lane = 0
        for _ in range(160):
            if not queue and channel.ready:
                lane = random.choice(list(bits(channel.ready)))
                destinations = random.sample(range(config.nodes), random.randint(2, config.max_dest))
                queue = encode(config, address ^ 1, destinations, [3] * random.randrange(2))
            # Rows of several units that nothing can be done about, and then something can.
            chance = random.random()
            fault = 0 if chance < 0.15 else config.nodes - 1 if chance < 0.22 else fault | int(chance < 0.24)
            cut = int(random.random() < 0.03)
            valid = int(bool(queue) and random.random() < 0.9)
            inputs = {"address": address, "up": address & 1, "fault": fault, "cut": cut, "link__valid": valid}
            inputs |= {"link__data": queue[0] if queue else 0, "link__last": int(len(queue) == 1)}
            # What comes over a cut link in whatever lane, one that does not exist included, is not taken.
            inputs["link__lane"] = random.getrandbits(config.lane_bits) if cut else lane
            inputs["rst"] = int(random.random() < 0.005)
            for index in range(config.lanes):
                inputs |= {f"o__{index}__{j}__ready": int(random.random() < 0.5) for j in range(config.ports)}
                inputs[f"report__{index}__ready"] = int(random.random() < 0.05)
            contended += channel.asks.bit_count() > 1
            outputs, joined = channel.step(inputs), wired.step(inputs, no_lane)
            assert joined.items() <= outputs.items()
            assert channel.multicaster is not None
            assert channel.multicaster.turn == wired.multicaster.turn
            if cut or inputs["rst"]:
                queue = []
            elif valid:
                queue.pop(0)
        most = max(most, wired.most)
    assert contended > 10 and most == config.lanes - 1


@pytest.mark.parametrize("name", SHARED)
def test_alone_a_message_is_as_fast_as_ever(name: str) -> None:
    """With one message at a time every word passes in the cycle in which it does when units share nothing."""
    config, random = SHARED[name], Random(4)
    own = dataclasses.replace(config, multicasters="unit")
    for _ in range(12):
        faulty = random_faults(config.dim, random.randrange(3), random)
        source = random.choice(sorted(set(range(config.nodes)) - faulty))
        words = encode(config, source, random_destinations(random, config), random_payload(random, config))
        runs = []
        for parameters in (config, own):
            driver = Driver(parameters, faulty)
            driver.send(source, words)
            driver.run()
            runs.append((driver.injected, driver.crossed, driver.delivered, driver.reports))
        assert runs[0] == runs[1]


def busy(latency: int) -> Config:
    """Return parameters with which decisions can last longer than messages, so that units wait for each other."""
    return shared(latency, dim=4, max_dest=8, max_data=1)


def test_busy_channels_deliver_everything() -> None:
    """Where units wait for each other's decisions, nothing is lost or doubled, and the network drains."""
    driver = Driver(busy(2), seed=1)
    sent = load(driver, Random(1), 60, k=8)
    waits: Counter[int] = Counter()
    while any(driver.queues) or not driver.network.quiet():
        driver.cycle()
        waits.update(channel.asks.bit_count() for router in driver.network.routers for channel in router.channels)
        assert driver.network.cycle - driver.start < 5000
    check_books(driver, sent)
    assert waits[2]


def disturb(driver: Driver, random: Random) -> None:
    """Step one cycle in which a link may be cut or repaired."""
    if random.random() < 0.3:
        driver.fault(random.randrange(driver.config.nodes), random.choice((0, 0, 0, 1, 2, 4)))
    driver.cycle()


@pytest.fixture
def awake(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Return what lets all units and routers take every edge from now on."""

    def settle(sleepers: Sleepers[Any]) -> None:
        sleepers.awake = set(range(len(sleepers.units)))

    return lambda: monkeypatch.setattr(Sleepers, "settle", settle)


@latencies
def test_units_that_sleep_miss_no_turn(latency: int, awake: Callable[[], None]) -> None:
    """Turns and words are the same in every cycle as in a network in which everything takes every edge."""
    records = []
    for wake in (False, True):
        if wake:
            awake()
        driver, random = Driver(busy(latency), gap=0.5, seed=2), Random(2)
        load(driver, random, 40, k=8)
        turns = []
        for _ in range(160):
            disturb(driver, random)
            units = [channel.multicaster for router in driver.network.routers for channel in router.channels]
            turns.append([(unit.turn, unit.holder) for unit in units if unit is not None])
        records.append((turns, driver.crossed, driver.delivered, driver.reports, driver.cut_off))
    assert records[0] == records[1]
    assert len({turn for row in records[0][0] for turn, _ in row}) == 3


@latencies
def test_a_channel_in_a_router_is_the_channel_alone(latency: int, awake: Callable[[], None]) -> None:
    """The turns of a router's channel, and what its units ask and offer, follow from the channel's ports."""
    awake()
    config = busy(latency)
    driver, random = Driver(config, seed=3), Random(3)
    routers = driver.network.routers
    load(driver, random, 80, k=8)
    alone = [Channel(config, router.address, router.address & 1) for router in routers]
    waits: Counter[int] = Counter()
    for _ in range(160):
        cuts = [(router.control.cut, list(router.made)) for router in routers]
        disturb(driver, random)
        for router, channel, (cut, made) in zip(routers, alone, cuts, strict=True):
            inputs = {"address": router.address, "up": router.address & 1, "fault": cut, "cut": cut & 1}
            link = routers[router.address ^ 1].link_out[0] or (0, 0, 0, 0, 0)
            for name, value in zip(("valid", "data", "last", "error", "lane"), link, strict=True):
                inputs[f"link__{name}"] = value
            for lane in range(config.lanes):
                inputs[f"report__{lane}__ready"] = router.made[lane] - made[lane]
                for port in bits(router.moved.get(lane, 0)):
                    inputs[f"o__{lane}__{port}__ready"] = 1
            channel.step(inputs)
            channel.links(router.control.cut, router.control.cut & 1)
            one, other = channel.multicaster, router.channels[0].multicaster
            assert one is not None and other is not None
            assert (one.turn, one.before) == (other.turn, other.before)
            assert channel.asks == router.channels[0].asks
            assert [mhu.words for mhu in channel.mhus] == [mhu.words for mhu in router.channels[0].mhus]
            waits[channel.asks.bit_count()] += 1
    assert waits[1] > 20
