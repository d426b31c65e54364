"""The testbench of a node with collectives: what its peers make of messages that no operation sends."""

from random import Random

from cubecast.golden.collective.contract.segment import Kind
from cubecast.tb.collective.peer import Peer, Plan
from tests.collective.corners import CORNERS

CREDIT = {"error": 0, "kind": Kind.CREDIT, "hops": 0}


def test_a_credit_to_the_node_itself_is_nobodys():
    """A host's list held the node's own address, with a payload that looked like a credit, while dimension 0 waited."""
    config, random = CORNERS["n4"], Random(1)
    peer = Peer(random, config, 15)
    peer.begin(Plan(random, config, 0, 5))
    peer.waiting = 0b11
    peer.sent(CREDIT | {"destinations": [15]})
    assert peer.waiting == 0b11
    peer.sent(CREDIT | {"destinations": [15 ^ 2]})
    assert peer.waiting == 0b01
