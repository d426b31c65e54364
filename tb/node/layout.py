"""Where header blocks and buffers of a program lie in node memory, each between bytes that nobody may touch."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from cubecast.golden.node.algorithms.programs import DOORBELLS, Step
from cubecast.golden.node.contract.block import LENGTH_BITS, Instruction, Word
from cubecast.golden.node.contract.config import BLOCK_BYTES, NodeConfig

__all__ = ["FIRST", "GUARD_BYTES", "WORD_BYTES", "Layout", "Slot", "guard", "words_of"]

FIRST = 0x1000
"""Byte address of the first byte of node memory, if nothing else is said."""

GUARD_BYTES = 32
"""Least bytes between two places."""

WORD_BYTES = 4
"""Bytes of a word of node memory."""

MISPLACED = 2
"""What a misplaced buffer's address is beside a right one."""


def guard(address: int) -> int:
    """Return the byte that stands at an address before anything is written there."""
    return 0x3C ^ address * 11 & 0xFF


@dataclasses.dataclass(frozen=True)
class Slot:
    """The places of one step that rings a doorbell.

    Parameters
    ----------
    index : int
        Number of the step.
    block, block_bytes : int
        Its header block; 0 bytes: it has none.
    buffer, buffer_bytes : int
        Its buffer; address 0: it has none.
    """

    index: int
    block: int = 0
    block_bytes: int = 0
    buffer: int = 0
    buffer_bytes: int = 0


class Layout:
    """Places of a program.

    Parameters
    ----------
    program : sequence of Step
        The program of the node.
    config : NodeConfig
        Parameters of the node.
    first : int
        Byte address of the first byte of node memory.
    """

    def __init__(self, program: Sequence[Step], config: NodeConfig, first: int = FIRST) -> None:
        self.first = first
        self.slots: dict[int, Slot] = {}
        self.gaps: list[tuple[int, int, str]] = []
        self._at, self._after = first, "the first byte"
        for index, step in enumerate(program):
            if step.do in DOORBELLS and step.do != "release":
                self.slots[index] = self._slot(index, step)
        self.system = self._place(config.buffers * config.buffer_bytes, BLOCK_BYTES, "the system buffers")
        self._gap(GUARD_BYTES, 1)
        self.last = self._at - 1
        self.blocks = {slot.block: slot for slot in self.slots.values()}
        self.buffers = {slot.buffer: slot for slot in self.slots.values() if slot.buffer}

    def _gap(self, least: int, align: int) -> None:
        """Leave bytes between two places."""
        end = -(-(self._at + least) // align) * align
        self.gaps.append((self._at, end, self._after))
        self._at = end

    def _place(self, size: int, align: int, name: str) -> int:
        """Return the address of so many bytes."""
        self._gap(GUARD_BYTES, align)
        address, self._at, self._after = self._at, self._at + size, name
        return address

    def _slot(self, index: int, step: Step) -> Slot:
        """Return the places of a step."""
        size = BLOCK_BYTES + (2 * WORD_BYTES * len(step.to) if step.do == "neighbours" else 0)
        block = self._place(size, BLOCK_BYTES, f"the block of {step.name}")
        if step.do == "receive" and step.room is None:
            return Slot(index, block, size)
        wanted = step.room or 0 if step.do == "receive" else step.length
        # A length that the hardware refuses needs no bytes.
        room = 0 if wanted >> LENGTH_BITS else wanted
        buffer = self._place(max(1, room) + MISPLACED * step.misplaced, WORD_BYTES, f"the buffer of {step.name}")
        return Slot(index, block, size, buffer + MISPLACED * step.misplaced, room)


def words_of(step: Step, slot: Slot) -> dict[int, int]:
    """Return the words of a block that its user writes, by their number."""
    found = {int(Word.TYPE): step.type, int(Word.BUFFER): slot.buffer, int(Word.FLAG): 0}
    if step.do == "receive":
        return found | {int(Word.PARTNER): step.partner, int(Word.LENGTH): step.room or 0}
    found[int(Word.LENGTH)] = step.length
    if Instruction[step.do.upper()] == Instruction.SEND:
        found[int(Word.PARTNER)] = step.to[0]
    elif step.do == "neighbours":
        found[int(Word.PARTNER)] = len(step.to)
        found |= {Word.NEIGHBOUR + 2 * place: node for place, node in enumerate(step.to)}
    return found
