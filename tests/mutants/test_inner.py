"""Mutants inside of a unit that another one places go through bench and proofs of that unit."""

# amaranth: UnusedElaboratable=no
import pytest

from cubecast.options.usage import ToolError
from cubecast.tb.mutants import inner
from cubecast.tb.mutants.runs import plan, units

UNIT = "packet/load_node"
ARBITER = "-mode const0 -module cubecast_arbiter_6 -cell $290 -port A -portbit 4"
REGISTERS = "-mode const0 -module cubecast_reduction_registers_498f043a -cell $137 -port A -portbit 10"


def through(unit, mutant, seeds=1, outcome="open"):
    """Return what becomes of a mutant of a unit."""
    line, configs = units()[unit]
    asked = next(plan(unit, line, configs, 1))
    lives = {"mutant": mutant, "outcome": outcome, "cycle": 20_000}
    (found,) = inner.through_inner(asked, [lives], jobs=1, seeds=seeds, say=lambda _: None)
    return found


def test_the_bench_of_the_unit_inside_finds_it():
    """An arbiter of a load node grants two, which no run of the load node meets."""
    found = through(UNIT, ARBITER)
    assert (found["outcome"], found["found"], found["by"]) == ("killed", "common/arbiter", ["grant"])
    assert found["cycle"] < 20_000 and found["mutant"] == ARBITER


def test_the_proof_of_the_unit_inside_finds_it():
    """A timer without a bit that takes a thousand cycles."""
    found = through("reduction/unit", REGISTERS, seeds=0)
    assert (found["outcome"], found["found"], found["by"]) == ("killed", "proof", ["LateSpec"])
    assert "cycle" not in found and found["mutant"] == REGISTERS


def test_others_stay_as_they_are(monkeypatch):
    """One that is killed, one of the unit's own module, one in a unit without a bench, one that no bench finds."""
    lives = {"outcome": "open", "cycle": 20_000}
    assert through(UNIT, ARBITER, outcome="killed") == {"mutant": ARBITER, "outcome": "killed", "cycle": 20_000}
    own = "-mode inv -module top -cell $1 -port A -portbit 0"
    assert through(UNIT, own) == {"mutant": own, **lives}
    assert through(UNIT, ARBITER, seeds=0) == {"mutant": ARBITER, **lives}
    monkeypatch.setattr(inner, "_benches", dict)
    assert through(UNIT, ARBITER) == {"mutant": ARBITER, **lives}


def test_another_unit_inside_is_refused(monkeypatch):
    """What it is by itself has other cells."""
    monkeypatch.setattr(inner, "other_cells", lambda *_: None)
    with pytest.raises(
        ToolError, match="packet/load_node at cube_6-queue16 has another common/arbiter than that has by itself"
    ):
        through(UNIT, ARBITER)
