"""Controller: the state of a message handling unit."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.states import State

__all__ = ["Controller"]


class Controller(wiring.Component):
    """Step through the life of a message: WAIT, INPUT (header), PROCESSING (decisions), OUTPUT (until all is sent).

    A message of which nothing remains to be decided skips PROCESSING; a malformed one goes to OUTPUT at once, where
    the rest of it is discarded. Rows that come back from a dropped copy, or that may be sent otherwise than before, are
    decided in PROCESSING or OUTPUT when no copy is under way, since their dimension may be one that is.

    Parameters
    ----------
    config : Config
        Parameters of the router.
    shared : bool
        The multicaster is that of the channel, and a decision waits until its choice is offered.

    Ports
    -----
    taken : in
        A word is taken in this cycle; the next four count only with it.
    last : in
        It is the last of its message.
    bad : in
        It makes the message malformed.
    truncated : in
        The message is cut off with it; what follows is to be discarded.
    header_end : in
        It completes the header.
    multicast : in
        The message is routed by the multicaster.
    terminate : in
        The multicaster has nothing left to decide.
    idle : in
        All copies and reports of the message are out.
    restored : in
        Rows of a dropped copy come back in this cycle.
    changed : in
        The rows may vote otherwise than in the cycle before.
    copies : in
        Some copy for a link is under way.
    chosen : in
        A choice of the multicaster for the rows and links as they are now stands ready; only with
        ``decision_latency`` > 1 or ``shared``.
    state : out, 2
        WAIT 0, INPUT 1, PROCESSING 2, OUTPUT 3; a register.
    ended : out
        The last word was taken; a register.
    discard : out
        Words are discarded; a register.
    free : out
        State WAIT: a whole message can be taken.
    accept : out
        A word can be taken.
    decide : out
        The multicaster's decision is launched in this cycle.
    asks : out
        The complete header leaves something to decide, and no copy has to end before it; only with ``shared``.

    Source: Lan 1988, section 6.4.1.
    """

    def __init__(self, config: Config, *, shared: bool = False):
        self.config = config
        self.shared = shared
        chosen = {"chosen": In(1)} if config.decision_latency > 1 or shared else {}
        super().__init__(
            chosen
            | {
                "taken": In(1),
                "last": In(1),
                "bad": In(1),
                "truncated": In(1),
                "header_end": In(1),
                "multicast": In(1),
                "terminate": In(1),
                "idle": In(1),
                "restored": In(1),
                "changed": In(1),
                "copies": In(1),
                "state": Out(State),
                "ended": Out(1),
                "discard": Out(1),
                "free": Out(1),
                "accept": Out(1),
                "decide": Out(1),
            }
            | ({"asks": Out(1)} if shared else {})
        )

    def elaborate(self, platform):
        """Build the state machine."""
        m = Module()
        again = Signal()
        more, complete, held = Signal(), Signal(), Signal()
        m.d.comb += [
            more.eq(self.multicast & ~self.terminate),
            complete.eq(self.taken & self.header_end & ~self.bad),
            self.free.eq(self.state == State.WAIT),
            self.accept.eq(~self.ended),
            held.eq((again | self.changed) & self.copies),
            # Bit 1 of the state: PROCESSING or OUTPUT.
            self.decide.eq(self._ready(more) & ~held & (self.state[1] | ((self.state == State.INPUT) & complete))),
        ]
        if self.shared:
            # A unit that waits for its own copies keeps no other one waiting.
            m.d.comb += self.asks.eq(more & ~held & self.state[1])
        m.d.sync += again.eq(self.restored | held)
        with m.Switch(self.state):
            with m.Case(State.WAIT, State.INPUT):
                with m.If(self.taken & self.bad):
                    m.d.sync += [self.state.eq(State.OUTPUT), self.ended.eq(self.last), self.discard.eq(1)]
                with m.Elif(self.free), m.If(self.taken):
                    m.d.sync += self.state.eq(State.INPUT)
                with m.Elif(complete):
                    m.d.sync += [self.ended.eq(self.last), self.discard.eq(self.truncated)]
                    m.d.sync += self.state.eq(Mux(more, State.PROCESSING, State.OUTPUT))
            with m.Default():
                with m.If(self.taken & self.last):
                    m.d.sync += self.ended.eq(1)
                with m.If(self.taken & self.truncated):
                    m.d.sync += self.discard.eq(1)
                with m.If(self.state == State.PROCESSING), m.If(self.terminate):
                    m.d.sync += self.state.eq(State.OUTPUT)
                with m.Elif(self.idle & self.ended):
                    m.d.sync += [self.state.eq(State.WAIT), self.ended.eq(0), self.discard.eq(0)]
        return m

    def _ready(self, more):
        """Return whether there is a choice to be launched."""
        if self.shared:
            return more & self.chosen
        return more if self.config.decision_latency == 1 else self.multicast & self.chosen
