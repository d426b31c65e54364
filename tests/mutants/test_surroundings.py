"""What nobody can see where a unit is placed is told from what somebody can, and what is said of that is proven."""

# amaranth: UnusedElaboratable=no
from pathlib import Path

import pytest
from amaranth.hdl import Signal

from cubecast.options.usage import ToolError
from cubecast.rtl.common.amaranth_private import only_for_ports
from cubecast.tb.mutants import surroundings
from cubecast.tb.mutants.netlist import TOP, difference, made, plant, rtlil_of, surrounding
from cubecast.tb.mutants.record import Record
from cubecast.tb.mutants.runs import plan, selected_ports, units
from tests.common import unit_surroundings
from tests.harness.surroundings import Surroundings
from tests.harness.toy import ToyConfig
from tests.mutants.redundant import Asked, Redundant

ROOT = Path(__file__).parents[2]
HARMFUL = (1, pytest.param(10, marks=pytest.mark.soak))
"""How many mutants of each unit are asked for that its bench kills, those that it kills first."""


class NeverBoth(Surroundings):
    """``b`` is 0 while ``a`` is 1, and ``o.data`` is looked at while ``o.valid`` is asserted."""

    def say(self, m, unit, counts):
        """Say it."""
        m.d.comb += [self.allowed.eq(~(unit.a & unit.b)), counts.o.data.eq(unit.o.valid)]


class Once(Surroundings):
    """``a`` is 1 in the first cycle at most."""

    def say(self, m, unit, counts):
        """Remember that there was a cycle."""
        later = Signal()
        m.d.sync += later.eq(1)
        m.d.comb += self.allowed.eq(~(later & unit.a))


class Answered(Surroundings):
    """``question`` is looked at while ``a`` is 1, and ``answer`` is the answer then."""

    answers = ("answer",)

    def say(self, m, unit, counts):
        """Follow ``a``."""
        m.d.comb += [counts.question.eq(unit.a), self.same.answer.eq(unit.a)]


class Unread(Answered):
    """The answer is never read, which is wrong."""

    def say(self, m, unit, counts):
        """Say so."""
        m.d.comb += [counts.question.eq(0), self.same.answer.eq(0)]


class Few(Surroundings):
    """A register of the unit is less than 3."""

    register = "count"

    def widths(self):
        """Return the register."""
        return {self.register: 3}

    def say(self, m, unit, counts):
        """Compare it."""
        m.d.comb += self.kept.eq(getattr(self.inside, self.register) < 3)


class OfNobody(Few):
    """There is no such register."""

    register = "nobody"


class Anything(Surroundings):
    """Nothing is said."""

    def say(self, m, unit, counts):
        """Say nothing."""


def verdicts(unit, stated, folder):
    """Return a function from the place of a mutant of a unit to the answer in what surrounds it."""
    mutants, verilog = plant(rtlil_of(f"{unit.__module__}:{unit.__name__}", ToyConfig(), {}), 60, 1, folder)
    ports, around = selected_ports(verilog), surrounding(stated(unit(ToyConfig())))

    def verdict(what):
        (number,) = [one.number for one in mutants if one.what == what]
        return difference(folder, ports, number, {}, around=around).verdict

    return verdict


def test_inputs_that_do_not_come_show_nothing(tmp_path):
    """And outputs that nobody looks at; what legal inputs show at others is seen."""
    verdict = verdicts(Redundant, NeverBoth, tmp_path)
    assert verdict("-mode const0 -module top -cell $procmux$2 -port B -portbit 0") == "same"
    assert verdict("-mode inv -module top -cell $procmux$2 -port B -portbit 0") == "differs"
    assert verdict("-mode inv -module top -cell $5 -port Y -portbit 0") == "same"
    assert verdict("-mode inv -module top -cell $4 -port Y -portbit 0") == "differs"


@pytest.mark.parametrize(("stated", "answer"), [(Anything, "differs"), (Once, "same"), (Few, "same")])
def test_what_takes_four_cycles_is_not_seen_in_one(stated, answer, tmp_path):
    """A count that goes on; what surrounds it may remember, or say something of the count itself."""
    verdict = verdicts(Asked, stated, tmp_path)
    assert verdict("-mode const0 -module top -cell $11 -port A -portbit 0") == answer
    assert verdict("-mode const1 -module top -cell $8 -port A -portbit 0") == "differs"


