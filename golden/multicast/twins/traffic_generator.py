"""Traffic generator: random well-formed messages of one node, for self-test and measurements."""

from __future__ import annotations

from enum import IntEnum

from cubecast.golden.common.twins import traffic_pattern as pattern
from cubecast.golden.common.twins.ports import Inputs, Outputs, Word
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.self_test import Activity, Command, Generator, GeneratorState

__all__ = ["Kind", "TrafficGenerator"]

MASK = 0xFFFFFFFF
MOST_PENDING = 65535


COUNTERS = (
    Generator.MESSAGES,
    Generator.WORDS,
    Generator.EXPECTED,
    Generator.EXPECTED_WORDS,
    Generator.SIGNATURE,
    Generator.CLOCKS,
)


class Kind(IntEnum):
    """Kind of a message."""

    UNICAST = 0
    MULTICAST = 1
    LISTED = 2
    BROADCAST = 3


class TrafficGenerator:
    """Twin of the traffic generator.

    A cycle: :meth:`offer` is the word of this cycle, :meth:`edge` takes its edge; :meth:`step` is both.

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
        pair = config.broadcast_k
        length = (1 << max(1, config.max_data.bit_length())) - 1
        self._writable = {
            Generator.SEED: MASK,
            Generator.LOAD: 0x1FFFF,
            Generator.MIX: 0xFFFFFF,
            Generator.MULTICAST: pair | pair << 16,
            Generator.LISTED: pair | pair << 16,
            Generator.LENGTH: length | length << 16,
            Generator.LIMIT: MASK,
        }
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.registers = [0] * 32
        self.read_data = 0
        self.random = 0
        self.running = 0
        self.to_create = 0
        self.pending = 0
        self.walker = 1
        self.kind = Kind.UNICAST
        self.k = 0
        self.remaining = 0
        self.spare = 0
        self.length = 0
        self.body = 0
        self.word = 0
        self.state = GeneratorState.IDLE

    @property
    def idle(self) -> bool:
        """Whether no message is created, waits or is on its way into the network."""
        return not self.running and not self.pending and self.state == GeneratorState.IDLE

    def offer(self) -> Word | None:
        """Return the word that is offered in this cycle, if any."""
        config, ends = self.config, int(self.length == 0)
        if self.state == GeneratorState.K:
            return self.k, 0, 0
        if self.state == GeneratorState.LIST:
            return self.address ^ self.walker, 0, 0
        if self.state == GeneratorState.CONTROL:
            spread = config.nodes - 1 if self.k > config.max_dest else 0
            word = spread if config.fault_tolerant else self.address
            return word, 0 if config.source_field else ends, 0
        if self.state == GeneratorState.SOURCE:
            return self.address, ends, 0
        if self.state == GeneratorState.BODY:
            return self.word, int(self.body == 1), 0
        return None

    def edge(self, taken: int, start: int = 0, address: int = 0, write: int = 0, data: int = 0) -> None:
        """Take the edge of a cycle.

        Parameters
        ----------
        taken : int
            Whether the word offered is taken.
        start : int
            The input of this name.
        address, write, data : int
            Access to the registers.
        """
        registers, random, idle = self.registers, self.random, self.idle
        self.read_data = self._read(address)
        command = data if write and address == Generator.CONTROL else 0
        begin = self.state == GeneratorState.IDLE and self.pending > 0
        create = self.running and random >> 16 < registers[Generator.LOAD] and self.pending < MOST_PENDING
        if not idle:
            self._add(Generator.CLOCKS, 1)
        if self.state not in (GeneratorState.SUM, GeneratorState.LIST):
            self.walker = random & self.config.broadcast_k or self.walker
        if begin:
            self._begin()
        elif self.state == GeneratorState.SUM:
            self._account()
            self._next_destination(0, GeneratorState.K)
        elif taken:
            self._add(Generator.WORDS, 1)
            self._sent()
        self.pending += int(create) - int(begin)
        if create:
            self.to_create = self.to_create - 1 & MASK
            if not self.to_create:
                self.running = 0
        self.random = pattern.xorshift(random)
        if command & 1 << Command.STOP:
            self.running = self.pending = 0
        if start or command & 1 << Command.START:
            self.random = registers[Generator.SEED] ^ pattern.own(self.config.dim, self.address) or 1
            self.running = 1
            self.to_create = registers[Generator.LIMIT]
        if command & 1 << Command.CLEAR:
            for counter in COUNTERS:
                registers[counter] = 0
        if write and address in self._writable:
            registers[address] = data & self._writable[Generator(address)]

    def _read(self, address: int) -> int:
        """Return what an address reads."""
        if address == Generator.CONTROL:
            return self.running << Activity.RUNNING | (not self.idle) << Activity.BUSY
        return self.pending if address == Generator.PENDING else self.registers[address]

    def _add(self, counter: Generator, amount: int) -> None:
        """Add to a counter."""
        self.registers[counter] = self.registers[counter] + amount & MASK

    def _begin(self) -> None:
        """Choose kind, number of destinations and length of the next message."""
        config, registers, choice = self.config, self.registers, self.random & 0xFF
        limit, self.kind = 0, Kind.UNICAST
        for kind in (Kind.MULTICAST, Kind.LISTED, Kind.BROADCAST):
            limit += registers[Generator.MIX] >> 8 * (kind - 1) & 0xFF
            if choice < limit:
                self.kind = kind
                break
        if self.kind == Kind.MULTICAST:
            self.k = max(1, min(config.max_dest, self._drawn(Generator.MULTICAST, self.random >> 8 & 0x3FF)))
        elif self.kind == Kind.LISTED:
            self.k = max(1, min(config.max_list, self._drawn(Generator.LISTED, self.random >> 8 & 0x3FF)))
        else:
            self.k = config.broadcast_k if self.kind == Kind.BROADCAST else 1
        self.length = self.body = min(config.max_data, self._drawn(Generator.LENGTH, self.random >> 18 & 0x1FFF))
        self.word = pattern.first_word(config.dim, config.width, self.address, registers[Generator.MESSAGES])
        self.remaining = self.k
        self.spare = config.broadcast_k - self.k
        self.state = GeneratorState.SUM if self.kind == Kind.BROADCAST else GeneratorState.K
        self._add(Generator.MESSAGES, 1)

    def _drawn(self, register: Generator, random: int) -> int:
        """Return a random number from the range in a register."""
        return (self.registers[register] & 0xFFFF) + (random & self.registers[register] >> 16)

    def _account(self) -> None:
        """Add what the delivery to the present destination will add."""
        tag = pattern.tag_of(self.word) if self.length else 0
        self._add(Generator.EXPECTED, 1)
        self._add(Generator.EXPECTED_WORDS, self.length)
        self._add(Generator.SIGNATURE, pattern.mix(tag, self.length, self.address ^ self.walker))

    def _next_destination(self, skip: int, following: GeneratorState) -> None:
        """Go on to the next destination, or to another state after the last one."""
        self.spare -= skip
        for _ in range(1 + skip):
            self.walker = pattern.walk(self.config.dim, self.walker)
        self.remaining -= 1
        if not self.remaining:
            self.state = following

    def _sent(self) -> None:
        """Go on after a word that was taken."""
        after = GeneratorState.BODY if self.length else GeneratorState.IDLE
        if self.state == GeneratorState.K:
            self.state = GeneratorState.CONTROL if self.kind == Kind.BROADCAST else GeneratorState.LIST
        elif self.state == GeneratorState.LIST:
            self._account()
            skip = self.random & 3
            self._next_destination(skip if skip <= self.spare else 0, GeneratorState.CONTROL)
        elif self.state == GeneratorState.CONTROL:
            self.state = GeneratorState.SOURCE if self.config.source_field else after
        elif self.state == GeneratorState.SOURCE:
            self.state = after
        else:
            self.word = pattern.follow(self.config.width, self.word)
            self.body -= 1
            if not self.body:
                self.state = GeneratorState.IDLE

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get = inputs.get
        self.address = get("address", 0)
        word = self.offer()
        data, last, error = word or (None, None, None)
        outputs: Outputs = {
            "control__read_data": self.read_data,
            "o__valid": int(word is not None),
            "o__data": data,
            "o__last": last,
            "o__error": error if last else None,
            "idle": int(self.idle),
            "expected": self.registers[Generator.EXPECTED],
            "expected_signature": self.registers[Generator.SIGNATURE],
        }
        if get("rst"):
            self.reset()
            return outputs
        taken = int(word is not None and get("o__ready", 0))
        access = (get("control__address", 0), get("control__write", 0), get("control__write_data", 0))
        self.edge(taken, get("start", 0), *access)
        return outputs
