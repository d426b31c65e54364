"""Traffic checker: takes the deliveries of one node, and checks and counts them."""

from __future__ import annotations

from cubecast.golden.common.twins import traffic_pattern as pattern
from cubecast.golden.common.twins.ports import Inputs, Outputs, Word
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.self_test import Checker, Command, Phase

__all__ = ["TrafficChecker"]

MASK = 0xFFFFFFFF


COUNTERS = (
    Checker.DELIVERED,
    Checker.DELIVERED_WORDS,
    Checker.SIGNATURE,
    Checker.PAYLOAD_ERRORS,
    Checker.ERRORS,
)


class TrafficChecker:
    """Twin of the traffic checker.

    A cycle: :attr:`ready` is its output, :meth:`edge` takes its edge; :meth:`step` is both.

    Parameters
    ----------
    config : Config
        Parameters of the router.
    address : int
        Address of the node.
    """

    def __init__(self, config: Config, address: int = 0) -> None:
        """Start in reset."""
        self.config = config
        self.address = address
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.registers = [0] * 32
        self.read_data = 0
        self.random = 0
        self.phase = Phase.HEAD
        self.source = 0
        self.strange = False
        self.tag = 0
        self.expected = 0
        self.length = 0
        self.done = False

    @property
    def ready(self) -> int:
        """Whether a word is taken in this cycle."""
        return int(self.random & 0xFF >= self.registers[Checker.STALL])

    @property
    def failed(self) -> int:
        """Whether some word was wrong or some delivery ended with an error."""
        return int(self.registers[Checker.PAYLOAD_ERRORS] > 0 or self.registers[Checker.ERRORS] > 0)

    def edge(self, word: Word | None, address: int = 0, write: int = 0, data: int = 0) -> None:
        """Take the edge of a cycle.

        Parameters
        ----------
        word : data, last and error, or None
            The word that is taken.
        address, write, data : int
            Access to the registers.
        """
        registers = self.registers
        self.read_data = registers[address]
        if self.done:
            self._add(Checker.SIGNATURE, pattern.mix(self.tag, self.length, self.address))
        self.done = False
        if word is not None:
            self._take(*word)
        self.random = pattern.xorshift(self.random) or 1
        if write and address == Checker.CONTROL and data & 1 << Command.CLEAR:
            for counter in COUNTERS:
                registers[counter] = 0
        elif write and address == Checker.SEED:
            registers[Checker.SEED] = data
            self.random = data ^ pattern.own(self.config.dim, self.address)
        elif write and address == Checker.STALL:
            registers[Checker.STALL] = data & 0xFF

    def _add(self, counter: Checker, amount: int) -> None:
        """Add to a counter."""
        self.registers[counter] = self.registers[counter] + amount & MASK

    def _take(self, word: int, last: int, error: int) -> None:
        """Take a word of a delivery."""
        config, wrong = self.config, False
        if self.phase in (Phase.HEAD, Phase.SOURCE):
            self.source, self.strange = word & config.broadcast_k, word >> config.dim > 0
        if self.phase == Phase.HEAD:
            self.length = self.tag = 0
            self.phase = Phase.SOURCE if config.source_field else Phase.FIRST
        elif self.phase == Phase.SOURCE:
            self.phase = Phase.FIRST
        else:
            if self.phase == Phase.FIRST:
                self.tag = pattern.tag_of(word)
                wrong = self._wrong_first(word)
                self.expected = word
            wrong = wrong or word != self.expected
            self.expected = pattern.follow(config.width, self.expected)
            self.length = min(self.length + 1, config.max_data)
            self.phase = Phase.REST
            self._add(Checker.DELIVERED_WORDS, 1)
        if wrong:
            self._add(Checker.PAYLOAD_ERRORS, 1)
        if last:
            self.phase, self.done = Phase.HEAD, True
            self._add(Checker.DELIVERED, 1)
            self._add(Checker.ERRORS, error)

    def _wrong_first(self, word: int) -> bool:
        """Return whether payload word 0 cannot be right."""
        config = self.config
        if any((word >> bit ^ word >> bit % 32) & 1 for bit in range(32, config.width)):
            return True
        if config.fault_tolerant and not config.source_field:
            return False
        return self.strange or self.source != word & config.broadcast_k

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get = inputs.get
        self.address = get("address", 0)
        ready = self.ready
        outputs: Outputs = {
            "control__read_data": self.read_data,
            "i__ready": ready,
            "failed": self.failed,
            "delivered": self.registers[Checker.DELIVERED],
            "delivered_signature": self.registers[Checker.SIGNATURE],
        }
        if get("rst"):
            self.reset()
            return outputs
        word = None
        if ready and get("i__valid"):
            word = get("i__data", 0), get("i__last", 0), get("i__error", 0)
        self.edge(word, get("control__address", 0), get("control__write", 0), get("control__write_data", 0))
        return outputs
