"""The order of requests that a matrix arbiter keeps: the invariant that whoever uses one needs in a proof."""

from itertools import permutations

from amaranth.hdl import Cat

from tests.harness.inside import register

__all__ = ["is_order", "order_in"]


def is_order(before):
    """Return whether ``before[a][c]``, a comes before c, is an order: then somebody comes first.

    Parameters
    ----------
    before : list of list of Value
        As the arbiter has it; what is in the diagonal is not looked at.
    """
    triples = permutations(range(len(before)), 3)
    return Cat(~(before[a][b] & before[b][c]) | before[a][c] for a, b, c in triples).all()


def order_in(fragment, *path, count):
    """Return ``before`` of an arbiter in an opened unit, which the names of submodules lead to."""
    before = [[0] * count for _ in range(count)]
    for a in range(count):
        for c in range(a + 1, count):
            before[a][c] = register(fragment, *path, f"before_{a}_{c}")
            before[c][a] = ~before[a][c]
    return before
