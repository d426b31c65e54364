"""Unicast unit: a message handling unit for messages with one destination, as the measure of what multicast costs.

It is hardware, and yet here: no router is made of it, nothing generates it, and it needs no twin of its own. Its proof
is in `tests/measure`, beside the whole unit's twin.
"""

from amaranth import Cat, Module, Mux, Signal
from amaranth.utils import bits_for

from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.states import Phase
from cubecast.rtl.multicast.data_buffer import DataBuffer
from cubecast.rtl.multicast.mhu import Mhu
from cubecast.rtl.multicast.policy import policy_of
from cubecast.rtl.multicast.reporter import Reporter
from cubecast.rtl.multicast.store import Store

__all__ = ["UnicastMhu"]


class UnicastMhu(Mhu):
    """Take a message with k = 1 and send it on, in the same cycles as the whole unit does.

    Ports, flow control, checks, reports, lanes, and what happens when a link is cut, are those of
    :class:`cubecast.rtl.multicast.mhu.Mhu`. In it are one row of the Store, the lowest useful dimension in place of the
    multicaster, one streamer in place of one for each port, and one read port of the data buffer; there is no
    broadcaster. A message with any other k is malformed. The first word leaves 3 cycles after it came.

    Parameters
    ----------
    config : Config
        Fault-tolerant, without ``source_field``; ``max_dest``, ``max_list`` and ``decision_latency`` are 1.

    Raises
    ------
    ValueError
        The configuration is another one.
    """

    def __init__(self, config: Config):
        if (config.max_dest, config.max_list) != (1, 1):
            raise ValueError(f"max_dest and max_list must be 1, not {config.max_dest} and {config.max_list}")
        if not config.fault_tolerant or config.source_field:
            raise ValueError("fault_tolerant must be True and source_field False")
        if config.decision_latency != 1:
            raise ValueError(f"decision_latency must be 1, not {config.decision_latency}")
        super().__init__(config)

    def elaborate(self, platform):
        """Connect the input side of the whole unit with what one destination needs."""
        m = Module()
        self._input_side(m)
        input_module = self._input_module
        m.d.comb += [
            self._controller.multicast.eq(1),
            input_module.listed.eq(0),
            input_module.broadcast.eq(0),
            input_module.too_long.eq(~input_module.multicast & ~input_module.zero),
        ]
        self._store = self._place(m, Store, "store")
        self._buffer = self._place(m, DataBuffer, "data_buffer")
        self._reporter = self._place(m, Reporter, "reporter")
        launch = self._route(m)
        self._send(m, launch)
        self._report(m)
        return m

    def _route(self, m):
        """Keep the destination, and choose the lowest dimension that leads there; return it, one-hot, when decided."""
        controller, input_module, input_port, store = (
            self._controller,
            self._input_module,
            self._input_port,
            self._store,
        )
        n = self.config.dim
        blocked, launch = Signal(n), Signal(n)
        m.d.comb += blocked.eq(self.fault | self.no_lane)
        useful = policy_of(self.config).useful(m, store.a & ~blocked, self.address)
        lowest = Cat(useful[j] & ~useful[:j].any() for j in range(n))
        m.d.comb += [
            store.clear.eq(input_module.clear),
            store.write.eq(input_module.write),
            store.row.eq(input_module.row),
            store.value.eq(Mux(input_module.row == 0, input_port.field, input_port.relative)),
            controller.terminate.eq(~(store.a & ~blocked).any()),
            launch.eq(Mux(controller.decide, lowest, 0)),
            store.reset_rows.eq(controller.decide | self._reporter.reset_rows),
        ]
        return launch

    def _send(self, m, launch):
        """Build the streamer."""
        controller, input_module, store, buffer = self._controller, self._input_module, self._store, self._buffer
        n = self.config.dim
        active, to, phase = Signal(), Signal(n + 1), Signal(Phase)
        pointer = Signal(bits_for(self.config.buffer_depth))
        local, dropped, valid, step, last = (Signal() for _ in range(5))
        word = buffer.word[0]
        m.d.comb += [
            buffer.clear.eq(input_module.clear),
            buffer.push.eq(input_module.push),
            buffer.data.eq(input_module.push_data),
            buffer.last.eq(input_module.push_last),
            buffer.error.eq(input_module.push_error),
            buffer.pointer[0].eq(pointer),
            local.eq(to[n]),
            dropped.eq(active & (to[:n] & self.fault).any()),
            valid.eq(active & ((phase != Phase.BODY) | (pointer < buffer.level))),
            step.eq(valid & (to & Cat(o.ready for o in self.o)).any()),
            controller.idle.eq(~active & self._reporter.idle),
        ]
        data, error = Signal(self.config.width), Signal()
        with m.Switch(phase):
            with m.Case(Phase.K):
                m.d.comb += data.eq(1)
            with m.Case(Phase.LIST):
                m.d.comb += data.eq(store.rows ^ self.address)
            with m.Case(Phase.CONTROL):
                m.d.comb += [data.eq(Mux(local, store.source, 0)), last.eq(input_module.closed)]
                m.d.comb += error.eq(input_module.closed & input_module.closed_error)
            with m.Case(Phase.BODY):
                m.d.comb += [data.eq(word.data), last.eq(word.last), error.eq(word.last & word.error)]
        for j, o in enumerate(self.o):
            m.d.comb += [o.valid.eq(valid & to[j]), o.data.eq(data), o.last.eq(last), o.error.eq(error)]
        with m.If(step):
            with m.If(phase == Phase.BODY):
                m.d.sync += pointer.eq(pointer + 1)
            with m.Else():
                m.d.sync += phase.eq(phase + 1)
        with m.If(dropped | (step & last)):
            m.d.sync += active.eq(0)
        deliver = input_module.header_end & self._matching_checker.match
        with m.If(launch.any() | deliver):
            m.d.sync += [active.eq(1), to.eq(Cat(launch, deliver)), pointer.eq(0)]
            m.d.sync += phase.eq(Mux(deliver, Phase.CONTROL, Phase.K))
        restored = dropped & (phase != Phase.BODY)
        m.d.comb += [
            store.restore_rows.eq(restored),
            self._reporter.broken.eq(Mux(dropped & (phase == Phase.BODY), to[:n], 0)),
            self._reporter.copies_idle.eq(~active),
        ]

    def _report(self, m):
        """Connect the reporter; what it does for broadcasts and long lists has nothing to do, and falls away."""
        controller, input_module, reporter = self._controller, self._input_module, self._reporter
        m.d.comb += [
            reporter.clear.eq(input_module.clear),
            reporter.bad.eq(input_module.bad),
            reporter.truncated.eq(input_module.truncated),
            reporter.reason.eq(input_module.reason),
            reporter.header_end.eq(input_module.header_end),
            reporter.state.eq(controller.state),
            reporter.multicast.eq(1),
            reporter.terminate.eq(controller.terminate),
            reporter.a.eq(self._store.a),
            reporter.fault.eq(self.fault),
            reporter.no_lane.eq(self.no_lane),
            reporter.address.eq(self.address),
            reporter.o.ready.eq(self.report.ready),
            self.report.valid.eq(reporter.o.valid),
            self.report.reason.eq(reporter.o.reason),
            self.report.destination.eq(reporter.o.destination),
        ]
