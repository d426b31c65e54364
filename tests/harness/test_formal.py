"""The formal harness: it proves, refutes, and says when it did neither."""

# amaranth: UnusedElaboratable=no
from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, Assume, Cover, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from cubecast.tb.harness import formal
from cubecast.tb.harness.formal import FormalError, Undecided, Violated, netlist, prove
from cubecast.tb.harness.process import execute


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


class Halved(wiring.Component):
    """A unit: a number, and whether its upper half is 0, which its specification says nothing of."""

    def __init__(self) -> None:
        super().__init__({"number": In(4), "same": Out(4), "small": Out(1)})

    def elaborate(self, platform: Any) -> Module:
        """Pass the number on."""
        m = Module()
        m.d.comb += [self.small.eq(~self.number[2:].any()), self.same.eq(self.number ^ 0b1010 ^ 0b1010)]
        return m


class SameSpec(wiring.Component):
    """The unit passes its number on."""

    def __init__(self) -> None:
        super().__init__({})

    def elaborate(self, platform: Any) -> Module:
        """Compare."""
        m = Module()
        m.submodules.dut = self.dut = Halved()
        m.d.comb += [self.dut.number.eq(AnySeq(4)), Assert(self.dut.same == self.dut.number)]
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


class WordsSpec(wiring.Component):
    """What was written last at address 1 of a memory is read there; ``right=False`` looks at address 2."""

    def __init__(self, right: bool = True) -> None:
        self.right = right
        super().__init__({})

    def elaborate(self, platform: Any) -> Module:
        """Write any words anywhere."""
        m = Module()
        m.submodules.words = words = Memory(shape=4, depth=4, init=[])
        write, read, last = words.write_port(), words.read_port(domain="comb"), Signal(4, reset_less=True)
        m.d.comb += [write.addr.eq(AnySeq(2)), write.data.eq(AnySeq(4)), write.en.eq(AnySeq(1))]
        with m.If(write.en & (write.addr == 1)):
            m.d.sync += last.eq(write.data)
        m.d.comb += [read.addr.eq(1 if self.right else 2), Assert(read.data == last)]
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


def test_a_netlist_has_the_whole_unit() -> None:
    """A cell of which nothing is said is there; a bug planted in it is not found, one in the other wire is."""
    text = netlist(SameSpec())
    small, same = (f"mutate -mode inv -module top.dut -cell ${cell} -port A -portbit 1" for cell in (3, 5))
    assert prove(text, depth=1).holds
    assert prove(text, depth=1, planted=[small]).holds
    assert not prove(text, mode="bmc", depth=1, expect="fail", planted=[same]).holds


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


