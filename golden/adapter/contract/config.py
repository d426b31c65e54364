"""The one parameter set of a node with a crosspoint router and a network adapter; validated here and nowhere else."""

from __future__ import annotations

import dataclasses

from cubecast.golden.common.contract.parameters import DERIVED, NodeParameters, integer, one_of, store_plain
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.units import QueueShape

__all__ = ["LEAST_PACKET", "POLICIES", "AdapterConfig"]

ORDINAL_BITS = 4
"""Bits of the number of a packet in its tag, where the width leaves so many."""

LEAST_PACKET = 2
"""Words of the shortest packet: its tag, and one of data."""

POLICIES = ("all", "e-cube", "either", "random", "valiant")
"""Policies that an adapter can have: all, one of which a register chooses, or one alone."""

BUFFER_WORDS = 64
"""Words of a buffer by default, which nothing else says where there are none."""

LONGEST_FRAME = 4096
"""Words of the largest buffer."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class AdapterConfig(NodeParameters):
    """Parameters of a node with a network adapter and of a network of them.

    Parameters
    ----------
    router : CrosspointConfig
        Parameters of the router; its ``packet_limit`` must be at least 2, its ``width`` at least 2 n + 2, with two runs
        3 n + 2.
    fault_entries : int
        F, the entries of the list of faulty links and nodes, 0 to 16. Default 4 with a fault-tolerant router, else 0.
    relay_wait : int
        Cycles that a packet to be relayed waits for room, 1 to 65535, before it is swallowed. Default 1023.
    reassemble : int
        K, messages that are put together at a time before they leave, 0 to 16; 0, the default: none.
    reassemble_words : int
        M, words of the buffer of each, a power of two from 2 to 4096. Default 64, which it is without buffers.
    policies : str
        One of :data:`POLICIES`; with one run "all" or "e-cube", which are the same there. Default "all".

    Raises
    ------
    ValueError
        A parameter is out of range; one line with its name, its value and what is allowed.
    """

    router: CrosspointConfig = dataclasses.field(metadata={"part": CrosspointConfig})
    fault_entries: int = DERIVED
    relay_wait: int = 1023
    reassemble: int = dataclasses.field(default=0, repr=False, metadata={"later": True})
    reassemble_words: int = dataclasses.field(default=BUFFER_WORDS, repr=False, metadata={"later": True})
    policies: str = dataclasses.field(default=POLICIES[0], repr=False, metadata={"later": True})

    def __post_init__(self) -> None:
        """Fill in the default that depends on the router, and check everything."""
        store_plain(self)
        self.check_router(CrosspointConfig, "an adapter", packet_limit=LEAST_PACKET)
        self.check_router(CrosspointConfig, "an adapter", width=self.tag_bits)
        self.derive("fault_entries", 4 if self.router.fault_tolerant else 0)
        integer("fault_entries", self.fault_entries, 0, 16)
        integer("relay_wait", self.relay_wait, 1, 65535)
        integer("reassemble", self.reassemble, 0, 16)
        integer("reassemble_words", self.reassemble_words, 2, LONGEST_FRAME)
        if self.reassemble_words & self.reassemble_words - 1:
            raise ValueError(
                f"reassemble_words must be a power of two from 2 to {LONGEST_FRAME}, not {self.reassemble_words}"
            )
        if not self.reassemble and self.reassemble_words != BUFFER_WORDS:
            raise ValueError(f"reassemble_words must be left out when reassemble is 0, not {self.reassemble_words}")
        one_of("policies", self.policies, POLICIES)
        if self.router.runs == 1 and self.policies not in POLICIES[:2]:
            raise ValueError(f"policies must be one of {', '.join(POLICIES[:2])} when runs is 1, not {self.policies}")

    @property
    def width(self) -> int:
        """Bits of a word, w."""
        return self.router.width

    @property
    def path_bits(self) -> int:
        """Bits of the field path of a tag: n with two runs, else 0."""
        return self.dim if self.router.runs == 2 else 0

    @property
    def tag_bits(self) -> int:
        """Bits of a tag without a number, and the least width: destination, source, first, final, path."""
        return 2 * self.dim + 2 + self.path_bits

    @property
    def ordinal_bits(self) -> int:
        """Bits S of the number of a packet: what the width leaves, 4 at most; 0 if that is 1, which tells no gap."""
        free = min(self.width - self.tag_bits, ORDINAL_BITS)
        return free if free > 1 else 0

    @property
    def ordinal_port_bits(self) -> int:
        """Bits of that number as a port, at least 1."""
        return max(1, self.ordinal_bits)

    def follows(self, before: int, number: int) -> bool:
        """Return whether, as far as their numbers tell, nothing is lost between two words of a message."""
        return (number - before) % (1 << self.ordinal_bits) < 2 or not self.ordinal_bits

    @property
    def chooses(self) -> bool:
        """Whether there is a policy to be chosen: two runs, and all policies."""
        return self.router.runs == 2 and self.policies == POLICIES[0]

    @property
    def draws(self) -> bool:
        """Whether there are random bits: two runs, and not e-cube alone."""
        return self.router.runs == 2 and self.policies != POLICIES[1]

    @property
    def knows_faults(self) -> bool:
        """Whether a fault can be known: a link that is cut, or an entry of the list."""
        return self.router.fault_tolerant or self.fault_entries > 0

    @property
    def bitmaps(self) -> bool:
        """Whether there are bitmap packets: behind bitmap and tag there must be room for a word."""
        return self.router.multicast and self.router.packet_limit > LEAST_PACKET

    @property
    def rows(self) -> int:
        """Words of a message's bitmap, 2**(n - b)."""
        return 1 << (self.dim - self.router.bitmap_dims)

    @property
    def row_index_bits(self) -> int:
        """Bits of the number of a row, at least 1."""
        return max(1, self.dim - self.router.bitmap_dims)

    @property
    def count_bits(self) -> int:
        """Bits c of a number of words of a chunk, 0 to P - 1."""
        return (self.router.packet_limit - 1).bit_length()

    @property
    def index_bits(self) -> int:
        """Bits q of the number of a word in a bank, at least 1."""
        return max(1, (self.router.packet_limit - 2).bit_length())

    @property
    def relay_shape(self) -> QueueShape:
        """Shape of the queue of packets that are sent on: data, last, error."""
        depth = self.router.depth
        return QueueShape(bits=self.width + 2, depth=depth, most=depth - self.router.packet_limit)

    @property
    def buffer_bits(self) -> int:
        """Bits of the number of a buffer, at least 1."""
        return max(1, (self.reassemble - 1).bit_length())

    @property
    def frame_bits(self) -> int:
        """Bits of the place of a word in a buffer."""
        return (self.reassemble_words - 1).bit_length()

    @property
    def frame_shape(self) -> QueueShape:
        """Shape of the queue of frames: buffer, source, path, end, first, more, error."""
        bits = self.buffer_bits + self.dim + self.path_bits + self.frame_bits + 3
        depth = 1 << self.buffer_bits
        return QueueShape(bits=bits, depth=depth, most=depth - 1)
