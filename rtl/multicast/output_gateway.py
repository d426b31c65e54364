"""Output gateway: the multiplexer in front of a link or of the ejection port."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.common.contract.units import Requests
from cubecast.golden.multicast.contract.config import Config
from cubecast.rtl.common.arbiter import Arbiter
from cubecast.rtl.common.instance import place
from cubecast.rtl.common.select import selected
from cubecast.rtl.multicast.link import Words
from cubecast.rtl.multicast.policy import policy_of, ports_of

__all__ = ["OutputGateway"]


class OutputGateway(wiring.Component):
    """Send messages of all message handling units over one port, one whole message after the other.

    Units are numbered u = channel * L + lane; the injection unit is u = n * L and counts as lane 0. A hop from an odd
    node goes to the next lane; with the policy ``ordered`` a turn from 0 -> 1 to 1 -> 0 hops does. Two levels of round
    robin choose a unit among those whose outgoing lane can take a message; the choice is held until the last word, or
    until the link is cut. A word offered in cycle t leaves in cycle t when nothing contends.

    Parameters
    ----------
    config : Config
        Parameters of the router.
    local : bool
        Gateway of the ejection port, where every lane ends: ``odd``, ``turn`` and ``ready`` are ignored and ``lane`` is
        0.

    Ports
    -----
    odd : in
        Parity of the local address; only with the policy ``greedy``.
    turn : in, n
        Strap: a message from channel i turns here; only with the policy ``ordered``.
    i__u__valid, i__u__data, i__u__last, i__u__error, i__u__ready
        Copies of unit u for this port.
    ready : in, L
        Lanes of the link that can take a whole message.
    advance : in
        A valid word moves in this cycle; constant 1 for a link.
    cut : in
        The link is cut: no word moves, and a message in the middle of it is over.
    valid, data, last, error, lane : out, 1 and w and 1 and 1 and lane_bits
        The chosen unit's word.
    waited : out
        Some unit's word stands ready and does not move in this cycle.

    Source: Lan 1988, section 6.3, figure 6.1.
    """

    def __init__(self, config: Config, *, local: bool = False):
        self.config = config
        self.local = local
        ports = {
            "i": In(Words(config)).array(config.units),
            "ready": In(config.lanes),
            "advance": In(1),
            "cut": In(1),
            "valid": Out(1),
            "data": Out(config.width),
            "last": Out(1),
            "error": Out(1),
            "lane": Out(config.lane_bits),
            "waited": Out(1),
        }
        super().__init__(ports | ports_of([config.policy_facts.gateway], config))

    def elaborate(self, platform):
        """Choose, hold, and multiplex."""
        m = Module()
        config = self.config
        self._policy = policy_of(config)
        units = config.units
        valids, moved, granted = Signal(units), Signal(units), Signal(units)
        locked, held = Signal(), Signal()
        owner = Signal(range(units))
        chosen = Signal(units)
        m.d.comb += valids.eq(Cat(i.valid for i in self.i))
        new = self._choose(m, valids, locked, granted)
        m.d.comb += [
            chosen.eq(Mux(locked, Cat(owner == u for u in range(units)), granted)),
            moved.eq(Mux(self.valid & self.advance, chosen, 0)),
            self.waited.eq((valids & ~moved).any()),
            # Not looked up with the winner, whom the arbiters find late.
            held.eq(valids.bit_select(owner, 1)),
            self.valid.eq(Mux(locked, held & ~self.cut, new)),
        ]
        for name in ("data", "last", "error"):
            m.d.comb += getattr(self, name).eq(selected(chosen, [getattr(i, name) for i in self.i]))
        if not self.local and config.lanes > 1:
            lanes = [(self._in_lane(u) + self._step(u))[: config.lane_bits] for u in range(units)]
            m.d.comb += self.lane.eq(selected(chosen, lanes))
        for u, i in enumerate(self.i):
            m.d.comb += i.ready.eq(moved[u])
        with m.If(self.cut):
            m.d.sync += locked.eq(0)
        with m.Elif(self.valid):
            m.d.sync += locked.eq(~(self.advance & self.last))
        # Without a winner, or when the message is over at once, nobody asks who it is.
        with m.If(~locked):
            m.d.sync += owner.eq(_number(granted))
        return m

    def _in_lane(self, u):
        """Return the lane that unit u stands for; the injection unit counts as lane 0."""
        return u % self.config.lanes if u < self.config.dim * self.config.lanes else 0

    def _step(self, u):
        """Return whether a message of unit u goes on in the next lane."""
        return self._policy.step(self, u // self.config.lanes)

    def _choose(self, m, valids, locked, granted):
        """Connect the two levels of arbiters; return whether a message may start."""
        config = self.config
        choice = place(m, "choice", Arbiter, Requests(count=config.lanes))
        starts = Signal()
        grants = [[] for _ in range(config.units)]
        m.d.comb += [starts.eq(choice.request.any()), choice.advance.eq(starts & ~locked)]
        for number, (passable, candidates) in enumerate(self._groups()):
            group = place(m, f"group_{number}", Arbiter, Requests(count=len(candidates)))
            m.d.comb += [
                group.request.eq(Cat(Cat(valids[u] & leaves for u, leaves in units).any() for units in candidates)),
                choice.request[number].eq(group.request.any() & passable & ~self.cut),
                group.advance.eq(choice.grant[number] & ~locked),
            ]
            for units, grant in zip(candidates, group.grant, strict=True):
                for u, leaves in units:
                    grants[u].append(grant & leaves & choice.grant[number])
        m.d.comb += granted.eq(Cat(Cat(ways).any() for ways in grants))
        return starts

    def _groups(self):
        """Yield for each group whether its lane can take a message, and its candidates.

        A candidate of the group's arbiter is a list of units of which one at most can ask, each with the condition for
        it to belong to the group.
        """
        lanes = range(self.config.lanes)
        inside = [[u for u in range(self.config.units) if self._in_lane(u) == lane] for lane in lanes]
        if self.local:
            yield from ((C(1), [[(u, C(1))] for u in units]) for units in inside)
        else:
            yield from self._policy.groups(self, inside)


def _number(one_hot):
    """Return the index of the bit that is set, 0 if none is."""
    bits = []
    for bit in range((len(one_hot) - 1).bit_length()):
        bits.append(Cat(one_hot[i] for i in range(len(one_hot)) if i >> bit & 1).any())
    return Cat(bits)
