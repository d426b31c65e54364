"""Surroundings of units of the collectives."""

from amaranth.hdl import Cat, Signal

from cubecast.golden.collective.contract.states import State
from tests.collective.unit_spec import members
from tests.harness.surroundings import Surroundings

__all__ = ["CollectiveSequencerSurroundings"]


class CollectiveSequencerSurroundings(Surroundings):
    """An operation begins when none is under way, and stays the same; what is done was granted, and that asked for."""

    proven = ("tests/collective/test_formal_unit.py::test_what_surrounds_the_sequencer_is_proven",)

    def say(self, m, unit, counts):
        """Follow what was granted."""
        command, request = unit.command, unit.request
        self.out = out = Signal()
        fields = Cat(members(unit.awaited), members(unit.own))
        before = Signal.like(fields)
        m.d.sync += before.eq(fields)
        m.d.sync += out.eq(~command.cut_short & (request.granted | (out & ~request.done)))
        rules = [
            ~command.start | ((unit.state == State.IDLE) & ~command.cut_short),
            (unit.state == State.IDLE) | (fields == before),
            ~request.granted | (request.valid & ~command.cut_short),
            ~request.done | out,
        ]
        m.d.comb += self.allowed.eq(Cat(rules).all())
