"""The scoreboard of the network's testbench notices what it is there for."""

from random import Random

import pytest

from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.reason import Reason
from cubecast.tb.multicast.scoreboard import Scoreboard, fault_set
from cubecast.tb.multicast.traffic import Message, kinds, message

CONFIG = Config(dim=3)
TO_TWO = Message("multicast", ((2, 0, 0), (3, 0, 0), (5, 0, 0), (0, 0, 0), (9, 1, 0)), (3, 5), (9,))


def deliver(board, node, payload=9, error=0):
    """Let a node get a control word and one payload word."""
    board.eject(node, 0, 0, 0)
    board.eject(node, payload, 1, error)


def test_a_message_is_settled_when_every_destination_has_it():
    """And not before."""
    board = Scoreboard(CONFIG)
    board.inject(0, TO_TWO)
    deliver(board, 3)
    assert not board.settled and "5" in board.balance()
    deliver(board, 5)
    assert board.settled
    assert board.injected == {0: 1} and board.delivered == {3: 1, 5: 1}


@pytest.mark.parametrize(("node", "payload", "error"), [(3, 9, 0), (4, 9, 0), (5, 8, 0), (5, 9, 1)])
def test_a_second_copy_a_wrong_node_word_or_error_is_noticed(node, payload, error):
    """Node 3 has had its copy already."""
    board = Scoreboard(CONFIG)
    board.inject(0, TO_TWO)
    deliver(board, 3)
    with pytest.raises(AssertionError, match="not owed"):
        deliver(board, node, payload, error)


def test_only_dead_nodes_may_be_reported_while_the_rule_holds():
    """Node 5 is dead, node 3 is not."""
    board = Scoreboard(CONFIG, {5})
    board.inject(0, TO_TWO)
    board.report(4, Reason.UNDELIVERABLE, 5)
    with pytest.raises(AssertionError, match="it is not"):
        board.report(2, Reason.UNDELIVERABLE, 3)
    deliver(board, 3)
    assert board.settled


def cut_off(board, node, *payload, error=1):
    """Let a node get a control word and a payload that ends early."""
    for word in (0, *payload):
        board.eject(node, word, 0, 0)
    board.eject(node, 0, 1, error)


def test_a_message_may_be_cut_off_when_faults_change_and_counts_as_delivered():
    """With error, and the beginning must be right."""
    board = Scoreboard(CONFIG, live=True)
    board.inject(0, TO_TWO)
    cut_off(board, 3)
    board.report(1, Reason.INPUT_CUT, 0)
    board.report(1, Reason.UNDELIVERABLE, 5)
    assert board.settled


@pytest.mark.parametrize(("payload", "error"), [((9,), 1), ((8,), 1), ((), 0)])
def test_what_is_no_beginning_of_a_message_is_noticed(payload, error):
    """The whole payload and a 0; another payload; no error."""
    board = Scoreboard(CONFIG, live=True)
    board.inject(0, TO_TWO)
    with pytest.raises(AssertionError, match="not owed"):
        cut_off(board, 3, *payload, error=error)


def test_a_report_and_a_delivery_for_one_destination_are_noticed():
    """Whatever changes: once is enough."""
    board = Scoreboard(CONFIG, live=True)
    board.inject(0, TO_TWO)
    board.report(1, Reason.UNDELIVERABLE, 5)
    with pytest.raises(AssertionError, match="more messages than it is owed"):
        cut_off(board, 5)


def test_steady_faults_cut_nothing():
    """Nor may a delivery be cut off then."""
    board = Scoreboard(CONFIG)
    board.inject(0, TO_TWO)
    with pytest.raises(AssertionError, match="no fault vector has changed"):
        board.report(1, Reason.COPY_CUT, 3)
    with pytest.raises(AssertionError, match="not owed"):
        cut_off(board, 3)


def test_a_malformed_message_is_owed_one_report_of_its_reason():
    """No other reason, no other node, no second time."""
    board = Scoreboard(CONFIG)
    board.inject(6, message(Random(1), CONFIG, "k_zero", 6))
    with pytest.raises(AssertionError, match="without cause"):
        board.report(6, Reason.HEADER_SHORT, 0)
    board.report(6, Reason.K_ZERO, 0)
    assert board.settled and board.reported[6, Reason.K_ZERO] == 1
    with pytest.raises(AssertionError, match="without cause"):
        board.report(6, Reason.K_ZERO, 0)


@pytest.mark.parametrize("seed", range(5))
def test_fault_sets_keep_the_rule_or_break_it(seed):
    """As asked."""
    for rule in (True, False):
        assert Scoreboard(CONFIG, fault_set(Random(seed), CONFIG, rule)).rule == rule


def test_fault_sets_that_keep_the_rule_may_have_several_nodes():
    """Two nodes without a common neighbour; those that break it are two beside one node, no more."""
    assert max(len(fault_set(Random(seed), CONFIG, True)) for seed in range(10)) == 2
    assert all(len(fault_set(Random(seed), CONFIG, False)) == 2 for seed in range(10))


@pytest.mark.parametrize("kind", kinds(Config(dim=4, max_list=10)))
def test_messages_are_of_the_kind_asked_for(kind):
    """Only the last word carries ``last``; what is delivered is the end of what was sent, unless that is too long."""
    config = Config(dim=4, max_list=10)
    for seed in range(20):
        made = message(Random(seed), config, kind, 7)
        assert [last for _, last, _ in made.words] == [0] * (len(made.words) - 1) + [1]
        assert bool(made.destinations) == (kind in ("unicast", "multicast", "listed", "broadcast", "data_too_long"))
        if made.destinations and not made.reason:
            sent = [data for data, _, _ in made.words]
            assert tuple(sent[len(sent) - len(made.data) :]) == made.data
