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
        valids, moved, chosen, owner = Signal(units), Signal(units), Signal(units), Signal(units)
        locked, ends = Signal(), Signal(units)
        m.d.comb += valids.eq(Cat(i.valid for i in self.i))
        groups = self._choose(m, valids, locked)
        granted = [[] for _ in range(units)]
        for candidates, choice in groups:
            for u, grant in candidates:
                granted[u].append(grant & choice)
        m.d.comb += [
            chosen.eq(owner | Cat(Cat(ways).any() for ways in granted)),
            # Who is chosen without being the owner is valid.
            moved.eq(Mux(self.advance & ~self.cut, chosen & valids, 0)),
            ends.eq(moved & Cat(i.last for i in self.i)),
            self.waited.eq((valids & ~moved).any()),
            self.valid.eq(Mux(self.cut, 0, (chosen & valids).any())),
        ]
        for name in ("data", "last", "error"):
            m.d.comb += getattr(self, name).eq(_shown(groups, owner, locked, [getattr(i, name) for i in self.i]))
        if not self.local and config.lanes > 1:
            lanes = [(self._in_lane(u) + self._step(u))[: config.lane_bits] for u in range(units)]
            m.d.comb += self.lane.eq(_shown(groups, owner, locked, lanes))
        for u, i in enumerate(self.i):
            m.d.comb += i.ready.eq(moved[u])
        holds = Mux(self.cut, 0, chosen & ~ends)
        m.d.sync += [owner.eq(holds), locked.eq(holds.any())]
        return m

    def _in_lane(self, u):
        """Return the lane that unit u stands for; the injection unit counts as lane 0."""
        return u % self.config.lanes if u < self.config.dim * self.config.lanes else 0

    def _step(self, u):
        """Return whether a message of unit u goes on in the next lane."""
        return self._policy.step(self, u // self.config.lanes)

    def _choose(self, m, valids, locked):
        """Connect the two levels of arbiters.

        Return for each group its units, each with the signal that it has its group's grant, and the group's own grant;
        both are 0 for all while a message holds the gateway.
        """
        choice = place(m, "choice", Arbiter, Requests(count=self.config.lanes))
        free = Signal()
        m.d.comb += [free.eq(~locked & ~self.cut), choice.advance.eq(free)]
        chosen = []
        for number, (passable, candidates) in enumerate(self._groups()):
            group = place(m, f"group_{number}", Arbiter, Requests(count=len(candidates)))
            grants = Signal(len(candidates), name=f"grants_{number}")
            m.d.comb += [
                group.request.eq(Cat(Cat(valids[u] & leaves for u, leaves in units).any() for units in candidates)),
                choice.request[number].eq(group.request.any() & passable),
                group.advance.eq(choice.grant[number] & free),
                grants.eq(Mux(locked, 0, group.grant)),
            ]
            mine = [(u, grant & leaves) for units, grant in zip(candidates, grants, strict=True) for u, leaves in units]
            chosen.append((mine, choice.grant[number]))
        return chosen

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


def _shown(groups, owner, locked, values):
    """Return the value of the unit that is shown: each group looks its own up while the groups' arbiter decides."""
    looked_up = [selected([owner[u] | grant for u, grant in mine], [values[u] for u, _ in mine]) for mine, _ in groups]
    return selected([locked | choice for _, choice in groups], looked_up)
