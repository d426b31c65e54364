"""Control unit: instructions, one after the other, and messages copied out of system buffers."""

from __future__ import annotations

from typing import NamedTuple

from cubecast.golden.common.twins.ports import Inputs, Outputs, stream
from cubecast.golden.node.contract.block import (
    ANY_BIT,
    COMPLETE,
    LENGTH_BITS,
    LENT_LOW,
    STATUS_LOW,
    SYSTEM_BIT,
    TAKEN_BIT,
    TYPE_BITS,
    Instruction,
    Status,
    Word,
)
from cubecast.golden.node.contract.config import BLOCK_BYTES, NodeConfig
from cubecast.golden.node.contract.registers import Interrupt
from cubecast.golden.node.contract.units import How
from cubecast.golden.node.twins.unit import Unit

__all__ = ["Claim", "ControlUnit"]

WRAP = 0xFFFFFFFF
"""Bits of a byte address."""

WORDS = 0x3FFFFFFF
"""Bits of a word address."""

BURST = 16
"""Words that are copied at once."""


class Claim(NamedTuple):
    """A receive that has a message in a system buffer.

    Parameters
    ----------
    block : int
        Byte address of its block.
    system : int
        It keeps the buffer.
    source : int
        Of the message.
    buffer, bytes : int
        Where it goes, and how much of it.
    short : int
        That is not all.
    faulty : int
        Its block could not be written.
    """

    block: int = 0
    system: int = 0
    source: int = 0
    buffer: int = 0
    bytes: int = 0
    short: int = 0
    faulty: int = 0


