"""Streamers that the ports of an output module share."""

from functools import reduce
from operator import or_

from amaranth import *

from cubecast.golden.multicast.contract.states import Phase
from cubecast.rtl.common.instance import place
from cubecast.rtl.common.pointed_memory import Foreseen
from cubecast.rtl.common.select import selected
from cubecast.rtl.multicast.output_port import OutputPort

__all__ = ["SharedStreamers"]


class SharedStreamers:
    """The inside of an output module whose ports share ``config.streamers`` streamers.

    A copy keeps its rows and its k at its port, and what has been sent of it in the streamer that serves it. Streamers
    that are free, or become free in a cycle, take what waits, so there is no gap between two copies.

    Parameters
    ----------
    m : Module
        The module under construction.
    unit : OutputModule
        The output module, with its ports.
    source : value
        Address of the source, in the fault-free format.
    commits : Signal
        Gets a bit for each streamer whose copy steps to its control word.
    """

    def __init__(self, m, unit, source, commits):
        self._m, self._unit, self._source, self._commits = m, unit, source, commits
        self._config = config = unit.config
        n, rows, ports = config.dim, config.max_dest, config.ports
        self._active = [Signal(name=f"active_{j}") for j in range(ports)]
        self._sublists = [Signal(rows, name=f"sublist_{j}") for j in range(n)]
        self._ks = [Signal(n, name=f"k_{j}") for j in range(n)]
        self._cut = Signal(ports, name="cut_ports")
        m.d.comb += self._cut.eq(unit.cut)
        streamers = [_Streamer(m, unit, i, self._cut) for i in range(config.streamers)]
        self._streamers = streamers
        self._served = reduce(or_, (each.serves for each in streamers))

    def build(self):
        """Build everything; return for each port whether it has a copy, and for each dimension the rows it gives back.

        The former are registers.
        """
        m, unit, n = self._m, self._unit, self._config.dim
        launch, left = Signal(n + 1, name="launch_ports"), Signal(n + 1, name="left")
        m.d.comb += [
            launch.eq(Cat(unit.launch, unit.launch_local)),
            left.eq(launch | (Cat(self._active) & ~self._served & ~self._cut)),
        ]
        for streamer in self._streamers:
            left = streamer.build(left, self._header(streamer))
        m.d.comb += self._commits.eq(Cat(each.commits for each in self._streamers))
        ended = reduce(or_, (each.ended for each in self._streamers))
        for j, active in enumerate(self._active):
            m.d.sync += active.eq(launch[j] | (active & ~self._cut[j] & ~ended[j]))
        for sublist, k, active, cut in zip(self._sublists, self._ks, self._active, self._cut, strict=False):
            # Launches are known late: whatever could be launched is taken over.
            with m.If(~active | cut):
                m.d.sync += [sublist.eq(unit.launch_rows), k.eq(unit.launch_k)]
        for j, o in enumerate(unit.o):
            m.d.comb += o.valid.eq(Cat(each.offers[j] for each in self._streamers).any())
            for name in ("data", "last", "error"):
                values = [getattr(each, name) for each in self._streamers]
                mine = [each.serves[j] for each in self._streamers]
                m.d.comb += getattr(o, name).eq(selected(mine, values) if len(values) > 1 else values[0])
        return self._active, [self._drop(j) for j in range(n)]

    def _header(self, streamer):
        """Return k, the rows and the control word of the copy that a streamer serves."""
        unit, n = self._unit, self._config.dim
        mine = streamer.serves[:n]
        control = self._source
        if self._config.fault_tolerant:
            vectors = selected(mine, [unit.controls.word_select(j, n) for j in range(n)])
            control = Mux(streamer.serves[n], unit.control, Mux(unit.multicast, 0, vectors))
        return selected(mine, self._ks), selected(mine, self._sublists), control

    def _drop(self, j):
        """Say what becomes of the copy for a dimension when its link is cut; return the rows that come back."""
        m, unit = self._m, self._unit
        dropped, complete = Signal(name=f"dropped_{j}"), Signal(name=f"complete_{j}")
        m.d.comb += [
            dropped.eq(self._active[j] & unit.cut[j]),
            complete.eq(Cat(each.serves[j] & each.complete for each in self._streamers).any()),
            unit.lost[j].eq(dropped & ~complete & ~unit.multicast),
            unit.broken[j].eq(dropped & complete),
        ]
        return Mux(dropped & ~complete & unit.multicast, self._sublists[j], 0)


