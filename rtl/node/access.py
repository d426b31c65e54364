"""Access of a unit to words of node memory, one request after the other."""

from amaranth import *

from cubecast.rtl.node.stream import BEATS_BITS, STROBES, WORD_ADDRESS_BITS, WORD_BITS

__all__ = ["Access"]


class Access:
    """A read of some words, or a write of one, at a time, built into a unit with the ports of both.

    The request is offered while ``reads`` or ``writes`` is 1, until it is taken; both are kept until ``done``.

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
        self.value = Signal(WORD_BITS, name="access_value")
        """What is written."""
        self.count = Signal(BEATS_BITS, name="access_count")
        """Words that have come; a register."""
        self.comes, self.done = Signal(name="access_comes"), Signal(name="access_done")
        """A word comes; the access ends in this cycle."""
        self.bad = Signal(name="access_bad")
        """With ``done``: some word came with an error, or could not be written."""
        asked, fault, final = Signal(name="asked"), Signal(name="access_fault"), Signal(name="access_final")
        reader, writer = unit.reader, unit.writer
        m.d.comb += [
            reader.valid.eq(self.reads & ~asked),
            reader.address.eq(self.address),
            reader.beats.eq(self.beats),
            writer.valid.eq(self.writes & ~asked),
            writer.address.eq(self.address),
            writer.data.eq(self.value),
            writer.strobe.eq((1 << STROBES) - 1),
            self.comes.eq(self.reads & unit.served),
            final.eq(self.comes & (self.count == self.beats)),
            self.done.eq(final | (self.writes & unit.written)),
            self.bad.eq(fault | (self.comes & unit.word_error) | (self.writes & unit.written & unit.write_error)),
        ]
        with m.If((self.reads & reader.ready) | (self.writes & writer.ready)):
            m.d.sync += asked.eq(1)
        with m.If(self.comes):
            m.d.sync += [self.count.eq(self.count + 1), fault.eq(self.bad)]
        with m.If(self.done):
            m.d.sync += [asked.eq(0), self.count.eq(0), fault.eq(0)]
