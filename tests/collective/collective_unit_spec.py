"""What the collective unit gives its sequencer, whatever its other parts do."""

from amaranth.hdl import Assert, Cover, Module

from cubecast.golden.collective.contract.segment import Sending
from cubecast.rtl.collective import unit as room
from cubecast.rtl.collective.registers import CollectiveRegisters
from cubecast.rtl.collective.sender import CollectiveSender
from cubecast.rtl.collective.sequencer import CollectiveSequencer
from tests.collective.surroundings import CollectiveSequencerSurroundings
from tests.harness.inside import emptying, unit
from tests.harness.spec import Spec, drive
from tests.harness.surroundings import beside

__all__ = ["SequencerPlacedSpec"]


class SequencerPlacedSpec(Spec):
    """The sequencer has the surroundings that are stated of it; registers and sender are what they are.

    Parameters
    ----------
    config : CollectiveConfig
        Parameters of the node.
    """

    unit = room.CollectiveUnit

    def elaborate(self, platform):
        """Let all other parts do what they like."""
        m = Module()
        with emptying(room, kept=(CollectiveRegisters, CollectiveSender, CollectiveSequencer)):
            drive(m, self.place(m))
        sequencer = unit(self.fragment, *self.inside, "sequencer")
        around = beside(m, "around", CollectiveSequencerSurroundings, sequencer)
        step = self.register("sender", "step")
        sending = (step != Sending.IDLE) & (step != Sending.CUT) & self.register("mine")
        m.d.comb += [
            Assert(around.allowed),
            # Makes it inductive: what is sent for the sequencer was granted.
            Assert(~sending | around.out),
            Cover(sequencer.request.done),
        ]
        return m
