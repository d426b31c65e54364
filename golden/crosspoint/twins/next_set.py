"""Next set: the queues of the next node that a word goes into, and what is left to cross after that hop."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.crosspoint.contract.units import Crosspoint
from cubecast.golden.crosspoint.contract.word import Kind

__all__ = ["NextSet"]


def _top(x: int) -> int:
    """Return the highest one of ``x``, as a mask."""
    return 1 << x.bit_length() - 1 if x else 0


def _low(x: int) -> int:
    """Return the lowest one of ``x``, as a mask."""
    return x & -x


class NextSet:
    """Twin of the next set of queue (i, j), or, with i = j = n, of the injection port; combinational.

    Parameters
    ----------
    config : Crosspoint
        The router, and the place of the queue.
    """

    def __init__(self, config: Crosspoint) -> None:
        """Note what the place fixes."""
        router = config.router
        self.config = config
        self._router = router
        self._dim = n = router.dim
        self._up = config.input < config.output < n
        self._injects = config.output == n
        self._output = j = config.output
        self._below = (1 << j) - 1
        self._bit = 0 if j == n else 1 << j
        self._covered = router.bitmap_dims

    def find(self, data: int, r1: int, r2: int, kind: int, over: int, turns: int) -> tuple[int, int, int]:
        """Return push, left_r1 and left_r2 for a word with these fields."""
        eject = 1 << self._dim
        if self._up:
            after = r2 & ~(self._below | self._bit)
            return _low(after) or eject, 0, after
        two = self._router.runs == 2
        back = self._bit & ~(r1 & r2)
        if self._injects:
            left_r1, left_r2 = r1, r2
        else:
            left_r1, left_r2 = r1 & self._below, r2 & ~back if two else r2 & self._below
        if not self._router.multicast:
            kind = Kind.UNICAST
        first = _top(r1 & self._below)
        here = eject if over and not turns else 0
        if kind == Kind.UNICAST:
            push = first | here
        elif kind == Kind.SUBCUBE:
            # Its highest dimension of r1 with all of r2 above it, or, where r1 is done, all of r2.
            push = first | r2 & self._below & -(first or 1) | here
        else:
            push = self._bitmap(data, r1)
        if turns and two:
            push |= _low(r2 & ~back)
        return push & ~(eject if self._injects else self._bit), left_r1, left_r2

    def _bitmap(self, data: int, r1: int) -> int:
        """Return where a bitmap goes: as a unicast above the dimensions it covers, there wherever a bit is set."""
        if self._output < self._covered:
            data, most = data >> (1 << self._output), self._output
        else:
            above = r1 & self._below & ~((1 << self._covered) - 1)
            if above:
                return _top(above)
            most = self._covered
        push = (data & 1) << self._dim
        for k in range(most):
            part = data >> (1 << k) & (1 << (1 << k)) - 1
            push |= bool(part) << k
        return push

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs."""
        found = self.find(*(inputs.get(name, 0) for name in ("data", "r1", "r2", "kind", "over", "turns")))
        return dict(zip(("push", "left_r1", "left_r2"), found, strict=True))
