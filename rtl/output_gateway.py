"""Output gateway: the multiplexer in front of a link or of the ejection port."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.config import Config

from .arbiter import Arbiter
from .instance import place
from .link import Words

__all__ = ["OutputGateway"]


class OutputGateway(wiring.Component):
    """Send messages of all message handling units over one port, one whole message after the other.

    Units are numbered u = channel * L + lane; the injection unit is u = n * L and counts as lane 0. A hop from an odd
    node goes to the next lane. Two levels of round robin choose a unit among those whose outgoing lane can take a
    message; the choice is held until the last word. A word offered in clock t leaves in clock t when nothing contends.

    Parameters
    ----------
    config : Config
        Parameters of the router.
    local : bool
        Gateway of the ejection port, where every lane ends: ``odd`` and ``ready`` are ignored and ``lane`` is 0.

    Ports
    -----
    odd : in
        Parity of the local address.
    i__u__valid, i__u__data, i__u__last, i__u__error, i__u__ready
        Copies of unit u for this port.
    ready : in, L
        Lanes of the link that can take a whole message.
    advance : in
        A valid word moves in this clock; constant 1 for a link.
    valid, data, last, error, lane : out, 1 and w and 1 and 1 and lane_bits
        The chosen unit's word.
    waited : out
        Some unit's word stands ready and does not move in this clock.

    Source: Lan 1988, section 6.3, figure 6.1.
    """

    def __init__(self, config: Config, *, local: bool = False):
        self.config = config
        self.local = local
        super().__init__(
            {
                "odd": In(1),
                "i": In(Words(config)).array(config.units),
                "ready": In(config.lanes),
                "advance": In(1),
                "valid": Out(1),
                "data": Out(config.width),
                "last": Out(1),
                "error": Out(1),
                "lane": Out(config.lane_bits),
                "waited": Out(1),
            }
        )

    def elaborate(self, platform):
        """Choose, hold, and multiplex."""
        m = Module()
        config = self.config
        units = config.units
        valids, moved, granted = Signal(units), Signal(units), Signal(units)
        locked, owner, winner, chosen = Signal(), Signal(range(units)), Signal(range(units)), Signal(range(units))
        m.d.comb += valids.eq(Cat(i.valid for i in self.i))
        new = self._choose(m, valids, locked, granted)
        m.d.comb += [
            winner.eq(_number(granted)),
            chosen.eq(Mux(locked, owner, winner)),
            self.waited.eq((valids & ~moved).any()),
        ]
        with m.Switch(chosen):
            for u, i in enumerate(self.i):
                with m.Case(u):
                    m.d.comb += [
                        self.valid.eq(Mux(locked, i.valid, new)),
                        self.data.eq(i.data),
                        self.last.eq(i.last),
                        self.error.eq(i.error),
                        moved[u].eq(self.valid & self.advance),
                    ]
                    if not self.local:
                        m.d.comb += self.lane.eq(self._lane(u)[: config.lane_bits])
        for u, i in enumerate(self.i):
            m.d.comb += i.ready.eq(moved[u])
        with m.If(self.valid):
            m.d.sync += [locked.eq(~(self.advance & self.last)), owner.eq(chosen)]
        return m

    def _lane(self, u):
        """Return the lane in which a message of unit u goes on."""
        lanes = self.config.lanes
        lane = u % lanes if u < self.config.dim * lanes else 0
        return C(lane, range(lanes + 1)) + (self.odd if lanes > 1 else 0)

    def _choose(self, m, valids, locked, granted):
        """Connect the two levels of arbiters; return whether a message may start."""
        config = self.config
        lanes = config.lanes
        choice = place(m, "choice", Arbiter, config, count=lanes)
        starts = Signal()
        m.d.comb += [starts.eq(choice.request.any()), choice.advance.eq(starts & ~locked)]
        for lane in range(lanes):
            members = [channel * lanes + lane for channel in range(config.dim)]
            if lane == 0:
                members.append(config.units - 1)
            group = place(m, f"group_{lane}", Arbiter, config, count=len(members))
            if self.local:
                passable = 1
            elif lanes == 1:
                passable = self.ready
            else:
                beyond = self.ready[lane + 1] if lane + 1 < lanes else 0
                passable = Mux(self.odd, beyond, self.ready[lane])
            m.d.comb += [
                group.request.eq(Cat(valids[u] for u in members)),
                choice.request[lane].eq(group.request.any() & passable),
                group.advance.eq(choice.grant[lane] & ~locked),
            ]
            for u, grant in zip(members, group.grant, strict=True):
                m.d.comb += granted[u].eq(grant & choice.grant[lane])
        return starts


def _number(one_hot):
    """Return the index of the bit that is set, 0 if none is."""
    bits = []
    for bit in range((len(one_hot) - 1).bit_length()):
        bits.append(Cat(one_hot[i] for i in range(len(one_hot)) if i >> bit & 1).any())
    return Cat(bits)
