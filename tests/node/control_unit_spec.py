"""What the control unit has to promise about what it gives to others."""

from amaranth.hdl import Assert, Cover, Module, Signal
from amaranth.lib import wiring

from cubecast.golden.node.contract.registers import Interrupt
from cubecast.rtl.node.control_unit import ControlUnit, State
from tests.harness.inside import freed
from tests.harness.spec import Spec, drive

__all__ = ["ControlUnitSpec", "CopySpec"]

CHUNK = 16
"""Words that are copied at a time."""


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


class CopySpec(Spec):
    """A message is copied chunk after chunk, and what is known of one is kept for that which is attached then.

    From any state.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the node.
    chunk : int
        Words of a chunk; with another number it must be refuted.
    """

    unit = ControlUnit

    def __init__(self, config, chunk=CHUNK):
        self.chunk = chunk
        super().__init__(config)

    def elaborate(self, platform):
        """Compare places and buffers with what they were a cycle before."""
        m = Module()
        dut = self.place(m)
        drive(m, dut)
        state, place, attached = (self.register(name) for name in ("_state", "_from", "_attached"))
        copied, before, kept, buffer = Signal(), Signal.like(place), Signal(), Signal.like(self.register("_x"))
        m.d.sync += [
            copied.eq(state == State.COPY),
            before.eq(place),
            kept.eq(dut._put_claim.en),
            buffer.eq(dut._put_claim.addr),
        ]
        m.d.comb += [
            Assert(~copied | (place == before) | (place == (before + self.chunk)[: len(place)])),
            Assert(~kept | (buffer >= len(attached)) | attached.bit_select(buffer, 1)),
            Cover(copied & (place != before)),
            Cover(kept & (buffer != 0)),
        ]
        return m
