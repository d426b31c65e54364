"""Access of a unit to words of node memory, one request after the other."""

from amaranth import *

from cubecast.rtl.node.stream import BEATS_BITS, STROBES, WORD_ADDRESS_BITS, WORD_BITS

__all__ = ["Access"]


class Access:
    """A read of some words, or a write of one, at a time, built into a unit with the ports of both.

    The request is offered while ``reads`` or ``writes`` is 1, until it is taken; both are kept until ``done``. With
    ``posts`` a write is done when it is taken, and its acknowledgement comes later, before any other.

    Parameters
    ----------
    m : Module
        The module under construction.
    unit : wiring.Component
        Has ``reader``, ``served``, ``word``, ``word_error``, ``writer``, ``written``, ``write_error``.
    """

    def __init__(self, m, unit):
        self.reads, self.writes = Signal(name="reads"), Signal(name="writes")
        """What is done in this cycle; assigned by the user, as the next three."""
        self.address = Signal(WORD_ADDRESS_BITS, name="access_address")
        """Of the first word."""
        self.beats = Signal(BEATS_BITS, name="access_beats")
        """Words to be read, less one."""
        self.posts = Signal(name="posts")
        """The write is posted."""
        self.value = Signal(WORD_BITS, name="access_value")
        """What is written."""
        self.count = Signal(BEATS_BITS, name="access_count")
        """Words that have come; a register."""
        self.posted = Signal(name="posted")
        """A posted write has no acknowledgement yet; a register."""
        self.written = Signal(name="access_written")
        """A write is acknowledged that was not posted."""
        self.comes, self.done = Signal(name="access_comes"), Signal(name="access_done")
        """A word comes; the access ends in this cycle."""
        self.bad = Signal(name="access_bad")
        """With ``done``: some word came with an error, or could not be written."""
        asked, fault, final = Signal(name="asked"), Signal(name="access_fault"), Signal(name="access_final")
        goes = Signal(name="access_goes")
        reader, writer = unit.reader, unit.writer
        m.d.comb += [
            reader.valid.eq(self.reads & ~asked),
            reader.address.eq(self.address),
            reader.beats.eq(self.beats),
            writer.valid.eq(self.writes & ~asked & ~(self.posts & self.posted)),
            writer.address.eq(self.address),
            writer.data.eq(self.value),
            writer.strobe.eq((1 << STROBES) - 1),
            self.comes.eq(self.reads & unit.served),
            final.eq(self.comes & (self.count == self.beats)),
            self.written.eq(unit.written & ~self.posted),
            goes.eq(self.posts & writer.valid & writer.ready),
            self.done.eq(final | Mux(self.posts, goes, self.writes & self.written)),
            self.bad.eq(fault | (self.comes & unit.word_error) | (self.writes & self.written & unit.write_error)),
        ]
        with m.If((self.reads & reader.ready) | (self.writes & ~self.posts & writer.ready)):
            m.d.sync += asked.eq(1)
        with m.If(goes):
            m.d.sync += self.posted.eq(1)
        with m.Elif(unit.written):
            m.d.sync += self.posted.eq(0)
        with m.If(self.comes):
            m.d.sync += [self.count.eq(self.count + 1), fault.eq(self.bad)]
        with m.If(self.done):
            m.d.sync += [asked.eq(0), self.count.eq(0), fault.eq(0)]
