"""What serializer and deserializer have to promise together."""

# amaranth: UnusedElaboratable=no

from amaranth.hdl import Assert, Cat, Cover, Module, Mux, Signal
from amaranth.lib import wiring

from cubecast.golden.packet.contract.config import PORT_BITS, PacketConfig
from cubecast.rtl.packet.deserializer import Deserializer
from cubecast.rtl.packet.serializer import Serializer
from tests.harness.altered import Altered
from tests.harness.inside import opened, register
from tests.harness.spec import drive

__all__ = ["SerialLinkSpec"]


class SerialLinkSpec(wiring.Component):
    """What goes into a serializer comes out of the deserializer behind its line, in order, once, and unchanged.

    - A head that is taken, and each word of its packet, comes out b + 3 cycles later, b being its bits, and nothing
      else does; a head later by the cycles in which the neighbour holds it, and it begins only when ``ready``.
    - Nothing is held after its start bit. A contrary packet that is ``refused`` is so on both sides, is not passed on,
      and all others are.
    - A packet that ends before its last word is told of by ``cut_short`` two cycles after the word should have been
      taken, and that comes at no other time.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.
    sender, receiver : class
        Serializer and deserializer; broken ones must be refuted.
    """

    def __init__(self, config: PacketConfig, *, sender=Serializer, receiver=Deserializer):
        self.config, self.sender, self.receiver = config, sender, receiver
        super().__init__({})

    def elaborate(self, platform):
        """Connect both, and follow the flit on the line by the cycles since it was taken."""
        m = Module()
        config = self.config
        source, sink = self.sender(config), self.receiver(config)
        m.submodules.source, m.submodules.sink = self.source, self.sink = opened(source), opened(sink)
        i = source.i
        drive(m, i.valid, i.head, i.last, i.bad, i.data, sink.ready, sink.refusing)
        m.d.comb += [sink.line.eq(source.line), source.hold.eq(sink.hold)]

        bits, width, preheader = config.head_bits, config.width, 1 + PORT_BITS + config.length_bits
        age, head, flit = Signal(range(bits + 3)), Signal(), Signal(bits)
        left, started = Signal(config.length_bits), Signal()
        final, taken, refused, ended = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            final.eq(age == Mux(head, bits, width) + 2),
            taken.eq(i.valid & Mux(age == 0, i.head, final & (left != 0) & ~i.head & ~i.bad)),
            refused.eq((age == 3 + preheader) & head & flit[-1] & sink.refusing),
            ended.eq(final & (left != 0) & ~taken),
            Assert(i.ready == ((age == 0) | (final & (left != 0) & ~i.head))),
            Assert(source.refused == refused),
            Assert(~sink.hold | (age == 0) | ((age == 1) & head) | refused),
            Assert(~((age == 1) & head) | (source.line & (sink.hold == ~sink.ready))),
        ]
        with m.If(taken):
            m.d.sync += [
                age.eq(1),
                head.eq(i.head),
                flit.eq(Mux(i.head, i.data, i.data[:width])),
                left.eq(Mux(i.head, i.data[width:], left - 1)),
            ]
        with m.Elif(final | refused):
            m.d.sync += age.eq(0)
        with m.Elif((age != 0) & ~((age == 1) & sink.hold)):
            m.d.sync += age.eq(age + 1)
        with m.If(age == 1):
            m.d.sync += started.eq(sink.ready)

        comes, was_head, expected, late = Signal(), Signal(), Signal(bits), Signal(2)
        m.d.sync += [comes.eq(final), was_head.eq(head), expected.eq(flit), late.eq(Cat(ended, late))]
        m.d.comb += [
            Assert(sink.valid == comes),
            Assert(~comes | ((sink.head == was_head) & (sink.data == expected))),
            Assert(sink.cut_short == late[1]),
            Assert(~(final & head) | started),
            Cover(comes & ~was_head & (left == 0) & (expected == (1 << width) - 1)),
            Cover(late[1] & (age == 1)),
        ]
        self._inside(m, age, head, flit, left, late[0])
        m.d.comb += [
            Assert(age <= Mux(head, bits, width) + 2),
            Assert(head | (flit[width:] == 0)),
            Assert(~late[0] | ((age == 0) & ~final)),
            Assert(~comes | ~(late[0] & late[1])),
            Assert(~((age >= 2) & head) | started),
        ]
        return m

    def _inside(self, m, age, head, flit, left, ending):
        """Say where both units are, which makes the statements inductive."""
        bits, width = self.config.head_bits, self.config.width
        ours, theirs = (("inner",) if issubclass(unit, Altered) else () for unit in (self.sender, self.receiver))
        state, index, shift, first, rest, contrary = (
            register(self.source, *ours, name) for name in ("state", "index", "shift", "head", "left", "contrary")
        )
        state_in, index_in, shift_in, first_in, rest_in = (
            register(self.sink, *theirs, name) for name in ("state", "index", "shift", "first", "left")
        )
        gone, whole = Signal(range(bits + 1)), Signal(bits)
        m.d.comb += [
            gone.eq(Mux(age > 3, age - 3, 0)),
            whole.eq(Mux(head, flit, flit << bits - width)),
            Assert(state == Mux(age < 3, age, 3)),
            Assert(state_in == Mux(age == 0, ending, Mux(age == 1, ~head, Mux(age == 2, 2, 3)))),
        ]
        with m.If(age != 0):
            m.d.comb += [
                Assert((first == head) & (rest == left) & (shift == (whole << gone)[:bits])),
                Assert(~head | ((contrary == flit[-1]) & (left == flit[width:][: len(left)]))),
                Assert(head | (rest_in == (left + 1)[: len(left)])),
            ]
        with m.If(age >= 2):
            m.d.comb += Assert(first_in == head)
        with m.If(age >= 3):
            m.d.comb += [
                Assert((index == gone) & (index_in == gone)),
                Assert(shift_in == flit >> (Mux(head, bits, width) - gone).as_unsigned()),
            ]
