"""What two routers that are joined have to promise of a multicast: one copy for each destination."""

from amaranth.hdl import Assert, Assume, Cat, Const, Cover, Module, Mux, Signal

from cubecast.golden.crosspoint.contract.word import Kind
from tests.crosspoint.joined_spec import JoinedSpec
from tests.harness.spec import drive

__all__ = ["JoinedCopiesSpec"]

COUNT_BITS = 4
"""Bits of a count of copies."""


class JoinedCopiesSpec(JoinedSpec):
    """Two whole routers as in :class:`JoinedSpec`, with multicast: each destination gets its copy, once.

    One last word that gets past the checks of an injection port is marked by its bit ``error``, which no other has. In
    two nodes whose links are joined the destinations of odd distance are the other node, all others the node itself.

    - At either node the mark never leaves more often than its packet has destinations there.
    - Once no word is in any queue and none is at an ejection port, it has left there for each of them.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of both routers: n at most 3, w = 8, multicast, no faults, no registers on links, ``pause_limit`` 0.
    unit : class
        The router; a broken one must be refuted.
    """

    def elaborate(self, platform):
        """Join the routers, mark a word, and count its copies in every cycle."""
        m = Module()
        self.join(m)
        entering, named = Signal(2), [[Signal(COUNT_BITS) for _ in range(2)] for _ in range(2)]
        for number, router in enumerate(self.routers):
            inject, eject, unit = router.inject, router.eject, self.injection(number)
            drive(m, inject.valid, inject.last, inject.error, inject.r1, inject.r2, inject.kind, inject.data)
            drive(m, eject.ready)
            head = [Signal(COUNT_BITS) for _ in range(2)]
            for parity in range(2):
                m.d.comb += named[number][parity].eq(Mux(unit.message_in, self._named(inject, parity), head[parity]))
                m.d.sync += head[parity].eq(named[number][parity])
            m.d.comb += entering[number].eq(unit.error & unit.push.any())
        entered = Signal()
        m.d.sync += entered.eq(entered | entering.any())
        m.d.comb += Assume((entering & (entering - 1) == 0) & ~(entered & entering.any()))
        queues = self.queues()
        idle = ~Cat(queue.ne for queue in queues).any() & ~Cat(router.eject.valid for router in self.routers).any()
        left = [Signal(COUNT_BITS) for _ in range(2)]
        expected = [Signal(COUNT_BITS) for _ in range(2)]
        for node, router in enumerate(self.routers):
            leaves = router.eject.valid & router.eject.ready & router.eject.error
            with m.If(entering.any()):
                m.d.sync += expected[node].eq(Mux(entering[0], named[0][node], named[1][1 - node]))
            m.d.sync += left[node].eq(left[node] + leaves)
            m.d.comb += [
                Assert(left[node] + leaves <= expected[node]),
                Assert(~idle | (left[node] == expected[node])),
            ]
        m.d.comb += Cover((left[0] + left[1] == (1 << self.config.dim) - 1) & idle)
        return m

    def _named(self, inject, parity):
        """Return how many destinations of a parity a legal header names, by what its kinds mean."""
        n, found = self.config.dim, []
        for node in range(1, 1 << n):
            if node.bit_count() % 2 == parity:
                rest = node ^ inject.r1
                found.append(
                    Mux(
                        inject.kind == Kind.UNICAST,
                        rest == (inject.r2 if self.config.runs == 2 else 0),
                        Mux(inject.kind == Kind.SUBCUBE, (rest & ~inject.r2)[:n] == 0, inject.data[node]),
                    )
                )
        return sum(found, Const(0, 1))