@pytest.mark.parametrize("unroll", [None, False, True])
@pytest.mark.parametrize(
    ("mode", "limit", "expect", "usual"),
    [
        ("prove", 12, "pass", True),
        ("bmc", 12, "pass", True),
        ("prove", 13, "fail", False),
        ("bmc", 13, "fail", False),
        ("cover", 12, "pass", False),
        ("cover", 11, "fail", False),
    ],
)
def test_the_answer_is_the_same_unrolled(
    mode: str, limit: int, expect: str, usual: bool, unroll: bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is looked for is not unrolled, unless it is asked for."""
    asked = []

    def listen(command: list[str], **settings: Any) -> int:
        asked.append("--unroll" in command)
        return execute(command, **settings)

    monkeypatch.setattr(formal, "execute", listen)
    assert prove(CountSpec(limit), mode=mode, depth=14, expect=expect, unroll=unroll).holds == (expect == "pass")
    assert asked == [usual if unroll is None else unroll]


@pytest.mark.parametrize("arrays", [False, True])
def test_the_answer_is_the_same_with_arrays(arrays: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memories are registers to the solver, unless it is asked for."""
    asked = []

    def listen(command: list[str], **settings: Any) -> int:
        asked.append("(Array " in (settings["cwd"] / "top.smt2").read_text())
        return execute(command, **settings)

    monkeypatch.setattr(formal, "execute", listen)
    assert prove(WordsSpec(), mode="bmc", depth=6, arrays=arrays).holds
    assert not prove(WordsSpec(right=False), mode="bmc", depth=6, expect="fail", arrays=arrays).holds
    assert asked == [arrays, arrays]


def test_a_solver_that_breaks_off_has_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is one made of what it said before."""
    monkeypatch.setattr(formal, "execute", lambda command, **settings: execute(["false"], **settings))
    with pytest.raises(FormalError, match="no answer"):
        prove(CountSpec(12), mode="cover", depth=14)


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
    with pytest.raises(Undecided, match="induction of depth 2 is undecided"):
        prove(CountSpec(13), depth=2, expect="fail")
    with monkeypatch.context() as broken:
        broken.setattr(formal, "SCRIPT", ["no_such_command"])
        with pytest.raises(FormalError, match="no answer"):
            prove(CountSpec(13), depth=1, mode="bmc", expect="fail")
    monkeypatch.setattr("sys.executable", "/nonexistent/python")
    with pytest.raises(FormalError, match="missing"):
        prove(CountSpec(13), depth=1, mode="bmc", expect="fail")


TESTS = Path(__file__).resolve().parents[1]
CLASSES = [
    node
    for path in TESTS.glob("*/*_spec.py")
    for node in ast.parse(path.read_text()).body
    if isinstance(node, ast.ClassDef)
]
SPECIFIED = {node.name: node for node in CLASSES}
"""Specifications by the names of their classes."""

SOAK = "pytest.mark.soak"


def asked(path: Path) -> Iterator[tuple[str, str, bool]]:
    """Yield what the tests of a file ask: specification; proven, covered or refuted; whether in ``make soak`` alone.

    The specifications that a test asks about are those that it names, or that what it names at the file's top does.
    """
    source = path.read_text()
    if "prove(" not in source:
        return
    tree = ast.parse(source).body
    made: dict[str, ast.AST] = {}
    for node in tree:
        if isinstance(node, ast.Assign):
            made |= {target.id: node.value for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.FunctionDef) and not node.name.startswith("test_"):
            made[node.name] = node
    for test in tree:
        if not (isinstance(test, ast.FunctionDef) and test.name.startswith("test_")):
            continue
        names: set[str] = set()
        parts: list[ast.AST] = [test]
        for part in parts:
            found = {node.id for node in ast.walk(part) if isinstance(node, ast.Name)} - names
            names |= found
            parts += [made[name] for name in sorted(found & made.keys())]
        text = " ".join(map(ast.unparse, parts))
        if re.search(r"\bprove\(", text):
            broken = "expect='fail'" in text or "'refute'" in text
            way = "refuted" if broken else "covered" if "'cover'" in text else "proven"
            soak = SOAK in map(ast.unparse, test.decorator_list)
            yield from ((name, way, soak) for name in sorted(names & SPECIFIED.keys()) if name.endswith("Spec"))


ASKED: dict[str, dict[str, bool]] = {}
"""Specification to the ways in which it is asked about, and whether each is in ``make soak`` alone."""

for path in sorted(TESTS.glob("*/test_*.py")):
    for name, way, soak in asked(path):
        ASKED.setdefault(name, {})[way] = ASKED.get(name, {}).get(way, True) and soak

UNCOVERED = {"ReceiveEngineSpec"}
"""Specifications whose interesting cases take so long to be reached that ``make soak`` alone does it."""


@pytest.mark.parametrize("name", ASKED)
def test_a_specification_is_proven_covered_and_refuted(name: str) -> None:
    """It says what must be reachable, which is reached in CI; and there are designs that it refutes."""
    bases = [base.id for base in SPECIFIED[name].bases if isinstance(base, ast.Name) and base.id in SPECIFIED]
    texts = [ast.unparse(SPECIFIED[each]) for each in (name, *bases)]
    assert any("Cover(" in text or ".reached(" in text for text in texts)
    assert ASKED[name].keys() == {"proven", "covered", "refuted"}
    assert ASKED[name]["covered"] == (name in UNCOVERED)


def test_every_specification_is_asked_about() -> None:
    """But for those that others are derived from; no two of them have one name, and none is in a file of tests."""
    inside = {
        path: ast.parse(path.read_text()).body for path in TESTS.glob("*/test_*.py") if path.parent.name != "harness"
    }
    assert not [path for path, body in inside.items() for each in body if getattr(each, "name", "").endswith("Spec")]
    names = [node.name for node in CLASSES if node.name.endswith("Spec")]
    assert len(names) == len({*names})
    bases = {base.id for node in SPECIFIED.values() for base in node.bases if isinstance(base, ast.Name)}
    assert {name for name in SPECIFIED if name.endswith("Spec")} - bases <= ASKED.keys()


def test_what_tests_ask_is_found(tmp_path: Path) -> None:
    """By their own names, by those at the top of the file, by the settings; a proof in ``make soak`` is told apart."""
    (path := tmp_path / "test_toys.py").write_text(
        "REACHED = {'mode': 'cover', 'depth': 1}\n"
        "PAIR = (CamSpec, JoinSpec)\n"
        "def both(depth): prove(Together(*PAIR), depth=depth)\n"
        "def test_both(): both(2)\n"
        "def test_reached(): prove(CamSpec(CONFIG), **REACHED)\n"
        "@pytest.mark.soak\n"
        "def test_broken(): prove(JoinSpec(CONFIG, Broken), expect='fail')\n"
        "def test_other(): CamSpec\n"
    )
    assert list(asked(path)) == [
        ("CamSpec", "proven", False),
        ("JoinSpec", "proven", False),
        ("CamSpec", "covered", False),
        ("JoinSpec", "refuted", True),
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"mode": "live"}, "mode must be one of prove, bmc, cover, pdr, not 'live'"),
        ({"depth": 0}, "depth must be an integer of at least 1, not 0"),
        ({"expect": "maybe"}, "expect must be 'pass' or 'fail', not 'maybe'"),
        ({"mode": "pdr", "freed": "dut"}, "freed must be empty with mode 'pdr', not 'dut'"),
        ({"mode": "pdr", "arrays": True}, "arrays must be false with mode 'pdr', not true"),
        ({"mode": "pdr", "planted": ["opt_clean"]}, "planted must be empty with mode 'pdr', not 'opt_clean'"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    """One line says what is wrong."""
    with pytest.raises(ValueError) as error:
        prove(SumSpec(), **arguments)
    assert str(error.value) == message
