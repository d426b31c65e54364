"""What own chunks leave to packets that are to be sent on."""

from amaranth.hdl import Assert, Assume, Cat, Cover, Module, Mux, Signal
from amaranth.lib import wiring

from cubecast.rtl.adapter.planner import Planner
from tests.harness.inside import freed, opened, register

__all__ = ["TurnsSpec"]


class TurnsSpec(wiring.Component):
    """While a packet waits to be sent on, one own chunk comes to its end, at most, and `place` leaves one row.

    Chunks, whether they are sent or not, faults, policy and whoever takes orders and reports are free. A chunk, and a
    packet, stays until it is taken.

    Parameters
    ----------
    config : AdapterConfig
        Parameters of the node; faults can be known.
    planner : class
        The design to be checked; broken ones must be refuted.
    """

    def __init__(self, config, planner=Planner):
        self.config, self.planner = config, planner
        super().__init__({})

    def elaborate(self, platform):
        """Count what passes a packet that waits."""
        m = Module()
        unit = self.planner(self.config)
        m.submodules.planner = fragment = opened(unit)
        freed(m, unit)
        chunk, relay = unit.chunk, unit.relay
        offered, asked, earlier = Signal(), Signal(), Signal(2)
        kept = Cat(chunk.serial, chunk.first)
        waits = relay.valid & ~unit.relay_taken
        m.d.sync += [offered.eq(chunk.valid & ~unit.chunk_taken), earlier.eq(kept), asked.eq(waits)]
        m.d.comb += [Assume(~offered | (chunk.valid & (kept == earlier))), Assume(~asked | relay.valid)]
        inner = ("inner",) if self.planner is not Planner else ()
        row = register(fragment, *inner, "place")[self.config.router.bitmap_dims :]
        before = Signal(len(row))
        m.d.sync += before.eq(row)
        for name, passes in (("chunks", unit.chunk_taken), ("rows", asked & (row != before))):
            passed = Signal(2, name=name)
            m.d.sync += passed.eq(Mux(waits, passed + (passes & ~passed.all()), 0))
            m.d.comb += [Assert(passed <= 1), Cover(unit.relay_taken & (passed == 1))]
        return m
