"""What a message handling unit has to promise, whatever comes in and whenever links are cut."""

import dataclasses
from functools import reduce
from operator import or_

from amaranth.asserts import AnyConst, AnySeq
from amaranth.hdl import Assert, Assume, C, Cat, Cover, Module, Mux, Signal

from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.reason import Reason
from cubecast.golden.multicast.contract.states import Phase, State
from cubecast.rtl.common.select import selected
from cubecast.rtl.multicast.data_buffer import DataBuffer
from cubecast.rtl.multicast.mhu import Mhu
from cubecast.rtl.multicast.multicaster import Multicaster
from tests.harness.altered import Altered
from tests.harness.inside import register, unit
from tests.harness.spec import Spec
from tests.harness.surroundings import beside
from tests.multicast.register_buffer import RegisterBuffer
from tests.multicast.surroundings import ReporterSurroundings

__all__ = ["ProgressSpec", "ReasonsSpec", "RegisterMhu", "RoomSpec", "SteadySpec", "WaitingMhu"]


class MhuSpec(Spec):
    """A unit with free inputs, and what is true of its registers in every cycle.

    Parameters
    ----------
    config : Config
        Parameters of the router.
    """

    unit = Mhu

    def elaborate(self, platform):
        """Place the unit, drive it, and state what it promises."""
        m = Module()
        dut = self.place(m)
        for strap in (dut.address, dut.inject, dut.no_lane):
            m.d.comb += strap.eq(AnyConst(len(strap)))
        for signal in (dut.i.valid, dut.i.data, dut.i.last, dut.i.error, dut.report.ready, *(o.ready for o in dut.o)):
            m.d.comb += signal.eq(AnySeq(len(signal)))
        if self.config.fault_tolerant:
            m.d.comb += [dut.fault.eq(AnySeq(len(dut.fault))), dut.cut.eq(AnySeq(1))]
        self._name()
        self._invariants(m)
        self.state(m, dut)
        return m

    def _path(self, *path):
        """Return the path to something in the unit."""
        return path if issubclass(self.unit, Mhu) else ("inner", *path)

    def _register(self, *path):
        """Return a register of the unit, or of what stands in the place of one of its parts."""
        *part, name = self._path(*path)
        if isinstance(unit(self.fragment, *part), Altered):
            part.append("inner")
        return register(self.fragment, *part, name)

    def _unit(self, name):
        """Return a unit of the unit."""
        return unit(self.fragment, *self._path(name))

    def _name(self):
        """Give names to registers and ports of the units."""
        self.controller = self._unit("controller")
        self.inputs = self._unit("input_module")
        self.buffer = self._unit("data_buffer")
        self.outputs = self._unit("output_module")
        self.reporter = self._unit("reporter")
        self.store = self._unit("store")
        self.row, self.more = (self._register("input_module", name) for name in ("_row", "_more"))
        self.count = self._register("input_module", "_count") if self.config.max_data else C(0)
        self.control_taken = self._register("input_module", "_control_taken") if self.config.source_field else C(0)
        self.good = self._register("reporter", "good")
        self.pending = self._register("reporter", "pending")
        owed = [self._register("reporter", name) for name in ("scanning", "cut_copies", "lost_copies")]
        self.owed = Cat(self.pending, *owed).any()

    def _invariants(self, m):
        """State what is true of the registers in every cycle."""
        config, inputs, controller = self.config, self.inputs, self.controller
        state, level, k = controller.state, self.buffer.level, inputs.k
        list_words = Mux(inputs.is_listed, k, 0)
        types = Cat(inputs.is_multicast, inputs.is_listed, inputs.is_broadcast)
        typed = (
            (inputs.is_multicast & (k >= 1) & (k <= config.max_dest))
            | (inputs.is_listed & (k > config.max_dest) & (k <= config.max_list))
            | (inputs.is_broadcast & (k == config.broadcast_k))
        )
        here = state[1]
        m.d.comb += Assert((types & (types - 1)) == 0)
        for i in range(config.max_dest):
            a, row = (rows.word_select(i, config.dim) for rows in (self.store.a, self.store.rows))
            m.d.comb += Assert((a == 0) | (a == row))
        if config.source_field:
            m.d.comb += Assert(~inputs.closed)
        with m.If(state == State.WAIT):
            m.d.comb += [Assert(~controller.ended), Assert(~controller.discard)]
        with m.If(~here):
            m.d.comb += [Assert(self.outputs.idle), Assert(~self.owed), Assert(~controller.discard)]
        with m.If(state == State.INPUT):
            m.d.comb += [
                Assert(typed),
                Assert(~self.good),
                Assert(~controller.ended),
                Assert(self.row <= Mux(inputs.is_broadcast, 0, k)),
                Assert(self.more == self.row.any()),
                Assert(level == Mux(inputs.is_listed, Mux(self.more, self.row - 1, k), 0)),
                Assert(self.count == 0),
                Assert(~self.control_taken | ~self.more),
            ]
        with m.If(here & self.good):
            m.d.comb += [Assert(typed), Assert(self.count <= config.max_data)]
            m.d.comb += Assert(level == list_words + int(config.source_field) + self.count)
            m.d.comb += Assert(controller.ended | controller.discard | (self.count < config.max_data))
        with m.If(here & ~self.good):
            m.d.comb += [Assert(controller.discard), Assert(self.outputs.idle), Assert(state == State.OUTPUT)]
            m.d.comb += Assert(self.store.a == 0)
        with m.If(state == State.PROCESSING):
            m.d.comb += Assert(inputs.is_multicast)


