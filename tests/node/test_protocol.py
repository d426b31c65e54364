"""Order and progress of messages between node interfaces: all states of small cases, random runs, planted bugs."""

from __future__ import annotations

import re

import pytest

from cubecast.golden.node.algorithms.protocol import ProtocolModel
from cubecast.golden.node.algorithms.protocol_search import run, search
from cubecast.golden.node.algorithms.protocol_state import (
    Chain,
    Joint,
    Limits,
    Message,
    OrderError,
    Piece,
    Receive,
    Receiver,
    State,
    Wait,
)
from tests.node.protocol_cases import CASES, LONG, MORE, ONE, all_but, one, random_model, small_models

RUNS = 300


STATES = {
    "reversed": 44,
    "wildcards": 314,
    "released": 77,
    "one buffer": 175,
    "too long for a buffer": 368,
    "two sources": 1181,
    "broadcasts": 1073,
    "broadcast to one that waits for another": 388,
    "broadcast and unicast": 1110,
    "reserved": 340,
    "eager": 94,
    "offered unasked": 429,
    "broadcast unasked": 9358,
}
"""States of each case; the docs have their sum."""


@pytest.mark.parametrize("name", CASES)
def test_every_state_keeps_the_order_and_every_run_ends_well(name: str) -> None:
    """O1 and O2 at every match, O3 at every end, buffers neither lost nor doubled, and no ring of states."""
    found = search(CASES[name])
    assert found.complete and found.ends
    assert found.states == STATES[name]


@pytest.mark.parametrize(
    ("sends", "receives", "lengths"),
    [
        (3, 2, (ONE,)),
        (2, 2, (ONE, MORE)),
        pytest.param(3, 3, (ONE, MORE), marks=pytest.mark.soak),
        pytest.param(3, 3, (ONE, LONG), marks=pytest.mark.soak),
        pytest.param(4, 3, (ONE,), marks=pytest.mark.soak),
    ],
)
def test_all_small_programs_keep_the_order(sends: int, receives: int, lengths: tuple[int, ...]) -> None:
    """Of one source and one destination, without a buffer and with one: every program, every state."""
    assert all(search(model).complete for model in small_models(sends, receives, lengths))


@pytest.mark.parametrize("nodes", [2, 3, 4])
def test_random_runs_keep_the_order_and_end_well(nodes: int) -> None:
    """The same of larger programs, in random orders."""
    for seed in range(RUNS):
        run(random_model(seed, nodes), seed)