class _Streamer:
    """One streamer: ``serves`` and ``offers`` are masks of ports, registers with one bit set or none.

    ``data``, ``last``, ``error``: the word it offers. ``commits``: its copy steps to the control word. ``complete``:
    the header has moved. ``ended``: mask of the port whose copy ends with a step in this cycle.
    """

    def __init__(self, m, unit, i, cut):
        self._m, self._unit, self._i, self._cut = m, unit, i, cut
        config = unit.config
        self.serves, self.offers, self.ended = (
            Signal(config.ports, name=f"{name}_{i}") for name in ("serves", "offers", "ended")
        )
        self.data = Signal(config.width, name=f"data_{i}")
        self.last, self.error, self.commits, self.complete = (
            Signal(name=f"{name}_{i}") for name in ("last", "error", "commits", "complete")
        )
        self._step, self._goes = Signal(name=f"step_{i}"), Signal(init=1, name=f"goes_{i}")
        self._phase = Signal(Phase, name=f"phase_{i}")

    def build(self, left, header):
        """Build it; return which copies it leaves waiting of those that are ``left`` to it.

        ``header`` are k, the rows and the control word of the copy that it serves.
        """
        m, unit, i, config, serves, step = self._m, self._unit, self._i, self._unit.config, self.serves, self._step
        free, takes, others, following = (
            Signal(width, name=f"{name}_{i}")
            for name, width in (("free", 1), ("takes", len(serves)), ("left", len(serves)), ("following", len(serves)))
        )
        valid = self.offers.any()
        m.d.comb += [
            step.eq((self.offers & ~self._cut & Cat(o.ready for o in unit.o)).any()),
            self.ended.eq(Mux(step & self.last, serves, 0)),
            free.eq(~serves.any() | (serves & self._cut).any() | (step & self.last)),
            takes.eq(Cat(left[j] & ~left[:j].any() for j in range(config.ports))),
            others.eq(Mux(free, left & ~takes, left)),
            following.eq(Mux(free, takes, serves)),
        ]
        # Without a step, a word that is not offered is the next one to be pushed.
        offered = Mux(Mux(step, self._goes, valid | unit.pushed), serves, 0)
        m.d.sync += [serves.eq(following), self.offers.eq(Mux(free, takes, offered))]
        if i == 0 and config.reads_ahead and config.carries_lists:
            m.d.comb += unit.delivers.eq(following.any())
        self._words(free, header)
        return others

    def _words(self, free, header):
        """Send the words of a copy, one after the other."""
        m, unit, i, phase, step = self._m, self._unit, self._i, self._phase, self._step
        k, rows, control = header
        pointer, word = unit.pointer[i], unit.word[i]
        sent, now = Signal(unit.config.max_dest, name=f"sent_{i}"), Signal(Phase, name=f"now_{i}")
        forward = Signal(len(pointer), name=f"forward_{i}")
        reading = Foreseen(m, pointer, unit.ahead[i] if unit.config.reads_ahead else None)
        output_port = place(m, f"output_port_{i}", OutputPort, unit.config)
        m.d.comb += [
            output_port.rows.eq(unit.rows),
            output_port.pending.eq(rows & ~sent),
            output_port.address.eq(unit.address),
            forward.eq(pointer + 1),
            # The local copy begins with its control word.
            now.eq(Mux(self.serves[-1] & (phase == Phase.K), Phase.CONTROL, phase)),
        ]
        with m.Switch(now):
            with m.Case(Phase.K):
                m.d.comb += [self.data.eq(k), self.commits.eq(step & ~unit.multicast & ~unit.listed)]
                with m.If(step):
                    m.d.sync += phase.eq(Phase.LIST)
            with m.Case(Phase.LIST):
                with m.If(unit.multicast):
                    m.d.comb += [self.data.eq(output_port.destination), self.commits.eq(step & output_port.one_left)]
                    with m.If(step):
                        m.d.sync += sent.eq(~output_port.remaining)
                with m.Else():
                    m.d.comb += [self.data.eq(word.data), self.commits.eq(step & (forward == k))]
                    with m.If(step):
                        reading.becomes(forward)
            with m.Case(Phase.CONTROL):
                m.d.comb += [
                    self._goes.eq(~unit.closed & (unit.pushed | (unit.skip < unit.level))),
                    self.data.eq(control),
                    self.last.eq(unit.closed),
                    self.error.eq(unit.closed & unit.closed_error),
                ]
                with m.If(step):
                    m.d.sync += phase.eq(Phase.BODY)
                    reading.becomes(unit.skip)
            with m.Case(Phase.BODY):
                m.d.comb += [
                    self._goes.eq(~word.last & (unit.pushed | (forward < unit.level))),
                    self.data.eq(word.data),
                    self.last.eq(word.last),
                    self.error.eq(word.last & word.error),
                    self.complete.eq(pointer != unit.skip if unit.config.source_field else 1),
                ]
                with m.If(step):
                    reading.becomes(forward)
        with m.If(self.commits):
            m.d.sync += phase.eq(Phase.CONTROL)
        with m.If(free):
            m.d.sync += [phase.eq(Phase.K), sent.eq(0)]
            reading.becomes(0)