class RoomSpec(MhuSpec):
    """A message is taken only when there is room for its whole length.

    At its first word no copy and no report of the one before is left. No word comes to a full buffer, and no address to
    a row that the Store does not have.
    """

    def state(self, m, dut):
        """Look at what goes into the buffer and the Store."""
        inputs = self.inputs
        m.d.comb += [
            Assert(~inputs.push | (self.buffer.level < self.config.buffer_depth)),
            Assert(~inputs.write | (inputs.row <= Mux(inputs.is_multicast, inputs.k, 0))),
            Assert(~inputs.clear | (self.outputs.idle & ~self.owed)),
            Assert(~dut.start | dut.free),
            Cover((self.buffer.level == self.config.buffer_depth) & self.controller.ended),
        ]


class RegisterMhu(Mhu):
    """The unit with its data buffer made of registers."""

    def _place(self, m, unit, name, **extra):
        """Place a unit of this unit."""
        return super()._place(m, RegisterBuffer if unit is DataBuffer else unit, name, **extra)


class WaitingMhu(RegisterMhu):
    """The same for units that share a multicaster: any choice may be offered at any time, or never."""

    def __init__(self, config: Config):
        super().__init__(config)
        self.shared = True

    def _choose(self, m):
        """Place a multicaster in place of the channel's, which is that of this unit while it is offered the choice."""
        self._choice = multicaster = self._place(m, Multicaster, "multicaster")
        self.offered = AnySeq(1)
        if self.config.decision_latency > 1:
            self.offered &= ~multicaster.terminate
        return multicaster.a, multicaster.fault


