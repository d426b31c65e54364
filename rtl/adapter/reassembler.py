"""Reassembler: buffers in which messages that come interleaved are put together."""

from amaranth import *
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.rtl.adapter.stream import Receive
from cubecast.rtl.common.instance import place
from cubecast.rtl.common.select import selected
from cubecast.rtl.crosspoint.matrix_arbiter import order
from cubecast.rtl.crosspoint.queue import Queue

__all__ = ["Reassembler"]


class Reassembler(wiring.Component):
    """Let the words of a message leave one after the other, in a frame that nothing of another message interrupts.

    The first word of a frame is offered two cycles after its last word was taken, or right behind the frame before.

    Parameters
    ----------
    config : AdapterConfig
        Gives the dimension, the width of a word, the number of buffers and their length.

    Ports
    -----
    came__valid, came__data, came__last, came__error, came__first, came__source, came__path, came__ordinal, came__ready
        Words of messages, of several at a time.
    receive__valid, receive__data, receive__last, receive__error, receive__first, receive__source, receive__path,
    receive__ordinal, receive__more, receive__ready
        Words of frames; ``more``: the message goes on in another one.
    """

    def __init__(self, config: AdapterConfig):
        self.config = config
        super().__init__({"came": In(Receive(config)), "receive": Out(Receive(config, framed=True))})

    def elaborate(self, platform):
        """Build the buffers, and let what is in them leave as it is completed."""
        m = Module()
        config, came = self.config, self.came
        count = config.reassemble
        held, opened = Signal(count), Signal(count)
        buffers = [self._buffer(k) for k in range(count)]
        written, oldest = Signal(count), Signal(count)
        before = order(m, written)
        frames = place(m, "frames", Queue, config.frame_shape)
        own, given, into, jumps = Signal(count), Signal(count), Signal(count), Signal(count)
        known, evicts, gap, stale = Signal(), Signal(), Signal(), Signal()
        for k, buffer in enumerate(buffers):
            same = (buffer["source"] == came.source) & (buffer["path"] == came.path[: config.path_bits])
            # By how many packets the word is further; what is more than one is missing.
            further = (came.ordinal - buffer["ordinal"])[: config.ordinal_bits]
            m.d.comb += [own[k].eq(opened[k] & same), jumps[k].eq(further[1:].any())]
        m.d.comb += [
            given.eq(~held & (held + 1)[:count]),
            known.eq(own.any()),
            gap.eq(~came.first & (own & jumps).any()),
            stale.eq(came.valid & known & (came.first | gap)),
            evicts.eq(came.valid & ~known & opened.all()),
            came.ready.eq(came.valid & Mux(known, ~(came.first | gap), ~held.all())),
            into.eq(Mux(known, own, given)),
            written.eq(Mux(came.ready, into, Mux(evicts, oldest, 0))),
            oldest.eq(Cat(~Cat(before[c][k] for c in range(count) if c != k).any() for k in range(count))),
        ]
        index, ends = Signal(config.frame_bits), Signal()
        counted = selected(own, [buffer["count"] for buffer in buffers])
        m.d.comb += [index.eq(counted), ends.eq(came.last | index.all())]
        # What becomes a frame: the buffer of the word, or one without its end.
        closes = Mux(known, own, Mux(held.all(), oldest, given))
        kept = {name: selected(closes, [buffer[name] for buffer in buffers]) for name in buffers[0]}
        new = came.valid & ~known & ~held.all()
        frame = self._frame("frame")
        m.d.comb += [
            frame["buffer"].eq(selected(closes, [C(k, config.buffer_bits) for k in range(count)])),
            frame["source"].eq(Mux(new, came.source, kept["source"])),
            frame["path"].eq(Mux(new, came.path, kept["path"])),
            frame["end"].eq(Mux(came.ready, index, kept["newest"])),
            frame["first"].eq(Mux(new, came.first, kept["first"])),
            frame["more"].eq(Mux(stale, ~gap, ~(came.ready & came.last))),
            frame["error"].eq(Mux(stale, gap, came.ready & came.error)),
            frames.push.eq((came.ready & ends) | stale | evicts),
            frames.data.eq(Cat(frame.values())),
        ]
        with m.If(frames.push):
            m.d.sync += opened.eq(opened & ~closes)
        with m.Elif(came.ready):
            m.d.sync += opened.eq(opened | into)
        for k, buffer in enumerate(buffers):
            with m.If(came.ready & into[k]):
                m.d.sync += [
                    buffer["count"].eq(index + 1),
                    buffer["newest"].eq(index),
                    buffer["ordinal"].eq(came.ordinal),
                ]
            with m.If(new & given[k]):
                m.d.sync += [buffer[name].eq(getattr(came, name)) for name in ("source", "path", "first")]
        left = self._leave(m, frames, came, frame["buffer"], index)
        m.d.sync += held.eq((held | Mux(came.ready, into, 0)) & ~left)
        return m

    def _buffer(self, k):
        """Return the registers of a buffer but for its words; ``newest`` is ``count`` - 1, for the clock rate."""
        config = self.config
        bits = {"source": config.dim, "path": config.path_bits, "first": 1, "ordinal": config.ordinal_bits}
        bits |= {"count": config.frame_bits, "newest": config.frame_bits}
        return {name: Signal(width, name=f"{name}_{k}") for name, width in bits.items()}

    def _frame(self, called):
        """Return what is known of a frame, as it is in the queue."""
        config = self.config
        bits = {
            "buffer": config.buffer_bits,
            "source": config.dim,
            "path": config.path_bits,
            "end": config.frame_bits,
            "first": 1,
            "more": 1,
            "error": 1,
        }
        return {name: Signal(width, name=f"{called}_{name}") for name, width in bits.items()}

    def _leave(self, m, frames, came, buffer, index):
        """Store the words, and offer those of the oldest frame; return the mask of the buffer that is empty then."""
        config, receive = self.config, self.receive
        attributes = {"ram_style": "block", "no_rw_check": 1}
        depth = config.reassemble << config.frame_bits
        bits = config.width + config.ordinal_bits
        m.submodules.words = words = memory.Memory(shape=bits, depth=depth, init=[], attrs=attributes)
        write, read = words.write_port(), words.read_port()
        sent, ahead = self._frame("sent"), self._frame("ahead")
        sending, place_, moves, over, begins = Signal(), Signal(config.frame_bits), Signal(), Signal(), Signal()
        final = place_ == sent["end"]
        m.d.comb += [
            write.en.eq(came.ready),
            write.addr.eq(Cat(index, buffer)),
            write.data.eq(Cat(came.data, came.ordinal)),
            Cat(ahead.values()).eq(frames.o),
            moves.eq(sending & receive.ready),
            over.eq(moves & final),
            begins.eq(frames.ne & (~sending | over)),
            frames.pop.eq(begins),
            # The row that is shown in the next cycle.
            read.addr.eq(
                Mux(begins, Cat(C(0, config.frame_bits), ahead["buffer"]), Cat((place_ + moves)[:-1], sent["buffer"]))
            ),
            receive.valid.eq(sending),
            Cat(receive.data, receive.ordinal).eq(read.data),
            receive.last.eq(final),
            receive.error.eq(final & sent["error"]),
            receive.first.eq(sent["first"] & ~place_.any()),
            receive.source.eq(sent["source"]),
            receive.path.eq(sent["path"]),
            receive.more.eq(final & sent["more"]),
        ]
        with m.If(begins):
            m.d.sync += [*(sent[name].eq(value) for name, value in ahead.items()), place_.eq(0), sending.eq(1)]
        with m.Elif(over):
            m.d.sync += sending.eq(0)
        with m.Elif(moves):
            m.d.sync += place_.eq(place_ + 1)
        return Mux(over, C(1, config.reassemble) << sent["buffer"], 0)[: config.reassemble]
