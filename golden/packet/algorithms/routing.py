"""Routing of packets at algorithm level: fixed and quasi-adaptive choice, paths, broadcast, collisions at a source."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from cubecast.golden.packet.contract.config import ROUTINGS

__all__ = [
    "broadcast_edges",
    "collision_rate",
    "fixed_choice",
    "fixed_collision",
    "is_broadcast",
    "is_contrary",
    "path",
    "quasi_adaptive_choice",
    "quasi_adaptive_collision",
    "useful_dimensions",
]


def fixed_choice(address: int, destination: int, dim: int) -> int:
    """Return the lowest dimension in which node and destination differ, LOCAL (= ``dim``) if there is none.

    Source: Buzzard 1988, section 5.3 (the e-cube scheme).
    """
    relative = address ^ destination
    return (relative & -relative).bit_length() - 1 if relative else dim


def is_broadcast(address: int, destination: int, dimension: int) -> bool:
    """Return whether a packet that came to node ``address`` in ``dimension`` is a broadcast.

    The destination of a broadcast is its source, from which every copy differs in the dimension it came in; a unicast
    that has crossed a dimension agrees with its destination there.
    """
    return (address ^ destination) >> dimension & 1 == 1


def useful_dimensions(address: int, destination: int, faulty: int = 0) -> tuple[int, ...]:
    """Return the dimensions, ascending, that lead closer and are not in the fault vector ``faulty``."""
    useful = (address ^ destination) & ~faulty
    return tuple(j for j in range(useful.bit_length()) if useful >> j & 1)


def quasi_adaptive_choice(address: int, destination: int, queues: Sequence[int], faulty: int = 0) -> int | None:
    """Return the dimension of a message's first hop under quasi-adaptive routing.

    Parameters
    ----------
    address : int
        The source.
    destination : int
        Another node.
    queues : sequence of int
        Length of the send queue of every dimension.
    faulty : int
        Fault vector of the source.

    Returns
    -------
    int or None
        The useful fault-free dimension with the shortest queue, the lowest of equals; None if all are faulty.

    Source: Buzzard 1988, section 5.2.
    """
    return min(useful_dimensions(address, destination, faulty), key=lambda j: queues[j], default=None)


def is_contrary(address: int, destination: int, dimension: int, dim: int) -> bool:
    """Return whether a unicast that starts at ``address`` in this dimension is contrary: not on the fixed choice.

    Source: Buzzard 1988, section 5.3.
    """
    return dimension != fixed_choice(address, destination, dim)


def path(source: int, destination: int, first: int, dim: int) -> tuple[int, ...]:
    """Return the nodes that a unicast passes, both ends included, when its first hop is made in dimension ``first``.

    After the first hop it is routed lowest dimension first. Its length in hops is the distance of the two nodes.

    Raises
    ------
    ValueError
        The first hop does not lead closer.

    Source: Buzzard 1988, section 5.3.
    """
    if first not in useful_dimensions(source, destination):
        raise ValueError(f"first must be a dimension in which {source} and {destination} differ, not {first!r}")
    nodes, port = [source], first
    while port < dim:
        nodes.append(nodes[-1] ^ 1 << port)
        port = fixed_choice(nodes[-1], destination, dim)
    return tuple(nodes)


def broadcast_edges(source: int, dim: int) -> tuple[tuple[int, int], ...]:
    """Return the hops of a broadcast as (node, dimension), in the order of a breadth-first search.

    The source sends in all dimensions; a copy that came in dimension i goes on in those above i, one after the other.

    Source: Buzzard 1988, section 5.4.2; with the lower dimensions left out, where copies would meet others.
    """
    arrived, edges = [(source, -1)], []
    for node, dimension in arrived:
        port = dimension + 1
        while port < dim:
            edges.append((node, port))
            arrived.append((node ^ 1 << port, port))
            port += 1
    return tuple(edges)


def fixed_collision(dim: int) -> Fraction:
    """Return equation 5.1: the probability that two messages at one source want the same link under fixed routing.

    The equation is exact for destinations drawn evenly from the other nodes: 2**(n - k) of the 2**n - 1 destinations
    begin in the k-th dimension. It equals (2**n + 1) / (3 (2**n - 1)), and tends to 1/3.

    Source: Buzzard 1988, equation 5.1.
    """
    factor = Fraction(2**dim, 2**dim - 1)
    return sum((factor**2 / 4**k for k in range(1, dim + 1)), Fraction(0))


def quasi_adaptive_collision(dim: int) -> Fraction:
    """Return equation 5.2: the same probability under quasi-adaptive routing, as printed.

    The equation is approximate: it is too large by the factor 2**n / (2**n - 1), and no probability at n = 1, where it
    gives 2. The squared factor corrects two chances of 1/2**k each, as in equation 5.1; here the second chance, of the
    one destination that only the taken link leads to, is 1 / (2**n - 1) already. Exact is
    1 / (2**n - 1), however the first message chose (:func:`collision_rate`); both tend to 0. That it is much smaller
    than equation 5.1 for all n >= 2 holds for larger n: at n = 2 the equations give 4/9 and 5/9 (exact: 1/3 and 5/9).

    Source: Buzzard 1988, equation 5.2.
    """
    factor = Fraction(2**dim, 2**dim - 1)
    return sum((factor**2 / 2**k / (2**dim - 1) for k in range(1, dim + 1)), Fraction(0))


def collision_rate(dim: int, routing: str) -> Fraction:
    """Return the exact share of pairs of simultaneous messages at a source that take the same first link.

    All (2**n - 1)**2 pairs of destinations are tried, with all queues empty before. Under quasi-adaptive routing
    the second message sees the first one in its queue.

    Parameters
    ----------
    dim : int
        Dimension n of the cube.
    routing : str
        One of :data:`cubecast.golden.packet.contract.config.ROUTINGS`.

    Raises
    ------
    ValueError
        There is no such routing.

    Source: Buzzard 1988, section 5.2.
    """
    if routing not in ROUTINGS:
        raise ValueError(f"routing must be one of {', '.join(ROUTINGS)}, not {routing!r}")
    collisions = 0
    for first in range(1, 1 << dim):
        taken = fixed_choice(0, first, dim)
        queues = [int(j == taken) for j in range(dim)]
        for second in range(1, 1 << dim):
            if routing == "fixed":
                collisions += fixed_choice(0, second, dim) == taken
            else:
                collisions += quasi_adaptive_choice(0, second, queues) == taken
    return Fraction(collisions, ((1 << dim) - 1) ** 2)
