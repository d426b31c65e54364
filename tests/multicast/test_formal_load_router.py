"""The multicast load router makes the header that a message has, and one of another length is refuted."""

import pytest

from cubecast.tb.harness.formal import prove
from tests.multicast.header_spec import HeaderSpec
from tests.multicast.test_lockstep import CONFIGS


@pytest.mark.parametrize("name", ["n2", "source_n2", "fault_free_n2"])
def test_headers_are_proven(name):
    """With tables and without, with a source field and without."""
    prove(HeaderSpec(CONFIGS[name]), depth=1)


def test_the_end_of_a_list_is_reached():
    """Behind another node; and a message to all."""
    prove(HeaderSpec(CONFIGS["n2"]), mode="cover", depth=6)


def test_a_header_of_shorter_lists_is_refuted():
    """One of as many nodes as there may be leaves Control at 0."""
    config = CONFIGS["n2"]
    prove(HeaderSpec(config, listed=config.max_dest - 1), mode="bmc", depth=6, expect="fail")
