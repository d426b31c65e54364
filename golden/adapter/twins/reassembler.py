"""Reassembler: words of several messages that come interleaved, and leave message by message."""

from __future__ import annotations

import dataclasses
from collections import deque
from typing import NamedTuple

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.adapter.twins.receiver import Received
from cubecast.golden.adapter.twins.words import stream_outputs
from cubecast.golden.common.contract.units import Requests
from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.crosspoint.twins.matrix_arbiter import MatrixArbiter

__all__ = ["Framed", "Reassembler"]


class Framed(NamedTuple):
    """A word for the node, in a frame."""

    data: int
    last: int
    error: int
    first: int
    source: int
    path: int
    ordinal: int
    more: int


@dataclasses.dataclass(slots=True)
class Piece:
    """What has come of a message, in a buffer: who sends it, its words and their numbers, how it ends as a frame."""

    source: int
    path: int
    first: int
    words: list[tuple[int, int]] = dataclasses.field(default_factory=list)
    more: int = 1
    error: int = 0


class Reassembler:
    """Twin of the reassembler; ``shown`` is a function of registers.

    A cycle: :meth:`takes` says whether a word is taken, :meth:`edge` takes the edge.

    Parameters
    ----------
    config : AdapterConfig
        Parameters of the node.
    """

    def __init__(self, config: AdapterConfig) -> None:
        """Start in reset."""
        self.config = config
        self.count = config.reassemble
        self.age = MatrixArbiter(Requests(count=config.reassemble))
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        # By buffer: the message that comes in; and which are kept by such a message or by a frame.
        self.open: list[Piece | None] = [None] * self.count
        self.held = [False] * self.count
        self.frames: deque[tuple[int, Piece]] = deque()
        self.sent: tuple[int, Piece] | None = None
        self.index = 0
        self.age.reset()

    @property
    def quiet(self) -> bool:
        """Whether nothing leaves; what has come of messages may be kept."""
        return self.sent is None and not self.frames

    @property
    def shown(self) -> Framed | None:
        """The word that the node is shown."""
        if self.sent is None:
            return None
        piece = self.sent[1]
        last = self.index == len(piece.words) - 1
        first = piece.first if self.index == 0 else 0
        ends = (piece.error, piece.more) if last else (0, 0)
        data, ordinal = piece.words[self.index]
        return Framed(data, int(last), ends[0], first, piece.source, piece.path, ordinal, ends[1])

    def _own(self, word: Received) -> int:
        """Return the buffer in which the message of a word is, -1 if none is."""
        for buffer, piece in enumerate(self.open):
            if piece is not None and (piece.source, piece.path) == (word.source, word.path):
                return buffer
        return -1

    def takes(self, word: Received | None) -> bool:
        """Return whether a word that is offered is taken."""
        if word is None:
            return False
        own = self._own(word)
        return self._goes_on(own, word) if own >= 0 else not all(self.held)

    def _goes_on(self, buffer: int, word: Received) -> bool:
        """Return whether a word goes on with the message in a buffer: it neither begins one nor is there a gap."""
        piece = self.open[buffer]
        assert piece is not None
        return not word.first and self.config.follows(piece.words[-1][1], word.ordinal)

    def edge(self, word: Received | None, ready: bool) -> None:
        """Take the edge of a cycle, given the word that is offered and whether the node takes one."""
        ahead = self.frames[0] if self.frames else None
        if word is not None:
            self._store(word)
        moves = self.sent is not None and ready
        over = moves and self.sent is not None and self.index == len(self.sent[1].words) - 1
        if over and self.sent is not None:
            self.held[self.sent[0]] = False
        if ahead is not None and (self.sent is None or over):
            self.sent, self.index = self.frames.popleft(), 0
        elif over:
            self.sent = None
        elif moves:
            self.index += 1

    def _store(self, word: Received) -> None:
        """Put a word into a buffer, or make a frame of what is in the way."""
        own = self._own(word)
        if own >= 0 and self._goes_on(own, word):
            self._append(own, word)
        elif own >= 0:
            self._close(own, more=word.first, error=1 - word.first)
        elif not all(self.held):
            free = self.held.index(False)
            self.held[free] = True
            self.open[free] = Piece(word.source, word.path, word.first)
            self._append(free, word)
        elif all(piece is not None for piece in self.open):
            oldest = self.age.grant((1 << self.count) - 1)
            self.age.advance(oldest)
            self._close(oldest)

    def _append(self, buffer: int, word: Received) -> None:
        """Append a word to a message; with the last of it, or of the buffer, it is a frame."""
        piece = self.open[buffer]
        assert piece is not None
        self.age.advance(buffer)
        piece.words.append((word.data, word.ordinal))
        if word.last or len(piece.words) == self.config.reassemble_words:
            self._close(buffer, more=1 - word.last, error=word.error)

    def _close(self, buffer: int, more: int = 1, error: int = 0) -> None:
        """Make a frame of what is in a buffer."""
        piece = self.open[buffer]
        assert piece is not None
        piece.more, piece.error = more, error
        self.open[buffer] = None
        self.frames.append((buffer, piece))

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get = inputs.get
        word = Received(*(get(f"came__{name}", 0) for name in Received._fields)) if get("came__valid") else None
        outputs: Outputs = {"came__ready": int(self.takes(word))}
        outputs |= stream_outputs("receive", self.shown, Framed._fields)
        if get("rst"):
            self.reset()
        else:
            self.edge(word, bool(get("receive__ready")))
        return outputs
