"""Receive engine: packets that the router ejects, into memory."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

from cubecast.golden.common.twins.ports import Inputs, Outputs
from cubecast.golden.node.contract.block import COMPLETE, STARTED, STATUS_LOW, SYSTEM_BIT, TAKEN_BIT, Status, Word
from cubecast.golden.node.contract.config import BLOCK_BYTES, BLOCK_WORDS, NodeConfig
from cubecast.golden.node.contract.packet import CONTROL, ENVELOPE, TICKET_BITS, Kind, Op, unpack
from cubecast.golden.node.contract.registers import Interrupt
from cubecast.golden.node.twins.matcher import Place
from cubecast.golden.node.twins.unit import Unit
from cubecast.golden.node.twins.word_writer import WordWriter
from cubecast.golden.packet.contract.config import PORT_BITS
from cubecast.golden.packet.contract.packet import KIND_BITS

__all__ = ["Put", "ReceiveEngine", "Stream"]

WRAP = 0xFFFFFFFF
"""Bits of a byte address."""

FAULTS = {Status.DAMAGED: Interrupt.DAMAGED, Status.MEMORY_ERROR: Interrupt.MEMORY_ERROR}
"""Statuses that are told at once, and the reasons of their interrupts."""


class Put(NamedTuple):
    """A reply."""

    source: int
    b: int
    op: int
    stop: int = 0
    damaged: int = 0
    ticket: int = 0


NOWHERE = Place(0, 0, 0, 0, 0, 0)
"""Place of a stream without a message."""


@dataclasses.dataclass
class Stream:
    """What is known of the messages of one source and kind.

    Parameters
    ----------
    state : str
        IDLE, STORE, HELD or READY.
    ticket, type, length : int
        Of its message.
    place : Place
        Where that goes.
    at, left, store : int
        Next address; bytes to come, and those of them that have room.
    odd : bool
        The next packet is a MORE.
    short, wrong, tracked : bool
        The room is too small; the memory has erred; the tracker has an entry for it.
    entry : int
        The number of that.
    done : bool
        The last message has ended, and DONE was put under this ticket, as damaged if ``wrong``.
    """

    state: str = "IDLE"
    ticket: int = 0
    type: int = 0
    length: int = 0
    place: Place = NOWHERE
    at: int = 0
    left: int = 0
    store: int = 0
    odd: bool = False
    short: bool = False
    wrong: bool = False
    tracked: bool = False
    entry: int = 0
    done: bool = False


class ReceiveEngine(Unit):
    """Twin of the receive engine.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the node.

    Source: Buzzard 1988, sections 5.1.2 and 5.4.5.
    """

    def __init__(self, config: NodeConfig) -> None:
        """Start in reset."""
        self.config = config
        self.writer = WordWriter(config)
        self._unpacked = 0, unpack(ENVELOPE, 0)
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values; the entries are emptied one by one."""
        self.state = "DEST"
        self.cleared = self.b = self.source = self.kind = self.prefix = self.index = self.word = 0
        self.streams = {(source, b): Stream() for source in range(self.config.nodes) for b in range(2)}
        self.stream = Stream()
        self.ended = self.bad = self.again = self.opened = self.flagged = self.spoilt = False
        self.owed = self.flag_block = self.flag_source = 0
        self.late: tuple[int, int] | None = None
        self.address = 0

    @property
    def envelope(self) -> dict[str, int]:
        """The fields of the envelope."""
        if self._unpacked[0] != self.prefix:
            self._unpacked = self.prefix, unpack(ENVELOPE, self.prefix)
        return self._unpacked[1]

    @property
    def status(self) -> Status:
        """How the message in hand ends."""
        if self.bad:
            return Status.DAMAGED
        if self.stream.wrong:
            return Status.MEMORY_ERROR
        return Status.TRUNCATED if self.stream.short else Status.OK

    @property
    def count(self) -> int:
        """Bytes of the message in the packet in hand."""
        config = self.config
        return min(self.stream.left, config.first_bytes if self.kind == Kind.FIRST else config.packet_bytes)

    @property
    def head(self) -> list[tuple[int, int]]:
        """What is written into the block of a receive when its message begins: words and values."""
        stream, place = self.stream, self.stream.place
        found = [(Word.PARTNER, self.source), (Word.TYPE, stream.type), (Word.LENGTH, stream.length)]
        found += [(Word.BUFFER, place.buffer)] if place.pooled else []
        found += [(Word.FLAG, STARTED | 1 << TAKEN_BIT)] if stream.tracked else []
        return [(int(word), value) for word, value in found]

    @property
    def own_write(self) -> tuple[int, int] | None:
        """What the engine itself writes in this cycle: word address and value."""
        if self.state == "HEAD":
            word, value = self.head[self.index]
            if word == Word.FLAG and self.owed:
                return None
        elif self.state == "FLAG" and not (self.flagged or self.spoilt):
            word, value = Word.FLAG, COMPLETE | self.status << STATUS_LOW
        else:
            return None
        return BLOCK_WORDS * self.stream.place.block + word, value

    def _asked_first(self) -> bool:
        """Return whether the matcher is asked for more packets than the offer has."""
        config, envelope = self.config, self.envelope
        return envelope["length"] > config.first_bytes + (max(1, envelope["eager"]) - 1) * config.packet_bytes

    def _put(self, inputs: Inputs, preparing: bool) -> Put | None:
        """Return the reply of this cycle."""
        get, envelope = inputs.get, self.envelope
        if preparing:
            source = get("prepare__source", 0)
            return Put(source, 1, Op.REWIND, ticket=self.streams[source, 1].ticket)
        if self.state == "WAIT" and get("verdict") and not get("placed"):
            if get("lost"):
                return Put(self.source, self.b, Op.DONE, damaged=1, ticket=envelope["ticket"])
            return Put(self.source, self.b, Op.POSTPONE, get("stop", 0), 0, envelope["ticket"])
        if self.state == "LOOK" and self.late is None and self._overtaken():
            return Put(self.source, 1, Op.DONE, damaged=1, ticket=envelope["ticket"])
        if self.state == "LOOK" and self.late is None and self._missed():
            return Put(self.source, 1, Op.DONE, damaged=int(self._entry.wrong), ticket=envelope["ticket"])
        if self.state == "PLACE" and self._asked_first():
            return Put(self.source, self.b, Op.ACCEPT, ticket=self.stream.ticket)
        if self.state == "DONE":
            return Put(self.source, self.b, Op.DONE, damaged=int(self.status in FAULTS), ticket=self.stream.ticket)
        return None

    @property
    def _tells(self) -> bool:
        """Whether there is an event to tell of in this state."""
        return self.status in FAULTS if self.state == "FAULT" else bool(self.stream.type >> SYSTEM_BIT)

    def _event(self) -> tuple[int, int, int, int] | None:
        """Return the event of this cycle: reason, status, source, value."""
        stream, status = self.stream, self.status
        if self.spoilt:
            status = Status.MEMORY_ERROR
            return FAULTS[status], status, self.flag_source, BLOCK_BYTES * self.flag_block
        if self.flagged:
            return None
        if self.state == "FAULT" and status in FAULTS:
            value = BLOCK_BYTES * stream.place.block if stream.place.user else stream.place.number
            return FAULTS[status], status, self.source, value
        if self.state == "NOTICE" and stream.type >> SYSTEM_BIT:
            return Interrupt.SYSTEM_MESSAGE, status, self.source, stream.type
        return None

    def _dropped(self) -> bool:
        """Return whether the packet that is looked at belongs to nothing."""
        stream = self.streams[self.source, self.b]
        if self.kind != Kind.FIRST:
            return stream.state != "STORE"
        if stream.state == "STORE" or not self.b:
            return False
        if self.envelope["mark"]:
            return stream.state != "READY" or stream.ticket != self.envelope["ticket"]
        return stream.state not in ("IDLE", "READY")

    @property
    def _entry(self) -> Stream:
        """What is known of the stream of the packet in hand."""
        return self.streams[self.source, self.b]

    def _overtaken(self) -> bool:
        """Return whether a broadcast begins whose source has given up the one that is held."""
        return self.kind == Kind.FIRST and self._entry.state == "HELD" and not self.envelope["mark"]

    def _missed(self) -> bool:
        """Return whether the source of a broadcast that has ended here asks for an answer that it has missed."""
        entry, envelope = self._entry, self.envelope
        asked = self.kind == Kind.FIRST and self.b and envelope["mark"] and envelope["behind"]
        return bool(asked and entry.state == "IDLE" and entry.done and entry.ticket == envelope["ticket"])

    def _listens(self, inputs: Inputs, ready: bool) -> bool:
        """Return whether a word is taken when it is there."""
        get = inputs.get
        if self.state == "DEST":
            return ready and not get("prepare__valid")
        if self.state == "DATA":
            return bool(get("eject__error")) or self.writer.listens(inputs)
        return self.state in ("SOURCE", "ANSWER", "ENVELOPE", "SKIP")

    def _kind(self, word: int) -> int:
        """Return the kind of the packet with this source word."""
        return word >> self.config.width - PORT_BITS - KIND_BITS & (1 << KIND_BITS) - 1

    def _drains(self) -> bool:
        """Return whether all words of a packet are in memory."""
        return self.state == "DRAIN" and self.acknowledged

    def _settles(self) -> bool:
        """Return whether the words of the packet before are in memory by now."""
        return self.late is not None and self.acknowledged

    def _waits(self) -> bool:
        """Return whether LOOK or OPEN waits for the words of the packet before."""
        if self.late is None or self.state not in ("LOOK", "OPEN"):
            return False
        if self.state == "OPEN":
            return not self.acknowledged
        in_turn = self.kind != Kind.FIRST and self.stream.odd == (self.kind == Kind.MORE)
        return self.late != (self.source, self.b) or not in_turn

    @property
    def acknowledged(self) -> bool:
        """Whether what was written before FLAG stands in memory."""
        return not self.owed and self.writer.waiting == 0

    def _stray(self, taken: bool, last: bool, error: bool, word: int) -> bool:
        """Return whether a packet that belongs to nothing is noticed in this cycle."""
        if self.state == "LOOK":
            return self.late is None and self._dropped()
        if not taken:
            return False
        if self.state == "DEST":
            return last
        if self.state == "SOURCE":
            return error or (last and self._kind(word) in (Kind.CONTROL, Kind.FIRST))
        if self.state == "ANSWER":
            return not last or error
        final = self.index == self.config.prefix_words - 1
        return self.state == "ENVELOPE" and (error or (last and not final))

    @property
    def resting(self) -> bool:
        """Whether an edge changes nothing but the time, as long as nothing comes in."""
        still = self.state == "DEST" and self.late is None and not self.spoilt
        return still and self.cleared == 2 * self.config.nodes

    def show(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs."""
        get, stream = inputs.get, self.stream
        ready = self.cleared == 2 * self.config.nodes
        prepares = ready and self.state in ("DEST", "ASK") and self.late is None
        preparing = bool(prepares and get("prepare__valid"))
        listens = self._listens(inputs, ready)
        taken = bool(listens and get("eject__valid"))
        last, error = bool(get("eject__last")), bool(get("eject__error"))
        place_now, drained, settled = self.state == "PLACE", self._drains(), self._settles()
        tracking = place_now and stream.place.user and stream.length > self.config.first_bytes
        tracking = bool(tracking and stream.store and not get("full"))
        moving, closing = (drained or settled) and stream.tracked, self.state == "FINISH" and stream.tracked
        done, own, put, event = self.state == "DONE", self.own_write, self._put(inputs, preparing), self._event()
        lend, kept = done and stream.place.user and stream.place.pooled, done and not stream.place.user
        asking, telling = self.state == "ASK", self.state == "TELL"
        outputs: Outputs = {
            "ready": int(ready),
            "eject__ready": int(listens),
            "prepare__ready": int(prepares),
            "received": int(taken and last),
            "stray": int(self._stray(taken, last, error, get("eject__data", 0))),
            "completed": int(done),
            **_strobe("first__valid", asking, {f"first__{name}": self._asked(name) for name in FIRST}),
            **_strobe("control__valid", telling, self._told() if telling else TOLD),
            **_strobe("put__valid", put is not None, {f"put__{name}": getattr(put, name, 0) for name in Put._fields}),
            **_strobe("open", tracking, {"open_next": stream.at, "open_last": stream.at + stream.store - 1 & WRAP}),
            **_strobe("move", moving, {"move_entry": stream.entry, "move_next": self._reached(settled)}),
            **_strobe("close", closing, {"close_entry": stream.entry}),
            **_strobe("lend", bool(lend), {"lend_number": stream.place.number}),
            **_strobe("kept", kept, {"kept_number": stream.place.number, "kept_status": self.status}),
            **_strobe("event__valid", event is not None, dict(zip(EVENT, event or (0, 0, 0, 0), strict=True))),
        }
        return outputs | self._writes(own)

    def edge(self, inputs: Inputs, outputs: Outputs) -> None:
        """Take the edge of a cycle with these inputs and outputs."""
        get, own = inputs.get, self.own_write
        taken = bool(outputs["eject__ready"] and get("eject__valid"))
        drained, settled, waits, late = self._drains(), self._settles(), self._waits(), self.late
        wrong, spoilt = self.writer.error, self.spoilt
        self._write(inputs, taken)
        if get("rst"):
            self.reset()
            return
        self.address = get("address", 0)
        if outputs["prepare__ready"] and get("prepare__valid"):
            prepared = self.streams[get("prepare__source", 0), 1]
            prepared.state = "READY"
            prepared.place = Place(*(get(f"prepare__{name}", 0) for name in Place._fields))
        self.cleared += not outputs["ready"]
        if get("written"):
            if not self.flagged and self.owed:
                self.owed -= 1
                self.stream.wrong |= bool(get("write_error"))
            self.spoilt |= self.flagged and bool(get("write_error"))
            self.flagged = False
        if spoilt and get("event__ready"):
            self.spoilt = False
        if settled and self.late is not None:
            self.stream.wrong |= wrong
            self.streams[self.late] = dataclasses.replace(self.stream)
            self.late = None
        if self.state in ("HEAD", "FLAG"):
            if own is not None and get("writer__ready"):
                self._wrote()
        elif outputs["eject__ready"] or self.state in ("SOURCE", "DATA"):
            if taken:
                last, error = bool(get("eject__last")), bool(get("eject__error"))
                self._word(get("eject__data", 0), last, error, bool(outputs["stray"]))
        elif late and self.state == "LOOK" and not waits:
            self.state = "OPEN"
        elif not waits:
            self._go_on(inputs, bool(outputs["open"]), drained, bool(outputs["event__valid"]) and not spoilt)

    def _reached(self, settled: bool) -> int:
        """Return up to where a message is in memory; what is late has been counted."""
        return self.stream.at + (0 if settled else self.count) & WRAP

    def _asked(self, name: str) -> int:
        """Return a field of what the matcher is asked."""
        return {"source": self.source, "b": self.b}.get(name, self.envelope.get(name, 0))

    def _told(self) -> dict[str, int]:
        """Return what a control packet says, as ports."""
        fields = unpack(CONTROL, self.word & 0xFFFF) | {"source": self.source}
        return {f"control__{name}": fields[name] for name in Put._fields}

    def _writes(self, own: tuple[int, int] | None) -> Outputs:
        """Return what is written in this cycle, by the word writer or by the engine itself."""
        if self.state not in ("HEAD", "FLAG"):
            return {name: value for name, value in self.writer.show({}).items() if name.startswith("writer__")}
        values = (*own, 15) if own is not None else (0, 0, 0)
        ports = ("writer__address", "writer__data", "writer__strobe")
        return _strobe("writer__valid", own is not None, dict(zip(ports, values, strict=True)))

    def _write(self, inputs: Inputs, taken: bool) -> None:
        """Step the word writer; acknowledgements are its own behind those of the engine."""
        get, own = inputs.get, self.flagged or self.owed
        opening = self.state == "OPEN" and not self.ended and not self._waits()
        given = {
            "rst": get("rst", 0),
            "open": int(opening),
            "open_address": self.stream.at,
            "open_bytes": min(self.stream.store, self.count),
            "i__valid": int(self.state == "DATA" and taken and not get("eject__error")),
            "i__data": get("eject__data", 0),
            "i__last": get("eject__last", 0),
            "writer__ready": get("writer__ready", 0),
            "written": 0 if own else get("written", 0),
            "write_error": get("write_error", 0),
        }
        self.writer.step(given)

    def _wrote(self) -> None:
        """Go on when a word is taken that the engine writes itself."""
        if self.state == "FLAG":
            self.flagged, self.state = True, "DONE"
            self.flag_block, self.flag_source = self.stream.place.block, self.source
            return
        self.owed += 1
        self.index += 1
        if self.index == len(self.head):
            self.state = "DRAIN" if self.again else "OPEN"

    def _word(self, word: int, last: bool, error: bool, stray: bool) -> None:
        """Take a word of a packet."""
        end = "DEST" if last else "SKIP"
        if self.state == "DEST":
            self.b, self.bad = int(word != self.address), False
            self.state = "DEST" if last else "SOURCE"
        elif self.state == "SOURCE":
            self.source, self.kind, self.index, self.prefix = word & self.config.nodes - 1, self._kind(word), 0, 0
            self.ended = last
            follows = {Kind.CONTROL: "ANSWER", Kind.FIRST: "ENVELOPE"}.get(Kind(self.kind), "LOOK")
            self.state = "DEST" if stray else follows
        elif self.state == "ANSWER":
            self.word = word
            self.state = end if stray else "TELL"
        elif self.state == "ENVELOPE":
            self.prefix |= word << self.config.width * self.index
            self.ended = last
            final = self.index == self.config.prefix_words - 1
            self.state = "DEST" if stray else "LOOK" if final else "ENVELOPE"
            self.index += 1
        elif self.state == "SKIP":
            self.state = "DEST" if last else "SKIP"
        else:
            self.bad |= error
            if last:
                self.ended, self.state = True, "DRAIN"
                if self.stream.left > self.count and not self.bad:
                    self._counted()
                    self.late, self.state = (self.source, self.b), "DEST"

    def _go_on(self, inputs: Inputs, tracking: bool, drained: bool, told: bool) -> None:
        """Take the edge of a state that takes no words."""
        get, stream, end = inputs.get, self.stream, "DEST" if self.ended else "SKIP"
        if self.state == "TELL":
            self.state = "DEST" if get("control__ready") else "TELL"
        elif self.state == "LOOK":
            self._look(end)
        elif self.state == "ASK":
            self.state = "WAIT" if get("first__ready") else "ASK"
        elif self.state == "WAIT" and get("verdict"):
            if get("placed"):
                self._begin(Place(*(get(name, 0) for name in Place._fields)))
                return
            self.state = end
            if self.b:
                ended = Stream("IDLE", wrong=True, done=True) if get("lost") else Stream("HELD")
                self.streams[self.source, 1] = dataclasses.replace(ended, ticket=self.envelope["ticket"])
        elif self.state == "PLACE":
            if tracking:
                stream.tracked, stream.entry = True, get("entry", 0)
            self.index, self.state = 0, "HEAD" if stream.place.user else "OPEN"
        elif self.state == "OPEN":
            self.opened = not self.ended
            self.state = "DRAIN" if self.ended else "DATA"
        elif drained:
            self._drained()
        elif self.state == "FINISH":
            self.state = "FLAG" if stream.place.user else "DONE"
        elif self.state == "DONE":
            damaged = self.status in FAULTS
            self.streams[self.source, self.b] = Stream("IDLE", self.stream.ticket, wrong=damaged, done=True)
            self.state = "FAULT"
        elif self.state in ("FAULT", "NOTICE") and (get("event__ready") if told else not self._tells):
            if self.state == "FAULT":
                self.state = "NOTICE"
            elif self.again:
                self.bad, self.again, self.state = False, False, "LOOK"
            else:
                self.state = end

    def _look(self, end: str) -> None:
        """Find out what a packet belongs to."""
        stream = self.streams[self.source, self.b]
        dropped = self._dropped()
        self.stream = dataclasses.replace(stream)
        if self.kind != Kind.FIRST:
            if dropped:
                self.state = end
            elif stream.odd != (self.kind == Kind.MORE):
                self.bad, self.again, self.state = True, False, "FINISH"
            else:
                self.state = "OPEN"
        elif stream.state == "STORE":
            self.bad, self.again, self.state = True, True, "FINISH"
        elif dropped:
            if self._overtaken():
                ticket = self.envelope["ticket"] ^ 1 << TICKET_BITS - 1
                self.streams[self.source, self.b] = Stream("HELD", ticket)
            self.state = end
        elif self.b and self.envelope["mark"]:
            self._begin(stream.place)
        elif stream.state == "READY":
            self.bad, self.again, self.index = True, True, 0
            self.state = "HEAD" if stream.place.user else "FINISH"
        else:
            self.state = "ASK"

    def _begin(self, place: Place) -> None:
        """Begin to store a message at a place."""
        envelope = self.envelope
        length = envelope["length"]
        self.stream = Stream(
            state="STORE",
            ticket=envelope["ticket"],
            type=envelope["type"],
            length=length,
            place=place,
            at=place.buffer,
            left=length,
            store=min(length, place.room),
            odd=True,
            short=length > place.room,
        )
        self.state = "PLACE"

    def _counted(self) -> None:
        """Count the bytes of a packet."""
        stream, count = self.stream, self.count
        stream.at = stream.at + count & WRAP
        stream.left -= count
        stream.store -= min(stream.store, count)
        if self.kind != Kind.FIRST:
            stream.odd = not stream.odd

    def _drained(self) -> None:
        """Go on behind a packet whose words are in memory."""
        stream = self.stream
        self._counted()
        stream.wrong |= self.opened and self.writer.error
        if stream.left and not self.bad:
            self.streams[self.source, self.b] = dataclasses.replace(stream)
            self.state = "DEST"
        else:
            self.state = "FINISH"


TOLD = {f"control__{name}": 0 for name in Put._fields}
"""Ports of what a control packet says, while there is none."""

FIRST = ("source", "b", "type", "length", "behind", "rest", "mark")
"""Ports of what the matcher is asked."""

EVENT = ("event__reason", "event__status", "event__source", "event__value")
"""Ports of an event."""


def _strobe(name: str, on: bool, payload: dict[str, int]) -> Outputs:
    """Return a strobe, or a stream's valid, and its payload, which is compared while it is 1."""
    return {name: int(on), **(payload if on else dict.fromkeys(payload))}
