"""The units of the network adapter beside their golden twins."""

import pytest

from tests.adapter.corners import BUFFERS, CORNERS, SINGLE
from tests.harness.table import Line, at_length, check, params

KNOWING = tuple(name for name, config in CORNERS.items() if config.knows_faults)

CONFIGS = CORNERS | BUFFERS | SINGLE

REASSEMBLING = (*BUFFERS, *(name for name, config in CORNERS.items() if config.reassemble))

TABLE = {
    # Accesses to all registers, and to some that are not there.
    "registers": Line(corners=(*CORNERS, "valiant"), cycles=2000, repeated_cycles=1000),
    # Messages of all kinds, illegal ones too, with pauses in all places.
    "chunker": Line(corners=tuple(CORNERS), cycles=6000, repeated_cycles=3000),
    # Chunks and packets to be sent on, in turn, while faults come and go.
    "planner": Line(corners=(*CORNERS, *SINGLE), cycles=10_000, repeated_cycles=5000),
    # Packets of every kind, with stalls in all places.
    "emitter": Line(corners=tuple(CORNERS), cycles=6000, repeated_cycles=3000),
    # An emitter that pauses, a router that stalls.
    "inject_register": Line(corners=tuple(CORNERS), cycles=1000),
    # Packets come while others are sent on.
    "relay_store": Line(corners=KNOWING, cycles=4000, repeated_cycles=2500),
    # Packets for the node and for others, whole ones and some that were ended.
    "receiver": Line(corners=tuple(CORNERS), cycles=10_000, repeated_cycles=5000),
    # Packets of more messages than there are buffers, and ends that get lost.
    "reassembler": Line(corners=REASSEMBLING, icarus=("four_buffers",), cycles=8000, repeated_cycles=4000),
    # All of them together: a node that sends and receives, a router that stalls.
    "adapter": Line(corners=tuple(CORNERS), cycles={"": 8000, "plain": 12_000, "wide": 16_000}, repeated_cycles=8000),
    # Neighbours that heed the flags, faults at both ends of every link and in the list.
    "node": Line(
        corners=("default", "least"),
        later=("one_run", "plain", "wide"),
        icarus=("least",),
        cycles=8000,
        repeated_cycles=3000,
        alone=True,
        core=(),
    ),
    # The same with masters at all registers; of the adapter, and of the node.
    "axi_adapter": Line(corners=("one_run",), cycles=8000, repeated_cycles=6000),
    "axi_node": Line(
        corners=("default", "one_run"), icarus=("one_run",), cycles=8000, repeated_cycles=3000, alone=True
    ),
    # Messages from every node, and reads and writes of all registers of all nodes at once.
    "axi_network": Line(corners=("least",), icarus=(), cycles=2000, alone=True, core=(), again=("least",)),
    # Every legal message comes once and whole to each of its destinations, under all policies and around faults that
    # all nodes know, or has a report; with faults that nobody knows, and a reset, all nodes do the same.
    "network": Line(
        corners=("least",),
        later=("default", "plain", "one_run", "wide"),
        cycles=100_000,
        ends=True,
        alone=True,
    ),
}
"""Unit to what it is run with."""


@pytest.mark.parametrize(("simulator", "units", "corners"), params(TABLE), indirect=["simulator"])
def test_lockstep(simulator, units, corners):
    """All outputs agree in every cycle, and all events happen."""
    check("adapter", TABLE, CONFIGS, simulator, units, corners)


@pytest.mark.soak
@pytest.mark.parametrize(("simulator", "units", "corners"), at_length(TABLE), indirect=["simulator"])
def test_lockstep_up_to_the_limit(simulator, units, corners):
    """The same, not ended when all events have happened."""
    check("adapter", TABLE, CONFIGS, simulator, units, corners, margin=0)