@pytest.mark.soak
@pytest.mark.parametrize("nodes", [2, 3, 4, 5])
def test_random_runs_keep_the_order_at_length(nodes: int) -> None:
    """The same with other seeds."""
    for seed in range(RUNS, 20_000 // nodes):
        run(random_model(seed, nodes), seed)


STANDSTILL = [[one(1, 0), one(1, 1)], [Receive(0, 1), Wait((0,)), Receive(0, 0)], [one(1, 2)]]


def test_the_rule_of_the_source_comes_to_a_standstill() -> None:
    """A message that no receive waits for stands in the input port, and what is waited for never comes."""
    with pytest.raises(OrderError) as caught:
        search(ProtocolModel(STANDSTILL[:2], Limits(postpone=False)))
    assert re.search(r"source=0, step=0, .* stands before node 1 for ever", str(caught.value))
    assert re.search(r"receive 0 of node 1 and Message\(source=0, step=1, .* are apart", str(caught.value))


def test_postponed_messages_keep_the_way_free() -> None:
    """The same programs end, with both receives complete and the third message still at its source."""
    model = ProtocolModel(STANDSTILL)
    end = run(model, 0)
    assert end.steps == [2, 3, 1]
    assert [model.completion(end, 1, step) for step in (0, 2)] == [3, 3]
    assert model.left(end, model.messages[2, 0]) == 1


class NoMark(ProtocolModel):
    """Offers made before a rewind are taken while it is on its way."""

    def outdated(self, receiver: Receiver, piece: Piece) -> bool:
        """Never."""
        return False


class NoBehind(ProtocolModel):
    """A message may have a buffer while an older one waits."""

    def buffered(self, receiver: Receiver, piece: Piece) -> bool:
        """Whatever waits before it."""
        return super().buffered(receiver, piece._replace(behind=False))


class NoAgain(ProtocolModel):
    """A rewind that meets an open offer is forgotten."""

    def rewound(self, chain: Chain) -> Chain:
        """Only a chain that is idle."""
        return chain if chain.offered else super().rewound(chain)


class NoRefill(ProtocolModel):
    """Nobody hears of a buffer that is free again."""

    def refilled(self, state: State, node: int) -> None:
        """Nothing."""


class NoRest(ProtocolModel):
    """A receiver forgets what else was postponed for it."""

    def others_wait(self, chain: Chain, message: Message) -> bool:
        """Never."""
        return False


class AlwaysStop(ProtocolModel):
    """A source stops although a receive is posted that may fit what comes later."""

    def stops(self, receiver: Receiver) -> bool:
        """Always."""
        return True


class StopStays(ProtocolModel):
    """A rewind does not start a chain that was stopped."""

    def rewound(self, chain: Chain) -> Chain:
        """As it was."""
        return super().rewound(chain)._replace(stop=chain.stop)


class CursorStays(ProtocolModel):
    """A rewind starts a chain where it stands, and not at its head."""

    def rewound(self, chain: Chain) -> Chain:
        """As it was."""
        return super().rewound(chain)._replace(cursor=chain.cursor)


class NeverMark(ProtocolModel):
    """A source does not say that an offer is the first after a rewind."""

    def rewound(self, chain: Chain) -> Chain:
        """Without."""
        return super().rewound(chain)._replace(mark=False)


class Youngest(ProtocolModel):
    """The receive posted last gets a message."""

    def oldest(self, receiver: Receiver, node: int, message: Message) -> int | None:
        """The other end of the list."""
        return max((step for step in receiver.expected if self.accepts(node, step, message)), default=None)


class AllAtOnce(ProtocolModel):
    """A broadcast has one second round, for which it waits until all nodes have a place."""

    def called(self, joint: Joint) -> frozenset[int]:
        """All that are left, or nobody."""
        left = frozenset(joint.blocks[0].to) - joint.done
        return left if left <= joint.rewound else frozenset()


class NoFurtherRound(ProtocolModel):
    """A node that has a place for a broadcast by now does not say so."""

    def ready(self, state: State, node: int, message: Message) -> None:
        """Without a rewind."""
        super().ready(state, node, message)
        state.control.clear()


PLANTED = [
    (NoMark, "wildcards", "takes .* before"),
    (NoBehind, "too long for a buffer", "takes .* before"),
    (NoAgain, "reversed", "are apart"),
    (NoRefill, "released", "which has a buffer"),
    (NoRest, "reversed", "are apart"),
    (AlwaysStop, "reversed", "are apart"),
    (StopStays, "reversed", "are apart"),
    (CursorStays, "reversed", "are apart"),
    (NeverMark, "reversed", "are apart"),
    (Youngest, "wildcards", "before receive"),
    (AllAtOnce, "broadcast to one that waits for another", "never comes"),
    (NoFurtherRound, "broadcasts", "never comes"),
]


@pytest.mark.parametrize(("broken", "name", "message"), PLANTED, ids=[broken.__name__ for broken, _, _ in PLANTED])
def test_a_protocol_with_a_bug_is_refuted(broken: type[ProtocolModel], name: str, message: str) -> None:
    """Each rule is needed: without it a small case goes wrong."""
    case = CASES[name]
    with pytest.raises(OrderError, match=message):
        search(broken(case.programs, case.limits))


def test_a_run_that_does_not_end_is_told() -> None:
    """And a search that was cut short does not claim to be complete."""
    with pytest.raises(OrderError, match="no end within 3 actions"):
        run(CASES["reversed"], 0, most=3)
    assert search(CASES["reversed"], most=10) == (10, 0, False)


def test_packets_of_a_message() -> None:
    """One at least; the first holds less than the others."""
    limits = Limits(first_bytes=22, packet_bytes=28)
    assert [limits.packets(length) for length in (0, 1, 22, 23, 50, 51)] == [1, 1, 1, 2, 2, 3]
    assert all_but(1, 3, 0).to == (0, 2)
