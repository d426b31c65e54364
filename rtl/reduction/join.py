"""Join: the node's word and those of its children become one, in two elastic stages."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.golden.reduction.contract.word import FIELDS
from cubecast.rtl.common.instance import place
from cubecast.rtl.reduction.alu import Alu
from cubecast.rtl.reduction.link import Head, Word

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
    """

    def __init__(self, config: ReductionConfig):
        self.config = config
        super().__init__(
            {
                **{name: In(1) for name in ("running", "member", "has_a", "has_b")},
                **{name: In(Head(config)) for name in ("own", "a", "b")},
                "o": Out(wiring.Signature({"valid": Out(1), **Word(config).members, "taken": In(1)})),
                **{name: Out(1) for name in ("mismatch", "wait_own", "wait_a", "wait_b", "empty")},
            }
        )

    def elaborate(self, platform):
        """Build the stages; each takes its operands together, or none of them."""
        m = Module()
        member, has_a, has_b, own, a, b = self.member, self.has_a, self.has_b, self.own, self.a, self.b
        r1, r2 = (Word(self.config).create(path=(name,)) for name in ("r1", "r2"))
        v1, v2, go1, go2, first, held = (Signal(name=name) for name in ("v1", "v2", "go1", "go2", "first", "held"))
        wrong1, wrong2 = Signal(), Signal()
        m.d.comb += [
            first.eq(member | has_a),
            go2.eq(self.running & (v1 | ~first) & (b.ne | ~has_b) & (first | has_b) & (~v2 | self.o.taken)),
            go1.eq(self.running & first & (own.ne | ~member) & (a.ne | ~has_a) & (~v1 | go2)),
        ]
        for head, goes in ((own, go1 & member), (a, go1 & has_a), (b, go2 & has_b)):
            m.d.comb += head.pop.eq(Mux(self.running, goes, head.ne))
        self._stage(m, "alu_1", go1, (own, member), (a, has_a), r1, wrong1)
        self._stage(m, "alu_2", go2, (r1, first), (b, has_b), r2, wrong2)
        m.d.sync += [
            v1.eq(self.running & (go1 | (v1 & ~go2))),
            v2.eq(self.running & (go2 | (v2 & ~self.o.taken))),
        ]
        m.d.comb += [
            self.o.valid.eq(v2 & self.running),
            *(getattr(self.o, name).eq(getattr(r2, name)) for name in FIELDS),
            self.mismatch.eq((go1 & wrong1) | (go2 & wrong2)),
            held.eq(self.running & (v1 | (member & own.ne) | (has_a & a.ne) | (has_b & b.ne))),
            self.wait_own.eq(held & ~v1 & member & ~own.ne),
            self.wait_a.eq(held & ~v1 & has_a & ~a.ne),
            self.wait_b.eq(held & has_b & ~b.ne),
            self.empty.eq(~v1 & ~v2),
        ]
        return m

    def _stage(self, m, name, go, left, right, result, wrong):
        """Build a stage: both operands joined, or the one that there is; each operand comes with whether it is used."""
        (x, has_x), (y, has_y) = left, right
        alu, both = place(m, name, Alu, self.config), Signal(name=f"{name}_both")
        m.d.comb += [
            both.eq(has_x & has_y),
            alu.a.eq(x.data),
            alu.b.eq(y.data),
            alu.has_a.eq(has_x),
            alu.has_b.eq(has_y),
            alu.rop.eq(x.rop),
            wrong.eq(both & ((x.rop != y.rop) | (x.last != y.last))),
        ]
        with m.If(go):
            m.d.sync += [
                result.data.eq(alu.y),
                result.rop.eq(Mux(has_x, x.rop, y.rop)),
                result.last.eq(Mux(has_x, x.last, y.last)),
                result.error.eq((x.error & has_x) | (y.error & has_y) | wrong),
            ]
