"""Rows model: the network of packet routers at message level, as packets that hold rows and wait for rows.

A packet in a packet buffer unit waits for a free row of one other unit (or for its node, which always takes it), and
for nothing else that lasts. So the network deadlocks when packets are in it and none of them can move. Arbitration,
words and cycles are left out: whoever can move may do so next, in any order. A packet moves as a whole; the
row it leaves becomes free, except that of a broadcast with copies still to send.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from cubecast.golden.packet.algorithms.routing import fixed_choice, useful_dimensions
from cubecast.golden.packet.contract.config import PacketConfig

__all__ = ["BROADCAST", "Packet", "RowsModel", "State", "Unit"]

BROADCAST = -1
"""In place of the dimensions to cross: a broadcast goes on to all ports from its next one to LOCAL."""


class Unit(NamedTuple):
    """A packet buffer unit.

    Parameters
    ----------
    node : int
        Its node.
    dimension : int
        The dimension its packets come in on.
    """

    node: int
    dimension: int


class Packet(NamedTuple):
    """An occupied row.

    Parameters
    ----------
    contrary : bool
        It came here by another hop than that of fixed routing.
    port : int
        Output port that it waits for.
    rest : int
        Dimensions still to cross, as bits; :data:`BROADCAST` for a broadcast.
    """

    contrary: bool
    port: int
    rest: int


State = tuple[tuple[Packet, ...], ...]
"""Occupied rows of every unit, sorted: any row can go next, so their order does not matter for deadlock."""


class RowsModel:
    """The rows of all packet buffer units, and what can happen to them.

    Parameters
    ----------
    config : PacketConfig
        ``dim``, ``rows``, whether contrary packets exist, and whether the contrary rule is on.

    Source: Buzzard 1988, section 5.3.
    """

    def __init__(self, config: PacketConfig) -> None:
        self.config = config
        self.dim = config.dim
        self.units = tuple(Unit(node, dimension) for node in range(config.nodes) for dimension in range(config.dim))
        self.number = {unit: number for number, unit in enumerate(self.units)}
        self.empty: State = ((),) * len(self.units)

    def injected(self, dimension: int, broadcasts: bool = True) -> tuple[Packet, ...]:
        """Return the packets that a slot can send into a unit of this dimension, just crossed; all nodes are alike."""
        packets = []
        for relative in range(1, self.config.nodes):
            contrary = dimension != fixed_choice(0, relative, self.dim)
            if dimension in useful_dimensions(0, relative) and (self.config.contrary or not contrary):
                rest = relative ^ 1 << dimension
                packets.append(Packet(contrary, fixed_choice(0, rest, self.dim), rest))
        if broadcasts:
            packets.append(self._copy(dimension + 1))
        return tuple(packets)

    def accepts(self, rows: tuple[Packet, ...], contrary: bool) -> bool:
        """Return whether a unit with these occupied rows takes one more packet: the rule that keeps deadlock away."""
        free = self.config.rows - len(rows)
        refusing = self.config.contrary_rule and free == 1 and all(packet.contrary for packet in rows)
        return free > 0 and not (contrary and refusing)

    def target(self, unit: Unit, packet: Packet) -> Unit | None:
        """Return the unit a packet waits for, None for LOCAL."""
        if packet.port == self.dim:
            return None
        return Unit(unit.node ^ 1 << packet.port, packet.port)

    def inject(self, state: State, unit: Unit, packet: Packet) -> State | None:
        """Return the state after a slot has sent a packet into this unit, None if that has no row for it."""
        number = self.number[unit]
        return _put(state, number, packet) if self.accepts(state[number], packet.contrary) else None

    def can_move(self, state: State, unit: Unit, packet: Packet) -> bool:
        """Return whether there is a row for a packet (or a broadcast's next copy) that moves on.

        Its contrary mark goes with its first hop, so it is never refused again.
        """
        target = self.target(unit, packet)
        return target is None or self.accepts(state[self.number[target]], False)

    def movable(self, state: State, unit: Unit) -> list[Packet]:
        """Return the packets of this unit that can move; equal packets count once."""
        return [packet for packet in dict.fromkeys(state[self.number[unit]]) if self.can_move(state, unit, packet)]

    def move(self, state: State, unit: Unit, packet: Packet) -> State:
        """Return the state after a packet that can move has moved on."""
        target = self.target(unit, packet)
        number = self.number[unit]
        rows = list(state[number])
        rows.remove(packet)
        after = (*state[:number], tuple(rows), *state[number + 1 :])
        if target is None:
            return after
        if packet.rest == BROADCAST:
            copy = self._copy(packet.port + 1)
            return _put(_put(after, number, copy), self.number[target], copy)
        rest = packet.rest ^ 1 << packet.port
        return _put(after, self.number[target], Packet(False, fixed_choice(0, rest, self.dim), rest))

    def moves(self, state: State, unit: Unit) -> list[State]:
        """Return the states that the moves of this unit's packets lead to; equal packets count once."""
        return [self.move(state, unit, packet) for packet in self.movable(state, unit)]

    def _copy(self, port: int) -> Packet:
        """Return a broadcast that waits for this port; one that waits for LOCAL is like a unicast that has arrived."""
        return Packet(False, port, BROADCAST if port != self.dim else 0)

    def stuck(self, state: State) -> bool:
        """Return whether packets are in the network and none can move: a deadlock."""
        return state != self.empty and not any(self.movable(state, unit) for unit in self.units)

    def work(self, state: State) -> int:
        """Return how many moves empty the network, every hop and every copy counted; each move lowers it by one."""
        return sum(self._work(packet) for rows in state for packet in rows)

    def _work(self, packet: Packet) -> int:
        """Return the moves that one packet and the copies made of it still take."""
        if packet.rest == BROADCAST:
            # A copy in dimension p is one hop, and reaches 2**(n - 1 - p) nodes in all.
            return (2 << self.dim - packet.port) - 1
        return packet.rest.bit_count() + 1

    def run(self, *, seed: int, steps: int, opposite: bool = False, broadcasts: bool = False) -> int | None:
        """Let random packets in wherever there is room, and count the steps to a deadlock.

        In every step, unit by unit in random order, the slot before it sends packets until one finds no row, and the
        unit moves one that can move. A packet that found no row is tried again in the next step.

        Parameters
        ----------
        seed : int
            Seed of everything drawn.
        steps : int
            Steps at most.
        opposite : bool
            All unicasts go to the opposite node, so that most are contrary; else to any node.
        broadcasts : bool
            There are broadcasts too.

        Returns
        -------
        int or None
            Steps until nothing could move; None: that did not happen.
        """
        generator, state = random.Random(seed), self.empty
        injected = [
            [
                packet
                for packet in self.injected(dimension, broadcasts)
                if not opposite or packet.rest.bit_count() == self.dim - 1 or packet.rest == BROADCAST
            ]
            for dimension in range(self.dim)
        ]
        waiting = {unit: generator.choice(injected[unit.dimension]) for unit in self.units}
        for step in range(1, steps + 1):
            for unit in generator.sample(self.units, len(self.units)):
                while (after := self.inject(state, unit, waiting[unit])) is not None:
                    state, waiting[unit] = after, generator.choice(injected[unit.dimension])
                options = self.movable(state, unit)
                if options:
                    state = self.move(state, unit, generator.choice(options))
            if self.stuck(state):
                return step
        return None

    def groups(self) -> list[tuple[Unit, ...]]:
        """Return the units in groups that have nothing to do with each other: no packet moves from one to another."""
        groups: list[set[Unit]] = [{unit} for unit in self.units]
        for unit in self.units:
            for target in self._targets(unit):
                met = [group for group in groups if unit in group or target in group]
                groups = [group for group in groups if group not in met] + [set().union(*met)]
        return [tuple(sorted(group)) for group in groups]

    def _targets(self, unit: Unit) -> set[Unit]:
        """Return the units that any packet in this one can wait for."""
        ports = {packet.port for packet in self.injected(unit.dimension)} | set(range(unit.dimension + 1, self.dim))
        return {Unit(unit.node ^ 1 << port, port) for port in ports if port != self.dim}

    def reachable(self, group: Iterable[Unit], broadcasts: bool = True) -> Iterator[State]:
        """Yield every state that the units of a group can get into, from empty, those of few steps first.

        Everything can be injected anywhere in any state. Relabelling all nodes by XOR changes nothing, so of the
        states that differ in that only, one is yielded.
        """
        units = tuple(group)
        shifts = [
            [self.number[Unit(unit.node ^ mask, unit.dimension)] for unit in self.units]
            for mask in range(self.config.nodes)
            if {Unit(unit.node ^ mask, unit.dimension) for unit in units} == set(units)
        ]
        injected = [self.injected(dimension, broadcasts) for dimension in range(self.dim)]
        known, queue = {self.empty}, deque([self.empty])
        while queue:
            state = queue.popleft()
            yield state
            for unit in units:
                following = [self.inject(state, unit, packet) for packet in injected[unit.dimension]]
                for after in (*following, *self.moves(state, unit)):
                    if after is not None:
                        least = min(tuple(after[number] for number in shift) for shift in shifts)
                        if least not in known:
                            known.add(least)
                            queue.append(least)


def _put(state: State, number: int, packet: Packet) -> State:
    """Return the state with one more packet in a unit."""
    return (*state[:number], tuple(sorted((*state[number], packet))), *state[number + 1 :])
