"""What a whole multicast router has to promise, beside what its units do."""

from amaranth.asserts import AnyConst
from amaranth.hdl import Array, Assert, Assume, C, Cat, Cover, Module, Mux, Signal

from cubecast.golden.multicast.contract.config import Config
from cubecast.rtl.multicast.router import Router
from tests.harness.spec import Spec, drive

__all__ = ["MulticastRouterSpec"]


class MulticastRouterSpec(Spec):
    """No message is lost, doubled or sent astray, for any of its destinations, and none waits for ever.

    Neighbours are faithful and otherwise free: what they send is well-formed, at a node on a shortest path to all that
    it is for, and begins while the link is ready. So is the node, whose messages are for any other nodes, or all. A
    word chosen at will, which alone has a mark, is the payload of a message; so is a node.

    - If the message is for that node, the mark leaves once, by a port that leads closer, in a copy that is for it; if
      not, it leaves in none that is. It has ``error`` if it came with it. Every copy is well-formed.
    - A copy begins only while its link is ready, as those of the neighbours do.
    - When the unit that took the message is free again, the mark has left.
    - There is no report.
    - With a ``bound``, this alone: if messages come without gaps, and neighbours and node always take them, the unit is
      free again after so many cycles.

    Parameters
    ----------
    config : Config
        Parameters of the router: without ``fault_tolerant``, ``greedy``, one lane, one word of payload.
    bound : int, or None
        Cycles from the last word of the message.
    """

    unit = Router

    def __init__(self, config: Config, unit=None, bound=None):
        self.bound = bound
        super().__init__(config, unit)

    def elaborate(self, platform):
        """Drive all ports, and follow the mark."""
        m = Module()
        dut, n = self.place(m), self.config.dim
        self.address, self.node = Signal(n), Signal(n)
        m.d.comb += [self.address.eq(AnyConst(n)), dut.address.eq(self.address), self.node.eq(AnyConst(n))]
        m.d.comb += [dut.control.write.eq(0), dut.control.address.eq(0), dut.control.write_data.eq(0)]
        enters = [self._link_in(m, j) for j in range(n)] + [self._inject(m)]
        leaves = [self._link_out(m, j) for j in range(n)] + [self._eject(m)]
        comes, goes = Cat(enter[0] for enter in enters), Cat(leaves)
        came, went, wanted, over, wrong = Signal(), Signal(), Signal(), Signal(), Signal()
        m.d.comb += [Assume((comes & (comes - 1)) == 0), Assume(~(came & comes.any()))]
        m.d.sync += [came.eq(came | comes.any()), went.eq(went | goes.any())]
        self._promise(
            m,
            (goes & (goes - 1)) == 0,
            ~goes.any() | (came & wanted & ~went),
            ~dut.report.valid,
        )
        for leave, words in zip(leaves, (*dut.link_out, dut.eject), strict=True):
            self._promise(m, ~leave | (words.error == wrong))
        for (enter, _, _), words in zip(enters, (*dut.link_in, dut.inject), strict=True):
            with m.If(enter):
                m.d.sync += wrong.eq(words.error)
        for number, (enter, carried, free) in enumerate(enters):
            mine = Signal(name=f"mine_{number}")
            with m.If(enter):
                m.d.sync += [mine.eq(1), wanted.eq(carried)]
            with m.If(mine & free):
                m.d.sync += over.eq(1)
                self._promise(m, over | (went == wanted))
        if self.bound is None:
            m.d.comb += Cover(over & went)
        else:
            age = Signal(range(self.bound + 2))
            with m.If(came & ~over & (age <= self.bound)):
                m.d.sync += age.eq(age + 1)
            m.d.comb += [Assert(age <= self.bound), Cover(over & went & (age > 2 * self.config.max_list + 6))]
        return m

    def _promise(self, m, *statements):
        """Assert statements, unless it is about the bound."""
        if self.bound is None:
            m.d.comb += [Assert(statement) for statement in statements]

    def _parse(self, m, name, moves, words, start=0):
        """Follow the words of messages; return where in a message the next one is, and whether it is for the node.

        Places are 0 for k, 1 for an address, 2 for the source, 3 for the payload; ``start`` is the first there is.
        """
        place, left, k, carried = (
            Signal(size, name=f"{what}_{name}", init=start if what == "place" else 0)
            for what, size in (("place", 2), ("left", self.config.dim), ("k", self.config.dim), ("carried", 1))
        )
        field = words.data[: self.config.dim]
        with m.If(moves), m.Switch(place):
            with m.Case(0):
                broadcast = field == self.config.broadcast_k
                m.d.sync += [k.eq(field), left.eq(field), place.eq(Mux(broadcast, 2, 1)), carried.eq(0)]
            with m.Case(1):
                m.d.sync += [left.eq(left - 1), carried.eq(carried | (field == self.node))]
                m.d.sync += place.eq(Mux(left == 1, 2, 1))
            with m.Case(2):
                m.d.sync += place.eq(Mux(words.last, start, 3))
            with m.Case(3):
                m.d.sync += place.eq(start)
        return place, k, carried

    def _sends(self, m, name, words, moves):
        """Have well-formed messages sent; return place, k, whether the list has the node, and the word's field."""
        n = self.config.dim
        place, k, carried = self._parse(m, name, moves, words)
        field, valid = words.data[:n], words.valid
        seen = Signal(self.config.nodes, name=f"seen_{name}")
        marked = valid & (place == 3)
        with m.If(moves):
            m.d.sync += seen.eq(Mux(place == 1, seen | (1 << field), 0))
        m.d.comb += [
            Assume(~(valid & (place == 0)) | ((field != 0) & ((field <= self.config.max_list) | field.all()))),
            Assume(~(valid & (place == 1)) | ~Array(seen)[field]),
            Assume(~(valid & (place <= 1)) | ~words.last),
            Assume(~(valid & (place == 3)) | words.last),
            Assume(~marked | (words.data[1:] == 0)),
        ]
        if self.bound is not None:
            m.d.comb += Assume(valid | (place == 0))
        return place, k, carried, field

    def _link_in(self, m, j):
        """Send what a faithful neighbour may send; return whether the mark comes, for the node, and if it is free."""
        link, n = self.dut.link_in[j], self.config.dim
        drive(m, link.valid, link.data, link.last, link.error)
        place, k, carried, field = self._sends(m, f"in_{j}", link, link.valid)
        relative = Signal(n, name=f"relative_{j}")
        broadcast = k == self.config.broadcast_k
        m.d.comb += [
            relative.eq(field ^ self.address),
            link.lane.eq(0),
            Assume(~(link.valid & (place == 0)) | link.ready),
            Assume(~(link.valid & (place == 1)) | ~relative[j]),
            Assume(~(link.valid & (place == 2) & broadcast) | ((relative >> j) == 1)),
        ]
        below = self._covers(j)
        enters = link.valid & (place == 3) & link.data[0]
        return enters, Mux(broadcast, below, carried), link.ready

    def _inject(self, m):
        """Inject messages; return as for a link."""
        inject = self.dut.inject
        drive(m, inject.valid, inject.data, inject.last, inject.error)
        moves = inject.valid & inject.ready
        place, k, carried, field = self._sends(m, "inject", inject, moves)
        word, before, held = Cat(inject.data, inject.last, inject.error), Signal(len(inject.data) + 2), Signal()
        m.d.sync += [held.eq(inject.valid & ~inject.ready), before.eq(word)]
        m.d.comb += [
            Assume(~held | (inject.valid & (word == before))),
            Assume(~(inject.valid & (place == 2)) | (field == self.address)),
            Assume(~(inject.valid & (place == 1)) | (field != self.address)),
        ]
        enters = moves & (place == 3) & inject.data[0]
        to_all = self.node != self.address
        return enters, Mux(k == self.config.broadcast_k, to_all, carried), inject.ready

    def _covers(self, i):
        """Return whether a broadcast that came over link i goes on to the node, or ends there."""
        return ((self.node ^ self.address) & ((2 << i) - 1)) == 0

    def _link_out(self, m, j):
        """Look at what leaves; return whether the mark does, in a copy for the node."""
        link, n = self.dut.link_out[j], self.config.dim
        if self.bound is None:
            drive(m, link.ready)
        else:
            m.d.comb += link.ready.eq(C(-1, len(link.ready)))
        place, k, carried = self._parse(m, f"out_{j}", link.valid, link)
        field = link.data[:n]
        farther = self.node ^ self.address
        goes = Mux(k == self.config.broadcast_k, farther[j] & (farther[:j] == 0), carried)
        self._promise(
            m,
            ~(link.valid & (place == 0)) | link.ready,
            ~(link.valid & (place == 0)) | ((field != 0) & ((field <= self.config.max_list) | field.all())),
            ~(link.valid & (place == 1)) | (field ^ self.address)[j],
            ~(link.valid & (place <= 1)) | ~link.last,
            ~(link.valid & (place == 3)) | link.last,
        )
        return link.valid & (place == 3) & link.data[0] & goes

    def _eject(self, m):
        """Look at what the node gets; return as for a link."""
        eject = self.dut.eject
        if self.bound is None:
            drive(m, eject.ready)
        else:
            m.d.comb += eject.ready.eq(1)
        moves = eject.valid & eject.ready
        place, _, _ = self._parse(m, "eject", moves, eject, start=2)
        self._promise(m, ~(moves & (place == 3)) | eject.last)
        return moves & (place == 3) & eject.data[0] & (self.node == self.address)
