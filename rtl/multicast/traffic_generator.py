"""Traffic generator: random well-formed messages of one node, for self-test and measurements."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import bits_for

from cubecast.golden.common.contract.units import DATA_BITS
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.self_test import ADDRESS_BITS, Activity, Command, Generator, GeneratorState
from cubecast.rtl.common import traffic_pattern as pattern
from cubecast.rtl.common.register_port import RegisterPort, read
from cubecast.rtl.multicast.link import Words

__all__ = ["TrafficGenerator"]


class TrafficGenerator(wiring.Component):
    """Create messages at random, send them one after the other, and sum up what their deliveries must be.

    A message never names this node, nor a destination twice, so that the number of deliveries is known. The first
    word of a message is offered in the cycle after it began (a broadcast: 2**n cycles), and then one word per cycle.
    All outputs are functions of registers.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Ports
    -----
    address : in, n
        Strap: the node's address.
    start : in
        Begin to create messages, as the registers say.
    control__address, control__write, control__write_data, control__read_data : 5, 1, 32, 32
        Registers; see ``docs/self_test.md``.
    o__valid, o__data, o__last, o__error, o__ready
        Messages, to the injection port.
    idle : out
        No message is created, waits or is on its way into the network.
    expected, expected_signature : out, 32
        Deliveries that must come, and the sum of their hashes.
    """

    def __init__(self, config: Config):
        self.config = config
        super().__init__(
            {
                "address": In(config.dim),
                "start": In(1),
                "control": In(RegisterPort(ADDRESS_BITS)),
                "o": Out(Words(config)),
                "idle": Out(1),
                "expected": Out(DATA_BITS),
                "expected_signature": Out(DATA_BITS),
            }
        )

    def elaborate(self, platform):
        """Build the registers, the random choice of messages, and the sender."""
        m = Module()
        n = self.config.dim
        self._state = Signal(GeneratorState)
        self._random = Signal(32)
        self._starting, self._begin, self._account = Signal(), Signal(), Signal()
        self._k, self._remaining, self._is_broadcast = Signal(n), Signal(n), Signal()
        self._spare, self._walker = Signal(n), Signal(n, init=1)
        bits = bits_for(self.config.max_data)
        self._length, self._body, self._word = Signal(bits), Signal(bits), Signal(self.config.width)
        self._messages = Signal(DATA_BITS)
        self._registers(m)
        self._create(m)
        self._draw(m)
        self._send(m)
        self._count(m)
        return m

    def _registers(self, m):
        """Build the registers that are written, and start."""
        n, length = self.config.dim, len(self._length)
        self._load, self._limit, self._seed = Signal(17), Signal(32), Signal(32)
        self._shares = [Signal(8, name=f"share_of_{kind}") for kind in ("multicast", "listed", "broadcast")]
        self._ranges = {
            address: (Signal(bits, name=f"least_{address}"), Signal(bits, name=f"mask_{address}"))
            for address, bits in ((Generator.MULTICAST, n), (Generator.LISTED, n), (Generator.LENGTH, length))
        }
        written = {
            Generator.SEED: self._seed,
            Generator.LOAD: self._load,
            Generator.MIX: Cat(self._shares),
            Generator.LIMIT: self._limit,
        }
        for address, (least, mask) in self._ranges.items():
            written[address] = Cat(least, C(0, 16 - len(least)), mask)
        self._written = written
        data = self.control.write_data
        command = Signal(len(Command))
        with m.If(self.control.write), m.Switch(self.control.address):
            with m.Case(Generator.CONTROL):
                m.d.comb += command.eq(data)
            for address in (Generator.SEED, Generator.LOAD, Generator.MIX, Generator.LIMIT):
                with m.Case(address):
                    m.d.sync += written[address].eq(data)
            for address, (least, mask) in self._ranges.items():
                with m.Case(address):
                    m.d.sync += [least.eq(data), mask.eq(data[16:])]
        self._stop, self._clear = command[Command.STOP], command[Command.CLEAR]
        m.d.comb += self._starting.eq(self.start | command[Command.START])

    def _create(self, m):
        """Draw random numbers, and create messages with them."""
        self._running, self._pending, to_create = Signal(), Signal(16), Signal(32)
        create, seeded = Signal(), Signal(32)
        m.d.comb += [
            create.eq(self._running & (self._random[16:] < self._load) & ~self._pending.all()),
            self._begin.eq((self._state == GeneratorState.IDLE) & self._pending.any()),
            seeded.eq(self._seed ^ pattern.own(self.address)),
            self.idle.eq(~self._running & ~self._pending.any() & (self._state == GeneratorState.IDLE)),
        ]
        m.d.sync += [
            self._random.eq(pattern.xorshift(m, self._random)),
            self._pending.eq(self._pending + create - self._begin),
        ]
        with m.If(create):
            m.d.sync += to_create.eq(to_create - 1)
            with m.If(to_create == 1):
                m.d.sync += self._running.eq(0)
        with m.If(self._stop):
            m.d.sync += [self._running.eq(0), self._pending.eq(0)]
        with m.If(self._starting):
            m.d.sync += [
                self._random.eq(Mux(seeded.any(), seeded, 1)),
                self._running.eq(1),
                to_create.eq(self._limit),
            ]

    def _draw(self, m):
        """Choose kind, destinations and length of the message that begins."""
        n, random = self.config.dim, self._random
        choice = random[:8]
        multicast, listed, broadcast = self._shares
        is_multicast, is_listed, is_broadcast = Signal(), Signal(), Signal()
        below_listed, k = Signal(), Signal(n)
        m.d.comb += [
            is_multicast.eq(choice < multicast),
            below_listed.eq(choice < multicast + listed),
            is_listed.eq(below_listed & ~is_multicast),
            is_broadcast.eq((choice < multicast + listed + broadcast) & ~below_listed & ~is_multicast),
            k.eq(1),
        ]
        with m.If(is_broadcast):
            m.d.comb += k.eq(self.config.broadcast_k)
        for chosen, address, most in (
            (is_multicast, Generator.MULTICAST, self.config.max_dest),
            (is_listed, Generator.LISTED, self.config.max_list),
        ):
            drawn = self._ranged(m, address, random[8 : 8 + n])
            with m.If(chosen):
                m.d.comb += k.eq(Mux(drawn > most, most, Mux(drawn.any(), drawn, 1)))
        length = self._ranged(m, Generator.LENGTH, random[18:31])
        limited = Mux(length > self.config.max_data, self.config.max_data, length)
        with m.If(self._begin):
            m.d.sync += [
                self._k.eq(k),
                self._is_broadcast.eq(is_broadcast),
                self._remaining.eq(k),
                self._spare.eq(~k),
                self._length.eq(limited),
                self._body.eq(limited),
                self._word.eq(pattern.first_word(self.config.width, self.address, self._messages)),
                self._state.eq(Mux(is_broadcast, GeneratorState.SUM, GeneratorState.K)),
            ]

    def _ranged(self, m, address, bits):
        """Return least + (bits AND mask) of a register."""
        least, mask = self._ranges[address]
        drawn = Signal(len(least) + 1, name=f"drawn_{address}")
        m.d.comb += drawn.eq(least + (bits & mask))
        return drawn

    def _send(self, m):
        """Offer the words, and account for the destinations."""
        config, o = self.config, self.o
        step, destination = Signal(), Signal(config.dim)
        ends = self._length == 0
        m.d.comb += [
            o.valid.eq((self._state != GeneratorState.IDLE) & (self._state != GeneratorState.SUM)),
            step.eq(o.valid & o.ready),
            destination.eq(self.address ^ self._walker),
        ]
        self._step, self._destination = step, destination
        with m.If(
            (self._state != GeneratorState.SUM)
            & (self._state != GeneratorState.LIST)
            & self._random[: config.dim].any()
        ):
            m.d.sync += self._walker.eq(self._random)
        with m.Switch(self._state):
            with m.Case(GeneratorState.SUM):
                m.d.comb += self._account.eq(1)
                self._next_destination(m, 0, GeneratorState.K)
            with m.Case(GeneratorState.K):
                m.d.comb += o.data.eq(self._k)
                with m.If(step):
                    m.d.sync += self._state.eq(Mux(self._is_broadcast, GeneratorState.CONTROL, GeneratorState.LIST))
            with m.Case(GeneratorState.LIST):
                skip = self._random[:2]
                m.d.comb += [o.data.eq(destination), self._account.eq(step)]
                with m.If(step):
                    self._next_destination(m, Mux(skip <= self._spare, skip, 0), GeneratorState.CONTROL)
            with m.Case(GeneratorState.CONTROL):
                spread = Mux(self._k > config.max_dest, config.nodes - 1, 0)
                m.d.comb += o.data.eq(spread if config.fault_tolerant else self.address)
                if config.source_field:
                    with m.If(step):
                        m.d.sync += self._state.eq(GeneratorState.SOURCE)
                else:
                    self._end_of_header(m, ends)
            with m.Case(GeneratorState.SOURCE):
                m.d.comb += o.data.eq(self.address)
                self._end_of_header(m, ends)
            with m.Case(GeneratorState.BODY):
                m.d.comb += [o.data.eq(self._word), o.last.eq(self._body == 1)]
                with m.If(step):
                    m.d.sync += [self._word.eq(pattern.follow(self._word)), self._body.eq(self._body - 1)]
                    with m.If(o.last):
                        m.d.sync += self._state.eq(GeneratorState.IDLE)

    def _end_of_header(self, m, ends):
        """End the header with this word, and the message if it has no payload."""
        m.d.comb += self.o.last.eq(ends)
        with m.If(self._step):
            m.d.sync += self._state.eq(Mux(ends, GeneratorState.IDLE, GeneratorState.BODY))

    def _next_destination(self, m, skip, following):
        """Go on to the next destination, or to another state after the last one."""
        steps = [pattern.walk(m, self._walker)]
        for _ in range(3):
            steps.append(pattern.walk(m, steps[-1]))
        skip = Value.cast(skip)
        m.d.sync += [
            self._spare.eq(self._spare - skip),
            self._remaining.eq(self._remaining - 1),
            self._walker.eq(Array(steps)[skip] if len(skip) > 1 else steps[0]),
        ]
        with m.If(self._remaining == 1):
            m.d.sync += self._state.eq(following)

    def _count(self, m):
        """Count what is sent and what must come of it, and let it be read."""
        words, expected_words, clocks = (Signal(32, name=name) for name in ("words", "expected_words", "clocks"))
        tag = Mux(self._length == 0, 0, self._word[: pattern.tag_bits(self.config.width)])
        with m.If(self._begin):
            m.d.sync += self._messages.eq(self._messages + 1)
        with m.If(self._step):
            m.d.sync += words.eq(words + 1)
        with m.If(~self.idle):
            m.d.sync += clocks.eq(clocks + 1)
        with m.If(self._account):
            m.d.sync += [
                self.expected.eq(self.expected + 1),
                expected_words.eq(expected_words + self._length),
                self.expected_signature.eq(
                    self.expected_signature + pattern.mix(m, tag, self._length, self._destination)
                ),
            ]
        counters = {
            Generator.MESSAGES: self._messages,
            Generator.WORDS: words,
            Generator.EXPECTED: self.expected,
            Generator.EXPECTED_WORDS: expected_words,
            Generator.SIGNATURE: self.expected_signature,
            Generator.CLOCKS: clocks,
        }
        with m.If(self._clear):
            m.d.sync += [counter.eq(0) for counter in counters.values()]
        activity = {Activity.RUNNING: self._running, Activity.BUSY: ~self.idle}
        registers = {
            Generator.CONTROL: Cat(activity[bit] for bit in Activity),
            Generator.PENDING: self._pending,
            **self._written,
            **counters,
        }
        read(m, self.control, registers)
