"""Output module: copy streamers, one per port or fewer that the ports share, all running at the same time."""

from functools import reduce
from operator import or_

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import bits_for

from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.states import Phase
from cubecast.rtl.common.instance import place
from cubecast.rtl.common.pointed_memory import Foreseen
from cubecast.rtl.multicast.data_buffer import Word
from cubecast.rtl.multicast.link import Words
from cubecast.rtl.multicast.output_port import OutputPort
from cubecast.rtl.multicast.shared_streamers import SharedStreamers

__all__ = ["OutputModule"]


class OutputModule(wiring.Component):
    """Assemble the outgoing copies of a message: new header, then the payload out of the data buffer.

    A streamer launched in cycle t offers its first word in cycle t + 1, and then one word per cycle as long as the
    port takes them and the buffer has them. ``o__j__valid`` is a register, and the words are functions of registers and
    of the buffer alone. With ``streamers`` < n + 1, a copy that finds none free waits for the end of another one; the
    lowest port goes first.

    A copy for a link that is cut is dropped in that cycle. Its header is open until the word that completes the header
    has moved; then the receiver discards what it has, and the destinations are to be served in another way.
    ``restore_rows``, ``lost`` and ``broken`` is asserted in the cycle of the drop.

    Parameters
    ----------
    config : Config
        Parameters of the router.

    Ports
    -----
    launch, launch_rows, launch_k : in, n and m and n
        Start a copy in each dimension set, with these rows of the Store as its list and this k; only where none is on
        its way, or where the link is cut.
    launch_local, skip : in, 1 and bits of 0..B
        Start the local copy, when none is on its way; its payload begins at this address of the buffer.
    multicast, listed : in
        Type of the message.
    address : in, n
        Local address.
    rows, control : in, m * n and n
        Rows 1 to m and row 0 of the Store.
    controls : in, n * n
        Control vector of the copy in dimension j as item j.
    closed, closed_error : in
        The message ends with its header; and with an error.
    level, pushed, word__j__data, word__j__last, word__j__error : in, bits of 0..B, 1, w, 1, 1
        From the data buffer: how many words it has, whether one more comes in this cycle, and its words.
    cut : in, n
        Links that are cut; no word moves there.
    pointer__j : out, bits of 0..B, j = 0..streamers - 1
        Address of the next word of the buffer for streamer j, by default that of port j; a register, set back while no
        copy is on its way.
    ahead__j, delivers : out, bits of 0..B and 1
        What ``pointer__j`` will be in the next cycle, and whether the local copy (with shared streamers: one of
        streamer 0) will be on its way then, if there is no reset; with ``memories`` = block, ``delivers`` only where
        lists are in the buffer.
    o__j__valid, o__j__data, o__j__last, o__j__error, o__j__ready
        Copies, j = 0..n; port n is the local one.
    idle : out
        No copy is on its way.
    copies : out
        A copy for a link is on its way.
    committed : out
        Some copy of those launched last has come to its control vector; a register.
    restore_rows : out, m
        Rows of multicast copies dropped in this cycle with an open header.
    lost, broken : out, n
        Copies dropped in this cycle: of another type with an open header; with a complete one.

    Source: Lan 1988, section 6.4, item 5, and section 6.5.5; k is forwarded unchanged in broadcasts (L7).
    """

    def __init__(self, config: Config):
        self.config = config
        n, rows, bits = config.dim, config.max_dest, bits_for(config.buffer_depth)
        foreseen = {"ahead": Out(bits).array(config.streamers)} if config.reads_ahead else {}
        if config.reads_ahead and config.carries_lists:
            foreseen["delivers"] = Out(1)
        super().__init__(
            {
                "launch": In(n),
                "launch_rows": In(rows),
                "launch_k": In(n),
                "launch_local": In(1),
                "skip": In(bits),
                "multicast": In(1),
                "listed": In(1),
                "address": In(n),
                "rows": In(rows * n),
                "control": In(n),
                "controls": In(n * n),
                "closed": In(1),
                "closed_error": In(1),
                "level": In(bits),
                "pushed": In(1),
                "cut": In(n),
                "word": In(Word(config)).array(config.streamers),
                "pointer": Out(bits).array(config.streamers),
                **foreseen,
                "o": Out(Words(config)).array(config.ports),
                "idle": Out(1),
                "copies": Out(1),
                "committed": Out(1),
                "restore_rows": Out(rows),
                "lost": Out(n),
                "broken": Out(n),
            }
        )

    def elaborate(self, platform):
        """Build the streamers."""
        m = Module()
        n = self.config.dim
        self._source, self._commits = Signal(n), Signal(n)
        m.d.comb += self._source.eq(self.control ^ self.address)
        if self.config.shares_streamers:
            (*active, local), restored = SharedStreamers(m, self, self._source, self._commits).build()
        else:
            active, restored = zip(*(self._streamer(m, j) for j in range(n)), strict=True)
            local = self._local_streamer(m)
        m.d.comb += [
            self.copies.eq(Cat(active).any()),
            self.idle.eq(~(self.copies | local)),
            self.restore_rows.eq(reduce(or_, restored)),
        ]
        with m.If(self.launch.any()):
            m.d.sync += self.committed.eq(0)
        with m.Elif(self._commits.any()):
            m.d.sync += self.committed.eq(1)
        return m

    def _streamer(self, m, j):
        """Build the streamer of dimension j; return its activity flag and the rows it gives back in this cycle."""
        n = self.config.dim
        o, word, pointer, commits = self.o[j], self.word[j], self.pointer[j], self._commits[j]
        active = Signal(name=f"active_{j}")
        reading, running = self._reading(m, j), Foreseen(m, active)
        phase = Signal(Phase, name=f"phase_{j}")
        sublist = Signal(self.config.max_dest, name=f"sublist_{j}")
        pending = Signal(self.config.max_dest, name=f"pending_{j}")
        k = Signal(n, name=f"k_{j}")
        step = Signal(name=f"step_{j}")
        forward = Signal(bits_for(self.config.buffer_depth), name=f"forward_{j}")
        output_port = place(m, f"output_port_{j}", OutputPort, self.config)
        if self.config.fault_tolerant:
            control = Mux(self.multicast, 0, self.controls.word_select(j, n))
        else:
            control = self._source
        goes = self._offer(m, j, active, step, self.launch[j], self.cut[j])
        m.d.comb += [
            output_port.rows.eq(self.rows),
            output_port.pending.eq(pending),
            output_port.address.eq(self.address),
            forward.eq(pointer + 1),
            step.eq(o.valid & o.ready & ~self.cut[j]),
        ]
        with m.Switch(phase):
            with m.Case(Phase.K):
                m.d.comb += [o.data.eq(k), commits.eq(step & ~self.multicast & ~self.listed)]
                with m.If(step):
                    m.d.sync += phase.eq(Phase.LIST)
            with m.Case(Phase.LIST):
                with m.If(self.multicast):
                    m.d.comb += [o.data.eq(output_port.destination), commits.eq(step & output_port.one_left)]
                    with m.If(step):
                        m.d.sync += pending.eq(output_port.remaining)
                with m.Else():
                    m.d.comb += [o.data.eq(word.data), commits.eq(step & (pointer + 1 == k))]
                    with m.If(step):
                        reading.becomes(forward)
            with m.Case(Phase.CONTROL):
                self._control_word(m, o, goes, reading, running, step, control, phase.eq(Phase.BODY))
            with m.Case(Phase.BODY):
                self._body_word(m, o, goes, word, running, step, reading, forward)
        with m.If(commits):
            m.d.sync += phase.eq(Phase.CONTROL)
        restored = self._drop(m, j, active, phase)
        # Launches are known late: whatever could be launched is taken over, so that they start the copy and no more.
        with m.If(~active | self.cut[j]):
            m.d.sync += [
                phase.eq(Phase.K),
                sublist.eq(self.launch_rows),
                pending.eq(self.launch_rows),
                k.eq(self.launch_k),
            ]
            reading.becomes(0)
        with m.If(self.launch[j]):
            m.d.sync += active.eq(1)
        return active, Mux(restored, sublist, 0)

    def _drop(self, m, j, active, phase):
        """Drop the copy when its link is cut; return whether its rows come back."""
        dropped, unfinished = Signal(name=f"dropped_{j}"), Signal(name=f"open_{j}")
        m.d.comb += [
            dropped.eq(active & self.cut[j]),
            unfinished.eq(phase != Phase.BODY),
            self.lost[j].eq(dropped & unfinished & ~self.multicast),
            self.broken[j].eq(dropped & ~unfinished),
        ]
        if self.config.source_field:
            with m.If(self.pointer[j] == self.skip):
                m.d.comb += unfinished.eq(1)
        with m.If(dropped):
            m.d.sync += active.eq(0)
        return dropped & unfinished & self.multicast

    def _local_streamer(self, m):
        """Build the streamer of the local port, which sends neither k nor list; return its activity flag."""
        j = self.config.local
        o, word, pointer = self.o[j], self.word[j], self.pointer[j]
        active, body, step = (Signal(name=f"{name}_{j}") for name in ("active", "body", "step"))
        forward = Signal(bits_for(self.config.buffer_depth), name=f"forward_{j}")
        reading, running = self._reading(m, j), Foreseen(m, active, getattr(self, "delivers", None))
        goes = self._offer(m, j, active, step, self.launch_local, 0)
        m.d.comb += [forward.eq(pointer + 1), step.eq(o.valid & o.ready)]
        with m.If(body):
            self._body_word(m, o, goes, word, running, step, reading, forward)
        with m.Else():
            control = self.control if self.config.fault_tolerant else self._source
            self._control_word(m, o, goes, reading, running, step, control, body.eq(1))
        with m.If(~active):
            m.d.sync += body.eq(0)
            reading.becomes(self.skip)
        with m.If(self.launch_local):
            running.becomes(1)
        return active

    def _reading(self, m, j):
        """Return the pointer of a port, as what gets its next value."""
        return Foreseen(m, self.pointer[j], self.ahead[j] if self.config.reads_ahead else None)

    def _offer(self, m, j, active, step, launch, cut):
        """Make ``o__j__valid`` a register; return what it becomes with a step.

        Whether the word moves is known late in a cycle, so that is found beside it. Without a step, a word that is not
        offered is the next one to be pushed.
        """
        valid, goes = self.o[j].valid, Signal(init=1, name=f"goes_{j}")
        m.d.sync += valid.eq(launch | Mux(step, goes, (valid | self.pushed) & active & ~cut))
        return goes

    def _control_word(self, m, o, goes, reading, running, step, control, proceed):
        """Send the word that ends the header."""
        m.d.comb += [
            goes.eq(~self.closed & (self.pushed | (reading.register < self.level))),
            o.data.eq(control),
            o.last.eq(self.closed),
            o.error.eq(self.closed & self.closed_error),
        ]
        with m.If(step):
            m.d.sync += proceed
            with m.If(self.closed):
                running.becomes(0)

    def _body_word(self, m, o, goes, word, running, step, reading, forward):
        """Send a word of the buffer as soon as it is there."""
        m.d.comb += [
            goes.eq(~word.last & (self.pushed | (forward < self.level))),
            o.data.eq(word.data),
            o.last.eq(word.last),
            o.error.eq(word.last & word.error),
        ]
        with m.If(step):
            reading.becomes(forward)
            with m.If(word.last):
                running.becomes(0)