class DetailedSpec(MhuSpec):
    """A unit with a buffer of registers, and what is true of its buffer, copies and reports in every cycle."""

    unit = RegisterMhu

    def state(self, m, dut):
        """State what is true of the registers, then what the unit promises: a broken one has to break that."""
        if self.unit in (RegisterMhu, WaitingMhu):
            self._contents(m)
            self._copies(m)
            self._served(m)
            self._reports(m)
            if self.config.fault_tolerant:
                self._own_dimensions(m)
        if self.config.decision_latency > 1:
            self._choices(m, dut)
        self.promise(m, dut)

    def _contents(self, m):
        """State where in the buffer the last word of a message is."""
        inputs, controller, level = self.inputs, self.controller, self.buffer.level
        self.here = controller.state[1] & self.good
        self.skip = Mux(inputs.is_listed, inputs.k, 0)
        self.finished = controller.ended | controller.discard
        ends = self.here & self.finished & ~inputs.closed
        m.d.comb += [
            Assert(~ends | (level > self.skip)),
            Assert(~(self.here & inputs.closed) | (self.finished & (level == self.skip))),
        ]
        with m.If(self.here | (controller.state == State.INPUT)):
            for i in range(self.config.buffer_depth):
                m.d.comb += Assert((i >= level) | (self.buffer.ends(i) == (ends & (i + 1 == level))))

    def _copies(self, m):
        """State how far copies can be."""
        if self.config.shares_streamers:
            self._shared_copies(m)
            return
        inputs, level = self.inputs, self.buffer.level
        for j, (o, pointer) in enumerate(zip(self.outputs.o, self.outputs.pointer, strict=True)):
            body = Signal(name=f"body_of_{j}")
            if j < self.config.dim:
                phase, pending = (self._register("output_module", f"{name}_{j}") for name in ("phase", "pending"))
                sublist, k = (self._register("output_module", f"{name}_{j}") for name in ("sublist", "k"))
                m.d.comb += body.eq(phase == Phase.BODY)
            else:
                phase, pending, sublist, k = C(Phase.CONTROL, 2), C(1), C(1), inputs.k
                m.d.comb += body.eq(self._register("output_module", f"body_{j}"))
            active = self._register("output_module", f"active_{j}")
            m.d.comb += Assert(o.valid == (active & (~body | (pointer < level))))
            with m.If(active):
                m.d.comb += [Assert(self.here), Assert(inputs.is_multicast | (k == inputs.k))]
                self._phases(m, phase, body, pointer, pending, first=~inputs.is_multicast | (pending != 0))
                m.d.comb += Assert(~inputs.is_multicast | ((sublist != 0) & ((pending & ~sublist) == 0)))

    def _shared_copies(self, m):
        """State which copies have a streamer, and how far those can be."""
        config, inputs, level = self.config, self.inputs, self.buffer.level
        n, serves = config.dim, []
        active = [self._register("output_module", f"active_{j}") for j in range(config.ports)]
        sublists, ks = ([self._register("output_module", f"{name}_{j}") for j in range(n)] for name in ("sublist", "k"))
        m.d.comb += Assert(~Cat(active).any() | self.here)
        for flag, sublist, k in zip(active, sublists, ks, strict=False):
            m.d.comb += Assert(~flag | Mux(inputs.is_multicast, sublist != 0, k == inputs.k))
        for i, pointer in enumerate(self.outputs.pointer):
            mine, offers, phase, sent = (
                self._register("output_module", f"{name}_{i}") for name in ("serves", "offers", "phase", "sent")
            )
            local, body = mine[n], phase == Phase.BODY
            pending = selected(mine[:n], sublists) & ~sent
            m.d.comb += [
                Assert((mine & (mine - 1)) == 0),
                Assert((mine & ~Cat(active)) == 0),
                Assert(Cat(mine & other for other in serves).any() == 0),
                Assert(offers == Mux(body & (pointer >= level), 0, mine)),
                Assert(~local | (phase == Phase.K) | body),
            ]
            serves.append(mine)
            with m.If(mine == 0):
                m.d.comb += [Assert(phase == Phase.K), Assert(pointer == 0), Assert(sent == 0)]
            with m.Else():
                self._phases(m, phase, body, pointer, pending, first=sent == 0)
        served = reduce(or_, serves)
        waits = Signal(config.ports, name="copies_that_wait")
        m.d.comb += waits.eq(Cat(active) & ~served)
        m.d.comb += Assert((waits == 0) | Cat(mine.any() for mine in serves).all())
        m.d.comb += Cover(waits.any())

    def _phases(self, m, phase, body, pointer, pending, first):
        """State how far a copy can be in each phase; `first` holds in the one that all begin with."""
        inputs, level = self.inputs, self.buffer.level
        with m.If(body):
            m.d.comb += [
                Assert(~inputs.closed),
                Assert(pointer >= self.skip),
                Assert(pointer <= level),
                Assert(~self.finished | (pointer < level)),
            ]
        with m.Elif(phase == Phase.CONTROL):
            m.d.comb += Assert(pointer == self.skip)
        with m.Elif(phase == Phase.LIST):
            m.d.comb += [
                Assert(inputs.is_multicast | inputs.is_listed),
                Assert(~inputs.is_multicast | ((pending != 0) & (pointer == 0))),
                Assert(~inputs.is_listed | (pointer < inputs.k)),
            ]
        with m.Else():
            m.d.comb += [Assert(pointer == 0), Assert(first)]

    def _at_control(self, j):
        """Return whether the copy for a dimension is at its control word."""
        if not self.config.shares_streamers:
            active, phase = (self._register("output_module", f"{name}_{j}") for name in ("active", "phase"))
            return active & (phase == Phase.CONTROL)
        at = [
            (self._register("output_module", f"serves_{i}"), self._register("output_module", f"phase_{i}"))
            for i in range(self.config.streamers)
        ]
        return Cat(serves[j] & (phase == Phase.CONTROL) for serves, phase in at).any()

    def _served(self, m):
        """State that no row waits for a dimension with a copy, so that nothing is launched over it."""
        multicaster, held = self._unit("multicaster"), self._register("controller", "again") | self.controller.changed
        for j in range(self.config.dim):
            rows = [multicaster.a.word_select(i, self.config.dim)[j] for i in range(self.config.max_dest)]
            copy = self._register("output_module", f"active_{j}") & self.inputs.is_multicast
            m.d.comb += Assert(~copy | held | ~Cat(rows).any() | multicaster.fault[j])

    def _reports(self, m):
        """State what is left to be reported."""
        inputs, reporter = self.inputs, self.reporter
        scanning, subset, mask, lost = (
            self._register("reporter", name) for name in ("scanning", "subset", "mask", "lost_copies")
        )
        with m.If(scanning):
            m.d.comb += [
                Assert(self.here),
                Assert(~inputs.is_multicast),
                Assert(~inputs.is_listed | (reporter.pointer < inputs.k)),
                Assert((subset & ~mask) == 0),
            ]
        with m.If(lost != 0):
            m.d.comb += [Assert(self.here), Assert(~inputs.is_multicast)]
        around = beside(m, "around_reporter", ReporterSurroundings, reporter)
        m.d.comb += [around.inside.scanning.eq(scanning), Assert(around.allowed & around.kept)]

    def _own_dimensions(self, m):
        """State that the control vector of a copy, under way or lost and not yet reported, is without its dimension.

        The vector would have it only if it were kept, for the copy does not come after itself.
        """
        kept, lost = self._register("kept"), self._register("reporter", "lost_copies")
        active = Cat(self._register("output_module", f"active_{j}") for j in range(self.config.dim))
        copies = Mux(self.inputs.is_multicast, 0, active) | lost
        m.d.comb += [
            Assert((kept & copies) == 0),
            Assert((lost & active) == 0),
            *(Assert(~copies[j] | ~self.outputs.controls.word_select(j, len(kept))[j]) for j in range(len(kept))),
        ]

    def _choices(self, m, dut):
        """State that a choice is launched only if a multicaster without registers would make the same one now."""
        controller, multicaster = self.controller, self._unit("multicaster")
        m.submodules.at_once = at_once = Multicaster(dataclasses.replace(self.config, decision_latency=1))
        m.d.comb += [at_once.a.eq(multicaster.a), at_once.fault.eq(multicaster.fault)]
        now, then = (Cat(unit.terminate, unit.y, unit.r, unit.k) for unit in (at_once, multicaster))
        fresh = ~self._register("touched") & (self._register("fault_before") == dut.fault)
        m.d.comb += [
            Assert((controller.state == State.WAIT) | ~fresh | (now == then)),
            Assert(~controller.decide | (now == then)),
        ]


