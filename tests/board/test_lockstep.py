"""The units of the board beside their golden twins."""

import pytest

from tests.board.corners import CORNERS
from tests.harness.table import Line, at_length, check, params

TABLE = {
    # Bytes behind each other and with pauses, resets within some.
    "uart_sender": Line(corners=tuple(CORNERS), cycles=3000),
    # Lines of numbers of all lengths, ticks at any time, a sender that stalls.
    "reporter": Line(corners=("default",), cycles=20_000, repeated_cycles=10_000),
    # Presses around the time that is heard.
    "panel": Line(corners=("default", "plain"), cycles=4000),
    # Every kind of packet, seconds of rest in which something lacks, resets.
    "tally": Line(
        corners=("default",), later=("plain", "blocks"), cycles={"": 200_000, "default": 80_000}, repeated_cycles=40_000
    ),
    # A line, a reset, a press of the button; at length all loads, one after the other, until nothing is under way.
    "board_network": Line(
        corners=("default",),
        later=("plain", "blocks"),
        icarus=(),
        cycles=500_000,
        ends=True,
        alone=True,
        options={"plain": {"presses": 3}, "blocks": {"presses": 2}},
        repeated_options={"plain": {"presses": 1}, "blocks": {"presses": 1}},
        longer={"default": {"presses": 6}},
        again=("default",),
    ),
}
"""Unit to what it is run with."""


@pytest.mark.parametrize(("simulator", "units", "corners"), params(TABLE), indirect=["simulator"])
def test_lockstep(simulator, units, corners):
    """All outputs agree in every cycle, and all events happen."""
    check("board", TABLE, CORNERS, simulator, units, corners)


NEAR_END = {
    "tally": Line(corners=("default",), benches=("NEAR_END",), cycles=80_000),
}
"""Units whose counters begin near the end of their range, and come to it."""


@pytest.mark.parametrize("simulator", ["verilator"], indirect=True)
@pytest.mark.parametrize("unit", NEAR_END)
def test_counters_near_their_end(simulator, unit):
    """All outputs agree beyond it."""
    check("board", NEAR_END, CORNERS, simulator, (unit,), (NEAR_END[unit].corners,))


@pytest.mark.soak
@pytest.mark.parametrize(("simulator", "units", "corners"), at_length(TABLE), indirect=["simulator"])
def test_lockstep_up_to_the_limit(simulator, units, corners):
    """The same, not ended when all events have happened."""
    check("board", TABLE, CORNERS, simulator, units, corners, margin=0)
