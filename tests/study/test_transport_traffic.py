"""Random messages: distributions, destinations, order, and what is refused."""

import math

import numpy as np
import pytest

from cubecast.study.transport.distribution import parse_destination, parse_distribution
from cubecast.study.transport.traffic import Messages, Traffic, draw


def messages(seed=1, dim=6, count=500, every="50", length="16", destination="uni()"):
    """Return random messages."""
    return draw(np.random.default_rng(seed), Traffic(dim, count, every, length, destination))


@pytest.mark.parametrize(
    ("text", "mean", "deviation"),
    [("50", 50, 0), ("exp(512)", 512, 512), ("nor(8192, 2048)", 8192, 2048), ("nor(512,64)", 512, 64)],
)
def test_times_and_lengths_have_the_distribution_named(text, mean, deviation):
    """Mean and deviation, within five standard errors."""
    drawn = messages(every=text, length=text)
    per_node = [np.diff(drawn.time[drawn.source == node], prepend=0) for node in range(64)]
    for values in (np.concatenate(per_node), drawn.length):
        assert abs(values.mean() - mean) <= 5 * deviation / math.sqrt(len(values)) + 0.05
        assert abs(values.std() - deviation) <= 0.05 * deviation


def test_an_exponential_distribution_has_its_tail():
    """A share exp(-2) is above twice the mean, and half of it is below 0.69 of the mean."""
    length = messages(length="exp(1000)").length
    assert (length > 2000).mean() == pytest.approx(math.exp(-2), rel=0.05)
    assert (length < 1000 * math.log(2)).mean() == pytest.approx(0.5, rel=0.02)


def test_what_would_be_below_one_is_one():
    """Negative values of a normal distribution too."""
    drawn = messages(length="nor(2,4)", every="exp(1)")
    assert drawn.length.min() == 1
    assert (drawn.length == 1).mean() > 0.3
    assert np.diff(drawn.time[drawn.source == 5], prepend=0).min() == 1


def shares(drawn):
    """Return the share of messages for every distance."""
    return np.bincount(drawn.distance, minlength=drawn.dim + 1)[1:] / len(drawn.time)


@pytest.mark.parametrize(
    ("destination", "expected"),
    [
        ("uni()", [math.comb(6, hops) / 63 for hops in range(1, 7)]),
        ("sl(2,0.8)", [0.8 * 6 / 21, 0.8 * 15 / 21, *(0.2 * math.comb(6, hops) / 42 for hops in range(3, 7))]),
        ("sl(1,0.25)", [0.25, *(0.75 * math.comb(6, hops) / 57 for hops in range(2, 7))]),
        ("dpf(0.2)", [0.2**hops / (0.2 + 0.04 + 0.008 + 0.0016 + 0.00032 + 0.000064) for hops in range(1, 7)]),
    ],
)
def test_destinations_have_the_distribution_named(destination, expected):
    """The rule's probabilities are those of the formulas, and draws follow it."""
    assert parse_destination(destination, 6).distances == pytest.approx(expected)
    assert sum(expected) == pytest.approx(1)
    drawn = messages(destination=destination, count=1000)
    error = np.sqrt(np.array(expected) / len(drawn.time))
    assert (np.abs(shares(drawn) - expected) <= 5 * error).all()


@pytest.mark.parametrize("destination", ["uni()", "sl(2,0.8)", "dpf(0.5)"])
def test_all_nodes_at_a_distance_are_equally_likely(destination):
    """From every source, and none sends to itself."""
    drawn = messages(dim=4, count=8000, destination=destination)
    relative = np.bincount(drawn.source ^ drawn.destination, minlength=16)
    assert relative[0] == 0
    for hops in range(1, 5):
        counts = relative[[node for node in range(16) if node.bit_count() == hops]]
        assert (np.abs(counts - counts.mean()) <= 5 * np.sqrt(counts.mean())).all()
    pairs = np.bincount(drawn.source * 16 + drawn.destination, minlength=256).reshape(16, 16)
    assert (pairs.sum(axis=1) == 8000).all()
    assert ((pairs == 0) == np.eye(16, dtype=bool)).all()


def test_messages_are_in_order_and_complete():
    """By time, then by source; every node generates as many."""
    drawn = messages(dim=3, count=200, every="exp(20)")
    assert (np.diff(drawn.time * 8 + drawn.source) >= 0).all()
    assert (np.bincount(drawn.source) == 200).all()
    assert {array.dtype for array in (drawn.time, drawn.source, drawn.destination, drawn.length)} == {np.dtype("int64")}


