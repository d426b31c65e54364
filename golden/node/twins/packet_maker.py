"""Packet maker: packets of words from memory, the next one fetched while one is injected."""

from __future__ import annotations

from typing import NamedTuple

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.node.contract.config import PREFIX_BITS, NodeConfig
from cubecast.golden.node.twins.unit import Unit

__all__ = ["Job", "PacketMaker"]

DEPTH = 32
"""Memory words that are kept."""

BURST = 16
"""Memory words that are read at once."""


class Job(NamedTuple):
    """What a packet is to be made of."""

    slots: int = 0
    destination: int = 0
    kind: int = 0
    prefix: int = 0
    prefix_words: int = 0
    address: int = 0
    bytes: int = 0


class PacketMaker(Unit):
    """Twin of the packet maker.

    Parameters
    ----------
    config : NodeConfig
        Width of a word.

    Source: Buzzard 1988, section 5.4.4 (node output port).
    """

    def __init__(self, config: NodeConfig) -> None:
        """Start in reset."""
        self.config = config
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.next: Job | None = None
        self.now: Job | None = None
        self.at = self.left = self.promised = 0
        self.words: list[tuple[int, int]] = []
        self.place = self.half = self.rest = self.fault = 0

    @property
    def in_data(self) -> bool:
        """Whether the word to inject is one of data."""
        return self.now is not None and self.place > self.now.prefix_words

    @property
    def word(self) -> int | None:
        """The word to inject, None if there is none."""
        now, width = self.now, self.config.width
        if now is None or (self.in_data and not self.words):
            return None
        if self.place == 0:
            return now.destination
        if not self.in_data:
            return (now.prefix & (1 << PREFIX_BITS) - 1) >> width * (self.place - 1) & (1 << width) - 1
        word = self.words[0][0] >> (width if self.half else 0) & (1 << width) - 1
        return word & (1 << 8 * min(self.rest, self.config.word_bytes)) - 1

    @property
    def resting(self) -> bool:
        """Whether an edge changes nothing but the time, as long as nothing comes in."""
        return self.now is None and self.next is None

    def show(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs."""
        now, word = self.now, self.word
        reading = self.left != 0 and len(self.words) + self.promised <= DEPTH - BURST
        last = now is not None and (
            self.rest <= self.config.word_bytes if self.in_data else self.place == now.prefix_words and not self.rest
        )
        moved = now is not None and word is not None and not now.slots & ~inputs.get("inject__ready", 0)
        sent = moved and last
        failed = sent and (self.fault or (self.in_data and self.words[0][1]))
        return {
            "job__ready": int(self.next is None and self.left == 0),
            "reader__valid": int(reading),
            "reader__address": self.at if reading else None,
            "reader__beats": min(self.left, BURST) - 1 if reading else None,
            "inject__valid": int(word is not None),
            "inject__data": word,
            "inject__last": None if word is None else int(last),
            "inject__slots": None if word is None or now is None else now.slots,
            "inject__kind": None if word is None or now is None else now.kind,
            "sent": int(sent),
            "failed": int(bool(failed)),
        }

    def edge(self, inputs: Inputs, outputs: Outputs) -> None:
        """Take the edge of a cycle with these inputs and outputs."""
        get, now, sent = inputs.get, self.now, outputs["sent"]
        if get("rst"):
            self.reset()
            return
        if outputs["inject__valid"] and now is not None and not now.slots & ~get("inject__ready", 0):
            self._move(bool(sent))
        if get("served"):
            self.words.append((get("word", 0), get("word_error", 0)))
            self.promised -= 1
        if outputs["reader__valid"] and get("reader__ready"):
            beats = min(self.left, BURST)
            self.at, self.left, self.promised = self.at + beats & 0x3FFFFFFF, self.left - beats, self.promised + beats
        if outputs["job__ready"] and get("job__valid"):
            job = Job(*(get(f"job__{name}", 0) for name in Job._fields))
            self.next, self.at = job, job.address >> 2
            self.left = (job.address % 4 + job.bytes + 3) // 4 if job.bytes else 0
        if now is None or sent:
            self.now, self.next = self.next, None
            if self.now is not None:
                self.place, self.rest, self.fault = 0, self.now.bytes, 0
                self.half = self.now.address >> 1 & 1 if self.config.width == 16 else 0

    def _move(self, last: bool) -> None:
        """Go on to the next word of the packet."""
        if self.in_data:
            self.fault |= self.words[0][1]
            self.rest = max(0, self.rest - self.config.word_bytes)
            if self.config.width == 32 or self.half or last:
                del self.words[0]
            self.half ^= self.config.width == 16
        self.place += 1
