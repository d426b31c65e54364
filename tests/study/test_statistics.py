"""Means and confidence intervals against tables and simulation."""

import math

import numpy as np
import pytest

from cubecast.study.statistics import Summary, mean_interval, share, share_interval, summarise

STUDENT = {1: 12.706, 2: 4.303, 3: 3.182, 5: 2.571, 9: 2.262, 19: 2.093, 99: 1.984, 999: 1.962}
"""97.5 % points by degrees of freedom, from any table."""


def test_summary_is_the_formula_of_the_dissertation():
    """Lan 1988, section 5.4.2: the deviation is over all runs, not one less."""
    assert summarise([1, 2, 6]) == Summary(3.0, math.sqrt(14 / 3), 1.0, 6.0, 3)
    assert Summary(**summarise([1, 2]).to_json()) == summarise([1, 2])


@pytest.mark.parametrize("freedom", STUDENT)
def test_interval_of_a_mean_is_students(freedom):
    """For a standard deviation of 1 over all runs, half the length is t / sqrt(runs - 1)."""
    low, high = mean_interval(Summary(5.0, 1.0, 4.0, 6.0, freedom + 1))
    assert (high - low) / 2 * math.sqrt(freedom) == pytest.approx(STUDENT[freedom], rel=0.01)
    assert (low + high) / 2 == pytest.approx(5.0)


def test_interval_of_one_run_is_the_value():
    """Nothing is known of its spread."""
    assert mean_interval(summarise([7])) == (7.0, 7.0)


def test_intervals_cover_the_truth_in_19_of_20_cases():
    """Means of 10 normal numbers, and shares of 40."""
    random = np.random.default_rng(1)
    means = [mean_interval(summarise(random.normal(2.0, 3.0, 10))) for _ in range(2000)]
    shares = [share_interval(int(random.binomial(40, 0.1)), 40) for _ in range(2000)]
    assert sum(low <= 2.0 <= high for low, high in means) / 2000 == pytest.approx(0.95, abs=0.02)
    assert sum(low <= 0.1 <= high for low, high in shares) / 2000 == pytest.approx(0.95, abs=0.03)


def test_share_at_the_ends():
    """Never below 0 or above 1, and not empty when all runs agree."""
    assert share_interval(0, 100)[0] == 0.0
    assert share_interval(0, 100)[1] == pytest.approx(0.037, abs=0.001)
    assert share_interval(100, 100)[1] == 1.0
    assert share(25, 100) == Summary(0.25, math.sqrt(0.1875), 0.0, 1.0, 100)
