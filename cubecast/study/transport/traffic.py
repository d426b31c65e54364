"""Random messages: when each node generates them, how long they are and where they go."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cubecast.study.transport.distribution import (
    DestinationRule,
    Distribution,
    IntArray,
    parse_destination,
    parse_distribution,
)

__all__ = ["MAX_DIM", "Messages", "Traffic", "draw"]

MAX_DIM = 16
"""Largest dimension of a cube."""


@dataclass(frozen=True)
class Traffic:
    """What messages are like.

    Parameters
    ----------
    dim : int
        Dimension of the cube, 1 to :data:`MAX_DIM`.
    messages : int
        Messages of every node, 1 or more.
    every : str
        Ticks from one message of a node to its next: ``50``, ``exp(mean)`` or ``nor(mean,deviation)``.
    length : str
        Bytes of a message, in the same notation.
    destination : str
        ``uni()``, ``sl(radius,probability)`` or ``dpf(decay)``.

    Raises
    ------
    ValueError
        If a parameter is out of range or not understood.

    Source
    ------
    Buzzard 1988, sections 4.4.1 and 4.4.2.
    """

    dim: int
    messages: int
    every: str
    length: str
    destination: str

    def __post_init__(self) -> None:
        """Check the parameters."""
        if not 1 <= self.dim <= MAX_DIM:
            raise ValueError(f"dim must be 1 to {MAX_DIM}, not {self.dim}")
        if self.messages < 1:
            raise ValueError(f"messages must be 1 or more, not {self.messages}")
        parse_distribution("every", self.every)
        parse_distribution("length", self.length)
        parse_destination(self.destination, self.dim)

    @property
    def interval(self) -> Distribution:
        """Distribution of the ticks between messages of a node."""
        return parse_distribution("every", self.every)

    @property
    def size(self) -> Distribution:
        """Distribution of the lengths."""
        return parse_distribution("length", self.length)

    @property
    def rule(self) -> DestinationRule:
        """Distribution of the destinations."""
        return parse_destination(self.destination, self.dim)


@dataclass(frozen=True, eq=False)
class Messages:
    """Messages in the order of their generation; in one tick, in the order of their sources.

    Parameters
    ----------
    dim : int
        Dimension of the cube, 1 to :data:`MAX_DIM`.
    time : IntArray
        Ticks at which the messages are generated, 0 or more.
    source, destination : IntArray
        Nodes, different ones.
    length : IntArray
        Bytes, 1 or more.

    Raises
    ------
    ValueError
        If a value is out of range, or the messages are not in order.
    """

    dim: int
    time: IntArray
    source: IntArray
    destination: IntArray
    length: IntArray

    def __post_init__(self) -> None:
        """Check the parameters."""
        if not 1 <= self.dim <= MAX_DIM:
            raise ValueError(f"dim must be 1 to {MAX_DIM}, not {self.dim}")
        count, nodes = len(self.time), 1 << self.dim
        for name in ("source", "destination", "length"):
            if len(getattr(self, name)) != count:
                raise ValueError(f"{name} must have as many values as time, {count}, not {len(getattr(self, name))}")
        for name in ("source", "destination"):
            values = getattr(self, name)
            outside = values[(values < 0) | (values >= nodes)]
            if len(outside):
                raise ValueError(f"{name} must be 0 to {nodes - 1} at dim {self.dim}, not {outside[0]}")
        if (same := self.source[self.source == self.destination]).size:
            raise ValueError(f"destination must not be the source, {same[0]}")
        for name, least in (("time", 0), ("length", 1)):
            values = getattr(self, name)
            if (low := values[values < least]).size:
                raise ValueError(f"{name} must be {least} or more, not {low[0]}")
        keys = self.time * nodes + self.source
        if (np.diff(keys) < 0).any():
            raise ValueError("time must not decrease, nor source within a tick")

    @property
    def distance(self) -> IntArray:
        """Links between source and destination of every message."""
        distances: IntArray = np.bitwise_count(self.source ^ self.destination).astype(np.int64)
        return distances


def draw(generator: np.random.Generator, traffic: Traffic) -> Messages:
    """Return random messages.

    Times, lengths and destinations come from three generators spawned from ``generator``, so that a change of one of
    the three distributions leaves the draws of the others as they are. The first message of a node comes after one
    interval.

    Source
    ------
    Buzzard 1988, sections 4.4.1, 4.4.2 and 5.7.
    """
    times, lengths, destinations = generator.spawn(3)
    shape = (1 << traffic.dim, traffic.messages)
    source = np.broadcast_to(np.arange(shape[0])[:, np.newaxis], shape).ravel()
    time = traffic.interval.draw(times, shape).cumsum(axis=1).ravel()
    length = traffic.size.draw(lengths, shape).ravel()
    destination = traffic.rule.draw(destinations, source)
    order = np.lexsort((source, time))
    return Messages(traffic.dim, time[order], source[order], destination[order], length[order])
