"""Input and output controller pass packets through the buffer RAM unchanged, and broken ones are refuted."""

# amaranth: UnusedElaboratable=no
import pytest
from amaranth.hdl import Mux

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.rtl.packet.buffer_ram import BufferRam
from cubecast.rtl.packet.input_controller import InputController
from cubecast.rtl.packet.output_controller import OutputController
from cubecast.tb.harness.formal import prove
from tests.harness.altered import Altered
from tests.packet.controllers_spec import BufferRamSpec, ControllersSpec

CONFIG = PacketConfig(dim=2, width=6, rows=2, max_words=3)
THREE = PacketConfig(dim=3, width=7, rows=3, max_words=3)


class ForgetsToEnd(Altered):
    """A packet that was cut off leaves no mark in the RAM."""

    unit = InputController

    def alter(self, m, inner):
        """Hide the mark."""
        m.d.comb += self.write_data.eq(inner.write_data[: self.config.width])
        return ("write_data",)


class WrongRow(Altered):
    """The last word goes into the other row."""

    unit = InputController

    def alter(self, m, inner):
        """Change the row."""
        m.d.comb += self.write_row.eq(Mux(inner.write_word == 2, ~inner.row, inner.row))
        return ("write_row",)


class OneTooFar(Altered):
    """Reading may pass writing by a word."""

    unit = OutputController

    def alter(self, m, inner):
        """Raise the limit."""
        m.d.comb += inner.limit.eq(Mux(self.limit == 3, 3, self.limit + 1))
        return ("limit",)


class IgnoresTheMark(Altered):
    """The mark of a packet that ended early is not seen."""

    unit = OutputController

    def alter(self, m, inner):
        """Hide it."""
        m.d.comb += inner.ram_data.eq(self.ram_data[: self.config.width])
        return ("ram_data",)


class NewDataFirst(Altered):
    """A word that is read while it is written comes out as the new one."""

    unit = BufferRam

    def alter(self, m, inner):
        """Show the word that is written in the cycle of the read."""
        same = self.read & self.write & (self.read_row == self.write_row) & (self.read_word == self.write_word)
        passed, data = inner.data, self.write_data
        late, kept = type(data).like(self.read), type(data).like(data)
        m.d.sync += [late.eq(same | (late & ~self.read)), kept.eq(Mux(same, data, kept))]
        m.d.comb += self.data.eq(Mux(late, kept, passed))
        return ("data",)


@pytest.mark.parametrize("config", [CONFIG, pytest.param(THREE, marks=pytest.mark.soak)])
def test_controllers_are_proven(config):
    """The words go out as they came in, never before they came: for all time."""
    prove(ControllersSpec(config), depth=2, unroll=False)


def test_whole_and_cut_packets_are_reached():
    """The statements are not empty."""
    prove(ControllersSpec(CONFIG), mode="cover", depth=12)


@pytest.mark.parametrize("broken", [ForgetsToEnd, WrongRow])
def test_broken_input_controller_is_refuted(broken):
    """Nothing is known of the end, and a word of another packet is changed."""
    prove(ControllersSpec(CONFIG, receiver=broken), mode="bmc", depth=10, expect="fail")


@pytest.mark.parametrize("broken", [OneTooFar, IgnoresTheMark])
def test_broken_output_controller_is_refuted(broken):
    """Words that have not come, and words that never come."""
    prove(ControllersSpec(CONFIG, sender=broken), mode="bmc", depth=10, expect="fail")


def test_reading_that_passes_writing_is_refuted():
    """Without the limit the words go out before they came."""
    prove(ControllersSpec(CONFIG, limited=False), mode="bmc", depth=10, expect="fail")


def test_the_buffer_ram_is_like_one_of_registers():
    """The same data in the first cycles, whatever is written and read."""
    prove(BufferRamSpec(CONFIG), mode="bmc", depth=8)


def test_a_read_in_the_cycle_of_a_write_is_reached():
    """It gives the word that was there before."""
    prove(BufferRamSpec(CONFIG), mode="cover", depth=4)


def test_broken_buffer_ram_is_refuted():
    """The new word in place of the old one is found."""
    prove(BufferRamSpec(CONFIG, NewDataFirst), mode="bmc", depth=4, expect="fail")
