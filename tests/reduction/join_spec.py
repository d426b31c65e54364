"""What the join has to promise."""

from amaranth.asserts import AnyConst
from amaranth.hdl import Assert, Assume, Cat, Cover, Module, Mux, Signal

from cubecast.golden.reduction.contract.word import Operation
from cubecast.rtl.reduction.join import Join
from tests.harness.spec import Spec, drive

__all__ = ["JoinSpec"]

BITS = 2
"""Of the number that each word carries, in a place of its source's own: the numbers go round."""

FREE = ("rop", "last", "error")
"""Fields that a word has by its number."""


class JoinSpec(Spec):
    """The k-th word that leaves joins the k-th word of each operand, and nothing else.

    Each source puts the number of its word into bits of its own; the operation is their sum or their bitwise or, which
    then are the same. So what leaves says which words it is made of. Which operation, ``last`` and ``error`` are any
    functions of the number, of another one of each source. The unit runs or stops at any time, words being numbered
    anew when it runs again; which operands there are is any choice that stays.

    - What leaves has the number of words that left before, in the place of each operand that there is, else 0.
    - Its operation and ``last`` are those of the first operand, ``error`` that of any, or that operands differ, of
      which is told when they are popped.
    - It stays, with all its fields, until it is taken.
    - Operands are popped in the cycle in which those that they are joined with are there, and the stage is free; what
      was joined is at the output in the next cycle. Stopped, every word is popped, and none leaves.

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
        running, used = dut.running, {"own": dut.member, "a": dut.has_a, "b": dut.has_b}
        first, free = dut.member | dut.has_a, ~dut.o.valid | dut.o.taken
        left, popped = Signal(BITS), {}
        fields = {name: {field: Signal(1 << BITS, name=f"{field}_of_{name}") for field in FREE} for name in used}
        m.d.comb += [each.eq(AnyConst(len(each))) for mine in fields.values() for each in mine.values()]

        def of(name, field, number):
            return fields[name][field].bit_select(number, 1)

        def leads(field, number):
            return Mux(
                dut.member, of("own", field, number), Mux(dut.has_a, of("a", field, number), of("b", field, number))
            )

        def differ(name, number):
            """Return whether what a source has differs from what it is joined with."""
            return Cat(of(name, field, number) != leads(field, number) for field in ("rop", "last")).any()

        def error(names, number):
            errs = [used[name] & (of(name, "error", number) | differ(name, number)) for name in names]
            return Cat(errs).any()

        parts = []
        for place, (name, wanted) in enumerate(used.items()):
            head = getattr(dut, name)
            popped[name] = number = Signal(BITS, name=f"popped_{name}")
            m.d.sync += number.eq(Mux(running, number + head.pop, 0))
            m.d.comb += [
                Assume(wanted == AnyConst(1)),
                Assume(head.data == number << BITS * place),
                Assume(head.rop == operation(of(name, "rop", number))),
                Assume(head.last == of(name, "last", number)),
                Assume(head.error == of(name, "error", number)),
                Assert(~head.pop | head.ne),
            ]
            parts.append(Mux(wanted, left, 0))
        m.d.comb += [Assume(~dut.o.taken | dut.o.valid), Assume(first | dut.has_b)]
        m.d.sync += left.eq(Mux(running, left + dut.o.taken, 0))
        word = Cat(dut.o.data, dut.o.rop, dut.o.last, dut.o.error)
        kept, waits = Signal.like(word), Signal()
        m.d.sync += [kept.eq(word), waits.eq(running & dut.o.valid & ~dut.o.taken)]
        v1, v2 = self.register("v1"), self.register("v2")
        joins, arrives = Signal(), Signal()
        m.d.comb += joins.eq((v1 | ~first) & (dut.b.ne | ~dut.has_b) & free)
        m.d.sync += arrives.eq(running & joins)
        begins = first & (dut.own.ne | ~dut.member) & (dut.a.ne | ~dut.has_a) & (~v1 | joins)
        for name, goes in (("own", begins), ("a", begins), ("b", joins)):
            head = getattr(dut, name)
            m.d.comb += Assert(head.pop == Mux(running, goes & used[name], head.ne))
        m.d.comb += [
            Assert(running | ~dut.o.valid),
            Assert(~(arrives & running) | dut.o.valid),
            Assert(~dut.o.valid | (dut.o.data == Cat(parts))),
            Assert(~dut.o.valid | (dut.o.rop == operation(leads("rop", left)))),
            Assert(~dut.o.valid | ((dut.o.last == leads("last", left)) & (dut.o.error == error(used, left)))),
            Assert(~(waits & running) | (dut.o.valid & (word == kept))),
            Assert(
                dut.mismatch
                == running & ((dut.a.pop & differ("a", popped["a"])) | (dut.b.pop & differ("b", popped["b"])))
            ),
            Cover(dut.o.taken & v1 & dut.own.pop & dut.a.pop & dut.b.pop & (left == 3)),
        ]
        if self.inside:
            return m
        # Make it inductive: how many words are in the stages, and what is in the first one.
        ahead = (left + v2)[:BITS]
        r1 = self.register("r1__data")
        m.d.comb += [
            Assert(first | ~v1),
            Assert(~dut.has_b | (popped["b"] == ahead)),
            Assert(~v1 | (r1 == Cat(Mux(dut.member, ahead, 0), Mux(dut.has_a, ahead, 0)))),
            Assert(~v1 | (self.register("r1__rop") == operation(leads("rop", ahead)))),
            Assert(~v1 | (self.register("r1__last") == leads("last", ahead))),
            Assert(~v1 | (self.register("r1__error") == error(("own", "a"), ahead))),
        ]
        for name in ("own", "a"):
            m.d.comb += Assert(~used[name] | (popped[name] == (ahead + v1)[:BITS]))
        return m


def operation(either):
    """Return the operation that a bit stands for: of numbers that have no bit in common both are the same."""
    return Mux(either, Operation.OR, Operation.ADD)
