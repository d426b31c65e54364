"""What the control unit has to promise about what it gives to others."""

from amaranth.hdl import Assert, Cover, Module, Signal
from amaranth.lib import wiring

from cubecast.golden.node.contract.registers import Interrupt
from tests.harness.inside import freed

__all__ = ["ControlUnitSpec"]


class ControlUnitSpec(wiring.Component):
    """Buffers of what is sent begin with a word, parts are those of neighbours, and events have reasons of their own.

    Parameters
    ----------
    unit : Component
        The control unit; a broken one must be refuted.
    """

    def __init__(self, unit):
        self.unit = unit
        super().__init__({})

    def elaborate(self, platform):
        """Watch a unit with free inputs."""
        m = Module()
        m.submodules.dut = unit = self.unit
        freed(m, unit)
        add, event, n = unit.add, unit.event, unit.config.dim
        part = Signal(5)
        m.d.comb += [
            part.eq(add.reference),
            Assert(~add.valid | (add.buffer[:2] == 0)),
            Assert(~add.valid | (part <= n)),
            Assert(~event.valid | (event.reason < Interrupt.EVENT_LOST)),
            Cover(add.valid & (part == n)),
            Cover(event.valid),
        ]
        return m
