"""Input: into which queues what comes over a link goes, and whether more may come."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs, stream
from cubecast.golden.crosspoint.contract.units import Port
from cubecast.golden.crosspoint.contract.word import CrosspointReason, outputs_of
from cubecast.golden.crosspoint.twins.flit import Link, Report, link_input

__all__ = ["Input"]


class Input:
    """Twin of the input of a link; the flags ``ready`` and ``ready_up`` and the report are functions of registers.

    ``queues`` is the mask of the queues that there are. A cycle: :meth:`accept` finds what is pushed, :meth:`edge`
    takes the edge.

    Parameters
    ----------
    config : Port
        The router, and the dimension of the link.
    """

    def __init__(self, config: Port) -> None:
        """Start in reset."""
        self.config = config
        self._dimension = j = config.port
        self._router = config.router
        self.queues = sum(1 << k for k in outputs_of(config.router, j))
        self._up = self.queues & ~((2 << j) - 1)
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.ready = self.ready_up = 0
        self.open = 0
        self.waiting = 0

    @property
    def resting(self) -> bool:
        """Whether an edge changes nothing as long as nothing comes, no queue fills and the link is not cut."""
        return bool(self.ready) and not self.waiting

    def report(self, address: int) -> Report | None:
        """Return the report that is offered in this cycle."""
        if not self.waiting:
            return None
        return CrosspointReason.INPUT_CUT, address ^ 1 << self._dimension

    def accept(self, link: Link, cut: int) -> tuple[int, int, int]:
        """Return push, last and error of the word for the queues; a cut link ends what is coming in."""
        if cut:
            return self.open, 1, 1
        return link.push & self.queues, link.last, link.error

    def counts(self, link: Link, cut: int) -> bool:
        """Return whether a packet comes in."""
        return bool(link.head and link.push & self.queues and not cut)

    def edge(self, link: Link, cut: int, young: int, room: int, report_taken: bool) -> None:
        """Take the edge of a cycle; ``room`` is the mask of the queues that have room."""
        push = link.push & self.queues
        came = bool(cut and (self.open or (young and link.head and push)))
        full = ~room & self.queues
        self.ready = int(not full and not self.waiting)
        self.ready_up = int(not full & self._up and not self.waiting)
        self.waiting += came - report_taken
        if cut:
            self.open = 0
        elif push:
            self.open = 0 if link.last else push

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, link = inputs.get, link_input("link", inputs)
        guarded = self._router.fault_tolerant
        cut, young = (get("cut", 0), get("young", 0)) if guarded else (0, 0)
        push, last, error = self.accept(link, cut)
        report = self.report(get("address", 0))
        outputs: Outputs = {
            "push": push,
            "last": last,
            "error": error,
            "ready": self.ready,
            "ready_up": self.ready_up,
            "message_in": int(self.counts(link, cut)),
            **stream("report", ("reason", "destination"), report),
        }
        if get("rst"):
            self.reset()
        else:
            self.edge(link, cut, young, get("room", 0), report is not None and bool(get("report__ready", 0)))
        return outputs
