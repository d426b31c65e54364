"""The one parameter set of a node with a crosspoint router and a join unit; validated here and nowhere else."""

from __future__ import annotations

import dataclasses

from cubecast.golden.common.contract.parameters import NodeParameters, boolean, integer, store_plain
from cubecast.golden.crosspoint.contract.config import LUT_DEPTHS, CrosspointConfig
from cubecast.golden.crosspoint.contract.units import QueueShape
from cubecast.golden.crosspoint.contract.word import CONTEXTS, OPERATION_BITS

__all__ = ["WIDEST", "ReductionConfig"]

WIDEST = 64
"""Bits of the widest word that is reduced."""


SLOWEST = 14
"""Cycles of the slowest operator: a stage has a queue of 16 words then."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class ReductionConfig(NodeParameters):
    """Parameters of a node with a join unit and of a network of them.

    Parameters
    ----------
    router : CrosspointConfig
        Parameters of the router; its ``width`` must be at most 64.
    reduce_depth : int
        DR, words of each of the unit's four queues: 4, 8, 16, 32 or 64, more than :attr:`unseen`. Default 16.
    reduce_register : bool
        Whether words from the links pass a register before they enter a queue. Default True.
    operator_latency : int
        0: words are joined by the unit's ALUs; 1 to 14: by two operators of the node, each of which takes two words in
        any cycle and gives theirs so many cycles later. Default 0.
    contexts : int
        C, 1 or 2: join units of the node, each with a tree of its own; they share the links. Default 1.

    Raises
    ------
    ValueError
        A parameter is out of range; one line with its name, its value and what is allowed.
    """

    router: CrosspointConfig = dataclasses.field(metadata={"part": CrosspointConfig})
    reduce_depth: int = 16
    reduce_register: bool = True
    operator_latency: int = dataclasses.field(default=0, repr=False, metadata={"later": True})
    contexts: int = dataclasses.field(default=1, repr=False, metadata={"later": True})

    def __post_init__(self) -> None:
        """Check everything."""
        store_plain(self)
        self.check_router(CrosspointConfig, "a join unit")
        if self.width > WIDEST:
            raise ValueError(f"width must be at most {WIDEST} in a node with a join unit, not {self.width}")
        boolean("reduce_register", self.reduce_register)
        integer("operator_latency", self.operator_latency, 0, SLOWEST)
        integer("contexts", self.contexts, 1, len(CONTEXTS))
        depth = self.reduce_depth
        if type(depth) is not int or depth not in LUT_DEPTHS:
            raise ValueError(f"reduce_depth must be one of {', '.join(map(str, LUT_DEPTHS))}, not {depth!r}")
        if depth <= self.unseen:
            raise ValueError(
                f"reduce_depth must be more than {self.unseen} with these registers on the links, not {depth}"
            )

    @property
    def width(self) -> int:
        """Bits of a word, w."""
        return self.router.width

    def without_operators(self) -> None:
        """Raise ``ValueError`` unless the units join words themselves, as they must with nothing beside them."""
        if self.operator_latency:
            raise ValueError(
                f"operator_latency must be 0 without operators beside the units, not {self.operator_latency}"
            )

    @property
    def endings(self) -> tuple[str, ...]:
        """What stands behind the names of what belongs to each context."""
        return CONTEXTS[: self.contexts]

    @property
    def unseen(self) -> int:
        """Words that can be on their way into a queue from a link and that its flag does not count, the next included.

        The flag is a register, so the word that goes while it is formed is one; so is each that a register holds.
        """
        return 2 + int(self.reduce_register) + self.router.forward + self.router.backward

    @property
    def queue_shape(self) -> QueueShape:
        """Shape of the unit's queues: data, rop, last, error; ``room`` is that for words from a link."""
        depth = self.reduce_depth
        bits = self.width + OPERATION_BITS + 2
        return QueueShape(bits=bits, depth=depth, most=depth - self.unseen, memories=self.router.memories)

    @property
    def stage_shape(self) -> QueueShape:
        """Shape of the queue behind an operator, with room for what is under way to it."""
        depth = max(4, 1 << (self.operator_latency + 1).bit_length())
        bits = self.width + OPERATION_BITS + 2
        return QueueShape(bits=bits, depth=depth, most=0, memories=self.router.memories)
