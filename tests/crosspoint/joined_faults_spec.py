"""What two routers that are joined have to promise while their links are declared faulty and repaired."""

from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, Assume, Cat, Cover, Module, Signal

from cubecast.golden.crosspoint.contract.word import CrosspointReason
from tests.crosspoint.joined_spec import JoinedSpec
from tests.harness.inside import unit
from tests.harness.spec import drive

__all__ = ["JoinedFaultsSpec"]

LOST = (CrosspointReason.INPUT_CUT, CrosspointReason.PACKET_CUT, CrosspointReason.UNDELIVERABLE)
"""Reasons of reports about a packet that did not come whole."""


class JoinedFaultsSpec(JoinedSpec):
    """Two whole routers as in :class:`JoinedSpec`; their control ports are written to at any time, with anything.

    So both declare links faulty and repaired while packets are on them. One word that gets past the checks of an
    injection port is marked in bit 0 of its data; none comes with ``error``, which then is that of a cut alone.

    - The mark leaves without ``error`` once at most, and not before it has entered.
    - Once no word is in any queue and none is at an ejection port, it has left so, or a link has reported a loss.

    Parameters
    ----------
    config : CrosspointConfig
        Parameters of both routers: no multicast, faults, no registers on links, ``pause_limit`` 0.
    unit : class
        The router; a broken one must be refuted.
    """

    def elaborate(self, platform):
        """Join the routers, mark a word, and look whether it is lost without a report."""
        m = Module()
        self.join(m)
        entering, leaving, lost = Signal(2), Signal(2), []
        for number, (router, fragment) in enumerate(zip(self.routers, self.fragments, strict=True)):
            inject, eject, control = router.inject, router.eject, router.control
            drive(m, inject.valid, inject.last, inject.r1, inject.r2, inject.kind, eject.ready)
            drive(m, control.address, control.write, control.write_data)
            mark = AnySeq(1)
            m.d.comb += [
                inject.data.eq(mark),
                router.address.eq(number),
                entering[number].eq(mark & self.injection(number).push.any()),
                leaving[number].eq(eject.valid & eject.ready & eject.data[0] & ~eject.error),
                # Longer packets are ended with an error, too, and reported.
                Assume(~self.injection(number).error),
            ]
            for j in range(self.config.dim):
                for side in ("input", "output"):
                    report = unit(fragment, *self.inside, f"{side}_{j}").report
                    lost.append(report.valid & Cat(report.reason == reason for reason in LOST).any())
        entered, left, told = Signal(), Signal(), Signal()
        m.d.sync += [
            entered.eq(entered | entering.any()),
            left.eq(left | leaving.any()),
            told.eq(told | Cat(lost).any()),
        ]
        queues = self.queues()
        idle = ~Cat(queue.ne for queue in queues).any() & ~Cat(router.eject.valid for router in self.routers).any()
        m.d.comb += [
            Assume((entering & (entering - 1) == 0) & ~(entered & entering.any())),
            Assert(~leaving.any() | (entered & ~left & (leaving & (leaving - 1) == 0))),
            Assert(~(idle & entered & ~left) | told | Cat(lost).any()),
            Cover(idle & entered & ~left),
            Cover(idle & left & told),
        ]
        return m
