"""Message handling unit: takes one message at a time and sends its copies on."""

from functools import reduce
from operator import or_

from amaranth import *
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from cubecast.golden.multicast.contract.config import Config
from cubecast.rtl.common.instance import place
from cubecast.rtl.common.report import Report
from cubecast.rtl.multicast.broadcaster_fault_free import BroadcasterFaultFree
from cubecast.rtl.multicast.broadcaster_fault_tolerant import BroadcasterFaultTolerant
from cubecast.rtl.multicast.controller import Controller
from cubecast.rtl.multicast.data_buffer import DataBuffer
from cubecast.rtl.multicast.input_module import InputModule
from cubecast.rtl.multicast.input_port import InputPort
from cubecast.rtl.multicast.link import Words
from cubecast.rtl.multicast.matching_checker import MatchingChecker
from cubecast.rtl.multicast.multicaster import Multicaster
from cubecast.rtl.multicast.output_module import OutputModule
from cubecast.rtl.multicast.policy import connect_straps, policy_of
from cubecast.rtl.multicast.reporter import Reporter
from cubecast.rtl.multicast.store import Store
from cubecast.rtl.multicast.type_checker import TypeChecker

__all__ = ["Mhu"]


class Mhu(wiring.Component):
    """Take a message, decide where it goes, and send the copies, all of them at the same time.

    With c the cycle in which the k word is taken, and no gaps in the input, the header is complete in cycle c + k + 1
    (c + 1 for a broadcast; one more with a source field). The first dimension is decided in that cycle, each further
    one a cycle later, and a copy offers its first word in the cycle after its decision: c + k + 2; with
    ``decision_latency`` = 2 c + k + 3, and each further one two cycles later (``Config.first_copy``). A payload word
    taken in cycle t can leave in cycle t + 1. All outputs but ``start`` and ``decides`` are functions of registers;
    ``i__ready``, the reports and what a shared multicaster gets also of ``fault``, ``no_lane`` and ``cut``.

    While the link that the message comes from is cut, the message ends as if a word {0, last, error} had come. A copy
    for a link that is cut is dropped; what it was to reach is decided again, taken over by other copies, or reported.

    Parameters
    ----------
    config : Config
        Parameters of the router.
    shared : bool
        The multicaster is that of the channel (:class:`SharedMulticaster`): each decision waits until it is offered.

    Ports
    -----
    address : in, n
        Local address.
    fault : in, n
        Links that are cut.
    inject : in
        Strap: the unit of the injection port, which does not deliver a broadcast locally.
    no_lane : in, n
        Dimensions in which a copy would need a lane beyond the last.
    cut : in
        The link that the messages come from is cut; 0 for the injection port.
    i__valid, i__data, i__last, i__error, i__ready
        Messages in.
    free : out
        A whole message of maximum length can be taken.
    start : out
        The first word of a message is taken in this cycle.
    o__j__valid, o__j__data, o__j__last, o__j__error, o__j__ready
        Copies out, j = 0..n; port n is the local one.
    report__valid, report__reason, report__destination, report__ready
        What was not delivered.
    asks, decides : out
        Only with ``shared``, as all that follow: rows can be decided on, and do not wait for copies of the message;
        a decision is launched in this cycle.
    votes, blocked : out, m * n and n
        Reference array as the multicaster is to see it; dimensions that must not be taken.
    offered, y, r, k : in, 1 and n and m and n
        The choice y, r, k may be launched in this cycle.

    Source: Lan 1988, section 6.4, figures 6.2 and 6.3, and section 7.4.
    """

    def __init__(self, config: Config, *, shared: bool = False):
        self.config = config
        self.shared = shared
        super().__init__(
            {
                "address": In(config.dim),
                "fault": In(config.dim),
                "inject": In(1),
                "no_lane": In(config.dim),
                "cut": In(1),
                "i": In(Words(config)),
                "free": Out(1),
                "start": Out(1),
                "o": Out(Words(config)).array(config.ports),
                "report": Out(Report(config.dim)),
            }
            | (_shared_ports(config) if shared else {})
        )

    def elaborate(self, platform):
        """Connect the units."""
        m = Module()
        self._policy = policy_of(self.config)
        self._input_side(m)
        self._processing(m)
        self._output_side(m)
        return m

    def _place(self, m, unit, name, **extra):
        """Place a unit of this MHU."""
        return place(m, name, unit, self.config, **extra)

    def _input_side(self, m):
        """Connect controller, input module, input port and the checkers."""
        shared = {"shared": True} if self.shared else {}
        self._controller = controller = self._place(m, Controller, "controller", **shared)
        self._input_module = input_module = self._place(m, InputModule, "input_module")
        self._input_port = input_port = self._place(m, InputPort, "input_port")
        self._matching_checker = matching_checker = self._place(m, MatchingChecker, "matching_checker")
        type_checker = self._place(m, TypeChecker, "type_checker")
        taken, closing = Signal(), Signal()
        m.d.comb += [
            closing.eq(self.cut & controller.accept & ~controller.free),
            taken.eq((self.i.valid & self.i.ready) | closing),
            self.i.ready.eq(controller.accept & ~self.cut),
            self.free.eq(controller.free),
            self.start.eq(taken & controller.free),
            controller.taken.eq(taken),
            controller.last.eq(self.i.last | closing),
            controller.bad.eq(input_module.bad),
            controller.truncated.eq(input_module.truncated),
            controller.header_end.eq(input_module.header_end),
            controller.multicast.eq(input_module.is_multicast),
            input_port.word.eq(self.i.data),
            input_port.address.eq(self.address),
            type_checker.k.eq(input_port.field),
            input_module.state.eq(controller.state),
            input_module.discard.eq(controller.discard),
            input_module.taken.eq(taken),
            # The input module looks at nothing else of a word that stands for the rest of a message.
            input_module.cut.eq(closing),
            input_module.word.eq(self.i.data),
            input_module.last.eq(self.i.last),
            input_module.error.eq(self.i.error),
            input_module.field.eq(input_port.field),
            input_module.high.eq(input_port.high),
            input_module.multicast.eq(type_checker.multicast),
            input_module.listed.eq(type_checker.listed),
            input_module.broadcast.eq(type_checker.broadcast),
            input_module.zero.eq(type_checker.zero),
            input_module.too_long.eq(type_checker.too_long),
            matching_checker.clear.eq(input_module.clear),
            matching_checker.check.eq(input_module.check),
            matching_checker.relative.eq(input_port.relative),
        ]

    def _processing(self, m):
        """Connect Store, multicaster and broadcaster; derive what is launched."""
        controller, input_module, input_port = self._controller, self._input_module, self._input_port
        self._store = store = self._place(m, Store, "store")
        array, blocked = self._choose(m)
        n = self.config.dim
        self._control, self._controls = Signal(n), Signal(n * n)
        self._decided = Signal(self.config.max_dest)
        self._launch, self._launch_k = Signal(n), Signal(n)
        self._kept = Signal(n, name="kept")
        self._blocked = Signal(n)
        send = Signal(n)
        pipelined = self.config.decision_latency > 1
        if pipelined or self._policy.revotes:
            relinked = self._relinked(m)
        if self._policy.revotes:
            m.d.comb += controller.changed.eq(relinked)
        if pipelined:
            self._await_choice(m, relinked)
        elif self.shared:
            m.d.comb += controller.chosen.eq(self.offered)
        m.d.comb += [
            self._blocked.eq(self.fault | self.no_lane),
            store.clear.eq(input_module.clear),
            store.write.eq(input_module.write),
            store.row.eq(input_module.row),
            array.eq(self._policy.votes(m, store, self.address, self._blocked)),
            blocked.eq(self._blocked),
            # The multicaster's own output says the same, but later.
            controller.terminate.eq(~(_any_row(store.a, self.config) & ~self._blocked).any()),
            self._decided.eq(Mux(controller.decide, self._choice.r, 0)),
        ]
        if self.config.fault_tolerant:
            self._broadcast_fault_tolerant(m, send)
        else:
            broadcaster = self._place(m, BroadcasterFaultFree, "broadcaster")
            m.d.comb += [
                store.value.eq(input_port.relative),
                broadcaster.source.eq(input_port.relative),
                self._control.eq(broadcaster.send),
                send.eq(broadcaster.send & ~self._blocked),
            ]
            connect_straps(m, broadcaster, self._policy.broadcaster_straps(self.address))
        with m.If(input_module.is_multicast):
            m.d.comb += self._launch.eq(Mux(controller.decide, self._choice.y, 0))
            m.d.comb += self._launch_k.eq(self._choice.k)
        with m.Else():
            m.d.comb += self._launch.eq(Mux(input_module.header_end, send, 0))
            m.d.comb += self._launch_k.eq(input_module.k)

    def _choose(self, m):
        """Place or connect the multicaster, with the choice as its y, r and k; return its array and blocked dimensions.

        A shared one stands behind ports of this unit.
        """
        if not self.shared:
            self._choice = multicaster = self._place(m, Multicaster, "multicaster")
            return multicaster.a, multicaster.fault
        self._choice = self
        m.d.comb += [self.asks.eq(self._controller.asks), self.decides.eq(self._controller.decide)]
        return self.votes, self.blocked

    def _relinked(self, m):
        """Return whether a link was cut or repaired since the cycle before."""
        fault_before = Signal(self.config.dim)
        m.d.sync += fault_before.eq(self.fault)
        return self.fault != fault_before

    def _await_choice(self, m, relinked):
        """Tell the controller whether the choice is of the rows and links as they are now.

        Rows that the reporter resets have no votes, so a choice is right without them as well.
        """
        touched = Signal()
        changes = [self._input_module.clear, self._input_module.check, self._controller.decide]
        changes.append(self._store.restore_rows.any())
        m.d.sync += touched.eq(Cat(changes).any())
        nothing = ~self.offered if self.shared else self._choice.terminate
        m.d.comb += self._controller.chosen.eq(~(nothing | touched | relinked))

    def _broadcast_fault_tolerant(self, m, send):
        """Connect the broadcaster twice: to launch copies, and to give each its vector while they stream.

        One unit for both would put a path from the incoming word to the outgoing ones.
        """
        store, input_module, input_port = self._store, self._input_module, self._input_port
        launcher = self._place(m, BroadcasterFaultTolerant, "launcher")
        broadcaster = self._place(m, BroadcasterFaultTolerant, "broadcaster")
        for unit in (launcher, broadcaster):
            connect_straps(m, unit, self._policy.broadcaster_straps(self.address))
        m.d.comb += [
            store.value.eq(Mux(input_module.row == 0, input_port.field, input_port.relative)),
            self._control.eq(store.source if self.config.source_field else input_port.field),
            launcher.control.eq(self._control),
            launcher.fault.eq(self._blocked),
            send.eq(launcher.send),
            broadcaster.control.eq(store.source),
            broadcaster.fault.eq(self._kept),
            self._controls.eq(broadcaster.controls),
        ]

    def _output_side(self, m):
        """Connect data buffer, output module and reporter."""
        controller, input_module, store = self._controller, self._input_module, self._store
        data_buffer = self._place(m, DataBuffer, "data_buffer")
        output_module = self._place(m, OutputModule, "output_module")
        reporter = self._place(m, Reporter, "reporter")
        reader = self.config.list_reader
        deliver = Mux(input_module.is_broadcast, ~self.inject, self._matching_checker.match)
        m.d.comb += [
            data_buffer.clear.eq(input_module.clear),
            data_buffer.push.eq(input_module.push),
            data_buffer.data.eq(input_module.push_data),
            data_buffer.last.eq(input_module.push_last),
            data_buffer.error.eq(input_module.push_error),
            output_module.launch.eq(self._launch),
            output_module.launch_rows.eq(self._choice.r),
            output_module.launch_k.eq(self._launch_k),
            output_module.launch_local.eq(input_module.header_end & deliver),
            output_module.skip.eq(Mux(input_module.is_listed, input_module.k, 0)),
            output_module.multicast.eq(input_module.is_multicast),
            output_module.listed.eq(input_module.is_listed),
            output_module.address.eq(self.address),
            output_module.rows.eq(store.rows),
            output_module.control.eq(store.source),
            output_module.controls.eq(self._controls),
            output_module.closed.eq(input_module.closed),
            output_module.closed_error.eq(input_module.closed_error),
            output_module.level.eq(data_buffer.level),
            output_module.pushed.eq(input_module.push),
            output_module.cut.eq(self.fault),
            reporter.clear.eq(input_module.clear),
            reporter.bad.eq(input_module.bad),
            reporter.truncated.eq(input_module.truncated),
            reporter.reason.eq(input_module.reason),
            reporter.header_end.eq(input_module.header_end),
            reporter.state.eq(controller.state),
            reporter.multicast.eq(input_module.is_multicast),
            reporter.listed.eq(input_module.is_listed),
            reporter.broadcast.eq(input_module.is_broadcast),
            reporter.terminate.eq(controller.terminate),
            reporter.a.eq(store.a),
            reporter.control.eq(self._control),
            reporter.fault.eq(self.fault),
            reporter.no_lane.eq(self.no_lane),
            reporter.copies_idle.eq(output_module.idle),
            reporter.address.eq(self.address),
            reporter.k.eq(input_module.k),
            reporter.list_word.eq(data_buffer.word[reader].data),
            reporter.lost.eq(output_module.lost),
            reporter.broken.eq(output_module.broken),
            reporter.committed.eq(output_module.committed),
            reporter.source.eq(store.source),
            reporter.kept.eq(self._kept),
            reporter.controls.eq(self._controls),
            store.reset_rows.eq(self._decided | reporter.reset_rows),
            store.restore_rows.eq(output_module.restore_rows),
            controller.restored.eq(output_module.restore_rows.any()),
            controller.copies.eq(output_module.copies),
            controller.idle.eq(output_module.idle & reporter.idle),
        ]
        if self.config.fault_tolerant:
            m.d.sync += self._kept.eq(Mux(input_module.header_end, self._blocked, self._kept | reporter.keep))
        # The reporter reads the list through the local port, or a shared one, when no copy needs it.
        if not self.config.reads_ahead:
            addresses, wanted = data_buffer.pointer, list(output_module.pointer)
            # A word that is not offered is not looked at, and a register says so.
            needed = ~output_module.idle if self.config.shares_streamers else output_module.o[reader].valid
            wanted[reader] = Mux(needed, wanted[reader], reporter.pointer)
        else:
            addresses, wanted = data_buffer.ahead, list(output_module.ahead)
            if self.config.carries_lists:
                wanted[reader] = Mux(output_module.delivers, wanted[reader], reporter.ahead)
        for j, word in enumerate(output_module.word):
            read = data_buffer.word[j]
            m.d.comb += [word.data.eq(read.data), word.last.eq(read.last), word.error.eq(read.error)]
            m.d.comb += addresses[j].eq(wanted[j])
        for inner, outer in zip(output_module.o, self.o, strict=True):
            connect(m, inner, flipped(outer))
        connect(m, reporter.o, flipped(self.report))


def _shared_ports(config):
    """Return the ports to the multicaster of the channel."""
    n, rows = config.dim, config.max_dest
    return {
        "asks": Out(1),
        "decides": Out(1),
        "votes": Out(rows * n),
        "blocked": Out(n),
        "offered": In(1),
        "y": In(n),
        "r": In(rows),
        "k": In(n),
    }


def _any_row(a, config):
    """Return for each column of the reference array whether any row has a one there."""
    return reduce(or_, (a.word_select(i, config.dim) for i in range(config.max_dest)))
