"""Node output port: a buffer slot for each dimension, and the detour around faulty links."""

from __future__ import annotations

from collections.abc import Sequence

from cubecast.golden.common.contract.units import Requests
from cubecast.golden.common.twins.arbiter import Arbiter
from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.twins.flit import Flit, flit_outputs
from cubecast.golden.packet.twins.output_slot import EMPTY, Loaded, OutputSlot

__all__ = ["NodeOutputPort", "Word"]

Word = tuple[int, int, int] | tuple[int, int, int, int]
"""What the node offers in a cycle: data, last, mask of the slots that take it; the packet's kind if it has one."""


class NodeOutputPort:
    """Twin of the node output port.

    To the crossbar it is n + 1 requesters, the slots and, as requester n, the detour: ``flits``, ``requests`` and
    ``accepts`` (masks of ports) are lists of them, ``closing`` is a mask. A cycle has three parts: :meth:`offer`,
    :meth:`answer` once it is known what is granted and taken, and :meth:`edge`. While it is ``idle``, only an edge with
    a word is needed. ``ready`` and ``reports`` are masks of slots; ``committed`` says, after the edge, whether a packet
    became complete in the cycle.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the router.
    kinds : bool
        Whether packets have a kind.

    Source: Buzzard 1988, section 5.4.4, figure 5.7.
    """

    def __init__(self, config: PacketConfig, kinds: bool = False) -> None:
        """Start in reset, at node 0."""
        self.config = config
        self._dim = config.dim
        self.slots = [OutputSlot(config, kinds) for _ in range(config.dim)]
        self.arbiter = Arbiter(Requests(count=config.dim))
        for j, slot in enumerate(self.slots):
            slot.dimension = j
        self.strap(0)
        self.reset()

    def strap(self, address: int) -> None:
        """Set the address of the node."""
        self.address = address
        for slot in self.slots:
            slot.address = address

    def reset(self) -> None:
        """Set all registers to their reset values."""
        for slot in self.slots:
            slot.reset()
        self.arbiter.reset()
        self.active = False
        self.who = 0
        self.ready = self.config.nodes - 1
        self.reports = 0
        self.committed = 0
        self._settled = True
        self._rest()

    def _rest(self) -> None:
        """Set what is found anew in every cycle to what it is while idle."""
        self.flits: list[Flit | None] = [None] * (self._dim + 1)
        self.requests = [0] * (self._dim + 1)
        self.accepts = [0] * (self._dim + 1)
        self.closing = 0
        self._starts = -1
        self._wants = 0
        self._taken = 0
        self._refused = 0

    @property
    def idle(self) -> bool:
        """Whether there is no complete packet and no report, so that a clock edge without a word changes nothing."""
        return self._settled and not self.active

    @property
    def empty(self) -> bool:
        """Whether there is not even a part of a packet."""
        return self.idle and all(slot.state == EMPTY for slot in self.slots)

    def offer(self, fault: int, refusing: int) -> None:
        """Find flits, requests and closing of this cycle, given the fault vector and the mask of refusing links."""
        n, flits, requests = self._dim, self.flits, self.requests
        closing = wants = 0
        flits[n], requests[n] = None, 0
        for j, slot in enumerate(self.slots):
            if not slot.filled:
                flits[j], requests[j] = None, 0
                continue
            sender = slot.sender
            if sender.busy:
                if not sender.left:
                    closing |= 1 << j
                if not slot.via:
                    flits[j] = sender.flit
                else:
                    flits[j] = None
                    if self.active and self.who == j:
                        flits[n] = sender.flit
                        closing |= (closing >> j & 1) << n
            else:
                flits[j] = None
                if fault >> j & 1 and slot.detour(fault) >= 0:
                    wants |= 1 << j
            requests[j] = slot.request(fault, refusing >> j & 1) << j
        if self.active and wants >> self.who & 1:
            slot = self.slots[self.who]
            choice = slot.detour(fault)
            if not (refusing >> choice & 1 and slot.contrary(choice)):
                requests[n] = 1 << choice
        self._wants = wants
        self.closing = closing

    def answer(self, grants: Sequence[int], taken: int, refused: int) -> None:
        """Find ``accepts``, given the ports granted, and the masks of the requesters taken from and refused."""
        n, accepts, requests = self._dim, self.accepts, self.requests
        detoured = taken >> n & 1
        for j, slot in enumerate(self.slots):
            accepts[j] = 0
            if slot.sender.busy and slot.via:
                taken &= ~(1 << j)
                if detoured and self.active and self.who == j:
                    taken |= 1 << j
            if grants[j] and slot.accept(requests[j], grants[j], taken >> j & 1):
                accepts[j] = 1 << j
        if refused >> n & 1 and self.active:
            refused |= 1 << self.who
        self._taken, self._refused = taken, refused
        accepts[n] = grants[n] & requests[n]
        self._starts = accepts[n].bit_length() - 1

    def edge(self, word: Word | None, fault: int, report_taken: int) -> None:
        """Take the edge of a cycle with this word of the node; ``report_taken`` is a mask of slots."""
        slots, accepts, taken, refused, starts = self.slots, self.accepts, self._taken, self._refused, self._starts
        loaded, loading = None, 0
        if word is not None:
            data, last, named, *kind = word
            named_or_first = named or 1
            if not named_or_first & ~self.ready:
                loading = named_or_first
                loaded = Loaded(data, last, int(loading.bit_count() == 1), int(not named), *kind)
        if self.active:
            who = slots[self.who]
            ends = refused >> self.who & 1 or who.sender.done(taken >> self.who & 1)
            rests = not self._wants >> self.who & 1 and not who.sender.busy
        committed, ready, reports, settled = 0, self.ready, 0, True
        for j, slot in enumerate(slots):
            mine = loaded if loading >> j & 1 else None
            if mine is None and slot.idle:
                continue
            slot.edge(
                mine,
                fault,
                accepts[j],
                taken >> j & 1,
                refused >> j & 1,
                report_taken >> j & 1,
                starts if starts >= 0 and self.who == j else -1,
            )
            committed |= slot.committed
            if slot.ready:
                ready |= 1 << j
            else:
                ready &= ~(1 << j)
            if not slot.idle:
                settled = False
                if slot.queue.entries:
                    reports |= 1 << j
        if self.active:
            self.active = not (ends or rests)
        elif self._wants:
            self.active = True
            self.who = self.arbiter.grant(self._wants)
            self.arbiter.advance(self.who)
        self.committed, self.ready, self.reports, self._settled = committed, ready, reports, settled
        if self.idle:
            self._rest()

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, n = inputs.get, self._dim
        fault = get("fault", 0)
        if get("address", 0) != self.address:
            self.strap(get("address", 0))
        names = [*(f"slot__{j}" for j in range(n)), *(("detour",) if self.config.fault_tolerant else ())]
        shifts = [*range(n), 0]
        self.offer(fault, get("refusing", 0))
        places = list(enumerate(names))
        flits, grants = self.flits, [get(f"{name}__grant", 0) << shifts[k] for k, name in places]
        taken = sum(get(f"{name}__flit__ready", 0) << k for k, name in places if flits[k] is not None)
        self.answer([*grants, 0], taken, sum(get(f"{name}__refused", 0) << k for k, name in places))
        outputs: Outputs = {"inject__ready": self.ready}
        for k, name in places:
            outputs[f"{name}__request"] = self.requests[k] >> shifts[k]
            outputs[f"{name}__accept"] = self.accepts[k] >> shifts[k]
            outputs[f"{name}__closing"] = self.closing >> k & 1
            outputs |= flit_outputs(f"{name}__flit", flits[k])
        report_taken = 0
        for j, slot in enumerate(self.slots):
            report = slot.report
            outputs[f"report__{j}__valid"] = int(report is not None)
            fields = report if report is not None else (None, None)
            outputs[f"report__{j}__reason"], outputs[f"report__{j}__destination"] = fields
            if report is not None:
                report_taken |= get(f"report__{j}__ready", 0) << j
        offered = [get(f"inject__{name}", 0) for name in ("data", "last", "slots", "kind")]
        word = (offered[0], offered[1], offered[2], offered[3]) if get("inject__valid") else None
        self.edge(word, fault, report_taken)
        outputs["committed"] = self.committed
        if get("rst"):
            self.reset()
        return outputs

    def pending(self) -> list[int]:
        """Return the slots that have a packet or a part of one."""
        return [j for j, slot in enumerate(self.slots) if slot.filled or slot.state != EMPTY]
