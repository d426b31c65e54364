"""Collective sender: composes the segments of a node, one router message at a time."""

from __future__ import annotations

from collections.abc import Mapping

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.segment import Sending, kind_word
from cubecast.golden.collective.twins.pass_buffer import Entry
from cubecast.golden.common.twins.ports import Inputs, Outputs, Word

__all__ = ["REQUEST", "CollectiveSender"]

REQUEST = (
    "broadcast",
    "distant",
    "targets",
    "destination",
    "kind",
    "is_final",
    "stage",
    "hops",
    "argument",
    "body",
    "from_pass",
    "offset",
    "length",
)
"""What is given with ``start``."""


class CollectiveSender:
    """Twin of the collective sender; the first word of a message is offered in the cycle after its start.

    A cycle: :meth:`offer` gives the word offered, then :meth:`pop` and :meth:`done` the strobes, and :meth:`edge`
    takes the edge.

    Parameters
    ----------
    config : CollectiveConfig
        Parameters of the node.
    address : int
        Address of the node.
    """

    def __init__(self, config: CollectiveConfig, address: int = 0) -> None:
        """Start in reset."""
        self.config = config
        self.address = address
        self._all = config.nodes - 1
        self._count = (1 << config.count_bits) - 1
        self._fault_tolerant = config.router.fault_tolerant
        self._after_control = Sending.SOURCE if config.router.source_field else Sending.KIND
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.phase = Sending.IDLE
        self.broadcast = 0
        self.distant = 0
        self.remaining = 0
        self.destination = 0
        self.header = 0
        self.argument = 0
        self.body = 0
        self.from_pass = 0
        self.torn = 0
        self.pointer = 0
        self.left = 0
        self._last = 0

    @property
    def idle(self) -> int:
        """Whether no message is under way, so that one can be started."""
        return int(self.phase == Sending.IDLE)

    def offer(self, memory_data: int, passed: Entry | None) -> Word | None:
        """Return the word offered in this cycle, if any.

        Parameters
        ----------
        memory_data : int
            The word of the memory at ``pointer``.
        passed : data, last, final and error, or None
            The oldest entry of the pass buffer, if it has one.
        """
        word = self._word(memory_data, passed)
        self._last = word[1] if word is not None else 0
        return word

    def pop(self, moves: int) -> int:
        """Return whether the oldest entry of the pass buffer goes, if the word offered moves or not."""
        return moves if self.phase == Sending.BODY and self.from_pass else 0

    def done(self, moves: int) -> int:
        """Return whether the message is complete with the word offered, if that moves or not."""
        return moves & self._last if self.phase != Sending.CUT else 0

    def _word(self, memory_data: int, passed: Entry | None) -> Word | None:
        """Return the word offered in this cycle, if any."""
        match self.phase:
            case Sending.IDLE:
                return None
            case Sending.COUNT:
                return self._all if self.broadcast else 1 if self.distant else self.remaining.bit_count(), 0, 0
            case Sending.LIST:
                return self.destination if self.distant else self.address ^ (self.remaining & -self.remaining), 0, 0
            case Sending.CONTROL:
                spread = self._all if self.broadcast else 0
                return spread if self._fault_tolerant else self.address, 0, 0
            case Sending.SOURCE:
                return self.address, 0, 0
            case Sending.KIND:
                return self.header, 0, 0
            case Sending.ARGUMENT:
                return self.argument, 1 - self.body, self.torn & (1 - self.body)
            case Sending.BODY:
                if not self.from_pass:
                    return memory_data, int(self.left == 1), 0
                return (passed[0], passed[1], passed[1] & passed[3]) if passed is not None else None
            case _:
                return 0, 1, 1

    def edge(self, request: Mapping[str, int] | None, moves: int, cut_short: int, torn: int = 0) -> None:
        """Take the edge of a cycle.

        Parameters
        ----------
        request : mapping
            What is given with ``start``, by the names of the ports; None without it.
        moves : int
            Whether the word offered moves.
        cut_short : int
            Whether the message is to be cut short.
        torn : int
            Whether the message of the oldest entry of the pass buffer came with ``error``.
        """
        phase = self.phase
        if phase == Sending.IDLE:
            if request is not None:
                self._start(request)
                self.torn = self.from_pass & torn
                self.phase = Sending.IDLE if cut_short else Sending.COUNT
            return
        if moves:
            self._moved()
        if cut_short and not (moves and self._last):
            self.phase = Sending.IDLE if phase == Sending.COUNT and not moves else Sending.CUT

    def _start(self, request: Mapping[str, int]) -> None:
        """Keep what is given with ``start``."""
        get = request.get
        self.broadcast, self.distant, self.destination = get("broadcast", 0), get("distant", 0), get("destination", 0)
        self.remaining = get("targets", 0)
        self.header = kind_word(get("kind", 0), get("is_final", 0), get("stage", 0), get("hops", 0))
        self.argument, self.body, self.from_pass = get("argument", 0), get("body", 0), get("from_pass", 0)
        self.pointer, self.left = get("offset", 0), get("length", 0)

    def _moved(self) -> None:
        """Go on after a word that moved."""
        match self.phase:
            case Sending.COUNT:
                self.phase = Sending.CONTROL if self.broadcast else Sending.LIST
            case Sending.LIST:
                if not self.distant:
                    self.remaining &= self.remaining - 1
                if self.distant or not self.remaining:
                    self.phase = Sending.CONTROL
            case Sending.CONTROL:
                self.phase = self._after_control
            case Sending.SOURCE:
                self.phase = Sending.KIND
            case Sending.KIND:
                self.phase = Sending.ARGUMENT
            case Sending.ARGUMENT:
                self.phase = Sending.BODY
            case Sending.BODY if not self.from_pass:
                self.pointer = self.pointer + 1 & self._count
                self.left = self.left - 1 & self._count
        if self._last:
            self.phase = Sending.IDLE

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get = inputs.get
        self.address = get("address", 0)
        passed = (get("pass_data", 0), get("pass_last", 0), 0, get("pass_error", 0)) if get("pass_valid") else None
        word = self.offer(get("memory_data", 0), passed)
        data, last, error = word or (None, None, None)
        moves = get("o__ready", 0) if word is not None else 0
        outputs: Outputs = {
            "idle": self.idle,
            "pointer": self.pointer,
            "pop": self.pop(moves),
            "done": self.done(moves),
            "o__valid": int(word is not None),
            "o__data": data,
            "o__last": last,
            "o__error": error,
        }
        request = {name: get(name, 0) for name in REQUEST} if get("start") else None
        self.edge(request, moves, get("cut_short", 0), get("pass_error", 0))
        if self.config.reads_ahead:
            outputs["ahead"] = self.pointer
        if get("rst"):
            self.reset()
        return outputs
