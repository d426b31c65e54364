"""Message handling unit (MHU): takes one message, decides where it goes, and sends the copies."""

from __future__ import annotations

from collections.abc import Sequence

from cubecast.golden.common.twins.ports import Inputs, Outputs, Word, bits, join
from cubecast.golden.multicast.contract.config import Config
from cubecast.golden.multicast.contract.states import State
from cubecast.golden.multicast.twins.broadcaster_fault_free import BroadcasterFaultFree
from cubecast.golden.multicast.twins.broadcaster_fault_tolerant import BroadcasterFaultTolerant
from cubecast.golden.multicast.twins.controller import Controller
from cubecast.golden.multicast.twins.data_buffer import DataBuffer
from cubecast.golden.multicast.twins.input_module import NOTHING, Decoded, InputModule
from cubecast.golden.multicast.twins.input_port import InputPort
from cubecast.golden.multicast.twins.matching_checker import MatchingChecker
from cubecast.golden.multicast.twins.multicaster import DONE, Choice, Multicaster
from cubecast.golden.multicast.twins.output_module import NO_DROP, Header, OutputModule
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
    c + ``config.first_copy(k)``, the one decided next ``config.decision_latency`` cycles later.
    All outputs but ``start`` are functions of registers and of what :meth:`strap` and :meth:`links` set. They are
    attributes: ``free`` and ``accept`` (ports ``free`` and ``i__ready``), ``ready`` (both), ``words`` (the word offered
    at each port, or None), ``valid`` (mask of the ports that offer one), ``item`` (what the reporter is at).
    ``resting``: an edge changes nothing unless a word comes or goes, a report is taken or a link is cut.

    A unit that shares the multicaster of its channel decides only while ``offered``, which is set from outside, is 1.
    It says with ``asks``, a function of registers too, that it can decide; then it does not rest.

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
    shared : bool
        Whether the multicaster is that of the channel, to which the unit has ports.

    Source: Lan 1988, sections 6.4 and 6.5, figures 6.2 and 6.3; section 7.4 for faults.
    """

    def __init__(
        self, config: Config, address: int = 0, inject: bool = False, no_lane: int = 0, shared: bool = False
    ) -> None:
        """Start in reset, with no link cut and, where the multicaster is shared, without its offer."""
        self.config = config
        self.address = address
        self.fault = 0
        self.cut = 0
        self.inject = int(inject)
        self.no_lane = no_lane
        self.shared = shared
        self.offered = int(not shared)
        self._policy = policy_of(config)
        self._links = config.nodes - 1
        self._registered = config.decision_latency > 1
        self._remembers = self._registered or self._policy.revotes
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
        self.kept = 0
        self.touched = False
        self.fault_before = 0
        self._read_header()
        self._show()

    def strap(self, address: int, no_lane: int) -> None:
        """Set the address of the node and the dimensions in which a copy has no lane."""
        if (address, no_lane) != (self.address, self.no_lane):
            self.address, self.no_lane = address, no_lane
            self._read_header()
            self._show()

    def links(self, fault: int, cut: int) -> None:
        """Set which links are cut from this cycle on, and whether the one that messages come from is."""
        if (fault, cut) != (self.fault, self.cut):
            self.fault, self.cut = fault, cut
            self._show()

    @property
    def blocked(self) -> int:
        """Mask of the dimensions in which no copy can go."""
        return self.fault | self.no_lane

    def _show(self) -> None:
        """Find the outputs of the coming cycle, and whether it needs an edge."""
        controller, inputs, output, reporter = self.controller, self.input_module, self.output_module, self.reporter
        state, ended, multicast, active = controller.state, controller.ended, inputs.is_multicast, output.active
        self.free = int(state == WAIT)
        self.accept = int(not ended and not self.cut)
        self.ready = self.free & self.accept

        self.words: list[Word | None] = [None] * len(self._names)
        self.valid = 0
        for j in bits(active):
            word = self.words[j] = output.word(j, self._header, self.data_buffer.word(output.pointer[j]))
            if word:
                self.valid |= 1 << j

        remaining = self.store.remaining() if multicast and reporter.good else 0
        self.open_rows = state == OUTPUT and remaining != 0 and self._goes_on(remaining)
        quiet = reporter.idle(multicast, remaining)
        self.idle = quiet and not active
        self.item = NO_ITEM if quiet else self._report(remaining)

        self.copies = copies = active & self._links
        self.asks = int(self.shared and state >= PROCESSING and self._can_decide(remaining))
        decides = state == PROCESSING or (self.open_rows and not (controller.again and copies))
        ends = state == OUTPUT and ended and self.idle
        closes = self.cut and state != WAIT and not ended
        scans = reporter.scanning or reporter.lost_copies
        settles = self._remembers and (self.touched or self.fault != self.fault_before)
        self.resting = not (decides or ends or closes or scans or settles or self.fault & copies)

    def _report(self, remaining: int) -> Item:
        """Return what the reporter is at, if these rows have not gone anywhere."""
        inputs, rows, reporter = self.input_module, self.store.rows, self.reporter
        stored = self.data_buffer.word(reporter.scan)
        return reporter.offer(
            state=self.controller.state,
            multicast=inputs.is_multicast,
            listed=inputs.is_listed,
            broadcast=inputs.is_broadcast,
            lost_row=0 if self.open_rows or not remaining else rows[(remaining & -remaining).bit_length() - 1],
            fault=self.fault,
            no_lane=self.no_lane,
            copies_idle=int(not self.output_module.active),
            address=self.address,
            list_word=stored[0] & self.config.nodes - 1 if stored else 0,
        )

    def edge(self, word: Word | None, moved: int = 0, report_taken: int = 0, choice: Choice | None = None) -> int:
        """Take the edge of a cycle; return whether a dimension is decided in it.

        Parameters
        ----------
        word : tuple or None
            The word at the input, if its ``valid`` is set.
        moved : int
            Mask of the ports whose word is taken.
        report_taken : int
            Whether the report offered is taken.
        choice : Choice, optional
            What comes from a shared multicaster; by default what a multicaster without registers makes of the unit's
            rows, as a choice that counts is that one.
        """
        controller, inputs, store, output = self.controller, self.input_module, self.store, self.output_module
        reporter, state, idle, fault = self.reporter, controller.state, self.idle, self.fault
        copies = self.copies

        # What the word that comes in is.
        if self.cut:
            word = CLOSING if state != WAIT else None
        taken, field, did = 0, 0, NOTHING
        if word is not None and not controller.ended:
            taken = 1
            field, high = self.input_port.split(word[0])
            kind = self.type_checker.check(field) if state == WAIT else NO_KIND
            did = inputs.take(state, controller.discard, word, field, high, kind, self.cut)
        multicast = inputs.is_multicast

        # Whether a dimension is decided, and which copies are dropped.
        relinked = fault != self.fault_before
        changed = int(relinked and self._policy.revotes)
        deciding = multicast and (state == PROCESSING or self.open_rows or did.header_end)
        if not deciding:
            choice = DONE
        elif choice is None:
            choice = self.choose()
        stale = choice.terminate or (self._registered and (self.touched or relinked))
        decide = self.offered and not stale and controller.decide(did.header_end, multicast, 1, copies, changed)
        cut = copies & fault
        dropped = output.dropped(cut, multicast, self._skip) if cut else NO_DROP

        # Reports and copies go on.
        if reporter.lost_copies and not did.header_end:
            keep = reporter.keep(output.committed)
            reporter.begin(output.committed, store.source, self.kept, self._header.controls)
            if keep:
                self.kept |= keep
                self._read_header()
        if self.item.source and (report_taken or not self.item.valid):
            if self.item.source == ROW:
                remaining = store.remaining()
                store.reset_rows(remaining & -remaining)
            reporter.passed(self.item.source, inputs.k)
        for j in bits(moved & ~fault):
            offered = self.words[j]
            if offered:
                output.moved(j, self._header, offered[1])

        # What came in is kept, copies are launched, and those on cut links end.
        if did is not NOTHING:
            self._keep(field, did)
        if decide:
            if choice.y & copies:
                raise AssertionError(f"node {self.address}: launch over a copy, {self.trace()}")
            output.launch(choice.y.bit_length() - 1, choice.r, choice.k)
            store.reset_rows(choice.r)
        if cut:
            output.drop(cut)
            reporter.dropped(dropped.lost, dropped.broken)
            store.restore_rows(dropped.restore_rows)
        output.serve()

        controller.edge(
            taken=taken,
            last=word[1] if word else 0,
            bad=did.bad,
            truncated=did.truncated,
            header_end=did.header_end,
            multicast=multicast,
            terminate=choice.terminate,
            idle=idle,
            restored=dropped.restore_rows,
            copies=copies,
            changed=changed,
        )
        self.touched = self._registered and bool(did.clear or did.check or decide or dropped.restore_rows)
        self.fault_before = fault
        self._show()
        return int(decide)

    def _can_decide(self, remaining: int) -> bool:
        """Return whether one of these rows can be decided on, and need not wait for the unit's own copies."""
        changed = self._policy.revotes and self.fault != self.fault_before
        return self._goes_on(remaining) and not ((self.controller.again or changed) and self.copies)

    def _goes_on(self, remaining: int) -> bool:
        """Return whether one of these rows can go on from here."""
        free = ~self.blocked
        return any(self.store.rows[index] & free for index in bits(remaining))

    @property
    def votes(self) -> Sequence[int]:
        """The reference array as the multicaster sees it."""
        return self._policy.votes(self.store.array(), self.address, self.blocked)

    def choose(self) -> Choice:
        """Return what the multicaster chooses of the rows that are left."""
        return self.multicaster.choose(self.votes, self.blocked)

    def _read_header(self) -> None:
        """Find what the copies that stream from now on have to know of the message."""
        inputs, source = self.input_module, self.store.source
        self._header = Header(
            rows=self.store.rows,
            controls=self.broadcaster_fault_tolerant.controls(source, self.kept, self.address),
            address=self.address,
            multicast=inputs.is_multicast,
            listed=inputs.is_listed,
            control=source,
            closed=inputs.closed,
            closed_error=inputs.closed_error,
        )

    @property
    def _skip(self) -> int:
        """Words in the buffer before those that the local copy ends with."""
        return self.input_module.k if self.input_module.is_listed else 0

    def _keep(self, field: int, did: Decoded) -> None:
        """Take the edge of what stores the word taken, and of what a complete header starts."""
        relative = field ^ self.address
        if did.clear:
            for part in (self.store, self.matching_checker, self.data_buffer, self.reporter):
                part.clear()
        if did.check:
            self.matching_checker.check(relative)
        if did.write:
            is_control = self.config.fault_tolerant and not did.row
            self.store.write(did.row, field if is_control else relative)
        if did.push:
            self.data_buffer.push(did.push_data, did.push_last, did.push_error)
        if did.header_end:
            self._header_end()
        if did.bad or did.truncated:
            self.reporter.wrong(did.reason)

    def _header_end(self) -> None:
        """Take the edge of a cycle that completes a good header, but for the multicaster's first choice."""
        inputs, output = self.input_module, self.output_module
        control = self.store.source
        if self.config.fault_tolerant:
            send = self.broadcaster_fault_tolerant.send(control, self.blocked)
        else:
            control = self.broadcaster_fault_free.send(control, self.address)
            send = control & ~self.blocked
        self.kept = self.blocked
        self._read_header()
        self.reporter.header(control, self.fault, self.no_lane, inputs.is_multicast)
        if not inputs.is_multicast:
            for j in bits(send):
                output.launch(j, 0, inputs.k)
        if self.matching_checker.match if not inputs.is_broadcast else not self.inject:
            output.launch_local(self._skip)

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
        choice = None
        if self.shared:
            self.offered = get("offered", 0)
            terminate = int(not self._goes_on(self.store.remaining()))
            choice = Choice(terminate, get("y", 0), get("r", 0), get("k", 0))
            outputs |= {"asks": self.asks, "votes": join(self.votes, self.config.dim), "blocked": self.blocked}
        word = (get("i__data", 0), get("i__last", 0), get("i__error", 0)) if valid else None
        # A reset comes at the edge: what is decided is seen before it.
        decides = self.edge(word, moved, item.valid and get("report__ready", 0), choice)
        if self.shared:
            outputs["decides"] = decides
        if get("rst"):
            self.reset()
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
