"""The units of the collectives beside their golden twins."""

import pytest

from tests.collective.corners import CORNERS
from tests.harness.table import Line, at_length, check, check_soak, params, soak_params

TABLE = {
    # Messages and vectors of every node, and reads and writes of all nodes at once.
    "axi_network": Line(corners=("n2",), icarus=(), cycles=3000, alone=True, core=(), again=("n2",)),
    # Merges and rings through the router, their registers written over AXI.
    "axi_node": Line(corners=("n2",), cycles=9000, repeated_cycles=5000, alone=True),
    # Messages of host and collectives while the owner changes.
    "local_port": Line(corners=("n2", "narrow"), cycles=3000, repeated_cycles=1000, soak={"": 12_000}),
    # Messages word by word in every state, with credits used and cuts.
    "merge_collector": Line(
        corners=("n2", "one_word", "no_relays", "narrow", "n4", "block"),
        cycles=6000,
        soak={"": 24_000},
    ),
    # Merges and rings with random faults, own operations, aborts, vectors that are too long, the hosts' traffic.
    "network": Line(
        corners=("n2", "default"),
        cycles=60_000,
        ends=True,
        options={"n2": {"groups": 3}, "default": {"groups": 12, "stalls": [0.0, 0.3]}},
        alone=True,
        again=("default",),
    ),
    # Merges and rings through the router, beside the host's own messages.
    "node": Line(corners=("n2", "default"), cycles=6000, alone=True, core=(), soak={"": 24_000}),
    # Every operation on words of every order.
    "operation_unit": Line(corners=("n2", "narrow")),
    # Pushes and pops at any level, beside clears and resets.
    "pass_buffer": Line(
        corners=("single", "one_word", "n4", "block"),
        icarus=("single", "block"),
        cycles=3000,
        repeated_cycles=2500,
        soak={"": 12_000},
    ),
    # Relays and rings, quick and slow, some cut short.
    "pass_sequencer": Line(
        corners=("n2", "no_relays", "single", "source", "n4"), cycles=8000, repeated_cycles=6000, soak={"": 32_000}
    ),
    # Messages of every kind, whole, short and with an error.
    "receiver": Line(corners=("source", "fault_free", "narrow"), cycles=5000, repeated_cycles=2000, soak={"": 20_000}),
    # Everything is written and read, while the unit is busy and while it is not.
    "registers": Line(
        corners=("n2", "no_relays", "narrow", "n4"), cycles=5000, repeated_cycles=4000, soak={"": 20_000}
    ),
    # Messages from both sources to whomever, cut short in every phase.
    "sender": Line(
        corners=("source", "fault_free", "single", "n4", "block"), cycles=7000, repeated_cycles=4000, soak={"": 28_000}
    ),
    # Merges and rings, quick and slow, some cut short.
    "sequencer": Line(
        corners=("n2", "one_word", "single", "n4", "block"), cycles=8000, repeated_cycles=3500, soak={"": 32_000}
    ),
    # Merges, relays and rings with all that a node's peers do, and messages that nobody waits for.
    "unit": Line(
        corners=("n2", "one_word", "no_relays", "single", "source", "fault_free", "n4", "default", "block"),
        icarus=("block",),
        cycles=8000,
        soak={"": 32_000},
    ),
    # Reads and writes at random, many of the same word in the same cycle.
    "vector_memory": Line(corners=("n2", "one_word", "single", "block"), icarus=("n2", "block"), soak={"": 8000}),
}
"""Unit to what it is run with; in ``make soak`` every corner of the parameter space."""


@pytest.mark.parametrize(("simulator", "units", "corners"), params(TABLE), indirect=["simulator"])
def test_lockstep(simulator, units, corners):
    """All outputs agree in every cycle, and all events happen."""
    check("collective", TABLE, CORNERS, simulator, units, corners)


@pytest.mark.soak
@pytest.mark.parametrize(("simulator", "units", "corners"), at_length(TABLE), indirect=["simulator"])
def test_lockstep_up_to_the_limit(simulator, units, corners):
    """The same, not ended when all events have happened."""
    check("collective", TABLE, CORNERS, simulator, units, corners, margin=0)


@pytest.mark.soak
@pytest.mark.parametrize(("unit", "corner", "seed"), soak_params(TABLE, CORNERS))
def test_lockstep_soak(unit, corner, seed):
    """The same at length, with other seeds, and at every corner of the parameter space."""
    check_soak("collective", TABLE, CORNERS, unit, corner, seed)
