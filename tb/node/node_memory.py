"""Memory of a node as its interface and its processor see it: bytes, words that come late, and stalls."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from random import Random

from cubecast.tb.node.layout import FIRST, WORD_BYTES, guard

__all__ = ["NodeMemory"]

MOST_WAITING = 64
"""Words and writes from which on the memory takes no more for a while."""


class NodeMemory:
    """Bytes from ``first`` to ``last``, and the two word ports of an interface.

    A read taken in cycle t has its first word in cycle t + ``latency``, the others behind it, one per cycle; what it
    sees is what stands there in cycle t. A write is acknowledged ``latency`` cycles after it was taken, and stands
    there from that cycle on, so that a node that relies on what is not acknowledged goes wrong. All is in order.

    Parameters
    ----------
    last : int
        Address of the last byte; what is not inside answers with an error.
    latency : int
        Cycles, at least 1.
    stall : float
        Part of the cycles in which nothing is taken, and part of those in which nothing is answered.
    random : Random
        What is drawn from.
    first : int
        Address of the first byte.
    """

    def __init__(self, last: int, latency: int, stall: float, random: Random, first: int = FIRST) -> None:
        self.first = first
        self.content = bytearray(guard(address) for address in range(first, last + 1))
        self.latency, self.stall, self.random = latency, stall, random
        self.cycle = 0
        self.reads: deque[tuple[int, int, bool]] = deque()
        self.writes: deque[tuple[int, int, int, int]] = deque()
        self.ready = (False, False)
        self.closed: dict[int, str] = {}
        self.late: list[tuple[int, str]] = []

    def load(self, address: int, size: int) -> bytes:
        """Return bytes; those outside are 0."""
        start = address - self.first
        if start >= 0:
            return bytes(self.content[start : start + size]).ljust(size, b"\0")
        return bytes(size)

    def word(self, address: int) -> int:
        """Return the word at a byte address."""
        return int.from_bytes(self.load(address, WORD_BYTES), "little")

    def store(self, address: int, data: bytes) -> None:
        """Write bytes."""
        start = address - self.first
        self.content[start : start + len(data)] = data

    def close(self, address: int, size: int, name: str) -> None:
        """Take note that words are read no more; those that are come into ``late``, with their name."""
        self.closed |= dict.fromkeys(range(address, address + size, WORD_BYTES), name)

    def _inside(self, address: int) -> bool:
        """Return whether there is a word at a byte address."""
        return self.first <= address <= self.first + len(self.content) - WORD_BYTES

    def _goes(self) -> bool:
        """Return whether there is no stall."""
        return not self.stall or self.random.random() >= self.stall

    def drive(self) -> tuple[dict[str, int], int | None]:
        """Return what the ports show in this cycle, and the byte address of the word that was written, if one was."""
        shown = dict.fromkeys(("data_valid", "data_word", "data_error", "done", "done_error"), 0)
        self.ready = self._goes() and len(self.reads) < MOST_WAITING, self._goes() and len(self.writes) < MOST_WAITING
        shown |= {"read_ready": int(self.ready[0]), "write_ready": int(self.ready[1])}
        written = None
        if self.reads and self.reads[0][0] <= self.cycle and self._goes():
            _, word, inside = self.reads.popleft()
            shown |= {"data_valid": 1, "data_word": word, "data_error": int(not inside)}
        if self.writes and self.writes[0][0] <= self.cycle and self._goes():
            _, address, data, strobe = self.writes.popleft()
            inside = self._inside(address)
            shown |= {"done": 1, "done_error": int(not inside)}
            if inside:
                written = address
                for place in range(WORD_BYTES):
                    if strobe >> place & 1:
                        self.content[address - self.first + place] = data >> 8 * place & 0xFF
        return shown, written

    def take(self, outputs: Mapping[str, int]) -> bool:
        """Take what the ports offer in this cycle, by name as :meth:`drive`; return whether anything moves."""
        if outputs["read_valid"] and self.ready[0]:
            for beat in range(outputs["read_beats"] + 1):
                address = WORD_BYTES * (outputs["read_address"] + beat)
                self.reads.append((self.cycle + self.latency + beat, self.word(address), self._inside(address)))
                if address in self.closed:
                    self.late.append((address, self.closed[address]))
        if outputs["write_valid"] and self.ready[1]:
            address = WORD_BYTES * outputs["write_address"]
            self.writes.append((self.cycle + self.latency, address, outputs["write_data"], outputs["write_strobe"]))
        self.cycle += 1
        return bool(outputs["read_valid"] or outputs["write_valid"] or self.reads or self.writes)
