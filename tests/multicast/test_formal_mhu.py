"""A message handling unit has room for what it takes, and gets done with it; broken ones are refuted."""

# amaranth: UnusedElaboratable=no
import dataclasses
import functools

import pytest
from amaranth.hdl import C, Mux

from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.reason import Reason
from cubecast.golden.multicast.contract.states import State
from cubecast.rtl.multicast import output_module
from cubecast.rtl.multicast.controller import Controller
from cubecast.rtl.multicast.input_module import InputModule
from cubecast.rtl.multicast.multicaster import Multicaster
from cubecast.rtl.multicast.output_module import OutputModule
from cubecast.rtl.multicast.reporter import Reporter
from cubecast.rtl.multicast.shared_streamers import SharedStreamers
from cubecast.tb.harness import formal
from tests.harness.altered import Altered
from tests.harness.together import Together
from tests.multicast.data_buffer_spec import DataBufferSpec
from tests.multicast.mhu_spec import ProgressSpec, ReasonsSpec, RegisterMhu, RoomSpec, SteadySpec, WaitingMhu
from tests.multicast.register_buffer import RegisterBuffer

prove = functools.partial(formal.prove, unroll=False)

SMALL = Config(dim=2, width=2, max_data=1)
CONFIGS = {
    "greedy": SMALL,
    "ordered": dataclasses.replace(SMALL, policy="ordered", lanes=2),
    "lists": dataclasses.replace(SMALL, max_dest=1),
    "latency2": dataclasses.replace(SMALL, decision_latency=2),
    "latency2_ordered": dataclasses.replace(SMALL, policy="ordered", lanes=2, decision_latency=2),
    "streamers1": dataclasses.replace(SMALL, streamers=1),
}
LARGER = {
    "source_field": dataclasses.replace(CONFIGS["lists"], source_field=True),
    "fault_free": dataclasses.replace(SMALL, fault_tolerant=False),
    "no_data": dataclasses.replace(SMALL, max_data=0),
    "latency2_source_field": dataclasses.replace(CONFIGS["latency2"], source_field=True),
    "latency2_fault_free": dataclasses.replace(CONFIGS["latency2"], fault_tolerant=False),
    "streamers1_lists": dataclasses.replace(SMALL, max_dest=1, streamers=1),
    "streamers2_latency2": dataclasses.replace(SMALL, decision_latency=2, streamers=2),
    "two_words": dataclasses.replace(CONFIGS["lists"], max_data=2),
    "n3": Config(dim=3, width=3, max_data=1, max_dest=2, max_list=3),
    "n3_ordered": Config(dim=3, width=3, max_data=1, max_dest=2, max_list=3, policy="ordered"),
}
REPORTING = {
    **CONFIGS,
    "one_lane": dataclasses.replace(SMALL, lanes=1),
    # Too long a list and high bits can be told from what is good.
    "short": dataclasses.replace(SMALL, width=3, max_dest=1, max_list=1),
    "fault_free": dataclasses.replace(SMALL, fault_tolerant=False),
    "fault_free_one_lane": dataclasses.replace(SMALL, fault_tolerant=False, lanes=1),
    "fault_free_ordered": dataclasses.replace(CONFIGS["ordered"], fault_tolerant=False),
    "no_data": dataclasses.replace(SMALL, max_data=0),
    "source_no_data": dataclasses.replace(CONFIGS["lists"], max_data=0, source_field=True),
    "streamers1_no_data": dataclasses.replace(CONFIGS["streamers1"], max_data=0),
}
"""Formats with and without each reason of a report."""

CYCLES = {
    "greedy": 18,
    "ordered": 18,
    "lists": 20,
    "source_field": 20,
    "two_words": 20,
    "fault_free": 12,
    "no_data": 18,
    "latency2": 20,
    "latency2_ordered": 20,
    "latency2_source_field": 21,
    "latency2_fault_free": 14,
    "streamers1": 24,
    "streamers1_lists": 28,
    "streamers2_latency2": 26,
}
CYCLES |= {"n3": 50, "n3_ordered": 50}
"""Bounds on the cycles from the last word to the free unit."""

COVERED = ["latency2_ordered"] + [
    pytest.param(name, marks=pytest.mark.soak) for name in CYCLES if name != "latency2_ordered"
]


