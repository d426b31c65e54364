"""Load node: traffic source and sink of one node, to measure a packet network under load."""

from functools import reduce
from operator import or_

from amaranth import *
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from cubecast.golden.common.contract.units import Requests
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.load import COUNTERS, SALT, SETTINGS, TIME_BITS, TIME_LOW
from cubecast.rtl.common.arbiter import Arbiter
from cubecast.rtl.common.instance import place
from cubecast.rtl.common.traffic_pattern import own, xorshift
from cubecast.rtl.packet.link import Words
from cubecast.rtl.packet.node_output_port import Inject

__all__ = ["LoadNode"]


class LoadNode(wiring.Component):
    """Generate messages at random times for random nodes, send their packets in turn, and take what comes.

    A message waits in the send queue of its first dimension, which is the lowest useful one, or with quasi-adaptive
    routing the useful one with the shortest queue. Every packet carries the cycle of its message's generation, so that
    the node that takes it knows how long it took.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router; at least 3 words per packet, of at least 16 bits.
    queue : int
        Messages that a send queue holds, a power of two, at least 2.

    Ports
    -----
    address : in, n
        Strap: the node's address.
    seed, rate, burst, packets, words : in, 32, 16, 8, 8, 6
        Settings: of the random numbers; chance of a burst in a cycle, in 65536ths; messages of a burst; packets of a
        message; words after the head of a packet.
    enable, measure : in
        Generate messages; count words, and the latency of the messages generated now.
    inject__valid, inject__data, inject__last, inject__slots, inject__ready
        Packets to the router.
    eject__valid, eject__data, eject__last, eject__error, eject__ready
        Packets from the router; always taken.
    generated, lost, collisions : out, 32
        Messages; those that found their queue full; those that found a message in it.
    first_count, first_sum : out, 32, 48
        First packets that came, and the sum of their latencies.
    message_count, message_sum, message_max : out, 32, 48, 23
        Last packets that came, the sum of their latencies and the largest.
    accepted : out, 32
        Words that came while ``measure``.
    idle : out
        Nothing waits to be sent.

    Raises
    ------
    ValueError
        Packets are too short, or words too narrow, for what a packet carries; or the queue is no power of two.

    Source: Buzzard 1988, section 5.7 (simulation metrics and parameters).
    """

    def __init__(self, config: PacketConfig, *, queue: int = 16):
        if config.max_words < 3:
            raise ValueError(
                f"max_words must be an integer from 3 to 63 where load is measured, not {config.max_words}"
            )
        if config.width < 16:
            raise ValueError(f"width must be an integer from 16 to 64 where load is measured, not {config.width}")
        if type(queue) is not int or queue < 2 or queue & queue - 1:
            raise ValueError(f"queue must be a power of two, at least 2, not {queue!r}")
        self.config = config
        self.queue = queue
        super().__init__(
            {
                "address": In(config.dim),
                **{name: In(bits) for name, bits in SETTINGS.items()},
                "enable": In(1),
                "measure": In(1),
                "inject": Out(Inject(config)),
                "eject": In(Words(config)),
                **{name: Out(bits) for name, bits in COUNTERS.items()},
                "idle": Out(1),
            }
        )

    def elaborate(self, platform):
        """Build source and sink."""
        m = Module()
        self.now = Signal(TIME_BITS)
        m.d.sync += self.now.eq(self.now + 1)
        self._source(m)
        self._sink(m)
        return m

    def _source(self, m):
        """Build the random numbers, the send queues and the loader."""
        config, n = self.config, self.config.dim
        width = exact_log2(self.queue)
        entry = data.StructLayout({"destination": n, "time": TIME_BITS, "measured": 1})
        slot_bits = max(1, (n - 1).bit_length())
        m.submodules.queues = queues = memory.Memory(shape=entry, depth=self.queue << slot_bits, init=[])
        write, read = queues.write_port(), queues.read_port(domain="comb")
        levels = Array(Signal(width + 1, name=f"level_{j}") for j in range(n))
        newest = Array(Signal(width, name=f"newest_{j}") for j in range(n))
        oldest = Array(Signal(width, name=f"oldest_{j}") for j in range(n))
        sent = Array(Signal(8, name=f"sent_{j}") for j in range(n))
        # When a message comes into being, and for whom.
        x = Signal(32)
        due = Signal(8)
        start = Signal(32)
        m.d.comb += start.eq(self.seed ^ own(self.address) ^ SALT)
        relative = Signal(n)
        m.d.comb += relative.eq(x[16 : 16 + n])
        made = Signal()
        push = Signal()
        choice = Signal(slot_bits)
        m.d.comb += made.eq(self.enable & (due != 0) & (relative != 0))
        with m.If(self.enable):
            m.d.sync += x.eq(xorshift(m, x))
            with m.If(made):
                m.d.sync += due.eq(due - 1)
            with m.Elif((due == 0) & (x[:16] < self.rate)):
                m.d.sync += due.eq(self.burst)
        with m.Else():
            m.d.sync += [x.eq(Mux(start == 0, 1, start)), due.eq(0)]
        if config.routing == "fixed":
            for j in reversed(range(n)):
                with m.If(relative[j]):
                    m.d.comb += choice.eq(j)
        else:
            self._shortest(m, relative, levels, choice)
        found = Signal(width + 1)
        m.d.comb += [
            found.eq(levels[choice]),
            push.eq(made & (found != self.queue)),
            write.en.eq(push),
            write.addr.eq(Cat(newest[choice], choice)),
            write.data.destination.eq(self.address ^ relative),
            write.data.time.eq(self.now),
            write.data.measured.eq(self.measure),
        ]
        m.d.sync += [
            self.generated.eq(self.generated + made),
            self.lost.eq(self.lost + (made & ~push)),
            self.collisions.eq(self.collisions + (push & (found != 0))),
        ]
        # Which packet goes to the router.
        arbiter = place(m, "arbiter", Arbiter, Requests(count=n))
        busy = Signal()
        slot = Signal(slot_bits)
        index = Signal(6)
        mine = Signal(n)
        ready = Signal()
        ends = Signal()
        leaves = Signal()
        left = Signal(8)
        message = read.data
        waiting = Cat(level != 0 for level in levels)
        m.d.comb += [
            mine.eq(Mux(busy, 1 << slot, 0)),
            ready.eq((mine & self.inject.ready).any()),
            read.addr.eq(Cat(oldest[slot], slot)),
            left.eq(self.packets - 1 - sent[slot]),
            self.inject.valid.eq(busy),
            self.inject.slots.eq(mine),
            self.inject.last.eq(index == self.words - 1),
            ends.eq(ready & self.inject.last),
            leaves.eq(ends & (left == 0)),
            arbiter.request.eq(Mux(~busy | ends, waiting & self.inject.ready & ~mine, 0)),
            arbiter.advance.eq(1),
            self.idle.eq(~busy & ~waiting.any()),
        ]
        with m.Switch(index):
            with m.Case(0):
                m.d.comb += self.inject.data.eq(message.destination)
            with m.Case(1):
                m.d.comb += self.inject.data.eq(message.time[:TIME_LOW])
            with m.Case(2):
                m.d.comb += self.inject.data.eq(Cat(message.time[TIME_LOW:], left, message.measured))
            with m.Default():
                m.d.comb += self.inject.data.eq(index)
        with m.If(ready):
            m.d.sync += index.eq(index + 1)
        with m.If(ends):
            m.d.sync += [busy.eq(0), sent[slot].eq(Mux(leaves, 0, sent[slot] + 1))]
        for j in range(n):
            with m.If(arbiter.grant[j]):
                m.d.sync += [busy.eq(1), slot.eq(j), index.eq(0)]
            pushed = push & (choice == j)
            left_here = leaves & mine[j]
            m.d.sync += [
                levels[j].eq(levels[j] + pushed - left_here),
                newest[j].eq(newest[j] + pushed),
                oldest[j].eq(oldest[j] + left_here),
            ]

    def _shortest(self, m, relative, levels, choice):
        """Choose the useful slot with the shortest queue, the lowest of equals."""
        n = self.config.dim
        for j in range(n):
            longer = [relative[k] & ((levels[k] < levels[j]) if k > j else (levels[k] <= levels[j])) for k in range(n)]
            others = reduce(or_, [longer[k] for k in range(n) if k != j])
            with m.If(relative[j] & ~others):
                m.d.comb += choice.eq(j)

    def _sink(self, m):
        """Build what takes packets and adds up their latencies."""
        place_in, time, tail = Signal(3), Signal(TIME_LOW), Signal(TIME_BITS - TIME_LOW + 9)
        word, latency = Signal(len(tail)), Signal(TIME_BITS)
        counted = Signal()
        left = word[TIME_BITS - TIME_LOW :][:8]
        m.d.comb += [
            self.eject.ready.eq(1),
            word.eq(Mux(place_in == 3, self.eject.data[: len(tail)], tail)),
            latency.eq(self.now - Cat(time, word[: TIME_BITS - TIME_LOW])),
            counted.eq(self.eject.valid & self.eject.last & ~self.eject.error & (place_in >= 3) & word[-1]),
        ]
        with m.If(self.eject.valid):
            m.d.sync += place_in.eq(Mux(self.eject.last, 0, Mux(place_in == 4, 4, place_in + 1)))
            with m.If(place_in == 2):
                m.d.sync += time.eq(self.eject.data[:TIME_LOW])
            with m.If(place_in == 3):
                m.d.sync += tail.eq(self.eject.data[: len(tail)])
        with m.If(self.eject.valid & self.measure):
            m.d.sync += self.accepted.eq(self.accepted + 1)
        with m.If(counted & (left == (self.packets - 1)[:8])):
            m.d.sync += [self.first_count.eq(self.first_count + 1), self.first_sum.eq(self.first_sum + latency)]
        with m.If(counted & (left == 0)):
            m.d.sync += [
                self.message_count.eq(self.message_count + 1),
                self.message_sum.eq(self.message_sum + latency),
                self.message_max.eq(Mux(latency > self.message_max, latency, self.message_max)),
            ]
