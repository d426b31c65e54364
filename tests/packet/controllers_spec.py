"""What the controllers of a packet buffer unit have to promise together with its buffer RAM."""

# amaranth: UnusedElaboratable=no

from functools import partial

from amaranth.asserts import AnyConst, AnySeq
from amaranth.hdl import Array, Assert, Assume, C, Cat, Cover, Module, Mux, Signal
from amaranth.lib import wiring

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.packet.buffer_ram import BufferRam
from cubecast.rtl.packet.input_controller import InputController
from cubecast.rtl.packet.output_controller import OutputController
from tests.harness.inside import opened, register
from tests.harness.spec import Spec
from tests.packet.sending import sending_of

__all__ = ["BufferRamSpec", "ControllersSpec", "RegisterRam"]


class RegisterRam(wiring.Component):
    """A buffer RAM of registers, which a specification can look into; otherwise as BufferRam.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.
    count : int
        Number of rows.
    """

    def __init__(self, config: PacketConfig, *, count: int):
        super().__init__(dict(BufferRam(config, count=count).signature.members.items()))
        self.words = Array(
            Signal(config.width + 1, name=f"word_{i}", reset_less=True) for i in range(count << config.word_bits)
        )

    def elaborate(self, platform):
        """Build the registers."""
        m = Module()
        data = Signal.like(self.data, reset_less=True)
        m.d.comb += self.data.eq(data)
        with m.If(self.write):
            m.d.sync += self.words[Cat(self.write_word, self.write_row)].eq(self.write_data)
        with m.If(self.read):
            m.d.sync += data.eq(self.words[Cat(self.read_word, self.read_row)])
        return m


class BufferRamSpec(Spec):
    """The buffer RAM of the design and the one of registers give the same data in every cycle.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.
    """

    unit = BufferRam

    def elaborate(self, platform):
        """Drive both with the same inputs."""
        m = Module()
        m.submodules.dut = dut = self.unit(self.config, count=2)
        m.submodules.other = other = RegisterRam(self.config, count=2)
        for name, member in dut.signature.members.items():
            if member.flow == wiring.In:
                port = getattr(dut, name)
                m.d.comb += [port.eq(AnySeq(len(port))), getattr(other, name).eq(port)]
        written, meets = Signal.like(dut.write_data), Signal()
        same = (dut.read_row == dut.write_row) & (dut.read_word == dut.write_word)
        m.d.sync += [written.eq(dut.write_data), meets.eq(dut.read & dut.write & same)]
        m.d.comb += [Assert(dut.data == other.data), Cover(meets & (dut.data != written) & dut.data.any())]
        return m


