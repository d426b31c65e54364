"""Policies: the same names everywhere, and none that is not known."""

import pytest

from cubecast.golden.multicast.contract.config import POLICIES, Config
from cubecast.golden.multicast.contract.policy import FACTS
from cubecast.golden.multicast.twins import policy as twins
from cubecast.rtl.multicast import policy as rtl


def test_every_policy_has_facts_hardware_and_a_twin():
    """A policy that lacks one of them is found before a router is built."""
    assert POLICIES == tuple(FACTS) == tuple(rtl.POLICIES) == tuple(twins.POLICIES)


def test_an_unknown_policy_is_refused():
    """One line names those that exist."""
    with pytest.raises(ValueError, match=r"^policy must be one of greedy, ordered, not 'random'$"):
        Config(dim=3, policy="random")


@pytest.mark.parametrize("name", POLICIES)
def test_hardware_and_twin_agree_on_votes_that_change(name):
    """Both sides ask for a new decision of the rows when links change, or neither."""
    assert rtl.POLICIES[name].revotes == twins.POLICIES[name].revotes
