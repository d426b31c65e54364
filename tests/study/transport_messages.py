"""Messages for tests of the message transports."""

from __future__ import annotations

import numpy as np

from cubecast.study.transport.machine import Machine
from cubecast.study.transport.traffic import Messages, Traffic, draw

__all__ = ["MACHINES", "PACKET_MACHINES", "flood", "given", "name_of"]

MACHINES = [
    *(
        Machine(transport, adaptive=adaptive, bidirectional=bidirectional)
        for transport in ("datagram", "cut-through", "circuit")
        for adaptive in (False, True)
        for bidirectional in (True, False)
    ),
    *(Machine("wormhole", bidirectional=bidirectional, byte=2, setup=4) for bidirectional in (True, False)),
]
"""Every transport of whole messages, with all its variants."""

PACKET_MACHINES = [
    *(
        Machine(transport, byte=2, setup=4, packets=packets, delivery=delivery)
        for transport in ("fixed-packet", "quasi-adaptive")
        for packets in (2, 13)
        for delivery in ("units", "port")
    ),
    Machine("fixed-packet", byte=2, setup=4, packets=1),
]
"""Transports of packets."""


def name_of(machine):
    """Return a short name of a machine for the list of tests."""
    if machine in PACKET_MACHINES:
        return f"{machine.transport} {machine.packets} {machine.delivery}"
    return f"{machine.transport}{' adaptive' * machine.adaptive}{' one-way' * (not machine.bidirectional)}"


def given(dim, *rows):
    """Return the messages of rows of time, source, destination and length."""
    return Messages(dim, *np.array(rows, dtype=np.int64).reshape(-1, 4).T)


def flood(dim, count, length="exp(60)", every="exp(20)", seed=4):
    """Return random messages, generated much faster than a network can transport them."""
    return draw(np.random.default_rng(seed), Traffic(dim, count, every, length, "uni()"))
