"""Collective sequencer: a node's own part in a merge or in a ring."""

from __future__ import annotations

from cubecast.golden.collective.contract.config import CollectiveConfig
from cubecast.golden.collective.contract.segment import Kind
from cubecast.golden.collective.contract.states import Result, State
from cubecast.golden.collective.twins.bundled import by_bundles
from cubecast.golden.collective.twins.request import Request, request_outputs
from cubecast.golden.common.twins.ports import Inputs, Outputs, Word

__all__ = ["CollectiveSequencer"]


IDLE, LOAD, CREDIT, ENDS, GATHER, SEND, AWAIT, SPREAD, OUTPUT, LAST = (int(state) for state in State)
REQUESTING = (CREDIT, ENDS, SEND, SPREAD)
BROADCAST, FROM_NEIGHBOURS = int(Result.BROADCAST), int(Result.SPREAD)


class CollectiveSequencer:
    """Twin of the collective sequencer.

    A cycle: :meth:`request`, :meth:`use_credit`, :meth:`loads` and :meth:`offer` are its combinational outputs,
    :meth:`edge` takes its edge; :meth:`step` is all of it. ``fields`` are the fields of the registers by name.

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
        self._dim = config.router.dim
        self._most = config.max_vector
        self._segment = config.segment
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.state = IDLE
        self.length = 0
        self.place = 0
        self.index = 0
        self.to_end = 0
        self.begun = 0
        self.waiting = 0
        self.dropping = 0
        self.sent_stage = 0
        self.sent_hops = 0

    def request(self, fields: Inputs) -> Request | None:
        """Return what is asked of the sender in this cycle."""
        state, get = self.state, fields.get
        if self.waiting or state not in REQUESTING:
            return None
        if state == CREDIT:
            targets = get("receive", 0)
            return Request(int(Kind.CREDIT), self.address, targets=targets) if targets else None
        if state == ENDS:
            if not self.to_end:
                return None
            low = self.to_end & -self.to_end
            hops = get("ends", 0) >> 4 * (low.bit_length() - 1) & 15
            return Request(int(Kind.END_CREDIT), self.address, targets=low, hops=hops)
        if state == SEND and get("ring"):
            piece = self._piece(fields, int(Kind.RING), self.address)
            return piece._replace(distant=1, destination=get("next_member", 0))
        if state == SEND:
            if not self.begun:
                return None
            kind = int(Kind.RELAY if get("detour") else Kind.DATA)
            return self._piece(fields, kind, self.place)._replace(
                targets=self._target(fields), stage=get("stage", 0), hops=self.sent_hops
            )
        if self._nobody(fields):
            return None
        return self._piece(fields, int(Kind.RESULT), self.place)._replace(
            broadcast=int(get("result") == BROADCAST), targets=get("spread", 0)
        )

    def use_credit(self, fields: Inputs, credit: int) -> int:
        """Return the credit that is used in this cycle, as a mask."""
        if self.state != SEND or fields.get("ring") or self.begun:
            return 0
        return credit & self._target(fields)

    @property
    def takes(self) -> int:
        """Whether a word of the host's vector is taken."""
        return int(self.state == LOAD or self.dropping)

    @property
    def loading(self) -> bool:
        """Whether a word that is taken belongs to this operation's vector."""
        return self.state == LOAD and not self.dropping

    def loads(self, valid: int) -> int:
        """Return whether the word that comes in is written to the memory."""
        return int(self.loading and valid and self.place < self._most)

    def offer(self, memory_data: int) -> Word | None:
        """Return the word that is offered to the host in this cycle."""
        if self.state != OUTPUT or not self.length:
            return None
        return memory_data, int(self.place == self.length - 1), 0

    def _target(self, fields: Inputs) -> int:
        """Return the mask of the dimension that the piece goes over, 0 if that is none."""
        j = fields.get("send_dim", 0) >> 4 * self.index & 15
        return 1 << j if j < self._dim else 0

    def _stop(self, fields: Inputs) -> int:
        """Return where the piece ends."""
        get = fields.get
        if self.state != SEND or get("ring") or self.index + 1 == get("sends", 0):
            return self.length
        return min(self.length, get("send_place", 0) >> 16 * (self.index + 1) & 0xFFFF)

    def _part(self, fields: Inputs) -> tuple[int, bool]:
        """Return how many words the next segment takes, and whether it ends the piece."""
        left = self._stop(fields) - self.place
        count = min(self._segment, left)
        return count, count == left

    def _piece(self, fields: Inputs, kind: int, argument: int) -> Request:
        """Return the request for the next segment of a piece."""
        count, final = self._part(fields)
        body = int(count != 0)
        return Request(kind, argument, is_final=int(final), body=body, offset=self.place, length=count)

    @staticmethod
    def _nobody(fields: Inputs) -> bool:
        """Return whether this node passes the result on to nobody."""
        result = fields.get("result", 0)
        if result == BROADCAST:
            return fields.get("sends", 0) != 0
        return result == 0 or (result == FROM_NEIGHBOURS and not fields.get("spread"))

    def edge(
        self,
        fields: Inputs,
        *,
        start: int = 0,
        cut_short: int = 0,
        vector_in: tuple[int, int] | None = None,
        out_ready: int = 0,
        granted: int = 0,
        done: int = 0,
        credit: int = 0,
        received: int = 0,
        highest: int = 0,
        result_here: int = 0,
        pass_done: int = 0,
    ) -> None:
        """Take the edge of a cycle.

        Parameters
        ----------
        fields : mapping
            Fields of the registers.
        vector_in : data and last, or None
            The word that the host offers.
        out_ready, start, cut_short, granted, done, credit, received, highest, result_here, pass_done : int
            The inputs of these names.
        """
        state, word = self.state, vector_in
        if self.dropping:
            if word is not None and word[1]:
                self.dropping = 0
            word = None
        elif state == LOAD and cut_short:
            self.dropping = int(not word[1] if word is not None else self.place != 0)
        if granted:
            self.waiting = 1
        if done:
            self.waiting = 0
        if state == IDLE:
            if start:
                self._start(fields)
        elif state == LOAD:
            if word is not None:
                self._load(fields, word[1])
        elif state == CREDIT:
            if done or not fields.get("receive"):
                self.state = ENDS
        elif state == ENDS:
            if not self.to_end:
                self.state = GATHER
            elif done:
                self.to_end &= self.to_end - 1
        elif state == GATHER:
            if received >= fields.get("expected", 0):
                self._gathered(fields, highest)
        elif state == SEND:
            self._send(fields, done, credit)
        elif state == AWAIT:
            if result_here:
                self.state, self.place = SPREAD, 0
        elif state == SPREAD:
            if self._nobody(fields) or (done and self._sent(fields)):
                self.state, self.place = OUTPUT, 0
        elif state == OUTPUT:
            self._output(out_ready)
        elif pass_done:
            self.state = IDLE
        if cut_short:
            self.state, self.waiting, self.begun = IDLE, 0, 0

    def _start(self, fields: Inputs) -> None:
        """Begin an operation."""
        get = fields.get
        self.length = self.place = self.index = self.begun = self.waiting = 0
        ends = get("ends", 0)
        self.to_end = sum(1 << j for j in range(self._dim) if ends >> 4 * j & 15)
        if get("ring") and not get("own"):
            self.state = LAST
        elif get("empty"):
            self.state = SEND if get("ring") else CREDIT
        else:
            self.state = LOAD

    def _load(self, fields: Inputs, last: int) -> None:
        """Take a word of the host's vector."""
        if self.place < self._most:
            self.place += 1
        if last:
            self.length, self.place = self.place, 0
            self.state = SEND if fields.get("ring") else CREDIT

    def _gathered(self, fields: Inputs, highest: int) -> None:
        """Go on when all pieces are here."""
        get = fields.get
        self.place = 0
        if not get("sends"):
            self.state = SPREAD
            return
        self.state, self.index = SEND, 0
        self.sent_stage, self.sent_hops = get("stage", 0), highest + get("way", 0) & 0xFF

    def _sent(self, fields: Inputs) -> bool:
        """Move on behind the segment that was sent; return whether the piece is over."""
        count, final = self._part(fields)
        self.place += count
        return final

    def _send(self, fields: Inputs, done: int, credit: int) -> None:
        """Take the edge in SEND."""
        get = fields.get
        if get("ring"):
            if done and self._sent(fields):
                self.state = LAST
        elif not self.begun:
            target = self._target(fields)
            if not target or credit & target:
                self.begun, self.place = 1, min(self.place, self._stop(fields))
        elif done and self._sent(fields):
            self.begun = 0
            if self.index + 1 != get("sends", 0):
                self.index += 1
            else:
                self.state = AWAIT if get("result") else LAST

    def _output(self, ready: int) -> None:
        """Take the edge in OUTPUT."""
        if not self.length:
            self.state = LAST
        elif ready:
            if self.place == self.length - 1:
                self.state = LAST
            self.place += 1

    @by_bundles("command", "awaited", "own", "gathered", "request")
    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get = inputs.get
        self.address = get("address", 0)
        request = self.request(inputs)
        valid, ending = get("vector_in__valid", 0), get("cut_short", 0)
        offered = self.offer(get("memory_data", 0))
        data, last, _ = offered or (None, None, 0)
        outputs: Outputs = request_outputs(request) | {
            "broadcast": None if request is None else request.broadcast,
            "offset": None if request is None else request.offset,
            "count": None if request is None else request.length,
            "state": self.state,
            "busy": int(self.state != IDLE),
            "length": self.length,
            "place": self.place,
            "use_credit": self.use_credit(inputs, get("credit", 0)),
            "vector_in__ready": self.takes,
            "load": self.loads(valid),
            "failing": int(self.loading and valid and not self.loads(valid)),
            "vector_out__valid": int(offered is not None),
            "vector_out__data": data,
            "vector_out__last": last,
            "finished": int(self.state == LAST and get("pass_done", 0) and not ending),
            "sent_stage": self.sent_stage,
            "sent_hops": self.sent_hops,
        }
        before = self.state
        names = ("granted", "done", "credit", "received", "highest", "result_here", "pass_done")
        self.edge(
            inputs,
            start=get("start", 0),
            cut_short=ending,
            vector_in=(get("vector_in__data", 0), get("vector_in__last", 0)) if valid else None,
            out_ready=get("vector_out__ready", 0),
            **{name: get(name, 0) for name in names},
        )
        if self.config.reads_ahead:
            outputs |= {"ahead": self.place, "puts_out": int(OUTPUT in (before, self.state))}
        if get("rst"):
            self.reset()
        return outputs
