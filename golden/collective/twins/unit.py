"""Collective unit: merges and rings of one node, at its router's local port."""

from __future__ import annotations

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.segment import Reading
from cubecast.golden.collective.contract.states import Accepted, Operation, State
from cubecast.golden.collective.twins import operation_unit
from cubecast.golden.collective.twins.merge_collector import Arrived, MergeCollector
from cubecast.golden.collective.twins.pass_buffer import PassBuffer
from cubecast.golden.collective.twins.pass_sequencer import PassSequencer
from cubecast.golden.collective.twins.receiver import CollectiveReceiver
from cubecast.golden.collective.twins.registers import CollectiveRegisters
from cubecast.golden.collective.twins.sender import CollectiveSender
from cubecast.golden.collective.twins.sequencer import CollectiveSequencer
from cubecast.golden.collective.twins.vector_memory import VectorMemory
from cubecast.golden.common.twins.ports import Inputs, Outputs, Word

__all__ = ["NO_ACCESS", "Access", "CollectiveUnit"]

Access = tuple[int, int, int]
"""Address, write and data at a register port."""

NO_ACCESS: Access = (0, 0, 0)

IDLE, SEND, SPREAD, OUTPUT, LAST = (
    int(state) for state in (State.IDLE, State.SEND, State.SPREAD, State.OUTPUT, State.LAST)
)
ARGUMENT, BODY = int(Reading.ARGUMENT), int(Reading.BODY)
REPLACED, REPLACE = int(Accepted.RESULT), int(Operation.REPLACE)
CUT: Word = (0, 1, 1)


