"""Input module: what to do with the word taken in this cycle."""

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import bits_for

from cubecast.golden.common.contract.units import REASON_BITS
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.reason import Reason
from cubecast.golden.multicast.contract.states import State

__all__ = ["InputModule"]


class InputModule(wiring.Component):
    """Distribute the words of a message: k to its register, addresses to the Store, list and payload to the buffer.

    Checks the form of the message on the way. A word that makes the message malformed asserts ``bad``, and no row of
    the header remains. When a message goes on after ``max_data`` payload words, the last of these raises
    ``truncated`` and is stored with ``last`` and ``error``; so does the word that stands for what a cut link does not
    bring, after the header. All strobes belong to the word taken in this cycle.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Ports
    -----
    state, discard : in, 2 and 1
        From the controller.
    taken, word, last, error : in, 1 and w and 1 and 1
        The word taken in this cycle.
    cut : in
        It stands for the rest of the message, which the link does not bring any more.
    field, high : in, n and 1
        From the input port.
    multicast, listed, broadcast, zero, too_long : in
        From the type checker, for ``field``.
    k : out, n
        The k field; a register, as are the next five.
    is_multicast, is_listed, is_broadcast : out
        Type of the message.
    closed, closed_error : out
        The message ended with its header (or its payload was refused whole), and with an error.
    clear : out
        Nothing of an earlier message, or of a malformed header, is to stay.
    write, row : out, 1 and bits of 0..m
        Store the address in this row.
    check : out
        The word is a destination.
    push, push_data, push_last, push_error : out, 1 and w and 1 and 1
        Append to the data buffer.
    header_end : out
        The header is complete with this word.
    bad, truncated, reason : out, 1 and 1 and 4
        The message is malformed; it is cut off with this word; why.

    Source: Lan 1988, section 6.4, item 4; lists longer than m: L8; source field: L18.
    """

    def __init__(self, config: Config):
        self.config = config
        super().__init__(
            {
                "state": In(State),
                "discard": In(1),
                "taken": In(1),
                "cut": In(1),
                "word": In(config.width),
                "last": In(1),
                "error": In(1),
                "field": In(config.dim),
                "high": In(1),
                "multicast": In(1),
                "listed": In(1),
                "broadcast": In(1),
                "zero": In(1),
                "too_long": In(1),
                "k": Out(config.dim),
                "is_multicast": Out(1),
                "is_listed": Out(1),
                "is_broadcast": Out(1),
                "closed": Out(1),
                "closed_error": Out(1),
                "clear": Out(1),
                "write": Out(1),
                "row": Out(bits_for(config.max_dest)),
                "check": Out(1),
                "push": Out(1),
                "push_data": Out(config.width),
                "push_last": Out(1),
                "push_error": Out(1),
                "header_end": Out(1),
                "bad": Out(1),
                "truncated": Out(1),
                "reason": Out(REASON_BITS),
            }
        )

    def elaborate(self, platform):
        """Decode by state. The bits above the field are known last: they meet what is known without them."""
        m = Module()
        self._row = Signal(self.config.dim)
        self._more, self._control_taken = Signal(), Signal()
        self._count = Signal(range(self.config.max_data + 1))
        begins, header, payload, refused, good = Signal(), Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            begins.eq(self.taken & (self.state == State.WAIT)),
            header.eq(self.taken & (self.state == State.INPUT)),
            # Bit 1 of the state: PROCESSING or OUTPUT.
            payload.eq(self.taken & self.state[1] & ~self.discard),
            refused.eq(self._misfit() | self.high),
            self.bad.eq((begins | header) & refused),
            good.eq(header & ~refused),
            self.clear.eq(begins | self.bad),
        ]
        with m.If(begins):
            self._k_word(m)
        self._header(m, header, good)
        self._body(m, good, payload)
        self._reason(m)
        return m

    def _k_word(self, m):
        """Begin a message; a list begins with row 1."""
        m.d.sync += [
            self.k.eq(self.field),
            self.is_multicast.eq(self.multicast),
            self.is_listed.eq(self.listed),
            self.is_broadcast.eq(self.broadcast),
            self._more.eq(~self.broadcast),
            self._row.eq(~self.broadcast),
            self.closed.eq(0),
            self.closed_error.eq(0),
        ]
        if self.config.source_field:
            m.d.sync += self._control_taken.eq(0)
        if self.config.max_data:
            m.d.sync += self._count.eq(0)

    def _header(self, m, header, good):
        """Take a destination, which goes to the Store or to the buffer, or what follows the list.

        Nobody looks at the place in a header that is refused, so that it need not wait for the checks.
        """
        onward = Signal()
        m.d.comb += [
            onward.eq(self._more & (self._row != self.k)),
            self.check.eq(good & self._more),
            self.row.eq(self._row),
        ]
        with m.If(header):
            m.d.sync += [self._more.eq(onward), self._row.eq(Mux(onward, self._row + 1, 0))]
        if self.config.source_field:
            with m.If(header & ~self._more):
                m.d.sync += self._control_taken.eq(1)
            m.d.comb += self.header_end.eq(good & ~self._more & self._control_taken)
            m.d.comb += self.write.eq(good & Mux(self._more, self.is_multicast, ~self._control_taken))
        else:
            m.d.comb += self.header_end.eq(good & ~self._more)
            m.d.comb += self.write.eq(good & (self.is_multicast | ~self._more))

    def _body(self, m, good, payload):
        """Push list, source address and payload; the last word that fits ends the message with an error if it goes on.

        A source address travels as the first word behind the header.
        """
        full, ends, ends_error, closing = Signal(), Signal(), Signal(), payload
        if self.config.max_data:
            m.d.comb += full.eq(self.state[1] & (self._count == self.config.max_data - 1))
            with m.If(payload & (self._count != self.config.max_data)):
                m.d.sync += self._count.eq(self._count + 1)
        else:
            m.d.comb += full.eq(~self._more)
            closing = payload | self.header_end
        m.d.comb += [
            ends.eq(self.last | self.cut | full),
            ends_error.eq(ends & (self.cut | ~self.last | self.error)),
            self.truncated.eq(closing & (self.cut | (full & ~self.last))),
            self.push.eq(payload | (good & self._more & self.is_listed)),
            self.push_data.eq(Mux(self.cut, 0, self.word)),
            self.push_last.eq(ends),
            self.push_error.eq(ends_error),
        ]
        if self.config.source_field:
            with m.If(self.header_end):
                m.d.comb += self.push.eq(1)
        else:
            with m.If(self.header_end):
                m.d.sync += [self.closed.eq(ends), self.closed_error.eq(ends_error)]

    def _misfit(self):
        """Return what makes a word of the header malformed besides the bits above the field."""
        short = self._more
        if self.config.source_field:
            short |= ~self._control_taken
        first = self.zero | self.too_long | self.last
        return Mux(self.state == State.WAIT, first, self.cut | (self.last & short))

    def _reason(self, m):
        """Say why a message is malformed or cut off; nobody looks at it otherwise."""
        begins = self.state == State.WAIT
        with m.If(self.cut):
            m.d.comb += self.reason.eq(Reason.INPUT_CUT)
        with m.Elif(self.high & ~self.state[1]):
            m.d.comb += self.reason.eq(Reason.ADDRESS_BITS)
        with m.Elif(self.zero & begins):
            m.d.comb += self.reason.eq(Reason.K_ZERO)
        with m.Elif(self.too_long & begins):
            m.d.comb += self.reason.eq(Reason.LIST_TOO_LONG)
        with m.Else():
            m.d.comb += self.reason.eq(Mux(self.last, Reason.HEADER_SHORT, Reason.DATA_TOO_LONG))
