"""Global merges around faults, and rings without contention."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from cubecast.golden.collective.algorithms.group_ring import GroupRing as Ring
from cubecast.golden.collective.algorithms.group_ring import group_ring
from cubecast.golden.collective.algorithms.merge_operations import Operation, wrapping_sum
from cubecast.golden.collective.algorithms.merge_run import MergeRun as Reduction
from cubecast.golden.collective.algorithms.merge_run import run_merge
from cubecast.golden.collective.algorithms.merge_stages import plan_merge
from cubecast.golden.collective.algorithms.sink_tree import NoSinkError

__all__ = ["NoSinkError", "Reduction", "Ring", "reduce", "ring"]


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
        The vector of every node that takes part, all of one length; a NumPy array with a row for each node will do.
    op : str or Operation
        ``sum`` (which wraps as in hardware), ``min``, ``max``, ``and``, ``or``, ``xor``, ``sorted``; or an operation of
        your own.
    width : int
        Bits of a word of the sum.
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
    pairs = values.items() if isinstance(values, Mapping) else enumerate(values)
    plain = {node: tuple(int(word) for word in vector) for node, vector in pairs}
    merging = plan_merge(dim, faulty_links, faults)
    if missing := [node for node in merging.members if node not in plain]:
        raise ValueError(f"values must hold a vector of node {missing[0]}, which takes part, not only {len(plain)}")
    taking = {node: plain[node] for node in merging.members}
    return run_merge(merging, taking, wrapping_sum(width) if op == "sum" else op)


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
