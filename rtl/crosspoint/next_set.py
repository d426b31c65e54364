"""Next set: the queues of the neighbour that the word at the head of a queue goes into."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.crosspoint.contract.units import Crosspoint
from cubecast.golden.crosspoint.contract.word import KIND_BITS

__all__ = ["NextSet"]


class NextSet(wiring.Component):
    """Find where a head goes on behind the next hop, and what is left of its header there. Combinational.

    Parameters
    ----------
    config : Crosspoint
        Queue (i, j) whose head it is; (n, n): the injection port, and the hop into the router itself.

    Ports
    -----
    data, r1, r2, kind : in, w and n and n and 2
        The word; r1 and r2 are the dimensions still to be crossed, in descending and then in ascending order.
    over, turns : in
        What the run end says of it; not looked at where i < j < n.
    push : out, n + 1
        Bit k: it goes into queue (j, k) of the neighbour, or is for that node (k = n).
    left_r1, left_r2 : out, n
        Dimensions left after the hop.
    """

    def __init__(self, config: Crosspoint):
        self.config = config
        n = config.router.dim
        super().__init__(
            {
                "data": In(config.router.width),
                "r1": In(n),
                "r2": In(n),
                "kind": In(KIND_BITS),
                "over": In(1),
                "turns": In(1),
                "push": Out(n + 1),
                "left_r1": Out(n),
                "left_r2": Out(n),
            }
        )

    def elaborate(self, platform):
        """Build the equations of the queue's class."""
        m = Module()
        if self.config.input < self.config.output < self.config.router.dim:
            self._up(m)
        else:
            self._down(m)
        return m

    def _up(self, m):
        """Go on in ascending order: the lowest dimension left, which is above this one."""
        j = self.config.output
        left = self.r2[j + 1 :]
        m.d.comb += [
            self.push[j + 1 :].eq(Cat(*(_first(left, k) for k in range(len(left))), ~left.any())),
            self.left_r2.eq(Cat(C(0, j + 1), left)),
        ]

    def _down(self, m):
        """Go on in descending order, or turn to the second run."""
        config, j = self.config.router, self.config.output
        n, inject = config.dim, self.config.output == config.dim
        second = Signal(n)
        if config.runs == 2:
            m.d.comb += second.eq(self.r2)
            if not inject:
                m.d.comb += second[j].eq(self.r2[j] & self.r1[j])
        subcube = self.kind[0] if config.multicast else C(0, 1)
        for k in range(n):
            if k == j:
                continue
            turn = self.turns & _first(second, k)
            if k < j:
                descend = (self.r1[k] | (self.r2[k] & subcube)) & ~self.r1[k + 1 : j].any()
                if config.multicast:
                    descend = Mux(self.kind[1], self._listed(k), descend)
                m.d.comb += self.push[k].eq(descend | turn)
            else:
                m.d.comb += self.push[k].eq(turn)
        if inject:
            m.d.comb += [self.left_r1.eq(self.r1), self.left_r2.eq(self.r2)]
            return
        here = self.over & ~self.turns
        m.d.comb += [
            self.push[n].eq(Mux(self.kind[1], self._listed(n), here) if config.multicast else here),
            self.left_r1.eq(self.r1[:j]),
            self.left_r2.eq(Cat(self.r2[:j], second[j:]) if config.runs == 2 else self.r2[:j]),
        ]

    def _listed(self, k):
        """Return whether a bitmap goes on in dimension k < j, or, k = n, is for the node behind the hop."""
        config, j = self.config.router, self.config.output
        n, b = config.dim, config.bitmap_dims
        half = 1 << j if j < b else 0
        bits = self.data[half] if k == n else self.data[half + (1 << k) : half + (2 << k)].any() if k < b else None
        if j < b:
            return bits
        if bits is None:
            return self.r1[k] & ~self.r1[k + 1 : j].any()
        return bits & ~self.r1[b:j].any()


def _first(bits, k):
    """Return whether bit k is the lowest one set."""
    return bits[k] & ~bits[:k].any()
