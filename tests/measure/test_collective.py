"""The measurement of the collectives: cycles that can be worked out, processors that do the same, and its tables."""

from __future__ import annotations

from typing import Any

import pytest

from cubecast.golden.collective.algorithms.merge_stages import plan_merge
from cubecast.golden.collective.algorithms.merge_tables import merge_tables
from cubecast.tb.collective.playback import group, play_golden
from cubecast.tb.measure import collective, processors

CONFIG = collective._config(2)


def alone(*tasks: dict[str, Any], most: int = 5000) -> list[dict[str, Any]]:
    """Return the record of tasks of processors in the golden network of four nodes."""
    return collective.simulate(processors.BENCH, CONFIG, {"tasks": tasks, "most": most}, rtl=False)


def cycles(task: str, words: int, cost: tuple[int, int]) -> int:
    """Return the cycles of one all-reduce of processors."""
    found: int = alone({"task": task, "words": words, "cost": cost})[0]["clocks"]
    return found


@pytest.mark.core
@pytest.mark.parametrize("n", [2, 3])
def test_an_all_reduce_takes_the_cycles_that_the_page_says(n: int) -> None:
    """In docs/collective.md: with s segments n (L + 9 s + 3) + 2 L + 12, and 2 n + L + 7 s for the result."""
    rows = collective.all_reduces(n, (1, 5, 16, 17, 40), rtl=False)
    for row in rows:
        length, segments = row["words"], -(-row["words"] // collective.SEGMENT)
        merge = n * (length + 9 * segments + 3) + 2 * length + 12
        assert row["hardware"] == merge + 2 * n + length + 7 * segments
        assert row["hardware"] > row["bound"] == n * (3 + length) + 2 * n + length


def test_a_barrier_takes_the_cycles_that_the_page_says() -> None:
    """14 n + 20."""
    for n in (2, 3):
        (row,) = collective.all_reduces(n, (0,), rtl=False)
        assert (row["hardware"], row["bound"], row["rtl"]) == (14 * n + 20, 5 * n, False)


@pytest.mark.parametrize("result", ["none", "broadcast", "spread"])
def test_a_run_has_two_cycles_more_than_its_nodes_count(result: str) -> None:
    """In docs/collective.md, of ``cubecast reduce --simulate``: the cycle of the start, and that in which all rest."""
    groups = [
        group(merge_tables(plan_merge(2), CONFIG, words, result), [{node: [node] * words for node in range(4)}])
        for words in (0, 1, 17)
    ]
    for found in play_golden(CONFIG, groups):
        assert found["clocks"] == max(found["registers"]["CLOCKS"]) + 2


def test_a_processor_works_on_one_message_after_the_other() -> None:
    """On the tree each of the 2 n hops has to wait for it once; with unicasts the sink works on all, one by one."""
    for words in (0, 1, 16):
        assert cycles("gather", words, (50, 2)) - cycles("gather", words, (0, 0)) == 4 * (50 + 2 * words)
        # the sink has three pieces one after the other, the last node its result
        assert cycles("unicasts", words, (100, 2)) - cycles("unicasts", words, (50, 2)) == 4 * 50


@pytest.mark.parametrize("task", ["unicasts", "gather"])
def test_a_wrong_sum_is_found(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One word of one vector is changed on its way."""
    payload = processors.Gather.payload

    def changed(self: processors.Gather, node: int, segment: range) -> list[int]:
        words = payload(self, node, segment)
        return [*words[:-1], words[-1] ^ 1] if node == 3 else words

    monkeypatch.setattr(processors.TASKS[task], "payload", changed)
    with pytest.raises(AssertionError):
        alone({"task": task, "words": 3, "cost": (0, 0)})


def test_a_task_that_does_not_end_in_time_is_told() -> None:
    """With what it was."""
    with pytest.raises(TimeoutError, match=r"^cycles must be enough for .*'gather'.*, not 20$"):
        alone({"task": "gather", "words": 1, "cost": (0, 0)}, most=20)


def test_tasks_follow_each_other_with_counters_of_their_own() -> None:
    """Twice the same gives the same, and another one in between something else."""
    turns, once = (
        {"task": "multicasts", "words": 16, "cost": (0, 0), "members": [0, 1, 3], "turns": t} for t in (1, 0)
    )
    first, other, again = alone(turns, once, turns)
    assert first == again and first["clocks"] > other["clocks"]
    # each of the three crosses two links and comes out at two nodes
    assert [sum(map(sum, found["messages"])) for found in (first, other)] == [12, 12]


def test_messages_of_a_ring_never_wait() -> None:
    """Those of the same group along the Gray code do not either, and take longer; multicasts at once wait."""
    row = collective.rings(3, 5, rtl=False)
    ways = row["ways"]
    assert [ways[name]["waited"] for name in ("ring", "sequence", "gray")] == [0, 0, 0] and ways["once"]["waited"]
    assert row["least"] == 64 < ways["ring"]["clocks"] < ways["gray"]["clocks"]
    assert ways["turns"]["words"] == ways["once"]["words"] < ways["ring"]["words"]


def result() -> dict[str, Any]:
    """Return what the section gives, with figures that are easy to follow."""
    reduced = {"n": 6, "words": 16, "rtl": True, "bound": 100, "hardware": 250, "unicasts": 1000, "ideal": 400}
    reduced["software"] = 2000
    way = {"clocks": 300, "words": 1234, "waited": 0}
    ways = dict.fromkeys(("ring", "sequence", "gray", "turns", "once"), way)
    unit, port, router = (
        {"luts": luts, "ffs": 5, "ram": ram, "blocks": 0} for luts, ram in ((90, 25), (10, 0), (1000, 0))
    )
    area = {"n": 6, "m": 8, "vector": 64, "unit": unit, "port": port, "router": router}
    rate = {"grade": 6, "mhz": 50.5, "start": "a", "end": "b", "logic": 1.5, "routing": 2.5, "levels": 3}
    rings = {"n": 4, "members": 8, "rtl": False, "least": 100, "ways": ways}
    return {"all_reduces": [reduced, {**reduced, "words": 0}], "rings": [rings], "areas": [area], "rates": [rate]}


def test_tables_have_the_ratios() -> None:
    """250 cycles for a bound of 100; 90 + 10 beside 1,000 LUTs, and 100 more in 25 memories."""
    lines = collective.table(result())
    assert "| 6 | 16 | 100 | 250 | 2.50 | 1,000 | 400 | 2,000 | RTL |" in lines
    assert "| 6 | 0 (barrier) | 100 | 250 | 2.50 | 1,000 | 400 | 2,000 | RTL |" in lines
    assert "| 8 of 16 | multicasts in turn | 300 | 1,234 | 0 | 3.00 | golden twin |" in lines
    assert "| 6 | 64 | 90 | 5 | 25 | 10 | 8 | 1,000 | 5 | 0 | +10 % | +20 % |" in lines
    assert lines[-1] == "| collective unit | 6 | 6 | 50.5 | `a` | `b` | 3 | 1.5 | 2.5 |"
    assert collective.headline(result()) == {
        "all-reduce of 64 nodes, cycles": "250",
        "collective unit MHz, grade 6": "50.5",
    }
    assert len(collective.table({**result(), "rates": []})) == len(lines) - 4
    assert collective.headline({"all_reduces": [], "rates": []}) == {}
