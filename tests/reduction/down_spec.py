"""What the way down has to promise."""

from amaranth.asserts import AnyConst
from amaranth.hdl import Assert, Assume, Cover, Module, Signal

from cubecast.rtl.reduction.down import Down
from tests.harness.spec import Spec, drive

__all__ = ["DownSpec"]


class DownSpec(Spec):
    """A word leaves queue d once to each that gets it, and is popped when the last of them has it.

    Who gets words stays the same; the unit runs or stops at any time, and takes are free. Stopped, nobody is offered a
    word, and words go.

    Parameters
    ----------
    config : ReductionConfig
        Of the node.
    """

    unit = Down

    def elaborate(self, platform):
        """Count who has the word at the head."""
        m = Module()
        dut = self.place(m)
        drive(m, dut)
        branches = {
            "a": (dut.has_a, dut.ask_a, dut.taken_a),
            "b": (dut.has_b, dut.ask_b, dut.taken_b),
            "result": (dut.deliver, dut.result.valid, dut.result.ready),
        }
        ne = Signal()
        # A word that is there stays until it is popped.
        m.d.sync += ne.eq(dut.d.ne & ~dut.d.pop)
        m.d.comb += [Assume(~ne | dut.d.ne), Assert(~dut.d.pop | dut.d.ne)]
        there, all_have = dut.running & dut.d.ne, 1
        for name, (wanted, asks, taken) in branches.items():
            has, goes = Signal(name=f"has_{name}"), Signal(name=f"goes_{name}")
            m.d.comb += [Assume(wanted == AnyConst(1)), goes.eq(asks & taken)]
            if name != "result":
                m.d.comb += Assume(~taken | asks)
            m.d.comb += [
                Assert(~asks | (there & wanted)),
                # Once, and again and again until then.
                Assert(asks == (there & wanted & ~has)),
            ]
            if not self.inside:
                # Make it inductive.
                m.d.comb += Assert(~wanted | (self.register(f"done_{name}") == has))
            m.d.sync += has.eq(there & ~dut.d.pop & (has | goes))
            all_have = all_have & (~wanted | has | goes)
        m.d.comb += [
            Assert(dut.d.pop == (dut.d.ne & (all_have | ~dut.running))),
            Cover(dut.d.pop & dut.running & dut.has_a & dut.has_b & dut.deliver & dut.taken_a & ~dut.ask_b),
        ]
        return m
