"""Operator stage: words on their way through an operator of the node, and the queue behind it."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.golden.reduction.contract.word import FIELDS
from cubecast.rtl.common.instance import place
from cubecast.rtl.crosspoint.queue import Queue
from cubecast.rtl.reduction.link import Word, fields_of

__all__ = ["OperatorStage"]


class OperatorStage(wiring.Component):
    """Follow words through an operator of ``operator_latency`` cycles, and keep results until they are taken.

    A word that goes in in cycle t can be taken from t + ``operator_latency`` + 1 on; one can go in in each cycle.

    Parameters
    ----------
    config : ReductionConfig
        Gives the width of a word, and the operator's latency, at least 1.

    Ports
    -----
    running : in
        0: all words are dropped.
    go, both : in
        A word goes in; the operator makes its data, which else is its own.
    i__data, i__rop, i__last, i__error : in, w and 4 and 1 and 1
        The word.
    y : in, w
        What the operator gives.
    room, empty : out
        A word may go in; none is inside.
    o__valid, o__data, o__rop, o__last, o__error : out, 1 and w and 4 and 1 and 1
        The word that is made; payload while valid.
    o__taken : in
        It leaves; only while valid.
    """

    def __init__(self, config: ReductionConfig):
        self.config = config
        word = Word(config).members
        super().__init__(
            {
                **{name: In(1) for name in ("running", "go", "both")},
                "i": In(wiring.Signature(word)),
                "y": In(config.width),
                "room": Out(1),
                "empty": Out(1),
                "o": Out(wiring.Signature({"valid": Out(1), **word, "taken": In(1)})),
            }
        )

    def elaborate(self, platform):
        """Build the registers beside the operator, and the queue; count what has no place of its own yet."""
        m = Module()
        shape = self.config.stage_shape
        queue = place(m, "queue", Queue, shape)
        valid, both = self.go, self.both
        word = {name: getattr(self.i, name) for name in FIELDS}
        there = []
        for age in range(self.config.operator_latency):
            kept = {name: Signal.like(value, name=f"word_{age}_{name}") for name, value in word.items()}
            m.d.sync += [kept[name].eq(value) for name, value in word.items()]
            then, joined = Signal(name=f"valid_{age}"), Signal(name=f"both_{age}")
            m.d.sync += [then.eq(valid & self.running), joined.eq(both)]
            there.append(then)
            valid, both, word = then, joined, kept
        word["data"] = Mux(both, self.y, word["data"])
        m.d.comb += [
            queue.push.eq(valid & self.running),
            queue.data.eq(Cat(word[name] for name in FIELDS)),
            queue.pop.eq(Mux(self.running, self.o.taken, queue.ne)),
            self.room.eq(queue.level + sum(there) < shape.depth),
            self.o.valid.eq(queue.ne & self.running),
            self.empty.eq(~queue.ne & ~Cat(there).any()),
            *(getattr(self.o, name).eq(value) for name, value in fields_of(self.config, queue.o).items()),
        ]
        return m
