"""Traffic checker: takes the deliveries of one node, and checks and counts them."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import bits_for

from cubecast.golden.common.contract.units import DATA_BITS
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.self_test import ADDRESS_BITS, Checker, Command, Phase
from cubecast.rtl.common import traffic_pattern as pattern
from cubecast.rtl.common.register_port import RegisterPort, read
from cubecast.rtl.multicast.link import Words

__all__ = ["TrafficChecker"]


class TrafficChecker(wiring.Component):
    """Take what is delivered, compare the payload with what a traffic generator sends, and sum up the deliveries.

    Takes a word in every cycle, or at random in some. All outputs are functions of registers.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Ports
    -----
    address : in, n
        Strap: the node's address.
    control__address, control__write, control__write_data, control__read_data : 5, 1, 32, 32
        Registers; see ``docs/self_test.md``.
    i__valid, i__data, i__last, i__error, i__ready
        Deliveries, from the ejection port.
    failed : out
        Some word was wrong, or some delivery ended with ``error``.
    delivered, delivered_signature : out, 32
        Deliveries, and the sum of their hashes.
    """

    def __init__(self, config: Config):
        self.config = config
        super().__init__(
            {
                "address": In(config.dim),
                "control": In(RegisterPort(ADDRESS_BITS)),
                "i": In(Words(config)),
                "failed": Out(1),
                "delivered": Out(DATA_BITS),
                "delivered_signature": Out(DATA_BITS),
            }
        )

    def elaborate(self, platform):
        """Follow the deliveries, count, and let the counters be read."""
        m = Module()
        stall, seed, random = Signal(8), Signal(32), Signal(32)
        clear = Signal()
        control = self.control
        m.d.comb += self.i.ready.eq(random[:8] >= stall)
        m.d.sync += random.eq(Mux(random.any(), pattern.xorshift(m, random), 1))
        with m.If(control.write), m.Switch(control.address):
            with m.Case(Checker.CONTROL):
                m.d.comb += clear.eq(control.write_data[Command.CLEAR])
            with m.Case(Checker.SEED):
                m.d.sync += [
                    seed.eq(control.write_data),
                    random.eq(control.write_data ^ pattern.own(self.address)),
                ]
            with m.Case(Checker.STALL):
                m.d.sync += stall.eq(control.write_data)
        counters = self._follow(m)
        with m.If(clear):
            m.d.sync += [counter.eq(0) for counter in counters.values()]
        m.d.comb += self.failed.eq(counters[Checker.PAYLOAD_ERRORS].any() | counters[Checker.ERRORS].any())
        read(m, control, {Checker.SEED: seed, Checker.STALL: stall, **counters})
        return m

    def _follow(self, m):
        """Follow the words of a delivery; return the counters by address."""
        config, i = self.config, self.i
        phase, done, taken, wrong = Signal(Phase), Signal(), Signal(), Signal()
        tag, expected = Signal(pattern.tag_bits(config.width)), Signal(config.width)
        length = Signal(bits_for(config.max_data))
        words, errors, payload_errors = (
            Signal(32, name=name) for name in ("delivered_words", "errors", "payload_errors")
        )
        first = self._first(m, phase, taken)
        m.d.comb += taken.eq(i.valid & i.ready)
        m.d.sync += done.eq(taken & i.last)
        with m.If(taken):
            with m.Switch(phase):
                with m.Case(Phase.HEAD):
                    m.d.sync += [length.eq(0), tag.eq(0)]
                    m.d.sync += phase.eq(Phase.SOURCE if config.source_field else Phase.FIRST)
                with m.Case(Phase.SOURCE):
                    m.d.sync += phase.eq(Phase.FIRST)
                with m.Case(Phase.FIRST):
                    m.d.comb += wrong.eq(first)
                    m.d.sync += [tag.eq(i.data), length.eq(min(1, config.max_data)), phase.eq(Phase.REST)]
                    m.d.sync += expected.eq(pattern.follow(i.data))
                with m.Case(Phase.REST):
                    m.d.comb += wrong.eq(i.data != expected)
                    m.d.sync += expected.eq(pattern.follow(expected))
                    with m.If(length != config.max_data):
                        m.d.sync += length.eq(length + 1)
            with m.If((phase == Phase.FIRST) | (phase == Phase.REST)):
                m.d.sync += words.eq(words + 1)
            with m.If(wrong):
                m.d.sync += payload_errors.eq(payload_errors + 1)
            with m.If(i.last):
                m.d.sync += [phase.eq(Phase.HEAD), self.delivered.eq(self.delivered + 1)]
                with m.If(i.error):
                    m.d.sync += errors.eq(errors + 1)
        with m.If(done):
            m.d.sync += self.delivered_signature.eq(
                self.delivered_signature + pattern.mix(m, tag, length, self.address)
            )
        return {
            Checker.DELIVERED: self.delivered,
            Checker.DELIVERED_WORDS: words,
            Checker.SIGNATURE: self.delivered_signature,
            Checker.PAYLOAD_ERRORS: payload_errors,
            Checker.ERRORS: errors,
        }

    def _first(self, m, phase, taken):
        """Return whether payload word 0 cannot be right."""
        config, data = self.config, self.i.data
        wrong = data != Cat(data[:32] for _ in range(-(-config.width // 32)))[: config.width]
        if config.fault_tolerant and not config.source_field:
            return wrong
        source, strange = Signal(config.dim), Signal()
        with m.If(taken & (phase == (Phase.SOURCE if config.source_field else Phase.HEAD))):
            m.d.sync += [source.eq(data), strange.eq(data[config.dim :].any())]
        return wrong | strange | (source != data[: config.dim])
