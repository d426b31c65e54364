"""Chunker: messages of the node, checked, in chunks of a packet each."""

from __future__ import annotations

import enum
import functools
from operator import or_
from typing import NamedTuple

from cubecast.golden.adapter.contract.config import LEAST_PACKET, AdapterConfig
from cubecast.golden.adapter.contract.word import AdapterReason, header_places
from cubecast.golden.adapter.twins.words import CHUNK_FIELDS, Chunk, Said, Word, report_outputs, stream_outputs
from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.crosspoint.contract.word import Kind

__all__ = ["Chunker", "State"]


class State(enum.Enum):
    """What the next word is."""

    HEADER = 0
    ROWS = 1
    SPAN = 2
    DATA = 3
    SKIP = 4


class _Message(NamedTuple):
    """What the header says, and what is left to do first."""

    kind: int = 0
    node: int = 0
    mask: int = 0
    serial: int = 0
    first: int = 0


class Chunker:
    """Twin of the chunker; ``ready``, ``chunk`` and ``report`` are functions of registers.

    Parameters
    ----------
    config : AdapterConfig
        Parameters of the node.
    """

    def __init__(self, config: AdapterConfig) -> None:
        """Start in reset."""
        self.config = config
        self._places = header_places(config)
        self._used = (1 << sum(place.width for place in self._places.values())) - 1
        self._low = config.router.bitmap_dims
        self.rows = [0] * config.rows
        self.words = [[0] * (1 << config.index_bits) for _ in range(2)]
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values; memories stay."""
        self.state = State.HEADER
        self.bank = self.shown = 0
        self.full = [False, False]
        self.todo = [False, False]
        self.banks = [Chunk(), Chunk()]
        self.message = _Message()
        self.count = self.row = self.ordinal = 0
        self.above = False
        self.listed: list[int] = []
        self.report: Said | None = None

    @property
    def ready(self) -> bool:
        """Whether a word is taken."""
        if self.state is State.HEADER:
            return self.report is None
        if self.state is State.ROWS:
            return not any(self.full)
        if self.state is State.SPAN:
            return False
        return self.state is State.SKIP or not self.full[self.bank]

    @property
    def chunk(self) -> Chunk | None:
        """The chunk that is offered."""
        return self.banks[self.shown] if self.todo[self.shown] else None

    def edge(
        self,
        word: Word | None,
        known: bool,
        address: int,
        chunk_taken: bool = False,
        freed: int = -1,
        report_taken: bool = False,
    ) -> None:
        """Take the edge of a cycle.

        Parameters
        ----------
        word : Word, optional
            What the node offers.
        known : bool
            Whether a fault is known.
        address : int
            Of the node.
        chunk_taken : bool
            Whether the chunk that is offered is taken.
        freed : int
            Bank whose chunk has been sent, -1 if none.
        report_taken : bool
            Whether the report that is offered is taken.
        """
        taken = word if self.ready else None
        if report_taken:
            self.report = None
        if chunk_taken:
            self.todo[self.shown] = False
            self.shown ^= 1
        if freed >= 0:
            self.full[freed] = False
        if taken is not None:
            {State.HEADER: self._header, State.ROWS: self._row, State.DATA: self._data, State.SKIP: self._skip}[
                self.state
            ](taken, known, address)
        elif self.state is State.SPAN:
            self._span(address)

    def _refuse(self, reason: AdapterReason, state: State) -> None:
        """Report the message."""
        self.report = reason, self.message.node
        self.state = state

    def _header(self, word: Word, known: bool, address: int) -> None:
        """Take the header of a message."""
        router = self.config.router
        node, mask, kind = (word.data >> low & (1 << width) - 1 for low, width in self._places.values())
        serial = kind != Kind.UNICAST and (known or not router.multicast)
        self.message = _Message(kind, node, mask, int(serial), 1)
        self.count = self.row = 0
        self.above, self.listed = False, []
        if word.last:
            self._refuse(AdapterReason.SHORT_MESSAGE, State.HEADER)
        elif word.data & ~self._used:
            self._refuse(AdapterReason.ADDRESS_BITS, State.SKIP)
        elif kind > Kind.BITMAP:
            self._refuse(AdapterReason.BAD_KIND, State.SKIP)
        elif node == address and (kind == Kind.UNICAST or (kind == Kind.SUBCUBE and not mask)):
            self._refuse(AdapterReason.EMPTY, State.SKIP)
        else:
            self.state = State.ROWS if kind == Kind.BITMAP else State.DATA

    def _row(self, word: Word, known: bool, address: int) -> None:
        """Take a row of a bitmap."""
        places = 1 << self._low
        bits = word.data & (1 << places) - 1
        self.rows[self.row] = bits
        self.above = self.above or bool(word.data >> places)
        nodes = (self.row * places + place for place in range(places) if bits >> place & 1)
        self.listed += [node for node in nodes if node != address]
        whole = self.row == self.config.rows - 1
        self.row += 1
        if word.last:
            self._refuse(AdapterReason.SHORT_MESSAGE, State.HEADER)
        elif whole and self.above:
            self._refuse(AdapterReason.ADDRESS_BITS, State.SKIP)
        elif whole and not self.listed:
            self._refuse(AdapterReason.EMPTY, State.SKIP)
        elif whole:
            self.state = State.SPAN

    def _span(self, address: int) -> None:
        """Make a subcube of a list that is one, without the sender or with it."""
        self.state = State.DATA
        message = self.message
        if message.serial:
            return
        for nodes in (self.listed, [*self.listed, address]):
            mask = functools.reduce(or_, (node ^ nodes[0] for node in nodes))
            if len(nodes) == 1 << mask.bit_count():
                base = functools.reduce(or_, nodes)
                self.message = message._replace(kind=int(Kind.SUBCUBE), node=base, mask=mask)
                return
        if self.config.router.packet_limit == LEAST_PACKET:
            self.message = message._replace(serial=1)

    def _data(self, word: Word, known: bool, address: int) -> None:
        """Take a word of data."""
        message, bank = self.message, self.bank
        bitmap = message.kind == Kind.BITMAP and not message.serial
        self.words[bank][self.count] = word.data
        self.count += 1
        if word.last or self.count == self.config.router.packet_limit - (2 if bitmap else 1):
            error = int(word.last and word.error)
            how = {"final": int(word.last), "error": error, "count": self.count, "ordinal": self.ordinal}
            self.banks[bank] = Chunk(bank, *message, **how)
            self.ordinal = self.ordinal + 1 & (1 << self.config.ordinal_bits) - 1
            self.full[bank] = self.todo[bank] = True
            self.message = message._replace(first=0)
            self.count = 0
            self.bank ^= 1
            if word.last:
                self.state = State.HEADER

    def _skip(self, word: Word, known: bool, address: int) -> None:
        """Swallow a word."""
        if word.last:
            self.state = State.HEADER

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, report = inputs.get, self.report
        row, index = get("row_index", 0), get("word_row", 0)
        bank, index = index >> self.config.index_bits, index % (1 << self.config.index_bits)
        listed = any(full and chunk.kind == Kind.BITMAP for full, chunk in zip(self.full, self.banks, strict=True))
        stored = self.full[bank] and index < self.banks[bank].count
        outputs: Outputs = {"send__ready": int(self.ready)}
        outputs |= stream_outputs("chunk", self.chunk, CHUNK_FIELDS)
        outputs |= {
            "row": self.rows[row % self.config.rows] if listed else None,
            "word": self.words[bank][index] if stored else None,
        }
        outputs |= report_outputs(report)
        word = Word(*(get(f"send__{name}", 0) for name in Word._fields)) if get("send__valid") else None
        self.edge(
            word,
            bool(get("known")),
            get("address", 0),
            bool(get("chunk_taken")),
            get("freed_bank", 0) if get("freed") else -1,
            report is not None and bool(get("report__ready")),
        )
        if get("rst"):
            self.reset()
        return outputs
