"""What the two ends of a link have to promise to each other."""

import dataclasses

from amaranth.asserts import AnyConst, AnySeq
from amaranth.hdl import Assert, Assume, Cat, Cover, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.utils import bits_for

from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.crosspoint.contract.units import Crosspoint, Port, queue_shape
from cubecast.golden.crosspoint.contract.word import CrosspointReason, outputs_of
from cubecast.rtl.crosspoint.block_queue import BlockQueue
from cubecast.rtl.crosspoint.input import Input
from cubecast.rtl.crosspoint.link_guard import LinkGuard
from cubecast.rtl.crosspoint.link_pipe import LinkPipe
from cubecast.rtl.crosspoint.next_set import NextSet
from cubecast.rtl.crosspoint.output import Output
from cubecast.rtl.crosspoint.queue import Queue
from tests.harness.inside import opened, register

__all__ = ["LinkSpec"]

FREE = ("ne", "data", "last", "error", "kind")
"""Of what is at the head of a queue."""

DIMENSION = 1
"""Of the link; at n = 2 one requester comes over a lower link, and one is injected."""


class LinkSpec(wiring.Component):
    """No queue behind a link is ever too full, whatever comes into the queues before it and whenever words leave.

    An output with its next sets, the registers of the link, an input and its queues, all of them as in a router. Free
    are the headers, with what is kept of their runs, when words come and when they are taken. Packets have P words at
    most, since nothing else passes the injection.

    With fault tolerance, each end declares the link faulty and repaired at any time. Then, besides, what comes to an
    input in use follows its head, and of each copy that was sent it becomes known exactly once what became of it: it
    comes whole, or the input reports it. Of f + g + 2 copies at most (f = 0: one) that is not known yet. What gets into
    the queues is packets, one after the other, each with its end; one that a cut ends has ``error`` there, and else the
    input changes neither. Its reports say that an input was cut, and are about the neighbour.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of both routers; n = 2.
    slack : int
        Words more that a queue counts as room; with any, the specification must be refuted.
    far : bool
        True: the flags pass one register more than the parameters say, which must be refuted too.
    late : bool
        True: the input knows of a cut a cycle later than it may, which must be refuted too.
    guard, enter : class
        The guard of both ends, and the input; broken ones must be refuted.
    """

    def __init__(self, config: CrosspointConfig, *, slack=0, far=False, late=False, guard=LinkGuard, enter=Input):
        self.config, self.slack, self.far, self.late = config, slack, far, late
        self.guard, self.enter = guard, enter
        self.broken = bool(slack or far or late) or (guard, enter) != (LinkGuard, Input)
        super().__init__({})

    def elaborate(self, platform):
        """Join the ends, and count what is under way."""
        m = Module()
        config, n, j, limit = self.config, self.config.dim, DIMENSION, self.config.packet_limit
        port = Port(router=config, port=j)
        output, enter = Output(port), self.enter(port)
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
            m.d.comb += [getattr(i, name).eq(AnySeq(len(getattr(i, name)))) for name in FREE]
            # What is kept of a header's run is free, too: the proof needs no run end.
            m.d.comb += [getattr(following, name).eq(AnySeq(n)) for name in ("r1", "r2")]
            m.d.comb += [getattr(following, name).eq(AnySeq(1)) for name in ("over", "turns")]
            m.d.comb += [following.data.eq(i.data), following.kind.eq(i.kind), i.push.eq(following.push)]
            m.d.comb += Assume(~output.pop[k] | i.last | (sent < limit - 1))
        stages = [register(words, f"stage_{age + 1}") for age in range(config.forward)]
        coming, open_ = [stage[: config.ports] for stage in stages], output.hold
        if config.fault_tolerant:
            coming, open_ = _under_way(config, stages, register(opened_input, "open"))
            self._cuts(m, output, enter, opened_input, forward, (stages, open_))
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
            if not self.broken:
                there, count = sum((push[k] for push in coming), queue.level), register(fragment, "count")
                # Make it inductive: what comes fits beside the rest of a packet, and the older a flag the less is left.
                m.d.comb += [
                    Assert(queue.ne == (count != 0)),
                    Assert(count <= queue.level),
                    Assert(there + Mux(open_[k], Mux(output.hold[k], limit - sent, 1), 0) <= shape.depth),
                ]
                for age, flag in enumerate(told):
                    opens = flag[0] | (flag[1] & int(k > j))
                    m.d.comb += Assert(~opens | (there <= shape.depth - limit - config.backward + age))
        m.d.comb += Cover(Cat(full).all())
        if self.broken:
            return m
        m.d.comb += [
            # What the proof of the output says, and how the words of a packet are counted.
            Assert((output.lock & (output.lock - 1)) == 0),
            Assert(output.busy == output.lock.any()),
            Assert(output.busy | (output.hold == 0)),
            Assert(output.busy == (sent != 0)),
            Assert(sent < limit),
        ]
        return m

    def _cuts(self, m, output, enter, opened_input, words, under_way):
        """Let both ends declare the link faulty at any time, and follow what becomes of the packets."""
        config, j, link = self.config, DIMENSION, enter.link
        stages, expected = under_way
        m.submodules.guard_out = guard_out = self.guard(config)
        m.submodules.guard_in = guard_in = self.guard(config)
        m.submodules.back = back = LinkPipe(Port(router=config, port=j), forward=True)
        cuts = []
        for name, guard, sends, hears in (("out", guard_out, words, back), ("in", guard_in, back, words)):
            fault, cut = Signal(name=f"fault_{name}"), Signal(name=f"cut_{name}")
            m.d.comb += [sends.i.down.eq(fault), guard.fault[j].eq(fault), guard.link_down[j].eq(hears.o.down)]
            m.d.sync += [fault.eq(AnySeq(1)), cut.eq(fault | guard.down[j])]
            cuts.append(cut)
        m.d.comb += [output.cut.eq(cuts[0]), enter.young.eq(guard_in.young[j])]
        m.d["sync" if self.late else "comb"] += enter.cut.eq(cuts[1])
        m.d.comb += [unit.report.ready.eq(AnySeq(1)) for unit in (output, enter)]
        open_, waiting = register(opened_input, "open"), register(opened_input, "waiting")
        heads = [stage[: config.ports].any() & stage[config.ports] for stage in stages]
        # Copies sent of which nobody knows yet what becomes of them: they come whole, or are reported.
        unknown = Signal(5)
        whole = enter.push.any() & enter.last & ~enter.cut
        sent = output.head & output.push.any()
        m.d.sync += unknown.eq(unknown + sent - whole - (enter.report.valid & enter.report.ready))
        # Whether the input was cut within the last f cycles.
        before = enter.cut
        for _ in range(config.forward):
            earlier = Signal()
            m.d.sync += earlier.eq(before)
            before = earlier | enter.cut
        m.d.comb += enter.address.eq(AnyConst(config.dim))
        # Queues that got a word of a packet, and not its last one.
        inside = Signal.like(enter.push)
        with m.If(enter.push.any()):
            m.d.sync += inside.eq(Mux(enter.last, 0, enter.push))
        m.d.comb += [
            Assert(~enter.push.any() | (enter.message_in ^ (enter.push == inside))),
            Assert(~enter.message_in | (inside == 0)),
            Assert(~enter.cut | ~inside.any() | (enter.push.any() & enter.last & enter.error)),
            Assert(
                ~enter.push.any()
                | ((enter.last == (link.last | enter.cut)) & (enter.error == (link.error | enter.cut)))
            ),
            Assert(
                ~enter.report.valid
                | (enter.report.reason == CrosspointReason.INPUT_CUT)
                & (enter.report.destination == enter.address ^ (1 << DIMENSION))
            ),
            Assert(inside == open_),
            Assert(enter.cut | ~link.push.any() | link.head | (link.push == open_)),
            Assert(enter.cut | ~(link.push.any() & link.head & open_.any())),
            Assert(unknown == sum(heads, waiting + open_.any())),
            Assert(unknown <= (1 if config.forward == 0 else config.forward + config.backward + 2)),
            Cover(enter.cut & enter.push[0] & enter.push[-1]),
        ]
        if self.broken:
            return
        # Make it inductive: both ends agree, but for a cut that one of them does not know yet.
        m.d.comb += [
            Assert(~open_[DIMENSION]),
            Assert(~output.hold.any() | (expected == output.hold) | before),
            Assert(output.hold.any() | ~expected.any() | output.cut),
        ]
        if config.forward == 0:
            m.d.comb += [
                Assert(cuts[0] == cuts[1]),
                # Nothing begins while the input waits, for the output's report, then for the flags.
                Assert((waiting == 0) | ~open_.any()),
                Assert((waiting == 0) | ~(enter.ready | enter.ready_up) | output.pending),
            ]


def _under_way(config, stages, open_):
    """Return which queues each word on the link is for, as long as nothing is cut, and which wait for more then."""
    coming = []
    for stage in reversed(stages):
        push, head, last = stage[: config.ports], stage[config.ports], stage[config.ports + 1]
        coming.append(Mux(head, push, push & open_))
        open_ = Mux(push.any(), Mux(last, 0, coming[-1]), open_)
    return coming, open_
