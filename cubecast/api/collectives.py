"""Global merges around faults, and rings without contention."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from cubecast.golden.collective.algorithms.group_ring import GroupRing as Ring
from cubecast.golden.collective.algorithms.group_ring import group_ring
from cubecast.golden.collective.algorithms.merge_operations import Operation, Vector, wrapping_sum
from cubecast.golden.collective.algorithms.merge_run import MergeRun as Reduction
from cubecast.golden.collective.algorithms.merge_run import run_merge
from cubecast.golden.collective.algorithms.merge_stages import plan_merge
from cubecast.golden.collective.algorithms.sink_tree import NoSinkError
from cubecast.golden.common.algorithms.address import check_node
from cubecast.golden.common.contract.parameters import integer, plain
from cubecast.options.usage import UsageError, shown

__all__ = [
    "MOST_WIDTH",
    "NoSinkError",
    "Operation",
    "Reduction",
    "Ring",
    "check_vectors",
    "listed_vectors",
    "reduce",
    "ring",
]

MOST_WIDTH = 512
"""Bits of a word at most."""


def listed_vectors(values: object, nodes: int) -> dict[int, object]:
    """Return what a list has for each of so many nodes.

    Raises
    ------
    UsageError
        It is no list, or has not one item for each node.
    """
    if not isinstance(values, list | tuple) or len(values) != nodes:
        what = f"{len(values)} items" if isinstance(values, list | tuple) else shown(values)
        raise UsageError(f"values must be a list of {nodes} vectors, one for each node, not {what}")
    return dict(enumerate(values))


def check_vectors(values: Mapping[int, object], width: int) -> dict[int, Vector]:
    """Return the vectors of nodes.

    Raises
    ------
    UsageError
        They are not of one length, or their words not of ``width`` bits.
    """
    found: dict[int, Vector] = {}
    for node, vector in values.items():
        if not isinstance(vector, list | tuple):
            raise UsageError(f"values[{node}] must be a list of integers, not {shown(vector)}")
        first, usual = next(iter(found.items()), (node, vector))
        if len(vector) != len(usual):
            raise UsageError(f"values[{node}] must have {len(usual)} words as values[{first}] has, not {len(vector)}")
        for place, word in enumerate(vector):
            if type(word) is not int or word < 0 or word >> width:
                limit = (1 << width) - 1 if width <= 64 else f"2^{width} - 1"
                where = f"values[{node}][{place}]"
                raise UsageError(f"{where} must be an integer from 0 to {limit}, not {shown(word)}")
        found[node] = tuple(vector)
    return found


def reduce(
    dim: int,
    values: Mapping[int, Sequence[int]] | Sequence[Sequence[int]],
    op: str | Operation = "sum",
    *,
    width: int = 32,
    faults: Iterable[int] = (),
    faulty_links: Iterable[tuple[int, int]] = (),
) -> Reduction:
    """Merge the vectors of all nodes into one node, around faulty links and nodes.

    Parameters
    ----------
    dim : int
        Dimension of the cube, 1 to 20.
    values : mapping or sequence
        The vector of every node, as a sequence or a NumPy array with a row for each, or by node, of those at least that
        take part; all of one length, words from 0 to 2**width - 1.
    op : str or Operation
        ``sum`` (which wraps as in hardware), ``min``, ``max``, ``and``, ``or``, ``xor``, ``sorted``; or an operation of
        your own, of the same words, whose results may be anything.
    width : int
        Bits of a word, 1 to 512.
    faults : iterable of int
        Faulty nodes.
    faulty_links : iterable of (int, int)
        Faulty links, by their two ends.

    Returns
    -------
    Reduction
        ``result``, parallel ``steps``, and the ``plan`` with its stages and who is excluded.

    Raises
    ------
    ValueError
        A parameter is out of range.
    NoSinkError
        The faults leave no node to which all can send.

    Examples
    --------
    >>> found = reduce(3, [[node, 1] for node in range(8)], faulty_links=[(0, 4)])
    >>> found.result, found.steps
    ((28, 8), 3)

    Source
    ------
    Leu and Kuo.
    """
    merging = plan_merge(dim, faulty_links, faults)
    width = integer("width", plain(width), 1, MOST_WIDTH)
    given = plain(values)
    if isinstance(given, Mapping):
        by_node = {check_node("node of values", node, merging.tree.dim): vector for node, vector in given.items()}
    else:
        by_node = listed_vectors(given, 1 << merging.tree.dim)
    vectors = check_vectors(by_node, width)
    if missing := [node for node in merging.members if node not in vectors]:
        raise UsageError(f"values must hold a vector of node {missing[0]}, which takes part, not only {len(vectors)}")
    return run_merge(merging, vectors, wrapping_sum(width) if op == "sum" else op)


def ring(dim: int, nodes: Iterable[int], order: str = "descending") -> Ring:
    """Make a ring of a group of nodes whose paths share no link, so that all of them can send at once.

    Parameters
    ----------
    dim : int
        Dimension of the cube, 1 to 20.
    nodes : iterable of int
        The members.
    order : str
        ``descending`` or ``ascending``: the dimension that paths cross first is the highest, or the lowest.

    Returns
    -------
    Ring
        ``ring``, the members in order; ``paths``; ``links_used``; ``disjoint``.

    Raises
    ------
    ValueError
        A parameter is out of range.

    Examples
    --------
    >>> found = ring(3, [0, 3, 5, 6])
    >>> found.ring, found.disjoint
    ((0, 5, 6, 3), True)

    Source
    ------
    Lin and Chen, section 4.
    """
    return group_ring(dim, nodes, order)
