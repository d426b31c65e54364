"""Output: whose packet goes over a link, and what goes onto it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cubecast.golden.common.contract.units import Requests
from cubecast.golden.common.twins.ports import Inputs, Outputs, stream
from cubecast.golden.crosspoint.contract.units import Port
from cubecast.golden.crosspoint.contract.word import CONTEXTS, CrosspointReason, Kind, inputs_of
from cubecast.golden.crosspoint.twins.flit import IDLE, Head, Link, Reduced, Report, Stored, absent_of
from cubecast.golden.crosspoint.twins.matrix_arbiter import MatrixArbiter

__all__ = ["Output"]

Next = Callable[[int], tuple[int, int, int]]
"""push, left_r1 and left_r2 of a requester's word."""


class Output:
    """Twin of the output of a link.

    A cycle has two halves: :meth:`choose` finds the requester whose word goes (``going``, -1 if none) and whether it is
    a head, :meth:`send` what is on the link, and takes the edge. ``word_out``, ``message_out`` and ``report`` are of
    this cycle, the latter a function of registers.

    Parameters
    ----------
    config : Port
        The router, and the dimension of the link.
    reduce : int
        Join units beside the router, whose words take part; ``reduced`` is the one that goes, ``context`` the number of
        its unit.
    """

    def __init__(self, config: Port, *, reduce: int = 0) -> None:
        """Start in reset."""
        self.config = config
        self._contexts = CONTEXTS[:reduce]
        self._dimension = j = config.port
        self._router = config.router
        self.requesters = inputs_of(config.router, j)
        # Requesters that come over a lower link are on their second run, and heed another flag.
        self._up = sum(1 << k for k, i in enumerate(self.requesters) if i < j)
        self._down = (1 << len(self.requesters)) - 1 ^ self._up
        self._folds = config.router.multicast and j < config.router.bitmap_dims
        self.arbiter = MatrixArbiter(Requests(count=len(self.requesters) + reduce))
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.arbiter.reset()
        self.busy = False
        self.lock = -1
        self.hold = 0
        self.report: Report | None = None
        self.going = -1
        self.head = False
        self.reduced: Reduced | None = None
        self.context = 0
        self.word_out = self.message_out = False

    @property
    def resting(self) -> bool:
        """Whether an edge changes nothing as long as no requester has a word and the link is not cut."""
        return not self.hold and self.report is None

    def choose(
        self,
        ne: int,
        ready: int,
        ready_up: int,
        cut: int,
        words: Sequence[Reduced | None] = (),
        ready_r: Sequence[int] = (),
    ) -> None:
        """Find whose word goes in this cycle.

        Parameters
        ----------
        ne : int
            Mask of the requesters that have a word.
        ready, ready_up : int
            What the neighbour says.
        cut : int
            Whether the link is out of use.
        words : sequence
            What the join units offer; empty: nothing.
        ready_r : sequence of int
            What the neighbour's join units say.
        """
        self.head, self.reduced = False, None
        if self.busy:
            self.going = self.lock if ne >> self.lock & 1 else -1
            return
        count = len(self.requesters)
        request = 0
        if not cut:
            for context, (word, ready_c) in enumerate(zip(words, ready_r, strict=False)):
                if word is not None and ready_c:
                    request |= 1 << count + context
        if self.report is None:
            request |= ne & ((self._down if ready or cut else 0) | (self._up if ready_up or cut else 0))
        self.going = self.arbiter.grant(request)
        if self.going >= count:
            self.context = self.going - count
            self.going, self.reduced = -1, words[self.context]
        self.head = self.going >= 0

    def send(
        self, word: Head | Stored | None, found: tuple[int, int, int], cut: int, address: int, report_taken: bool
    ) -> Link:
        """Return what is on the link, and take the edge.

        Parameters
        ----------
        word : Head or Stored, optional
            The word of the requester that goes.
        found : tuple
            Its push, left_r1 and left_r2.
        cut : int
            Whether the link is out of use.
        address : int
            Of the node.
        report_taken : bool
            Whether the report that is offered is taken.
        """
        link, event = IDLE, None
        if cut and self.hold:
            event = CrosspointReason.PACKET_CUT, address ^ 1 << self._dimension
        going_on = self.hold
        if word is not None:
            pushes, r1, r2 = found
            data, last, error, kind = word.data, word.last, word.error, word.kind
            if self.head:
                self.arbiter.advance(self.going)
                if self._folds and kind & 2:
                    size = 1 << self._dimension
                    low = (1 << size) - 1
                    data = data & ~low | data >> size & low
                if cut:
                    there = address ^ 1 << self._dimension ^ r1 ^ (r2 if kind == Kind.UNICAST else 0)
                    event = CrosspointReason.UNDELIVERABLE, there
            chosen = pushes if self.head else self.hold
            link = Link(0 if cut else chosen, int(self.head), last, error, data, r1, r2, kind)
            going_on = 0 if last else chosen
            self.busy, self.lock = not last, -1 if last else self.going
        elif self.reduced is not None:
            self.arbiter.advance(len(self.requesters) + self.context)
            data, rop, last, error = self.reduced
            link = Link(last=last, error=error, data=data, rop=rop, **{f"push_r{CONTEXTS[self.context]}": 1})
        self.hold = 0 if cut else going_on
        self.word_out = link.push != 0
        self.message_out = self.word_out and bool(link.last)
        if event is not None:
            self.report = event
        elif report_taken:
            self.report = None
        return link

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, router = inputs.get, self._router
        count = len(self.requesters)
        ne = sum(get(f"i__{k}__ne", 0) << k for k in range(count))
        cut = get("cut", 0) if router.fault_tolerant else 0
        offered = [
            Reduced(*(get(f"reduce{context}__{name}", 0) for name in Reduced._fields))
            if get(f"reduce{context}__request")
            else None
            for context in self._contexts
        ]
        flags = [get(f"ready_r{context}", 0) for context in self._contexts]
        self.choose(ne, get("ready", 0), get("ready_up", 0), cut, offered, flags)
        k, report = self.going, self.report
        word, found = None, (0, 0, 0)
        if k >= 0:
            word = Head(*(get(f"i__{k}__{name}", 0) for name in Head._fields))
            push = get(f"i__{k}__push", 0)
            found = push, word.r1, word.r2
        taken = report is not None and bool(get("report__ready", 0))
        link = self.send(word, found, cut, get("address", 0), taken)
        pop = 1 << k if k >= 0 else 0
        outputs: Outputs = {
            "pop": pop,
            **dict(zip(Link._fields, link, strict=True)),
            "word_out": int(self.word_out),
            "message_out": int(self.message_out),
            "waited": int(bool(ne & ~pop)),
            **stream("report", ("reason", "destination"), report),
        }
        for place, context in enumerate(self._contexts):
            outputs[f"reduce{context}__taken"] = int(self.reduced is not None and self.context == place)
        for name in absent_of(len(self._contexts)):
            del outputs[name]
        if get("rst"):
            self.reset()
        return outputs
