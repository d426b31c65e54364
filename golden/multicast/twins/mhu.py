"""Message handling unit (MHU): takes one message, decides where it goes, and sends the copies."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs, Word, bits
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.states import State
from cubecast.golden.multicast.twins.broadcaster_fault_free import BroadcasterFaultFree
from cubecast.golden.multicast.twins.broadcaster_fault_tolerant import BroadcasterFaultTolerant
from cubecast.golden.multicast.twins.controller import Controller
from cubecast.golden.multicast.twins.data_buffer import DataBuffer
from cubecast.golden.multicast.twins.input_module import InputModule
from cubecast.golden.multicast.twins.input_port import InputPort
from cubecast.golden.multicast.twins.matching_checker import MatchingChecker
from cubecast.golden.multicast.twins.multicaster import DONE, Multicaster
from cubecast.golden.multicast.twins.output_module import Header, OutputModule
from cubecast.golden.multicast.twins.policy import policy_of
from cubecast.golden.multicast.twins.reporter import ROW, Item, Reporter
from cubecast.golden.multicast.twins.store import Store
from cubecast.golden.multicast.twins.type_checker import Kind, TypeChecker

__all__ = ["Mhu"]

WAIT, INPUT, PROCESSING, OUTPUT = (int(state) for state in State)
NO_KIND = Kind(0, 0, 0, 0, 0)
NO_ITEM = Item()
CLOSING: Word = (0, 1, 1)


class Mhu:
    """Twin of the message handling unit.

    With the k word taken in cycle c and no gaps in the input, the first copy offers its first word in cycle
    c + ``config.first_copy(k)``, the one decided next ``config.decision_latency`` cycles later. With a decision latency
    of 2, nothing is decided in a cycle after one in which rows of the store were ``touched``, nor in one in which the
    fault vector changes: the multicaster's choice would not be of the rows and links as they are.
    All outputs but ``start`` are functions of registers and of what :meth:`strap` and :meth:`links` set. They are kept
    as attributes between the edges, so that a unit in which nothing happens costs nothing: :meth:`tick` takes an edge,
    and ``busy`` says whether it must be called for the coming cycle even if no word comes or goes.

    Attributes: ``free`` and ``accept`` (ports ``free`` and ``i__ready``), ``words`` (the word offered at each port, or
    None), ``valid`` (mask of the ports that offer one), ``item`` (what the reporter is at).

    Parameters
    ----------
    config : Config
        Parameters of the router.
    address : int
        Address of the node.
    inject : bool
        Whether this is the unit of the injection port.
    no_lane : int
        Mask of the dimensions in which a copy would need a lane beyond the last.

    Source: Lan 1988, sections 6.4 and 6.5, figures 6.2 and 6.3; section 7.4 for faults.
    """

    def __init__(self, config: Config, address: int = 0, inject: bool = False, no_lane: int = 0) -> None:
        """Start in reset, with no link cut."""
        self.config = config
        self.address = address
        self.fault = 0
        self.cut = 0
        self.inject = int(inject)
        self.no_lane = no_lane
        self._policy = policy_of(config)
        self._pipelined = config.decision_latency > 1
        self._tolerant = config.fault_tolerant
        self._all = config.nodes - 1
        self._local = config.local
        self.input_port = InputPort(config)
        self.type_checker = TypeChecker(config)
        self.matching_checker = MatchingChecker(config)
        self.store = Store(config)
        self.multicaster = Multicaster(config)
        self.broadcaster_fault_free = BroadcasterFaultFree(config)
        self.broadcaster_fault_tolerant = BroadcasterFaultTolerant(config)
        self.data_buffer = DataBuffer(config)
        self.controller = Controller(config)
        self.input_module = InputModule(config)
        self.output_module = OutputModule(config)
        self.reporter = Reporter(config)
        self.header = Header(rows=self.store.rows, controls=())
        self.words: list[Word | None] = [None] * config.ports
        self._names = [
            tuple(f"o__{j}__{field}" for field in ("valid", "data", "last", "error")) for j in range(config.ports)
        ]
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        for part in (
            self.matching_checker,
            self.store,
            self.data_buffer,
            self.controller,
            self.input_module,
            self.output_module,
            self.reporter,
        ):
            part.reset()
        self.words[:] = [None] * len(self.words)
        self.valid = 0
        self.kept = 0
        self.free = 1
        self.accept = 1 - self.cut
        self.item = NO_ITEM
        self.idle = True
        self.busy = False
        self._open_rows = False
        self.touched = self._relinked = self._stale = False

    def strap(self, address: int, no_lane: int) -> None:
        """Set the address of the node and the dimensions in which a copy has no lane."""
        if (address, no_lane) != (self.address, self.no_lane):
            self.address = self.header.address = address
            self.no_lane = no_lane
            self._controls()
            self._settle((1 << len(self.words)) - 1)

    def links(self, fault: int, cut: int) -> None:
        """Set which links are cut from this cycle on, and whether the one that messages come from is."""
        if (fault, cut) == (self.fault, self.cut):
            return
        if self._policy.revotes and fault != self.fault and self.output_module.copies:
            # rows vote otherwise than before
            self.controller.again = 1
        self._relinked = fault != self.fault
        self.fault, self.cut = fault, cut
        self._settle(0)

    def tick(self, word: Word | None, moved: int = 0, report_taken: bool = False) -> None:
        """Take the edge of a cycle.

        Parameters
        ----------
        word : tuple or None
            The word at the input, if its ``valid`` is set.
        moved : int
            Mask of the ports whose word moves.
        report_taken : bool
            Whether the report offered is taken.
        """
        controller, output, store, reporter = self.controller, self.output_module, self.store, self.reporter
        state = controller.state
        item, idle = self.item, self.idle
        self._stale, self.touched, self._relinked = self.touched or self._relinked, False, False
        stale = moved
        copies = output.active & self._all
        cut = copies & self.fault
        if cut:
            skip = self.input_module.k if self.input_module.is_listed else 0
            dropped = output.dropped(cut, self.header.multicast, skip)
            moved &= ~cut
            stale |= cut
        if reporter.lost_copies:
            self._begin()

        if moved:
            for j in bits(moved):
                offered = self.words[j]
                if offered:
                    output.moved(j, self.header, offered[1])

        if item.source:
            if report_taken and item.source == ROW:
                remaining = store.remaining()
                store.reset_rows(remaining & -remaining)
            if report_taken or not item.valid:
                reporter.passed(item.source, self.input_module.k)

        if self.cut:
            word = CLOSING if state != WAIT else None
        if word is not None and not controller.ended:
            stale |= self._take(word, state, idle, copies)
        elif state == PROCESSING or self._open_rows:
            terminate, launched = self._decide(copies)
            stale |= launched
            controller.edge(terminate=terminate, copies=copies)
        elif state == OUTPUT:
            controller.edge(idle=int(idle), copies=copies)

        if cut:
            output.drop(cut)
            reporter.dropped(dropped.lost, dropped.broken)
            if dropped.restore_rows:
                store.restore_rows(dropped.restore_rows)
                controller.again = 1
                self.touched = True

        self._settle(stale)

    def _begin(self) -> None:
        """Take the edge of a cycle in which the reporter can begin to scan for a lost copy."""
        committed = self.output_module.committed
        keep = self.reporter.keep(committed)
        self.reporter.begin(committed, self.store.source, self.kept, self.header.controls)
        if keep:
            self.kept |= keep
            self._controls()

    def _controls(self) -> None:
        """Find the control vectors of the copies that stream from now on."""
        self.header.controls = self.broadcaster_fault_tolerant.controls(self.store.source, self.kept, self.address)

    def _take(self, word: Word, state: int, idle: bool, copies: int) -> int:
        """Take the edge of a cycle in which a word is taken; return the mask of the ports it changes."""
        field, high = self.input_port.split(word[0])
        inputs, controller = self.input_module, self.controller
        kind = self.type_checker.check(field) if state == WAIT else NO_KIND
        strobes = inputs.take(state, controller.discard, word, field, high, kind, self.cut)
        stale = terminate = launched = 0
        if strobes.push:
            level = len(self.data_buffer.words)
            self.data_buffer.push(strobes.push_data, strobes.push_last, strobes.push_error)
            stale = self._waiting(level)
        if state == PROCESSING or self._open_rows:
            terminate, launched = self._decide(copies)
        elif state <= INPUT:
            self.touched = bool(strobes.clear or strobes.check)
            if strobes.clear:
                self._clear()
            relative = field ^ self.address
            if strobes.check:
                self.matching_checker.check(relative)
            if strobes.write:
                self.store.write(strobes.row, relative if strobes.row or not self.config.fault_tolerant else field)
            if strobes.header_end:
                terminate, launched = self._header_end()
        if strobes.bad or strobes.truncated:
            self.reporter.wrong(strobes.reason)
        controller.edge(
            taken=1,
            last=word[1],
            bad=strobes.bad,
            truncated=strobes.truncated,
            header_end=strobes.header_end,
            multicast=inputs.is_multicast,
            terminate=terminate,
            idle=idle,
            copies=copies,
        )
        return stale | launched

    def _clear(self) -> None:
        """Take the edge of a cycle in which a message begins, or ends in its header."""
        self.store.clear()
        self.matching_checker.clear()
        self.data_buffer.clear()
        self.reporter.clear()

    def _waiting(self, level: int) -> int:
        """Return the mask of the copies that wait for the word pushed at this level."""
        output = self.output_module
        waiting = output.active & ~self.valid
        return sum(1 << j for j in bits(waiting) if output.pointer[j] == level) if waiting else 0

    def _decide(self, copies: int) -> tuple[int, int]:
        """Decide one dimension of a multicast; return ``terminate`` and the dimension launched as a mask."""
        if not self.input_module.is_multicast:
            return DONE.terminate, 0
        blocked = self.fault | self.no_lane
        rows = self._policy.votes(self.store.array(), self.address, blocked)
        choice = self.multicaster.choose(rows, blocked)
        chosen = not choice.terminate and not (self._pipelined and self._stale)
        if not self.controller.decide(1, 1, chosen, copies):
            return choice.terminate, 0
        if choice.y & copies:
            raise AssertionError(f"node {self.address}: launch over a copy, {self.trace()}")
        self.output_module.launch(choice.y.bit_length() - 1, choice.r, choice.k)
        self.store.reset_rows(choice.r)
        self.touched = True
        return 0, choice.y

    def _header_end(self) -> tuple[int, int]:
        """Take the edge of the cycle that completes a good header; return ``terminate`` and the ports launched."""
        inputs, output, header, store = self.input_module, self.output_module, self.header, self.store
        blocked = self.kept = self.fault | self.no_lane
        if self._tolerant:
            control = store.source
            send = self.broadcaster_fault_tolerant.send(control, blocked)
            self._controls()
        else:
            control = self.broadcaster_fault_free.send(store.source, self.address)
            send = control & ~blocked
        header.address = self.address
        header.multicast = inputs.is_multicast
        header.listed = inputs.is_listed
        header.control = store.source
        header.closed = inputs.closed
        header.closed_error = inputs.closed_error
        self.reporter.header(control, self.fault, self.no_lane, inputs.is_multicast)
        if inputs.is_multicast:
            terminate, launched = self._decide(0)
        else:
            terminate, launched = 1, send
            for j in bits(send):
                output.launch(j, 0, inputs.k)
        here = not self.inject if inputs.is_broadcast else self.matching_checker.match
        if here:
            output.launch_local(inputs.k if inputs.is_listed else 0)
            launched |= 1 << self._local
        return terminate, launched

    def _settle(self, stale: int) -> None:
        """Bring the attributes that stand for outputs up to date; only the ports in ``stale`` can have changed."""
        controller, output, reporter = self.controller, self.output_module, self.reporter
        if stale:
            for j in bits(stale):
                stored = self.data_buffer.word(output.pointer[j])
                word = self.words[j] = output.word(j, self.header, stored)
                if word:
                    self.valid |= 1 << j
                else:
                    self.valid &= ~(1 << j)
        state = controller.state
        self.free = int(state == WAIT)
        self.accept = 0 if self.cut else 1 - controller.ended
        busy = state == PROCESSING
        if state == OUTPUT or reporter.pending or reporter.cut_copies:
            self._report(state)
            if self._open_rows:
                busy = not (controller.again and output.copies)
            if reporter.scanning or reporter.lost_copies or (self.idle and controller.ended):
                busy = True
        else:
            self.item = NO_ITEM
            self._open_rows = False
        if self.fault or self.cut:
            busy = busy or self.fault & output.active != 0 or (self.cut == 1 and state != WAIT and not controller.ended)
        self.busy = busy or (self._pipelined and (self.touched or self._relinked))

    def _report(self, state: int) -> None:
        """Bring the reporter's outputs up to date."""
        inputs, reporter, store = self.input_module, self.reporter, self.store
        multicast = inputs.is_multicast
        copies_idle = not self.output_module.active
        remaining = store.remaining() if store.live and multicast and reporter.good else 0
        idle = reporter.idle(multicast, remaining)
        self.idle = idle and copies_idle
        self._open_rows = False
        if idle:
            self.item = NO_ITEM
            return
        lost_row = 0
        if remaining:
            free = ~(self.fault | self.no_lane)
            if any(store.rows[index] & free for index in bits(remaining)):
                self._open_rows = state == OUTPUT
            else:
                lost_row = store.rows[(remaining & -remaining).bit_length() - 1]
        stored = self.data_buffer.word(reporter.scan)
        self.item = reporter.offer(
            state=state,
            multicast=multicast,
            listed=inputs.is_listed,
            broadcast=inputs.is_broadcast,
            lost_row=lost_row,
            fault=self.fault,
            no_lane=self.no_lane,
            copies_idle=int(copies_idle),
            address=self.address,
            list_word=stored[0] & self._all if stored else 0,
        )

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get = inputs.get
        self.strap(get("address", 0), get("no_lane", 0))
        self.links(get("fault", 0), get("cut", 0))
        self.inject = get("inject", 0)
        valid, item = get("i__valid", 0), self.item
        outputs: Outputs = {
            "free": self.free,
            "start": int(valid and self.accept and self.free),
            "i__ready": self.accept,
            "report__valid": item.valid,
            "report__reason": item.reason if item.valid else None,
            "report__destination": item.destination if item.valid else None,
        }
        moved = 0
        for j, (o_valid, o_data, o_last, o_error) in enumerate(self._names):
            word = self.words[j]
            outputs[o_valid] = int(word is not None)
            outputs[o_data], outputs[o_last], outputs[o_error] = word or (None, None, None)
            if word and get(f"o__{j}__ready"):
                moved |= 1 << j
        if get("rst"):
            self.reset()
        else:
            word = (get("i__data", 0), get("i__last", 0), get("i__error", 0)) if valid else None
            self.tick(word, moved, bool(item.valid and get("report__ready")))
        return outputs

    def trace(self) -> str:
        """Return the state of the unit in one line."""
        controller, inputs = self.controller, self.input_module
        text = State(controller.state).name
        if controller.state != WAIT:
            kind = "multicast" if inputs.is_multicast else "listed" if inputs.is_listed else "broadcast"
            text += f" {kind} k={inputs.k} left={inputs.left} level={len(self.data_buffer.words)}"
            text += " ended" if controller.ended else ""
            text += " discard" if controller.discard else ""
            text += f" copies[{self.output_module.trace()}]" if self.output_module.active else ""
            text += f" report({self.item.reason}, {self.item.destination})" if self.item.valid else ""
        return text
