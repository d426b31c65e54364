"""Controller: the state of a message handling unit."""

from amaranth import *
from amaranth.lib import enum, wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.config import Config

__all__ = ["Controller", "State"]


class State(enum.IntEnum, shape=2):
    """States of a message handling unit."""

    WAIT = 0
    INPUT = 1
    PROCESSING = 2
    OUTPUT = 3


class Controller(wiring.Component):
    """Step through the life of a message: WAIT, INPUT (header), PROCESSING (decisions), OUTPUT (until all is sent).

    A message of which nothing remains to be decided skips PROCESSING; a malformed one goes to OUTPUT at once, where
    the rest of it is swallowed.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Ports
    -----
    taken : in
        A word is taken in this clock; the next four count only with it.
    last : in
        It is the last of its message.
    bad : in
        It makes the message malformed.
    overlong : in
        It is one more than a message may have; what follows is to be swallowed.
    header_end : in
        It completes the header.
    multicast : in
        The message is routed by the multicaster.
    terminate : in
        The multicaster has nothing left to decide.
    idle : in
        All copies and reports of the message are out.
    state : out, 2
        WAIT 0, INPUT 1, PROCESSING 2, OUTPUT 3; a register.
    ended : out
        The last word was taken; a register.
    discard : out
        Words are swallowed; a register.
    free : out
        State WAIT: a whole message can be taken.
    accept : out
        A word can be taken.
    decide : out
        The multicaster's decision is launched in this clock.

    Source: Lan 1988, section 6.4.1.
    """

    def __init__(self, config: Config):
        self.config = config
        super().__init__(
            {
                "taken": In(1),
                "last": In(1),
                "bad": In(1),
                "overlong": In(1),
                "header_end": In(1),
                "multicast": In(1),
                "terminate": In(1),
                "idle": In(1),
                "state": Out(2),
                "ended": Out(1),
                "discard": Out(1),
                "free": Out(1),
                "accept": Out(1),
                "decide": Out(1),
            }
        )

    def elaborate(self, platform):
        """Build the state machine."""
        m = Module()
        more, complete = Signal(), Signal()
        m.d.comb += [
            more.eq(self.multicast & ~self.terminate),
            complete.eq(self.taken & self.header_end & ~self.bad),
            self.free.eq(self.state == State.WAIT),
            self.accept.eq(~self.ended),
            self.decide.eq(more & ((self.state == State.PROCESSING) | ((self.state == State.INPUT) & complete))),
        ]
        with m.Switch(self.state):
            with m.Case(State.WAIT, State.INPUT):
                with m.If(self.taken & self.bad):
                    m.d.sync += [self.state.eq(State.OUTPUT), self.ended.eq(self.last), self.discard.eq(1)]
                with m.Elif(self.free), m.If(self.taken):
                    m.d.sync += self.state.eq(State.INPUT)
                with m.Elif(complete):
                    m.d.sync += [self.ended.eq(self.last), self.discard.eq(self.overlong)]
                    m.d.sync += self.state.eq(Mux(more, State.PROCESSING, State.OUTPUT))
            with m.Default():
                with m.If(self.taken & self.last):
                    m.d.sync += self.ended.eq(1)
                with m.If(self.taken & self.overlong):
                    m.d.sync += self.discard.eq(1)
                with m.If(self.state == State.PROCESSING), m.If(self.terminate):
                    m.d.sync += self.state.eq(State.OUTPUT)
                with m.Elif(self.idle & self.ended):
                    m.d.sync += [self.state.eq(State.WAIT), self.ended.eq(0), self.discard.eq(0)]
        return m
