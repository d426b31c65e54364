"""Node memory, as testbenches of units see it: word reads and writes, answered in order, sooner or later."""

from __future__ import annotations

from collections import deque
from random import Random

__all__ = ["ReadPort", "WritePort"]


class ReadPort:
    """Answers reads word by word.

    Parameters
    ----------
    random : Random
        What is drawn from.
    words : dict
        Content by word address; what is not in it is drawn when it is first read, and stays.
    """

    def __init__(self, random: Random, words: dict[int, int] | None = None) -> None:
        self.random = random
        self.words = {} if words is None else words
        self.queue: deque[int] = deque()

    def answer(self, ready: float, error: float) -> tuple[int, int, int]:
        """Return whether a word comes, the word, and whether it has an error; with these probabilities."""
        if not self.queue or self.random.random() >= ready:
            return 0, self.random.getrandbits(32), self.random.getrandbits(1)
        word = self.words.setdefault(self.queue.popleft(), self.random.getrandbits(32))
        return 1, word, int(self.random.random() < error)

    def take(self, address: int, beats: int) -> None:
        """Take a request at the end of a cycle."""
        self.queue += [address + beat & 0x3FFFFFFF for beat in range(beats + 1)]


class WritePort:
    """Acknowledges writes.

    Parameters
    ----------
    random : Random
        What is drawn from.
    words : dict
        Content by word address.
    loses : bool
        Every second write with an error leaves the word as it was.
    """

    def __init__(self, random: Random, words: dict[int, int] | None = None, loses: bool = False) -> None:
        self.random = random
        self.words = {} if words is None else words
        self.loses = loses
        self.waiting: deque[tuple[int, int | None]] = deque()
        self.lost = False

    def answer(self, ready: float, error: float) -> tuple[int, int]:
        """Return whether the oldest write is acknowledged, and whether it has an error; with these probabilities."""
        if not self.waiting or self.random.random() >= ready:
            return 0, self.random.getrandbits(1)
        address, before = self.waiting.popleft()
        failed = self.random.random() < error
        self.lost ^= failed and self.loses
        if failed and self.lost and all(address != other for other, _ in self.waiting):
            if before is None:
                del self.words[address]
            else:
                self.words[address] = before
        return 1, int(failed)

    def take(self, address: int, data: int, strobe: int) -> None:
        """Take a write at the end of a cycle."""
        mask = sum(0xFF << 8 * byte for byte in range(4) if strobe >> byte & 1)
        before = self.words.get(address)
        self.words[address] = (before or 0) & ~mask | data & mask
        self.waiting.append((address, before))
