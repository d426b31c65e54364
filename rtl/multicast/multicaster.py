"""Multicaster: the greedy choice of one forwarding dimension and its destinations."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.multicast.contract.config import Config
from cubecast.rtl.common.instance import place
from cubecast.rtl.multicast.address_scanner import AddressScanner
from cubecast.rtl.multicast.column_selector import ColumnSelector
from cubecast.rtl.multicast.decoder import Decoder
from cubecast.rtl.multicast.maximum_checker import MaximumChecker, at_least

__all__ = ["Multicaster"]


class Multicaster(wiring.Component):
    """Decide one forwarding dimension of a multicast.

    Among the fault-free columns of the reference array, the one with the most ones is taken, the lowest on a tie.
    The number of rows taken is that count itself, so k is the maximum checker's output as a binary number.
    Combinational; with ``decision_latency`` = 2 the counts and their maximum are registers, and the outputs are those
    for ``a`` and ``fault`` of the cycle before, provided that ``a`` has not changed since.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Ports
    -----
    a : in, m * n
        Reference array, row i as item i - 1.
    fault : in, n
        Dimensions that must not be taken.
    terminate : out
        No fault-free column has a one (s_0); y, r and k are 0.
    y : out, n
        Forwarding dimension, one-hot.
    r : out, m
        Rows that go there.
    k : out, n
        Number of these rows.

    Source: Lan 1988, section 6.6, figure 6.6, and section 7.4.
    """

    def __init__(self, config: Config):
        self.config = config
        n, rows = config.dim, config.max_dest
        super().__init__(
            {"a": In(rows * n), "fault": In(n), "terminate": Out(1), "y": Out(n), "r": Out(rows), "k": Out(n)}
        )

    def elaborate(self, platform):
        """Connect the four parts."""
        m = Module()
        n, rows = self.config.dim, self.config.max_dest
        decoders = [place(m, f"decoder_{j}", Decoder, self.config) for j in range(n)]
        maximum_checker = place(m, "maximum_checker", MaximumChecker, self.config)
        column_selector = place(m, "column_selector", ColumnSelector, self.config)
        address_scanner = place(m, "address_scanner", AddressScanner, self.config)
        # "At least l ones" in place of "l ones": the largest index set is the same, and so are the columns that have
        # it, but synthesis finds a faster circuit.
        counts = Cat(at_least(m, decoder.count, f"least_{j}") for j, decoder in enumerate(decoders))
        for j, decoder in enumerate(decoders):
            m.d.comb += [
                decoder.column.eq(Cat(self.a[n * i + j] for i in range(rows))),
                decoder.faulty.eq(self.fault[j]),
            ]
        m.d.comb += maximum_checker.counts.eq(counts)
        s = maximum_checker.s
        if self.config.decision_latency > 1:
            counts, s = _registered(m, counts, "counts"), _registered(m, s, "maximum")
        m.d.comb += [
            column_selector.counts.eq(counts),
            # With s_0 the selector would mark an empty or faulty column: nothing may go there.
            column_selector.s.eq(Cat(0, s[1:])),
            self.terminate.eq(s[0]),
            self.y.eq(column_selector.y),
            address_scanner.a.eq(self.a),
            address_scanner.y.eq(self.y),
            self.r.eq(address_scanner.r),
        ]
        for bit in range(n):
            having = [s[ones] for ones in range(rows + 1) if ones >> bit & 1]
            m.d.comb += self.k[bit].eq(Cat(having).any())
        return m


def _registered(m, value, name):
    """Return a value as it was in the cycle before."""
    register = Signal(len(value), name=name)
    m.d.sync += register.eq(value)
    return register
