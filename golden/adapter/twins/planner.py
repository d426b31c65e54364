"""Planner: where each packet goes, around known faults."""

from __future__ import annotations

import enum

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.adapter.contract.word import AdapterReason, Policy, only_policy
from cubecast.golden.adapter.twins.fault_list import Knowledge, fault_input
from cubecast.golden.adapter.twins.words import (
    CHUNK_FIELDS,
    ORDER_FIELDS,
    Chunk,
    Order,
    Said,
    report_outputs,
    stream_outputs,
)
from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.crosspoint.algorithms.packets import turns_back
from cubecast.golden.crosspoint.contract.word import Kind

__all__ = ["Planner", "State"]


class State(enum.Enum):
    """What the planner does."""

    IDLE = 0
    """Nothing, or what needs no search."""
    WALK = 1
    """Goes along a route."""
    CANDIDATE = 2
    """Looks for the next route to try."""
    HOP = 3
    """Looks for the next relay to try."""
    READY = 4
    """Has a route."""
    FAILED = 5
    """Has none."""


class Planner:
    """Twin of the planner; ``order``, ``report`` and ``row_index`` are functions of registers.

    ``chunk_taken`` and ``relay_taken`` say of the last :meth:`edge` what was done with the streams.

    Parameters
    ----------
    config : AdapterConfig
        Parameters of the node.
    """

    def __init__(self, config: AdapterConfig) -> None:
        """Start in reset."""
        self.config = config
        self._ones = config.nodes - 1
        self._low = config.router.bitmap_dims
        self._only = only_policy(config)
        self.told = [False] * config.nodes
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values; the memory of who was told stays as it is."""
        self.order: Order | None = None
        self.state = State.IDLE
        self.turn = False
        self.place = 0
        self.kept = False
        self.kept_route = 0, 0
        self.relayed = self.second = False
        self.destination = self.start = self.tried = self.round = self.hop = 0
        self.route = self.left = 0, 0
        self.at = 0
        self.report: Said | None = None
        self.chunk_taken = self.relay_taken = False

    @property
    def row_index(self) -> int:
        """Number of the row of the bitmap that is looked at."""
        return self.place >> self._low

    def known(self, faults: Knowledge) -> bool:
        """Return whether a fault is known."""
        return self.config.knows_faults and faults.any

    def edge(
        self,
        chunk: Chunk | None,
        row: int,
        relay: int | None,
        order_ready: bool,
        faults: Knowledge,
        policy: int = 0,
        draw: int = 0,
        report_taken: bool = False,
    ) -> None:
        """Take the edge of a cycle.

        Parameters
        ----------
        chunk : Chunk, optional
            What the chunker offers.
        row : int
            The row of its bitmap at ``row_index``.
        relay : int, optional
            Destination of the packet that is to be sent on.
        order_ready : bool
            Whether the order that is offered is taken.
        faults : Knowledge
            What is faulty, and the own address.
        policy, draw : int
            How routes are chosen, unless there is one way alone, and random bits.
        report_taken : bool
            Whether the report that is offered is taken.
        """
        self.chunk_taken = self.relay_taken = False
        pending = self.report is not None
        if report_taken:
            self.report = None
        free = self.order is None or order_ready
        if free:
            self.order = None
        if self.state is State.IDLE:
            if relay is not None and self.config.knows_faults and (chunk is None or self.turn):
                self._pass_on(relay, free, faults)
            elif chunk is not None:
                self._chunk(chunk, row, free, faults, policy, draw)
        elif self.state is State.WALK:
            self._walk(faults)
        elif self.state is State.CANDIDATE:
            self._candidate()
        elif self.state is State.HOP:
            self._hop(faults)
        elif free and self.state is State.READY:
            self._ready(chunk, faults.address)
        elif free:
            self._failed(chunk, pending)

    def _issue(self, **fields: int) -> None:
        """Give an order."""
        self.order = order = Order(**fields)
        self.chunk_taken = bool(order.release)
        self.relay_taken = bool(order.relay)
        self.turn = not order.relay

    def _own(self, chunk: Chunk, **fields: int) -> None:
        """Give an order about a chunk; the last one about it frees its bank."""
        said = {name: getattr(chunk, name) for name in ("bank", "first", "final", "error", "count", "ordinal")}
        ends = not chunk.serial or self.place == self._ones
        self._issue(**{"release": int(ends), **said, **fields})

    def _next_place(self) -> None:
        """Go to the next node; at the end of a row a packet to be sent on has its turn."""
        self.place = self.place + 1 & self._ones
        if not self.place % (1 << self._low):
            self.turn = True

    def _job(self, relayed: bool, destination: int, route: tuple[int, int], faults: Knowledge) -> None:
        """Begin the search for a route."""
        self.relayed, self.destination = relayed, destination
        self.route = self.left = route
        self.start = self.at = faults.address
        self.tried = self.round = self.hop = 0
        self.second = False
        self.state = State.FAILED if faults.faulty(destination) else State.WALK

    def _pass_on(self, destination: int, free: bool, faults: Knowledge) -> None:
        """Send a packet on."""
        r1 = destination ^ faults.address
        if self.known(faults):
            self._job(True, destination, (r1, 0), faults)
        elif free:
            self._issue(relay=1, send=1, r1=r1)

    def _chunk(self, chunk: Chunk, row: int, free: bool, faults: Knowledge, policy: int, draw: int) -> None:
        """Begin or go on with a chunk."""
        address = faults.address
        if chunk.serial:
            self._serial(chunk, row, free, faults)
        elif chunk.kind == Kind.UNICAST and chunk.first:
            route = _choice(policy if self._only is None else self._only, draw, chunk.node ^ address)
            if self.known(faults):
                self._job(False, chunk.node, route, faults)
            elif free:
                self._unicast(chunk, route, chunk.node)
        elif not free:
            return
        elif chunk.kind == Kind.UNICAST:
            r1, r2 = self.kept_route
            self._own(chunk, send=int(self.kept), r1=r1, r2=r2, destination=chunk.node)
        elif chunk.kind == Kind.SUBCUBE:
            r1 = (chunk.node ^ address) & ~chunk.mask
            self._own(chunk, send=1, kind=Kind.SUBCUBE, r1=r1, r2=chunk.mask)
        else:
            self._row(chunk, row, address)

    def _row(self, chunk: Chunk, row: int, address: int) -> None:
        """Send a chunk to a row of a bitmap."""
        places = 1 << self._low
        own, high = address % places, address >> self._low
        bitmap = sum((row >> (x ^ own) & 1) << x for x in range(places))
        if self.row_index == high:
            bitmap &= ~1
        end = int(self.row_index == self.config.rows - 1)
        if bitmap:
            r1 = (self.row_index ^ high) << self._low
            self._own(chunk, send=1, kind=Kind.BITMAP, r1=r1, bitmap=bitmap, release=end)
        elif end:
            self._own(chunk, release=1)
        self.place = self.place + places & self._ones
        self.turn = True

    def _serial(self, chunk: Chunk, row: int, free: bool, faults: Knowledge) -> None:
        """Look whether a chunk goes to the node at ``place``, and send it there."""
        place = self.place
        if chunk.kind == Kind.SUBCUBE:
            named = not (place ^ chunk.node) & ~chunk.mask
        else:
            named = bool(row >> place % (1 << self._low) & 1)
        gone = self.config.knows_faults and not chunk.first and self.told[place]
        if place == faults.address or not named or gone:
            if place != self._ones:
                self._next_place()
            elif free:
                self._own(chunk)
                self._next_place()
        elif self.known(faults):
            self._job(False, place, (place ^ faults.address, 0), faults)
        elif free:
            self._unicast(chunk, (place ^ faults.address, 0), place)

    def _unicast(self, chunk: Chunk, route: tuple[int, int], destination: int) -> None:
        """Send a chunk to one node."""
        self._own(chunk, send=1, r1=route[0], r2=route[1], destination=destination)
        if chunk.serial:
            self.told[self.place] = False
            self._next_place()
        else:
            self.kept, self.kept_route = True, route

    def _walk(self, faults: Knowledge) -> None:
        """Take a hop of the route that is tried."""
        r1, r2 = self.left
        dimension = (r1 or r2 & -r2).bit_length() - 1
        bit = 1 << dimension
        if faults.bad(self.at, dimension):
            self.state = State.CANDIDATE
            return
        self.at ^= bit
        self.left = (r1 ^ bit, r2) if r1 else (r1, r2 ^ bit)
        if not any(self.left):
            self.state = State.READY

    def _candidate(self) -> None:
        """Look at the next way to divide the dimensions."""
        last_hop = self.hop == self.config.dim - 1
        if self.round == 2:
            if self.relayed or (self.second and last_hop):
                self.state = State.FAILED
            else:
                self.hop += self.second
                self.state = State.HOP
            return
        x, relative = self.tried, self.start ^ self.destination
        if self.config.router.runs == 1:
            tried = True
            self.round = 2
        else:
            tried = (not x & ~relative) == (self.round == 0) and not turns_back(relative ^ x, x)
            self.tried = x + 1 & self._ones
            self.round += not self.tried
        if tried:
            self.route = self.left = relative ^ x, x
            self.at = self.start
            self.state = State.WALK

    def _hop(self, faults: Knowledge) -> None:
        """Look at the next neighbour that could be a relay."""
        relay = faults.address ^ 1 << self.hop
        if relay != self.destination and not faults.bad(faults.address, self.hop):
            self.start, self.second = relay, True
            self.tried = self.round = 0
            self.state = State.CANDIDATE
        elif self.hop == self.config.dim - 1:
            self.state = State.FAILED
        else:
            self.hop += 1

    def _ready(self, chunk: Chunk | None, address: int) -> None:
        """Send over the route that was found."""
        self.state = State.IDLE
        if self.relayed:
            self._issue(relay=1, send=1, r1=self.route[0], r2=self.route[1])
        elif chunk is not None:
            self._unicast(chunk, (1 << self.hop, 0) if self.second else self.route, self.destination)

    def _failed(self, chunk: Chunk | None, pending: bool) -> None:
        """Report that there is no route."""
        if pending:
            return
        self.state = State.IDLE
        self.turn = not self.relayed
        self.report = AdapterReason.NO_ROUTE, self.destination
        if self.relayed:
            self._issue(relay=1)
        elif chunk is not None:
            if chunk.serial:
                if self.place == self._ones:
                    self._own(chunk)
                self.told[self.place] = True
                self._next_place()
            else:
                self._own(chunk)
                self.kept = False

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, report = inputs.get, self.report
        faults = Knowledge(fault_input(self.config, inputs), get("cut", 0), get("address", 0))
        outputs: Outputs = {"known": int(self.known(faults)), "row_index": self.row_index}
        outputs |= stream_outputs("order", self.order, ORDER_FIELDS) | report_outputs(report)
        chunk = Chunk(*(get(f"chunk__{name}", 0) for name in CHUNK_FIELDS)) if get("chunk__valid") else None
        self.edge(
            chunk,
            get("row", 0),
            get("relay__destination", 0) if get("relay__valid") else None,
            bool(get("order__ready")),
            faults,
            get("policy", 0),
            get("draw", 0),
            report is not None and bool(get("report__ready")),
        )
        outputs |= {"chunk_taken": int(self.chunk_taken), "relay_taken": int(self.relay_taken)}
        if get("rst"):
            self.reset()
        return outputs


def _choice(policy: int, draw: int, relative: int) -> tuple[int, int]:
    """Return r1 and r2 as a policy chooses them."""
    if policy == Policy.EITHER:
        r1 = relative if draw & 1 else 0
    elif policy == Policy.RANDOM:
        r1 = relative & draw
    elif policy == Policy.VALIANT:
        r1 = draw & (relative | -relative)
    else:
        r1 = relative
    return r1, relative ^ r1
