"""The address operators: every example of Lin and Chen, and their definitions read literally."""

from __future__ import annotations

import itertools

import pytest

from cubecast.golden.collective.algorithms.address_order import (
    asterisks,
    combine,
    common_prefix,
    common_suffix,
    mirror,
    ones,
    precedes,
    prefix_mask,
    suffix_mask,
)


def test_the_example_of_definition_1() -> None:
    """Longest suffix."""
    assert common_suffix(0b101110, 0b000110, 6) == "***110"


def test_the_example_of_definition_2() -> None:
    """Longest prefix."""
    assert common_prefix(0b110101, 0b110110, 6) == "1101**"


def test_the_table_and_the_example_of_definition_3() -> None:
    """Exclusive or of bits, asterisks elsewhere."""
    table = {("0", "0"): "0", ("0", "1"): "1", ("1", "0"): "1", ("1", "1"): "0"}
    for u, v in itertools.product("01*", repeat=2):
        assert combine(u, v) == table.get((u, v), "*")
    assert combine("*010**01", "*10011*1") == "*110***0"


def test_the_example_of_definition_4() -> None:
    """Counts of symbols."""
    assert (ones("01**010*"), asterisks("01**010*")) == (2, 3)


def test_the_example_of_definition_5() -> None:
    """The partial order, which is none between sequences that differ in a bit."""
    assert precedes("*010**1", "1010*01")
    assert not precedes("1010*01", "*010**1")
    assert not precedes("*0", "*1") and not precedes("*1", "*0")
    assert precedes("01*", "01*")


def test_the_example_of_lemma_2() -> None:
    """A = 101001, B = 010101, C = 100101."""
    a, b, c = 0b101001, 0b010101, 0b100101
    assert common_suffix(a, b, 6) == common_suffix(a, c, 6) == "****01"
    assert common_suffix(b, c, 6) == "**0101"
    assert precedes(common_suffix(a, b, 6), common_suffix(a, c, 6))
    assert precedes(common_suffix(a, b, 6), common_suffix(b, c, 6))


def test_lemma_2_for_all_addresses() -> None:
    """X down Y <= X down Z implies X down Y <= Y down Z, n = 4."""
    for x, y, z in itertools.product(range(16), repeat=3):
        if precedes(common_suffix(x, y, 4), common_suffix(x, z, 4)):
            assert precedes(common_suffix(x, y, 4), common_suffix(y, z, 4))


@pytest.mark.parametrize("dim", [1, 2, 5])
def test_operators_are_their_definitions(dim: int) -> None:
    """Symbol i is a bit exactly if all bits to its end are equal; masks are the places of the bits."""
    for x, y in itertools.product(range(1 << dim), repeat=2):
        bits = [f"{node:0{dim}b}" for node in (x, y)]
        suffix = "".join(bits[0][i] if bits[0][i:] == bits[1][i:] else "*" for i in range(dim))
        prefix = "".join(bits[0][i] if bits[0][: i + 1] == bits[1][: i + 1] else "*" for i in range(dim))
        assert (common_suffix(x, y, dim), common_prefix(x, y, dim)) == (suffix, prefix)
        assert suffix_mask(x, y, dim) == sum(1 << i for i in range(dim) if suffix[dim - 1 - i] != "*")
        assert prefix_mask(x, y, dim) == sum(1 << i for i in range(dim) if prefix[dim - 1 - i] != "*")


def test_the_mirror_swaps_prefix_and_suffix() -> None:
    """And is its own inverse."""
    for x, y in itertools.product(range(32), repeat=2):
        assert mirror(mirror(x, 5), 5) == x
        assert common_suffix(mirror(x, 5), mirror(y, 5), 5) == common_prefix(x, y, 5)[::-1]


def test_what_is_refused() -> None:
    """In one line with name, value and what is allowed."""
    cases = [
        (lambda: common_suffix(0, 0, 0), "dim must be an integer from 1 to 20, not 0"),
        (lambda: common_prefix(8, 0, 3), "x must be an integer from 0 to 7, not 8"),
        (lambda: common_suffix(0, -1, 3), "y must be an integer from 0 to 7, not -1"),
        (lambda: combine("01", "0"), "sequences must have one length, not 2 and 1"),
        (lambda: precedes("01", "0"), "sequences must have one length, not 2 and 1"),
        (lambda: ones("012"), "sequence must hold only 0, 1 and *, not '012'"),
        (lambda: asterisks("x"), "sequence must hold only 0, 1 and *, not 'x'"),
    ]
    for refused, line in cases:
        with pytest.raises(ValueError) as caught:
            refused()
        assert str(caught.value) == line
