"""Mutants go through the proofs of their unit where it has some."""

# amaranth: UnusedElaboratable=no
import importlib

import pytest

from cubecast.options.usage import ToolError
from cubecast.rtl.common.axi_ports import AxiPorts
from cubecast.rtl.common.cube import Cube
from cubecast.tb.mutants import proofs
from cubecast.tb.mutants.runs import plan, units
from tests.common import unit_proofs
from tests.common.cube_wires_spec import CubeWiresSpec

UNIT = "multicast/network"


def through(unit, *places, outcome="open"):
    """Return what becomes of mutants of a unit that live."""
    line, configs = units()[unit]
    asked = next(plan(unit, line, configs, 1))
    mutants = [{"mutant": f"-mode {place}", "outcome": outcome, "cycle": 9} for place in places]
    return list(proofs.through_proofs(asked, mutants, lambda _: None))


def test_a_wire_that_is_not_joined_is_killed():
    """An input of a node, and an output; it says which statement found it."""
    places = (
        "inv -module top -cell router_2 -port link_in__0__data -portbit 3",
        "const0 -module top -cell router_1 -port report__valid -portbit 0",
    )
    for mutant in through(UNIT, *places):
        assert (mutant["outcome"], mutant["found"], mutant["by"]) == ("killed", "proof", ["CubeWiresSpec"])
        assert "cycle" not in mutant


@pytest.mark.parametrize(
    ("unit", "place"),
    [("board/board_network", "network -port sent_closes"), ("crosspoint/load_router", "router -port inject__error")],
    ids=["output", "input"],
)
def test_what_no_proof_says_anything_of_lives(unit, place):
    """An output of a unit inside that leads nowhere, and an input that is always 0."""
    (mutant,) = through(unit, f"inv -module top -cell {place} -portbit 0")
    assert mutant["outcome"] == "open" and "found" not in mutant


def test_others_stay_as_they_are():
    """One that is killed already, one inside of a node, one of a unit without proofs, one that no proof finds."""
    killed = "inv -module top -cell router_2 -port link_in__0__data -portbit 3"
    assert through(UNIT, killed, outcome="killed")[0].get("found") is None
    inside = "inv -module cubecast_arbiter_2 -cell $1 -port A -portbit 0"
    assert through(UNIT, inside)[0]["outcome"] == "open"
    assert through("common/arbiter", killed)[0]["outcome"] == "open"
    # Which destination a packet has that a load router never sends is for its bench.
    assert through("multicast/load_router", "inv -module top -cell $57 -port B -portbit 0")[0]["outcome"] == "open"


def test_another_corner_has_no_proofs():
    """They are of the first one."""
    line, configs = units()[UNIT]
    _, asked = plan(UNIT, line, configs, 2)
    mutant = {"mutant": "-mode inv -module top -cell router_2 -port link_in__0__data -portbit 3", "outcome": "open"}
    assert list(proofs.through_proofs(asked, [mutant], lambda _: None)) == [mutant]


def test_other_hardware_is_refused(monkeypatch):
    """The proof is of another network."""
    monkeypatch.setattr(
        unit_proofs, "proofs", lambda unit: [(CubeWiresSpec(*unit_proofs.cube("packet/loaded_network")), 1)]
    )
    with pytest.raises(ToolError, match="multicast/network at n2 has other cells in CubeWiresSpec"):
        through(UNIT, "inv -module top -cell router_2 -port link_in__0__data -portbit 3")


@pytest.mark.parametrize(("base", "listed"), [(Cube, unit_proofs.CUBES), (AxiPorts, unit_proofs.AXI)])
def test_all_units_of_a_kind_are_listed(base, listed):
    """A new one has a proof of its wires."""
    found = set()
    for unit, (line, configs) in units().items():
        module, _, name = next(plan(unit, line, configs, 1)).run.bench.component.partition(":")
        if issubclass(getattr(importlib.import_module(module), name), base):
            found.add(unit)
    assert found == set(listed)