def test_the_first_message_comes_after_one_interval():
    """At constant intervals all nodes generate together."""
    drawn = messages(dim=2, count=3, every="50")
    assert drawn.time.tolist() == [50] * 4 + [100] * 4 + [150] * 4
    assert drawn.source.tolist() == [0, 1, 2, 3] * 3


def test_the_same_seed_draws_the_same_and_distributions_do_not_disturb_each_other():
    """Another length leaves times and destinations as they are, and so on."""
    one, same, other, longer = messages(2), messages(2), messages(3), messages(2, length="exp(512)")
    rare, near = messages(2, length="exp(512)", every="nor(90,9)"), messages(2, destination="dpf(0.5)")
    for name in ("time", "source", "destination", "length"):
        assert getattr(one, name).tolist() == getattr(same, name).tolist()
    assert one.destination.tolist() != other.destination.tolist()
    assert longer.length.tolist() != one.length.tolist()
    for name in ("time", "source", "destination"):
        assert getattr(one, name).tolist() == getattr(longer, name).tolist()
    for node in range(64):
        for name in ("length", "destination"):
            of_node = [getattr(drawn, name)[drawn.source == node].tolist() for drawn in (longer, rare)]
            assert of_node[0] == of_node[1]
    assert near.destination.tolist() != one.destination.tolist()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"dim": 0}, "dim must be 1 to 16, not 0"),
        ({"dim": 17}, "dim must be 1 to 16, not 17"),
        ({"messages": 0}, "messages must be 1 or more, not 0"),
        ({"every": "0"}, r"every must be like .* not '0'"),
        ({"every": "uni(3)"}, r"every must be like .* not 'uni\(3\)'"),
        ({"length": "exp(-1)"}, r"length must be like .* not 'exp\(-1\)'"),
        ({"length": "nor(5)"}, r"length must be like .* not 'nor\(5\)'"),
        ({"length": ""}, "length must be like .* not ''"),
        ({"destination": "all()"}, r"destination must be like .* not 'all\(\)'"),
        ({"destination": "sl(0,0.5)"}, "radius of destination sl must be 1 to 3 at dim 4, not 0"),
        ({"destination": "sl(4,0.5)"}, "radius of destination sl must be 1 to 3 at dim 4, not 4"),
        ({"destination": "sl(2,1.5)"}, "probability of destination sl must be 0 to 1, not 1.5"),
        ({"destination": "dpf(1)"}, "decay of destination dpf must be between 0 and 1, not 1.0"),
        ({"destination": "dpf(0)"}, "decay of destination dpf must be between 0 and 1, not 0.0"),
    ],
)
def test_bad_traffic_is_refused(changed, message):
    """In one line, with the parameter and its value."""
    good = {"dim": 4, "messages": 1, "every": "50", "length": "16", "destination": "uni()"}
    with pytest.raises(ValueError, match=f"^{message}$"):
        Traffic(**(good | changed))


@pytest.mark.parametrize(("text", "whole"), [("0.4", 1), ("2.4", 2), ("2.6", 3), ("nor(7.6,0)", 8)])
def test_values_are_rounded_to_the_nearest_whole_number(text, whole):
    """One at least."""
    drawn = messages(dim=2, count=2, every=text, length=text)
    assert drawn.length.tolist() == [whole] * 8
    assert drawn.time.tolist() == [whole] * 4 + [2 * whole] * 4


def test_a_distribution_is_understood_with_blanks_and_fractions():
    """As in captions."""
    assert parse_distribution("length", " nor( 512.5 , 22.6 ) ").mean == 512.5
    assert parse_distribution("length", "nor(1024,22.6)").deviation == 22.6


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"dim": 0}, "dim must be 1 to 16, not 0"),
        ({"source": [0]}, "source must have as many values as time, 2, not 1"),
        ({"source": [0, 4]}, "source must be 0 to 3 at dim 2, not 4"),
        ({"destination": [-1, 3]}, "destination must be 0 to 3 at dim 2, not -1"),
        ({"destination": [1, 1]}, "destination must not be the source, 1"),
        ({"length": [1, 0]}, "length must be 1 or more, not 0"),
        ({"time": [-1, 0]}, "time must be 0 or more, not -1"),
        ({"time": [5, 4]}, "time must not decrease, nor source within a tick"),
        ({"source": [2, 1]}, "time must not decrease, nor source within a tick"),
    ],
)
def test_bad_messages_are_refused(changed, message):
    """In one line."""
    values = {"dim": 2, "time": [4, 4], "source": [0, 1], "destination": [1, 3], "length": [1, 1]} | changed
    dim = values.pop("dim")
    with pytest.raises(ValueError, match=f"^{message}$"):
        Messages(dim, **{name: np.array(value) for name, value in values.items()})
