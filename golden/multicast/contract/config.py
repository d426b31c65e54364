"""The one parameter set of a multicast router; everything is validated here and nowhere else."""

from __future__ import annotations

import dataclasses
from typing import Any

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
from cubecast.golden.multicast.contract.policy import FACTS, Policy
from cubecast.golden.multicast.contract.reason import Reason

__all__ = ["MOST_LATENCY", "MULTICASTERS", "POLICIES", "Config"]

POLICIES = tuple(FACTS)
"""Routing policies the router can be generated with."""

MOST_LATENCY = 2
"""Most cycles that the multicaster can take for a forwarding dimension."""

MULTICASTERS = ("unit", "channel")
"""What a multicaster can belong to."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Config(CubeParameters):
    """Parameters of a multicast router and of a network of them.

    Parameters
    ----------
    dim : int
        Dimension n of the hypercube, 2 to 10; the network has 2**n nodes.
    max_dest : int
        m, the longest destination list (in addresses) that the multicaster splits, 1 to 2**n - 2.
        Default: min(8, 2**n - 2). Longer lists travel by broadcast.
    width : int
        Width of a link in bits, n to 512. Default 32.
    max_data : int
        Longest payload in words, 0 to 4096. Default 16.
    max_list : int
        Longest destination list a message may carry, m to 2**n - 2.
        Default: the larger of m and min(2**n - 2, 32).
    policy : str
        Routing policy, one of :data:`POLICIES`: ``greedy`` (MULTICAST.1/F1, BROADCAST.2/F3), or ``ordered``, the
        same restricted to paths that first clear and then set address bits.
    fault_tolerant : bool
        True: the header ends with a control vector (Lan 1988, section 7.4) and the fault vector is obeyed.
        False: the header ends with the source address (section 6.2) and there is no fault vector.
    source_field : bool
        Only with ``fault_tolerant``: one more header word S (source address) follows the control vector.
    lanes : int
        Message handling units per channel; the default is the least that cannot deadlock.
        ``greedy``: ceil(n/2) + 1, at most n + 1; 1 gives the dissertation's router, which can deadlock.
        ``ordered``: 1 or 2; 2 with ``fault_tolerant``, since a path around a fault may turn once, else 1.
    log_depth : int
        Entries of a router's error log, 1 to 256, or 0: no log. Default 16.
    counters : int
        Bits of a router's counters, 8, 16 or 32, or 0: no counters. They wrap. Default 32.
    decision_latency : int
        Cycles that the multicaster needs for each forwarding dimension: 1 (default), or 2 for designs that need the
        clock rate.
    streamers : int
        Copies of a message that a message handling unit sends at the same time, and read ports of its data buffer, 1 to
        n + 1. Default: n + 1, one for each port. With fewer, copies wait for each other's end.
    memories : str
        ``distributed`` (default): memories are read asynchronously, as a LUT RAM can be; ``block``: at the edge before,
        as a block RAM is. The router does the same in every cycle.
    multicasters : str
        ``unit`` (default): each message handling unit has a multicaster of its own. ``channel``: the units of a channel
        share one, and wait for each other's decisions; the injection port's keeps its own.

    Raises
    ------
    ValueError
        A parameter is out of range; one line with its name, its value and what is allowed.
    """

    max_dest: int = DERIVED
    width: int = 32
    max_data: int = 16
    max_list: int = DERIVED
    policy: str = "greedy"
    fault_tolerant: bool = True
    source_field: bool = False
    lanes: int = DERIVED
    log_depth: int = 16
    counters: int = 32
    decision_latency: int = 1
    streamers: int = dataclasses.field(default=DERIVED, repr=False, metadata={"later": True})
    memories: str = dataclasses.field(default=MEMORIES[0], repr=False, metadata={"later": True})
    multicasters: str = dataclasses.field(default=MULTICASTERS[0], repr=False, metadata={"later": True})

    def __post_init__(self) -> None:
        """Fill in the defaults that depend on other parameters, and check everything."""
        store_plain(self)
        integer("dim", self.dim, 2, 10)
        most = 2**self.dim - 2
        self.derive("max_dest", min(8, most))
        integer("max_dest", self.max_dest, 1, most)
        integer("width", self.width, self.dim, 512)
        integer("max_data", self.max_data, 0, 4096)
        self.derive("max_list", max(self.max_dest, min(32, most)))
        integer("max_list", self.max_list, self.max_dest, most)
        one_of("policy", self.policy, tuple(FACTS))
        boolean("fault_tolerant", self.fault_tolerant)
        boolean("source_field", self.source_field)
        if self.source_field and not self.fault_tolerant:
            raise ValueError("source_field must be False when fault_tolerant is False, not True")
        object.__setattr__(self, "lanes", self.policy_facts.lanes(self.dim, self.fault_tolerant, self.lanes))
        integer("log_depth", self.log_depth, 0, 256)
        width_or_none("counters", self.counters, COUNTERS)
        integer("decision_latency", self.decision_latency, 1, MOST_LATENCY)
        self.derive("streamers", self.ports)
        integer("streamers", self.streamers, 1, self.ports)
        one_of("memories", self.memories, MEMORIES)
        one_of("multicasters", self.multicasters, MULTICASTERS)

    @property
    def policy_facts(self) -> Policy:
        """The facts of the policy that hardware and model share."""
        return FACTS[self.policy]

    @property
    def broadcast_k(self) -> int:
        """Value of the k field that marks a broadcast, 2**n - 1."""
        return self.nodes - 1

    @property
    def units(self) -> int:
        """Message handling units of a router: ``lanes`` per channel and one at the injection port."""
        return self.dim * self.lanes + 1

    @property
    def lane_bits(self) -> int:
        """Width in bits of a lane number."""
        return max(1, (self.lanes - 1).bit_length())

    @property
    def carries_lists(self) -> bool:
        """Whether a list longer than m can occur, so that the data buffer must keep it."""
        return self.max_list > self.max_dest

    @property
    def buffer_depth(self) -> int:
        """Words of a data buffer: the longest list beyond m, the S word if any, and the payload; at least 1."""
        words = (self.max_list if self.carries_lists else 0) + int(self.source_field) + self.max_data
        return max(1, words)

    def later(self) -> dict[str, Any]:
        """Return the parameters that came later, as all sets do; the default of one depends on others."""
        return super().later() | ({} if self.shares_streamers else {"streamers": None})

    @property
    def shares_streamers(self) -> bool:
        """Whether a message can have more copies than its unit has streamers."""
        return self.streamers < self.ports

    @property
    def shares_multicaster(self) -> bool:
        """Whether units of a channel wait for each other's decisions; one unit alone has nobody to wait for."""
        return self.multicasters == "channel" and self.lanes > 1

    @property
    def list_reader(self) -> int:
        """The read port of the data buffer through which lists are read for reports."""
        return 0 if self.shares_streamers else self.local

    @property
    def reads_ahead(self) -> bool:
        """Whether units say one cycle before where they will read."""
        return self.memories == "block"

    def header_latency(self, k: int) -> int:
        """Return the cycles from the k word to the word that completes the header, when the input has no gaps.

        Parameters
        ----------
        k : int
            The k field of a well-formed message.
        """
        return (0 if k == self.broadcast_k else k) + 1 + int(self.source_field)

    def first_copy(self, k: int) -> int:
        """Return the cycles from the k word to the first word of the first copy, when nothing is in the way.

        The first dimension is decided when the header is complete and the whole list has been in the store for
        ``decision_latency`` cycles. The copies of a broadcast or of a long list need no decision.

        Parameters
        ----------
        k : int
            The k field of a well-formed message.
        """
        header = self.header_latency(k)
        return 1 + (max(header, k + self.decision_latency) if k <= self.max_dest else header)

    @property
    def control(self) -> Control:
        """What the units that all routers share are made for."""
        return control_of(self, self.reasons)

    @property
    def reasons(self) -> frozenset[Reason]:
        """Reasons that a report can have, whatever nodes and neighbours send; no unit makes one with another."""
        found = {Reason.K_ZERO, Reason.HEADER_SHORT, Reason.DATA_TOO_LONG}
        if self.max_list < self.broadcast_k - 1:
            found.add(Reason.LIST_TOO_LONG)
        if self.width > self.dim:
            found.add(Reason.ADDRESS_BITS)
        if self.lanes > 1:
            found.add(Reason.NO_LANE)
        if self.fault_tolerant:
            found |= {Reason.UNDELIVERABLE, Reason.INPUT_CUT}
            # Without payload a copy is over with its header.
            if self.max_data:
                found.add(Reason.COPY_CUT)
        return frozenset(found)
