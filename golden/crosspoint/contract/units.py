"""What the units of a crosspoint router are made for: its parameters, and the place of the unit in it."""

from __future__ import annotations

import dataclasses

from cubecast.golden.common.contract.parameters import Parameters, integer, one_of
from cubecast.golden.common.contract.units import MEMORIES
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.word import has_queue, kept

__all__ = ["Crosspoint", "Port", "QueueShape", "queue_shape"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class QueueShape(Parameters):
    """What a queue is made for.

    Parameters
    ----------
    bits : int
        Width of its RAM.
    depth : int
        Words.
    most : int
        ``room`` is true while at most this many words are counted.
    block : bool
        Whether it takes the cycle more that a block RAM has without a register beside it.
    memories : str
        How it is read, one of ``MEMORIES``.
    """

    bits: int
    depth: int
    most: int
    block: bool = False
    memories: str = dataclasses.field(default=MEMORIES[0], repr=False, metadata={"later": True})

    def __post_init__(self) -> None:
        """Check the numbers."""
        integer("bits", self.bits, 1, 4096)
        integer("depth", self.depth, 2, 4096)
        if self.depth & self.depth - 1:
            raise ValueError(f"depth must be a power of two, not {self.depth}")
        integer("most", self.most, 0, self.depth - 1)
        one_of("memories", self.memories, MEMORIES)

    @property
    def label(self) -> str:
        """The numbers: a design has queues of several shapes."""
        ahead = "_ahead" if self.memories == "block" else ""
        return f"{'block' if self.block else 'lut'}_{self.bits}_{self.depth}_{self.most}{ahead}"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Port(Parameters):
    """A port of a router: link j, or n.

    Parameters
    ----------
    router : CrosspointConfig
        The router.
    port : int
        Number of the port, 0 to n.
    """

    router: CrosspointConfig = dataclasses.field(metadata={"part": CrosspointConfig})
    port: int

    def __post_init__(self) -> None:
        """Check the number."""
        integer("port", self.port, 0, self.router.dim)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Crosspoint(Parameters):
    """A crosspoint of a router: queue (i, j), or, with output n for input n, where words are injected.

    Parameters
    ----------
    router : CrosspointConfig
        The router.
    input, output : int
        i and j, 0 to n.
    """

    router: CrosspointConfig = dataclasses.field(metadata={"part": CrosspointConfig})
    input: int
    output: int

    def __post_init__(self) -> None:
        """Check that there is such a crosspoint."""
        n = self.router.dim
        integer("input", self.input, 0, n)
        integer("output", self.output, 0, n)
        if not has_queue(self.router, self.input, self.output) and (self.input, self.output) != (n, n):
            raise ValueError(f"output must be one that input {self.input} has a queue to, not {self.output}")


def queue_shape(config: CrosspointConfig, i: int, j: int) -> QueueShape:
    """Return the shape of the queue from input i to output j.

    A queue has room while the words it counts, those unseen, and a packet of the greatest length fit into it. Nothing
    is unseen on the way from the injection port but the word of the same cycle.
    """
    bits, memories = kept(config, i, j).bits, config.memories
    if j == config.dim:
        depth = config.eject_depth
        most = depth - config.packet_limit - config.eject_unseen
        return QueueShape(bits=bits, depth=depth, most=most, block=config.block_eject, memories=memories)
    unseen = 1 if i == config.dim else config.unseen
    most = config.depth - config.packet_limit - unseen
    return QueueShape(bits=bits, depth=config.depth, most=most, memories=memories)
