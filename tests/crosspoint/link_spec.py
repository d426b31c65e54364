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

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of both routers; n = 2, without fault tolerance.
    slack : int
        Words more that a queue counts as room; with any, the specification must be refuted.
    far : bool
        True: the flags pass one register more than the parameters say, which must be refuted too.
    """

    def __init__(self, config: CrosspointConfig, *, slack=0, far=False):
        self.config, self.slack, self.far = config, slack, far
        super().__init__({})

    def elaborate(self, platform):
        """Join the ends, and count what is under way."""
        m = Module()
        config, n, j, limit = self.config, self.config.dim, DIMENSION, self.config.packet_limit
        port = Port(router=config, port=j)
        output, enter = Output(port), Input(port)
        forward, backward = LinkPipe(port, forward=True), LinkPipe(port, forward=False)
        m.submodules.output, m.submodules.input = opened(output), enter
        m.submodules.forward = words = opened(forward)
        m.submodules.backward = flags = opened(backward)
        for name in forward.o.signature.members:
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
            if not self.slack and not self.far:
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
        return m
