"""The one parameter set of a network on a board; validated here and nowhere else."""

from __future__ import annotations

import dataclasses

from cubecast.golden.board.contract.line import DIGITS, FIELDS, LONGEST, VALUE_BITS
from cubecast.golden.common.contract.load import RATE_ONE, SHARE_ONE
from cubecast.golden.common.contract.parameters import NodeParameters, integer, store_plain
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.load import load_shape

__all__ = ["LOADS", "SLOWEST", "BoardConfig"]

LOADS = (20, 40, 60, 80, 100, 0)
"""Loads that the button steps through, in percent: words delivered of those that the nodes could take."""

SLOWEST = 1 << 28
"""Cycles between two lines at most."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class BoardConfig(NodeParameters):
    """Parameters of a network on a board.

    Parameters
    ----------
    router : CrosspointConfig
        Parameters of the routers, such that a load node can be made for them.
    second_cycles : int
        Cycles between two lines, :attr:`line_cycles` to 2**28. Default 50,000,000.
    bit_cycles : int
        Cycles of a bit on the line, 2 to 65535. Default 434, which is 115,200 baud at 50 MHz.
    debounce_cycles : int
        Cycles that a button must rest to be heard, 1 to 2**24. Default 500,000.

    Raises
    ------
    ValueError
        A parameter is out of range; one line with its name, its value and what is allowed.
    """

    router: CrosspointConfig = dataclasses.field(metadata={"part": CrosspointConfig})
    second_cycles: int = 50_000_000
    bit_cycles: int = 434
    debounce_cycles: int = 500_000

    def __post_init__(self) -> None:
        """Check everything."""
        store_plain(self)
        self.check_router(CrosspointConfig, "a load node")
        load_shape(self.router)
        integer("bit_cycles", self.bit_cycles, 2, 65535)
        integer("second_cycles", self.second_cycles, self.line_cycles, SLOWEST)
        integer("debounce_cycles", self.debounce_cycles, 1, 1 << 24)

    @property
    def line_cycles(self) -> int:
        """Cycles that the longest line takes, with those in which its numbers are made."""
        return LONGEST * (10 * self.bit_cycles + 1) + len(FIELDS) * (VALUE_BITS + DIGITS + 1)

    @property
    def broadcast(self) -> int:
        """Share of broadcasts among the messages, in 2**-16; 0 without multicast."""
        return SHARE_ONE // 32 if self.router.multicast else 0

    @property
    def listed(self) -> int:
        """Share of broadcasts and lists together."""
        return SHARE_ONE // 8 if self.router.multicast else 0

    @property
    def members(self) -> int:
        """Nodes of a list."""
        return self.router.dim

    def rate(self, load: int) -> int:
        """Return the messages per node and cycle, in 2**-24, by which so many percent of a word per node arrive."""
        one = SHARE_ONE - self.listed
        reached = self.broadcast * (self.nodes - 1) + (self.listed - self.broadcast) * self.members + one
        return load * RATE_ONE * SHARE_ONE // (100 * self.router.packet_limit * reached)
