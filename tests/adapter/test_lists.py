"""Lists of destinations in hardware become as few packets as there can be, where a bitmap fills two words at most."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.adapter.contract.word import header_places
from cubecast.golden.adapter.twins.chunker import Chunker
from cubecast.golden.adapter.twins.fault_list import Knowledge
from cubecast.golden.adapter.twins.planner import Planner
from cubecast.golden.adapter.twins.words import Word
from cubecast.golden.crosspoint.algorithms.packets import Header, destinations
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.word import Kind
from tests.crosspoint.least_packets import least


def packets(config: AdapterConfig, address: int, nodes: int) -> list[Header]:
    """Return the headers of the packets that chunker and planner make of a message to a list."""
    places, width = 1 << config.router.bitmap_dims, header_places(config)
    rows = [nodes >> first & (1 << places) - 1 for first in range(0, config.nodes, places)]
    words = [Word(word, 0, 0) for word in (int(Kind.BITMAP) << width["kind"].low, *rows)] + [Word(0, 1, 0)]
    chunker, planner, found = Chunker(config), Planner(config), []
    nothing = Knowledge([], 0, address)
    while words or chunker.chunk:
        planner.edge(chunker.chunk, chunker.rows[planner.row_index], None, True, nothing)
        ready = chunker.ready
        chunker.edge(words[0] if words else None, False, address, chunk_taken=planner.chunk_taken)
        if ready and words:
            words.pop(0)
        order = planner.order
        if order is not None and order.send:
            found.append(Header(Kind(order.kind), order.r1, order.r2, order.bitmap))
    return found


def _check(dim: int, address: int, lists: Iterable[int]) -> None:
    """Compare with the least number; every destination is in one packet."""
    config = AdapterConfig(router=CrosspointConfig(dim=dim, width=14))
    best = least(dim, config.router.bitmap_dims)
    for nodes in lists:
        relative = sum(1 << (x ^ address) for x in range(config.nodes) if nodes >> x & 1) & ~1
        if relative:
            made = packets(config, address, nodes)
            reached = [node for header in made for node in destinations(header, 0)]
            assert sum(1 << node for node in reached) == relative and len(reached) == relative.bit_count()
            assert len(made) == best[relative]


def test_lists_become_the_fewest_packets() -> None:
    """Every list of a 3-cube, every 131st of a 4-cube, at one node, and some subcubes across both words."""
    _check(3, 5, range(1, 256))
    _check(4, 9, [*range(1, 1 << 16, 131), (1 << 16) - 1, 0x0202, 0x0303, 0x5555, 0x1111])


@pytest.mark.soak
@pytest.mark.parametrize("address", [0, 9])
def test_every_list_becomes_the_fewest_packets(address: int) -> None:
    """Every list of a 4-cube."""
    _check(4, address, range(1, 1 << 16))
