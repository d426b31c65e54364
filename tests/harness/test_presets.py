"""Registers with another value after a reset: in the Verilog, and refused where there are none of that name."""

import pytest

from cubecast.golden.common.contract.units import Control
from cubecast.tb.harness.verilog import verilog_of

UNIT = "cubecast.rtl.common.control_port:ControlPort"
CONFIG = Control(dim=2, fault_tolerant=True, log_depth=0, lanes=2, units=5, counter_bits=12)


def test_values_after_a_reset():
    """Modulo the range of twelve bits, and those of that name alone."""
    plain, preset = (verilog_of(UNIT, CONFIG, presets=presets) for presets in ({}, {"waited_[01]_count": -3}))
    # At the start, and after a reset.
    assert (plain.count("12'hffd"), preset.count("12'hffd")) == (0, 4)
    assert "waited_1_count = 12'hffd;" in preset and "waited_2_count = 12'h000;" in preset


def test_a_name_that_no_register_has_is_refused():
    """The error names those that there are."""
    with pytest.raises(ValueError, match=r"presets must name registers, such as .*waited_1_count.*, not 'waited'"):
        verilog_of(UNIT, CONFIG, presets={"waited": -3})
