"""The way back: everybody who took part gets the result once, over good links."""

from __future__ import annotations

import itertools
import random

import pytest

from cubecast.golden.collective.merge_run import run_merge
from cubecast.golden.collective.merge_stages import DETOUR, DIRECT, PART, Hop, plan_merge
from cubecast.golden.collective.result_spread import spread, spread_steps
from cubecast.golden.collective.sink_tree import NoSinkError
from tests.collective.tree_cases import all_links, random_faults


def check_spread(plan):
    """Follow the messages in their order: who sends has the result, who receives has not."""
    has = {plan.tree.sink}
    for messages in spread(plan):
        for hop in messages:
            assert hop.sender in has and hop.receiver not in has and hop.parts == 1
            for a, b in itertools.pairwise(hop.path):
                assert (a ^ b).bit_count() == 1 and not plan.words[a] & (a ^ b)
            has.add(hop.receiver)
    assert has == set(plan.members)
    merge = run_merge(plan, dict.fromkeys(plan.members, (1,)))
    steps = spread_steps(plan)
    longest = [max(len(hop.path) - 1 for hop in messages) for messages in spread(plan)]
    assert steps >= sum(longest)
    if all(sum(hop.kind == DETOUR for hop in messages) < 2 for messages in spread(plan)):
        assert steps <= merge.steps
    if all(hop.kind != DETOUR for messages in spread(plan) for hop in messages):
        assert steps == merge.steps == plan.tree.dim + plan.faulty_stages


def test_by_hand():
    """Figure 16: node 100 gets the result from 101, after that has got it from 001."""
    plan = plan_merge(3, [(0b100, 0b110), (0b100, 0b000)], [0b111])
    assert spread(plan) == (
        (Hop(DIRECT, (1, 0)),),
        (Hop(DIRECT, (0, 2)), Hop(DIRECT, (1, 3))),
        (Hop(DIRECT, (1, 5)), Hop(DIRECT, (2, 6)), Hop(PART, (5, 4))),
    )
    assert spread_steps(plan) == 4
    check_spread(plan)


def test_detours_that_meet():
    """Three detours of stage 0 cross links 5-7 and 7-15 the same way: somebody waits, there and back."""
    links = [(5, 13), (3, 7), (4, 12), (1, 9), (0, 1), (6, 14), (2, 6)]
    plan = plan_merge(4, links, [2, 3, 8])
    detours = [hop.path for stage in plan.stages for hop in stage.messages if hop.kind == DETOUR]
    assert detours == [(0, 4, 5, 7, 15), (1, 5, 7, 15, 13, 9), (4, 5, 7, 15, 14, 12)]
    assert run_merge(plan, dict.fromkeys(plan.members, (1,))).stage_steps == (7, 1, 1, 1)
    assert spread_steps(plan) == 9
    check_spread(plan)


def test_all_patterns_of_up_to_3_links_at_n_3():
    """Exhaustive; there is a sink every time."""
    for count in range(4):
        for links in itertools.combinations(all_links(3), count):
            check_spread(plan_merge(3, links))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_random_patterns(n):
    """Links and nodes."""
    generator = random.Random(n)
    for _ in range(60):
        links, nodes = random_faults(n, generator)
        try:
            plan = plan_merge(n, links, nodes)
        except NoSinkError:
            continue
        check_spread(plan)


def test_other_schemes_are_refused():
    """They may lose messages."""
    with pytest.raises(ValueError, match="scheme must be repaired, not printed"):
        spread(plan_merge(2, scheme="printed"))
