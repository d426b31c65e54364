"""Spare global send, the multi-destination algorithm the greedy one is compared with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cubecast.golden.common.algorithms.address import neighbour
from cubecast.golden.common.algorithms.faults import fault_vector
from cubecast.golden.multicast.algorithms.tree import Decision, MulticastTree, check_request, grow
from cubecast.golden.multicast.algorithms.unicast import unicast_step

__all__ = ["spare_global_send", "spare_step"]


def spare_step(rows: Sequence[int], faulty: int = 0) -> tuple[tuple[tuple[int, tuple[int, ...]], ...], tuple[int, ...]]:
    """Split a destination list at one node.

    The closest destination is selected, the first in the list of equals; it takes with it every destination to
    which it lies on a shortest path. This goes on with the rest of the list.

    Parameters
    ----------
    rows : sequence of int
        The destinations relative to the node, in header order. A row 0 is the node itself.
    faulty : int
        Fault vector of the node.

    Returns
    -------
    tuple
        The messages sent, each as (dimension, indexes of its rows in header order): the lowest fault-free
        dimension towards the selected destination. And the indexes of the rows given up, because each was
        selected and all its useful dimensions are faulty.

    Source
    ------
    Lan 1988, section 5.4.2 (after Moler and Scott). Ties and paths are not specified there (L21).
    """
    left = [index for index, row in enumerate(rows) if row]
    sent = []
    given_up = []
    while left:
        selected = min(left, key=lambda index: rows[index].bit_count())
        dimension = unicast_step(rows[selected], faulty)
        if dimension is None:
            taken = [selected]
            given_up.append(selected)
        else:
            taken = [index for index in left if rows[index] & rows[selected] == rows[selected]]
            sent.append((dimension, tuple(taken)))
        gone = set(taken)
        left = [index for index in left if index not in gone]
    return tuple(sent), tuple(sorted(given_up))


def spare_global_send(dim: int, source: int, destinations: Iterable[int], faults: Iterable[int] = ()) -> MulticastTree:
    """Route a multicast by spare global send.

    A forward node runs the same rule as a destination does: of a list that lies behind one destination it selects
    that destination again. Messages to different selected destinations are separate, so a link may count twice.

    Source
    ------
    Lan 1988, section 5.4.2, figure 5.4.
    """
    request = check_request(dim, source, destinations, faults)

    def decide(node: int, came_in: Sequence[int]) -> list[Decision]:
        """Return the decisions of ``node`` on the destination list ``came_in``."""
        rows = [destination ^ node for destination in came_in]
        sent, _ = spare_step(rows, fault_vector(request.dim, node, request.faults))
        return [Decision(j, neighbour(node, j), tuple(came_in[index] for index in taken)) for j, taken in sent]

    start = decide(request.source, request.destinations)
    return grow(request, "spare", start, lambda node, arrival: decide(node, arrival.destinations))
