"""What the two ends of a link have to promise to each other."""

import dataclasses

from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, Assume, Cat, Cover, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.utils import bits_for

from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.units import Crosspoint, Port, queue_shape
from cubecast.golden.crosspoint.contract.word import outputs_of
from cubecast.rtl.crosspoint.block_queue import BlockQueue
from cubecast.rtl.crosspoint.input import Input
from cubecast.rtl.crosspoint.link_pipe import LinkPipe
from cubecast.rtl.crosspoint.next_set import NextSet
from cubecast.rtl.crosspoint.output import Output
from cubecast.rtl.crosspoint.queue import Queue
from tests.harness.inside import opened, register

__all__ = ["LinkSpec"]

DIMENSION = 1
"""Of the link; at n = 2 one requester comes over a lower link, and one is injected."""


class LinkSpec(wiring.Component):
    """No queue behind a link is ever too full, whatever comes into the queues before it and whenever words leave.

    An output with its next sets, the registers of the link, an input and its queues, all of them as in a router. Free
    are the headers, when words come and when they are taken. Packets have P words at most, since nothing else passes
    the injection.

    With fault tolerance the link is cut and repaired at any time, at both ends at once. Then, besides, what comes to an
    input in use follows its head, and at most one report of an input waits.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of both routers; n = 2. With fault tolerance f = 0.
    slack : int
        Words more that a queue counts as room; with any, the specification must be refuted.
    far : bool
        True: the flags pass one register more than the parameters say, which must be refuted too.
    late : bool
        True: the input knows of a cut a cycle later than the output, which must be refuted too.
    """

    def __init__(self, config: CrosspointConfig, *, slack=0, far=False, late=False):
        self.config, self.slack, self.far, self.late = config, slack, far, late
        super().__init__({})

    def elaborate(self, platform):
        """Join the ends, and count what is under way."""
        m = Module()
        config, n, j, limit = self.config, self.config.dim, DIMENSION, self.config.packet_limit
        port = Port(router=config, port=j)
        output, enter = Output(port), Input(port)
        opened_input = opened(enter)
        forward, backward = LinkPipe(port, forward=True), LinkPipe(port, forward=False)
        m.submodules.output, m.submodules.input = opened(output), opened_input
        m.submodules.forward = words = opened(forward)
        m.submodules.backward = flags = opened(backward)
        for name in enter.link.signature.members:
            m.d.comb += [
                getattr(forward.i, name).eq(getattr(output, name)),
                getattr(enter.link, name).eq(getattr(forward.o, name)),
            ]
        for name in backward.o.signature.members:
            seen = getattr(backward.o, name)
            if self.far:
                later = Signal(name=f"{name}_later")
                m.d.sync += later.eq(seen)
                seen = later
            m.d.comb += [getattr(backward.i, name).eq(getattr(enter, name)), getattr(output, name).eq(seen)]
        sent = Signal(bits_for(limit))
        with m.If(output.pop.any()):
            m.d.sync += sent.eq(Mux(output.last, 0, sent + 1))
        for k, number in enumerate(output.inputs):
            i = output.i[k]
            following = NextSet(Crosspoint(router=config, input=number, output=j))
            m.submodules[f"next_set_{number}_{j}"] = following
            m.d.comb += [getattr(i, name).eq(AnySeq(len(getattr(i, name)))) for name in ("ne", "data", "last", "kind")]
            m.d.comb += [getattr(following, name).eq(AnySeq(n)) for name in ("r1", "r2")]
            m.d.comb += [following.data.eq(i.data), following.kind.eq(i.kind), i.push.eq(following.push)]
            m.d.comb += Assume(~output.pop[k] | i.last | (sent < limit - 1))
        stages = [register(words, f"stage_{age + 1}") for age in range(config.forward)]
        told = [Cat(enter.ready, enter.ready_up)]
        told += [register(flags, f"stage_{age + 1}") for age in range(config.backward)]
        full = []
        for k in outputs_of(config, j):
            shape = dataclasses.replace(queue_shape(config, j, k), bits=1)
            shape = dataclasses.replace(shape, most=shape.most + self.slack)
            queue = (BlockQueue if shape.block else Queue)(shape)
            m.submodules[f"queue_{j}_{k}"] = fragment = opened(queue)
            m.d.comb += [queue.push.eq(enter.push[k]), enter.room[k].eq(queue.room), queue.pop.eq(AnySeq(1))]
            full.append(queue.level == shape.depth)
            m.d.comb += [
                Assume(~queue.pop | queue.ne),
                Assert(queue.level <= shape.depth),
                Assert(~queue.push | queue.pop | (queue.level < shape.depth)),
            ]
            if not (self.slack or self.far or self.late):
                coming, count = sum((stage[k] for stage in stages), queue.level), register(fragment, "count")
                # Make it inductive: what comes fits beside the rest of a packet, and the older a flag the less is left.
                m.d.comb += [
                    Assert(queue.ne == (count != 0)),
                    Assert(count <= queue.level),
                    Assert(coming + Mux(output.hold[k], limit - sent, 0) <= shape.depth),
                ]
                for age, flag in enumerate(told):
                    opens = flag[0] | (flag[1] & int(k > j))
                    m.d.comb += Assert(~opens | (coming <= shape.depth - limit - config.backward + age))
        m.d.comb += [
            Cover(Cat(full).all()),
            # What the proof of the output says, and how the words of a packet are counted.
            Assert((output.lock & (output.lock - 1)) == 0),
            Assert(output.busy == output.lock.any()),
            Assert(output.busy | (output.hold == 0)),
            Assert(output.busy == (sent != 0)),
            Assert(sent < limit),
        ]
        if config.fault_tolerant:
            self._cuts(m, output, enter, opened_input)
        return m

    def _cuts(self, m, output, enter, opened_input):
        """Cut the link at both ends, and follow what the input knows of it."""
        cut, link = Signal(), enter.link
        open_, waiting = register(opened_input, "open"), register(opened_input, "waiting")
        m.d.sync += cut.eq(AnySeq(1))
        m.d.comb += output.cut.eq(cut)
        m.d["sync" if self.late else "comb"] += enter.cut.eq(cut)
        m.d.comb += [unit.report.ready.eq(AnySeq(1)) for unit in (output, enter)]
        m.d.comb += [
            Assert(~link.push.any() | link.head | (link.push == open_)),
            Assert(~(link.push.any() & link.head & open_.any())),
            Assert(~link.push.any() | ~enter.cut),
            Assert(waiting <= 1),
            # Make it inductive: nothing begins while the input waits, for the output's report, then for the flags.
            Assert(open_ == output.hold),
            Assert(~open_[DIMENSION]),
            Assert((waiting == 0) | ~open_.any()),
            Assert((waiting == 0) | ~(enter.ready | enter.ready_up) | output.pending),
            Cover(enter.cut & enter.push[0] & enter.push[-1]),
        ]
