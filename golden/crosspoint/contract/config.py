"""The one parameter set of a crosspoint router; everything is validated here and nowhere else."""

from __future__ import annotations

import dataclasses

from cubecast.golden.common.contract.parameters import (
    DERIVED,
    CubeParameters,
    boolean,
    integer,
    one_of,
    store_plain,
    width_or_none,
)
from cubecast.golden.common.contract.units import COUNTERS, MEMORIES, Control, control_of

__all__ = ["BLOCK_DEPTHS", "LUT_DEPTHS", "CrosspointConfig"]

LUT_DEPTHS = (4, 8, 16, 32, 64)
"""Words that a queue in distributed (LUT) RAM can have."""

BLOCK_DEPTHS = (128, 256, 512, 1024, 2048, 4096)
"""Words that a queue in block RAM can have; such a queue takes one cycle more."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class CrosspointConfig(CubeParameters):
    """Parameters of a crosspoint router and of a network of them.

    Parameters
    ----------
    dim : int
        Dimension n of the hypercube, 2 to 10; the network has 2**n nodes.
    width : int
        Data bits w of a word, 8 to 512. Default 32.
    runs : int
        1: a packet crosses its dimensions in descending order; 2: any set of dimensions in descending order, then any
        set in ascending order. Default 2.
    multicast : bool
        Whether there are packets to subcubes and to lists (bitmaps). Default True.
    depth : int
        Words D of a queue between an input and a link: 4, 8, 16, 32 or 64. Default 16.
    packet_limit : int
        P, the most words of a packet, 1 to :attr:`most_words`. Default (D - 1) div 3, or :attr:`most_words` if that is
        less.
    eject_depth : int
        Words of each of the n queues before the ejection port: 4 to 64 in LUT RAM, 128 to 4096 in block RAM, powers of
        two. Default 512.
    link_regs : int
        Registers x on a link, each way, 0 to 3. Default 0.
    output_register : bool
        One more register between an output's arbiter and its link. Default False.
    fault_tolerant : bool
        True: there is a fault vector, and links may fail and come back. Default True.
    pause_limit : int
        Cycles without a word in the middle of an injected packet after which the packet is ended with an error, 1 to
        65535; 0: a node may pause for ever. Default 1023.
    log_depth : int
        Entries of a router's error log, 1 to 256, or 0: no log. Default 16.
    counters : int
        Bits of a router's counters, 8, 16 or 32, or 0: no counters. They wrap. Default 32.
    memories : str
        ``distributed`` (default): log and LUT RAM queues are read asynchronously; ``block``: at the edge before, as a
        block RAM is. The router does the same in every cycle.

    Raises
    ------
    ValueError
        A parameter is out of range; one line with its name, its value and what is allowed.
    """

    width: int = 32
    runs: int = 2
    multicast: bool = True
    depth: int = 16
    packet_limit: int = DERIVED
    eject_depth: int = 512
    link_regs: int = 0
    output_register: bool = False
    fault_tolerant: bool = True
    pause_limit: int = 1023
    log_depth: int = 16
    counters: int = 32
    memories: str = dataclasses.field(default=MEMORIES[0], repr=False, metadata={"later": True})

    def __post_init__(self) -> None:
        """Fill in the defaults that depend on other parameters, and check everything."""
        store_plain(self)
        integer("dim", self.dim, 2, 10)
        integer("width", self.width, 8, 512)
        integer("runs", self.runs, 1, 2)
        boolean("multicast", self.multicast)
        _depth("depth", self.depth, LUT_DEPTHS)
        _depth("eject_depth", self.eject_depth, LUT_DEPTHS + BLOCK_DEPTHS)
        integer("link_regs", self.link_regs, 0, 3)
        for name in ("output_register", "fault_tolerant"):
            boolean(name, getattr(self, name))
        for name, unseen in (("depth", self.unseen), ("eject_depth", self.eject_unseen)):
            if getattr(self, name) <= unseen:
                why = f"link_regs is {self.link_regs} and output_register is {self.output_register}"
                raise ValueError(f"{name} must be more than {unseen} when {why}, not {getattr(self, name)}")
        self.derive("packet_limit", min(max(1, (self.depth - 1) // 3), self.most_words))
        integer("packet_limit", self.packet_limit, 1, self.most_words)
        integer("pause_limit", self.pause_limit, 0, 65535)
        integer("log_depth", self.log_depth, 0, 256)
        width_or_none("counters", self.counters, COUNTERS)
        one_of("memories", self.memories, MEMORIES)

    @property
    def forward(self) -> int:
        """Registers f that a word passes between an output's arbiter and the queues of the next node."""
        return self.link_regs + int(self.output_register)

    @property
    def backward(self) -> int:
        """Registers b that a ready flag passes between its own register and the arbiter that it opens."""
        return self.link_regs

    @property
    def loses_words(self) -> bool:
        """Whether words can be in the registers of a link when it is cut; they are lost."""
        return self.fault_tolerant and self.forward > 0

    @property
    def unseen(self) -> int:
        """Words that can be on their way into a queue when a flag that does not count them lets a packet go."""
        return 1 + self.forward + self.backward

    @property
    def block_eject(self) -> bool:
        """Whether the ejection queues are in block RAM."""
        return self.eject_depth in BLOCK_DEPTHS

    @property
    def eject_unseen(self) -> int:
        """The same for an ejection queue; one in block RAM counts a word a cycle late."""
        return self.unseen + int(self.block_eject)

    @property
    def most_words(self) -> int:
        """The largest packet limit: a packet, and the words unseen, fit into any empty queue."""
        return min(self.depth - self.unseen, self.eject_depth - self.eject_unseen)

    @property
    def bitmap_dims(self) -> int:
        """Dimensions b that a bitmap covers, the lowest ones: 2**b of its bits fit into a word."""
        return min(self.dim, self.width.bit_length() - 1)

    @property
    def bitmap_bits(self) -> int:
        """Bits of a bitmap, 2**b."""
        return 1 << self.bitmap_dims

    @property
    def carries_r2(self) -> bool:
        """Whether links have the field r2: for the second run, and for the free dimensions of a subcube."""
        return self.runs == 2 or self.multicast

    @property
    def lanes(self) -> int:
        """Report streams per dimension: input 0, output 1; the injection checker is lane 0 of port n."""
        return 2

    @property
    def units(self) -> int:
        """Report streams of a router."""
        return self.lanes * self.dim + 1

    @property
    def control(self) -> Control:
        """What the units that all routers share are made for."""
        return control_of(self)

    def reporting(self, *, adapter: bool) -> Control:
        """Return what the report collector is made for: with a network adapter, lane 1 of port n is its stream."""
        return dataclasses.replace(self.control, units=self.units + int(adapter))


def _depth(name: str, value: object, allowed: tuple[int, ...]) -> None:
    """Raise ``ValueError`` unless ``value`` is one of the depths that the RAM can have."""
    if type(value) is not int or value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(str, allowed))}, not {value!r}")
