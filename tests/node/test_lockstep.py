"""The units of the node interface beside their golden twins."""

import dataclasses

import pytest

from tests.harness.table import Line, at_length, check, check_soak, params, soak_params
from tests.node.corners import CORNERS

CONFIGS = CORNERS | {
    # Buffers of many bytes, so that lengths and addresses have bits above those of a packet.
    "large": dataclasses.replace(CORNERS["wide"], buffer_bytes=43680),
}
ALL = tuple(name for name in CORNERS if name not in ("long", "serial"))

POOLED = tuple("large" if name == "wide" else name for name in ALL)

ENDS = ("least", "wide")
"""What ``make test`` has of units that run for long: four nodes without buffers, and sixteen with some."""

TABLE = {
    # Doorbells in bursts, and a control unit that stalls.
    "instruction_queue": Line(corners=ALL, cycles=1500, repeated_cycles=1000),
    # Events of both units, full logs, reasons that are cleared as they come.
    "event_log": Line(corners=ALL, cycles=2500, repeated_cycles=1000),
    # Accesses to all registers, and to some that are not there.
    "node_registers": Line(corners=ALL[:2], cycles=3000),
    # Readers and writers that meet, and a memory that pauses.
    "memory_ports": Line(corners=ALL[:1], cycles=4000, repeated_cycles=2500),
    # Buffers that are taken, put back, lent and released, rightly and wrongly.
    "buffer_pool": Line(corners=POOLED, cycles=8000, repeated_cycles=2000),
    # Reads around the first and the last byte of every entry.
    "arrival_tracker": Line(whole=True, corners=ALL, cycles=4000, repeated_cycles=1000),
    # Verdicts and REWINDs of all sources, put faster than they are sent.
    "reply_store": Line(corners=("default", "least", "wide"), cycles=4000),
    # Reports of all nodes, faster than they are taken.
    "report_store": Line(corners=("default", "least", "wide"), cycles=4000),
    # Packets of every length and place, with stalls of memory and slots.
    "packet_maker": Line(corners=(*ALL, "long"), cycles=4000, repeated_cycles=3000),
    # Offers and rests of messages around the limits of packets.
    "message_cutter": Line(corners=(*ALL, "long"), cycles=2000, repeated_cycles=1000),
    # Words at every place, with room for fewer bytes than come.
    "word_writer": Line(corners=ALL[:1] + ALL[-1:], cycles=5000),
    # Searches that meet the first, the last, or no entry.
    "envelope_list": Line(corners=(*ALL, *((name, {"held": True}) for name in ALL)), cycles=4000, repeated_cycles=2000),
    # Receives and messages in random order, and a memory that fails now and then.
    "expected_queues": Line(corners=ALL, core=ENDS, icarus=("least",), cycles=12_000),
    # Messages, receives and buffers that become free, all at once.
    "matcher": Line(
        corners=POOLED,
        core=("least", "large"),
        icarus=("least",),
        cycles=18_000,
        repeated_cycles=5000,
        # Writes of lists that fail: after one, a message was once placed in a receive that nobody had posted.
        soak={"one_buffer": 14_000},
        seeds=0,
        kept=(2057433101,),
    ),
    # Packets of all streams mixed, whole, out of turn, ended early; places and refusals as they come.
    "receive_engine": Line(corners=ALL, core=ENDS, icarus=("least",), cycles=16_000),
    # Reads across 4 KB, and writes whose address and data are taken in any order.
    "axi_memory": Line(corners=ALL[:1], cycles=5000, repeated_cycles=2000),
    # Doorbells of all kinds over AXI, good blocks and bad ones, packets of neighbours, a memory that pauses and fails.
    "axi_node": Line(corners=("least",), cycles=6000, repeated_cycles=2500, soak={"": 10_000}),
    # Messages that are taken, refused, forgotten and called for; broadcasts with a round for each latecomer.
    "send_scheduler": Line(corners=ALL, core=ENDS, icarus=("least",), cycles=150_000),
    # Parts and answers that meet, from a memory that stalls and errs.
    "send_engine": Line(corners=(*ALL, "long"), core=ENDS, icarus=("least",), cycles=20_000, repeated_cycles=2500),
    # Doorbells of all kinds, right and wrong; copies while messages come; a memory that fails now and then.
    "control_unit": Line(corners=ALL, core=ENDS, icarus=("least",), cycles=24_000, repeated_cycles=5500),
    # Programs on one node and on golden ones around it, over ideal packets; strays, errors, doorbells at any time.
    "node_interface": Line(corners=("one_buffer", "least"), cycles=2500, repeated_cycles=1000, soak={"": 12_000}),
    # One node of a golden network that runs programs, with its links.
    "packet_node": Line(
        corners=("one_buffer", "serial"),
        cycles={"": 4000, "serial": 2000},
        repeated_cycles=2000,
        soak={"": 10_000},
    ),
    # Programs on all nodes; all outputs of all nodes.
    "node_network": Line(
        corners=("one_buffer", "serial"),
        core=("one_buffer",),
        icarus=(),
        cycles=2500,
        soak={"": 12_000},
        later=("default",),
    ),
}
"""Unit to what it is run with."""


@pytest.mark.parametrize(("simulator", "units", "corners"), params(TABLE), indirect=["simulator"])
def test_lockstep(simulator, units, corners):
    """All outputs agree in every cycle, and all events happen."""
    check("node", TABLE, CONFIGS, simulator, units, corners)


NEAR_END = {
    "node_registers": Line(corners=("default",), benches=("NEAR_END",), cycles=3000),
    "send_scheduler": Line(corners=("default",), benches=("NEAR_END",), cycles=20_000),
}
"""Units whose counters begin near the end of their range, and come to it."""


@pytest.mark.parametrize("simulator", ["verilator"], indirect=True)
@pytest.mark.parametrize("unit", NEAR_END)
def test_counters_near_their_end(simulator, unit):
    """All outputs agree beyond it."""
    check("node", NEAR_END, CONFIGS, simulator, (unit,), (NEAR_END[unit].corners,))


@pytest.mark.soak
@pytest.mark.parametrize(("simulator", "units", "corners"), at_length(TABLE), indirect=["simulator"])
def test_lockstep_up_to_the_limit(simulator, units, corners):
    """The same, not ended when all events have happened."""
    check("node", TABLE, CONFIGS, simulator, units, corners, margin=0)


@pytest.mark.soak
@pytest.mark.parametrize(("unit", "corner", "seed"), soak_params(TABLE))
def test_lockstep_at_length(unit, corner, seed):
    """The same for whole nodes, several times as long."""
    check_soak("node", TABLE, CONFIGS, unit, corner, seed)
