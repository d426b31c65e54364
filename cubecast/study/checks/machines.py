"""The transports with the ticks that their chapters give."""

from __future__ import annotations

from cubecast.study.transport.machine import Machine

__all__ = ["machine_of"]

CHAPTER_4 = ("datagram", "cut-through", "circuit")


def machine_of(transport: str) -> Machine:
    """Return a transport with the ticks of its chapter, fixed routing and bidirectional links.

    Source: Buzzard 1988, sections 4.4.1 and 5.7.
    """
    if transport in CHAPTER_4:
        return Machine(transport, byte=1, setup=1, allocate=40)
    return Machine(transport, byte=2, setup=4)
