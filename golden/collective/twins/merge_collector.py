"""Merge collector: judges and counts the messages that come in for the collectives."""

from __future__ import annotations

from typing import NamedTuple

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.segment import Kind
from cubecast.golden.collective.contract.states import Accepted, State
from cubecast.golden.collective.twins.bundled import by_bundles
from cubecast.golden.common.twins.ports import Inputs, Outputs

__all__ = ["Arrived", "MergeCollector"]

CREDIT, RELAY_CREDIT, END_CREDIT = int(Kind.CREDIT), int(Kind.RELAY_CREDIT), int(Kind.END_CREDIT)
DATA, RELAY, RESULT, RING = int(Kind.DATA), int(Kind.RELAY), int(Kind.RESULT), int(Kind.RING)
TAKES_DATA = (int(State.CREDIT), int(State.ENDS), int(State.GATHER))
AWAIT = int(State.AWAIT)


REGISTERS = (
    "received",
    "credit",
    "relay_credit",
    "end_credits",
    "highest",
    "failed",
    "strange",
    "result_here",
    "pointer",
    "accepted",
)
NONE, MERGE, OF_RESULT, OTHER = (int(value) for value in Accepted)


class Arrived(NamedTuple):
    """What the receiver says of a word that it took."""

    head: int
    word: int
    message_end: int
    bad: int
    kind: int
    is_final: int
    stage: int
    hops: int
    argument: int
    data: int = 0
    last: int = 0
    error: int = 0


class MergeCollector:
    """Twin of the merge collector.

    A cycle: :meth:`accept` and :meth:`writes` are its combinational outputs, :meth:`edge` takes its edge;
    :meth:`step` is all of it.

    Parameters
    ----------
    config : CollectiveConfig
        Parameters of the unit.
    address : int
        Address of the node.
    """

    def __init__(self, config: CollectiveConfig, address: int = 0) -> None:
        """Start in reset."""
        self.config = config
        self.address = address
        self._dim = config.router.dim
        self._strange_mask = (1 << config.strange_bits) - 1
        self._neighbours = {1 << j: j for j in range(config.router.dim)}
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.received = 0
        self.credit = 0
        self.relay_credit = 0
        self.end_credits = 0
        self.highest = 0
        self.failed = 0
        self.strange = 0
        self.result_here = 0
        self.pointer = 0
        self.accepted = NONE
        self.torn = False

    def accept(self, kind: int, argument: int, state: int, ring: int, expected: int, relay_open: int) -> int:
        """Return what becomes of the message whose ARGUMENT word is taken in this cycle."""
        if kind <= END_CREDIT:
            good = argument ^ self.address in self._neighbours
        elif kind == DATA:
            return MERGE if not ring and state in TAKES_DATA and self.received < expected else NONE
        elif kind == RELAY:
            good = bool(relay_open)
        elif kind == RESULT:
            return OF_RESULT if not ring and state == AWAIT and not self.result_here else NONE
        else:
            good = kind == RING
        return OTHER if good else NONE

    def writes(self, word: int, length: int) -> int:
        """Return whether the word of this cycle goes into the memory."""
        return int(word and self.accepted in (MERGE, OF_RESULT) and self.pointer < length)

    def edge(
        self,
        arrived: Arrived | None,
        accept: int,
        length: int,
        stage_here: int,
        used: tuple[int, int, int] = (0, 0, 0),
        start: int = 0,
        cut_short: int = 0,
    ) -> None:
        """Take the edge of a cycle.

        Parameters
        ----------
        arrived : Arrived or None
            What the receiver says; None: no word was taken.
        accept : int
            What :meth:`accept` says, if it is a head.
        length : int
            Words of the own vector.
        stage_here : int
            The stage in which this node sends.
        used : tuple of int
            Masks of the credits, relay credits and end credits that are used in this cycle.
        start, cut_short : int
            The inputs of these names.
        """
        credit, relay, end = used
        if credit:
            self.credit &= ~credit
        if relay:
            self.relay_credit &= ~relay
        if end:
            for j in range(self._dim):
                self._count_end(j, -(end >> j & 1))
        if arrived is not None:
            self._take(arrived, accept, length, stage_here)
        if start:
            self.received = self.highest = self.failed = self.result_here = 0
            self.torn = False
        if cut_short:
            self.credit = self.relay_credit = self.end_credits = 0
            self.accepted = NONE

    def _take(self, arrived: Arrived, accept: int, length: int, stage_here: int) -> None:
        """Take what the receiver says of a word."""
        if arrived.bad:
            self.torn = True
        if arrived.head:
            self._head(arrived, accept, stage_here)
        if arrived.word:
            if self.accepted in (MERGE, OF_RESULT) and self.pointer >= length:
                self.failed = 1
            self.pointer = self.pointer + 1 & 0xFFFF
        if arrived.message_end and arrived.is_final:
            if (self.accepted == MERGE and not self.torn) or (self.accepted == OTHER and arrived.kind == RING):
                self.received = self.received + 1 & 0xFFFF
            elif self.accepted == OF_RESULT and not self.torn:
                self.result_here = 1
        if arrived.bad:
            self.strange = self.strange + 1 & self._strange_mask
            self.failed = 1

    def _head(self, arrived: Arrived, accept: int, stage_here: int) -> None:
        """Take the ARGUMENT word of a message."""
        kind, argument = arrived.kind, arrived.argument
        self.accepted, self.pointer = accept, argument
        if accept == NONE:
            self.strange = self.strange + 1 & self._strange_mask
        elif accept == MERGE:
            if arrived.stage == stage_here:
                self.highest = max(self.highest, arrived.hops)
        elif arrived.bad:
            return
        elif kind == CREDIT:
            self.credit |= argument ^ self.address
        elif kind == RELAY_CREDIT:
            self.relay_credit |= argument ^ self.address
        elif kind == END_CREDIT:
            self._count_end(self._neighbours[argument ^ self.address], arrived.hops)

    def _count_end(self, j: int, amount: int) -> None:
        """Add to the end credits of a dimension."""
        count = self.end_credits >> 4 * j & 15
        self.end_credits ^= (count ^ (count + amount & 15)) << 4 * j

    @by_bundles("command", "awaited", "arrival", "gathered", "passed")
    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get = inputs.get
        self.address = get("address", 0)
        length = get("length", 0)
        arrived = Arrived(*(get(name, 0) for name in Arrived._fields))
        accept = self.accept(
            arrived.kind,
            arrived.argument,
            *(get(name, 0) for name in ("state", "ring", "expected", "relay_open")),
        )
        outputs: Outputs = {name: getattr(self, name) for name in REGISTERS}
        if not self.config.counters:
            del outputs["strange"]
        outputs |= {
            "accept": accept if arrived.head else None,
            "write": self.writes(arrived.word, length),
            "replace": int(self.accepted == OF_RESULT),
        }
        used = get("use_credit", 0), get("use_relay", 0), get("use_end", 0)
        self.edge(arrived, accept, length, get("stage_here", 0), used, get("start", 0), get("cut_short", 0))
        if self.config.reads_ahead:
            outputs["ahead"] = self.pointer
        if get("rst"):
            self.reset()
        return outputs
