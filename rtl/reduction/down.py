"""Down: a result leaves once to each child and to the node."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.reduction.contract.config import ReductionConfig

__all__ = ["Down"]


class Down(wiring.Component):
    """Offer the head of queue d to all that get it, and pop it when the last of them has it. No latency.

    Parameters
    ----------
    config : ReductionConfig
        Of the node; nothing here depends on it.

    Ports
    -----
    running : in
        0: queue d empties itself.
    has_a, has_b, deliver : in
        Who gets the results: child a, child b, the node.
    d__ne : in
        A result is at the head.
    ask_a, ask_b : out
        It is to go to the child.
    taken_a, taken_b : in
        It goes; only while asked.
    result__valid, result__ready
        The same for the node.
    d__pop : out
        All have it.
    """

    def __init__(self, config: ReductionConfig):
        self.config = config
        inputs = ("running", "has_a", "has_b", "deliver", "taken_a", "taken_b")
        super().__init__(
            {
                **{name: In(1) for name in inputs},
                "d": In(wiring.Signature({"ne": Out(1), "pop": In(1)})),
                "ask_a": Out(1),
                "ask_b": Out(1),
                "result": Out(wiring.Signature({"valid": Out(1), "ready": In(1)})),
            }
        )

    def elaborate(self, platform):
        """Keep one bit for each of the three: it has the word at the head."""
        m = Module()
        there, complete = Signal(), Signal()
        done_a, done_b, done_result = Signal(), Signal(), Signal()
        branches = (
            (done_a, self.has_a, self.ask_a, self.taken_a),
            (done_b, self.has_b, self.ask_b, self.taken_b),
            (done_result, self.deliver, self.result.valid, self.result.ready),
        )
        m.d.comb += [
            there.eq(self.running & self.d.ne),
            complete.eq(Cat(~wanted | done | taken for done, wanted, _, taken in branches).all()),
            self.d.pop.eq(self.d.ne & (complete | ~self.running)),
        ]
        for done, wanted, asks, taken in branches:
            m.d.comb += asks.eq(there & wanted & ~done)
            m.d.sync += done.eq(there & ~complete & (done | taken))
        return m
