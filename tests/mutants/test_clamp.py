"""Half of a test, whose gaps the mutants find."""

from tests.mutants.clamp import clamp


def test_what_is_too_large_is_cut():
    """And what fits is not."""
    assert [clamp(value, 3) for value in (1, 2, 3, 4, 9)] == [1, 2, 3, 3, 3]