class CollectiveUnit:
    """Twin of the collective unit.

    A cycle has three parts. :meth:`begin` finds what does not depend on the router: ``eject_ready``, whether a word is
    taken from it, and ``injecting``, the word offered to it. :meth:`arrive` is told what the router brings, and finds
    ``vector_out``, the word offered to the host, and ``merging``, the two words that are merged. :meth:`edge` takes the
    edge. :meth:`step` is all of it.

    Parameters
    ----------
    config : CollectiveConfig
        Parameters of the unit.
    address : int
        Address of the node.
    """

    def __init__(self, config: CollectiveConfig, address: int = 0) -> None:
        """Start in reset."""
        self.config = config
        self.registers = CollectiveRegisters(config)
        self.receiver = CollectiveReceiver(config)
        self.sender = CollectiveSender(config)
        self.memory = VectorMemory(config)
        self.buffer = PassBuffer(config)
        self.collector = MergeCollector(config)
        self.sequencer = CollectiveSequencer(config)
        self.passing = PassSequencer(config)
        self._places = (1 << config.place_bits) - 1
        self._parts = self.registers, self.receiver, self.sender, self.buffer, self.collector, self.sequencer
        self.strap(address)
        self.reset()

    def strap(self, address: int) -> None:
        """Set the address of the node."""
        self.address = address
        self.sender.address = self.collector.address = self.sequencer.address = self.passing.address = address

    def reset(self) -> None:
        """Set all registers to their reset values; the memory keeps its words."""
        for part in self._parts:
            part.reset()
        self.passing.reset()
        self.mine = 0
        self.open = 0
        self.closing = 0
        self.overflow = 0
        self.eject_ready = 0
        self.injecting: Word | None = None
        self.vector_out: Word | None = None
        self.merging: tuple[int, int] | None = None
        self._begin(0, NO_ACCESS)
        self._arrived: Arrived | None = None
        self._accept = 0
        self._settled = -1

    @property
    def busy(self) -> int:
        """Whether an operation is under way."""
        return int(self.sequencer.state != IDLE or self.closing != 0)

    @property
    def failed(self) -> int:
        """Whether something went wrong in this operation, or the last one."""
        return self.collector.failed | self.overflow

    @property
    def finished(self) -> int:
        """Whether an operation ends in this cycle."""
        return int(self.sequencer.state == LAST and self._pass_done() and not self._cut_short)

    @property
    def resting(self) -> bool:
        """Whether nothing is under way: without a word from the router and a write, nothing happens."""
        return not (self.sequencer.state or self.sequencer.dropping or self.closing) and bool(self.sender.idle)

    @property
    def _drops(self) -> bool:
        """Whether the rest of a message is given up because the local port is not the collectives' any more."""
        receiver = self.receiver
        return not (self._fields["enable"] or receiver.dropping) and receiver.phase >= ARGUMENT

    @property
    def settled(self) -> bool:
        """Whether the coming cycle changes nothing, without a word from the router, a write or another address."""
        return self._settled >= 0

    def _pass_done(self) -> int:
        """Return whether nothing goes through this node any more."""
        return self.passing.pass_done(self._fields, self.collector.received, self.buffer.level)

    def begin(self, out_ready: int, access: Access) -> None:
        """Begin a cycle.

        Parameters
        ----------
        out_ready : int
            Whether the host takes a word.
        access : address, write and data
            Access to the registers.
        """
        self._begin(out_ready, access)
        self.vector_out = self.merging = self._arrived = None
        if self.resting:
            self.eject_ready, self.injecting = self.receiver.ready(0), None
            return
        collector, sequencer, level = self.collector, self.sequencer, self.buffer.level
        busy = int(sequencer.state != IDLE)
        seen = out_ready and not self.closing
        ring_ready = self.passing.ring_ready(self._fields, busy, collector.received, level, int(seen))
        self.eject_ready = self.receiver.ready(ring_ready)
        self.injecting = self.sender.offer(self._read(), self.buffer.head)

    def _read(self) -> int:
        """Return the word that is read from the memory in this cycle."""
        state = self.sequencer.state
        if state in (SEND, SPREAD):
            place = self.sender.pointer
        else:
            place = self.sequencer.place if state == OUTPUT else self.collector.pointer
        return self.memory.read(place & self._places)

    def _begin(self, out_ready: int, access: Access) -> None:
        """Keep the inputs of the cycle."""
        address, write, data = self._access = access
        self._out_ready = out_ready
        self._start = self._cut_short = 0
        self._fields = self.registers.fields
        if write:
            self._start, self._cut_short = self.registers.command(address, write, data, self.busy)
            self._fields = self.registers.shown(self._start, data)

    def arrive(self, offered: Word | None) -> None:
        """Go on with the cycle.

        Parameters
        ----------
        offered : data, last and error, or None
            The word that the router offers.
        """
        if offered is not None:
            self._receive(offered)
        if self.closing:
            self.vector_out = CUT
        elif self.sequencer.state != IDLE:
            if self._fields["ring"]:
                self.vector_out = self._ring_out(offered)
            else:
                self.vector_out = self.sequencer.offer(self._read())

    def _receive(self, offered: Word) -> None:
        """Find what the receiver and the collector say of the word that the router offers."""
        if not self.eject_ready:
            return
        receiver, collector, fields = self.receiver, self.collector, self._fields
        (data, last, error), phase = offered, receiver.phase
        argument, body, told = data & 0xFFFF, phase >= ARGUMENT, 1 - receiver.dropping
        self._arrived = arrived = Arrived(
            head=told if phase == ARGUMENT else 0,
            word=told if phase == BODY else 0,
            message_end=told if last and body else 0,
            bad=int(last and (error or not body)),
            kind=receiver.kind,
            is_final=receiver.is_final,
            stage=receiver.stage,
            hops=receiver.hops,
            argument=argument,
            data=data,
            last=last,
            error=error & last,
        )
        self._accept = 0
        if arrived.head:
            relay_open = self.passing.relay_open(fields, int(self.sequencer.state != IDLE))
            self._accept = collector.accept(
                arrived.kind, argument, self.sequencer.state, fields["ring"], fields["expected"], relay_open
            )
        elif collector.writes(arrived.word, self.sequencer.length):
            self.merging = self._read(), data

    def _ring_out(self, offered: Word | None) -> Word | None:
        """Return the word of a ring that is offered to the host."""
        receiver = self.receiver
        if receiver.dropping:
            return None
        return self.passing.offer(
            self._fields,
            int(self.sequencer.state != IDLE),
            self.collector.received,
            self.buffer.level,
            receiver.phase,
            receiver.kind,
            receiver.is_final,
            offered,
        )

    def edge(self, inject_ready: int, vector_in: tuple[int, int] | None, custom: int) -> None:
        """Take the edge of the cycle.

        Parameters
        ----------
        inject_ready : int
            Whether the router takes a word.
        vector_in : data and last, or None
            The word that the host offers.
        custom : int
            What an operation outside makes of the words that are merged.
        """
        address, write, data = self._access
        still = self.resting and self._arrived is None and not write and not self._drops
        if still and self._settled == address:
            return
        status = {
            "state": self.sequencer.state,
            "entry": self.passing.entry,
            "failed": self.failed,
            "received": self.collector.received,
            "sent_stage": self.sequencer.sent_stage,
            "sent_hops": self.sequencer.sent_hops,
            "strange": self.collector.strange,
            "finished": self.finished,
        }
        busy = self.busy
        if not still:
            self._edge(inject_ready, vector_in, custom)
        self.registers.edge(address, write, data, busy, status)
        self._settled = address if still else -1

    def _edge(self, inject_ready: int, vector_in: tuple[int, int] | None, custom: int) -> None:
        """Take the edge of everything but the registers."""
        collector, sequencer, passing, sender = self.collector, self.sequencer, self.passing, self.sender
        fields, start, cut_short, arrived = self._fields, self._start, self._cut_short, self._arrived
        busy, level, oldest = int(sequencer.state != IDLE), self.buffer.level, self.buffer.head
        out_ready = int(self._out_ready and not self.closing)
        moves = int(self.injecting is not None and inject_ready)
        pop, done = sender.pop(moves), sender.done(moves)
        request, mine, ended = None, self.mine, self.mine
        if sender.idle and busy and not cut_short:
            request = sequencer.request(fields)
            mine = int(request is not None)
            if request is None:
                request = passing.request(fields, busy, sequencer.state, level, oldest)
        granted = int(request is not None)
        credit, received, accepted = collector.credit, collector.received, collector.accepted
        use_credit = sequencer.use_credit(fields, credit)
        used = passing.uses(fields, busy, level, collector.relay_credit, collector.end_credits)
        push = None
        if arrived is not None:
            push = passing.push(fields, busy, arrived, self._accept, accepted)
        word = None if arrived is None else (arrived.data, arrived.last, arrived.error)
        self.receiver.edge(word, cut_short or not self._fields["enable"])
        self._write(vector_in, custom)
        pass_done = self._pass_done()
        passing.edge(
            fields,
            arrived=arrived,
            accept=self._accept,
            accepted=accepted,
            busy=busy,
            level=level,
            oldest=oldest,
            used=used,
            start=start,
            cut_short=cut_short,
            granted=granted & (1 - mine),
            done=done & (1 - ended),
        )
        length, highest, result_here = sequencer.length, collector.highest, collector.result_here
        sequencer.edge(
            fields,
            start=start,
            cut_short=cut_short,
            vector_in=vector_in,
            out_ready=out_ready,
            granted=granted & mine,
            done=done & ended,
            credit=credit,
            received=received,
            highest=highest,
            result_here=result_here,
            pass_done=pass_done,
        )
        collector.edge(arrived, self._accept, length, fields["stage"], (use_credit, *used), start, cut_short)
        popped = pop or (request is not None and not mine and request.from_pass)
        self.buffer.edge(start | cut_short, push, int(popped))
        torn = oldest[3] if oldest is not None else 0
        sender.edge(None if request is None else request._asdict(), moves, cut_short, torn)
        if granted:
            self.mine = mine
        self._out_edge()

    def _write(self, vector_in: tuple[int, int] | None, custom: int) -> None:
        """Take the edge of the memory, and keep whether the host's vector is too long."""
        sequencer = self.sequencer
        if self._start:
            self.overflow = 0
        if vector_in is not None and sequencer.loading:
            if sequencer.loads(1):
                self.memory.write(sequencer.place, vector_in[0])
            else:
                self.overflow = 1
        elif self.merging is not None:
            operation = REPLACE if self.collector.accepted == REPLACED else self._fields["operation"]
            self.memory.write(
                self.collector.pointer,
                operation_unit.result(self.config, operation, *self.merging, custom),
            )

    def _out_edge(self) -> None:
        """Take the edge of what ends the host's vector after an abort."""
        word = self.vector_out
        moved = word is not None and self._out_ready
        if self.closing:
            if moved:
                self.closing = self.open = 0
            return
        if word is not None and moved:
            self.open = 1 - word[1]
        if self._cut_short:
            self.closing = self.open

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get = inputs.get
        if get("address", 0) != self.address:
            self.strap(get("address", 0))
        address, write, data = (get(f"control__{name}", 0) for name in ("address", "write", "write_data"))
        self.begin(get("vector_out__ready", 0), (address, write, data))
        outputs = self.outputs_before()
        outputs["eject__ready"] = self.eject_ready
        for name, value in zip(("data", "last", "error"), self.injecting or (None, None, None), strict=True):
            outputs[f"inject__{name}"] = value
        outputs["inject__valid"] = int(self.injecting is not None)
        came = get("eject__valid", 0)
        self.arrive((get("eject__data", 0), get("eject__last", 0), get("eject__error", 0)) if came else None)
        outputs |= self.outputs_after() | {"enable": self.registers.fields["enable"], "finished": self.finished}
        if get("rst"):
            self.reset()
            return outputs
        word = (get("vector_in__data", 0), get("vector_in__last", 0)) if get("vector_in__valid") else None
        self.edge(get("inject__ready", 0), word, get("custom_result", 0))
        return outputs

    def outputs_before(self) -> Outputs:
        """Return the outputs to the host that are known when the cycle has begun."""
        return {
            "vector_in__ready": self.sequencer.takes,
            "control__read_data": self.registers.read_data,
            "busy": self.busy,
            "failed": self.failed,
        }

    def outputs_after(self) -> Outputs:
        """Return the outputs to the host that depend on what the router brings."""
        outputs: Outputs = {"vector_out__valid": int(self.vector_out is not None)}
        for name, value in zip(("data", "last", "error"), self.vector_out or (None, None, None), strict=True):
            outputs[f"vector_out__{name}"] = value
        own, other = self.merging or (0, 0)
        return outputs | {"custom_own": own, "custom_other": other}
