"""Tally: what happens in a cycle, as numbers, and their sums over the cycles."""

from __future__ import annotations

from typing import NamedTuple

from cubecast.golden.board.contract.config import BoardConfig
from cubecast.golden.board.contract.line import VALUE_BITS
from cubecast.golden.common.contract.load import KIND_BITS, WORDS_BITS, Kind
from cubecast.golden.common.twins.ports import Inputs, Outputs, bits, split
from cubecast.golden.crosspoint.contract.load import load_shape

__all__ = ["Tally"]

ALL = (1 << VALUE_BITS) - 1


class Event(NamedTuple):
    """What happens in a cycle: copies that are due, packets and words that come, errors."""

    due: int = 0
    got: int = 0
    words: int = 0
    bad: int = 0


class Tally:
    """Twin of the tally; ``shown`` are the numbers of the last line.

    Parameters
    ----------
    config : BoardConfig
        Parameters of the board.
    """

    def __init__(self, config: BoardConfig) -> None:
        """Start in reset."""
        self.config = config
        self.block = load_shape(config.router).block
        self.reset()

    def reset(self) -> None:
        """Count from 0."""
        self.shown = dict.fromkeys(("seconds", "offered", "packets", "words", "under_way", "errors"), 0)
        self.tick = self.failed = 0
        self.cycle = 0
        # What happened in the two cycles before, of which the sums are made, and whether all nodes were idle.
        self.late = [Event(), Event()]
        self.idle = False
        self.quiet = False
        self.packets = self.words = self.away = self.errors = 0

    def event(self, inputs: Inputs) -> Event:
        """Return what happens in this cycle."""
        get, nodes = inputs.get, self.config.nodes
        kinds = split(get("sent_whom", 0), KIND_BITS, nodes)
        blocks = split(get("sent_block", 0), self.block, nodes)
        due = 0
        for v in bits(get("sent_begins", 0)):
            copies: dict[int, int] = {Kind.ALL: nodes - 1, Kind.LIST: blocks[v].bit_count()}
            due += copies.get(kinds[v], 1)
        done = get("came_done", 0)
        lengths = split(get("came_words", 0), WORDS_BITS, nodes)
        bad = (done & get("came_bad", 0)).bit_count() + get("report_valid", 0).bit_count()
        return Event(due, done.bit_count(), sum(lengths[v] for v in bits(done)), bad)

    def edge(self, load: int, idle: bool, event: Event) -> None:
        """Take the edge of a cycle."""
        now = self.late.pop()
        self.late.insert(0, event)
        ends = self.cycle == self.config.second_cycles - 1
        self.cycle = 0 if ends else self.cycle + 1
        moved = now.due or now.got
        lost = bool(ends and self.quiet and not moved and self.idle and self.away)
        if ends:
            self.shown = {
                "seconds": self.shown["seconds"] + 1 & ALL,
                "offered": load,
                "packets": self.packets,
                "words": self.words,
                "under_way": self.away,
                "errors": self.errors,
            }
            self.packets = self.words = 0
        self.tick = int(ends)
        self.quiet = (self.quiet or ends) and not moved
        self.idle = idle
        self.packets = self.packets + now.got & ALL
        self.words = self.words + now.words & ALL
        self.away = self.away + now.due - now.got & ALL
        if self.errors <= ALL // 2:
            self.errors += now.bad + lost
        if now.bad or lost:
            self.failed = 1

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        outputs: Outputs = {**self.shown, "tick": self.tick, "failed": self.failed}
        idle = inputs.get("idle", 0) == (1 << self.config.nodes) - 1
        self.edge(inputs.get("load", 0), idle, self.event(inputs))
        if inputs.get("rst"):
            self.reset()
        return outputs
