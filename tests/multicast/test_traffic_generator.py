"""The traffic generator beside its golden twin, and what its random choice is like."""

from collections import Counter

import pytest

from cubecast.golden.common.twins.traffic_pattern import WALK, follow, mix, walk
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.self_test import Generator
from cubecast.golden.multicast.twins.traffic_generator import TrafficGenerator


@pytest.mark.parametrize("dim", WALK)
def test_walk_visits_every_address_but_0(dim):
    """So a message has no destination twice."""
    config, seen, place = Config(dim=dim), set(), 1
    while place not in seen:
        seen.add(place)
        place = walk(config.dim, place)
    assert seen == set(range(1, config.nodes))


@pytest.mark.parametrize("width", [2, 3, 8, 32, 65])
def test_no_payload_word_repeats_the_one_before(width):
    """So a word that is lost or doubled is seen."""
    config = Config(dim=2, width=width)
    for word in range(min(1 << width, 4096)):
        assert follow(config.width, word) != word


def test_deliveries_exchanged_between_two_nodes_change_the_signature():
    """A sum of hashes that were linear in the destination would not see this."""
    for one, other in ((0x41, 0x81), (0x41, 0x42), (3, 0x1003), (0x41, 0xC1)):
        for a in range(64):
            for b in range(a):
                right = mix(one, 8, a) + mix(other, 8, b)
                assert (right - mix(one, 8, b) - mix(other, 8, a)) % 2**32, (one, other, a, b)


def sent(config, cycles, address=5, **registers):
    """Return the messages, as (kind, k, destinations, length), and the counters of a run that is never held up."""
    generator = TrafficGenerator(config, address=address)
    for name, value in registers.items():
        generator.edge(0, address=Generator[name], write=1, data=value)
    generator.edge(0, start=1)
    messages, words = [], []
    for _ in range(cycles):
        offer = generator.offer()
        if offer is not None:
            words.append(offer[0])
            if offer[1]:
                named = () if generator.kind == 3 else tuple(words[1 : 1 + generator.k])
                messages.append((generator.kind, generator.k, named, generator.length))
                words = []
        generator.edge(int(offer is not None))
    return messages, generator.registers


def test_no_first_message_goes_to_its_own_node():
    """Whatever the random bits are until then, which are often 0 in the smallest cube."""
    config = Config(dim=2)
    for seed in range(2000):
        messages, _ = sent(config, 20, address=1, SEED=seed, LOAD=0x10000, LIMIT=1, MIX=255, MULTICAST=3)
        assert len(messages) == 1, seed
        _, k, named, _ = messages[0]
        assert len({1, *named}) == k + 1, (seed, named)


def test_kinds_lengths_and_destinations_are_chosen_as_set():
    """Shares, ranges and load are those of the registers, and every node is named about as often."""
    config, cycles = Config(dim=6), 400_000
    mix_, lists, length = 51 | 26 << 8 | 2 << 16, 9 | 7 << 16, 3 | 7 << 16
    load = 1200
    messages, counters = sent(
        config, cycles, SEED=7, LOAD=load, MIX=mix_, MULTICAST=2 | 3 << 16, LISTED=lists, LENGTH=length
    )
    count = len(messages)
    assert count == pytest.approx(cycles * load / 65536, rel=0.03)
    shares = Counter(kind for kind, *_ in messages)
    for kind, share in ((1, 51), (2, 26), (3, 2), (0, 177)):
        assert shares[kind] / count == pytest.approx(share / 256, rel=0.25 if kind == 3 else 0.08)
    assert Counter(k for kind, k, *_ in messages if kind == 1).keys() == {2, 3, 4, 5}
    assert Counter(k for kind, k, *_ in messages if kind == 2).keys() == set(range(9, 17))
    lengths = Counter(length for *_, length in messages)
    assert lengths.keys() == set(range(3, 11))
    assert all(times / count == pytest.approx(1 / 8, rel=0.15) for times in lengths.values())
    named = Counter(node for kind, _, nodes, _ in messages for node in nodes if kind != 2)
    mean = sum(named.values()) / 63
    assert named.keys() == set(range(64)) - {5}
    assert all(times == pytest.approx(mean, rel=0.35) for times in named.values())
    assert counters[Generator.CLOCKS] == cycles


def test_two_destinations_are_named_in_most_pairs():
    """The lists are not always the same few."""
    messages, _ = sent(Config(dim=4), 100_000, SEED=3, LOAD=65536, MIX=255, MULTICAST=2)
    pairs = {frozenset(nodes) for kind, _, nodes, _ in messages if kind == 1}
    assert len(pairs) > 50
