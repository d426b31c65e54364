"""Receiver: packets that come in, for the node or to be sent on."""

from __future__ import annotations

import enum
from typing import NamedTuple

from cubecast.golden.adapter.contract.config import AdapterConfig
from cubecast.golden.adapter.contract.word import AdapterReason, tag_places
from cubecast.golden.adapter.twins.words import Said, Word, report_outputs, stream_outputs
from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.crosspoint.contract.word import Kind
from cubecast.golden.crosspoint.twins.ejection import Ejected

__all__ = ["Accepted", "Received", "Receiver", "State"]


class State(enum.Enum):
    """What the next word is."""

    HEAD = 0
    TAG = 1
    DATA = 2
    RELAY = 3
    SKIP = 4


class Received(NamedTuple):
    """A word for the node."""

    data: int
    last: int
    error: int
    first: int
    source: int
    path: int
    ordinal: int


class Accepted(NamedTuple):
    """What is done with a word of the router in a cycle.

    Parameters
    ----------
    taken : bool
        It is taken.
    pushed : Word or None
        It goes into the relay store.
    """

    taken: bool = False
    pushed: Word | None = None


class Receiver:
    """Twin of the receiver.

    A cycle: :meth:`show` finds the word for the node, :meth:`edge` takes the edge.

    Parameters
    ----------
    config : AdapterConfig
        Parameters of the node.
    """

    def __init__(self, config: AdapterConfig) -> None:
        """Start in reset."""
        self.config = config
        self._places = tag_places(config)
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.state = State.HEAD
        self.first = self.final = self.source = self.path = self.ordinal = 0
        self.waited = 0
        self.report: Said | None = None

    def idle(self, receive_ready: bool) -> int | None:
        """Return whether a word would be taken in a cycle without one, None if that depends on the word."""
        return {State.HEAD: None, State.TAG: None, State.DATA: int(receive_ready)}.get(self.state, 1)

    def show(self, word: Ejected | None) -> Received | None:
        """Return the word that the node is shown."""
        if word is None or self.state is not State.DATA:
            return None
        last = word.last & (self.final | word.error)
        error = word.last & word.error
        return Received(word.data, last, error, self.first, self.source, self.path, self.ordinal)

    def _tag(self, word: Ejected) -> dict[str, int]:
        """Return the fields of a tag."""
        return {name: word.data >> low & (1 << width) - 1 for name, (low, width) in self._places.items()}

    def _passes(self, word: Ejected, address: int) -> bool:
        """Return whether a word begins a packet that is to be sent on."""
        begins = self.state is State.HEAD and word.kind == Kind.UNICAST and not word.last
        return begins and self.config.knows_faults and self._tag(word)["destination"] != address

    def takes(self, word: Ejected | None, receive_ready: bool, room: bool, address: int) -> bool:
        """Return whether the word of the router is taken; parameters as those of :meth:`edge`."""
        if word is None:
            return False
        if self.state is State.DATA:
            return receive_ready
        if room or not self._passes(word, address):
            return True
        return self.waited == self.config.relay_wait and self.report is None

    def edge(
        self, word: Ejected | None, receive_ready: bool, room: bool, address: int, report_taken: bool = False
    ) -> Accepted:
        """Take the edge of a cycle; return what is done with the word of the router.

        Parameters
        ----------
        word : Ejected, optional
            What the router shows.
        receive_ready : bool
            Whether the node takes a word.
        room : bool
            Whether a packet has room in the relay store.
        address : int
            Of the node.
        report_taken : bool
            Whether the report that is offered is taken.
        """
        taken = self.takes(word, receive_ready, room, address)
        if report_taken:
            self.report = None
        if word is None:
            return Accepted()
        whole = Word(word.data, word.last, word.error)
        if self._passes(word, address):
            if not taken:
                self.waited = min(self.waited + 1, self.config.relay_wait)
                return Accepted()
            self.waited = 0
            self.state = State.RELAY if room else State.SKIP
            if not room:
                self.report = AdapterReason.RELAY_FULL, self._tag(word)["destination"]
            return Accepted(True, whole if room else None)
        if not taken:
            return Accepted()
        state = self.state
        if state is State.HEAD and word.kind == Kind.BITMAP:
            self.state = State.TAG
        elif state in (State.HEAD, State.TAG):
            self._begin(word, address)
        elif state is State.DATA:
            self.first = 0
        if word.last:
            self.state = State.HEAD
        return Accepted(True, whole if state is State.RELAY else None)

    def _begin(self, word: Ejected, address: int) -> None:
        """Take the tag of a packet for the node; without a relay store, one for another is swallowed."""
        tag = self._tag(word)
        elsewhere = self.state is State.HEAD and word.kind == Kind.UNICAST and tag["destination"] != address
        self.first, self.final = tag["first"], tag["final"]
        self.source, self.path, self.ordinal = tag["source"], tag["path"], tag["ordinal"]
        self.state = State.SKIP if elsewhere and not self.config.knows_faults else State.DATA

    def step(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs and take the edge."""
        get, report = inputs.get, self.report
        word = Ejected(*(get(f"eject__{name}", 0) for name in Ejected._fields)) if get("eject__valid") else None
        ready = bool(get("receive__ready"))
        idle, shown = self.idle(ready), self.show(word)
        done = self.edge(
            word,
            ready,
            bool(get("room")),
            get("address", 0),
            report is not None and bool(get("report__ready")),
        )
        outputs: Outputs = {"eject__ready": idle if word is None else int(done.taken)}
        outputs |= stream_outputs("receive", shown, Received._fields)
        outputs["push"] = int(done.pushed is not None)
        outputs |= {name: getattr(done.pushed, name, None) for name in Word._fields}
        outputs |= report_outputs(report)
        if get("rst"):
            self.reset()
        return outputs
