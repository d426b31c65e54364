"""Join: the node's word and those of its children become one, in two elastic stages."""

from typing import Any, NamedTuple

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.golden.reduction.contract.word import FIELDS
from cubecast.rtl.common.instance import place
from cubecast.rtl.reduction.alu import Alu
from cubecast.rtl.reduction.link import Head, Word, operators
from cubecast.rtl.reduction.operator_stage import OperatorStage

__all__ = ["Join"]


class Join(wiring.Component):
    """Join word after word: r1 := own op a, then r2 := r1 op b. A word of a takes two cycles, one of b one.

    The left operand and the order are those of the configuration, whatever comes first. Words whose operation or
    ``last`` differ are joined all the same, and marked ``error``.

    Parameters
    ----------
    config : ReductionConfig
        Gives the width of a word.

    Ports
    -----
    running : in
        0: both stages and all three queues empty themselves.
    member, has_a, has_b : in
        Which of the operands there are: own words, child a, child b.
    own__ne, own__data, own__rop, own__last, own__error, own__pop, a__..., b__...
        Heads of the queues: 1, w, 4, 1, 1 bits in; pop out.
    o__valid, o__data, o__rop, o__last, o__error : out, 1 and w and 4 and 1 and 1
        The word that is joined; payload while valid.
    o__taken : in
        It leaves; only while valid.
    mismatch : out
        Operands that differ meet in this cycle.
    wait_own, wait_a, wait_b : out
        A word waits for this operand.
    empty : out
        No word is in the two stages.
    operator_1__valid, ..._a, ..._b, ..._rop, ..._y, operator_2__... : out, 1 and w and w and 4; y in, w
        With ``operator_latency``: operands for the operators of the node, in place of the ALUs, and what these make of
        them so many cycles later.
    """

    def __init__(self, config: ReductionConfig):
        self.config = config
        super().__init__(
            {
                **{name: In(1) for name in ("running", "member", "has_a", "has_b")},
                **{name: In(Head(config)) for name in ("own", "a", "b")},
                "o": Out(wiring.Signature({"valid": Out(1), **Word(config).members, "taken": In(1)})),
                **{name: Out(1) for name in ("mismatch", "wait_own", "wait_a", "wait_b", "empty")},
                **operators(config),
            }
        )

    def elaborate(self, platform):
        """Build the stages; each takes its operands together, or none of them."""
        m = Module()
        member, has_a, has_b, own, a, b = self.member, self.has_a, self.has_b, self.own, self.a, self.b
        go1, go2, first, held = (Signal(name=name) for name in ("go1", "go2", "first", "held"))
        build = self._operated if self.config.operator_latency else self._stage
        one = build(m, 1, go1, (own, member), (a, has_a), go2)
        two = build(m, 2, go2, (one.word, first), (b, has_b), self.o.taken)
        m.d.comb += [
            first.eq(member | has_a),
            go2.eq(self.running & (one.valid | ~first) & (b.ne | ~has_b) & (first | has_b) & two.room),
            go1.eq(self.running & first & (own.ne | ~member) & (a.ne | ~has_a) & one.room),
        ]
        for head, goes in ((own, go1 & member), (a, go1 & has_a), (b, go2 & has_b)):
            m.d.comb += head.pop.eq(Mux(self.running, goes, head.ne))
        m.d.comb += [
            self.o.valid.eq(two.valid & self.running),
            *(getattr(self.o, name).eq(getattr(two.word, name)) for name in FIELDS),
            self.mismatch.eq((go1 & one.wrong) | (go2 & two.wrong)),
            held.eq(self.running & (one.held | (member & own.ne) | (has_a & a.ne) | (has_b & b.ne))),
            self.wait_own.eq(held & ~one.held & member & ~own.ne),
            self.wait_a.eq(held & ~one.held & has_a & ~a.ne),
            self.wait_b.eq(held & has_b & ~b.ne),
            self.empty.eq(~one.held & ~two.held),
        ]
        return m

    def _stage(self, m, number, go, left, right, leaves):
        """Build a stage with an ALU and a register: both operands joined, or the one that there is.

        Each operand comes with whether it is used; ``leaves``: the word in the register does.
        """
        (x, has_x), (y, has_y) = left, right
        alu = place(m, f"alu_{number}", Alu, self.config)
        _, wrong, fields = self._met(m, number, left, right)
        valid, result = Signal(name=f"v{number}"), Word(self.config).create(path=(f"r{number}",))
        m.d.comb += [
            alu.a.eq(x.data),
            alu.b.eq(y.data),
            alu.has_a.eq(has_x),
            alu.has_b.eq(has_y),
            alu.rop.eq(x.rop),
        ]
        with m.If(go):
            m.d.sync += [getattr(result, name).eq(value) for name, value in (fields | {"data": alu.y}).items()]
        m.d.sync += valid.eq(self.running & (go | (valid & ~leaves)))
        return _Stage(result, valid, valid, ~valid | leaves, wrong)

    def _operated(self, m, number, go, left, right, leaves):
        """Build the same with an operator of the node, whose results wait in a queue."""
        (x, has_x), (y, _) = left, right
        stage = place(m, f"stage_{number}", OperatorStage, self.config)
        operator = getattr(self, f"operator_{number}")
        both, wrong, fields = self._met(m, number, left, right)
        m.d.comb += [
            operator.valid.eq(go & both),
            operator.a.eq(x.data),
            operator.b.eq(y.data),
            operator.rop.eq(x.rop),
            stage.running.eq(self.running),
            stage.go.eq(go),
            stage.both.eq(both),
            stage.y.eq(operator.y),
            stage.o.taken.eq(leaves & stage.o.valid),
            *(getattr(stage.i, name).eq(value) for name, value in fields.items()),
            stage.i.data.eq(Mux(has_x, x.data, y.data)),
        ]
        return _Stage(stage.o, stage.o.valid, ~stage.empty, stage.room, wrong)

    def _met(self, m, number, left, right):
        """Return whether both operands are used, whether they differ, and the fields of the result but its data."""
        (x, has_x), (y, has_y) = left, right
        both, wrong = Signal(name=f"alu_{number}_both"), Signal()
        m.d.comb += [both.eq(has_x & has_y), wrong.eq(both & ((x.rop != y.rop) | (x.last != y.last)))]
        return (
            both,
            wrong,
            {
                "rop": Mux(has_x, x.rop, y.rop),
                "last": Mux(has_x, x.last, y.last),
                "error": (x.error & has_x) | (y.error & has_y) | wrong,
            },
        )


class _Stage(NamedTuple):
    """What a stage shows: its word, whether that can leave, whether any is inside, and whether one can go in; and
    whether operands that differ meet in it."""

    word: Any
    valid: Value
    held: Value
    room: Value
    wrong: Value
