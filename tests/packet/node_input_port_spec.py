"""What the node input port has to promise together with the crossbar's output to it."""

from functools import partial

from amaranth.asserts import AnySeq
from amaranth.hdl import Array, Assert, Assume, Cover, Module, Mux, Signal

from cubecast.rtl.packet.crossbar_output import CrossbarOutput
from cubecast.rtl.packet.node_input_port import NodeInputPort
from cubecast.rtl.packet.output_controller import OutputController
from tests.harness.inside import opened, register
from tests.harness.spec import Spec, drive
from tests.harness.surroundings import beside
from tests.packet.sending import sending_of
from tests.packet.surroundings import CrossbarOutputSurroundings, NodeInputPortSurroundings

__all__ = ["EndsSpec", "NodeInputPortSpec"]


class NodeInputPortSpec(Spec):
    """No flit comes when the FIFO is full: it opens only with room for a packet and for the rest of the one before.

    Output and port have the surroundings that are stated of them.

    Requesters are output controllers that send packets of any length with words of any kind, at any speed.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router; with the least FIFO the statement is the strongest.
    """

    COUNT = 2

    unit = NodeInputPort

    def elaborate(self, platform):
        """Connect requesters, output and port, and count what is promised to the port."""
        m = Module()
        config, count = self.config, self.COUNT
        most = config.max_words
        column, port = CrossbarOutput(config, count=count, local=True), self.unit(config)
        m.submodules.column = inside = opened(column)
        m.submodules.port = stored = opened(port)
        self._pass(m, column.o, port.i)
        m.d.comb += [column.open.eq(port.open), column.request.eq(AnySeq(count)), port.eject.ready.eq(AnySeq(1))]
        m.d.comb += column.report.ready.eq(1)
        around_column = beside(m, "around_column", CrossbarOutputSurroundings, column)
        around_port = beside(m, "around_port", NodeInputPortSurroundings, port)
        rest, senders = [], []
        for k in range(count):
            sender = OutputController(config, rows=1)
            m.submodules[f"sender_{k}"] = fragment = opened(sender)
            for name in ("start_length", "start_head", "limited", "limit", "ram_data"):
                signal = getattr(sender, name)
                m.d.comb += signal.eq(AnySeq(len(signal)))
            m.d.comb += [
                sender.start.eq((~sender.busy | sender.done) & column.grant[k] & AnySeq(1)),
                Assume((sender.start_length != 0) & (sender.start_length <= most)),
                column.accept[k].eq(sender.start),
                column.closing[k].eq(sender.closing),
            ]
            self._pass(m, sender.o, column.i[k])
            _, left, fetched = sending_of(partial(register, fragment))
            rest.append(Mux(sender.busy, sender.o.valid + fetched + left, 0))
            senders.append(sender)
            m.d.comb += [
                # Make the statement inductive: an output controller sends what it began, and no more.
                Assert(sender.busy | ~(fetched | sender.o.valid)),
                Assert(sender.busy | (left == 0)),
                Assert(~(sender.o.valid & sender.o.last) | ((left == 0) & ~fetched)),
                Assert(~(sender.o.valid & sender.o.head) | ~sender.o.last),
                Assert(around_column.begun[k] == (sender.busy & ~(sender.o.valid & sender.o.head))),
                Assert(rest[k] <= most + 1),
                Assert(~(sender.busy & sender.o.valid & sender.o.last) | (rest[k] == 1)),
            ]
        names = ("held", "owner", "pending", "accepted", "following")
        held, owner, pending, accepted, following = (register(inside, name) for name in names)
        level = Signal(range(config.fifo_depth + 1))
        m.d.sync += level.eq(level + port.i.valid - (port.eject.valid & port.eject.ready))
        passing = Mux(held, Array(rest)[owner[1]], 0)
        promised = Mux(pending, most + 1, 0)
        m.d.comb += [
            Assert(~port.i.valid | (level < config.fifo_depth)),
            Assert(around_column.allowed & around_port.allowed),
            Assert(port.eject.valid == (level != 0)),
            Cover(port.i.valid & (level == config.fifo_depth - 1)),
            # Makes the statement inductive: what is stored and what is promised has room.
            Assert(register(stored, *(() if self.unit is NodeInputPort else ("inner",)), "level") == level),
            Assert(level + passing + promised <= config.fifo_depth),
            Assert(~held | (owner == 0b01) | (owner == 0b10)),
            Assert(~pending | (following == 0b01) | (following == 0b10)),
            Assert(~accepted | pending),
        ]
        for k, sender in enumerate(senders):
            mine = held & owner[k]
            next_one = pending & accepted & following[k]
            m.d.comb += [
                Assert(~sender.busy | mine | next_one),
                Assert(~(mine & next_one)),
                Assert(~mine | sender.busy),
            ]
            m.d.comb += Assert(~next_one | sender.busy)
        return m

    def _pass(self, m, source, sink):
        """Connect two streams of flits."""
        for name in ("valid", "head", "last", "bad", "data"):
            m.d.comb += getattr(sink, name).eq(getattr(source, name))
        m.d.comb += source.ready.eq(sink.ready)


class EndsSpec(Spec):
    """A word that says that its packet ended early is the last one for the node.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.
    """

    unit = NodeInputPort

    def elaborate(self, platform):
        """Let anything come."""
        m = Module()
        drive(m, dut := self.place(m))
        eject = dut.eject
        m.d.comb += [Assert(~(eject.valid & eject.error) | eject.last), Cover(eject.valid & eject.error)]
        return m
