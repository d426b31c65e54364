"""Tables of rings: written down by hand, and followed by nodes that know nothing else."""

from __future__ import annotations

import random
from collections import deque

import pytest

from cubecast.golden.collective.algorithms.group_ring import gray_ring, group_ring, ring_in_sequence
from cubecast.golden.collective.algorithms.ring_tables import ring_tables
from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.multicast.contract.config import Config

NODES = (0, 2, 3, 5, 6, 10, 13, 15)


def config_of(n, **more):
    """Return a configuration with default sizes."""
    return CollectiveConfig(router=Config(dim=n, **more))


def circulate(tables, generator):
    """Pass messages on as the tables say, in a random order; return the origins that each node got, in their order."""
    expected = {node: table["EXPECT"] for node, table in tables.items()}
    got = {node: [] for node in tables}
    links = {}

    def send(node, origin):
        """Send to the next member."""
        member = tables[node]["NEXT"] & 0xFFFF
        links.setdefault((node, member), deque()).append(origin)

    for node, table in tables.items():
        if table["NEXT"] >> 16:
            send(node, node)
    while ready := [key for key, queue in links.items() if queue]:
        link = generator.choice(ready)
        node, origin = link[1], links[link].popleft()
        got[node].append(origin)
        assert len(got[node]) <= expected[node]
        if tables[node]["NEXT"] & 0xFFFF != origin:
            send(node, origin)
    assert {node: len(origins) for node, origins in got.items()} == expected
    return got


def test_by_hand():
    """n = 2, three members: 0 to 3 to 1 to 0."""
    ring = group_ring(2, (0, 1, 3), "ascending")
    assert ring.ring == (0, 3, 1)
    tables = ring_tables(ring, config_of(2), 7)
    assert {node: table["NEXT"] for node, table in tables.items()} == {0: 3 | 1 << 16, 3: 1 | 1 << 16, 1: 1 << 16}
    assert all((table["EXPECT"], table["COMMAND"]) == (2, 1 | 1 << 2) for table in tables.values())
    unused = {name for table in tables.values() for name, value in table.items() if not value}
    assert unused >= {"RECEIVE", "SENDS", "SPREAD", "RELAYS", "ENDS_1", "SEND_0", "RELAY_3"}
    assert all(list(table)[-1] == "COMMAND" for table in tables.values())
    empty = ring_tables(ring, config_of(2), 0)
    assert all(table["COMMAND"] == 1 | 1 << 2 | 1 << 12 for table in empty.values())


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_everybody_gets_everything_once(n):
    """Random groups: each member the messages of all others, starting with that of the one before it."""
    generator = random.Random(n)
    for _ in range(20):
        members = generator.sample(range(2**n), generator.randint(2, 2**n))
        ring = group_ring(n, members, "ascending")
        got = circulate(ring_tables(ring, config_of(n), 1), generator)
        for place, node in enumerate(ring.ring):
            before = [ring.ring[place - back] for back in range(1, len(members))]
            assert got[node] == before


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_gray_code_with_silent_nodes(n):
    """All nodes pass on, the members send: the links are single ones, and everybody gets each message once."""
    generator = random.Random(n)
    ring = gray_ring(n, range(2**n))
    for _ in range(10):
        members = generator.sample(range(2**n), generator.randint(2, 2**n))
        tables = ring_tables(ring, config_of(n), 1, members)
        assert set(tables) == set(range(2**n))
        assert all((node ^ table["NEXT"] & 0xFFFF).bit_count() == 1 for node, table in tables.items())
        got = circulate(tables, generator)
        for node, origins in got.items():
            assert sorted(origins) == sorted(set(members) - {node})


@pytest.mark.parametrize(
    ("ring", "config", "arguments", "message"),
    [
        (
            group_ring(4, NODES),
            config_of(4),
            (1,),
            "order must be ascending, that in which the routers send, not descending",
        ),
        (gray_ring(4, NODES), config_of(4), (1,), "order must be ascending, that in which the routers send, not gray"),
        (
            group_ring(4, NODES, "ascending"),
            config_of(4, policy="ordered"),
            (1,),
            "policy must be greedy for a ring, not ordered",
        ),
        (
            ring_in_sequence(4, (0, 5, 2, 13, 3, 15, 6, 10), "ascending"),
            config_of(4),
            (1,),
            "paths must share no link, not 2 of them",
        ),
        (group_ring(3, (1, 2), "ascending"), config_of(4), (1,), "dim of the ring must be 4, that of the nodes, not 3"),
        (group_ring(4, (9,), "ascending"), config_of(4), (1,), "ring must have at least 2 nodes, not 1"),
        (group_ring(4, NODES, "ascending"), config_of(4), (65,), "length must be an integer from 0 to 64, not 65"),
        (
            group_ring(4, NODES, "ascending"),
            config_of(4),
            (1, (3, 15, 14, 1)),
            "senders must be nodes of the ring, not 1",
        ),
    ],
)
def test_messages(ring, config, arguments, message):
    """One line with name, value and what is allowed."""
    with pytest.raises(ValueError) as caught:
        ring_tables(ring, config, *arguments)
    assert str(caught.value) == message
