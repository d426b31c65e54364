"""Words as the twins of the crosspoint router pass them to each other, and as ports of one unit."""

from __future__ import annotations

from typing import NamedTuple

from cubecast.golden.common.twins.ports import Inputs, Outputs

__all__ = ["IDLE", "Head", "Link", "Reduced", "Report", "Stored", "absent_of", "link_input", "link_outputs"]

Report = tuple[int, int]
"""Reason code and destination."""


class Head(NamedTuple):
    """A word with its header, as it is injected, or as an output finds it."""

    data: int = 0
    last: int = 0
    error: int = 0
    r1: int = 0
    r2: int = 0
    kind: int = 0


class Stored(NamedTuple):
    """A word in a queue, with what its run end says; what the queue does not keep reads 0."""

    data: int
    last: int
    error: int
    r1: int
    r2: int
    kind: int
    over: int
    turns: int


class Link(NamedTuple):
    """The wires of a link in a cycle; a word is there when any bit of ``push`` is set, a reduced one with ``push_r``.

    ``push_r`` and ``rop`` are there only with a join unit, ``push_r_1`` with two.
    """

    push: int = 0
    head: int = 0
    last: int = 0
    error: int = 0
    data: int = 0
    r1: int = 0
    r2: int = 0
    kind: int = 0
    push_r: int = 0
    rop: int = 0
    push_r_1: int = 0


IDLE = Link()
"""What is on a link without a grant."""

_ABSENT = (("push_r", "rop", "push_r_1"), ("push_r_1",), ())
"""Wires of a link that there are not, by the number of join units."""


def absent_of(units: int) -> tuple[str, ...]:
    """Return the wires that the links of a router with so many join units do not have."""
    return _ABSENT[units]


class Reduced(NamedTuple):
    """A word that is reduced, or a result, as an output is offered it."""

    data: int = 0
    rop: int = 0
    last: int = 0
    error: int = 0


def link_input(prefix: str, inputs: Inputs) -> Link:
    """Return the wires of a link from the ports of a unit."""
    return Link(*(inputs.get(f"{prefix}__{name}", 0) for name in Link._fields))


def link_outputs(prefix: str, link: Link) -> Outputs:
    """Return the wires of a link as ports of a unit."""
    return {f"{prefix}__{name}": value for name, value in zip(Link._fields, link, strict=True)}
