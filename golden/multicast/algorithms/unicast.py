"""Unicast: UNICAST.1, UNICAST.F1, and multiple one-to-one as a way to multicast."""

from __future__ import annotations

from collections.abc import Iterable

from cubecast.golden.common.algorithms.address import neighbour, nth_dimension
from cubecast.golden.common.algorithms.faults import fault_vector
from cubecast.golden.multicast.algorithms.tree import Decision, MulticastTree, check_request, grow

__all__ = ["multiple_unicast", "unicast_1", "unicast_f1", "unicast_step"]


def unicast_step(relative: int, faulty: int = 0) -> int | None:
    """Return the dimension one node forwards a unicast to.

    Parameters
    ----------
    relative : int
        Address of the destination relative to the node.
    faulty : int
        Fault vector of the node.

    Returns
    -------
    int or None
        The lowest fault-free dimension in which node and destination differ; None if there is none.

    Source
    ------
    Lan 1988, figures 4.3 and 7.3; the index of W starts at 1 (misprint L12).
    """
    dimension = nth_dimension(1, relative & ~faulty)
    return None if dimension < 0 else dimension


def unicast_1(dim: int, source: int, destination: int) -> MulticastTree:
    """Route one unicast in a fault-free cube, lowest differing dimension first.

    Source
    ------
    Lan 1988, section 4.3, figure 4.3 (after Sullivan and Bashkow).
    """
    return multiple_unicast(dim, source, (destination,))


def unicast_f1(dim: int, source: int, destination: int, faults: Iterable[int] = ()) -> MulticastTree:
    """Route one unicast around faulty nodes: as UNICAST.1, but with the lowest *fault-free* useful dimension.

    If every fault-free node has at most one faulty neighbour the destination is reached over a shortest path.
    Otherwise the message may end at a node whose useful dimensions are all faulty; then it is undeliverable.

    Source
    ------
    Lan 1988, section 7.3.1, figure 7.3, theorem 7.1.
    """
    return multiple_unicast(dim, source, (destination,), faults)


def multiple_unicast(dim: int, source: int, destinations: Iterable[int], faults: Iterable[int] = ()) -> MulticastTree:
    """Send one unicast to each of the destinations (multiple one-to-one); links count once per message.

    An address that stands in the list more than once gets one message.

    Source
    ------
    Lan 1988, section 5.4.2; each message is routed by UNICAST.F1.
    """
    request = check_request(dim, source, destinations, faults)

    def send(node: int, destination: int) -> list[Decision]:
        """Return the one decision of ``node`` on the message to ``destination``, or none at its end."""
        dimension = unicast_step(node ^ destination, fault_vector(request.dim, node, request.faults))
        return [] if dimension is None else [Decision(dimension, neighbour(node, dimension), (destination,))]

    start = [
        decision
        for destination in dict.fromkeys(request.destinations)
        for decision in send(request.source, destination)
    ]
    return grow(request, "unicast", start, lambda node, arrival: send(node, arrival.destinations[0]))
