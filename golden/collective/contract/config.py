"""The one parameter set of a node with collectives; everything is validated here and nowhere else."""

from __future__ import annotations

import dataclasses

from cubecast.golden.common.contract.parameters import NodeParameters, integer, store_plain
from cubecast.golden.multicast.contract.config import Config

__all__ = ["HEADER_WORDS", "LEAST_WIDTH", "CollectiveConfig"]

HEADER_WORDS = 2
"""Payload words of a segment before the words of its piece."""

LEAST_WIDTH = 16
"""Bits that the fields of a segment's header need."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class CollectiveConfig(NodeParameters):
    """Parameters of a node with collectives and of a network of them.

    Parameters
    ----------
    router : Config
        Parameters of the router; its ``width`` must be at least 16, its ``max_data`` at least 3, its ``max_dest``
        at least n.
    max_vector : int
        V, the longest vector of a node in words, 1 to 4096. Default 64.
    max_relays : int
        R, the relay entries of a node, 0 to 16. Default 4.

    Raises
    ------
    ValueError
        A parameter is out of range; one line with its name, its value and what is allowed.
    """

    router: Config = dataclasses.field(metadata={"part": Config})
    max_vector: int = 64
    max_relays: int = 4

    def __post_init__(self) -> None:
        """Check everything."""
        store_plain(self)
        self.check_router(Config, "collectives", width=LEAST_WIDTH, max_data=HEADER_WORDS + 1)
        self.check_router(Config, "collectives", max_dest=self.router.dim)
        integer("max_vector", self.max_vector, 1, 4096)
        integer("max_relays", self.max_relays, 0, 16)

    @property
    def width(self) -> int:
        """Bits of a word, w."""
        return self.router.width

    @property
    def reads_ahead(self) -> bool:
        """Whether units say one cycle before where they will read."""
        return self.router.reads_ahead

    @property
    def segment(self) -> int:
        """Most words of a piece that one message carries, g."""
        return self.router.max_data - HEADER_WORDS

    @property
    def counters(self) -> int:
        """Bits of the counters of operations and of their cycles, as of the router's: 0: there are none."""
        return self.router.counters

    @property
    def strange_bits(self) -> int:
        """Bits of the counter of messages that were not expected or not whole; 0: there is none."""
        return min(16, self.counters)

    @property
    def pass_depth(self) -> int:
        """Entries of a pass buffer, E: a whole vector, and one for each of its segments."""
        return self.max_vector + -(-self.max_vector // self.segment)

    @property
    def count_bits(self) -> int:
        """Bits of a number of words, 0..V: [c] of the contract."""
        return self.max_vector.bit_length()

    @property
    def place_bits(self) -> int:
        """Bits of the place of a word, 0..V-1: [a] of the contract."""
        return max(1, (self.max_vector - 1).bit_length())

    @property
    def level_bits(self) -> int:
        """Bits of the number of entries in a pass buffer, 0..E."""
        return self.pass_depth.bit_length()
