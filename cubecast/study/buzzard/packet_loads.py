"""The loads of Buzzard 1988, section 5.7: nine rates of messages for each of two mean lengths."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate

from cubecast.study.transport.traffic import Traffic

__all__ = ["LONG", "SHORT", "every", "load_traffic"]

SHORT = 512
"""Mean bytes of the shorter messages; lengths are exponential."""

LONG = 2048

_INTERVALS = {
    SHORT: tuple(accumulate((1024, 256, 256, 512, 512, 512, 2048, 2048, 2048))),
    LONG: tuple(accumulate((4096, 1024, 1024, 2048, 2048, 2048, 8192, 8192, 8192))),
}
"""Mean ticks between messages, by mean length. The text has 36846 for the last of the long ones, its steps 36864."""


def every(length: int) -> Sequence[int]:
    """Return the mean ticks between two messages of a node, heaviest load first."""
    return _INTERVALS[length]


def load_traffic(length: int, interval: int, messages: int, dim: int = 6, *, variance: bool = False) -> Traffic:
    """Return the traffic of one load: normal intervals, exponential lengths, all destinations equally likely.

    Parameters
    ----------
    length : int
        Mean bytes.
    interval : int
        Mean ticks between two messages of a node.
    messages : int
        Per node.
    dim : int
        Dimension of the cube.
    variance : bool
        Whether the variance of the intervals is half of their mean, as the text prints, in place of the deviation.
    """
    deviation = math.sqrt(interval / 2) if variance else interval / 2
    return Traffic(
        dim=dim,
        messages=messages,
        every=f"nor({interval},{deviation:.6g})",
        length=f"exp({length})",
        destination="uni()",
    )
