"""A self-test passes when nothing is missing, and one that does not look at a node is refuted."""

# amaranth: UnusedElaboratable=no

from cubecast.tb.harness.formal import prove
from tests.multicast.corners import CORNERS
from tests.multicast.self_test_network_spec import SelfTestNetworkSpec


def test_the_end_is_proven():
    """Of four nodes; a round begins anew with its sums, so that two of them are all there is."""
    prove(SelfTestNetworkSpec(CORNERS["n2"]), depth=10)


def test_the_end_is_reached():
    """While a node misses something."""
    prove(SelfTestNetworkSpec(CORNERS["n2"]), mode="cover", depth=8)


def test_a_node_left_out_is_refuted():
    """The first one of a round."""
    prove(SelfTestNetworkSpec(CORNERS["n2"], left_out=1), mode="bmc", depth=8, expect="fail")
