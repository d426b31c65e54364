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
        """Decode by state."""
        m = Module()
        self._left = Signal(self.config.dim)
        self._control_taken = Signal()
        self._count = Signal(range(self.config.max_data + 1))
        m.d.comb += self.push_data.eq(Mux(self.cut, 0, self.word))
        with m.If(self.taken), m.Switch(self.state):
            with m.Case(State.WAIT):
                self._k_word(m)
            with m.Case(State.INPUT):
                with m.If(self.cut):
                    self._bad(m, Reason.INPUT_CUT)
                with m.Elif(self.high):
                    self._bad(m, Reason.ADDRESS_BITS)
                with m.Elif(self._left != 0):
                    self._destination(m)
                if self.config.source_field:
                    with m.Elif(~self._control_taken):
                        self._control_before_source(m)
                    with m.Else():
                        self._source(m)
                else:
                    with m.Else():
                        self._control(m)
            with m.Default(), m.If(~self.discard):
                self._payload(m)
        return m

    def _bad(self, m, reason):
        """Refuse the message; nothing of its header stays."""
        m.d.comb += [self.clear.eq(1), self.bad.eq(1), self.reason.eq(reason)]

    def _truncate(self, m, reason):
        """Cut the message off here."""
        m.d.comb += [self.truncated.eq(1), self.reason.eq(reason)]

    def _k_word(self, m):
        """Begin a message."""
        m.d.comb += self.clear.eq(1)
        m.d.sync += [
            self.k.eq(self.field),
            self.is_multicast.eq(self.multicast),
            self.is_listed.eq(self.listed),
            self.is_broadcast.eq(self.broadcast),
            self._left.eq(Mux(self.broadcast, 0, self.field)),
            self.closed.eq(0),
            self.closed_error.eq(0),
        ]
        if self.config.source_field:
            m.d.sync += self._control_taken.eq(0)
        if self.config.max_data:
            m.d.sync += self._count.eq(0)
        with m.If(self.high):
            self._bad(m, Reason.ADDRESS_BITS)
        with m.Elif(self.zero):
            self._bad(m, Reason.K_ZERO)
        with m.Elif(self.too_long):
            self._bad(m, Reason.LIST_TOO_LONG)
        with m.Elif(self.last):
            self._bad(m, Reason.HEADER_SHORT)

    def _destination(self, m):
        """Check a destination; keep it in the Store or in the buffer."""
        with m.If(self.last):
            self._bad(m, Reason.HEADER_SHORT)
        with m.Else():
            m.d.comb += [
                self.check.eq(1),
                self.write.eq(self.is_multicast),
                self.row.eq(self.k - self._left + 1),
                self.push.eq(self.is_listed),
            ]
            m.d.sync += self._left.eq(self._left - 1)

    def _control_before_source(self, m):
        """Take the control vector when the source address comes after it."""
        with m.If(self.last):
            self._bad(m, Reason.HEADER_SHORT)
        with m.Else():
            m.d.comb += self.write.eq(1)
            m.d.sync += self._control_taken.eq(1)

    def _control(self, m):
        """Take the control vector or source address that ends the header."""
        m.d.comb += [self.write.eq(1), self.header_end.eq(1)]
        if self.config.max_data:
            m.d.sync += [self.closed.eq(self.last), self.closed_error.eq(self.last & self.error)]
        else:
            m.d.sync += [self.closed.eq(1), self.closed_error.eq(~self.last | self.error)]
            with m.If(~self.last):
                self._truncate(m, Reason.DATA_TOO_LONG)

    def _source(self, m):
        """Take the source address that ends the header; it travels as the first word behind it."""
        m.d.comb += [self.header_end.eq(1), self.push.eq(1)]
        m.d.comb += [self.push_last.eq(self.last), self.push_error.eq(self.last & self.error)]
        if not self.config.max_data:
            with m.If(~self.last):
                m.d.comb += [self.push_last.eq(1), self.push_error.eq(1)]
                self._truncate(m, Reason.DATA_TOO_LONG)

    def _payload(self, m):
        """Store a payload word; the last one that fits ends the message with an error if it goes on."""
        m.d.comb += [self.push.eq(1), self.push_last.eq(self.last), self.push_error.eq(self.last & self.error)]
        if self.config.max_data:
            with m.If(self._count != self.config.max_data):
                m.d.sync += self._count.eq(self._count + 1)
            with m.If(~self.last & (self._count == self.config.max_data - 1)):
                m.d.comb += [self.push_last.eq(1), self.push_error.eq(1)]
                self._truncate(m, Reason.DATA_TOO_LONG)
        with m.If(self.cut):
            m.d.comb += [self.push_last.eq(1), self.push_error.eq(1)]
            self._truncate(m, Reason.INPUT_CUT)
