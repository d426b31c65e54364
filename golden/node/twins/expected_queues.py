"""Expected queues: posted receives, as lists of blocks in node memory."""

from __future__ import annotations

from typing import NamedTuple

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.node.contract.block import ANY_BIT, LENGTH_BITS, POST_BITS, SYSTEM_BIT, Word
from cubecast.golden.node.contract.config import BLOCK_BYTES, BLOCK_WORDS, NodeConfig
from cubecast.golden.node.twins.unit import Unit

__all__ = ["Candidate", "ExpectedQueues", "Request"]

MOST_VISITED = 31
"""Blocks that are counted."""


class Request(NamedTuple):
    """A receive to post, or a message that looks for one."""

    post: int
    block: int
    source: int
    any_source: int
    type: int
    any_type: int


class Candidate(NamedTuple):
    """The first receive of a list that matches."""

    queue: int
    block: int
    link: int
    before: int | None
    tail: bool


class ExpectedQueues(Unit):
    """Twin of the expected queues.

    Parameters
    ----------
    config : NodeConfig
        Bits of the hash.

    Source: Buzzard 1988, section 5.1.1 (expected message queues, and the special entry for ANY).
    """

    def __init__(self, config: NodeConfig) -> None:
        """Start in reset."""
        self.config = config
        self.special = 1 << config.hash_bits
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values: every list is empty."""
        self.state = "IDLE"
        self.request: Request | None = None
        self.ends: dict[int, tuple[int, int]] = {}
        self.number = self.queue = self.current = self.visited = 0
        self.before: int | None = None
        self.candidates: list[Candidate] = []
        self.numbers: list[int] = []
        self.asked = self.failed = False
        self.words: list[tuple[int, int]] = []
        self.room = self.buffer = self.hand = 0
        self.winner: Candidate | None = None

    def bucket(self, source: int, kind: int) -> int:
        """Return the queue of receives that name a source and a type."""
        low = self.config.hash_bits - 1
        return kind >> SYSTEM_BIT << low | (source ^ kind ^ kind >> low) & (1 << low) - 1

    def access(self) -> tuple[int, int, int] | None:
        """Return what the state reads, or writes: word address; words, or 0; data."""
        request, winner = self.request, self.winner
        if self.state == "WALK":
            return BLOCK_WORDS * self.current, 3, 0
        if self.state == "NUMBERS":
            return BLOCK_WORDS * self.candidates[len(self.numbers)].block + Word.STATE, 1, 0
        if self.state == "FETCH" and winner is not None:
            return BLOCK_WORDS * winner.block + Word.LENGTH, 2, 0
        if self.state == "UNLINK" and winner is not None and winner.before is not None:
            return BLOCK_WORDS * winner.before, 0, winner.link
        if self.state == "LINK" and request is not None:
            return BLOCK_WORDS * self.ends[self.queue][1], 0, BLOCK_BYTES * request.block
        if self.state == "NUMBER" and request is not None:
            return BLOCK_WORDS * request.block + Word.STATE, 0, self.number
        return None

    @property
    def found(self) -> Candidate | None:
        """The receive that a request has found; in the cycle of the answer."""
        return self.winner if self.state == "ANSWER" and not self.failed else None

    @property
    def resting(self) -> bool:
        """Whether an edge changes nothing but the time, as long as nothing comes in."""
        return self.state == "IDLE"

    def show(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs."""
        access = None if self.asked else self.access()
        address, count, data = access or (0, 0, 0)
        reading, writing = access is not None and count > 0, access is not None and not count
        answer, request = self.state == "ANSWER", self.request
        winner, message = self.found, answer and request is not None and not request.post
        block = self.hand if message and self.failed else None if winner is None else winner.block
        return {
            "request__ready": int(self.state == "IDLE"),
            "reader__valid": int(reading),
            "reader__address": address if reading else None,
            "reader__beats": count - 1 if reading else None,
            "writer__valid": int(writing),
            "writer__address": address if writing else None,
            "writer__data": data if writing else None,
            "writer__strobe": 15 if writing else None,
            "answer": int(answer),
            "found": int(winner is not None) if answer else None,
            "failed": int(self.failed) if answer else None,
            "block": block,
            "room": None if winner is None else self.room,
            "buffer": None if winner is None else self.buffer,
            "visited": self.visited if message else None,
            "posted": int(bool(self.ends)),
        }

    def edge(self, inputs: Inputs, outputs: Outputs) -> None:
        """Take the edge of a cycle with these inputs and outputs."""
        get = inputs.get
        if get("rst"):
            self.reset()
        elif self.state == "IDLE":
            if get("request__valid"):
                self._begin(Request(*(get(f"request__{name}", 0) for name in Request._fields)))
        elif self.state == "ENTER":
            self._enter()
        elif outputs["answer"]:
            self.state = "IDLE"
        elif outputs["reader__valid"] or outputs["writer__valid"]:
            self.asked = bool(get("reader__ready" if outputs["reader__valid"] else "writer__ready"))
        elif get("served"):
            self._served(get("word", 0), get("word_error", 0))
        elif get("written"):
            self.asked = False
            if get("write_error"):
                self._fail()
            else:
                self._written()

    def _begin(self, request: Request) -> None:
        """Take a request."""
        self.request, self.failed, self.winner = request, False, None
        self.candidates, self.numbers = [], []
        self.queue = self.bucket(request.source, request.type)
        if request.post:
            if request.any_source or request.any_type:
                self.queue = self.special
            self.state = "LINK" if self.queue in self.ends else "NUMBER"
        else:
            self.visited = 0
            self.state = "ENTER"

    def _fail(self) -> None:
        """End with an error of the memory."""
        if self.state == "WALK":
            self.hand = self.current
        elif self.state == "NUMBERS":
            self.hand = self.candidates[len(self.numbers)].block
        elif self.winner is not None:
            self.hand = self.winner.block
        self.state, self.failed = "ANSWER", True

    def _enter(self) -> None:
        """Go to the head of a list."""
        if self.queue in self.ends:
            self.current, self.before = self.ends[self.queue][0], None
            self.state = "WALK"
        else:
            self._end_of_list()

    def _end_of_list(self) -> None:
        """Go on to the special list, or choose among what was found."""
        if self.queue != self.special:
            self.queue, self.state = self.special, "ENTER"
        elif len(self.candidates) == 2:
            self.state = "NUMBERS"
        elif self.candidates:
            self.winner, self.state = self.candidates[0], "FETCH"
        else:
            self.state = "ANSWER"

    def _served(self, word: int, error: int) -> None:
        """Take a word, and go on when it is the last one that was asked for."""
        self.words.append((word, error))
        access = self.access()
        if access is None or len(self.words) < access[1]:
            return
        words, self.words, self.asked = self.words, [], False
        if any(error for _, error in words):
            self._fail()
        elif self.state == "WALK":
            self._walk(*(word for word, _ in words))
        elif self.state == "NUMBERS":
            self.numbers.append(word & (1 << POST_BITS) - 1)
            if len(self.numbers) == 2:
                older = (self.numbers[1] - self.numbers[0]) >> POST_BITS - 1 & 1
                self.winner, self.state = self.candidates[older], "FETCH"
        else:
            self._fetched(words[0][0], word)

    def _walk(self, link: int, source: int, kind: int) -> None:
        """Look at a block."""
        request = self.request
        assert request is not None
        self.visited = min(self.visited + 1, MOST_VISITED)
        low = SYSTEM_BIT if kind >> ANY_BIT & 1 else 0
        types = (1 << ANY_BIT) - 1
        fits = (source >> ANY_BIT & 1 or source & types == request.source) and (
            (kind & types) >> low == request.type >> low
        )
        tail = self.current == self.ends[self.queue][1]
        if fits:
            self.candidates.append(Candidate(self.queue, self.current, link, self.before, tail))
        if fits or tail:
            self._end_of_list()
        else:
            self.before, self.current = self.current, link // BLOCK_BYTES

    def _fetched(self, length: int, buffer: int) -> None:
        """Take what the receive says, and take the receive out of its list."""
        winner = self.winner
        assert winner is not None
        self.room, self.buffer = length & (1 << LENGTH_BITS) - 1, buffer
        head, tail = self.ends[winner.queue]
        self.state = "ANSWER"
        if winner.tail and winner.before is None:
            del self.ends[winner.queue]
        elif winner.before is None:
            self.ends[winner.queue] = winner.link // BLOCK_BYTES, tail
        elif winner.tail:
            self.ends[winner.queue] = head, winner.before
        else:
            self.state = "UNLINK"

    def _written(self) -> None:
        """Go on when a write is acknowledged."""
        request = self.request
        if self.state == "LINK":
            self.state = "NUMBER"
            return
        if self.state == "NUMBER" and request is not None:
            self.number = self.number + 1 & (1 << POST_BITS) - 1
            self.ends[self.queue] = self.ends.get(self.queue, (request.block, 0))[0], request.block
        self.state = "ANSWER"
