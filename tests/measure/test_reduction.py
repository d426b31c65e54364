"""The measurement of the reduction: figures of the page are made again on the golden network of the smallest cube."""

from pathlib import Path
from typing import Any

import pytest

from cubecast.golden.reduction.algorithms.load import Reductions
from cubecast.golden.reduction.algorithms.tree import join_cycles, plan_group
from cubecast.tb.measure import reduction

PAGE = Path(__file__).parents[2] / "docs" / "benchmarks.md"


def shown() -> list[str]:
    """Return the lines of the section."""
    page = PAGE.read_text()
    return page.partition("<!-- reduction begin -->\n")[2].partition("<!-- reduction end -->")[0].splitlines()


def test_figures_of_the_page_are_those_of_the_golden_network() -> None:
    """Of one word, of 16, and of 64 of one word."""
    wanted = [Reductions(words=words, period=1, count=count) for words, count in ((1, 1), (16, 1), (1, 64))]
    result: dict[str, list[dict[str, Any]]] = {"beside": [], "late": []}
    result["alone"] = [reduction.alone(3, given, golden=True) for given in wanted]
    least = join_cycles(plan_group(3))
    assert [row["cycles"] for row in result["alone"][:2]] == [least, least + 15]
    lines = reduction.table(result)[2:]
    assert len(lines) == 3 and set(lines) <= set(shown())


@pytest.mark.cosim
@pytest.mark.soak
def test_rtl_of_the_largest_cube_soak() -> None:
    """64 RTL nodes: all-reduces alone, and 16 beside packets, within what is aimed at."""
    for given in (Reductions(words=16, period=1, count=1), Reductions(words=1, period=1, count=64)):
        row, twin = (reduction.alone(6, given, golden=golden) for golden in (False, True))
        assert row == twin
        assert row["cycles"] <= reduction.AIMS[16 if given.count == 1 else given.count]
    row = reduction.beside(6, 0.6)
    assert row["mean"] <= reduction.AIMS_BESIDE[0.6] and row["latency"] <= 1.1 * row["latency_alone"]


def test_headline_is_an_all_reduce_of_the_largest_cube() -> None:
    """In the table of all runs."""
    row = {"n": 6, "words": 16, "count": 1, "cycles": 52}
    assert reduction.headline({"alone": [row]}) == {"all-reduce by join units, 64 nodes, cycles": "52"}
