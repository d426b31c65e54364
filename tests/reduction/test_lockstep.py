"""The units of the reduction beside their golden twins."""

import pytest

from tests.harness.table import Line, at_length, check, params
from tests.reduction.corners import CORNERS

ALL = ("default", "least", "far", "wide")

TABLE = {
    # Every operation, with operands on both sides of what can go over.
    "alu": Line(corners=ALL, cycles=3000, repeated_cycles=2500),
    # Every combination of its inputs.
    "alu_control": Line(corners=("default",), cycles=2000, ends=True),
    # Words over all links, of which one is selected.
    "link_pick": Line(corners=ALL, cycles=2000),
    # Operands that come late or do not belong together, in all configurations.
    "join": Line(corners=("default", "least", "far", "operator"), cycles=12_000),
    # Words of one operand and of two, which an operator of three cycles has in hand.
    "operator_stage": Line(corners=("operator",), cycles=4000),
    # Results for any of three, who take them at any time.
    "down": Line(corners=("default",), cycles=4000),
    # Accesses to all registers, and events of all rates.
    "registers": Line(corners=("default", "least", "far"), cycles=10_000),
    # Configurations one after the other, neighbours that heed the flags, links that stall.
    "unit": Line(corners=("default", "least", "far", "wide", "operator"), icarus=("least",), cycles=16_000),
    # The same with packets on the same links, and faults.
    "router": Line(
        corners=("default", "least", "far", "contexts", "both"),
        icarus=("least",),
        cycles=10_000,
        repeated_cycles=4000,
        alone=True,
        core=("least",),
    ),
    # Operations on trees beside packets: groups, late and wrong members, aborts, a reset, a link that is cut.
    "network": Line(
        corners=("default", "least", "contexts"),
        later=("far", "wide", "operator", "both"),
        icarus=("least",),
        cycles=100_000,
        ends=True,
        alone=True,
        core=("least",),
        again=("least",),
    ),
    # Packets of the load node, and the words of a node without neighbours.
    "load_router": Line(corners=("small_load",), cycles=4000, repeated_cycles=1000),
    # Overload and operations beside each other, until all has come.
    "load_network": Line(corners=("small_load",), cycles=20_000, ends=True, alone=True, core=()),
}
"""Unit to what it is run with."""


@pytest.mark.parametrize(("simulator", "units", "corners"), params(TABLE), indirect=["simulator"])
def test_lockstep(simulator, units, corners):
    """All outputs agree in every cycle, and all events happen."""
    check("reduction", TABLE, CORNERS, simulator, units, corners)


NEAR_END = {
    "registers": Line(corners=("default",), benches=("NEAR_END",), cycles=10_000),
}
"""Units whose counters begin near the end of their range, and come to it."""


@pytest.mark.parametrize("simulator", ["verilator"], indirect=True)
@pytest.mark.parametrize("unit", NEAR_END)
def test_counters_near_their_end(simulator, unit):
    """All outputs agree beyond it."""
    check("reduction", NEAR_END, CORNERS, simulator, (unit,), (NEAR_END[unit].corners,))


@pytest.mark.soak
@pytest.mark.parametrize(("simulator", "units", "corners"), at_length(TABLE), indirect=["simulator"])
def test_lockstep_up_to_the_limit(simulator, units, corners):
    """The same, not ended when all events have happened."""
    check("reduction", TABLE, CORNERS, simulator, units, corners, margin=0)