class ReasonsSpec(DetailedSpec):
    """Every report has one of the reasons that the contract says there can be, and each of these occurs.

    The straps are as in a router: with one lane, nothing needs a lane beyond it.
    """

    def promise(self, m, dut):
        """Look at reports, and at what leads to them."""
        config, report = self.config, dut.report
        pending_reason, scanning, no_lane, cut_copies, lost_copies = (
            self._register("reporter", name)
            for name in ("pending_reason", "scanning", "scan_no_lane", "cut_copies", "lost_copies")
        )

        def possible(reason):
            return Cat(reason == code for code in sorted(config.reasons)).any()

        m.d.comb += [
            Assert(~report.valid | possible(report.reason)),
            Assert(~self.pending | possible(pending_reason)),
        ]
        if config.lanes == 1:
            m.d.comb += [Assume(dut.no_lane == 0), Assert(~no_lane)]
        if not config.fault_tolerant:
            m.d.comb += [Assert(lost_copies == 0), Assert(~scanning | no_lane)]
        if Reason.COPY_CUT not in config.reasons:
            m.d.comb += Assert(cut_copies == 0)
        m.d.comb += [Cover(report.valid & (report.reason == code)) for code in sorted(config.reasons)]


class SteadySpec(DetailedSpec):
    """A word that a copy offers stays as it is until it is taken or its link is cut."""

    def promise(self, m, dut):
        """Compare with the cycle before."""
        committed = self.outputs.committed
        for j, o in enumerate(dut.o):
            word = Cat(o.valid, o.data, o.last, o.error)
            held, before = Signal(name=f"held_{j}"), Signal(len(word), name=f"before_{j}")
            cut = dut.fault[j] if j < self.config.dim else C(0)
            m.d.sync += [held.eq(o.valid & ~o.ready & ~cut), before.eq(word)]
            m.d.comb += Assert(~held | (word == before))
            if j < self.config.dim:
                others = dut.fault.any() & ~dut.fault[j] if self.config.fault_tolerant else C(1)
                m.d.comb += Cover(held & o.ready & self._at_control(j) & others)
                m.d.comb += Assert(~self._at_control(j) | self.inputs.is_multicast | committed)


