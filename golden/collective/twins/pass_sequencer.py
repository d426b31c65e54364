"""Pass sequencer: what goes through a node, relayed pieces of merges and the messages of a ring."""

from __future__ import annotations

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.segment import Kind, Reading, dimension_bit
from cubecast.golden.collective.contract.states import Accepted, State, Step
from cubecast.golden.collective.twins.bundled import by_bundles
from cubecast.golden.collective.twins.merge_collector import Arrived
from cubecast.golden.collective.twins.pass_buffer import Entry
from cubecast.golden.collective.twins.request import Request, request_outputs
from cubecast.golden.common.twins.ports import Inputs, Outputs, Word

__all__ = ["PassSequencer"]


GRANT, OPEN, CLOSED = (int(step) for step in Step)
ARGUMENT, BODY = int(Reading.ARGUMENT), int(Reading.BODY)
RELAY, RING, OTHER = int(Kind.RELAY), int(Kind.RING), int(Accepted.OTHER)


class PassSequencer:
    """Twin of the pass sequencer.

    A cycle: :meth:`ring_ready`, :meth:`relay_open`, :meth:`push`, :meth:`uses`, :meth:`request`, :meth:`offer` and
    :meth:`pass_done` are its combinational outputs, :meth:`edge` takes its edge; :meth:`step` is all of it. ``fields``
    are the fields of the registers by name; an entry of the buffer is data, last, final and error.

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
        self.address = address
        self._depth = config.pass_depth
        self._every = config.nodes - 1
        self._relays = config.max_relays
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.entry = 0
        self.stage = GRANT
        self.cleared = 0
        self.waiting = 0
        self.final_sent = 0
        self.stage_kept = 0
        self.hops_kept = 0
        self.first = 0
        self.forwarding = 0
        self.spoiled = 0

    def _takes_ring(self, fields: Inputs, busy: int, received: int, level: int) -> bool:
        """Return whether messages of a ring can come in."""
        if not busy or not fields.get("ring"):
            return False
        return received < fields.get("expected", 0) and level < self._depth

    def ring_ready(self, fields: Inputs, busy: int, received: int, level: int, out_ready: int) -> int:
        """Return whether a word of a ring message is taken."""
        return int(out_ready and self._takes_ring(fields, busy, received, level))

    def _relaying(self, fields: Inputs, busy: int) -> bool:
        """Return whether some relay entry is under way."""
        return bool(self._relays and busy and not fields.get("ring") and self.entry < fields.get("relays", 0))

    def relay_open(self, fields: Inputs, busy: int) -> int:
        """Return whether a piece to be relayed is taken."""
        return int(self.stage == OPEN and self._relaying(fields, busy))

    def pass_done(self, fields: Inputs, received: int, level: int) -> int:
        """Return whether nothing goes through this node any more."""
        if self.waiting:
            return 0
        if fields.get("ring"):
            return int(received >= fields.get("expected", 0) and level == 0)
        return int(self.entry >= fields.get("relays", 0))

    def push(self, fields: Inputs, busy: int, arrived: Arrived, accept: int, accepted: int) -> Entry | None:
        """Return the entry that the word taken in this cycle makes, if any."""
        ring = fields.get("ring", 0)
        if not busy or arrived.kind != (RING if ring else RELAY) or (accept if arrived.head else accepted) != OTHER:
            return None
        if arrived.head:
            if ring:
                origin = arrived.argument & self._every
                if origin == fields.get("next_member", 0):
                    return None
                return origin, arrived.message_end, arrived.is_final, arrived.error
            return arrived.argument, arrived.message_end, arrived.is_final, arrived.error
        if arrived.word and (self.forwarding or not ring):
            return arrived.data, arrived.last, arrived.is_final, arrived.error
        return None

    def _passing(self, fields: Inputs, busy: int, level: int) -> bool:
        """Return whether an entry of the buffer is to be relayed."""
        if self.stage == GRANT or not level or self.waiting or self.final_sent:
            return False
        return self._relaying(fields, busy)

    def _way(self, fields: Inputs) -> int:
        """Return the mask of the dimension that the piece is relayed to, 0 if that is none."""
        return dimension_bit(self.config, fields.get("relay_to", 0) >> 4 * self.entry & 15)

    def _is(self, fields: Inputs, name: str) -> int:
        """Return the bit of the entry under way in a field."""
        return fields.get(name, 0) >> self.entry & 1

    def uses(self, fields: Inputs, busy: int, level: int, relay_credit: int, end_credits: int) -> tuple[int, int]:
        """Return the relay credit and the end credit that are used in this cycle, as masks."""
        if self.cleared or not self._passing(fields, busy, level):
            return 0, 0
        way = self._way(fields)
        if not self._is(fields, "relay_end"):
            return relay_credit & way, 0
        there = way and end_credits >> 4 * (way.bit_length() - 1) & 15
        return 0, way if there else 0

    def request(self, fields: Inputs, busy: int, state: int, level: int, oldest: Entry | None) -> Request | None:
        """Return what is asked of the sender in this cycle; ``state`` is the collective sequencer's."""
        if not busy or self.waiting:
            return None
        if fields.get("ring"):
            if oldest is None or not level or state != State.LAST:
                return None
            data, last, final, _ = oldest
            to = fields.get("next_member", 0)
            return Request(RING, data & 0xFFFF, distant=1, destination=to, is_final=final, body=1 - last, from_pass=1)
        if not self._relaying(fields, busy):
            return None
        if self.stage == GRANT:
            kind = int(Kind.CREDIT if self._is(fields, "relay_first") else Kind.RELAY_CREDIT)
            targets = dimension_bit(self.config, fields.get("relay_from", 0) >> 4 * self.entry & 15)
            return Request(kind, self.address, targets=targets)
        if oldest is None or not self.cleared or not self._passing(fields, busy, level):
            return None
        data, last, final, _ = oldest
        return Request(
            int(Kind.DATA if self._is(fields, "relay_end") else Kind.RELAY),
            data & 0xFFFF,
            targets=self._way(fields),
            is_final=final,
            stage=self.stage_kept,
            hops=self.hops_kept,
            body=1 - last,
            from_pass=1,
        )

    def offer(
        self,
        fields: Inputs,
        busy: int,
        received: int,
        level: int,
        phase: int,
        kind: int,
        is_final: int,
        offered: Word | None,
    ) -> Word | None:
        """Return the word that is offered to the host in this cycle, of the one ``offered`` by the router."""
        if offered is None or kind != RING or phase < ARGUMENT or not self._takes_ring(fields, busy, received, level):
            return None
        data, last, error = offered
        last &= is_final
        error |= self.spoiled
        if phase == BODY:
            return data, last, error & last
        if self.first:
            return data & self._every, last, error & last
        return (0, 1, 1) if last else None

    def edge(
        self,
        fields: Inputs,
        *,
        arrived: Arrived | None = None,
        accept: int = 0,
        accepted: int = 0,
        busy: int = 0,
        level: int = 0,
        oldest: Entry | None = None,
        used: tuple[int, int] = (0, 0),
        start: int = 0,
        cut_short: int = 0,
        granted: int = 0,
        done: int = 0,
    ) -> None:
        """Take the edge of a cycle.

        Parameters
        ----------
        fields : mapping
            Fields of the registers.
        arrived : Arrived or None
            What the receiver says; None: no word was taken.
        oldest : data, last, final and error, or None
            The oldest entry of the buffer.
        used : tuple of int
            What :meth:`uses` says.
        accept, accepted, busy, level, start, cut_short, granted, done : int
            The inputs of these names.
        """
        ring = fields.get("ring", 0)
        passing = not self.cleared and self._passing(fields, busy, level)
        if arrived is not None and busy and (accept if arrived.head else accepted) == OTHER:
            if ring and arrived.kind == RING:
                self._take_ring(fields, arrived)
            elif not ring and arrived.kind == RELAY:
                self._take_relay(arrived)
        if passing and (any(used) or not self._way(fields)):
            self.cleared = 1
        if done:
            self.waiting = 0
            if not ring:
                self._done()
        if granted:
            self.waiting = 1
            if not ring and self.stage != GRANT and oldest is not None:
                self.final_sent = oldest[2]
        if start or cut_short:
            self.entry = self.cleared = self.waiting = self.final_sent = 0
            self.stage, self.first, self.spoiled = GRANT, 1, 0

    def _done(self) -> None:
        """Go on in a merge when a message was sent."""
        if self.stage == GRANT:
            self.stage = OPEN
        elif self.final_sent:
            self.entry = self.entry + 1 & 31
            self.stage, self.cleared, self.final_sent = GRANT, 0, 0

    def _take_relay(self, arrived: Arrived) -> None:
        """Take a word of a RELAY message."""
        if arrived.head:
            self.stage_kept, self.hops_kept = arrived.stage, arrived.hops
        if arrived.message_end and arrived.is_final:
            self.stage = CLOSED

    def _take_ring(self, fields: Inputs, arrived: Arrived) -> None:
        """Take a word of a RING message."""
        if arrived.head:
            self.forwarding = int(arrived.argument & self._every != fields.get("next_member", 0))
            self.first = 0
        if arrived.message_end:
            self.spoiled = 0 if arrived.is_final else self.spoiled | arrived.error
        if arrived.message_end and arrived.is_final:
            self.first = 1

    @by_bundles("command", "awaited", "relay", "passed", "arrival", "offer", "store", "request")
    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get = inputs.get
        self.address = get("address", 0)
        busy, level, received, phase = (get(name, 0) for name in ("busy", "level", "received", "phase"))
        arrived = Arrived(*(get(name, 0) for name in Arrived._fields))
        accept, accepted = get("accept", 0), get("accepted", 0)
        oldest = (get("o_data", 0), get("o_last", 0), get("o_final", 0), get("o_error", 0)) if level else None
        word = arrived.argument if phase == ARGUMENT else arrived.data
        offered = (word, arrived.last, arrived.error) if get("offered") else None
        request = self.request(inputs, busy, get("state", 0), level, oldest)
        push = self.push(inputs, busy, arrived, accept, accepted)
        used = self.uses(inputs, busy, level, get("relay_credit", 0), get("end_credits", 0))
        out = self.offer(inputs, busy, received, level, phase, arrived.kind, arrived.is_final, offered)
        granted = get("granted", 0)
        outputs: Outputs = request_outputs(request) | {
            "ring_ready": self.ring_ready(inputs, busy, received, level, get("vector_out__ready", 0)),
            "relay_open": self.relay_open(inputs, busy),
            "push": int(push is not None),
            "pop_head": int(granted and request is not None and request.from_pass),
            "entry": self.entry,
            "use_relay": used[0],
            "use_end": used[1],
            "pass_done": self.pass_done(inputs, received, level),
            "vector_out__valid": int(out is not None),
        }
        for name, value in zip(("data", "last", "final", "error"), push or (None,) * 4, strict=True):
            outputs[f"i_{name}"] = value
        for name, value in zip(("data", "last", "error"), out or (None, None, None), strict=True):
            outputs[f"vector_out__{name}"] = value
        if get("rst"):
            self.reset()
            return outputs
        self.edge(
            inputs,
            arrived=arrived,
            accept=accept,
            accepted=accepted,
            busy=busy,
            level=level,
            oldest=oldest,
            used=used,
            start=get("start", 0),
            cut_short=get("cut_short", 0),
            granted=granted,
            done=get("done", 0),
        )
        return outputs
