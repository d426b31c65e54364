"""The formal harness: it proves, refutes, and says when it did neither."""

# amaranth: UnusedElaboratable=no
from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, Assume, Cover, Module, Signal
from amaranth.lib import wiring

from cubecast.tb.harness import formal
from cubecast.tb.harness.formal import FormalError, Violated, prove


class CountSpec(wiring.Component):
    """A counter that saturates at ``limit`` never passes 12."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        super().__init__({})

    def elaborate(self, platform: Any) -> Module:
        """Count while a free input says so."""
        m = Module()
        count = Signal(4)
        with m.If(AnySeq(1) & (count != self.limit)):
            m.d.sync += count.eq(count + 1)
        m.d.comb += [Assert(count <= 12), Cover(count == 12)]
        return m


class SumSpec(wiring.Component):
    """Without a cycle: x | y is x + y for disjoint x and y; ``disjoint=False`` forgets the assumption."""

    def __init__(self, disjoint: bool = True) -> None:
        self.disjoint = disjoint
        super().__init__({})

    def elaborate(self, platform: Any) -> Module:
        """Compare both sides for free x and y."""
        m = Module()
        x, y = Signal(8), Signal(8)
        m.d.comb += [x.eq(AnySeq(8)), y.eq(AnySeq(8)), Assert((x | y) == x + y)]
        if self.disjoint:
            m.d.comb += Assume((x & y) == 0)
        return m


class EmptySpec(wiring.Component):
    """Nothing is asserted."""

    def __init__(self) -> None:
        super().__init__({})

    def elaborate(self, platform: Any) -> Module:
        """Have a register only."""
        m = Module()
        m.d.sync += Signal(name="idle").eq(1)
        return m


def test_a_clocked_specification_is_proven_for_all_time() -> None:
    """Limit 12 keeps the promise."""
    assert prove(CountSpec(12), depth=4).holds


def test_a_broken_design_is_refuted() -> None:
    """Limit 13 breaks it: in 13 cycles, not in 12."""
    assert not prove(CountSpec(13), mode="bmc", depth=16, expect="fail").holds
    with pytest.raises(Violated, match="violated"):
        prove(CountSpec(13), mode="bmc", depth=16)
    assert prove(CountSpec(13), mode="bmc", depth=12).holds


def test_a_design_that_was_expected_to_be_broken_and_is_not() -> None:
    """A mutant that survives is an error of its own."""
    with pytest.raises(Violated, match="holds"):
        prove(CountSpec(12), depth=4, expect="fail")


def test_cover() -> None:
    """Twelve is reached in 13 cycles, not in 5."""
    assert prove(CountSpec(12), mode="cover", depth=14).holds
    with pytest.raises(Violated):
        prove(CountSpec(12), mode="cover", depth=5)


def test_a_specification_without_clock() -> None:
    """Combinational logic is proven in one step, and refuted."""
    assert prove(SumSpec(), depth=1).holds
    assert not prove(SumSpec(disjoint=False), depth=1, expect="fail").holds


def test_reachability_answers_both_questions() -> None:
    """Without a depth, and without an invariant: also of a design without a clock."""
    assert prove(CountSpec(12), mode="pdr").holds
    assert not prove(CountSpec(13), mode="pdr", expect="fail").holds
    assert prove(SumSpec(), mode="pdr").holds


def test_no_answer_is_neither_pass_nor_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing to prove, a missing tool, an undecided induction and a timeout are told apart from a violation."""
    with pytest.raises(FormalError, match="no Assert"):
        prove(EmptySpec(), expect="fail")
    with pytest.raises(FormalError, match="timeout"):
        prove(CountSpec(13), depth=16, expect="fail", timeout=0.01)
    with pytest.raises(FormalError, match="induction of depth 2 is undecided"):
        prove(CountSpec(13), depth=2, expect="fail")
    with monkeypatch.context() as broken:
        broken.setattr(formal, "SCRIPT", ["no_such_command"])
        with pytest.raises(FormalError, match="no answer"):
            prove(CountSpec(13), depth=1, mode="bmc", expect="fail")
    monkeypatch.setattr("sys.executable", "/nonexistent/python")
    with pytest.raises(FormalError, match="missing"):
        prove(CountSpec(13), depth=1, mode="bmc", expect="fail")


TESTS = Path(__file__).resolve().parents[1]
SPECIFIED = {
    node.name: node
    for path in TESTS.glob("*/*_spec.py")
    for node in ast.parse(path.read_text()).body
    if isinstance(node, ast.ClassDef)
}
"""Specifications by the names of their classes."""

PROVING: dict[str, str] = {}
"""Specification to the texts of the tests that import it."""

for path in sorted(TESTS.glob("*/test_*.py")):
    text = path.read_text()
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom) and str(node.module).endswith("_spec"):
            PROVING |= {name.name: PROVING.get(name.name, "") + text for name in node.names if name.name in SPECIFIED}
PROVING = {name: text for name, text in PROVING.items() if name.endswith("Spec")}


@pytest.mark.parametrize("name", PROVING)
def test_a_specification_is_proven_covered_and_refuted(name: str) -> None:
    """It says what must be reachable; the tests that prove it ask for that, and have designs that it must refute."""
    bases = [base.id for base in SPECIFIED[name].bases if isinstance(base, ast.Name) and base.id in SPECIFIED]
    texts = [ast.unparse(SPECIFIED[each]) for each in (name, *bases)]
    assert any("Cover(" in text or ".reached(" in text for text in texts)
    assert "prove(" in PROVING[name] and '"cover"' in PROVING[name]
    assert 'expect="fail"' in PROVING[name] or '"refute"' in PROVING[name]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"mode": "live"}, "mode must be one of prove, bmc, cover, pdr, not 'live'"),
        ({"depth": 0}, "depth must be an integer of at least 1, not 0"),
        ({"expect": "maybe"}, "expect must be 'pass' or 'fail', not 'maybe'"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    """One line says what is wrong."""
    with pytest.raises(ValueError) as error:
        prove(SumSpec(), **arguments)
    assert str(error.value) == message
