"""What the join has to promise."""

from amaranth.asserts import AnyConst
from amaranth.hdl import Assert, Assume, Cat, Cover, Module, Mux, Signal

from cubecast.golden.reduction.contract.word import Operation
from cubecast.rtl.reduction.join import Join
from tests.harness.spec import Spec, drive

__all__ = ["JoinSpec"]

BITS = 2
"""Of the number that each word carries, in a place of its source's own: the numbers go round."""


class JoinSpec(Spec):
    """The k-th word that leaves joins the k-th word of each operand, and nothing else.

    Each source puts the number of its word into bits of its own; the operation is their sum. So what leaves says which
    words it is made of. The unit runs all the time; which operands there are is any choice that stays. ``last`` is a
    function of the number, and so is ``error``, of another one of each source.

    - What leaves has the number of words that left before, in the place of each operand that there is, else 0.
    - It stays, with all its fields, until it is taken; ``last`` is that of its operands, ``error`` that of any.

    Parameters
    ----------
    config : ReductionConfig
        Of the node; words of 8 bits.
    """

    unit = Join

    def elaborate(self, platform):
        """Number the words."""
        m = Module()
        dut = self.place(m)
        drive(m, dut)
        used = {"own": dut.member, "a": dut.has_a, "b": dut.has_b}
        left, popped = Signal(BITS), {}
        parts, errors = [], []
        for place, (name, wanted) in enumerate(used.items()):
            head = getattr(dut, name)
            popped[name] = number = Signal(BITS, name=f"popped_{name}")
            m.d.sync += number.eq(number + head.pop)
            m.d.comb += [
                Assume(wanted == AnyConst(1)),
                Assume(head.data == number << BITS * place),
                Assume(head.rop == Operation.ADD),
                Assume(head.last == number.all()),
                Assume(head.error == (number == place)),
                Assert(~head.pop | (head.ne & wanted)),
            ]
            parts.append(Mux(wanted, left, 0))
            errors.append(wanted & (left == place))
        m.d.comb += [
            Assume(dut.running),
            Assume(~dut.o.taken | dut.o.valid),
            Assume(dut.member | dut.has_a | dut.has_b),
        ]
        m.d.sync += left.eq(left + dut.o.taken)
        kept, waits = Signal(8), Signal()
        m.d.sync += [kept.eq(dut.o.data), waits.eq(dut.o.valid & ~dut.o.taken)]
        v1, v2 = self.register("v1"), self.register("v2")
        first = dut.member | dut.has_a
        m.d.comb += [
            Assert(~dut.o.valid | (dut.o.data == Cat(parts))),
            Assert(~dut.o.valid | ((dut.o.last == left.all()) & (dut.o.error == Cat(errors).any()))),
            Assert(~waits | (dut.o.valid & (dut.o.data == kept))),
            Assert(~dut.mismatch),
            Cover(dut.o.taken & v1 & dut.own.pop & dut.a.pop & dut.b.pop & (left == 3)),
        ]
        # Make it inductive: how many words are in the stages, and what is in the first one.
        ahead = (left + v2)[:BITS]
        r1 = self.register("r1__data")
        m.d.comb += [
            Assert(first | ~v1),
            Assert(~dut.has_b | (popped["b"] == ahead)),
            Assert(~v1 | (r1 == Cat(Mux(dut.member, ahead, 0), Mux(dut.has_a, ahead, 0)))),
            Assert(~v1 | (self.register("r1__rop") == Operation.ADD)),
            Assert(~v1 | (self.register("r1__last") == ahead.all())),
            Assert(~v1 | (self.register("r1__error") == ((dut.member & (ahead == 0)) | (dut.has_a & (ahead == 1))))),
        ]
        for name in ("own", "a"):
            m.d.comb += Assert(~used[name] | (popped[name] == (ahead + v1)[:BITS]))
        return m
