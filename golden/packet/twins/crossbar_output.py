"""Crossbar output: which packet goes out through a port next, and what becomes of the one that goes out."""

from __future__ import annotations

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.common.twins.report_queue import ReportQueue
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.contract.reason import PacketReason
from cubecast.golden.packet.twins.flit import Flit, flit_input, flit_outputs
from cubecast.golden.packet.twins.tree_arbiter import TreeArbiter

__all__ = ["CrossbarOutput"]


class CrossbarOutput:
    """Twin of a crossbar output; what it passes on is combinational, whose turn it is are registers.

    A cycle has two halves: :meth:`offer` finds what goes out (``sent``, None if nothing) and whether the owner's flit
    is ``taken``, :meth:`edge` takes the edge and leaves ``waited``, ``word_out`` and ``packet_out`` of the cycle.
    A packet chosen while nothing is sent holds the output from the cycle after its ``accept``.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.
    count : int
        Number of requesters K.
    local : bool
        Whether it is the output to the node, which gets the early end of a packet as a flit of its own.

    Source: Buzzard 1988, section 5.4.3 (crossbar) and figures 5.5, 5.6.
    """

    def __init__(self, config: PacketConfig, count: int, local: bool = False) -> None:
        """Start in reset."""
        self.config = config
        self.count = count
        self.local = local
        self._address = config.nodes - 1
        self.arbiter = TreeArbiter(config, count=count)
        self.queue = ReportQueue(config.control)
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.arbiter.reset()
        self.queue.reset()
        self.held = False
        self.owner = 0
        self.head_gone = False
        self.head_seen = False
        self.pending = False
        self.accepted = False
        self.next = 0
        self.doomed = False
        self.dropping = False
        self.destination = 0
        self.sent: Flit | None = None
        self.taken = False
        self.waited = False
        self.word_out = False
        self.packet_out = False

    @property
    def resting(self) -> bool:
        """Whether an edge changes nothing as long as nobody requests the output."""
        return not (self.held or self.pending or self.queue.entries)

    @property
    def granted(self) -> int:
        """The requester that is granted in this cycle, -1 if none."""
        return self.next if self.pending and not self.accepted else -1

    def sent_back(self, cut: int, refused: int) -> bool:
        """Return whether the far end refuses the packet being sent; its owner will try again."""
        return bool(refused and self.held and self.head_gone and not self.dropping and not cut)

    def offer(self, flit: Flit | None, cut: int, ready: int) -> None:
        """Find what goes out in this cycle; ``flit`` is the owner's, while the output is held."""
        if flit is None or not self.held or (flit.head and not self.queue.calm):
            self.sent = None
            self.taken = False
            return
        dropped = self.dropping or cut or (flit.bad and not self.local)
        self.sent = None if dropped else flit
        self.taken = bool(dropped or ready)

    def edge(
        self,
        flit: Flit | None,
        request: int,
        accept: int,
        closing: int,
        opened: int,
        cut: int,
        refused: int = 0,
        report_taken: int = 0,
    ) -> None:
        """Take the edge of the cycle of :meth:`offer`.

        Parameters
        ----------
        flit : Flit, optional
            The owner's.
        request, accept, closing : int
            Masks over the requesters.
        opened, cut, refused : int
            Whether a packet may be sent over the link, whether it is faulty, whether the far end refuses a packet.
        report_taken : int
            Whether the report that is offered is taken.
        """
        held, head_seen, pending, over = self.held, self.head_seen, self.pending, False
        self.head_seen = self.head_gone
        self.word_out = self.packet_out = False
        put: tuple[PacketReason, int] | None = None
        if held:
            head_gone = self.head_gone
            sent_back = self.sent_back(cut, refused)
            if flit is not None and self.taken:
                if flit.head:
                    self.head_gone = True
                    self.destination = flit.data & self._address
                    if cut or self.dropping:
                        self.dropping = True
                        put = PacketReason.UNDELIVERABLE, self.destination
                if self.sent is not None and not flit.bad:
                    self.word_out = True
                    self.packet_out = bool(flit.last)
                over = bool(flit.last)
            if put is None and cut and head_gone and not self.dropping:
                self.dropping = True
                put = PacketReason.PACKET_CUT, self.destination
            over = over or sent_back
        self.waited = False
        if pending:
            self.waited = bool(request & ~(1 << self.next))
            accepted = self.accepted or bool(accept >> self.next & 1)
            if accepted and (over or not held):
                self.held = True
                self.owner = self.next
                self.dropping = self.doomed
                self.head_gone = self.head_seen = self.pending = self.accepted = False
            else:
                if over:
                    self.held = False
                self.accepted = accepted
                if not accepted and not request >> self.next & 1:
                    self.pending = False
        else:
            if over:
                self.held = False
            if request:
                granted = -1
                if (opened or cut) and (not held or (head_seen and closing >> self.owner & 1)):
                    granted = self.arbiter.grant(request)
                    self.arbiter.advance(request, granted)
                    self.pending = True
                    self.next = granted
                    self.doomed = not opened
                self.waited = request != 1 << granted if granted >= 0 else True
        if put is not None or report_taken:
            self.queue.edge(put, report_taken)

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, report, owner = inputs.get, self.queue.oldest, self.owner
        flit = flit_input(f"i__{owner}", inputs) if self.held else None
        cut, refused = get("cut", 0), get("refused", 0)
        self.offer(flit, cut, get("o__ready", 0))
        outputs: Outputs = {
            "grant": 1 << self.granted if self.granted >= 0 else 0,
            "refused_to": self.sent_back(cut, refused) << owner,
            **flit_outputs("o", self.sent),
            **{f"i__{k}__ready": int(self.taken and k == owner) for k in range(self.count)},
            "report__valid": int(report is not None),
        }
        outputs["report__reason"], outputs["report__destination"] = report if report is not None else (None, None)
        masks = get("request", 0), get("accept", 0), get("closing", 0)
        report_taken = int(report is not None and get("report__ready", 0))
        self.edge(flit, *masks, get("open", 0), cut, refused, report_taken)
        outputs |= {name: int(getattr(self, name)) for name in ("waited", "word_out", "packet_out")}
        if get("rst"):
            self.reset()
        return outputs
