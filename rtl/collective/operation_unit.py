"""Operation unit: merges a word that came in with the node's own."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.states import Operation

__all__ = ["OPERATION_BITS", "OperationUnit"]

OPERATION_BITS = 3


class OperationUnit(wiring.Component):
    """Merge two words, unsigned; combinational.

    Parameters
    ----------
    config : CollectiveConfig
        Gives the width of a word.

    Ports
    -----
    operation : in, 3
        0 sum modulo 2**w, 1 minimum, 2 maximum, 3 and, 4 or, 5 exclusive or, 6 ``custom``, 7 ``other``.
    own, other, custom : in, w
        The node's word, the one that came in, and what logic outside makes of the two.
    result : out, w
        The merged word.

    Source: Leu and Kuo, the tree merge; which operations there are is this project's.
    """

    def __init__(self, config: CollectiveConfig):
        self.config = config
        width = config.width
        super().__init__(
            {
                "operation": In(OPERATION_BITS),
                "own": In(width),
                "other": In(width),
                "custom": In(width),
                "result": Out(width),
            }
        )

    def elaborate(self, platform):
        """Build all results and choose one."""
        m = Module()
        own, other = self.own, self.other
        less = Signal()
        m.d.comb += less.eq(own < other)
        results = {
            Operation.SUM: own + other,
            Operation.MIN: Mux(less, own, other),
            Operation.MAX: Mux(less, other, own),
            Operation.AND: own & other,
            Operation.OR: own | other,
            Operation.XOR: own ^ other,
            Operation.CUSTOM: self.custom,
            Operation.REPLACE: other,
        }
        with m.Switch(self.operation):
            for operation, result in results.items():
                with m.Case(operation):
                    m.d.comb += self.result.eq(result)
        return m
