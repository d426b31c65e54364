"""Counters that no run brings to their upper bits count on there, and one that loses a carry is refuted."""

# amaranth: UnusedElaboratable=no
import importlib

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.board.contract.config import BoardConfig
from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.common.contract.load import LoadShape
from cubecast.golden.common.contract.units import Control
from cubecast.golden.crosspoint.contract.config import CrosspointConfig
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.node.contract.config import NodeConfig
from cubecast.golden.node.contract.registers import Counter
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.load import TIME_BITS
from cubecast.golden.reduction.contract.config import ReductionConfig
from cubecast.rtl.node.stream import VISITED_BITS
from cubecast.tb.harness.formal import prove
from tests.common.counters_spec import CountersSpec
from tests.harness.together import Together

NODE = NodeConfig(router=PacketConfig(dim=2), buffers=1, tracked=1, hash_bits=1, instructions=2, events=2)

LOAD = LoadShape(dim=2, width=32, packet_limit=5, block_dims=2, runs=2, tables=True, bitmaps=True)

EVENTS = ("generated", "lost", "collisions", "first_count", "message_count", "accepted")

UNITS = {
    # Those of events and reports are proven with their events (control_port_spec.py).
    "common.control_port:ControlPort": (
        (Control(dim=2, fault_tolerant=True, log_depth=1, lanes=2, units=5), {}),
        {"lost_count": 1},
        (),
    ),
    "packet.load_node:LoadNode": (
        (PacketConfig(dim=2, max_words=3), {"queue": 2}),
        {
            **dict.fromkeys(EVENTS, 1),
            **{"now": 1, "first_sum": TIME_BITS, "message_sum": TIME_BITS},
            **dict.fromkeys(("sent_0", "sent_1"), (1, None)),
        },
        (),
    ),
    "multicast.traffic_generator:TrafficGenerator": (
        (Config(dim=2, max_data=2), {}),
        {"words": 1, "clocks": 1, "expected": 1, "_messages": 1, "expected_words": 2},
        ("control__write",),
    ),
    "multicast.traffic_checker:TrafficChecker": (
        (Config(dim=2, max_data=2), {}),
        dict.fromkeys(("delivered", "delivered_words", "errors", "payload_errors"), 1),
        ("control__write",),
    ),
    # A start sets CLOCKS to 0.
    "collective.registers:CollectiveRegisters": (
        (CollectiveConfig(router=Config(dim=2, max_data=3), max_vector=4, max_relays=1), {}),
        {"operations": 1, "clocks": 1},
        ("control__write",),
    ),
    "collective.merge_collector:MergeCollector": (
        (CollectiveConfig(router=Config(dim=2, max_data=3), max_vector=4, max_relays=1), {}),
        {"gathered__received": 1, "strange": 2},
        ("command__start",),
    ),
    "common.load_node:LoadNode": ((LOAD, {}), {"number": 1, "backlog": (1, 1)}, ()),
    "node.expected_queues:ExpectedQueues": ((NODE, {}), {"number": 1}, ()),
    "node.event_log:EventLog": ((NODE, {}), {"lost": 1}, ()),
    "node.node_registers:NodeRegisters": (
        (NODE, {}),
        {f"count_{each.name.lower()}": 1 for each in Counter} | {"visited": VISITED_BITS},
        (),
    ),
    "reduction.registers:Registers": (
        (ReductionConfig(router=CrosspointConfig(dim=2)), {}),
        dict.fromkeys(("count_up", "count_down", *(f"stall_{what}" for what in ("own", "a", "b", "link"))), 1),
        (),
    ),
    # What registers can hold of copies that begin and of packets that come.
    "board.tally:Tally": (
        (BoardConfig(router=CrosspointConfig(dim=2)), {}),
        {"away": (5, 7)},
        (),
    ),
    # A job sets the place.
    "node.packet_maker:PacketMaker": ((NODE, {}), {"at": 5}, ("job__valid",)),
    # What is opened sets place and room.
    "node.word_writer:WordWriter": ((NODE, {}), {"at": 2, "left": (0, 2)}, ("open",)),
    # A part that is taken sets the offset.
    "node.message_cutter:MessageCutter": ((NODE, {}), {"offset": 8}, ("part__valid",)),
}
"""Unit to what it is constructed with, its counters with what they add and subtract at most, and what stays 0."""


def made(name):
    """Return a unit at its parameters."""
    module, _, attribute = name.partition(":")
    config, extra = UNITS[name][0]
    return getattr(importlib.import_module(f"cubecast.rtl.{module}"), attribute)(config, **extra)


@pytest.mark.parametrize("name", UNITS)
def test_counters_are_proven(name):
    """All bits, from any state."""
    _, counters, still = UNITS[name]
    prove(CountersSpec(made(name), counters, still), depth=1)


def test_all_counters_count():
    """Each of them counts on from what is not 0, once what clears them may be driven."""
    units = (CountersSpec(made(name), UNITS[name][1]) for name in UNITS)
    prove(Together(*units), mode="cover", depth=14, unroll=True)


@pytest.mark.parametrize("name", UNITS)
def test_counters_count_at_their_upper_bits(name):
    """None stops on the way there, or at the end."""
    prove(CountersSpec(made(name), UNITS[name][1], upper=True), mode="cover", depth=2, freed="dut", unroll=True)


class LosesACarry(wiring.Component):
    """A counter whose upper half never learns that the lower one has wrapped."""

    def __init__(self):
        super().__init__({"event": In(1), "count": Out(4)})

    def elaborate(self, platform):
        """Count in the lower half."""
        m = Module()
        with m.If(self.event):
            m.d.sync += self.count[:2].eq(self.count[:2] + 1)
        return m


class CountsByTwo(LosesACarry):
    """A counter of which a carry is lost that leaves something in the lower half."""

    def elaborate(self, platform):
        """Count by two, from one on."""
        m = Module()
        with m.If(self.event):
            m.d.sync += self.count[:2].eq(self.count[:2] + 2)
        with m.If(self.count == 0):
            m.d.sync += self.count.eq(1)
        return m


class Stops(LosesACarry):
    """A counter that goes no further than to 4."""

    def elaborate(self, platform):
        """Count as long as a bit is 0."""
        m = Module()
        with m.If(self.event & ~self.count[2]):
            m.d.sync += self.count.eq(self.count + 1)
        return m


def test_a_counter_that_stops_is_refuted():
    """It grows by less than 2, but not everywhere."""
    prove(CountersSpec(Stops(), {"count": 1}), depth=1)
    prove(CountersSpec(Stops(), {"count": 1}, upper=True), mode="cover", depth=2, freed="dut", expect="fail")


@pytest.mark.parametrize("most", [1, (1, 1)])
def test_a_lost_carry_is_refuted(most):
    """After four events, also if one may be subtracted."""
    prove(CountersSpec(LosesACarry(), {"count": most}), mode="bmc", depth=8, expect="fail")


def test_a_lost_carry_is_refuted_where_counts_end():
    """What is set to 0 is no excuse for what is not."""
    prove(CountersSpec(CountsByTwo(), {"count": (2, None)}), mode="bmc", depth=8, expect="fail")
