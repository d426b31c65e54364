"""What the units that several systems share are made for: numbers that a system takes from its own parameters."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Protocol

from cubecast.golden.common.contract.parameters import CubeParameters, Parameters

__all__ = [
    "ADDRESS_BITS",
    "ANY_REASON",
    "COUNTERS",
    "DATA_BITS",
    "MEMORIES",
    "REASON_BITS",
    "Control",
    "Requests",
    "Router",
    "control_of",
]

ADDRESS_BITS = 7
"""Width of an address on a router's control port."""

DATA_BITS = 32
"""Width of a register."""

COUNTERS = (0, 8, 16, DATA_BITS)
"""Widths that the counters of a router can have; 0: there are none."""

MEMORIES = ("distributed", "block")
"""How memories are read: asynchronously, as a LUT RAM can be; or at the edge before, as a block RAM is."""

REASON_BITS = 4
"""Width of a reason code, and of the port and lane numbers that go with it in a log entry."""

ANY_REASON = (1 << (1 << REASON_BITS)) - 1
"""Reason codes as bits, all of them."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Requests(Parameters):
    """What an arbiter is made for.

    Parameters
    ----------
    count : int
        Requests that it chooses among, at least 1.

    Raises
    ------
    ValueError
        The number is not one.
    """

    count: int

    def __post_init__(self) -> None:
        """Check the number."""
        if type(self.count) is not int or self.count < 1:
            raise ValueError(f"count must be an integer of at least 1, not {self.count!r}")

    @property
    def label(self) -> str:
        """The number: a design has arbiters of several sizes."""
        return str(self.count)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Control(CubeParameters):
    """What the control port of a router, its AXI4-Lite slave and its report collector are made for.

    Parameters
    ----------
    dim : int
        Links n of the router, and bits of an address; it has n + 1 ports.
    fault_tolerant : bool
        Whether there is a fault vector.
    log_depth : int
        Entries of the error log; 0: there is none.
    lanes : int
        Streams of reports of a port.
    units : int
        Streams of reports in all: unit u is lane u mod ``lanes`` of port u div ``lanes``.
    counter_bits : int
        Width of the counters, one of :data:`COUNTERS`.
    memories : str
        How the log is read, one of :data:`MEMORIES`.
    reasons : int
        Bit r is 1 when a report can have the reason code r; there is a counter for each of these.
    """

    fault_tolerant: bool
    log_depth: int
    lanes: int
    units: int
    counter_bits: int = DATA_BITS
    memories: str = dataclasses.field(default=MEMORIES[0], repr=False, metadata={"later": True})
    reasons: int = dataclasses.field(default=ANY_REASON, repr=False, metadata={"later": True})

    def counts(self, reason: int) -> bool:
        """Return whether there is a counter of the reports with this reason code."""
        return bool(self.reasons >> reason & 1)

    @property
    def counts_lost(self) -> bool:
        """Whether there is a register that counts what the log had no room for."""
        return bool(self.log_depth and self.counter_bits)


class Router(Protocol):
    """Parameters that every router has, those of its own or what follows from them; ``counters`` are bits of one."""

    @property
    def dim(self) -> int: ...  # noqa: D102
    @property
    def fault_tolerant(self) -> bool: ...  # noqa: D102
    @property
    def log_depth(self) -> int: ...  # noqa: D102
    @property
    def lanes(self) -> int: ...  # noqa: D102
    @property
    def units(self) -> int: ...  # noqa: D102
    @property
    def counters(self) -> int: ...  # noqa: D102
    @property
    def memories(self) -> str: ...  # noqa: D102


def control_of(router: Router, reasons: Iterable[int] = range(1 << REASON_BITS)) -> Control:
    """Return what the units that all routers share are made for in a router whose reports have such reasons."""
    return Control(
        dim=router.dim,
        fault_tolerant=router.fault_tolerant,
        log_depth=router.log_depth,
        lanes=router.lanes,
        units=router.units,
        counter_bits=router.counters,
        memories=router.memories,
        reasons=sum(1 << reason for reason in set(reasons)),
    )