class ProgressSpec(DetailedSpec):
    """A message gets done: taken in full without a stop, and gone within a stated time.

    A word is taken in every cycle that offers one, until ``last`` (or the cut of the link) ends the message. From then
    on, the unit is free again after at most ``cycles`` cycles in which all copies and reports are taken and the
    faults stay as they are. While they stay, and no copy comes back, the multicaster decides for a dimension once at
    most, so it is done after n decisions.

    Parameters
    ----------
    config : Config
        Parameters of the router.
    cycles : int
        The bound to be shown.
    unit : class
        The design to be checked; a broken one must be refuted.
    """

    def __init__(self, config: Config, cycles: int, unit=RegisterMhu):
        self.cycles = cycles
        super().__init__(config, unit)

    def promise(self, m, dut):
        """Count the cycles in which nothing is in the way."""
        controller = self.controller
        waited, fault_before = Signal(range(self.cycles + 2)), Signal.like(dut.fault)
        same, easy = Signal(), Signal()
        self._decisions(m, same)
        m.d.comb += [
            same.eq(dut.fault == fault_before),
            easy.eq(Cat(o.ready for o in dut.o).all() & dut.report.ready & same),
            Assert(dut.i.ready == ~(controller.ended | dut.cut)),
            Assert(waited <= self.cycles),
            # It is free again, and nothing was in the way.
            Cover((waited > 2) & ~controller.ended),
        ]
        m.d.sync += fault_before.eq(dut.fault)
        with m.If(~controller.ended | ~easy):
            m.d.sync += waited.eq(0)
        with m.Elif(waited <= self.cycles):
            m.d.sync += waited.eq(waited + 1)

    def _decisions(self, m, same):
        """State that no row votes for a dimension that has been decided on."""
        controller, multicaster = self.controller, self._unit("multicaster")
        decided = Signal(self.config.dim)
        known = Mux(same, decided, 0)
        with m.If(controller.restored | ~controller.state.any()):
            m.d.sync += decided.eq(0)
        with m.Else():
            m.d.sync += decided.eq(known | Mux(controller.decide, multicaster.y, 0))
        m.d.comb += Assert((controller.state != State.INPUT) | (decided == 0))
        m.d.comb += Assert(~controller.decide | ((known & multicaster.y) == 0))
        if self.config.max_dest > 1:
            m.d.comb += Cover(controller.decide & known.any() & multicaster.y.any())
        for i in range(self.config.max_dest):
            votes = multicaster.a.word_select(i, self.config.dim) & ~multicaster.fault
            m.d.comb += Assert((known & votes) == 0)
