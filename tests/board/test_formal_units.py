"""Errors that are counted stay where they are at the end, a line has no bytes but characters; others are refuted."""

# amaranth: UnusedElaboratable=no
import pytest
from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, Module, Signal
from amaranth.lib import wiring

from cubecast.rtl.board.reporter import Reporter
from cubecast.rtl.board.tally import Tally
from cubecast.rtl.common.amaranth_private import assigned
from cubecast.tb.harness.formal import prove
from tests.board.corners import CORNERS
from tests.harness.inside import opened


class TallySpec(wiring.Component):
    """From any state, errors grow by no more than can come in a cycle, and not at all from 2^31 on.

    Parameters
    ----------
    config : BoardConfig
        Parameters of the board.
    more : int
        Errors that a cycle can bring; with fewer it must be refuted.
    """

    def __init__(self, config, more):
        self.config, self.more = config, more
        super().__init__({})

    def elaborate(self, platform):
        """Compare the count with what it was a cycle before."""
        m = Module()
        unit = Tally(self.config)
        m.submodules.dut = fragment = opened(unit)
        # Beside the port of this name, which shows it once a second.
        (errors,) = (signal for signal in assigned(fragment) if signal.name == "errors" and signal is not unit.errors)
        before, began = Signal(len(errors)), Signal()
        m.d.sync += [before.eq(errors), began.eq(1)]
        for _, member, signal in unit.signature.flatten(unit):
            if member.flow == wiring.In:
                m.d.comb += signal.eq(AnySeq(len(signal)))
        grown = Signal(len(errors))
        m.d.comb += [
            grown.eq(errors - before),
            Assert(~began | (grown <= self.more)),
            Assert(~began | ~before[-1] | (grown == 0)),
        ]
        return m


class ReporterSpec(wiring.Component):
    """Every byte is below 128.

    Parameters
    ----------
    config : BoardConfig
        Parameters of the board.
    bits : int
        Bits of a byte that may be set; with fewer it must be refuted.
    """

    def __init__(self, config, bits=7):
        self.config, self.bits = config, bits
        super().__init__({})

    def elaborate(self, platform):
        """Watch the bytes."""
        m = Module()
        m.submodules.dut = unit = Reporter(self.config)
        for _, member, signal in unit.signature.flatten(unit):
            if member.flow == wiring.In:
                m.d.comb += signal.eq(AnySeq(len(signal)))
        m.d.comb += Assert(unit.o__data < 1 << self.bits)
        return m


@pytest.mark.parametrize("name", CORNERS)
def test_errors_are_proven(name):
    """By what the register of their sum can hold, and one for what is lost."""
    prove(TallySpec(CORNERS[name], 1 << (2 * CORNERS[name].nodes).bit_length()), depth=1)


def test_a_smaller_sum_is_refuted():
    """A wrong packet and a report of each node may come in a cycle."""
    config = CORNERS["default"]
    prove(TallySpec(config, 2 * config.nodes - 1), mode="bmc", depth=5, expect="fail")


def test_bytes_are_proven():
    """Whatever numbers a line has."""
    prove(ReporterSpec(CORNERS["default"]), mode="pdr")


def test_fewer_bits_are_refuted():
    """Letters have seven."""
    prove(ReporterSpec(CORNERS["default"], 6), mode="bmc", depth=10, expect="fail")