def with_part(part, other):
    """Return the unit with one of its parts replaced."""

    class Replaced(RegisterMhu):
        """The unit with another part."""

        def _place(self, m, unit, name, **extra):
            """Place a unit of this unit."""
            return super()._place(m, other if unit is part else unit, name, **extra)

    return Replaced


class OneWordMore(InputModule):
    """Takes a payload that is one word too long."""

    def __init__(self, config):
        super().__init__(dataclasses.replace(config, max_data=config.max_data + 1))


class LeavesEarly(Altered):
    """The controller does not wait for copies and reports."""

    unit = Controller

    def alter(self, m, inner):
        """Be idle always."""
        m.d.comb += inner.idle.eq(1)
        return ("idle",)


class HoldsForEver(Altered):
    """Rows that came back wait for copies that are not there."""

    unit = Controller

    def alter(self, m, inner):
        """See copies always."""
        m.d.comb += inner.copies.eq(1)
        return ("copies",)


class KeepsLate(Altered):
    """The other copies take over a lost one even when a control vector is on offer already."""

    unit = Reporter

    def alter(self, m, inner):
        """Hide that a copy has come so far."""
        m.d.comb += inner.committed.eq(0)
        return ("committed",)


class Pauses(Altered):
    """No word is taken while the multicaster decides."""

    unit = Controller

    def alter(self, m, inner):
        """Hide ``accept``."""
        m.d.comb += self.accept.eq(inner.accept & (inner.state != State.PROCESSING))
        return ("accept",)


class KeepsRow(Altered):
    """The last row is sent and stays."""

    unit = Multicaster

    def alter(self, m, inner):
        """Hide it from the rows that go."""
        m.d.comb += self.r.eq(inner.r[:-1])
        return ("r",)


class LaunchesStale(Altered):
    """A choice is launched whether or not it is one for the rows and links as they are."""

    unit = Controller

    def alter(self, m, inner):
        """Ask only whether there is something to decide."""
        m.d.comb += inner.chosen.eq(~self.terminate)
        return ("chosen",)


class ChoosesLate(Altered):
    """The multicaster sees the links as they were one cycle earlier."""

    unit = Multicaster

    def alter(self, m, inner):
        """Delay the fault vector."""
        m.d.sync += inner.fault.eq(self.fault)
        return ("fault",)


class WaitsForEver(Altered):
    """A copy whose streamer has sent all that has come does not see that more comes."""

    unit = OutputModule

    def alter(self, m, inner):
        """Hide that a word is pushed."""
        m.d.comb += inner.pushed.eq(0)
        return ("pushed",)


class NamesAnother(Altered):
    """A destination that cannot be reached is reported as one that lacks a lane."""

    unit = Reporter

    def alter(self, m, inner):
        """Say so of the one as of the other."""
        reason = inner.o.reason
        m.d.comb += self.o.reason.eq(Mux(reason == Reason.UNDELIVERABLE, Reason.NO_LANE, reason))
        return ("o__reason",)