class ControllersSpec(wiring.Component):
    """A packet chosen at will goes out as it came in, as often as it is started, while others come and go.

    The k-th word that goes out is the k-th that came in, any k; reading never passes writing; the final word has
    ``last``; a packet that ended early goes out as far as it came, followed by a flit with ``bad``. Sending ends when
    the whole packet is received, and never pauses while the next word is there and wanted.

    Assumed of the CAM: a row is not given to another packet while its packet is inside or being read.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router, with fewer than 2**``word_bits`` words.
    receiver, sender : class
        Input and output controller; broken ones must be refuted.
    limited : bool
        False: the output controller is not told how far the input controller is, which must be refuted.
    """

    def __init__(self, config: PacketConfig, *, receiver=InputController, sender=OutputController, limited=True):
        self.config, self.receiver, self.sender, self.limited = config, receiver, sender, limited
        super().__init__({})

    def elaborate(self, platform):
        """Connect the units as the packet buffer unit does, and follow the packet in and out."""
        m = Module()
        config, rows = self.config, self.config.rows
        source, sink, ram = self.receiver(config), self.sender(config, rows=rows), RegisterRam(config, count=rows)
        m.submodules.source = self._in = opened(source)
        m.submodules.sink = self._out = opened(sink)
        m.submodules.ram = ram
        self.source, self.sink, self.ram = source, sink, ram
        m.d.comb += [port.eq(AnyConst(len(port))) for port in (source.address, source.dimension)]
        free = (source.valid, source.head, source.data, source.cut_short, source.cut, source.calm)
        for port in (*free, source.free_rows, source.ram_row, source.all_contrary, sink.start_head, sink.o.ready):
            m.d.comb += port.eq(AnySeq(len(port)))
        m.d.comb += [
            Cat(ram.write, ram.write_row, ram.write_word, ram.write_data).eq(
                Cat(source.write, source.write_row, source.write_word, source.write_data)
            ),
            Cat(ram.read, ram.read_row, ram.read_word).eq(Cat(sink.read, sink.read_row, sink.read_word)),
            sink.ram_data.eq(ram.data),
            sink.limited.eq(source.receiving & (sink.read_row == source.row) & self.limited),
            sink.limit.eq(source.count),
            Assume(source.ram_row < rows),
            sink.start.eq(AnySeq(1) & (~sink.busy | sink.done)),
            sink.start_row.eq(AnySeq(len(sink.start_row))),
            sink.start_length.eq(AnySeq(len(sink.start_length))),
            Assume(sink.start_row < rows),
            Assume((sink.start_length != 0) & (sink.start_length <= config.max_words)),
        ]
        self._incoming(m)
        self._outgoing(m)
        return m

    def _incoming(self, m):
        """Follow the chosen packet in."""
        config, source, sink = self.config, self.source, self.sink
        bits = range(config.max_words + 1)
        self.here, self.over, self.ended = here, over, ended = Signal(), Signal(), Signal()
        self.row, self.length = row, length = Signal.like(source.ram_row), Signal(bits)
        self.arrived, self.index, self.word = arrived, index, word = Signal(bits), Signal(bits), Signal(config.width)
        self.mine, self.starts = mine, starts = Signal(), Signal()
        reading, read_row, begins = Signal(), Signal.like(row), Signal()
        m.d.comb += [
            index.eq(AnyConst(len(index))),
            Assume(index < config.max_words),
            begins.eq(source.load & ~here & AnySeq(1)),
            starts.eq(sink.start & here & (sink.start_row == row)),
            # What the CAM takes care of.
            Assume(~(source.load & here & (source.ram_row == row))),
            Assume(~(source.load & sink.busy & (source.ram_row == read_row))),
            Assume(~(source.load & sink.start & (source.ram_row == sink.start_row))),
            Assume(~starts | (sink.start_length == length)),
            reading.eq(sink.busy & (read_row == row)),
        ]
        with m.If(sink.start):
            m.d.sync += [read_row.eq(sink.start_row), mine.eq(starts)]
        with m.Elif(sink.done):
            m.d.sync += mine.eq(0)
        ends = source.cut | source.cut_short | (source.valid & source.head)
        with m.If(begins):
            m.d.sync += [here.eq(1), over.eq(0), ended.eq(0), row.eq(source.ram_row), length.eq(source.load_length)]
            m.d.sync += arrived.eq(0)
        with m.Elif(here):
            with m.If(~over & ends):
                m.d.sync += [over.eq(1), ended.eq(1)]
            with m.Elif(~over & source.valid):
                m.d.sync += [arrived.eq(arrived + 1), over.eq(arrived + 1 == length)]
                with m.If(arrived == index):
                    m.d.sync += word.eq(source.data)
            with m.If(over & (~mine | sink.done) & ~starts & AnySeq(1)):
                m.d.sync += here.eq(0)
        words = [self.ram.words[Cat(C(i, config.word_bits), row)] for i in range(1 << config.word_bits)]
        inside = () if self.receiver is InputController else ("inner",)
        m.d.comb += [
            # Make the statements inductive: where the packet is.
            Assert(~mine | (here & reading)),
            Assert(~(here & ~over) | (source.receiving & (source.row == row) & (source.count == arrived))),
            Assert(~(here & ~over) | (register(self._in, *inside, "length") == length)),
            Assert(~(here & over & source.receiving) | (source.row != row)),
            Assert(~here | ((length != 0) & (length <= config.max_words) & (arrived <= length))),
            Assert(~here | (over == (ended | (arrived == length)))),
            Assert(~(here & ended) | (arrived < length)),
            Assert(~(here & (index < arrived)) | (Array(words)[index] == word)),
            Assert(~(here & ended) | Array(words)[arrived][config.width]),
            Assert(source.row < config.rows),
        ]
        for i, stored in enumerate(words):
            m.d.comb += Assert(~(here & (arrived > i)) | ~stored[config.width])

    def _outgoing(self, m):
        """Compare what goes out with what came in."""
        config, sink, o, mine = self.config, self.sink, self.sink.o, self.mine
        place, head = Signal(range(config.max_words + 1)), Signal.like(sink.start_head)
        with m.If(sink.start):
            m.d.sync += [place.eq(0), head.eq(sink.start_head)]
        with m.Elif(o.valid & o.ready & ~o.head):
            m.d.sync += place.eq(place + 1)
        final = place + 1 == self.length
        with m.If(mine & o.valid & o.head):
            m.d.comb += Assert((o.data == head) & ~o.last & ~o.bad & (place == 0))
        with m.Elif(mine & o.valid & o.bad):
            m.d.comb += Assert(o.last & self.ended & (place == self.arrived) & (o.data == 0))
        with m.Elif(mine & o.valid):
            m.d.comb += [
                Assert((place < self.arrived) & (o.last == final)),
                Assert((place != self.index) | (o.data == self.word)),
            ]
        inside = () if self.sender is OutputController else ("inner",)
        row = register(self._out, *inside, "row")
        word, left, fetched = sending_of(partial(register, self._out, *inside))
        on_show = o.valid & ~o.head
        fetched_place = (word - 1)[: len(word)]
        closed = on_show & o.bad
        m.d.comb += [
            Assert(~(mine & sink.done) | self.over),
            Assert(~mine | o.valid | fetched | sink.read | (word >= self.arrived)),
            Cover(mine & sink.done & ~o.bad & (self.length == config.max_words) & (self.index == 1)),
            Cover(mine & sink.done & o.bad & (self.arrived == 2)),
            # Make the statements inductive: nothing is left of the packet before.
            Assert(sink.busy | ~(fetched | o.valid | (left != 0))),
            Assert(~(o.valid & o.last) | ((left == 0) & ~fetched)),
        ]
        with m.If(mine):
            m.d.comb += [
                # And where the words are.
                Assert(sink.busy & (row == self.row)),
                Assert(word == place + on_show + fetched),
                Assert(~(o.valid & o.head) | (place == 0)),
                Assert(left == Mux(closed, 0, self.length - word)),
                Assert((word <= self.arrived) | (self.ended & (word == self.arrived + 1))),
                Assert(~closed | (~fetched & (word == self.arrived + 1))),
                Assert(o.valid | fetched | (left != 0)),
                Assert((word <= self.arrived) | closed | fetched),
            ]
            with m.If(fetched):
                m.d.comb += [
                    Assert(word != 0),
                    Assert(self.ram.data[config.width] == (fetched_place == self.arrived)),
                    Assert((fetched_place != self.index) | (self.index >= self.arrived) | (self.ram.data == self.word)),
                ]
