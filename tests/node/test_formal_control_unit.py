"""What the control unit gives to others has only the values that they allow for, and broken ones are refuted."""

# amaranth: UnusedElaboratable=no
import pytest

from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.node.control_unit import ControlUnit
from cubecast.tb.harness.formal import prove
from tests.harness.altered import Altered
from tests.harness.inside import opened, register
from tests.node.control_unit_spec import ControlUnitSpec, CopySpec
from tests.node.corners import CORNERS

CONFIG = NodeConfig(router=PacketConfig(dim=2, max_words=6), buffers=1)
TWO = NodeConfig(router=PacketConfig(dim=2, max_words=6), buffers=2)

DEPTH = 18
"""Cycles in which the part of a second neighbour is given to the scheduler."""


class TakesAnyBuffer(Altered):
    """The buffer of a part with an odd number begins with an odd byte."""

    unit = ControlUnit

    def alter(self, m, inner):
        """Add a byte."""
        m.d.comb += self.add.buffer.eq(inner.add.buffer | inner.add.reference[0])
        return ("add__buffer",)


def test_control_unit_is_proven():
    """For all instructions, whatever blocks and lists say."""
    prove(ControlUnitSpec(ControlUnit(CONFIG)), mode="pdr")


def test_parts_and_events_are_reached():
    """The part of the last neighbour, and an event."""
    prove(ControlUnitSpec(ControlUnit(CONFIG)), mode="cover", depth=DEPTH)


def test_broken_control_unit_is_refuted():
    """A part for a neighbour, with a buffer that begins with any byte."""
    prove(ControlUnitSpec(TakesAnyBuffer(CONFIG)), mode="pdr", expect="fail")


def test_copies_are_proven():
    """Chunks of as many words as are read at a time, and a claim of what is attached."""
    prove(CopySpec(TWO), depth=1)


def test_a_chunk_and_a_claim_are_reached():
    """A copy moves on, and what is known of the second buffer is written."""
    prove(CopySpec(TWO), mode="cover", depth=2, freed="dut", unroll=True)


def test_chunks_of_another_length_are_refuted():
    """From some state."""
    prove(CopySpec(TWO, chunk=8), mode="bmc", depth=2, freed="dut", expect="fail")


@pytest.mark.parametrize("name", ["least", "one_buffer"])
def test_of_one_message_one_bit_is_due(name):
    """With room for one, a message that is complete and claimed is that one."""
    fragment = opened(ControlUnit(CORNERS[name]))
    assert [len(register(fragment, each)) for each in ("_whole", "_attached")] == [1, 1]