def test_a_question_whose_answer_is_not_read_may_be_another_one(tmp_path):
    """But if it is read, it is seen that the mutant has another one."""
    question = "-mode const0 -module top -cell $7 -port B -portbit 0"
    for stated, answer in ((Anything, "differs"), (Answered, "same"), (Unread, "differs")):
        folder = tmp_path / stated.__name__
        folder.mkdir()
        assert verdicts(Asked, stated, folder)(question) == answer


@pytest.mark.parametrize(
    ("unit", "stated", "cell", "line"),
    [
        (Asked, OfNobody, "$9 -port B", "top has no nobody"),
        (Redundant, Once, "$4 -port Y", "surroundings must have the ports of the unit, and clk, rst are others"),
    ],
    ids=["register", "clock"],
)
def test_surroundings_of_another_unit_are_refused(unit, stated, cell, line, tmp_path):
    """A register that it does not have, and a clock."""
    with pytest.raises(ToolError, match=line):
        verdicts(unit, stated, tmp_path)(f"-mode inv -module top -cell {cell} -portbit 0")


def through(unit, mutants):
    """Return what becomes of mutants of a unit that live."""
    line, configs = units()[unit]
    asked = next(plan(unit, line, configs, 1))
    lines = [{"mutant": what, "outcome": "open", "cycle": 9} for what in mutants]
    return list(surroundings.through_surroundings(asked, lines, seconds=20, say=lambda _: None))


def test_what_nobody_sees_in_its_surroundings_says_so():
    """In the module of a unit and inside of one that it places; others stay as they are."""
    port = "-mode const0 -module top -cell $procmux$4 -port Y -portbit 3"
    seen = "-mode const0 -module top -cell $procmux$4 -port Y -portbit 0"
    assert through("packet/next_port", [port, seen]) == [
        {"mutant": port, "outcome": "surroundings"},
        {"mutant": seen, "outcome": "open", "cycle": 9},
    ]
    output = "-module cubecast_packet_crossbar_output_3_local_4254649b"
    head = f"-mode const1 {output} -cell $290 -port B -portbit 0"
    grant = f"-mode const0 {output} -cell arbiter -port grant -portbit 0"
    assert through("packet/crossbar", [head, grant]) == [
        {"mutant": head, "outcome": "surroundings"},
        {"mutant": grant, "outcome": "open", "cycle": 9},
    ]
    assert through("common/arbiter", [port]) == [{"mutant": port, "outcome": "open", "cycle": 9}]


def components():
    """Return the units with benches by their classes."""
    found = {}
    for unit, (line, configs) in units().items():
        run = next(plan(unit, line, configs, 1)).run
        found[type(only_for_ports(made(run.bench.component, run.config, run.extra)))] = unit
    return found


@pytest.mark.parametrize("count", HARMFUL)
@pytest.mark.parametrize(
    "placed", unit_surroundings.SURROUNDINGS, ids=lambda placed: placed.__module__.partition(".rtl.")[2]
)
def test_what_a_bench_finds_is_seen_in_the_surroundings(placed, count):
    """What is stated leaves the bench what it does: mutants that it kills are not the same."""
    unit = components()[placed]
    lines = [line for line in Record(ROOT / "docs" / "mutants.jsonl").lines if line["unit"] == unit]
    killed = [line for line in lines if line["outcome"] == "killed" and f"-module {TOP} " in line["mutant"]]
    killed = [line for line in killed if "found" not in line and "cycle" in line]
    killed = sorted(killed, key=lambda line: line["cycle"])[:count]
    line, configs = units()[unit]
    asked = next(plan(unit, line, configs, 1))
    found = surroundings.answers(asked, [line["mutant"] for line in killed], seconds=60)
    verdicts = [answer.verdict for answer in found.values()]
    # The solver may have no answer in its time.
    assert len(verdicts) == count and verdicts[0] == "differs" and "same" not in verdicts


@pytest.mark.parametrize("stated", unit_surroundings.SURROUNDINGS.values(), ids=lambda stated: stated.__module__)
def test_what_is_stated_is_proven(stated):
    """By tests that there are."""
    assert stated.proven or stated.answers
    for name in stated.proven:
        file, _, test = name.partition("::")
        assert f"\ndef {test}(" in (ROOT / file).read_text(), name
