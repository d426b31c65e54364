"""Traffic of the multicast algorithms, for many destination lists at a time.

Each function takes the lists as rows of addresses relative to the source and returns the traffic of each row: the
number of times a message crosses a link. All messages of all rows go through their nodes together: one round of NumPy
operations takes one decision for each of them.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cubecast.study.lan.destinations import IntArray

__all__ = ["broadcast_traffic", "greedy_traffic", "one_to_one_traffic", "ordered_traffic", "spare_traffic"]


def one_to_one_traffic(lists: IntArray) -> IntArray:
    """Return the traffic of one message per destination: the sum of the distances."""
    distances: IntArray = np.bitwise_count(lists).sum(axis=1, dtype=np.int64)
    return distances


def broadcast_traffic(dim: int, lists: IntArray) -> IntArray:
    """Return the traffic of a broadcast: a link for every node but the source."""
    return np.full(len(lists), (1 << dim) - 1)


def greedy_traffic(dim: int, lists: IntArray) -> IntArray:
    """Return the traffic of the greedy algorithm, MULTICAST.1.

    Source
    ------
    Lan 1988, section 5.2, figure 5.1; run by run that of
    :func:`cubecast.golden.multicast.algorithms.multicast.multicast_1`.
    """
    return _column_traffic(dim, lists, None)


def ordered_traffic(dim: int, sources: IntArray, lists: IntArray) -> IntArray:
    """Return the traffic of the greedy algorithm restricted to eligible columns, which depends on the sources.

    Run by run that of :func:`cubecast.golden.multicast.algorithms.multicast.multicast_by` under ``ordered``.
    """
    return _column_traffic(dim, lists, sources)


class _Messages(NamedTuple):
    """Destination lists under way: ``rows`` holds them one after the other, relative to the nodes they are at."""

    rows: IntArray
    starts: IntArray
    """Where in ``rows`` each list starts."""
    runs: IntArray
    """The run each list belongs to."""
    nodes: IntArray
    """The node each list is at; not kept up where it does not matter."""


def _begin(lists: IntArray, sources: IntArray | None) -> _Messages:
    """Return the messages at their sources."""
    runs, count = lists.shape
    numbers = np.arange(runs)
    return _Messages(lists.ravel(), numbers * count, numbers, numbers if sources is None else sources)


def _lengths(messages: _Messages) -> IntArray:
    """Return the number of rows of each list."""
    return np.diff(messages.starts, append=len(messages.rows))


def _split(messages: _Messages, lengths: IntArray, taken: npt.NDArray[np.bool_], crossed: IntArray) -> _Messages:
    """Send the rows ``taken`` of each list on, each over the dimensions ``crossed``; delivered ones leave."""
    moved = messages.rows[taken] ^ np.repeat(crossed, lengths)[taken]
    away = moved != 0
    label = np.repeat(np.arange(len(lengths)), lengths)
    labels = np.concatenate([label[~taken], label[taken][away] + len(lengths)])
    starts = np.flatnonzero(np.diff(labels, prepend=-1))
    here = labels[starts]
    return _Messages(
        np.concatenate([messages.rows[~taken], moved[away]]),
        starts,
        np.concatenate([messages.runs, messages.runs])[here],
        np.concatenate([messages.nodes, messages.nodes ^ crossed])[here],
    )


def _column_traffic(dim: int, lists: IntArray, sources: IntArray | None) -> IntArray:
    """Return the traffic when the fullest column decides, with ``sources`` of the eligible ones."""
    traffic = np.zeros(len(lists), dtype=np.int64)
    messages = _begin(lists, sources)
    while len(messages.rows):
        lengths = _lengths(messages)
        votes = messages.rows
        if sources is not None:
            eligible = votes & np.repeat(messages.nodes, lengths)
            votes = np.where(eligible != 0, eligible, votes)
        bit = 1 << _fullest_column(dim, votes, messages.starts)
        traffic += np.bincount(messages.runs, minlength=len(lists))
        messages = _split(messages, lengths, votes & np.repeat(bit, lengths) != 0, bit)
    return traffic


@cache
def _spread(dim: int) -> tuple[npt.NDArray[np.uint64], ...]:
    """Return, for each word of column counters, the value of every row in it: counters are ``dim`` bits wide."""
    rows = np.arange(1 << dim, dtype=np.uint64)
    words = []
    for first in range(0, dim, 64 // dim):
        word = np.zeros(1 << dim, dtype=np.uint64)
        for place, column in enumerate(range(first, min(first + 64 // dim, dim))):
            word |= (rows >> np.uint64(column) & np.uint64(1)) << np.uint64(place * dim)
        words.append(word)
    return tuple(words)


def _fullest_column(dim: int, votes: IntArray, starts: IntArray) -> IntArray:
    """Return the column with the most 1's of each list, the lowest of equals."""
    sums: list[npt.NDArray[np.uint64]] = []
    for word in _spread(dim):
        packed = np.add.reduceat(word[votes], starts)
        for place in range(min(64 // dim, dim - len(sums))):
            sums.append(packed >> np.uint64(place * dim) & np.uint64((1 << dim) - 1))
    fullest: IntArray = np.argmax(np.stack(sums), axis=0)
    return fullest


def spare_traffic(lists: IntArray) -> IntArray:
    """Return the traffic of spare global send: to the closest destination, which passes on what lies behind it.

    Between a node and the destination it selected nothing is decided, so a round takes a list all the way there.

    Source
    ------
    Lan 1988, section 5.4.2; run by run that of :func:`cubecast.golden.multicast.algorithms.spare.spare_global_send`.
    """
    traffic = np.zeros(len(lists), dtype=np.int64)
    messages = _begin(lists, None)
    while len(messages.rows):
        lengths = _lengths(messages)
        places = np.arange(len(messages.rows))
        # The place tells equally close ones apart: the first in the list is selected.
        ranks = np.bitwise_count(messages.rows) * np.int64(len(places)) + places
        selected = messages.rows[np.minimum.reduceat(ranks, messages.starts) % len(places)]
        np.add.at(traffic, messages.runs, np.bitwise_count(selected))
        target = np.repeat(selected, lengths)
        messages = _split(messages, lengths, messages.rows & target == target, selected)
    return traffic
