"""Node output port: a buffer slot for each dimension, and the detour around faulty links."""

from __future__ import annotations

from collections.abc import Sequence

from cubecast.golden.common.contract.units import Requests
from cubecast.golden.common.twins.arbiter import Arbiter
from cubecast.golden.common.twins.ports import Inputs, Outputs, bits, put
from cubecast.golden.common.twins.sleep import Sleepers
from cubecast.golden.packet.contract.config import PORT_BITS, PacketConfig
from cubecast.golden.packet.twins.flit import Flit, flit_outputs
from cubecast.golden.packet.twins.next_port import lowbit
from cubecast.golden.packet.twins.output_slot import EMPTY, Loaded, OutputSlot

__all__ = ["NodeOutputPort", "Word"]

Word = tuple[int, int, int] | tuple[int, int, int, int]
"""What the node offers in a cycle: data, last, mask of the slots that take it; the packet's kind if it has one."""


class NodeOutputPort:
    """Twin of the node output port.

    To the crossbar it is n + 1 requesters, the slots and, as requester n, the detour: ``flits``, ``requests`` and
    ``accepts`` (masks of ports) are lists of them, ``closing`` is a mask. A cycle has three parts: :meth:`offer`,
    :meth:`answer` once it is known what is granted and taken, and :meth:`edge`. ``ready`` and ``reports`` are masks of
    slots; ``committed`` says, after the edge, whether a packet became complete in the cycle.

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
        self._sending = Sleepers(self.slots)
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
        self._sending.reset()
        self.active = False
        self.who = self.aim = self._course = 0
        self.ready = self.config.nodes - 1
        self.committed = 0
        self.offer(0, 0)

    @property
    def reports(self) -> int:
        """Mask of the slots that have a report."""
        return sum(1 << j for j in self._sending.awake if self.slots[j].queue.entries)

    @property
    def resting(self) -> bool:
        """Whether there is no complete packet and no report, so that an edge without a word changes nothing."""
        return not (self._sending.awake or self.active)

    @property
    def empty(self) -> bool:
        """Whether there is not even a part of a packet."""
        return self.resting and all(slot.state == EMPTY for slot in self.slots)

    def offer(self, fault: int, refusing: int) -> None:
        """Find flits, requests and closing of this cycle, given the fault vector and the mask of refusing links."""
        n = self._dim
        self.flits: list[Flit | None] = [None] * (n + 1)
        self.requests = [0] * (n + 1)
        self.accepts = [0] * (n + 1)
        self.closing = self._wants = self._taken = self._refused = 0
        for j in self._sending.awake:
            slot = self.slots[j]
            self.flits[j] = None if slot.via else slot.flit
            self.requests[j] = slot.request(fault, refusing >> j & 1) << j
            self.closing |= slot.closing << j
            self._wants |= slot.wants_detour(fault) << j
        if self.active:
            slot, choice = self.slots[self.who], lowbit(self.config, self.aim & ~fault)
            if slot.via and slot.busy:
                self.flits[n] = slot.flit
                self.closing |= slot.closing << n
            contrary = int(self.config.contrary and choice != lowbit(self.config, self.aim))
            if self._wants >> self.who & 1 and not (contrary and refusing >> choice & 1):
                self.requests[n] = 1 << choice
            self._course = contrary << PORT_BITS | lowbit(self.config, self.aim & ~(1 << choice))

    def answer(self, grants: Sequence[int], taken: int, refused: int) -> None:
        """Find ``accepts``, given the ports granted, and the masks of the requesters taken from and refused.

        While the port is ``resting`` there are none.
        """
        n = self._dim
        if self.active:
            taken |= (taken >> n & 1) << self.who
            refused |= (refused >> n & 1) << self.who
        for j in self._sending.awake:
            self.accepts[j] = self.slots[j].accept(self.requests[j], grants[j], taken >> j & 1) << j
        self.accepts[n] = grants[n] & self.requests[n]
        self._taken, self._refused = taken, refused

    def edge(self, word: Word | None, fault: int, report_taken: int) -> None:
        """Take the edge of a cycle with this word of the node; ``report_taken`` is a mask of slots."""
        taken, refused = self._taken, self._refused
        detour = self._course if self.accepts[self._dim] else -1
        loaded, loading = self._load(word) if word is not None else (None, 0)
        following = self._follow()
        if self._wants and not self.active:
            self.who = self.arbiter.grant(self._wants)
            self.arbiter.advance(self.who)
            self.aim = self.slots[self.who].away
        self.committed = 0
        for j in self._sending.due(bits(loading)):
            slot = self.slots[j]
            slot.edge(
                loaded if loading >> j & 1 else None,
                fault,
                self.accepts[j],
                taken >> j & 1,
                refused >> j & 1,
                report_taken >> j & 1,
                detour if self.who == j else -1,
            )
            self.committed |= slot.committed
            self.ready = put(self.ready, j, slot.ready)
        self._sending.settle()
        self.active = following

    def _load(self, word: Word) -> tuple[Loaded | None, int]:
        """Return the word as the slots take it, and the mask of those that do: all that are named, or none."""
        data, last, named, *kind = word
        slots = named or 1
        if slots & ~self.ready:
            return None, 0
        return Loaded(data, last, int(slots.bit_count() == 1), int(not named), *kind), slots

    def _follow(self) -> bool:
        """Return whether the detour is active in the coming cycle."""
        if not self.active:
            return bool(self._wants)
        slot = self.slots[self.who]
        ended = self._refused >> self.who & 1 or slot.sender.done(self._taken >> self.who & 1)
        return not ended and bool(slot.busy or self._wants >> self.who & 1)

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
