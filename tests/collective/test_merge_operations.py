"""Operations of a merge, and how data is divided."""

from __future__ import annotations

import random

import pytest

from cubecast.golden.collective.algorithms.merge_operations import (
    OPERATIONS,
    find_operation,
    plain_merge,
    split,
    word_operation,
    wrapping_sum,
)


def test_plain_merge_by_hand():
    """Every operation on three nodes with two words each."""
    data = [(12, 10), (10, 3), (9, 6)]
    expected = {"sum": (31, 19), "min": (9, 3), "max": (12, 10), "and": (8, 2), "or": (15, 15), "xor": (15, 15)}
    for name, result in expected.items():
        assert plain_merge(name, data) == result
    assert plain_merge("and", [(0b1110,), (0b0111,)]) == (0b0110,)
    assert plain_merge("xor", [(0b1110,), (0b0111,)]) == (0b1001,)
    assert plain_merge("sorted", [(1, 5), (0, 5, 9), (), (3,)]) == (0, 1, 3, 5, 5, 9)
    assert set(OPERATIONS) == {*expected, "sorted"}


def test_a_piece_goes_where_it_was_cut_out():
    """Only those words change."""
    assert OPERATIONS["sum"].join((1, 2, 3, 4), 1, (10, 20)) == (1, 12, 23, 4)
    assert OPERATIONS["max"].join((1, 2, 3, 4), 3, (9,)) == (1, 2, 3, 9)
    assert OPERATIONS["sorted"].join((2, 4), 7, (3, 5)) == (2, 3, 4, 5)


@pytest.mark.parametrize("parts", range(1, 8))
def test_split(parts):
    """The parts are the data, in order, at their offsets, with lengths that differ by one at most."""
    for length in range(20):
        data = tuple(range(100, 100 + length))
        pieces = [split(data, part, parts) for part in range(parts)]
        assert tuple(word for _, piece in pieces for word in piece) == data
        assert all(data[offset : offset + len(piece)] == piece for offset, piece in pieces)
        assert max(len(piece) for _, piece in pieces) - min(len(piece) for _, piece in pieces) <= 1


def test_own_operations():
    """A product, and a sum that wraps round."""
    assert plain_merge(word_operation("product", lambda a, b: a * b), [(2, 3), (5, 7)]) == (10, 21)
    generator = random.Random(1)
    words = [(generator.randrange(256),) for _ in range(50)]
    assert plain_merge(wrapping_sum(8), words) == (sum(word for (word,) in words) % 256,)
    assert find_operation("min") is OPERATIONS["min"] is find_operation(OPERATIONS["min"])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: plain_merge("mean", [(1,)]),
            "operation must be one of sum, min, max, and, or, xor, sorted, not 'mean'",
        ),
        (lambda: plain_merge("sum", []), "contributions must hold at least one, not none"),
        (lambda: wrapping_sum(0), "width must be an integer from 1 to 65536, not 0"),
    ],
)
def test_messages(call, message):
    """One line with name, value and what is allowed."""
    with pytest.raises(ValueError) as caught:
        call()
    assert str(caught.value) == message
