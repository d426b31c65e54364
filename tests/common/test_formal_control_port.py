"""The counters of the control port count forever, and broken control ports are refuted."""

# amaranth: UnusedElaboratable=no
import dataclasses

import pytest

from cubecast.golden.common.contract.units import Control
from cubecast.rtl.common.control_port import ControlPort
from cubecast.tb.harness.formal import prove
from tests.common.control_port_spec import ControlPortSpec, NoReportSpec
from tests.harness.altered import Altered

CONFIG = Control(dim=2, fault_tolerant=True, log_depth=1, lanes=2, units=5)


NARROW = dataclasses.replace(CONFIG, counter_bits=8)
"""With short counters."""


class CountsTwoAsOne(Altered):
    """Words that leave through two ports in one cycle are one for the second port's counter."""

    unit = ControlPort

    def alter(self, m, inner):
        """Hide the second."""
        m.d.comb += inner.word_out.eq(self.word_out & ~(self.word_out[0] << 1))
        return ("word_out",)


class KeepsFaults(Altered):
    """A write to FAULT sets bits and clears none."""

    unit = ControlPort

    def alter(self, m, inner):
        """Add what there was."""
        m.d.comb += inner.write_data.eq(self.write_data | inner.fault)
        return ("write_data",)


class TrustsTheNeighbour(Altered):
    """The neighbour's bit is not looked at while the own one is set elsewhere."""

    unit = ControlPort

    def alter(self, m, inner):
        """Hide it."""
        m.d.comb += inner.down.eq(self.down & ~inner.fault.any().replicate(len(self.down)))
        return ("down",)


def test_control_port_is_proven():
    """Every counter adds its event modulo 2^32, from any state; FAULT and CUT are what they should be."""
    prove(ControlPortSpec(CONFIG), depth=3, unroll=False)


class TakesWhatIsNotThere(ControlPort):
    """A reason counts without a report."""

    def elaborate(self, platform):
        """Show it."""
        m = super().elaborate(platform)
        with m.If(self.report_reason == 0):
            m.d.sync += self.read_data.eq(1)
        return m


def test_nothing_is_made_of_a_report_that_is_not_there():
    """Whatever its reason, destination, port and lane are."""
    prove(NoReportSpec(NARROW), depth=1)


def test_another_reason_without_a_report_is_reached():
    """The two are not the same."""
    prove(NoReportSpec(NARROW), mode="cover", depth=1)


def test_a_reason_without_a_report_that_counts_is_refuted():
    """It is read."""
    prove(NoReportSpec(NARROW, TakesWhatIsNotThere), mode="bmc", depth=3, expect="fail")


@pytest.mark.soak
def test_control_port_of_three_dimensions_is_proven():
    """The same with three lanes and ten units."""
    prove(ControlPortSpec(dataclasses.replace(CONFIG, dim=3, lanes=3, units=10)), depth=3)


def test_narrow_counters_are_proven():
    """Without log, and modulo 2^8."""
    prove(ControlPortSpec(dataclasses.replace(CONFIG, log_depth=0, counter_bits=8)), depth=3, unroll=False)


def test_the_counters_of_some_reasons_are_proven():
    """Those of the other reasons read 0."""
    prove(ControlPortSpec(dataclasses.replace(CONFIG, reasons=0b1010)), depth=3, unroll=False)


def test_counts_and_cuts_are_reached():
    """A counter that counts again is read; a fault is cleared while the neighbour still has one."""
    prove(ControlPortSpec(CONFIG), mode="cover", depth=5)


@pytest.mark.parametrize("broken", [CountsTwoAsOne, KeepsFaults, TrustsTheNeighbour])
def test_broken_control_port_is_refuted(broken):
    """A lost event, a fault that cannot be cleared, a link that one end still uses."""
    prove(ControlPortSpec(CONFIG, broken), mode="bmc", depth=6, expect="fail")
