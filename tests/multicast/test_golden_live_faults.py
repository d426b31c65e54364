"""The golden network with links that are cut and repaired while messages are on them."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from cubecast.golden.common.contract.control import Register
from cubecast.golden.common.twins.ports import bits
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.message import encode
from cubecast.golden.multicast.contract.reason import Reason
from cubecast.golden.multicast.twins.mhu import Mhu
from tests.multicast.test_golden_network import Driver, Passed, Reported

CUT_AFTER_WRITE = 2
"""The FAULT register has its value in the cycle after the write, and the link is cut in the cycle after that."""

ENDS = pytest.mark.parametrize("end", [0, 1], ids=["sender", "receiver"])


def sending(config: Config, words: list[int], node: int = 0) -> Driver:
    """Return a network in which a message comes to ``node`` after some cycles."""
    driver = Driver(config, wait=2 * CUT_AFTER_WRITE)
    driver.send(node, words)
    return driver


def cut_at(driver: Driver, cycle: int, node: int, dimension: int, until: int | None = None) -> None:
    """Step so that a link is cut from ``cycle`` on, by the FAULT bit of ``node``, and repaired in ``until``."""
    while driver.network.cycle - driver.start < cycle - CUT_AFTER_WRITE:
        driver.cycle()
    driver.fault(node, 1 << dimension)
    if until is not None:
        while driver.network.cycle - driver.start < until - CUT_AFTER_WRITE:
            driver.cycle()
        driver.fault(node, 0)


def undisturbed(config: Config, words: list[int], node: int = 0) -> dict[int, Passed]:
    """Return what passes over each link of ``node`` when nothing is cut."""
    driver = sending(config, words, node)
    driver.run()
    return {passed.port: passed for passed in driver.crossed if passed.node == node}


def check_nothing_inside(driver: Driver) -> None:
    """Check that no unit keeps anything of a message, and that every link takes messages but the cut ones."""
    config, lanes = driver.config, (1 << driver.config.lanes) - 1
    for router in driver.network.routers:
        assert router.resting and not any(router.link_out) and router.ejected is None
        assert not any(gateway.locked for gateway in router.gateways)
        for mhu in router.mhus:
            assert mhu.free and not mhu.output_module.active and mhu.reporter.idle(0, 0) and not mhu.item.source
            assert mhu.accept == 1 - mhu.cut
        for j, channel in enumerate(router.channels):
            neighbour = driver.network.routers[router.address ^ 1 << j]
            cut = (router.control.fault | neighbour.control.fault) >> j & 1
            assert channel.ready == (0 if cut else lanes)
            assert router.control.cut >> j & 1 == cut
            assert router.control.multiple_faults == (router.control.cut.bit_count() > 1)
    assert driver.network.quiet() and config.units == len(driver.network.routers[0].mhus)


@ENDS
def test_both_ends_know_in_the_same_cycle(end: int) -> None:
    """FAULT and ``down`` a cycle after the write, the link cut at both ends one cycle later; a repair likewise."""
    network, writer = Driver(Config(dim=3)).network, 2 * end
    for cycle in range(12):
        pins = {}
        if cycle in (1, 5):
            pins = {"control_write": 1 << writer, "control_write_data": (0b010 if cycle == 1 else 0) << 32 * writer}
        cut = 3 <= cycle <= 6
        for node in (0, 2):
            assert network.routers[node].control.cut == (0b010 if cut else 0)
        out = network.step(pins)
        assert out["link_1_down"] == (1 << writer if 2 <= cycle <= 5 else 0)
        assert not out["link_0_down"] and not out["link_2_down"]
        for node in range(8):
            assert out["link_1_ready"] >> 3 * node & 0b111 == (0 if cut and node in (0, 2) else 0b111)


def test_a_link_is_cut_while_either_end_says_so() -> None:
    """Both ends set their bit; the link comes back when the second one clears it; two cut links are multiple faults."""
    driver = Driver(Config(dim=3))
    routers = driver.network.routers

    def write(node: int, vector: int) -> tuple[int, int, int, int]:
        driver.fault(node, vector)
        for _ in range(3):
            driver.cycle()
        control = routers[0].control
        return control.cut, routers[4].control.cut, driver.register(0, Register.CUT), control.multiple_faults

    assert write(0, 0b100) == (0b100, 0b100, 0b100, 0)
    assert write(4, 0b100) == (0b100, 0b100, 0b100, 0)
    assert write(1, 0b001) == (0b101, 0b100, 0b101, 1)
    assert driver.register(0, Register.STATUS) == 1
    assert driver.register(0, Register.FAULT) == 0b100
    assert write(0, 0) == (0b101, 0b100, 0b101, 1)
    assert write(4, 0) == (0b001, 0, 0b001, 0)
    assert write(1, 0) == (0, 0, 0, 0)
    check_nothing_inside(driver)


@ENDS
@pytest.mark.parametrize(
    "config",
    [
        Config(dim=2, max_data=6),
        Config(dim=3, max_dest=3, max_data=5, source_field=True),
        Config(dim=3, max_dest=3, policy="ordered"),
        Config(dim=3, max_dest=3, policy="ordered", source_field=True),
    ],
    ids=["n2", "n3-source-field", "ordered", "ordered-source-field"],
)
def test_unicast_cut_in_every_cycle(config: Config, end: int) -> None:
    """A copy whose header is open is decided again; one in its body ends with an error, and both ends report it."""
    payload = [11, 12, 13, 14]
    words = encode(config, 0, [0b11], payload)
    header = len(words) - len(payload)
    cycles = undisturbed(config, words)[0].cycles
    first, last = cycles[0], cycles[-1]
    seen = set()
    for cut in range(CUT_AFTER_WRITE, last + 4):
        driver = sending(config, words)
        cut_at(driver, cut, end, 0)
        driver.run()
        moved = sum(cycle < cut for cycle in cycles)
        (delivered,) = driver.delivered
        reports = Counter((report.node, report.reason, report.destination, report.port) for report in driver.reports)
        at_the_other_end = (1, Reason.INPUT_CUT, 0, 0)
        if moved == len(words):
            kind, expected, way = "over", Counter(), [(0, 0), (1, 1)]
        elif moved >= header:
            kind, way = "broken", [(1, 1)]
            expected = Counter([(0, Reason.COPY_CUT, 1, config.dim), at_the_other_end])
        else:
            kind = "open" if moved else "not started"
            expected, way = Counter([at_the_other_end] if moved else []), [(0, 1), (2, 0)]
        assert reports == expected, (cut, moved)
        assert sorted((passed.node, passed.port) for passed in driver.crossed) == sorted(way), (cut, moved)
        assert [len(passed.words) for passed in driver.cut_off] == ([moved] if kind in ("open", "broken") else [])
        tail = header - 2
        assert delivered.error == int(kind == "broken")
        whole = [*payload[: moved - header], 0] if kind == "broken" else payload
        assert list(delivered.words[tail:]) == whole, (cut, moved)
        check_nothing_inside(driver)
        seen.add(kind)
    assert seen == {"not started", "open", "broken", "over"} and first > CUT_AFTER_WRITE


def test_rows_of_a_dropped_copy_are_decided_when_no_copy_is_under_way() -> None:
    """A multicast of 0 to 1, 3 and 4: the copy in dimension 0 comes back, but waits for that in dimension 2."""
    config = Config(dim=3, max_dest=3)
    words = encode(config, 0, [0b001, 0b011, 0b100], list(range(8)))
    usual = undisturbed(config, words)
    assert {port: passed.words[0] for port, passed in usual.items()} == {0: 2, 2: 1}
    driver = sending(config, words)
    cut_at(driver, usual[0].cycles[1], 0, 0)
    driver.run()
    assert Counter((report.node, report.reason, report.destination) for report in driver.reports) == Counter(
        [(1, Reason.INPUT_CUT, 0), (0, Reason.UNDELIVERABLE, 0b001)]
    )
    sent = {passed.port: passed for passed in driver.crossed if passed.node == 0}
    assert sorted(sent) == [1, 2]
    assert sent[1].words[:2] == (1, 0b011)
    assert sent[1].cycles[0] > sent[2].cycles[-1]
    assert sorted(passed.node for passed in driver.delivered) == [0b011, 0b100]


def test_the_header_of_a_cut_message_leaves_nothing_behind() -> None:
    """What had come of a header goes nowhere, also when the destinations were complete or the receiver is one."""
    config = Config(dim=3, max_dest=3, source_field=True)
    words = encode(config, 0, [1, 3, 5], [7, 8])
    cycles = undisturbed(config, words)[0].cycles
    for cut in cycles[1:6]:
        driver = sending(config, words)
        cut_at(driver, cut, 0, 0)
        driver.run()
        assert not [passed for passed in driver.crossed if passed.node == 1 and passed.words[0] != 1]
        reports = Counter((report.node, report.reason, report.destination) for report in driver.reports)
        assert reports == Counter([(1, Reason.INPUT_CUT, 0), (0, Reason.UNDELIVERABLE, 1)])
        assert sorted(passed.node for passed in driver.delivered) == [3, 5]
        assert not any(passed.error for passed in driver.delivered)


@ENDS
@pytest.mark.parametrize("listed", [True, False], ids=["list", "broadcast"])
@pytest.mark.parametrize("policy", ["greedy", "ordered"])
def test_broadcast_cut_in_every_cycle(policy: str, listed: bool, end: int) -> None:
    """A lost copy costs its neighbour alone before any copy came to its control word, after that all behind it."""
    config = Config(dim=3, max_dest=1, max_list=6, max_data=3, policy=policy)
    source = 0b101
    due = [node for node in range(config.nodes) if node != source]
    if listed:
        due.pop()
    destinations = due if listed else None
    words = encode(config, source, destinations, [1, 2, 3])
    usual = undisturbed(config, words, source)
    assert len(usual) == 3 and len({passed.cycles for passed in usual.values()}) == 1
    cycles = usual[0].cycles
    # k, list, control word
    header = len(words) - 3
    costs = Counter()
    for j, copy in usual.items():
        for cut in range(cycles[0] - 1, cycles[-1] + 2):
            driver = sending(config, words, source)
            cut_at(driver, cut, source ^ end << j, j)
            driver.run()
            moved = sum(cycle < cut for cycle in cycles)
            lost = sorted(report.destination for report in driver.reports if report.reason == Reason.UNDELIVERABLE)
            if moved >= header:
                behind = set()
            elif moved < header - 2 or cut == cycles[0] - 1:
                behind = {1 << j}
            else:
                behind = {
                    relative | 1 << j for relative in range(config.nodes) if not relative & ~copy.words[header - 1]
                }
            assert lost == [target for target in due if target ^ source in behind], (j, cut)
            others = [report for report in driver.reports if report.reason != Reason.UNDELIVERABLE]
            expected = (
                [Reported(source ^ 1 << j, Reason.INPUT_CUT, 0, j, others[0].lane)] if 0 < moved < len(words) else []
            )
            if header <= moved < len(words):
                expected.append(Reported(source, Reason.COPY_CUT, source ^ 1 << j, config.dim, 0))
            assert sorted(others, key=str) == sorted(expected, key=str)
            got = sorted(passed.node for passed in driver.delivered)
            assert sorted([*got, *lost]) == due
            check_nothing_inside(driver)
            costs[len(lost)] += 1
    assert costs[0] and costs[1] and costs[4]


def test_a_repaired_link_is_used_again() -> None:
    """Cut for a single cycle, in the middle of a message: the next message goes over it as if nothing had been."""
    config = Config(dim=3, max_dest=3)
    words = encode(config, 0, [0b001, 0b011], [5, 6, 7, 8])
    usual = undisturbed(config, words)[0]
    for cut in range(usual.cycles[0], usual.cycles[-1] + 1):
        driver = sending(config, words)
        cut_at(driver, cut, 1, 0, until=cut + 1)
        driver.run()
        check_nothing_inside(driver)
        crossed, start = len(driver.crossed), driver.network.cycle
        driver.send(0, words)
        driver.run()
        again = driver.crossed[crossed]
        assert (again.port, again.words) == (0, usual.words)
        assert [cycle - start for cycle in again.cycles] == [cycle - driver.wait for cycle in usual.cycles]


class Unit:
    """A message handling unit alone, fed with one message after the other.

    ``copies`` are the words that left, by port, and ``reports`` what it reported as (reason, destination).
    """

    def __init__(self, config: Config, address: int, words: list[int]) -> None:
        self.mhu = Mhu(config, address)
        self.send(words)

    def send(self, words: list[int]) -> None:
        """Begin a message, and the record of it."""
        self.words = [(word, int(index == len(words) - 1), 0) for index, word in enumerate(words)]
        self.copies: dict[int, list[int]] = {}
        self.reports: list[tuple[int, int]] = []

    def cycles(self, count: int, ready: int = 0, fault: int = 0, cut: int = 0, reporting: bool = True) -> None:
        """Step with the ports of the mask ``ready`` taking words and the links of the mask ``fault`` cut."""
        for _ in range(count):
            self.mhu.links(fault, cut)
            for j in bits(self.mhu.valid & ready & ~fault):
                self.copies.setdefault(j, []).append((self.mhu.words[j] or (0, 0, 0))[0])
            item = self.mhu.item
            if item.valid and reporting:
                self.reports.append((item.reason, item.destination))
            word = self.words[0] if self.words and self.mhu.accept else None
            self.mhu.edge(word, self.mhu.valid & ready, reporting)
            if word:
                self.words.pop(0)


def test_a_link_cut_between_two_decisions() -> None:
    """``ordered``: a row that now votes for the dimension of a copy waits for the end of that copy."""
    config = Config(dim=2, policy="ordered")
    unit = Unit(config, 0b10, encode(config, 0b10, [0b11, 0b01], [9]))
    unit.cycles(4)
    assert not unit.mhu.controller.again and unit.mhu.output_module.active == 0b01
    unit.cycles(9, fault=0b10)
    assert unit.mhu.output_module.active == 0b01 and not unit.copies
    unit.cycles(30, ready=0b111, fault=0b10)
    assert unit.copies == {0: [1, 0b11, 0, 9, 1, 0b01, 0, 9]}
    assert not unit.reports and unit.mhu.free


def test_a_link_repaired_before_the_report() -> None:
    """A row that was left over is decided when one of its links comes back, if it was not reported until then."""
    for policy in ("greedy", "ordered"):
        config = Config(dim=3, max_dest=3, policy=policy)
        unit = Unit(config, 0b010, encode(config, 0b010, [0b011, 0b000, 0b110], [9]))
        unit.cycles(12, fault=0b011, reporting=False)
        assert unit.mhu.item.valid and unit.mhu.output_module.active == 0b100
        unit.cycles(12, fault=0b010, reporting=False)
        # under ``ordered`` not as long as a copy is under way
        assert unit.mhu.output_module.active == (0b101 if policy == "greedy" else 0b100)
        unit.cycles(30, ready=0b1111, fault=0b010)
        assert unit.copies == {0: [1, 0b011, 0, 9], 2: [1, 0b110, 0, 9]}
        assert unit.reports == [(Reason.UNDELIVERABLE, 0b000)] and unit.mhu.free


@pytest.mark.parametrize("policy", ["greedy", "ordered"])
def test_copies_lost_before_any_came_to_its_control_word(policy: str) -> None:
    """What lies behind them is handed on in the control vectors of the others; the links may be back by then."""
    config = Config(dim=3, max_dest=3, policy=policy)
    k = config.broadcast_k
    unit = Unit(config, 0, [k, 0b111, 9])
    unit.mhu.inject = 1
    for _ in range(2):
        unit.cycles(4)
        unit.cycles(1, fault=0b010)
        unit.cycles(5)
        assert unit.reports == [(Reason.UNDELIVERABLE, 0b010)]
        unit.cycles(1, fault=0b100)
        unit.cycles(5)
        assert unit.reports == [(Reason.UNDELIVERABLE, target) for target in (0b010, 0b100, 0b110)]
        unit.cycles(9, ready=0b1111)
        assert unit.copies == {0: [k, 0b110, 9]} and unit.mhu.free
        unit.send([k, 0b111, 9])

    unit.cycles(4)
    unit.cycles(9, ready=0b1111, fault=0b010)
    # too late: the others were at their control words
    assert unit.copies == {0: [k, 0b110, 9], 2: [k, 0, 9]}
    assert unit.reports == [(Reason.UNDELIVERABLE, 0b010), (Reason.UNDELIVERABLE, 0b110)]

    unit.send([k, 0b111, 9])
    unit.cycles(4)
    unit.cycles(1, fault=0b010)
    unit.cycles(1)
    unit.cycles(9, ready=0b1111)
    assert unit.copies == {0: [k, 0b110, 9], 2: [k, 0b010, 9]}
    assert unit.reports == [(Reason.UNDELIVERABLE, 0b010)]


def test_the_link_a_message_comes_from_is_cut() -> None:
    """INPUT_CUT once, whatever the unit is at: in the header, in the payload, swallowing, and not when it is over."""
    config = Config(dim=2, max_dest=2, max_data=3)
    good = encode(config, 3, [1, 0], [7, 8, 9])
    for words, taken, reason, delivered in (
        (good, 0, None, None),
        *((good, taken, Reason.INPUT_CUT, None) for taken in (1, 2, 3)),
        (good, 4, Reason.INPUT_CUT, [0, 0]),
        (good, 5, Reason.INPUT_CUT, [0, 7, 0]),
        (good, 6, Reason.INPUT_CUT, [0, 7, 8, 0]),
        (good, 7, None, [0, 7, 8, 9]),
        ([0, 1, 2, 3], 2, Reason.K_ZERO, None),
        ([*good, 10, 11, 12], 8, Reason.DATA_TOO_LONG, [0, 7, 8, 9]),
    ):
        unit = Unit(config, 0, words)
        unit.cycles(taken)
        rest, unit.words = unit.words, []
        unit.cycles(1, cut=1)
        assert unit.mhu.accept == 0
        unit.cycles(20, ready=0b111)
        assert unit.mhu.free and (rest or taken == len(words))
        assert unit.reports == ([] if reason is None else [(reason, 0)])
        assert unit.copies == ({} if delivered is None else {0: [1, 1, *delivered], config.local: delivered})


PROPERTY = {
    "n2": Config(dim=2, max_data=4),
    "n2-ordered": Config(dim=2, max_data=4, policy="ordered"),
    "n3": Config(dim=3, max_dest=3, max_data=4),
    "n3-source-field": Config(dim=3, max_dest=4, max_data=4, source_field=True),
    "n3-ordered": Config(dim=3, max_dest=6, max_data=6, policy="ordered"),
    "n3-ordered-lists": Config(dim=3, max_dest=2, max_data=6, policy="ordered"),
    "n4": Config(dim=4, max_dest=5),
    "n4-ordered": Config(dim=4, max_dest=6, policy="ordered", source_field=True),
    "n3-shared": Config(dim=3, max_dest=4, max_data=4, multicasters="channel"),
    "n3-shared-latency2": Config(dim=3, max_dest=6, max_data=2, decision_latency=2, multicasters="channel"),
    "n3-shared-streamers1": Config(dim=3, max_dest=4, max_data=4, streamers=1, multicasters="channel"),
    "n4-shared-ordered": Config(dim=4, max_dest=6, max_data=4, policy="ordered", multicasters="channel"),
}


def random_events(config: Config, seed: int, rate: float, messages: int = 40) -> Counter[int]:
    """Send random messages while links are cut and repaired at random, and check the books; return the reasons."""
    random = Random(seed)
    driver = Driver(config, stall=random.choice((0.0, 0.3)), gap=random.choice((0.0, 0.2)), seed=seed)
    due: Counter[int] = Counter()
    for number in range(1, messages + 1):
        source, kind = random.randrange(config.nodes), random.random()
        others = set(range(config.nodes)) - {source}
        destinations = None
        if kind > 0.25:
            most = config.max_list if kind < 0.5 else config.max_dest
            destinations = random.sample(range(config.nodes), random.randint(1, most))
        rest = [random.getrandbits(config.width) for _ in range(random.randint(0, config.max_data - 1))]
        payload = [number, *rest] if random.random() < 0.9 else []
        driver.send(source, encode(config, source, destinations, payload))
        due.update(others if destinations is None else destinations)
    vectors = [0] * config.nodes
    for _ in range(20_000):
        if random.random() < rate * config.nodes:
            node = random.randrange(config.nodes)
            vectors[node] = 0 if random.random() < 0.5 else vectors[node] | 1 << random.randrange(config.dim)
            driver.fault(node, vectors[node])
        driver.cycle()
        if driver.network.quiet() and not any(driver.queues):
            break
    else:
        raise AssertionError(f"seed {seed}: not quiet\n{driver.network.trace()}")
    for _ in range(2 * CUT_AFTER_WRITE):
        driver.cycle()
    check_nothing_inside(driver)

    tail = 2 if config.source_field else 1
    got = Counter(passed.node for passed in driver.delivered)
    numbered = Counter((passed.words[tail], passed.node) for passed in driver.delivered if passed.words[tail:])
    assert all(count == 1 for (number, _), count in numbered.items() if number), f"seed {seed}"
    lost = (Reason.UNDELIVERABLE, Reason.NO_LANE)
    reported = Counter(report.destination for report in driver.reports if report.reason in lost)
    assert due == got + reported, f"seed {seed}: due {due}, delivered {got}, reported {reported}"
    reasons = Counter(report.reason for report in driver.reports)
    assert set(reasons) <= {*lost, Reason.COPY_CUT, Reason.INPUT_CUT}
    poisoned = sum(passed.error for passed in driver.delivered)
    assert reasons[Reason.INPUT_CUT] >= reasons[Reason.COPY_CUT] and (not poisoned or reasons[Reason.INPUT_CUT])
    return reasons


@pytest.mark.parametrize("name", PROPERTY)
def test_books_balance_whatever_is_cut(name: str) -> None:
    """Per destination: injected = delivered + reported, nothing delivered twice, nothing left inside."""
    reasons: Counter[int] = Counter()
    for seed in range(3):
        reasons += random_events(PROPERTY[name], seed, 0.02)
    assert reasons[Reason.INPUT_CUT] and reasons[Reason.UNDELIVERABLE]


@pytest.mark.parametrize("repaired", [False, True])
def test_a_duplicate_is_reported_in_each_of_its_places(repaired: bool) -> None:
    """Node 1 stands twice in a list, and is not reached; or the links come back between the reports of its places."""
    found: Counter[tuple[int, int]] = Counter()
    for until in range(4, 16):
        driver = Driver(Config(dim=2))
        driver.fault(0, 0b11)
        driver.send(0, encode(driver.config, 0, [1, 1], [7]))
        while repaired and driver.network.cycle - driver.start < until - CUT_AFTER_WRITE:
            driver.cycle()
        if repaired:
            driver.fault(0, 0)
        driver.run()
        assert all(passed.node == 1 for passed in driver.delivered)
        assert all(
            (report.node, report.reason, report.destination) == (0, Reason.UNDELIVERABLE, 1)
            for report in driver.reports
        )
        found[len(driver.reports), len(driver.delivered)] += 1
    assert set(found) == ({(0, 1), (1, 1), (2, 0)} if repaired else {(2, 0)})


@pytest.mark.soak
@pytest.mark.parametrize("rate", [0.001, 0.01, 0.05])
@pytest.mark.parametrize("name", PROPERTY)
def test_books_balance_whatever_is_cut_soak(name: str, rate: float) -> None:
    """The same, longer, with links cut rarely and often."""
    for seed in range(100, 120):
        random_events(PROPERTY[name], seed, rate, messages=100)
