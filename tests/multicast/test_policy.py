"""Policies: the same names everywhere, none that is not known, and no more to do for one than CONTRIBUTING says."""

import re
from pathlib import Path

import pytest

from cubecast.golden.common.algorithms.waits import find_cycle
from cubecast.golden.multicast.algorithms import policy as algorithms
from cubecast.golden.multicast.algorithms.route import POLICIES as ROUTES
from cubecast.golden.multicast.algorithms.route import route
from cubecast.golden.multicast.algorithms.waiting_graph import waiting_graph
from cubecast.golden.multicast.contract.config import POLICIES, Config
from cubecast.golden.multicast.contract.policy import FACTS
from cubecast.golden.multicast.twins import policy as twins
from cubecast.rtl.multicast import policy as rtl
from cubecast.tb.harness.formal import prove
from cubecast.tb.harness.lockstep import lockstep
from tests.multicast import policy_spec as specs
from tests.multicast.broadcaster_spec import FaultFreeSpec, FaultTolerantSpec
from tests.multicast.toy_policy import BENCH, NAME, places

ROOT = Path(__file__).parents[2]
ONCE = {"mode": "bmc", "depth": 1}


@pytest.fixture
def toy(monkeypatch):
    """Make the toy policy known in this process."""
    for table, entry in places():
        monkeypatch.setitem(table, NAME, entry)


def test_every_policy_has_facts_algorithm_hardware_twin_and_specification():
    """A policy that lacks one of them is found before a router is built."""
    tables = (FACTS, algorithms.POLICIES, rtl.POLICIES, twins.POLICIES, specs.POLICIES)
    assert {tuple(table) for table in tables} == {POLICIES} == {ROUTES[: len(POLICIES)]}


def test_the_table_of_parameters_names_every_policy():
    """The row of README, with the default first."""
    row = re.search(r"^\| `--policy` \| (.*?) \| (.*?) \|", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert row and row.groups() == (POLICIES[0], ", ".join(POLICIES))


@pytest.mark.parametrize("name", POLICIES)
def test_hardware_and_twin_agree_on_votes_that_change(name):
    """Both sides ask for a new decision of the rows when links change, or neither."""
    assert rtl.POLICIES[name].revotes == twins.POLICIES[name].revotes


@pytest.mark.core
@pytest.mark.usefixtures("toy")
def test_a_toy_policy_needs_no_more_than_its_places():
    """It routes, its lanes cannot deadlock, its broadcasters do what they have to, and a unit agrees with its twin."""
    config = Config(dim=2, policy=NAME, max_data=2)
    tree = route(3, 0, policy=NAME, broadcast=True)
    assert [decision.dimension for decision in tree.nodes[0]] == [2, 1, 0] and tree.traffic == 7
    assert find_cycle(waiting_graph(Config(dim=3, policy=NAME))) is None
    prove(FaultTolerantSpec(Config(dim=3, policy=NAME)), **ONCE)
    prove(FaultFreeSpec(Config(dim=3, policy=NAME, fault_tolerant=False)), **ONCE)
    assert lockstep(BENCH, config, cycles=2500, require_events=False).events["several copies"]


@pytest.mark.usefixtures("toy")
def test_a_toy_policy_with_the_wrong_hardware_is_found(monkeypatch):
    """Dimensions that ascend."""
    monkeypatch.setitem(rtl.POLICIES, NAME, rtl.Greedy)
    prove(FaultTolerantSpec(Config(dim=3, policy=NAME)), **ONCE, expect="fail")
