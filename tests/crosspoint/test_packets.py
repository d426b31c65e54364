"""Packets of the crosspoint router: legal headers, and trees that reach whom the definition names, once."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import pytest

from cubecast.golden.crosspoint.algorithms.packets import Header, destinations, fault_of, named, tree
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.word import CrosspointReason, Kind, has_queue

CONFIGS = [
    CrosspointConfig(dim=dim, width=8, runs=runs, multicast=multicast)
    for dim, runs, multicast in [
        (2, 2, True),
        (3, 1, True),
        (3, 2, True),
        (3, 1, False),
        (3, 2, False),
        (4, 1, True),
        (4, 2, True),
    ]
]


def headers(config: CrosspointConfig) -> Iterator[Header]:
    """Yield every header without a bitmap, and every r1 with every bitmap (at n = 4 some of them)."""
    size = config.nodes
    for kind, r1, r2 in itertools.product((0, 1, 3), range(size), range(size)):
        yield Header(kind, r1, r2)
    chance = random.Random(1)
    for r1, bitmap in itertools.product(range(size), range(1 << config.bitmap_bits)):
        if config.dim < 4 or chance.random() < 0.1:
            yield Header(Kind.BITMAP, r1, 0, bitmap)


def is_for(config: CrosspointConfig, header: Header, relative: int) -> bool:
    """Return whether a legal packet is for the node that is ``relative`` away from its source."""
    rest = relative ^ header.r1
    if header.kind == Kind.UNICAST:
        return rest == header.r2
    if header.kind == Kind.SUBCUBE:
        return relative != 0 and rest | header.r2 == header.r2
    return rest < config.bitmap_bits and bool(header.bitmap >> rest & 1)


@pytest.mark.parametrize("config", CONFIGS, ids=lambda c: f"{c.dim}-{c.runs}-{'multicast' if c.multicast else 'plain'}")
def test_every_legal_packet_reaches_its_set_once(config: CrosspointConfig) -> None:
    """By links that are used once, through queues that exist, in the order of the runs, without detour."""
    legal = 0
    for number, header in enumerate(headers(config)):
        if fault_of(config, header) is not None:
            continue
        legal += 1
        source = number % config.nodes
        wanted = [node for node in range(config.nodes) if is_for(config, header, node ^ source)]
        found = tree(config, source, header)
        assert list(found.delivered) == wanted == sorted(destinations(header, source))
        assert source not in wanted and wanted
        links = [(hop.node, hop.dimension) for hop in found.hops]
        assert len({*links}) == len(links)
        assert all(has_queue(config, hop.came, hop.dimension) for hop in found.hops)
        if header.kind == Kind.UNICAST:
            ways = [hop.dimension for hop in found.hops]
            turn = header.r1.bit_count()
            assert ways[:turn] == sorted(ways[:turn], reverse=True) and ways[turn:] == sorted(ways[turn:])
        else:
            assert all(hop.dimension < hop.came for hop in found.hops)
    assert legal >= config.nodes - 1


def test_legal_headers_are_those_that_lose_nothing() -> None:
    """A unicast is legal exactly when it has somewhere to go and no hop leads back over the link before."""
    config = CrosspointConfig(dim=4)
    for r1, r2 in itertools.product(range(16), repeat=2):
        ways = [k for k in range(3, -1, -1) if r1 >> k & 1] + [k for k in range(4) if r2 >> k & 1]
        good = bool(ways) and all(a != b for a, b in itertools.pairwise(ways))
        assert (fault_of(config, Header(Kind.UNICAST, r1, r2)) is None) == good


REASONS = [
    ({}, Header(0, 0, 0), CrosspointReason.EMPTY),
    ({}, Header(0, 0b110, 0b1010), CrosspointReason.TURN_BACK),
    ({}, Header(0, 0b1010, 0b1010), CrosspointReason.TURN_BACK),
    ({}, Header(0, 0b100, 0b110), None),
    ({"runs": 1}, Header(0, 0b100, 0b010), CrosspointReason.SECOND_RUN),
    ({"runs": 1}, Header(0, 0, 1), CrosspointReason.SECOND_RUN),
    ({"runs": 1}, Header(1, 0, 1), None),
    ({}, Header(1, 0, 0), CrosspointReason.EMPTY),
    ({}, Header(1, 0b11, 0b110), CrosspointReason.BAD_SET),
    ({}, Header(1, 0b1000, 0), None),
    ({}, Header(2, 0b0100, 0, 1), CrosspointReason.BAD_SET),
    ({}, Header(2, 0b1000, 1, 1), CrosspointReason.BAD_SET),
    ({}, Header(2, 0, 0, 0x100), CrosspointReason.ADDRESS_BITS),
    ({}, Header(2, 0, 0, 0), CrosspointReason.EMPTY),
    ({}, Header(2, 0, 0, 3), CrosspointReason.OWN_SOURCE),
    ({}, Header(2, 0b1000, 0, 3), None),
    ({}, Header(3, 1, 0), CrosspointReason.BAD_KIND),
    ({"multicast": False}, Header(1, 1, 0), CrosspointReason.BAD_KIND),
    ({"multicast": False}, Header(2, 0, 0, 2), CrosspointReason.BAD_KIND),
]


@pytest.mark.parametrize(("more", "header", "reason"), REASONS)
def test_reasons(more: dict[str, int], header: Header, reason: CrosspointReason | None) -> None:
    """The first that applies; an illegal packet has no tree."""
    config = CrosspointConfig(dim=4, width=8, **more)  # type: ignore[arg-type]
    assert fault_of(config, header) == reason
    if reason is not None:
        with pytest.raises(ValueError, match=reason.name):
            tree(config, 0, header)


def test_named_destinations() -> None:
    """Of a unicast the node it is for, of others where r1 leads."""
    assert named(Header(Kind.UNICAST, 0b100, 0b011), 0b1000) == 0b1111
    assert named(Header(Kind.SUBCUBE, 0b100, 0b011), 0b1000) == 0b1100
    assert named(Header(Kind.BITMAP, 0b100, 0, 6), 0b1000) == 0b1100
