"""Words on a serial link, read from its two wires as ``docs/packet_units.md`` has it, whatever stands at its ends."""

from __future__ import annotations

from typing import NamedTuple

from cubecast.golden.packet.contract.config import PORT_BITS, PacketConfig

__all__ = ["Read", "SerialWire"]

IDLE, ZERO, BITS, START = range(4)
"""What comes next: a packet, the 0 behind a start, a bit of a head or word, or the start of the packet's next word."""


class Read(NamedTuple):
    """A head or word whose last bit has come."""

    head: bool
    word: int


class SerialWire:
    """Reads one serial link.

    Parameters
    ----------
    config : PacketConfig
        Parameters of the routers.
    """

    def __init__(self, config: PacketConfig) -> None:
        """Start with a link on which nothing goes."""
        self._preheader = 1 + PORT_BITS + config.length_bits
        self._head_bits, self._width = config.head_bits, config.width
        self._length = (1 << config.length_bits) - 1
        self._state, self._first = IDLE, False
        self._word = self._bits = self._left = 0

    @property
    def idle(self) -> bool:
        """Whether nothing is under way."""
        return self._state == IDLE

    def see(self, line: int, hold: int) -> Read | None:
        """Take the wires of a cycle; return the head or word that ends in it."""
        state = self._state
        if state == IDLE:
            if line and not hold:
                self._state, self._first = ZERO, True
        elif state == START:
            self._state, self._first = ZERO if line else IDLE, False
        elif state == ZERO:
            self._state, self._word, self._bits = IDLE if line else BITS, 0, 0
        elif hold and self._first and self._bits == self._preheader:
            # A contrary packet is refused.
            self._state = IDLE
        else:
            self._word, self._bits = self._word << 1 | line, self._bits + 1
            if self._bits == (self._head_bits if self._first else self._width):
                self._left = self._word >> self._width & self._length if self._first else self._left - 1
                self._state = START if self._left else IDLE
                return Read(self._first, self._word)
        return None