class ControlUnit(Unit):
    """Twin of the control unit.

    Parameters
    ----------
    config : NodeConfig
        Parameters of the node.

    Source: Buzzard 1988, sections 4.1, 5.1.1 and 5.4.6 (main control unit).
    """

    def __init__(self, config: NodeConfig) -> None:
        """Start in reset."""
        self.config = config
        self.reset()

    def reset(self) -> None:
        """Set all registers to their reset values."""
        self.state = "IDLE"
        self.whole: set[int] = set()
        self.attached: set[int] = set()
        self.result: dict[int, int] = {}
        self.claims: dict[int, Claim] = {}
        self.instruction = self.address = self.status = self.own = self.number = self.message = 0
        self.partner = self.kind = self.length = self.buffer = self.flag = 0
        self.pooled = self.only = self.faulty = self.asked = self.posted = self.spoilt = False
        self.claim, self.taken = Claim(), 0
        self.seen = self.index = self.source_at = self.target_at = self.left = 0
        self.words: list[tuple[int, int]] = []
        self.queue: list[int] = []
        self.wanted = self.acknowledged = 0

    def buffer_place(self, inputs: Inputs, number: int) -> int:
        """Return the address of a system buffer."""
        return inputs.get("base", 0) + number * self.config.buffer_bytes & WRAP

    @property
    def copying(self) -> int:
        """The buffer that is whole and has a receive waiting, -1 if there is none."""
        return min(self.whole & self.attached, default=-1)

    @property
    def system(self) -> bool:
        """Whether the receive asks for a buffer."""
        return self.instruction == Instruction.RECEIVE and self.buffer == 0

    @property
    def telling(self) -> bool:
        """Whether there is an event that a block could not be marked as taken."""
        return self.spoilt and self.state in ("IDLE", "TAKE")

    def heading(self, inputs: Inputs) -> list[tuple[int, int]]:
        """Return what is written into the block of a receive that finds its message here: words and values."""
        types = (1 << TYPE_BITS) - 1
        found = [(Word.PARTNER, self.claim.source), (Word.TYPE, self.kind & types), (Word.LENGTH, self.message)]
        found += [(Word.BUFFER, self.buffer_place(inputs, self.number))] if self.claim.system else []
        return [(int(word), value) for word, value in found]

    def access(self, inputs: Inputs) -> tuple[int, int, int, int] | None:
        """Return what the state reads, or writes: word address; words, or 0; data; strobe."""
        block = self.address >> 2
        if self.telling:
            return None
        if self.state == "READ":
            # The write that is posted may be that of TAKE to this block.
            return None if self.posted else (block + Word.PARTNER, 5, 0, 0)
        if self.state == "LIST":
            return block + Word.NEIGHBOUR + 2 * self.index, 1, 0, 0
        if self.state == "TAKE":
            return block + Word.FLAG, 0, 1 << TAKEN_BIT, 15
        if self.state == "NAME":
            return block + Word.BUFFER, 0, 1 | self.own << LENT_LOW, 15
        if self.state == "COUNT":
            return block + Word.STATE, 0, self.partner, 15
        if self.state == "HEAD":
            word, value = self.heading(inputs)[self.index]
            return block + word, 0, value, 15
        if self.state in ("FLAG", "CLOSE"):
            return block + Word.FLAG, 0, COMPLETE | self.status << STATUS_LOW, 15
        return None

    def _copy(self) -> tuple[tuple[int, int] | None, tuple[int, int, int] | None]:
        """Return what a copy reads, address and words less one, and what it writes, address, data and strobe."""
        if self.state != "COPY":
            return None, None
        read = None if self.asked else (self.source_at, min(BURST, (self.left + 3) // 4) - 1)
        if not self.queue:
            return read, None
        return read, (self.target_at, self.queue[0], (1 << min(self.left, 4)) - 1)

    def _strobe(self) -> int | None:
        """Return the number of the buffer that is given back in this cycle."""
        if self.state == "BACK" and self.pooled:
            return self.own
        return self.number if self.state == "PUT" else None

    def _add(self, inputs: Inputs) -> tuple[int, ...] | None:
        """Return what the scheduler is given: destination, reference, and three words of the block."""
        if self.state != "ADD":
            return None
        own, nodes = inputs.get("address", 0), self.config.nodes
        words = self.kind & (1 << TYPE_BITS) - 1, self.length & (1 << LENGTH_BITS) - 1, self.buffer
        if self.instruction == Instruction.SEND:
            return self.partner & nodes - 1, self.address, *words
        if self.instruction == Instruction.BROADCAST:
            return own, self.address, *words
        return own ^ self.seen & -self.seen, self.address + self.index + 1, *words

    def _post(self, inputs: Inputs) -> tuple[int, ...] | None:
        """Return the receive that the matcher is given, as its ports."""
        if self.state != "POST" or self.asked:
            return None
        pooled = self.pooled
        return (
            self.address // BLOCK_BYTES,
            self.partner & self.config.nodes - 1,
            self.partner >> ANY_BIT & 1,
            self.kind & (1 << TYPE_BITS) - 1,
            self.kind >> ANY_BIT & 1,
            int(self.only),
            self.config.buffer_bytes if pooled else self.length & (1 << LENGTH_BITS) - 1,
            self.buffer_place(inputs, self.own) if pooled else self.buffer,
            int(pooled),
            self.own,
        )

    def _event(self) -> tuple[int, int, int, int] | None:
        """Return the event of this cycle: reason, status, source, value."""
        if self.telling:
            return Interrupt.MEMORY_ERROR, Status.MEMORY_ERROR, 0, self.taken
        if self.state != "EVENT":
            return None
        memory = self.faulty or self.status == Status.MEMORY_ERROR
        reason = Interrupt.MEMORY_ERROR if memory else Interrupt.BAD_OPERAND
        return reason, self.status, self.claim.source if self.faulty else 0, self.address

    @property
    def resting(self) -> bool:
        """Whether an edge changes nothing but the time, as long as nothing comes in."""
        return self.state == "IDLE" and self.copying < 0 and not self.spoilt

    def show(self, inputs: Inputs) -> Outputs:
        """Return this cycle's outputs."""
        access = None if self.asked or (self.state == "TAKE" and self.posted) else self.access(inputs)
        read, write = self._copy()
        if access is not None:
            address, count, data, strobe = access
            read = (address, count - 1) if count else None
            write = None if count else (address, data, strobe)
        put = self._strobe()
        asking = not self.asked
        return {
            "i__ready": int(self.resting),
            **stream("add", ADD, self._add(inputs)),
            **stream("grab", ("system",), (self.kind >> SYSTEM_BIT & 1,) if self.state == "GRAB" and asking else None),
            **stream("post", POST, self._post(inputs)),
            **stream("release", ("address",), (self.address,) if self.state == "RELEASE" and asking else None),
            **stream("lend", ("number",), (self.number,) if self.state == "LEND" else None),
            **stream("event", EVENT, self._event()),
            **stream("reader", ("address", "beats"), read),
            **stream("writer", ("address", "data", "strobe"), write),
            "put": int(put is not None),
            "put_number": put,
        }

    def edge(self, inputs: Inputs, outputs: Outputs) -> None:
        """Take the edge of a cycle with these inputs and outputs."""
        get = inputs.get
        if get("rst"):
            self.reset()
            return
        posts = self.state == "TAKE" and bool(outputs["writer__valid"] and get("writer__ready"))
        if self.telling:
            self.spoilt = not get("event__ready")
        elif self.state == "COPY":
            self._copied(inputs, outputs)
        elif self.state == "READ" and self.posted:
            pass
        elif self.access(inputs) is not None:
            self._memory(inputs, outputs)
        else:
            self.state = self._go_on(inputs)
        if get("written"):
            self.spoilt |= self.posted and bool(get("write_error"))
            self.posted = False
        if posts:
            self.posted, self.taken = True, self.address
        if get("kept"):
            self.whole.add(get("kept_number", 0))
            self.result[get("kept_number", 0)] = get("kept_status", 0)

    def _go_on(self, inputs: Inputs) -> str:
        """Take the edge of a state that has nothing to do with the memory; return the next one."""
        get, state = inputs.get, self.state
        if state == "IDLE":
            return self._begin(inputs)
        if state == "CHECK":
            return self._check(inputs)
        if state == "RELEASE":
            return self._released(inputs)
        if state == "JUDGE":
            return self._judge(inputs)
        if state == "OPERANDS":
            if self.flag >> TAKEN_BIT:
                self.status = Status.BUSY
                return "EVENT"
            self.status = self._operands(inputs)
            return "CLOSE" if self.status else "GRAB" if self.system else "TAKE"
        if state == "GRAB":
            return self._grabbed(inputs)
        if state == "ADD":
            return self._added() if get("add__ready") else state
        if state == "POST":
            return self._posted(inputs)
        if state == "BACK":
            self.index = 0
            return "CLOSE" if self.status else "HEAD"
        if state == "CLAIM":
            if self.number in self.whole:
                return "FETCH"
            self.claims[self.number] = self.claim._replace(faulty=int(self.faulty))
            self.attached.add(self.number)
            return "IDLE"
        if state == "RESUME":
            self.attached.discard(self.number)
            self.claim = self.claims[self.number]
            self.address, self.faulty = self.claim.block, bool(self.claim.faulty)
            return "FETCH"
        if state == "FETCH":
            return self._fetch(inputs)
        if state in ("PUT", "LEND"):
            if self.status == Status.OK:
                self.status = Status.MEMORY_ERROR if self.faulty else Status.TRUNCATED * self.claim.short
            return "FLAG" if state == "PUT" or get("lend__ready") else state
        return "IDLE" if get("event__ready") else state

    def _begin(self, inputs: Inputs) -> str:
        """Choose what to do next."""
        get = inputs.get
        if self.copying >= 0:
            self.number = self.copying
            return "RESUME"
        if not get("i__valid"):
            return "IDLE"
        self.instruction, self.address = get("i__instruction", 0), get("i__address", 0)
        self.status = self.seen = self.index = 0
        self.pooled = self.only = self.faulty = False
        self.claim = self.claim._replace(source=0)
        return "CHECK"

    def _check(self, inputs: Inputs) -> str:
        """Look at the address of a doorbell."""
        get, address = inputs.get, self.address
        if not get("enable"):
            self.status = Status.DISABLED
            return "EVENT"
        if self.instruction == Instruction.RELEASE:
            return "RELEASE"
        if address % BLOCK_BYTES or address < get("first", 0) or address + BLOCK_BYTES - 1 > get("last", 0):
            self.status = Status.BAD_BLOCK
            return "EVENT"
        return "READ"

    def _released(self, inputs: Inputs) -> str:
        """Go on with a release."""
        get = inputs.get
        if not self.asked:
            self.asked = bool(get("release__ready"))
        elif get("released"):
            self.asked = False
            if get("accepted"):
                return "IDLE"
            self.status = Status.BAD_RELEASE
            return "EVENT"
        return "RELEASE"

    def _judge(self, inputs: Inputs) -> str:
        """Look at a block with neighbours that was read."""
        if self.flag >> TAKEN_BIT:
            self.status = Status.BUSY
            return "EVENT"
        if not 0 < self.partner <= self.config.dim:
            self.status = Status.BAD_LIST
            return "CLOSE"
        if self.address + BLOCK_BYTES - 1 + 8 * self.partner > inputs.get("last", 0):
            self.status = Status.BAD_BLOCK
            return "EVENT"
        return "LIST"

    def _operands(self, inputs: Inputs) -> int:
        """Return the status that the operands of a block lead to, OK if they are legal."""
        get, node = inputs.get, self.partner >= self.config.nodes or self.partner == inputs.get("address", 0)
        receive = self.instruction == Instruction.RECEIVE
        if self.instruction == Instruction.SEND and node:
            return Status.BAD_DESTINATION
        if receive and self.partner >> ANY_BIT != 1 and node:
            return Status.BAD_SOURCE
        if self.kind >> ANY_BIT > receive:
            return Status.BAD_TYPE
        if self.system:
            return Status.OK
        if self.length >> LENGTH_BITS:
            return Status.BAD_LENGTH
        outside = self.buffer < get("first", 0) or self.buffer + self.length - 1 > get("last", 0)
        if self.buffer % 4 or (self.length and outside):
            return Status.BAD_BUFFER
        return Status.OK

    def _grabbed(self, inputs: Inputs) -> str:
        """Go on with a buffer, or without one."""
        get = inputs.get
        if not self.asked:
            self.asked = bool(get("grab__ready"))
        elif get("grabbed"):
            self.asked = False
            self.pooled, self.only = bool(get("granted")), not get("granted")
            if self.pooled:
                self.own = get("number", 0)
            return "TAKE"
        return "GRAB"

    def _added(self) -> str:
        """Go on when the scheduler has taken a message, or a part of it."""
        if self.instruction != Instruction.NEIGHBOURS:
            return "IDLE"
        self.seen &= self.seen - 1
        self.index += 1
        return "ADD" if self.seen else "IDLE"

    def _posted(self, inputs: Inputs) -> str:
        """Go on with a receive that the matcher has."""
        get = inputs.get
        if not self.asked:
            self.asked = bool(get("post__ready"))
            return "POST"
        self.faulty |= bool(get("failed"))
        if not get("settled"):
            return "POST"
        self.asked, how = False, get("how", 0)
        if how == How.UNCLAIMED:
            return self._claimed(inputs)
        if how == How.NOTHING:
            self.status = Status.NO_BUFFER
            return "CLOSE"
        if how == How.POSTED and self.faulty:
            self.status = Status.MEMORY_ERROR
            return "BACK"
        return "IDLE"

    def _claimed(self, inputs: Inputs) -> str:
        """Go on with a message that is here already."""
        get = inputs.get
        self.number, self.message, self.kind = get("number", 0), get("length", 0), get("message_type", 0)
        room = self.length & (1 << LENGTH_BITS) - 1
        self.claim = Claim(
            block=self.address,
            system=int(self.system),
            source=get("source", 0),
            buffer=self.buffer,
            bytes=0 if self.system else min(self.message, room),
            short=int(not self.system and self.message > room),
        )
        self.faulty = False
        return "BACK"

    def _fetch(self, inputs: Inputs) -> str:
        """Begin to complete a receive whose message is whole."""
        self.whole.discard(self.number)
        self.status = self.result[self.number]
        self.source_at = self.buffer_place(inputs, self.number) >> 2
        self.target_at, self.left = self.claim.buffer >> 2, self.claim.bytes
        if self.claim.system:
            return "LEND"
        self._burst()
        return "COPY" if self.left else "PUT"

    def _burst(self) -> None:
        """Begin to copy up to 16 words."""
        self.wanted, self.acknowledged, self.asked = min(BURST, (self.left + 3) // 4), 0, False

    def _copied(self, inputs: Inputs, outputs: Outputs) -> None:
        """Go on with a copy."""
        get = inputs.get
        if outputs["reader__valid"] and get("reader__ready"):
            self.asked = True
        if outputs["writer__valid"] and get("writer__ready"):
            del self.queue[0]
            self.target_at, self.left = self.target_at + 1 & WORDS, self.left - min(self.left, 4)
        if get("served"):
            self.queue.append(get("word", 0))
            self.faulty |= bool(get("word_error"))
        if get("written") and not self.posted:
            self.faulty |= bool(get("write_error"))
            self.acknowledged += 1
            if self.acknowledged == self.wanted:
                self.source_at = self.source_at + BURST & WORDS
                self.asked, self.state = False, "COPY" if self.left else "PUT"
                self._burst()

    def _memory(self, inputs: Inputs, outputs: Outputs) -> None:
        """Go on with a read or a write."""
        get, access = inputs.get, self.access(inputs)
        for kind in ("reader", "writer"):
            if outputs[f"{kind}__valid"]:
                self.asked = bool(get(f"{kind}__ready"))
                if self.asked and self.state == "TAKE":
                    self.asked, self.state = False, self._written(inputs)
                return
        if access is not None and access[1]:
            if get("served"):
                self.words.append((get("word", 0), get("word_error", 0)))
                if len(self.words) == access[1]:
                    self.asked, words, self.words = False, self.words, []
                    self.state = self._read(inputs, [word for word, _ in words], any(error for _, error in words))
        elif get("written") and not self.posted:
            self.asked = False
            self.state = self._written(inputs)

    def _read(self, inputs: Inputs, words: list[int], error: bool) -> str:
        """Take what was read; return the next state."""
        if error:
            self.status = Status.MEMORY_ERROR
            return "CLOSE"
        if self.state == "READ":
            self.partner, self.kind, self.length, self.buffer, self.flag = words
            return "JUDGE" if self.instruction == Instruction.NEIGHBOURS else "OPERANDS"
        away = words[0] ^ inputs.get("address", 0)
        if words[0] >= self.config.nodes or away.bit_count() != 1 or away & self.seen:
            self.status = Status.BAD_LIST
            return "CLOSE"
        self.seen |= away
        self.index += 1
        return "OPERANDS" if self.index == self.partner else "LIST"

    def _written(self, inputs: Inputs) -> str:
        """Go on when a write is acknowledged, or taken if it is posted; return the next state."""
        error = self.state != "TAKE" and bool(inputs.get("write_error"))
        if error and self.state in ("NAME", "COUNT"):
            self.status = Status.MEMORY_ERROR
            return "BACK" if self.state == "NAME" else "CLOSE"
        self.faulty |= error
        if self.state == "TAKE":
            if self.instruction == Instruction.RECEIVE:
                return "NAME" if self.pooled else "POST"
            return "COUNT" if self.instruction == Instruction.NEIGHBOURS else "ADD"
        if self.state == "COUNT":
            self.index = 0
            return "ADD"
        if self.state == "HEAD":
            self.index += 1
            return "CLAIM" if self.index == len(self.heading(inputs)) else "HEAD"
        if self.state == "NAME":
            return "POST"
        return "EVENT" if self.state == "CLOSE" or self.faulty else "IDLE"


ADD = ("destination", "reference", "type", "length", "buffer")
"""Payload of what the scheduler is given."""

POST = ("block", "source", "any_source", "type", "any_type", "only", "room", "buffer", "pooled", "number")
"""Payload of a receive."""

EVENT = ("reason", "status", "source", "value")
"""Payload of an event."""
