"""Choice among values by a one-hot vector."""

from collections.abc import Iterable
from functools import reduce
from operator import or_

from amaranth.hdl import Mux, Value

__all__ = ["selected"]


def selected(chosen: Iterable[Value], values: Iterable[Value]) -> Value:
    """Return the OR of the values whose bit is set: 0 if none is."""
    return reduce(or_, [Mux(bit, value, 0) for bit, value in zip(chosen, values, strict=True)])