class ServesTwice(SharedStreamers):
    """A copy counts as one that waits while it is served, so that a streamer takes it again when it has ended."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self._served = C(0)


@pytest.mark.parametrize("name", CONFIGS)
def test_a_message_is_taken_only_with_room(name):
    """No word without a place, no place still in use, for all time and whatever comes in."""
    prove(RoomSpec(CONFIGS[name]), depth=2)


@pytest.mark.parametrize("name", CONFIGS)
def test_words_on_offer_stay(name):
    """What the gateways count on, for all time."""
    prove(SteadySpec(CONFIGS[name]), depth=3)


@pytest.mark.parametrize("name", ["greedy", "ordered", "latency2", "latency2_ordered"])
def test_a_unit_that_waits_for_others_launches_nothing_over_a_copy(name):
    """Whenever the choice of a shared multicaster is offered, and words on offer stay."""
    prove(SteadySpec(CONFIGS[name], WaitingMhu), depth=3)


@pytest.mark.parametrize("name", CONFIGS)
def test_the_unit_cannot_get_stuck(name):
    """From every state, the message ends in a bounded time in which nothing else is in the way."""
    prove(ProgressSpec(CONFIGS[name], CYCLES[name]), depth=CYCLES[name] + 2)


@pytest.mark.parametrize("name", REPORTING)
def test_no_other_reason_is_reported(name):
    """There are counters for the reasons that the contract says there can be."""
    prove(ReasonsSpec(REPORTING[name]), depth=2)


@pytest.mark.parametrize("name", REPORTING)
def test_every_reason_is_reported(name):
    """Each that the contract says there can be."""
    prove(ReasonsSpec(REPORTING[name]), mode="cover", depth=10)


@pytest.mark.parametrize("reason", sorted(REPORTING["short"].reasons))
def test_a_reason_that_the_contract_lacks_is_found(reason, monkeypatch):
    """Whichever it is."""
    reasons = REPORTING["short"].reasons - {reason}
    monkeypatch.setattr(Config, "reasons", reasons)
    prove(ReasonsSpec(REPORTING["short"]), mode="bmc", depth=10, expect="fail")


def test_a_reason_that_cannot_be_is_found():
    """With one lane, nothing needs another."""
    unit = with_part(Reporter, NamesAnother)
    prove(ReasonsSpec(REPORTING["one_lane"], unit), mode="bmc", depth=8, expect="fail")


def test_the_stand_in_keeps_the_promise_of_the_data_buffer():
    """The buffer of registers, in which the proof of progress looks, has the contract of the real one."""
    prove(DataBufferSpec(Config(dim=2, width=2, max_data=2), 0, RegisterBuffer), depth=2)


def test_full_buffers_are_reached():
    """The statement speaks of messages of maximum length."""
    prove(RoomSpec(CONFIGS["lists"]), mode="cover", depth=8)


@pytest.mark.parametrize("name", COVERED)
def test_the_statements_are_not_empty(name):
    """A vector waits while another link is cut; two decisions are made; the unit is free again."""
    config = (CONFIGS | LARGER)[name]
    prove(Together(SteadySpec(config), ProgressSpec(config, CYCLES[name])), mode="cover", depth=16)


@pytest.mark.soak
@pytest.mark.parametrize("name", LARGER)
def test_other_units(name):
    """The same statements for other formats and sizes."""
    prove(RoomSpec(LARGER[name]), depth=2)
    prove(SteadySpec(LARGER[name]), depth=3)
    prove(ReasonsSpec(LARGER[name]), depth=2)
    prove(ProgressSpec(LARGER[name], CYCLES[name]), depth=CYCLES[name] + 2, timeout=900)


@pytest.mark.parametrize(("part", "broken"), [(InputModule, OneWordMore), (Controller, LeavesEarly)])
def test_a_unit_without_room_is_refuted(part, broken):
    """A word too many, and a message that overtakes its predecessor's copies, are found."""
    prove(RoomSpec(CONFIGS["greedy"], with_part(part, broken)), mode="bmc", depth=8, expect="fail")


def test_a_word_that_changes_is_refuted():
    """A control vector that changes while it is on offer is found."""
    unit = with_part(Reporter, KeepsLate)
    prove(SteadySpec(CONFIGS["greedy"], unit), mode="bmc", depth=9, expect="fail")


@pytest.mark.parametrize(
    ("part", "broken", "depth"),
    [(Controller, HoldsForEver, 28), (Controller, Pauses, 6), (Multicaster, KeepsRow, 8)],
    ids=["HoldsForEver", "Pauses", "KeepsRow"],
)
def test_a_unit_that_gets_stuck_is_refuted(part, broken, depth):
    """A decision that never comes, a pause at the input and a decision taken twice are found."""
    prove(ProgressSpec(CONFIGS["greedy"], 18, with_part(part, broken)), mode="bmc", depth=depth, expect="fail")


def test_a_streamer_that_sleeps_is_refuted():
    """A word that comes while a shared streamer waits for it, and is not offered, is found."""
    unit = with_part(OutputModule, WaitsForEver)
    prove(ProgressSpec(CONFIGS["streamers1"], 24, unit), mode="bmc", depth=30, expect="fail")


def test_a_copy_that_is_served_twice_is_refuted(monkeypatch):
    """A streamer without a copy that offers words is found."""
    monkeypatch.setattr(output_module, "SharedStreamers", ServesTwice)
    prove(SteadySpec(CONFIGS["streamers1"]), mode="bmc", depth=10, expect="fail")


@pytest.mark.parametrize(("part", "broken"), [(Controller, LaunchesStale), (Multicaster, ChoosesLate)])
def test_a_choice_of_the_past_is_refuted(part, broken):
    """A choice that rows or links have overtaken is found when it is launched."""
    prove(SteadySpec(CONFIGS["latency2"], with_part(part, broken)), mode="bmc", depth=8, expect="fail")
