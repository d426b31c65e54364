"""The reports of a packet router have the reasons that the contract says there can be, and no others."""

# amaranth: UnusedElaboratable=no
import dataclasses

import pytest

from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.reason import PacketReason
from cubecast.rtl.packet.crossbar_output import CrossbarOutput
from cubecast.rtl.packet.input_controller import InputController
from cubecast.rtl.packet.output_slot import OutputSlot
from cubecast.tb.harness.formal import prove
from tests.harness.altered import Altered
from tests.harness.together import Together
from tests.packet.reasons_spec import PacketReasonsSpec

CONFIG = PacketConfig(dim=2, width=6, max_words=2)
CONFIGS = {
    "": CONFIG,
    "fixed": dataclasses.replace(CONFIG, routing="fixed"),
    "fault_free": dataclasses.replace(CONFIG, fault_tolerant=False),
    "fault_free_fixed": dataclasses.replace(CONFIG, fault_tolerant=False, routing="fixed", rows=1),
}
UNITS = {
    InputController: ({PacketReason.LINK_PROTOCOL, PacketReason.TRUNCATED, PacketReason.INPUT_CUT}, {}),
    CrossbarOutput: ({PacketReason.UNDELIVERABLE, PacketReason.PACKET_CUT}, {"count": 2}),
    OutputSlot: (
        {
            PacketReason.BAD_SLOT,
            PacketReason.ADDRESS_BITS,
            PacketReason.DATA_TOO_LONG,
            PacketReason.UNDELIVERABLE,
        },
        {},
    ),
}
"""Unit to the reasons that are its own, and what it is constructed with beside the parameters."""


def spec(config, unit, broken=None, without=frozenset()):
    """Return the specification of a unit, or of a broken one, or with reasons that are taken away."""
    reasons, extra = UNITS[unit]
    return PacketReasonsSpec(config, reasons - without, broken or unit, **extra)


class SaysCut(Altered):
    """A packet that ends early is told of as one of a link that is cut."""

    unit = InputController

    def alter(self, m, inner):
        """Say so of whatever is reported."""
        m.d.comb += self.reason.eq(PacketReason.INPUT_CUT)
        return ("reason",)


def test_there_are_all_reasons():
    """Each is one of some unit."""
    assert frozenset().union(*(reasons for reasons, _ in UNITS.values())) == CONFIG.reasons == frozenset(PacketReason)


@pytest.mark.parametrize("name", CONFIGS)
@pytest.mark.parametrize("unit", UNITS)
def test_no_other_reason_is_reported(unit, name):
    """For all time, with and without a fault vector."""
    prove(spec(CONFIGS[name], unit), mode="pdr")


@pytest.mark.parametrize("name", CONFIGS)
def test_every_reason_is_reported(name):
    """Each unit reaches each of its own."""
    units = [unit for unit in UNITS if CONFIGS[name].reasons & UNITS[unit][0]]
    prove(Together(*(spec(CONFIGS[name], unit) for unit in units)), mode="cover", depth=8)


@pytest.mark.parametrize(("unit", "reason"), [(unit, reason) for unit in UNITS for reason in sorted(UNITS[unit][0])])
def test_a_reason_that_the_contract_lacks_is_found(unit, reason):
    """Whichever it is."""
    prove(spec(CONFIG, unit, without={reason}), mode="bmc", depth=8, expect="fail")


def test_a_reason_that_cannot_be_is_found():
    """Without a fault vector no link is cut."""
    prove(spec(CONFIGS["fault_free"], InputController, SaysCut), mode="bmc", depth=4, expect="fail")
