"""The rule of the verdicts: whole intervals inside or outside of what a claim allows, in both directions."""

import math
import re
from pathlib import Path

import pytest

from cubecast.study import verdict as rule
from cubecast.study.statistics import mean_interval, share_interval, summarise
from cubecast.study.verdict import (
    NEVER,
    Measured,
    average,
    farthest,
    greatest,
    hold,
    least,
    mean,
    never,
    portion,
    quotient,
    ranked,
)


def judged(*interval, **limits):
    """Return the verdict on the middle of an interval."""
    return hold("text", "source", Measured(sum(interval) / 2, interval), **limits).verdict


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.5, 0.9, "holds"),
        (0.6, 1.0, "holds"),
        (0.9, 1.1, "open"),
        (0.5, 1.01, "open"),
        (1.0, 1.2, "open"),
        (1.3, 1.7, "differs by 0.5"),
    ],
)
def test_rule_is_the_same_in_both_directions(low, high, expected):
    """At most 1, and the mirror image, at least -1; the middle does not decide."""
    assert judged(low, high, high=1.0) == expected
    assert judged(-high, -low, low=-1.0) == expected


def test_two_limits():
    """Inside both, across one or both, beside either."""
    found = [judged(*ends, low=1.0, high=2.0) for ends in ((1, 2), (0.9, 1.5), (1.5, 2.1), (0, 3), (0, 0.5), (3, 4))]
    assert found == ["holds", "open", "open", "open", "differs by 0.75", "differs by 1.5"]


def test_limit_that_is_not_allowed():
    """What reaches it is not inside, what begins at it is outside."""
    found = [judged(*ends, high=1.0, strict=True) for ends in ((0, 0.9), (0, 1), (1, 1.5), (1, 1))]
    assert found == ["holds", "open", "differs by 0.25", "differs by 0: the limit itself is reached"]
    assert hold("t", "s", Measured(3.0), low=3, strict=True).verdict.startswith("differs by 0: ")


def test_computed_values_are_never_open():
    """They have no interval."""
    claim = hold("t", "s", Measured(7.5), high=5.0, unit=" ticks")
    assert (claim.measured, claim.interval, claim.verdict) == (7.5, None, "differs by 2.5 ticks")
    assert hold("t", "s", Measured(5.0), high=5.0).verdict == "holds"


def test_one_exception_refutes_never():
    """However many cases there are; none in too few of them decides nothing."""
    assert never("t", "s", 1, 10**6, "here").verdict.startswith("differs by 1e-06")
    enough = next(cases for cases in range(1, 10_000) if share_interval(0, cases)[1] <= NEVER)
    assert never("t", "s", 0, enough, "here").verdict == "holds"
    claim = never("t", "s", 0, enough - 1, "here")
    assert (claim.verdict, claim.places) == ("open", ("here",))
    assert never("t", "s", 0, 3, sampled=False).verdict == "holds"
    assert never("t", "s", 1, 3, sampled=False).verdict == "differs by 0.333"


PARTS = {
    "a": Measured(1.0, (0.8, 1.2), ("at a",)),
    "b": Measured(1.1, (0.3, 1.9), ("at b",)),
    "c": Measured(2.0, (1.9, 2.1), ("at c",)),
}


def test_claims_about_all_values_are_those_about_each():
    """All inside, one outside, or one across: the extreme says so, and names the places that are across."""
    for limit in (0.2, 0.5, 0.7, 1.0, 1.5, 1.95, 2.5):
        each = [hold("t", "s", part, low=limit).verdict for part in PARTS.values()]
        expected = "holds" if set(each) == {"holds"} else "differs" if any("differs" in one for one in each) else "open"
        claim = hold("t", "s", least(PARTS)[1], low=limit)
        assert claim.verdict.startswith(expected)
        across = [f"at {name}" for name, one in zip(PARTS, each, strict=True) if one == "open"]
        assert list(claim.places) == (across if expected == "open" else [])


def test_extremes_and_ranks():
    """The value of the middle, the ends of the ends."""
    assert [least(PARTS)[0], ranked(PARTS, 1)[0], greatest(PARTS)[0]] == ["a", "b", "c"]
    assert [each.interval for _, each in (least(PARTS), ranked(PARTS, 1), greatest(PARTS))] == [
        (0.3, 1.2),
        (0.8, 1.9),
        (1.9, 2.1),
    ]
    name, distance = farthest(PARTS, 1.5)
    assert (name, distance.value) in (("a", 0.5), ("c", 0.5))
    # the second is across the centre, and may be 1.2 away
    assert distance.interval == (pytest.approx(0.4), pytest.approx(1.2))
    assert farthest({"b": PARTS["b"]}, 1.5)[1].interval == (0.0, pytest.approx(1.2))
    assert greatest({"x": Measured(3.0)})[1].interval is None


def test_what_is_made_of_measurements():
    """Multiples, quotients between the extremes, means of what is independent."""
    summary = summarise([1, 2, 6])
    assert mean(summary, "x") == Measured(3.0, mean_interval(summary), ("x",))
    assert mean(summary, sampled=False).interval is None
    assert portion(1, 4).interval == share_interval(1, 4)
    turned = PARTS["a"].linear(-2, 1)
    assert (turned.value, turned.interval) == (-1.0, (pytest.approx(-1.4), pytest.approx(-0.6)))
    ratio = quotient(PARTS["c"], PARTS["a"])
    assert (ratio.value, ratio.interval) == (2.0, (1.9 / 1.2, 2.1 / 0.8))
    assert ratio.places == ("at c", "at a")
    both = average([PARTS["a"], PARTS["c"]], [3, 1])
    half = math.hypot(3 * 0.2, 0.1) / 4
    assert (both.value, both.interval) == (1.25, (pytest.approx(1.25 - half), pytest.approx(1.25 + half)))


def test_all_claims_go_through_the_rule():
    """No study makes a claim by itself."""
    room = Path(rule.__file__).parent
    makers = [path for path in room.rglob("*.py") if re.search(r"\bClaim\(", path.read_text())]
    assert [path.relative_to(room).as_posix() for path in makers] == ["verdict.py"]
