"""Messages carried by the cycle-accurate packet network, a packet at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cubecast.golden.common.twins.ports import bits
from cubecast.golden.packet.algorithms.routing import fixed_choice, quasi_adaptive_choice
from cubecast.golden.packet.contract.config import PacketConfig
from cubecast.golden.packet.twins.network import PacketNetwork

__all__ = ["Carried", "Parcel", "carry"]


class Parcel(NamedTuple):
    """A message for the packet network.

    Parameters
    ----------
    time : int
        Cycle in which it is there.
    source, destination : int
        Different nodes.
    packets : int
        How many packets it is.
    """

    time: int
    source: int
    destination: int
    packets: int


class Carried(NamedTuple):
    """What became of the messages, in their order.

    Parameters
    ----------
    first, last : array of int64
        Cycles from the one in which a message is there until the last word of its first, of its last packet has been
        taken by its node.
    contrary : int
        Messages whose first hop was not the lowest useful dimension.
    cycles : int
        From the start until the last word.
    """

    first: npt.NDArray[np.int64]
    last: npt.NDArray[np.int64]
    contrary: int
    cycles: int


class _Sender:
    """What the main control unit of a node does: send queues, one for each slot, and packets from them in turns."""

    def __init__(self, config: PacketConfig, node: int) -> None:
        """Start with nothing to send."""
        self.config, self.node = config, node
        self.queues: list[deque[int]] = [deque() for _ in range(config.dim)]
        self.sent = [0] * config.dim
        # By slot: packets loaded so far, and which packet is the last one of each message that has not left yet.
        self.loaded = [0] * config.dim
        self.put_in = [0] * config.dim
        self.ends: list[deque[int]] = [deque() for _ in range(config.dim)]
        self.slot = -1
        self.word = 0
        self.turn = 0

    def put(self, number: int, parcel: Parcel, held: Sequence[int]) -> int:
        """Queue a message and return its slot; ``held``: whole packets that each slot holds."""
        if self.config.routing == "fixed":
            slot = fixed_choice(self.node, parcel.destination, self.config.dim)
        else:
            choice = quasi_adaptive_choice(self.node, parcel.destination, self._levels(held))
            assert choice is not None
            slot = choice
        self.queues[slot].append(number)
        self.put_in[slot] += parcel.packets
        self.ends[slot].append(self.put_in[slot])
        return slot

    def _levels(self, held: Sequence[int]) -> list[int]:
        """Return how many messages have not wholly left, by slot."""
        for ends, loaded, inside in zip(self.ends, self.loaded, held, strict=True):
            while ends and ends[0] <= loaded - inside:
                ends.popleft()
        return [len(ends) for ends in self.ends]

    def choose(self, ready: int) -> bool:
        """Return whether there is a word to offer; between packets the next slot with a message and room is taken."""
        if self.slot < 0:
            dim = self.config.dim
            for step in range(dim):
                slot = (self.turn + step) % dim
                if self.queues[slot] and ready >> slot & 1:
                    self.slot, self.word, self.turn = slot, 0, slot + 1
                    break
        return self.slot >= 0

    def moved(self, words: int, packets: int) -> None:
        """Take note that a word was taken."""
        self.word += 1
        if self.word < words:
            return
        slot, self.slot = self.slot, -1
        self.sent[slot] += 1
        self.loaded[slot] += 1
        if self.sent[slot] == packets:
            self.sent[slot] = 0
            self.queues[slot].popleft()


def carry(config: PacketConfig, parcels: Sequence[Parcel]) -> Carried:
    """Return when the packets arrive of messages that packets of ``max_words`` words carry.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the network; at least 3 words in a packet.
    parcels : sequence of Parcel
        By time; as many as a word has values, at most.

    Raises
    ------
    ValueError
        A packet has no room for the number of its message.
    """
    if config.max_words < 3:
        raise ValueError(f"max_words must be at least 3, not {config.max_words}")
    if len(parcels) > 1 << config.width:
        raise ValueError(f"parcels must be at most {1 << config.width} for width = {config.width}, not {len(parcels)}")
    run = _Run(config, parcels)
    while run.open:
        run.step()
    return Carried(np.array(run.first), np.array(run.last), run.contrary, run.cycle)


class _Run:
    """A network, its senders and what has arrived."""

    def __init__(self, config: PacketConfig, parcels: Sequence[Parcel]) -> None:
        """Start at cycle 0."""
        self.config, self.parcels = config, parcels
        self.network = PacketNetwork(config)
        self.senders = [_Sender(config, node) for node in range(config.nodes)]
        self.coming: list[list[int]] = [[] for _ in range(config.nodes)]
        self.first = [-1] * len(parcels)
        self.last = [-1] * len(parcels)
        self.left = [parcel.packets for parcel in parcels]
        self.open = len(parcels)
        self.next = 0
        self.contrary = 0
        self.cycle = 0

    def step(self) -> None:
        """Do a cycle, or go on to the next message when nothing is under way."""
        config, parcels = self.config, self.parcels
        if self.next + self.open == len(parcels) and self.network.quiet():
            self.cycle = max(self.cycle, parcels[self.next].time)
        while self.next < len(parcels) and parcels[self.next].time <= self.cycle:
            parcel = parcels[self.next]
            slots = self.network.routers[parcel.source].node_output.slots
            held = [slot.filled.bit_count() for slot in slots]
            slot = self.senders[parcel.source].put(self.next, parcel, held)
            self.contrary += slot != fixed_choice(parcel.source, parcel.destination, config.dim)
            self.next += 1
        outputs = self.network.step(self._inputs())
        for sender in self.senders:
            if sender.slot >= 0:
                sender.moved(config.max_words, parcels[sender.queues[sender.slot][0]].packets)
        self.cycle += 1
        valid = outputs["eject_valid"]
        if valid:
            self._take(valid, outputs["eject_data"] or 0, outputs["eject_last"] or 0)

    def _inputs(self) -> dict[str, int]:
        """Return what the nodes offer in the cycle."""
        config = self.config
        valid = data = last = slots = 0
        for node, sender in enumerate(self.senders):
            if not sender.choose(self.network.routers[node].node_output.ready):
                continue
            number = sender.queues[sender.slot][0]
            word = self.parcels[number].destination if sender.word == 0 else number
            valid |= 1 << node
            data |= word << config.width * node
            last |= (sender.word == config.max_words - 1) << node
            slots |= 1 << config.dim * node + sender.slot
        return {
            "inject_valid": valid,
            "inject_data": data,
            "inject_last": last,
            "inject_slots": slots,
            "eject_ready": (1 << config.nodes) - 1,
        }

    def _take(self, valid: int, data: int, last: int) -> None:
        """Take words of the cycle that is just over; words 2 and on of a packet are the number of its message."""
        width = self.config.width
        for node in bits(valid):
            coming = self.coming[node]
            coming.append(data >> width * node & (1 << width) - 1)
            if last >> node & 1:
                number = coming[2]
                elapsed = self.cycle - self.parcels[number].time
                if self.first[number] < 0:
                    self.first[number] = elapsed
                self.left[number] -= 1
                if not self.left[number]:
                    self.last[number] = elapsed
                    self.open -= 1
                self.coming[node] = []
